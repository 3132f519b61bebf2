//! The contract that the sandbox serves, and the behaviour of its operations. Both are documents: `sandbox/contract` has the contract,
//! in the style that Swashbuckle writes for an ASP.NET service, and `sandbox/behaviour.toml` all that it does not say.

#[cfg(feature = "server")]
pub(crate) mod behaviour;
mod changes;
mod document;
#[cfg(feature = "server")]
pub(crate) mod operation;
#[cfg(feature = "server")]
pub(crate) mod route;
#[cfg(feature = "server")]
pub(crate) mod schema;
#[cfg(feature = "server")]
mod table;

pub(crate) use document::{Document, Rendered};
#[cfg(feature = "server")]
pub(crate) use table::Contract;

/// The address of the contract below the base address.
pub(crate) const JSON_PATH: &str = "/swagger/v1/swagger.json";
/// The address of the contract's YAML form below the base address.
pub(crate) const YAML_PATH: &str = "/swagger/v1/swagger.yaml";

/// A revision of the contract. The second one has changes that `drift` reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Revision {
    #[default]
    First,
    Second,
}

impl Revision {
    /// The revision with a number, counted from 1.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::First),
            2 => Some(Self::Second),
            _ => None,
        }
    }
}
