//! Rust types as text.

use std::collections::HashMap;

use super::client::{self, Called};
use crate::bind::{Bindings, Bound, Paged};
use crate::generate::{Boxed, Rust};
use crate::model::{Content, Custom, EnumKind, Kind, Model, Type, TypeId};
use crate::text::code::code;
use crate::text::docs::{Docs, docs, span};
use crate::text::{Code, Ident};
use crate::{StyleVersion, pointer};

/// Context for writing a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Render<'a> {
    pub(crate) called: &'a Called,
    pub(crate) model: &'a Model,
    pub(crate) boxed: &'a Boxed,
    pub(crate) bound: &'a [Bound<'a>],
    pub(crate) paged: &'a [Paged],
    pub(crate) style: StyleVersion,
    named: &'a Mentions,
}

/// The paths of types and operations by the names that the prose of a document has for them.
#[derive(Debug)]
pub(super) struct Mentions(HashMap<String, Named>);

#[derive(Debug, Default)]
struct Named {
    /// By the names of the contract's schemas.
    schemas: HashMap<String, Docs>,
    /// Types by their names in Rust, and operations by method and path.
    items: HashMap<String, Docs>,
}

impl Mentions {
    pub(super) fn new(model: &Model) -> Self {
        let mut named: HashMap<String, Named> = HashMap::new();
        for definition in &model.types {
            let path = || docs!["crate::types::", &definition.name];
            let own = named.entry(definition.document.clone()).or_default();
            own.items.insert(definition.name.to_string(), path());
            if let Some(schema) = pointer::schema(&definition.pointer) {
                own.schemas.entry(schema).or_insert_with(path);
            }
        }
        let handles: HashMap<&Ident, &Ident> =
            model.families.iter().map(|family| (&family.name, &family.handle)).collect();
        for operation in &model.operations {
            let Some(handle) = handles.get(&operation.family) else { continue };
            let path = || docs!["crate::families::", &operation.family, "::", *handle, "::", &operation.name];
            let own = named.entry(operation.document.clone()).or_default();
            own.items.entry(format!("{} {}", operation.method, operation.path)).or_insert_with(path);
        }
        Self(named)
    }
}

impl<'a> Render<'a> {
    pub(crate) fn new(
        called: &'a Called,
        model: &'a Model,
        boxed: &'a Boxed,
        bindings: &'a Bindings<'a>,
        style: StyleVersion,
        named: &'a Mentions,
    ) -> Self {
        Self { called, model, boxed, bound: &bindings.bound, paged: &bindings.paged, style, named }
    }

    /// The name under which an operation is bound as asynchronous.
    pub(crate) fn bound(&self, operation: usize) -> Option<&str> {
        self.bound.iter().find(|bound| bound.operation == operation).map(|bound| bound.settings.name.as_str())
    }

    /// The pagination of an operation.
    pub(crate) fn paged(&self, operation: usize) -> Option<&Paged> {
        self.paged.iter().find(|paged| paged.operation == operation)
    }

    /// The result of an operation.
    pub(crate) fn success(&self, content: &Content) -> Rust {
        match content {
            Content::Empty => Rust::unit(),
            Content::Json(ty) | Content::Xml(ty, _) => Rust::from_type(ty),
            Content::OptionalJson(ty) => Rust::with("Option", Rust::from_type(ty)),
            Content::Text => Rust::name("String"),
            Content::Stream => Rust::name("ByteStream"),
            Content::Events => Rust::name("EventStream"),
            Content::Redirect => Rust::name(client::REDIRECT),
            Content::ByStatus(id) => Rust::Named(*id),
        }
    }

    /// The text of a type; generated types are reached through `prefix`.
    pub(crate) fn text(&self, rust: &Rust, prefix: &'static str) -> Code {
        text(rust, &|id| code![prefix, &self.model.definition(id).name])
    }

    /// The same as the member of a struct that borrows for `'a`.
    pub(crate) fn lent(&self, rust: &Rust, prefix: &'static str) -> Code {
        borrowed_text(rust, "&'a ", &|id| code![prefix, &self.model.definition(id).name])
    }

    /// The type of a documented status, for documentation: a link, where the type is one of the contract.
    pub(crate) fn described(&self, ty: &Type) -> Docs {
        let (name, named) = self.name_and_definition(ty);
        match named {
            Some(id) => docs!["[", span(&name), "](crate::types::", &self.model.definition(id).name, ")"],
            None => span(&name),
        }
    }

    /// Prose of a document with links to its types and operations that it names as code: a pointer to a schema, a name in the contract or
    /// else in Rust, or method and path.
    pub(crate) fn linked(&self, document: &str, prose: &Docs) -> Docs {
        let named = self.named.0.get(document);
        prose.linked(|text| {
            let schema = text.strip_prefix("#/components/schemas/").or_else(|| text.strip_prefix("#/definitions/"));
            if let Some(schema) = schema {
                return named?.schemas.get(schema);
            }
            let is_name = text.len() > 2 && text.starts_with(|letter: char| letter.is_ascii_uppercase());
            let named = named.filter(|_| is_name)?;
            named.schemas.get(text).or_else(|| named.items.get(text))
        })
    }

    /// The text of a type, and the definition in it.
    fn name_and_definition(&self, ty: &Type) -> (String, Option<TypeId>) {
        let around = |head: &str, inner: &Type| {
            let (inner, named) = self.name_and_definition(inner);
            (format!("{head}{inner}>"), named)
        };
        let name = match ty {
            Type::Any | Type::Custom(_) => "Value",
            Type::Boolean => "bool",
            Type::Integer(name) => name,
            Type::Float => "f32",
            Type::Double => "f64",
            Type::Decimal => "Decimal",
            Type::String(_) => "String",
            Type::Object => "Object",
            Type::List(inner) => return around("Vec<", inner),
            Type::Map(inner) => return around("BTreeMap<String, ", inner),
            Type::Optional(inner) => return around("Option<", inner),
            Type::Named(id) => return (self.model.definition(*id).name.to_string(), Some(*id)),
        };
        (name.to_owned(), None)
    }
}

/// The text of a type, with `named` for the definitions in it.
pub(crate) fn text(rust: &Rust, named: &impl Fn(TypeId) -> Code) -> Code {
    borrowed_text(rust, "&", named)
}

/// The same with other references: those of a struct have a lifetime.
fn borrowed_text(rust: &Rust, reference: &'static str, named: &impl Fn(TypeId) -> Code) -> Code {
    match rust {
        Rust::Reference(inner) => match inner.as_ref() {
            Rust::Name("Vec", arguments) => {
                code![reference, "[", arguments.first().map(|element| text(element, named)), "]"]
            }
            inner => code![reference, text(inner, named)],
        },
        Rust::Named(id) => named(*id),
        Rust::Custom(Custom::TextNumber(name)) => code![client::AS_TEXT, "<", *name, ">"],
        Rust::Custom(Custom::File) => code![client::FILE],
        Rust::Custom(Custom::Path(local, names)) => {
            code![if *local { "crate::" } else { "::" }, Code::join("::", names)]
        }
        Rust::Name(name, arguments) if arguments.is_empty() => code![*name],
        Rust::Name(name, arguments) => {
            let arguments = arguments.iter().map(|argument| borrowed_text(argument, reference, named));
            code![*name, "<", Code::join(", ", arguments), ">"]
        }
    }
}

fn is_copied(kind: &Kind) -> bool {
    match kind {
        Kind::Enum(kind, _) => matches!(kind, EnumKind::Integer(_)),
        Kind::Id(id) => id.is_copied(),
        _ => false,
    }
}

/// The form of an argument of that type: a `Copy` type by value, any other by reference.
pub(crate) fn borrowed(model: &Model, rust: Rust) -> Rust {
    const COPY: &[&str] = &["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "Uuid"];
    match rust {
        Rust::Name("Option", arguments) => {
            let inner = arguments.into_iter().next().unwrap_or_else(Rust::unit);
            Rust::with("Option", borrowed(model, inner))
        }
        Rust::Name(name, _) if COPY.contains(&name) => Rust::name(name),
        Rust::Named(id) if is_copied(&model.definition(id).kind) => Rust::Named(id),
        Rust::Name("String", _) => Rust::Reference(Box::new(Rust::name("str"))),
        other => Rust::Reference(Box::new(other)),
    }
}
