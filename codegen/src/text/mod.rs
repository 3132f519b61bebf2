//! The only ways by which a text of a contract reaches a generated file or a report.
//!
//! A text becomes a [`literal`], an identifier ([`ident`]), documentation ([`docs`]) or part of a [`line`]; nothing else
//! of it is written. Each of them holds for every input, so no text can add code, a doctest or a line.

pub(crate) mod docs;
mod hidden;
pub(crate) mod ident;
mod inert;
mod line;
mod literal;

pub use line::line;
pub(crate) use literal::literal;
