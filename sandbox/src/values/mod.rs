//! JSON values and the schemas of the contract: read from text, checked, and made.

pub(crate) mod check;
pub(crate) mod coerce;
pub(crate) mod shape;
