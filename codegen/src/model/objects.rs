//! Objects with declared members.

use serde_json::Value;

use super::admits::is_never;
use super::flatten::Flat;
use super::keys::key;
use super::limits::limits;
use super::schemas::{Typed, Types, or_null};
use super::tree::Node;
use super::types::{Deprecation, Field, Format, Kind, Type};
use crate::ledger::Loss;
use crate::naming::Scope;
use crate::naming::ident::{camel, member_name};
use crate::text::Ident;
use crate::text::docs::Docs;

impl<'a> Types<'a> {
    /// An object, everything that it is composed of merged.
    pub(super) fn structure(&mut self, node: &Node<'a>, name: &str) -> Kind {
        let flat = self.flatten(node);
        let owner = self.claims.member_owner(name, key(node));
        let mut scope = Scope::default();
        let mut fields = Vec::new();
        let undeclared: Vec<&str> =
            flat.required.iter().copied().filter(|name| !declares(&flat.properties, name)).collect();
        let wires = flat.properties.keys().copied().chain(undeclared.iter().copied());
        let members: Vec<(&str, String)> = wires.map(|wire| (wire, member_name(wire))).collect();
        let names = self.claims.members(&mut scope, &owner, &members);
        let mut names = names.into_iter();
        for ((wire, property), member) in flat.properties.iter().zip(&mut names) {
            let typed = self.member(node, &flat, property, name, wire);
            let resolved = property.resolve();
            let hint = |flag: &str| property.flag(flag) || resolved.as_ref().is_some_and(|node| node.flag(flag));
            let field = Field {
                wire: (*wire).to_owned(),
                name: member,
                required: self.is_required(node, &flat, wire),
                nullable: typed.nullable,
                ty: text_not_bytes(typed.ty),
                read_only: hint("readOnly"),
                write_only: hint("writeOnly"),
                tag: false,
                deprecated: property.flag("deprecated").into(),
                pointer: property.source(),
                docs: property.prose(),
                limits: limits(property),
            };
            fields.push(field);
        }
        for (wire, member) in undeclared.into_iter().zip(names) {
            let what = format!("`{}` is required but not declared: an optional member", wire.escape_debug());
            node.note(self.ledger, "model/required", what, Loss::Documentation("that it is required".to_owned()));
            fields.push(self.undeclared(node, &flat, wire, member, name));
        }
        let extra = flat.additional.map(|additional| match additional.value {
            Value::Bool(_) => Type::Any,
            _ => or_null(self.schema_type(&additional, &format!("{name}Extra"))),
        });
        Kind::Struct(fields, extra)
    }

    /// A required member that no `properties` declare: its type comes from `additionalProperties`, otherwise it is any
    /// value. It may be missing, as a name that is mistyped in the contract is.
    fn undeclared(&mut self, node: &Node<'a>, flat: &Flat<'a>, wire: &str, member: Ident, name: &str) -> Field {
        let schema = flat.additional.as_ref().filter(|schema| schema.value.is_object());
        let typed =
            schema.map_or(Typed::plain(Type::Any), |schema| self.schema_type(&schema.clone(), &format!("{name}Extra")));
        Field {
            wire: wire.to_owned(),
            name: member,
            required: false,
            nullable: typed.nullable,
            ty: text_not_bytes(typed.ty),
            read_only: false,
            write_only: false,
            tag: false,
            deprecated: Deprecation::No,
            pointer: node.source(),
            docs: "Required by the contract, which does not declare it.".to_owned(),
            limits: Docs::default(),
        }
    }

    /// The type of a member, from all places that declare it.
    pub(super) fn member(
        &mut self,
        node: &Node<'a>,
        flat: &Flat<'a>,
        property: &Node<'a>,
        name: &str,
        wire: &str,
    ) -> Typed {
        let hint = self.member_hint(node, property, name, wire);
        match flat.repeated.get(wire) {
            Some(declarations) if declarations.together.is_empty() => self.declared_apart(&declarations.apart, &hint),
            // The conjunction of all parts holds in every alternative.
            Some(declarations) => self.declared_together(&declarations.together, &hint),
            None if flat.required.contains(wire) && property.resolve().is_some_and(|schema| is_never(&schema)) => {
                self.degrade(property, "the member is required, and no value may stand there".to_owned())
            }
            None => self.schema_type(property, &hint),
        }
    }

    /// A name for the type of a member. One that comes from another named schema is named after that, whoever asks first.
    fn member_hint(&self, node: &Node<'a>, property: &Node<'a>, name: &str, wire: &str) -> String {
        let own = property.pointer.strip_prefix(&node.pointer).is_some_and(|rest| rest.starts_with('/'));
        let owner = if own { None } else { self.claims.owner(property) };
        [owner.unwrap_or(name), &camel(wire)].concat()
    }

    /// ASP.NET lists `Id` as required where the property is `id`. A name that a property has, but for the case of its first
    /// letter, stands for no other property.
    fn is_required(&mut self, node: &Node<'a>, flat: &Flat<'a>, wire: &str) -> bool {
        if flat.required.contains(wire) {
            return true;
        }
        let is_taken = |name: &str| {
            let likely = |first: fn(&mut str)| {
                let mut likely = name.to_owned();
                likely.get_mut(..1).into_iter().for_each(first);
                likely != wire && flat.properties.contains_key(likely.as_str())
            };
            flat.properties.contains_key(name) || likely(str::make_ascii_lowercase) || likely(str::make_ascii_uppercase)
        };
        let other = flat.required.iter().find(|name| name.eq_ignore_ascii_case(wire) && !is_taken(name));
        if let Some(other) = other {
            node.note(self.ledger, "model/required", format!("`{other}` is read as `{wire}`"), Loss::Nothing);
        }
        other.is_some()
    }
}

/// JSON has no raw bytes: a binary format is text.
pub(super) fn text_not_bytes(ty: Type) -> Type {
    match ty {
        Type::String(Format::Binary) => Type::String(Format::Text),
        Type::List(inner) => Type::List(Box::new(text_not_bytes(*inner))),
        Type::Map(inner) => Type::Map(Box::new(text_not_bytes(*inner))),
        Type::Optional(inner) => Type::Optional(Box::new(text_not_bytes(*inner))),
        ty => ty,
    }
}

fn declares(properties: &std::collections::BTreeMap<&str, Node<'_>>, name: &str) -> bool {
    properties.keys().any(|wire| wire.eq_ignore_ascii_case(name))
}
