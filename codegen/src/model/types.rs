//! Types of the model.

use super::{Content, Provenance, StatusKey, Style};
use crate::text::Ident;
use crate::text::docs::Docs;

/// Index of a [`Definition`] in [`super::Model::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TypeId(pub(crate) usize);

/// A type at a place of use.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    /// Anything: `Value`.
    Any,
    Boolean,
    /// An integer of a Rust type: `i32`, `u8` …
    Integer(&'static str),
    Float,
    Double,
    /// A number that no machine type holds without loss.
    Decimal,
    String(Format),
    /// A type that only GraphQL scalars can have.
    Custom(Custom),
    /// An object without declared members.
    Object,
    List(Box<Type>),
    Map(Box<Type>),
    /// An element that may be null.
    Optional(Box<Type>),
    Named(TypeId),
}

impl Type {
    /// Nesting depth of lists and maps.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Self::List(inner) | Self::Map(inner) => 1 + inner.depth(),
            Self::Optional(inner) => inner.depth(),
            _ => 0,
        }
    }

    /// Calls `visit` with every named type in it.
    pub(crate) fn each_named(&self, visit: &mut impl FnMut(TypeId)) {
        match self {
            Self::List(inner) | Self::Map(inner) | Self::Optional(inner) => inner.each_named(visit),
            Self::Named(id) => visit(*id),
            _ => {}
        }
    }
}

/// A type of a GraphQL scalar that no schema of OpenAPI has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Custom {
    /// A number of a Rust type that JSON holds as text.
    TextNumber(&'static str),
    /// A type that people chose, by its path: whether that begins in the client, and the names after `crate`.
    Path(bool, Vec<Ident>),
    /// A file, which is sent beside the variables.
    File,
}

/// The format of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Format {
    Text,
    Uuid,
    DateTime,
    Date,
    Time,
    TimeSpan,
    /// Base64 text.
    Byte,
    /// Raw bytes; only bodies and parts of multipart bodies can hold them.
    Binary,
}

/// A type with a name.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Rust name.
    pub(crate) name: Ident,
    /// Name of the document.
    pub(crate) document: String,
    /// JSON pointer of the schema.
    pub(crate) pointer: String,
    pub(crate) docs: String,
    pub(crate) deprecated: Deprecation,
    pub(crate) provenance: Provenance,
    pub(crate) kind: Kind,
    pub(crate) reach: Reach,
    /// The uses that decide about the presence of members: those at the time when the type was given its form.
    pub(crate) uses: Uses,
}

/// The directions of a type: sent, returned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    pub(crate) request: bool,
    pub(crate) response: bool,
}

impl Uses {
    pub(crate) const BOTH: Self = Self { request: true, response: true };

    /// As `specs/names.lock` has it.
    pub(crate) fn read(text: &str) -> Option<Self> {
        Some(match text {
            "read" => Self { request: false, response: true },
            "sent" => Self { request: true, response: false },
            "neither" => Self::default(),
            _ => return None,
        })
    }

    /// As it stands in `specs/names.lock`.
    pub(crate) fn word(self) -> &'static str {
        match (self.request, self.response) {
            (true, true) => "both",
            (true, false) => "sent",
            (false, true) => "read",
            (false, false) => "neither",
        }
    }
}

/// The uses of a type, direct or through other types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reach {
    pub(crate) request: bool,
    pub(crate) response: bool,
    /// Names of families.
    pub(crate) families: std::collections::BTreeSet<Ident>,
    /// `true` if an operation that is not `assumed` uses it.
    pub(crate) documented: bool,
}

/// The kind of a named type.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// An object with declared members, and the type of those it does not declare.
    Struct(Vec<Field>, Option<Type>),
    /// Another name for a type.
    Alias(Type),
    /// Open enumeration.
    Enum(EnumKind, Vec<(String, Variant)>),
    /// One of several shapes.
    Union(Tagging, Vec<Variant>),
    /// The body of a multipart request.
    Multipart(Vec<BodyPart>),
    /// One variant per success status of an operation.
    ByStatus(Vec<(StatusKey, Ident, Content)>),
    /// A scalar that no other one can stand for.
    Id(Identifier),
}

/// An identifier with a type of its own.
#[derive(Clone, Debug)]
pub(crate) struct Identifier {
    /// Its type on the wire: text, an integer or a UUID.
    pub(crate) scalar: Type,
    /// Its places, as the configuration names them.
    pub(crate) places: Vec<String>,
}

impl Identifier {
    /// Returns whether its Rust type is `Copy`.
    pub(crate) fn is_copied(&self) -> bool {
        self.scalar != Type::String(Format::Text)
    }
}

/// The wire type of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum EnumKind {
    String,
    /// A Rust integer type.
    Integer(&'static str),
}

/// The way to recognise the variants of a union.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Tagging {
    /// A member of the object names the variant.
    Tag(String),
    /// The object has one member, whose name is the variant's.
    Key,
    /// By shape.
    Shape,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) wire: String,
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) required: bool,
    pub(crate) nullable: bool,
    pub(crate) read_only: bool,
    pub(crate) write_only: bool,
    /// Names the variant of the union that the type is only sent in, which writes it.
    pub(crate) tag: bool,
    pub(crate) deprecated: Deprecation,
    /// Its place in the document as it was published.
    pub(crate) pointer: String,
    pub(crate) docs: String,
    /// Limits and default, in words.
    pub(crate) limits: Docs,
}

impl Field {
    /// The presence of the field in a type with those uses.
    pub(crate) fn presence(&self, uses: Uses) -> Presence {
        let required = self.required && !(self.read_only && uses.request) && !(self.write_only && uses.response);
        if self.tag && uses.request {
            return Presence::Optional;
        }
        match (required, self.nullable) {
            (true, false) => Presence::Required,
            (true, true) => Presence::Nullable,
            (false, true) if uses.request && !self.read_only => Presence::Maybe,
            (false, _) => Presence::Optional,
        }
    }
}

/// The presence of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Presence {
    Required,
    /// Absent or a value.
    Optional,
    /// Null or a value.
    Nullable,
    /// Absent, null or a value.
    Maybe,
}

/// The deprecation of an item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Deprecation {
    #[default]
    No,
    Yes,
    /// Deprecated, with the reason from its owner.
    Because(String),
}

impl From<bool> for Deprecation {
    fn from(deprecated: bool) -> Self {
        if deprecated { Self::Yes } else { Self::No }
    }
}

/// A variant of an enumeration or union.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    pub(crate) name: Ident,
    pub(crate) docs: String,
    pub(crate) deprecated: Deprecation,
    pub(crate) content: VariantContent,
}

/// The content of a variant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum VariantContent {
    /// Nothing: a value of an enumeration.
    Value,
    /// A type, and the tags that select it.
    Type(Type, Vec<String>),
}

/// A part of a multipart body. The fields of the struct are in the order of the alphabet, so that those who call its maker
/// are not affected by another order in the contract.
#[derive(Clone, Debug)]
pub(crate) struct BodyPart {
    pub(crate) wire: String,
    /// Position in the sent body.
    pub(crate) position: usize,
    pub(crate) name: Ident,
    pub(crate) kind: PartKind,
    /// The media type that the contract wants, for files without one of their own.
    pub(crate) media_type: Option<String>,
    /// Headers of the part.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) required: bool,
    pub(crate) docs: String,
    /// Limits and default, in words.
    pub(crate) limits: Docs,
}

/// The content of a part of a multipart body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    File,
    Files,
    Text(Type),
    Texts(Type),
    Json(Type),
    /// A part for each.
    Jsons(Type),
    /// As a query would write it, without its encoding: style and explode.
    Styled(Type, Style, bool),
}
