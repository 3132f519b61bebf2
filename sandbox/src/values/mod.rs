//! JSON values and the schemas of the contract: parsing, checking, and building.

pub(crate) mod check;
pub(crate) mod coerce;
pub(crate) mod shape;
