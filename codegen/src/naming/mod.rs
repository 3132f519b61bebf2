//! Rust names: derived once, then pinned.

pub(crate) mod ident;
pub(crate) mod operation;
mod scope;
pub(crate) mod setter;
pub(crate) mod words;

pub(crate) use scope::Scope;
