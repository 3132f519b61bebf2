//! A check of JSON values against JSON Schema (2020-12), for the keywords that the table of operations uses.
//!
//! Keywords: `type`, `properties`, `required`, `additionalProperties`, `items`, `enum`, `const`, `$ref` (`#/$defs/NAME`), `anyOf`,
//! `oneOf`, `allOf`, `format`, `minimum`, `maximum`, `readOnly`. Others are not checked.
//!
//! The check is of values that are sent, by a program that may be older than the service. So it is milder than the
//! specification in these places, and reports a warning instead of an error:
//!
//! - a time that is not written as RFC 3339 has it;
//! - a value that `enum` does not list, if it has the type of a listed one;
//! - a value that fits several alternatives of `oneOf`;
//! - a member that the schema does not name, unless `additionalProperties` is `false`;
//! - a member that is `readOnly`. If it is `required`, too, it may be absent: OpenAPI requires it in responses only.

mod check;
mod faults;
mod format;
mod mask;
#[cfg(test)]
mod tests;

use std::fmt;

use serde_json::Value;

pub use check::check;
pub use mask::mask;

/// The definitions that `$ref` names, by the name after `#/$defs/`.
pub type Definitions<'a> = dyn Fn(&str) -> Option<&'a Value> + 'a;

/// Returns the `$defs` of a schema as a function.
pub fn definitions<'a>(schema: &'a Value) -> impl Fn(&str) -> Option<&'a Value> + 'a {
    move |name| schema.get("$defs")?.get(name)
}

/// A place of a value that does not fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// JSON pointer of the place in the value. Empty: the value itself.
    pub pointer: String,
    /// The reason, as the predicate of a sentence: `is a string, where an integer is expected`. It contains no part of the value but names of members.
    pub message: String,
    /// The kind of the fault.
    pub kind: FaultKind,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The value does not fit.
    Invalid,
    /// A time that is not written as RFC 3339 has it, such as one without an offset, which services of .NET read and write.
    Spelling,
    /// The schema lists other values.
    UnknownValue,
    /// Several alternatives of `oneOf` fit.
    SeveralAlternatives,
    /// The schema does not name the member.
    UnknownMember,
    /// Only the service sets the member.
    ReadOnly,
    /// The value and the schema are too large to check the rest.
    Unchecked,
}

impl FaultKind {
    /// Returns `true` if the value must not be sent.
    pub fn is_error(self) -> bool {
        matches!(self, Self::Invalid)
    }

    /// Returns `true` if the value is invalid by the specification of JSON Schema.
    pub(crate) fn is_strict(self) -> bool {
        matches!(self, Self::Invalid | Self::Spelling | Self::UnknownValue | Self::SeveralAlternatives)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.is_empty() {
            true => write!(f, "the value {}", self.message),
            false => write!(f, "{} {}", self.pointer, self.message),
        }
    }
}
