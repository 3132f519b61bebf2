//! What generated code speaks: constants that describe an operation, arguments, payloads, decoders, and the macros that
//! give the types their serde implementations.
//!
//! Generated code imports [`prelude`] and nothing else of the crate but its own types. In a function with an argument named
//! `path`, `query`, `header` or `cookie`, write `Parameter::path("…")`: the argument shadows the short form.

#![allow(dead_code, unused_imports, unused_macros, reason = "which parts generated code uses depends on the contract")]

mod argument;
pub(crate) mod decode;
mod enums;
pub(crate) mod lenient;
mod multipart;
mod operation;
mod parameter;
mod payload;
mod prepare;
mod raw;
mod record;
mod slot;
mod style;
mod template;
#[cfg(test)]
mod tests;
mod union;
pub(crate) mod whole;
#[cfg(feature = "xml")]
pub(crate) mod xml;

pub(crate) use serde::{Deserialize, Deserializer, Serialize, Serializer, de::MapAccess};

pub(crate) use argument::{Argument, to_bytes, to_value};
pub(crate) use enums::{integer, out_of_range, text, unfit};
pub(crate) use multipart::{Part, Parts, part};
pub use operation::Method;
pub(crate) use operation::Operation;
pub(crate) use parameter::{Location, Parameter, Style};
pub(crate) use payload::Payload;
pub(crate) use prepare::{Content, PROBLEM, Prepared, prepare, set_header, url};
pub(crate) use raw::{Body, Raw};
pub(crate) use record::{Record, fields, missing, put, read, slot, take, write};
pub(crate) use slot::{Each, IfPresent, IfSome, Put, Required, Slot};
pub(crate) use style::{path as encode_path, query_pairs as pairs};
#[cfg(feature = "operations")]
pub(crate) use template::{fill_texts, parameters_of};
pub(crate) use union::{
    Read, by_fit, by_fit_written_out, by_tag, from_tree, from_tree_leniently, in_union, tree, with_tag,
};

/// Everything that generated code names.
pub(crate) mod prelude {
    pub(crate) use std::collections::BTreeMap;

    pub(crate) use bytes::Bytes;
    pub(crate) use serde_json::Value;
    pub(crate) use uuid::Uuid;

    pub(crate) use super::{
        Argument,
        Method::{self, Delete, Get, Head, Options, Other, Patch, Post, Put, Trace},
        Operation, Parameter, Parts, Payload, Raw, Style,
        decode::{self, responses},
        enums::{integer_enum, string_enum},
        multipart::multipart,
        parameter::{cookie, header, path, query},
        record::record,
        union::{tagged_union, untagged_union},
    };
    pub(crate) use crate::{
        Base64, ByteStream, Call, Date, DateTime, Decimal, Error, EventStream, Maybe, Object, Platform, Submission,
        Time, TimeSpan, Upload,
    };
}
