//! Rust types as small values: a path and its arguments.

use crate::model::{Custom, Format, Type, TypeId};

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

    /// The form of a type of a contract or of a GraphQL schema.
    pub(crate) fn from_type(ty: &Type) -> Self {
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
            Type::List(inner) => Self::with("Vec", Self::from_type(inner)),
            Type::Map(inner) => Self::Name("BTreeMap", vec![Self::name("String"), Self::from_type(inner)]),
            Type::Optional(inner) => Self::with("Option", Self::from_type(inner)),
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

#[cfg(test)]
mod tests {
    use super::Rust;
    use crate::model::{Format, Type, TypeId};

    #[test]
    fn each_type_has_a_form_of_the_client() {
        let list = |inner: Type| Type::List(Box::new(inner));
        let map = |inner: Type| Type::Map(Box::new(inner));
        let optional = |inner: Type| Type::Optional(Box::new(inner));
        let by_name = |inner: Rust| Rust::Name("BTreeMap", vec![Rust::name("String"), inner]);
        let (named, rust) = (Type::Named(TypeId(7)), Rust::Named(TypeId(7)));
        let forms = [
            (Type::Any, Rust::name("Value")),
            (Type::Boolean, Rust::name("bool")),
            (Type::Integer("u8"), Rust::name("u8")),
            (Type::Integer("i64"), Rust::name("i64")),
            (Type::Float, Rust::name("f32")),
            (Type::Double, Rust::name("f64")),
            (Type::Decimal, Rust::name("Decimal")),
            (Type::Object, Rust::name("Object")),
            (Type::String(Format::Text), Rust::name("String")),
            (Type::String(Format::Binary), Rust::name("String")),
            (Type::String(Format::Uuid), Rust::name("Uuid")),
            (Type::String(Format::DateTime), Rust::name("DateTime")),
            (Type::String(Format::Date), Rust::name("Date")),
            (Type::String(Format::Time), Rust::name("Time")),
            (Type::String(Format::TimeSpan), Rust::name("TimeSpan")),
            (Type::String(Format::Byte), Rust::name("Base64")),
            (named.clone(), rust.clone()),
            (list(list(named.clone())), Rust::with("Vec", Rust::with("Vec", rust.clone()))),
            (list(optional(named.clone())), Rust::with("Vec", Rust::with("Option", rust.clone()))),
            (map(named), by_name(rust)),
            (map(list(Type::Any)), by_name(Rust::with("Vec", Rust::name("Value")))),
        ];
        for (ty, form) in forms {
            assert_eq!(Rust::from_type(&ty), form, "{ty:?}");
        }
    }
}
