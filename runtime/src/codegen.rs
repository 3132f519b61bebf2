//! The interface for generated code: descriptions of operations, arguments, payloads, decoders, and the macros that
//! give types their serde implementations.
//!
//! It is not part of the public interface: it changes with the generator, and a generated crate depends on the runtime of
//! exactly its own version.
//!
//! Generated code imports [`prelude`]. In a function with an argument named `path`, `query`, `header` or `cookie`, write
//! `Parameter::path("…")`: the argument shadows the short form.

pub use http::Extensions;
pub use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, MapAccess},
};

pub use crate::client::{DeclaredServer, GeneratedClient, RequiredClaim};
#[cfg(feature = "operations")]
pub use crate::operations::Bindings;
#[cfg(feature = "xml")]
pub use crate::protocol::xml;
pub use crate::{
    __from_variants as from_variants, __full as full, __generated as generated, __identifier as identifier,
    __part as part, __put as put, __responses as responses, __slot as slot,
    protocol::{
        AnySlot, EachEntry, IfPresent, IfSome, Parts, Raw, Record, Required, Scheme, Security, Style, Undeclared,
        by_key, decode, fields, integer, keyed, missing, open, or_unknown, out_of_range, read, tagged, unfit, untagged,
        with_tag, write,
    },
};

/// The version of the interface between generated code and this crate: the version that `generated!` accepts.
pub const INTERFACE: u32 = 2;

/// All names that generated code uses.
pub mod prelude {
    pub use std::collections::BTreeMap;

    pub use bytes::Bytes;
    pub use uuid::Uuid;

    #[cfg(feature = "graphql")]
    pub use crate::__connection as connection;
    pub use crate::{
        __from_variants as from_variants, __identifier as identifier, __integer_enum as integer_enum,
        __keyed_union as keyed_union, __multipart as multipart, __record as record, __responses as responses,
        __string_enum as string_enum, __tagged_union as tagged_union, __untagged_union as untagged_union, Base64,
        ByteStream, Call, Date, DateTime, Decimal, Error, EventStream, Maybe, Object, Submission, Time, TimeSpan,
        Upload, Value,
        protocol::{
            Argument,
            Method::{self, Delete, Get, Head, Options, Other, Patch, Post, Put, Trace},
            NextPage, Operation, PagePlace, Paging, Parameter, Parts, Payload, Raw, Scheme, Security, Style, cookie,
            decode, header, headers, path, query,
        },
    };
}
