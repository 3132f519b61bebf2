//! The types of generated code: constants that describe an operation, arguments, payloads, decoders, and the macros
//! that give the types their serde implementations.
//!
//! Generated code imports them through [`codegen`](crate::codegen).

mod argument;
#[cfg(feature = "testing")]
mod blank;
pub mod decode;
mod enums;
pub(crate) mod events;
pub mod headers;
mod identifier;
mod member;
mod multipart;
mod names;
mod operation;
mod paging;
mod parameter;
mod payload;
mod prepare;
mod raw;
mod record;
mod redirect;
mod security;
mod server;
mod slot;
mod style;
mod template;
#[cfg(test)]
mod tests;
mod union;
pub(crate) mod upload;
#[cfg(feature = "xml")]
pub mod xml;

pub use argument::Argument;
pub(crate) use argument::{to_bytes, to_value};
#[cfg(feature = "testing")]
pub use blank::value;
pub use enums::{integer, open, or_unknown, out_of_range, unfit};
pub use events::{Event, EventStream};
pub(crate) use multipart::Part;
pub use multipart::Parts;
use names::Index;
pub use operation::{Method, Operation};
pub use paging::{NextPage, PagePlace, Paging};
pub(crate) use parameter::Location;
pub use parameter::{Parameter, Style, cookie, header, path, query};
pub use payload::Payload;
pub(crate) use prepare::{Content, Draft, PROBLEM, Prepared, set_callers_header, set_header, url};
pub(crate) use raw::Body;
pub use raw::Raw;
pub use record::{Record, fields, read, write};
pub use redirect::Redirect;
pub use security::{Scheme, Security};
pub use slot::{AnySlot, EachEntry, IfPresent, IfSome, Required, Undeclared, missing};
pub(crate) use slot::{Put, Slot};
pub(crate) use style::{path as encode_path, query_pairs as pairs, strict as encode_strictly};
#[cfg(feature = "operations")]
pub(crate) use template::{fill_texts, parameters_of};
pub use union::{by_key, keyed, tagged, untagged, with_tag};
pub use upload::Upload;
pub(crate) use upload::{Chunks, UploadSource};
