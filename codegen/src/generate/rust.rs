//! Rust types as small values: what a type is called, and what it is applied to.

use syn::{GenericArgument, PathArguments, Type};

/// A Rust type, without the paths that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rust {
    /// `Vec<T>`, `String`, `()`.
    Name(String, Vec<Rust>),
    /// `&T`.
    Reference(Box<Rust>),
}

impl Rust {
    pub(crate) fn of(ty: &Type) -> Self {
        match ty {
            Type::Reference(reference) => Self::Reference(Box::new(Self::of(&reference.elem))),
            Type::Path(path) => {
                let Some(last) = path.path.segments.last() else { return Self::unit() };
                let arguments = match &last.arguments {
                    PathArguments::AngleBracketed(arguments) => arguments
                        .args
                        .iter()
                        .filter_map(|argument| match argument {
                            GenericArgument::Type(ty) => Some(Self::of(ty)),
                            _ => None,
                        })
                        .collect(),
                    _ => Vec::new(),
                };
                Self::Name(last.ident.to_string(), arguments)
            }
            _ => Self::unit(),
        }
    }

    /// A type without arguments.
    pub(crate) fn name(name: &str) -> Self {
        Self::Name(name.to_owned(), Vec::new())
    }

    /// A type with one argument.
    pub(crate) fn with(name: &str, argument: Rust) -> Self {
        Self::Name(name.to_owned(), vec![argument])
    }

    pub(crate) fn unit() -> Self {
        Self::name("()")
    }

    /// The type as it stands in a struct: `&str` becomes `String`, any other reference what it refers to.
    pub(crate) fn owned(self) -> Rust {
        match self {
            Self::Reference(inner) if *inner == Self::name("str") => Self::name("String"),
            Self::Reference(inner) => inner.owned(),
            Self::Name(name, arguments) => Self::Name(name, arguments.into_iter().map(Self::owned).collect()),
        }
    }
}
