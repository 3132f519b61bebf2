//! Fault injection: the errors of networks, proxies and overloaded servers, on demand.

mod body;
mod events;
mod layer;
mod line;
mod outcome;
mod rule;
mod rules;
mod spec;

pub use events::EventFaults;
pub use layer::{apply, apply_to_options};
pub use line::{Connection, Line};
pub use outcome::Outcome;
pub use rule::FaultRule;
pub use rules::{FaultControl, Rules, SocketEnd, Waits};
pub use spec::{Fault, FaultError, Reset};

/// The request header that asks for a fault.
pub const HEADER: &str = "x-sandbox-fault";
