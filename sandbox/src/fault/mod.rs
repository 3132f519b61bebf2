//! Faults on demand: what a network, a proxy or a bad day does to a request.

mod body;
mod layer;
mod line;
mod rules;
mod spec;

pub(crate) use layer::apply;
pub(crate) use line::{Connection, Lines};
pub use rules::FaultControl;
pub(crate) use rules::Rules;
pub use spec::{Fault, FaultError, Reset};

/// The request header that asks for a fault.
pub(crate) const HEADER: &str = "x-sandbox-fault";
