//! A typed client of the service, generated from its contract.
//!
//! A [`@CLIENT@`] is one session with the service: connections, credential, deadlines, retries, limits. Each route family of the
//! contract is a method of it, and each operation returns a [`Call`], which `.await` sends. [`families`] lists them.
//!
//! [`@CLIENT@::from_env`] reads `@VARIABLES@BASE_URL` and the credentials; [`@CLIENT@::builder`] configures a client in code.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Types of large contracts refer to each other in long chains.
#![recursion_limit = "512"]

#[rustfmt::skip]
mod generated;

pub use generated::*;
