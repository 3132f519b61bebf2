//! The call of a first program, with sample values for all arguments.
//!
//! Unlike the example of an operation, it is complete: a program that people start has nobody who gives it a value.

use std::collections::BTreeSet;

use super::arguments::{Arguments, PREFIX, arrange};
use super::render::Render;
use super::{samples, xml};
use crate::FirstCall;
use crate::generate::Rust;
use crate::model::{
    Content, Deprecation, EnumKind, Format, KeyPlace, Kind, Location, Operation, Parameter, PartKind, Presence,
    Provenance, Scheme, Security, Type, TypeId, VariantContent,
};
use crate::naming::setter::marker_name;
use crate::text::code::code;
use crate::text::{Code, Ident, literal};

/// The depth of types in a value. A type that needs itself has no value.
const DEPTH: usize = 8;

/// The most values that are tried for one call: types that need several values of each other have any number of them.
const MOST: usize = 500;

/// The call of the operation that is easiest to try: it is sent to the client's base URL, only reads, and needs the fewest values.
pub(super) fn first_call(render: &Render<'_>) -> Option<FirstCall> {
    let ready = render.model.operations.iter().filter(|operation| is_ready(render, operation)).map(|operation| {
        let arguments = arrange(render, operation);
        let (has_servers, count) = (!operation.servers.is_empty(), arguments.list.len());
        ((has_servers, effect(&operation.method), operation.deprecated, count), operation, arguments)
    });
    let mut ready: Vec<_> = ready.collect();
    ready.sort_by_key(|(rank, ..)| *rank);
    // Values are made up for the first ones alone, of which one nearly always has them.
    ready.chunk_by(|(one, ..), (other, ..)| one == other).find_map(|equals| {
        let calls = equals.iter().filter_map(|(_, operation, arguments)| {
            let values = Values { render, uses: BTreeSet::new(), count: 0, left: MOST };
            let (call, count) = values.call(operation, arguments)?;
            let answers_nothing = operation.success == Content::Empty;
            let length = operation.family.len() + operation.name.len();
            let name = (&operation.family, &operation.name);
            Some(((count, answers_nothing, !call.features.is_empty(), length, name), call))
        });
        calls.min_by(|(one, _), (other, _)| one.cmp(other)).map(|(_, call)| call)
    })
}

/// Returns whether a program needs no more than a base URL and a credential for it: the version of the interface has a default, and the
/// client has the operation without another server.
fn is_ready(render: &Render<'_>, operation: &Operation) -> bool {
    let family = render.model.families.iter().find(|family| family.name == operation.family);
    let has_version = operation.api_version.as_ref().is_none_or(|version| version.default.is_some());
    family.is_some_and(|family| family.server.is_none()) && has_version && operation.provenance != Provenance::Assumed
}

/// The text arguments that have the place and the name of an API key, each with the name of its scheme.
fn keys(operation: &Operation) -> Vec<(String, String)> {
    let Security::Any(alternatives) = &operation.security else { return Vec::new() };
    let scheme = |parameter: &Parameter| {
        alternatives.iter().flatten().find_map(|scheme| match scheme {
            Scheme::Key(KeyPlace::Query, scheme, wire) if parameter.location == Location::Query => {
                (*wire == parameter.wire).then(|| scheme.clone())
            }
            Scheme::Key(KeyPlace::Header, scheme, wire) if parameter.location == Location::Header => {
                wire.eq_ignore_ascii_case(&parameter.wire).then(|| scheme.clone())
            }
            _ => None,
        })
    };
    let texts = operation
        .parameters
        .iter()
        .filter(|parameter| parameter.is_argument() && matches!(parameter.ty, Type::String(Format::Text)));
    texts.filter_map(|parameter| Some((parameter.name.to_string(), scheme(parameter)?))).collect()
}

/// Safe methods (RFC 9110, 9.2.1).
const SAFE: [&str; 4] = ["GET", "HEAD", "OPTIONS", "TRACE"];

/// Methods by the effect that a call of them may have.
fn effect(method: &str) -> usize {
    let by_effect = SAFE.iter().chain(&["POST", "PATCH", "PUT", "DELETE"]);
    by_effect.into_iter().position(|other| *other == method).unwrap_or(SAFE.len() + 4)
}

/// Values for one call.
struct Values<'r, 'm> {
    render: &'r Render<'m>,
    /// Items of the client's crate that the values name.
    uses: BTreeSet<&'static str>,
    /// The number of values that were made up.
    count: usize,
    /// The number of values that may still be tried.
    left: usize,
}

impl Values<'_, '_> {
    /// The call, and the number of values that were made up for it. `None`: an argument has no value.
    fn call(mut self, operation: &Operation, arguments: &Arguments<'_>) -> Option<(FirstCall, usize)> {
        let mut body = None;
        let mut list = Vec::new();
        for (name, rust) in &arguments.list {
            let is_body = operation.body.is_some() && **name == *"body";
            let value = match rust {
                Rust::Reference(inner) if is_body && matches!(**inner, Rust::Named(_)) => {
                    body = Some(self.value(name, inner, DEPTH)?.to_string());
                    code!["&body"]
                }
                rust => self.value(name, rust, DEPTH)?,
            };
            list.push((name.to_string(), value.to_string()));
        }
        let needs_xml = xml::is_spoken(self.render.model, operation);
        let call = FirstCall {
            family: operation.family.to_string(),
            operation: operation.name.to_string(),
            marker: Ident::derived(&marker_name(&operation.name), |_| operation.name.to_string()).to_string(),
            path: operation.path.clone(),
            body,
            arguments: list,
            keys: keys(operation),
            fields_of: arguments.fields_of.as_ref().map(|name| name.to_string()),
            uses: self.uses.into_iter().collect(),
            features: needs_xml.then_some("xml").into_iter().collect(),
            deprecated: operation.deprecated,
            changes: !SAFE.contains(&operation.method.as_str()),
        };
        Some((call, self.count))
    }

    /// A value of exactly that type; `None` if it has none that can be written.
    fn value(&mut self, name: &Ident, rust: &Rust, depth: usize) -> Option<Code> {
        self.left = self.left.checked_sub(1)?;
        let first = |inner: &[Rust]| inner.first().cloned();
        let simple = match rust {
            Rust::Named(id) => return self.named(name, *id, depth.checked_sub(1)?),
            Rust::Custom(_) => return None,
            Rust::Reference(to) => {
                return Some(match to.as_ref() {
                    Rust::Name("str", _) => self.text(name),
                    Rust::Name("Vec", inner) => code!["&[", self.value(name, &first(inner)?, depth)?, "]"],
                    to => code!["&", self.value(name, to, depth)?],
                });
            }
            Rust::Name("Vec", inner) => return Some(code!["vec![", self.value(name, &first(inner)?, depth)?, "]"]),
            Rust::Name("Option", inner) => return Some(code!["Some(", self.value(name, &first(inner)?, depth)?, ")"]),
            Rust::Name("Box", inner) => return Some(code!["Box::new(", self.value(name, &first(inner)?, depth)?, ")"]),
            Rust::Name("BTreeMap" | "Object", _) => return Some(code!["Default::default()"]),
            Rust::Name("String", _) => return Some(code![self.text(name), ".to_owned()"]),
            Rust::Name("bool", _) => code!["true"],
            Rust::Name("i8" | "u8", _) => code!["1"],
            Rust::Name("i16" | "i32" | "i64" | "u16" | "u32" | "u64", _) => code![samples::integer(name)],
            Rust::Name("f32" | "f64", _) => code![samples::fraction(name)],
            Rust::Name("Uuid", _) => code!["\"67e55044-10b1-426f-9247-bb680e5fe0c8\".parse()?"],
            Rust::Name("DateTime", _) => code!["\"2026-01-31T12:00:00Z\".parse()?"],
            Rust::Name("Date", _) => code!["\"2026-01-31\".parse()?"],
            Rust::Name("Time", _) => code!["\"12:00:00\".parse()?"],
            Rust::Name("TimeSpan", _) => code!["\"01:00:00\".parse()?"],
            Rust::Name("Decimal", _) => code!["\"", samples::fraction(name), "\".parse()?"],
            Rust::Name("Base64", _) => code!["b\"example\".into()"],
            Rust::Name("Value", _) => {
                self.uses.insert("Value");
                code!["Value::from(", literal(samples::text(name)), ")"]
            }
            Rust::Name("Upload", _) => {
                self.uses.insert("Upload");
                code!["Upload::bytes(\"example\")"]
            }
            Rust::Name(..) => return None,
        };
        self.count += 1;
        Some(simple)
    }

    fn text(&mut self, name: &Ident) -> Code {
        self.count += 1;
        code![literal(samples::text(name))]
    }

    fn named(&mut self, name: &Ident, id: TypeId, depth: usize) -> Option<Code> {
        let definition = self.render.model.definition(id);
        let path = code![PREFIX, &definition.name];
        let member = |position: usize, ty: &Type| self.render.boxed.member(id, position, ty);
        let code = match &definition.kind {
            Kind::Alias(ty) => return self.value(name, &member(0, ty), depth),
            Kind::Enum(EnumKind::String | EnumKind::Integer(_), variants) => {
                let mut listed = variants.iter().map(|(_, variant)| variant);
                let variant = listed.find(|variant| variant.deprecated == Deprecation::No)?;
                self.count += 1;
                code![path, "::", &variant.name]
            }
            Kind::Struct(fields, _) if definition.reach.request => {
                let members = fields.iter().enumerate().map(|(position, field)| {
                    let is_required = field.presence(definition.uses) == Presence::Required;
                    (&field.name, is_required.then(|| member(position, &field.ty)))
                });
                self.made(path, &members.collect::<Vec<_>>(), depth)?
            }
            Kind::Multipart(parts) => {
                let members = parts.iter().enumerate().map(|(position, part)| {
                    let rust = match &part.kind {
                        PartKind::File => Rust::name("Upload"),
                        PartKind::Files => Rust::with("Vec", Rust::name("Upload")),
                        PartKind::Text(ty) | PartKind::Json(ty) | PartKind::Styled(ty, ..) => member(position, ty),
                        PartKind::Texts(ty) | PartKind::Jsons(ty) => Rust::with("Vec", member(position, ty)),
                    };
                    (&part.name, part.required.then_some(rust))
                });
                self.made(path, &members.collect::<Vec<_>>(), depth)?
            }
            Kind::Union(_, variants) => {
                let mut values = variants.iter().enumerate().filter_map(|(position, variant)| {
                    let VariantContent::Type(ty, _) = &variant.content else { return None };
                    if variant.deprecated != Deprecation::No {
                        return None;
                    }
                    // The same box as that of the variant.
                    let is_boxed = matches!(ty, Type::Named(id)
                        if !matches!(self.render.model.definition(*id).kind, Kind::Enum(..) | Kind::Id(_)));
                    let rust = self.render.boxed.member(id, position, ty);
                    let rust = if is_boxed { Rust::with("Box", rust) } else { rust };
                    let before = (self.uses.clone(), self.count);
                    let value = self.value(name, &rust, depth);
                    if value.is_none() {
                        (self.uses, self.count) = before;
                    }
                    Some(code![&path, "::", &variant.name, "(", value?, ")"])
                });
                values.next()?
            }
            Kind::Id(identifier) => {
                let scalar = self.value(name, &Rust::from_type(&identifier.scalar), depth)?;
                code![path, "::from(", scalar, ")"]
            }
            Kind::Struct(..) | Kind::ByStatus(_) => return None,
        };
        self.uses.insert("types");
        Some(code)
    }

    /// A value made of its required members, each with its type; the others have none.
    fn made(&mut self, path: Code, members: &[(&Ident, Option<Rust>)], depth: usize) -> Option<Code> {
        let required = members.iter().filter_map(|(name, rust)| Some((*name, rust.as_ref()?)));
        let required = required.map(|(name, rust)| match rust {
            Rust::Name("String", _) => {
                self.left = self.left.checked_sub(1)?;
                Some(self.text(name))
            }
            rust => self.value(name, rust, depth),
        });
        let required: Vec<Code> = required.collect::<Option<_>>()?;
        Some(match required.is_empty() {
            true => code![path, "::default()"],
            false => code![path, "::new(", Code::join(", ", required), ")"],
        })
    }
}
