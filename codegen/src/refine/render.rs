//! Rust types as text.

use crate::bind::Bound;
use crate::generate::{Resolved, Rust};
use crate::model::{Content, Custom, Format, Model, Type, TypeId};

/// What it takes to write a type down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Render<'a> {
    pub(crate) model: &'a Model,
    pub(crate) resolved: &'a Resolved,
    pub(crate) bound: &'a [Bound<'a>],
}

impl Render<'_> {
    /// The name under which an operation is bound as asynchronous.
    pub(crate) fn bound(&self, operation: usize) -> Option<&str> {
        self.bound.iter().find(|bound| bound.operation == operation).map(|bound| bound.settings.name.as_str())
    }

    /// A member of a definition. `ty` says where an element may be null, which progenitor was not asked.
    pub(crate) fn member(&self, id: TypeId, position: usize, ty: &Type) -> Rust {
        self.resolved
            .member(id.0, position)
            .map_or_else(|| Rust::name("Value"), |rust| optional(rust.clone().owned(), ty))
    }

    /// A parameter of an operation, as a struct holds it.
    pub(crate) fn parameter(&self, operation: usize, position: usize, ty: &Type) -> Rust {
        optional(owned(self.resolved.parameter(operation, position)), ty)
    }

    /// The body of an operation, as a struct holds it.
    pub(crate) fn body(&self, operation: usize, ty: &Type) -> Rust {
        optional(owned(self.resolved.body(operation)), ty)
    }

    /// What an operation returns.
    pub(crate) fn success(&self, operation: usize, content: &Content) -> Rust {
        let resolved = || self.resolved.success(operation);
        match content {
            Content::Empty => Rust::unit(),
            Content::Json(ty) | Content::Xml(ty, _) => optional(owned(resolved()), ty),
            Content::OptionalJson(ty) => Rust::with("Option", optional(owned(resolved()), ty)),
            Content::Text => Rust::name("String"),
            Content::Stream => Rust::name("ByteStream"),
            Content::Events => Rust::name("EventStream"),
            Content::ByStatus(id) => Rust::name(&format!("T{}", id.0)),
        }
    }

    /// The text of a type; generated types are reached through `prefix`.
    pub(crate) fn text(&self, rust: &Rust, prefix: &str) -> String {
        match rust {
            Rust::Reference(inner) => match inner.as_ref() {
                Rust::Name(name, arguments) if name == "Vec" => {
                    let element = arguments.first().map_or_else(String::new, |element| self.text(element, prefix));
                    format!("&[{element}]")
                }
                inner => format!("&{}", self.text(inner, prefix)),
            },
            Rust::Name(name, arguments) if arguments.is_empty() => match name
                .strip_prefix('T')
                .and_then(|index| index.parse::<usize>().ok())
            {
                Some(index) => {
                    self.model.types.get(index).map_or_else(|| name.clone(), |found| format!("{prefix}{}", found.name))
                }
                None => name.clone(),
            },
            Rust::Name(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.text(argument, prefix)).collect();
                format!("{name}<{}>", arguments.join(", "))
            }
        }
    }

    /// The type of a documented status, for documentation.
    pub(crate) fn described(&self, ty: &Type) -> String {
        match ty {
            Type::String(_) => "String".to_owned(),
            Type::List(inner) => format!("Vec<{}>", self.described(inner)),
            Type::Map(inner) => format!("BTreeMap<String, {}>", self.described(inner)),
            Type::Optional(inner) => format!("Option<{}>", self.described(inner)),
            ty => written(ty, &|id| format!("types::{}", self.model.definition(id).name)),
        }
    }
}

/// The Rust type of a type of the model, with `named` for the definitions in it.
pub(crate) fn written(ty: &Type, named: &impl Fn(TypeId) -> String) -> String {
    match ty {
        Type::Any => "Value".to_owned(),
        Type::Boolean => "bool".to_owned(),
        Type::Integer(name) => (*name).to_owned(),
        Type::Float => "f32".to_owned(),
        Type::Double => "f64".to_owned(),
        Type::Decimal => "Decimal".to_owned(),
        Type::String(format) => match format {
            Format::Text | Format::Binary => "String",
            Format::Uuid => "Uuid",
            Format::DateTime => "DateTime",
            Format::Date => "Date",
            Format::Time => "Time",
            Format::TimeSpan => "TimeSpan",
            Format::Byte => "Base64",
        }
        .to_owned(),
        Type::Custom(Custom::TextInteger(name)) => format!("AsText<{name}>"),
        Type::Custom(Custom::Path(path)) => path.as_str().to_owned(),
        Type::Custom(Custom::File) => "File".to_owned(),
        Type::Object => "Object".to_owned(),
        Type::List(inner) => format!("Vec<{}>", written(inner, named)),
        Type::Map(inner) => format!("BTreeMap<String, {}>", written(inner, named)),
        Type::Optional(inner) => format!("Option<{}>", written(inner, named)),
        Type::Named(id) => named(*id),
    }
}

/// How an argument of that type is passed: small values as they are, the rest by reference.
pub(crate) fn borrowed(rust: Rust) -> Rust {
    match rust {
        Rust::Name(name, arguments) if name == "Option" => {
            let inner = arguments.into_iter().next().unwrap_or_else(Rust::unit);
            Rust::with("Option", borrowed(inner))
        }
        Rust::Name(name, _) if is_small(&name) => Rust::name(&name),
        Rust::Name(name, _) if name == "String" => Rust::Reference(Box::new(Rust::name("str"))),
        other => Rust::Reference(Box::new(other)),
    }
}

fn is_small(name: &str) -> bool {
    matches!(name, "bool" | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "f32" | "f64")
}

/// What progenitor resolved, as a struct holds it.
fn owned(rust: Option<&Rust>) -> Rust {
    rust.cloned().map_or_else(|| Rust::name("Value"), Rust::owned)
}

/// Puts an option where the model says that an element may be null.
fn optional(rust: Rust, ty: &Type) -> Rust {
    match (rust, ty) {
        (rust, Type::Optional(inner)) => Rust::with("Option", optional(rust, inner)),
        (Rust::Name(name, mut arguments), Type::List(inner) | Type::Map(inner)) => {
            if let Some(last) = arguments.pop() {
                arguments.push(optional(last, inner));
            }
            Rust::Name(name, arguments)
        }
        (rust, _) => rust,
    }
}
