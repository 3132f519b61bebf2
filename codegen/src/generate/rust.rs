//! Rust types as small values: a path and its arguments.

use quote::ToTokens as _;
use syn::{GenericArgument, PathArguments};

use crate::model::{Custom, Format, Type, TypeId};

/// Types that generated code names without a path. No others come out of progenitor.
const KNOWN: &[&str] = &[
    "BTreeMap", "Base64", "Date", "DateTime", "Decimal", "Object", "String", "Time", "TimeSpan", "Uuid", "Value",
    "Vec", "bool", "f32", "f64", "i16", "i32", "i64", "i8", "u16", "u32", "u64", "u8",
];

/// A Rust type, without the paths that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rust {
    /// A type of the language or of the runtime: `Vec<…>`, `String`, `()`.
    Name(&'static str, Vec<Rust>),
    /// A type of the contract.
    Named(TypeId),
    /// The type of a GraphQL scalar.
    Custom(Custom),
    /// `&…`.
    Reference(Box<Rust>),
}

impl Rust {
    /// Reads a type. `placeholder` is the name that represents all named types in it.
    pub(super) fn read(ty: &syn::Type, placeholder: &str) -> Result<Self, String> {
        let unknown = || format!("progenitor wrote a type that the client does not know: {}", ty.to_token_stream());
        let syn::Type::Path(path) = ty else { return Err(unknown()) };
        let last = path.path.segments.last().ok_or_else(unknown)?;
        if last.ident == placeholder {
            return Ok(Self::Named(TypeId(0)));
        }
        let name = KNOWN.iter().find(|known| last.ident == **known).ok_or_else(unknown)?;
        let arguments = match &last.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
            _ => Vec::new(),
        };
        let arguments = arguments.into_iter().map(|argument| match argument {
            GenericArgument::Type(ty) => Self::read(ty, placeholder),
            _ => Err(unknown()),
        });
        Ok(Self::Name(name, arguments.collect::<Result<_, _>>()?))
    }

    /// A type without arguments.
    pub(crate) fn name(name: &'static str) -> Self {
        Self::Name(name, Vec::new())
    }

    /// A type with one argument.
    pub(crate) fn with(name: &'static str, argument: Rust) -> Self {
        Self::Name(name, vec![argument])
    }

    pub(crate) fn unit() -> Self {
        Self::name("()")
    }

    /// Fills the type of a shape in: its names, and options for elements that may be null.
    pub(super) fn filled(self, ty: &Type) -> Self {
        match (self, ty) {
            (rust, Type::Optional(inner)) => Self::with("Option", rust.filled(inner)),
            (_, Type::Named(id)) => Self::Named(*id),
            (Self::Name(name, mut arguments), Type::List(inner) | Type::Map(inner)) => {
                if let Some(last) = arguments.pop() {
                    arguments.push(last.filled(inner));
                }
                Self::Name(name, arguments)
            }
            (rust, _) => rust,
        }
    }

    /// The type of a type of a GraphQL schema, which needs nobody to resolve it.
    pub(crate) fn plain(ty: &Type) -> Self {
        match ty {
            Type::Any => Self::name("Value"),
            Type::Boolean => Self::name("bool"),
            Type::Integer(name) => Self::name(name),
            Type::Float => Self::name("f32"),
            Type::Double => Self::name("f64"),
            Type::Decimal => Self::name("Decimal"),
            Type::String(format) => Self::name(match format {
                Format::Text | Format::Binary => "String",
                Format::Uuid => "Uuid",
                Format::DateTime => "DateTime",
                Format::Date => "Date",
                Format::Time => "Time",
                Format::TimeSpan => "TimeSpan",
                Format::Byte => "Base64",
            }),
            Type::Custom(custom) => Self::Custom(custom.clone()),
            Type::Object => Self::name("Object"),
            Type::List(inner) => Self::with("Vec", Self::plain(inner)),
            Type::Map(inner) => Self::Name("BTreeMap", vec![Self::name("String"), Self::plain(inner)]),
            Type::Optional(inner) => Self::with("Option", Self::plain(inner)),
            Type::Named(id) => Self::Named(*id),
        }
    }

    /// The type behind a box, inside of any option.
    pub(crate) fn boxed(self) -> Self {
        match self {
            Self::Name("Option", arguments) => Self::Name("Option", arguments.into_iter().map(Self::boxed).collect()),
            other => Self::with("Box", other),
        }
    }
}
