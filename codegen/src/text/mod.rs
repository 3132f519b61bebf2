//! The only ways by which a text of a contract reaches a generated file or a report.
//!
//! A text becomes a [`Literal`], an identifier, documentation, or part of a [`line()`]; nothing else of it is written. Each
//! is a type that only this module makes, and each holds for every input; [`Code`] is composed of these types and of text
//! of the generator. So no text can add code, a doctest or a line.

pub(crate) mod code;
pub(crate) mod docs;
mod hidden;
mod html;
mod ident;
mod inert;
mod line;
mod literal;

pub use code::{Code, Part};
pub(crate) use ident::{Ident, clipped, is_device, is_keyword};
pub use line::line;
pub use literal::{Literal, literal};
