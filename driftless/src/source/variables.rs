//! The variables of the environment that a download reads.

use crate::failure::Failure;

/// The value of a variable; an empty one counts as not set.
pub(super) fn from_env(variable: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(variable) = variable else { return Ok(None) };
    match std::env::var(variable) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(std::env::VarError::NotPresent) => Ok(None),
        Err(std::env::VarError::NotUnicode(_)) => Err(Failure::configuration(
            "configuration/environment",
            format!("the environment variable {variable} is not UTF-8"),
            format!("set {variable} anew"),
        )),
    }
}
