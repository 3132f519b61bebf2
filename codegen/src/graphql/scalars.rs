//! The Rust types of a schema's scalars.

use std::collections::BTreeMap;

use apollo_compiler::Schema;
use apollo_compiler::schema::ExtendedType;

use super::problem::{FOLDER, SCHEMA};
use crate::ledger::{Entry, Ledger, Loss};
use crate::model::{Custom, Format, Type};
use crate::output::Unused;
use crate::text::Ident;
use crate::{Problem, Report, Scalar, pointer, rules};

/// Known addresses of `@specifiedBy`, by their beginning, and the type that reads every text of that specification.
const SPECIFIED: [(&str, Scalar); 11] = [
    ("scalars.graphql.org/andimarek/date-time", Scalar::DateTime),
    ("scalars.graphql.org/andimarek/local-date", Scalar::Date),
    ("scalars.graphql.org/andimarek/local-time", Scalar::Time),
    ("scalars.graphql.org/chillicream/date-time", Scalar::DateTime),
    ("scalars.graphql.org/chillicream/local-date", Scalar::Date),
    ("scalars.graphql.org/chillicream/local-time", Scalar::Time),
    ("tools.ietf.org/html/rfc3339", Scalar::DateTime),
    ("datatracker.ietf.org/doc/html/rfc3339", Scalar::DateTime),
    ("tools.ietf.org/html/rfc4122", Scalar::Uuid),
    ("datatracker.ietf.org/doc/html/rfc4122", Scalar::Uuid),
    ("www.rfc-editor.org/rfc/rfc9562", Scalar::Uuid),
];

/// The types of scalars, by name.
#[derive(Debug)]
pub(super) struct Scalars(BTreeMap<String, Type>);

impl Scalars {
    /// Takes the scalars of the configuration, checked against the schema; then those with a known `@specifiedBy`.
    pub(super) fn new(
        schema: &Schema,
        chosen: &BTreeMap<String, Scalar>,
        idle: &mut Vec<Unused>,
        ledger: &mut Ledger,
        report: &mut Report,
    ) -> Self {
        let mut types = BTreeMap::new();
        for (name, scalar) in chosen {
            if let Some(other) = schema.types.get(name.as_str()).filter(|ty| !ty.is_scalar()) {
                let kind = kind(other);
                let message = format!("[scalars] maps `{name}`, which is {kind} of {SCHEMA}");
                report.push(problem(name, message, "remove the line: only a scalar is mapped"));
            } else if !schema.types.contains_key(name.as_str()) {
                idle.push(unused(name, "the schema does not have it"));
            }
            match mapped(scalar) {
                Some(ty) => drop(types.insert(name.clone(), ty)),
                None => {
                    let message =
                        format!("[scalars] maps `{name}` to {scalar:?}, which is not the path of a Rust type");
                    report.push(problem(
                        name,
                        message,
                        "write a path such as `crate::scalars::Money`, or one of the known types",
                    ));
                }
            }
        }
        for (name, ty) in &schema.types {
            let ExtendedType::Scalar(scalar) = ty else { continue };
            if types.contains_key(name.as_str()) || ty.is_built_in() {
                continue;
            }
            let address = scalar
                .directives
                .get("specifiedBy")
                .and_then(|directive| directive.specified_argument_by_name("url"))
                .and_then(|url| url.as_str());
            match address.map(|address| (address, specified(address))) {
                Some((_, Some(scalar))) => types.extend(mapped(&scalar).map(|ty| (name.to_string(), ty))),
                Some((address, None)) => ledger.push(Entry {
                    document: format!("{FOLDER}/schema.graphql"),
                    pointer: name.to_string(),
                    pass: "graphql/scalars",
                    what: format!("any JSON value: it is specified by {address}; [scalars] can name its Rust type"),
                    loss: Loss::Nothing,
                }),
                None if name == "Upload" => drop(types.insert(name.to_string(), Type::Custom(Custom::File))),
                None => {}
            }
        }
        Self(types)
    }

    /// The type of a scalar.
    pub(super) fn rust_type(&self, name: &str) -> Type {
        self.0.get(name).cloned().unwrap_or(match name {
            "Int" => Type::Integer("i32"),
            "Float" => Type::Double,
            "Boolean" => Type::Boolean,
            "String" | "ID" => Type::String(Format::Text),
            _ => Type::Any,
        })
    }
}

fn specified(address: &str) -> Option<Scalar> {
    let place = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?;
    SPECIFIED.iter().find(|(start, _)| place.starts_with(start)).map(|(_, scalar)| scalar.clone())
}

fn mapped(scalar: &Scalar) -> Option<Type> {
    Some(match scalar {
        Scalar::Bool => Type::Boolean,
        Scalar::I32 => Type::Integer("i32"),
        Scalar::I64 => Type::Integer("i64"),
        Scalar::U64 => Type::Integer("u64"),
        Scalar::F64 => Type::Double,
        Scalar::I64AsText => Type::Custom(Custom::TextNumber("i64")),
        Scalar::U64AsText => Type::Custom(Custom::TextNumber("u64")),
        Scalar::DecimalAsText => Type::Custom(Custom::TextNumber("driftless_runtime::Decimal")),
        Scalar::String => Type::String(Format::Text),
        Scalar::Uuid => Type::String(Format::Uuid),
        Scalar::DateTime => Type::String(Format::DateTime),
        Scalar::Date => Type::String(Format::Date),
        Scalar::Time => Type::String(Format::Time),
        Scalar::TimeSpan => Type::String(Format::TimeSpan),
        Scalar::Decimal => Type::Decimal,
        Scalar::Base64 => Type::String(Format::Byte),
        Scalar::Object => Type::Object,
        Scalar::Value => Type::Any,
        Scalar::Upload => Type::Custom(Custom::File),
        Scalar::Path(path) => Type::Custom(chosen_path(path)?),
    })
}

/// The path of a Rust type, from a crate on.
fn chosen_path(text: &str) -> Option<Custom> {
    let rest = text.strip_prefix("crate::");
    let names: Vec<Ident> = rest.unwrap_or(text).split("::").map(Ident::new).collect::<Option<_>>()?;
    // A name alone says no crate.
    (rest.is_some() || names.len() > 1).then_some(Custom::Path(rest.is_some(), names))
}

fn kind(ty: &ExtendedType) -> &'static str {
    match ty {
        ExtendedType::Scalar(_) => "a scalar",
        ExtendedType::Object(_) => "an object type",
        ExtendedType::Interface(_) => "an interface",
        ExtendedType::Union(_) => "a union",
        ExtendedType::Enum(_) => "an enumeration",
        ExtendedType::InputObject(_) => "an input object",
    }
}

/// A line of [scalars] that maps nothing.
pub(super) fn unused(name: &str, reason: &str) -> Unused {
    Unused { pointer: pointer::join("/scalars", name), what: format!("scalar `{name}`: {reason}") }
}

fn problem(name: &str, message: String, hint: &str) -> Problem {
    rules::problem("configuration/scalar", pointer::join("/scalars", name), message, hint)
}
