//! Types of the schema that documents share: scalars, enumerations and input objects.

use std::collections::{BTreeMap, BTreeSet};

use apollo_compiler::Schema;
use apollo_compiler::ast::{Directive, Type};
use apollo_compiler::schema::{EnumType, ExtendedType, InputObjectType, InputValueDefinition};
use apollo_compiler::validation::Valid;

use super::model::{Item, Member, Need, Shape, Value};
use crate::Scalar;
use crate::naming::Scope;
use crate::naming::ident::{member_name, type_name, variant_name};
use crate::text::code::code;
use crate::text::{Code, Ident};

/// What stands in a place of Rust code for the types of a document.
const ELSEWHERE: &str = "super::types::";

/// The shared types, and which of them are used.
pub(super) struct Inputs<'a> {
    pub(super) schema: &'a Valid<Schema>,
    scalars: &'a BTreeMap<String, Scalar>,
    /// Names of enumerations and input objects, used or not, so that a new document renames nothing.
    names: BTreeMap<&'a str, Ident>,
    used: BTreeSet<&'a str>,
}

impl<'a> Inputs<'a> {
    pub(super) fn new(schema: &'a Valid<Schema>, scalars: &'a BTreeMap<String, Scalar>) -> Self {
        let mut wanted: Vec<&str> = schema
            .types
            .iter()
            .filter(|(_, ty)| matches!(ty, ExtendedType::Enum(_) | ExtendedType::InputObject(_)))
            .map(|(name, _)| name.as_str())
            .collect();
        wanted.sort_unstable();
        let mut scope = Scope::default();
        let names = wanted.into_iter().map(|name| (name, scope.claim([type_name(name).as_str()]))).collect();
        Self { schema, scalars, names, used: BTreeSet::new() }
    }

    /// The Rust type of a scalar, enumeration or input object, as the module of a document writes it.
    pub(super) fn leaf(&mut self, name: &str) -> Code {
        self.named(name, ELSEWHERE)
    }

    fn named(&mut self, name: &str, prefix: &'static str) -> Code {
        if let Some((wire, rust)) = self.names.get_key_value(name) {
            let (wire, text) = (*wire, code![prefix, rust]);
            if self.used.insert(wire)
                && let Some(ExtendedType::InputObject(input)) = self.schema.types.get(wire)
            {
                for field in input.fields.values() {
                    self.named(field.ty.inner_named_type(), prefix);
                }
            }
            return text;
        }
        let scalar = self.scalars.get(name).copied().unwrap_or(match name {
            "Int" => Scalar::I32,
            "Float" => Scalar::F64,
            "Boolean" => Scalar::Bool,
            "String" | "ID" => Scalar::String,
            _ => Scalar::Value,
        });
        code![scalar.rust()]
    }

    /// A variable, or a member of an input object.
    pub(super) fn member(&mut self, name: &str, ty: &Type, has_default: bool) -> Member {
        let inner = self.leaf(ty.inner_named_type());
        input(name, ty, has_default, inner)
    }

    /// The types that are used, by name.
    pub(super) fn finish(mut self) -> Vec<Item> {
        let mut items = Vec::new();
        for wire in self.used.clone() {
            let Some(name) = self.names.get(wire).cloned() else { continue };
            items.extend(match self.schema.types.get(wire) {
                Some(ExtendedType::Enum(values)) => Some(enumeration(name, values)),
                Some(ExtendedType::InputObject(input)) => Some(self.object(name, input)),
                _ => None,
            });
        }
        items
    }

    fn object(&mut self, name: Ident, input: &InputObjectType) -> Item {
        let mut scope = Scope::default();
        let mut members = Vec::new();
        for field in input.fields.values() {
            let inner = field.ty.inner_named_type();
            let mut rust = self.named(inner, "");
            if !field.ty.is_list() && reaches(self.schema, inner, &input.name) {
                rust = code!["Box<", rust, ">"];
            }
            let mut member = self::input(&field.name, &field.ty, field.default_value.is_some(), rust);
            member.name = scope.claim([&*member.name]);
            member.docs = docs(field);
            member.deprecated = deprecated(&field.directives.0);
            members.push(member);
        }
        let mut docs = input.description.as_ref().map(|text| text.to_string()).unwrap_or_default();
        if input.directives.has("oneOf") {
            docs = format!("{docs}\n\nExactly one of its members has a value.");
        }
        Item { name, docs, shape: Shape::Input(members) }
    }
}

fn input(name: &str, ty: &Type, has_default: bool, inner: Code) -> Member {
    let (ty, need) = match (bare(ty, inner), ty.is_non_null(), has_default) {
        (ty, true, false) => (ty, Need::Required),
        // It may be left out, and it may not be null.
        (ty, true, true) => (ty, Need::Optional),
        (ty, false, _) => (ty, Need::Maybe),
    };
    let wire = name.to_owned();
    let name = Ident::derived(&member_name(name), member_name);
    Member { wire, name, ty, need, docs: String::new(), deprecated: false }
}

fn enumeration(name: Ident, values: &EnumType) -> Item {
    let mut scope = Scope::with(["Unknown"]);
    let values_of = |(wire, value): (_, &apollo_compiler::schema::Component<_>)| {
        let value: &apollo_compiler::schema::EnumValueDefinition = value;
        let wire: &apollo_compiler::Name = wire;
        Value {
            wire: wire.to_string(),
            variant: scope.claim([variant_name(wire).as_str()]),
            docs: value.description.as_ref().map(|text| text.to_string()).unwrap_or_default(),
        }
    };
    let shape = Shape::Enum(values.values.iter().map(values_of).collect());
    Item { name, docs: values.description.as_ref().map(|text| text.to_string()).unwrap_or_default(), shape }
}

fn docs(field: &InputValueDefinition) -> String {
    field.description.as_ref().map(|text| text.to_string()).unwrap_or_default()
}

/// Whether a directive says that its owner is on the way out.
pub(super) fn deprecated(directives: &[impl AsRef<Directive>]) -> bool {
    directives.iter().any(|directive| directive.as_ref().name == "deprecated")
}

/// Whether an input object holds another, however deep, without a list between them.
fn reaches(schema: &Schema, from: &str, to: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![from.to_owned()];
    while let Some(name) = waiting.pop() {
        if name == to {
            return true;
        }
        if let Some(ExtendedType::InputObject(input)) = schema.types.get(name.as_str())
            && seen.insert(name)
        {
            let direct = input.fields.values().filter(|field| !field.ty.is_list());
            waiting.extend(direct.map(|field| field.ty.inner_named_type().to_string()));
        }
    }
    false
}

/// The Rust type of a reference, whose innermost type is `inner`.
fn wrapped(ty: &Type, inner: Code) -> Code {
    if ty.is_non_null() { bare(ty, inner) } else { code!["Option<", bare(ty, inner), ">"] }
}

/// As [`wrapped`], without the option around it.
pub(super) fn bare(ty: &Type, inner: Code) -> Code {
    match ty {
        Type::NonNullNamed(_) | Type::Named(_) => inner,
        Type::NonNullList(element) | Type::List(element) => code!["Vec<", wrapped(element, inner), ">"],
    }
}
