//! Values of response types, for tests: required members of a record that a test does not set are blank.

use std::cell::Cell;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::to_bytes;
use crate::{
    error::{Error, Kind},
    json::lenient,
};

/// The deepest nesting of blank records. Deeper ones require each other without end.
const DEEPEST: u32 = 64;

/// The blank value is the first of these that the type accepts.
const BLANKS: [&str; 7] = ["null", "{}", "[]", "0", "false", r#""""#, r#""00000000-0000-0000-0000-000000000000""#];

thread_local! {
    /// The nesting depth of blank records; `None`: a missing member is an error.
    static DEPTH: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Returns the value of a required member that is missing; `None` outside of tests.
pub(super) fn blank<'de, T: Deserialize<'de>>() -> Option<T> {
    let depth = DEPTH.get().filter(|depth| *depth < DEEPEST)?;
    DEPTH.set(Some(depth + 1));
    let value = BLANKS.iter().find_map(|text| serde_json::from_str(text).ok());
    DEPTH.set(Some(depth));
    value
}

/// Creates a value of a type of the contract, as a service would send it. Members that the type requires and `members`
/// does not have are blank: an empty text, zero, the identifier of zeros, an object of blank members. So a test still
/// compiles when the contract adds a member.
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
/// A member has another type, or the type requires itself.
pub fn value<T: DeserializeOwned>(members: &impl Serialize) -> Result<T, Error> {
    let fail = |cause: serde_json::Error| {
        Error::with(Kind::Decode, "the value cannot be made").cause(cause).hint("correct the test")
    };
    let text = to_bytes(members).map_err(fail)?;
    let before = DEPTH.replace(Some(0));
    let outcome = lenient::from_slice(&text).map_err(fail);
    DEPTH.set(before);
    outcome
}
