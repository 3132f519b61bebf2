//! The additional servers that a generated client declares.

use uuid::Uuid;

use super::wrong;
use crate::error::Error;

/// An additional server of the contracts.
#[derive(Clone, Copy, Debug)]
pub struct DeclaredServer {
    /// Its name: a part of the names of its variables.
    pub name: &'static str,
    /// The claim that tokens for it must have.
    pub claim: Option<RequiredClaim>,
}

/// A claim that tokens for a server must have. Its value is configured: see
/// [`ServerSettings::required_claim`](crate::ServerSettings::required_claim).
#[derive(Clone, Copy, Debug)]
pub struct RequiredClaim {
    /// Its names: the first one that a token has counts.
    pub names: &'static [&'static str],
    /// The suffix of the variable with the value.
    pub variable: &'static str,
    /// The value has to be a UUID.
    pub uuid: bool,
}

impl RequiredClaim {
    /// Checks the configured value. `setting` has it.
    pub(super) fn check(&self, setting: &str, value: &str) -> Result<(), Error> {
        if self.uuid && Uuid::try_parse(value).is_err() {
            return Err(wrong(&format!("`{setting}` is not a GUID"), "write it as 8-4-4-4-12 hexadecimal digits"));
        }
        Ok(())
    }
}
