//! Generated code, written by hand, and its required behaviour.

#![allow(unreachable_pub, reason = "the macros make methods for public types")]

#[path = "../../../tests/support/mod.rs"]
mod support;

mod identifiers;
mod lenient;
mod members;
mod numbers;
mod operations;
mod parameters;
mod responses;
mod types;
#[cfg(feature = "xml")]
mod xml;

use crate::{
    Call, Client, Error,
    protocol::{Argument, Operation, Payload, Raw},
};

impl Client {
    /// A call like that of generated code.
    fn call<T>(
        &self,
        operation: &'static Operation,
        arguments: &[&dyn Argument],
        payload: Payload<'_>,
        decode: fn(Raw) -> Result<T, Error>,
    ) -> Call<'_, T> {
        Call::new(self, operation, arguments, payload, decode)
    }
}
