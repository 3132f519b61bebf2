//! Generated code, written by hand, against what it must do.

#![allow(unreachable_pub, reason = "the macros make methods for public types")]

#[path = "../../../tests/support/mod.rs"]
mod support;

mod lenient;
mod numbers;
mod operations;
mod parameters;
mod responses;
mod types;
#[cfg(feature = "xml")]
mod xml;
