//! The HTTP server.

mod connection;
mod control;
mod envelope;
mod files;
mod handle;
#[cfg(feature = "issuer")]
mod issuer;
mod media;
mod pages;
mod problem;
mod reply;
mod route;
mod security;
mod stored;
mod success;

pub(crate) use connection::{LIMITS, router};
pub(crate) use control::is_free;
pub(crate) use handle::{Front, ServedContract, Service};
#[cfg(feature = "graphql")]
pub(crate) use handle::{Received, refuse};
#[cfg(feature = "issuer")]
pub(crate) use issuer::{ContractIssuer, explained};
#[cfg(feature = "graphql")]
pub(crate) use reply::Reply;
pub(crate) use route::{Routed, Router};
pub(crate) use security::{Security, TokenIssuer};
