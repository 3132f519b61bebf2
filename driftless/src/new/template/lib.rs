//! A typed client of the service, generated from its contract.
//!
//! A [`@CLIENT@`] is one session with the service: connections, credential, deadlines, retries, limits. Each route family of the
//! contract is a method of it ([`families`] lists them) and a cargo feature. Each operation has an example, and returns a
//! [`Call`], which `.await` sends.
//!
@FIRSTDOC@
//! # Sign-in
//!
//! [`@CLIENT@::from_env`] reads the address of the service and the credentials from these variables:
//!
@LISTED@
//!
//! [`@CLIENT@::builder`] configures a client in code, and [`ClientBuilder`] has its methods; [`auth`] has the credentials.
//!
//! # Errors
//!
//! Every call fails with an [`Error`]: [`Error::is_not_found`], [`Error::is_unauthorized`], [`Error::is_retryable`] and others
//! say what to do, [`Error::status`] and [`Error::problem`] have the answer of the service. A call is retried if that cannot
//! repeat an effect, and ends by its deadline.
//!
//! # Optional parameters, pages
//!
//! Optional parameters are set on the call: `.limit(50)`. If an operation comes in pages and `specs/codegen.toml` says how, its
//! call has `with_items()`: a stream of the items of all pages.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Types of large contracts refer to each other in long chains.
#![recursion_limit = "512"]

#[rustfmt::skip]
mod generated;

pub use generated::*;
