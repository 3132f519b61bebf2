//! Rust names: derived once, then pinned.

pub(crate) mod case;
mod doubles;
pub(crate) mod family;
pub(crate) mod ident;
pub(crate) mod operation;
pub(crate) mod prose;
pub(crate) mod published;
mod scope;
pub(crate) mod setter;
pub(crate) mod short;
pub(crate) mod verbs;
pub(crate) mod words;

pub(crate) use doubles::Doubles;
pub(crate) use scope::Scope;
