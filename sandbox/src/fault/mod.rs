//! Fault injection: the errors of networks, proxies and overloaded servers, on demand.

mod body;
mod layer;
mod line;
mod rule;
mod rules;
mod spec;

pub(crate) use layer::{apply, apply_to_options};
pub(crate) use line::{Connection, Line};
pub use rule::FaultRule;
pub(crate) use rules::Rules;
pub use rules::{FaultControl, Waits};
pub use spec::{Fault, FaultError, Reset};

/// The request header that asks for a fault.
pub(crate) const HEADER: &str = "x-sandbox-fault";
