//! Asynchronous work: it is accepted, moves through its states as the clock advances, and is followed by an event when the result
//! is available (platform document §4.4). Kinds, states, events and times are the sandbox's own.

#[cfg(feature = "server")]
mod hub;
mod kind;
#[cfg(feature = "server")]
mod table;
#[cfg(feature = "server")]
mod work;

#[cfg(feature = "server")]
pub(crate) use hub::{Hub, Notice};
pub(crate) use kind::{Kind, Phase};
#[cfg(feature = "server")]
pub(crate) use table::Table;
#[cfg(feature = "server")]
pub(crate) use work::{Event, Workflow};
