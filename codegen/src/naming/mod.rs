//! Rust names: derived once, then pinned.

mod chosen;
pub(crate) mod ident;
pub(crate) mod operation;
mod scope;
pub(crate) mod setter;
pub(crate) mod words;

pub(crate) use chosen::check;
pub(crate) use scope::Scope;
