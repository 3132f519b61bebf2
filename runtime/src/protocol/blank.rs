//! Values of types that only come back, for tests: what a record requires and a test does not say is blank.

use std::cell::Cell;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::to_bytes;
use crate::{
    error::{Error, Kind},
    json::lenient,
};

/// How many records may be blank within each other. More of them require each other without end.
const DEEPEST: u32 = 64;

/// What a blank value is: the first of these that the type takes.
const BLANKS: [&str; 7] = ["null", "{}", "[]", "0", "false", r#""""#, r#""00000000-0000-0000-0000-000000000000""#];

thread_local! {
    /// How many blank records are being made within each other; `None`: what is missing is an error.
    static DEPTH: Cell<Option<u32>> = const { Cell::new(None) };
}

/// The value of a required member that is not there; `None` where no test makes a value.
pub(super) fn blank<T: Deserialize<'static>>() -> Option<T> {
    let depth = DEPTH.get().filter(|depth| *depth < DEEPEST)?;
    DEPTH.set(Some(depth + 1));
    let found = BLANKS.iter().find_map(|text| serde_json::from_str(text).ok());
    DEPTH.set(Some(depth));
    found
}

/// A value of a type of the contract, as a service would send it. What the type requires and `members` does not have is blank:
/// an empty text, zero, the identifier of zeros, an object that is blank itself. So a test goes on to compile when the contract
/// adds a member.
///
/// ```
/// # #[cfg(feature = "testing")] {
/// use driftless_runtime::{Object, testing::value};
///
/// let project: Object = value(&[("name", "Atlas")].into_iter().collect::<Object>()).unwrap();
/// assert_eq!(project.get::<String>("name").unwrap().as_deref(), Some("Atlas"));
/// # }
/// ```
///
/// # Errors
///
/// A member is not of its type, or the type requires itself.
pub fn value<T: DeserializeOwned>(members: &impl Serialize) -> Result<T, Error> {
    let fail = |cause: serde_json::Error| {
        Error::of(Kind::Decode, "the value cannot be made").cause(cause).hint("correct the test")
    };
    let text = to_bytes(members).map_err(fail)?;
    let before = DEPTH.replace(Some(0));
    let outcome = lenient::from_slice(&text).map_err(fail);
    DEPTH.set(before);
    outcome
}
