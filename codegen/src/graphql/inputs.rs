//! Enumerations and input objects of the schema, and the variables of documents.

use apollo_compiler::ast::{Type as SchemaType, Value};
use apollo_compiler::executable::Operation;
use apollo_compiler::schema::{EnumType, ExtendedType, InputObjectType};

use super::lower::{Lower, TypePlace, bare, deprecation, described, field, text, wrapped};
use super::model::TYPES;
use crate::model::{EnumKind, Field, Kind, Tagging, Type, TypeId, Variant, VariantContent};
use crate::naming::Scope;
use crate::naming::ident::{member_name, variant_name};
use crate::text::Ident;
use crate::text::docs::{docs, span};

impl<'a> Lower<'a> {
    /// The type of a scalar, an enumeration or an input object.
    pub(super) fn leaf(&mut self, name: &str) -> Type {
        if let Some(id) = self.of_schema.get(name) {
            return Type::Named(*id);
        }
        let (schema, wish) = (self.schema, self.wishes.get(name).cloned());
        let place = |wish: String| TypePlace { module: Ident::fixed(TYPES), path: name.to_owned(), wish };
        match (schema.types.get(name), wish) {
            (Some(ExtendedType::Enum(values)), Some(wish)) => {
                let id = self.open(&place(wish));
                self.of_schema.insert(name.to_owned(), id);
                self.enumeration(id, values);
                Type::Named(id)
            }
            (Some(ExtendedType::InputObject(input)), Some(wish)) => {
                let id = self.open(&place(wish));
                self.of_schema.insert(name.to_owned(), id);
                self.input(id, input);
                Type::Named(id)
            }
            _ => self.scalars.rust_type(name),
        }
    }

    fn enumeration(&mut self, id: TypeId, values: &EnumType) {
        let wishes: Vec<(&str, String)> =
            values.values.keys().map(|wire| (wire.as_str(), variant_name(wire))).collect();
        let names = self.names.members(Scope::with(["Unknown"]), &format!("{TYPES}/{}", values.name), &wishes);
        let variants = values.values.values().zip(names).map(|(value, name)| {
            let variant = Variant {
                name,
                docs: text(value.description.as_ref()),
                deprecated: deprecation(value.directives.iter().map(|directive| directive.as_ref())),
                content: VariantContent::Value,
            };
            (value.value.to_string(), variant)
        });
        let kind = Kind::Enum(EnumKind::String, variants.collect());
        self.fill(id, described(values.description.as_ref(), &values.name), kind, true);
    }

    fn input(&mut self, id: TypeId, input: &InputObjectType) {
        let one_of = input.directives.has("oneOf");
        let key = format!("{TYPES}/{}", input.name);
        let wish = |wire: &str| if one_of { variant_name(wire) } else { member_name(wire) };
        let wishes: Vec<(&str, String)> = input.fields.keys().map(|wire| (wire.as_str(), wish(wire))).collect();
        let names = self.names.members(Scope::default(), &key, &wishes);
        let mut fields: Vec<Field> = Vec::new();
        for (declared, name) in input.fields.values().zip(names) {
            let inner = declared.ty.inner_named_type();
            let ty = self.leaf(inner);
            let mut member = given(&declared.name, name, &declared.ty, declared.default_value.as_deref(), ty);
            member.docs = text(declared.description.as_ref());
            member.deprecated = deprecation(declared.directives.iter().map(AsRef::as_ref));
            fields.push(member);
        }
        let mut docs = described(input.description.as_ref(), &input.name);
        let kind = if one_of {
            docs.push_str("\n\nIt has exactly one member.");
            let variants = fields.into_iter().map(|member| Variant {
                name: member.name,
                docs: member.docs,
                deprecated: member.deprecated,
                content: VariantContent::Type(member.ty, vec![member.wire]),
            });
            Kind::Union(Tagging::Key, variants.collect())
        } else {
            Kind::Struct(fields, None)
        };
        self.fill(id, docs, kind, true);
    }

    /// The variables of an operation; `false`: it takes none.
    pub(super) fn variables(&mut self, module: &Ident, operation: &Operation) -> bool {
        if operation.variables.is_empty() {
            return false;
        }
        let place = TypePlace { module: module.clone(), path: "$".to_owned(), wish: "Variables".to_owned() };
        let id = self.open(&place);
        let wishes: Vec<(&str, String)> =
            operation.variables.iter().map(|variable| (variable.name.as_str(), member_name(&variable.name))).collect();
        let names = self.names.members(Scope::default(), &format!("{module}/$"), &wishes);
        let mut fields = Vec::new();
        for (variable, name) in operation.variables.iter().zip(names) {
            let ty = self.leaf(variable.ty.inner_named_type());
            let mut member = given(&variable.name, name, &variable.ty, variable.default_value.as_deref(), ty);
            member.docs = format!("`${}`", variable.name);
            fields.push(member);
        }
        self.fill(id, "The variables of the document.".to_owned(), Kind::Struct(fields, None), true);
        true
    }
}

/// A member that is sent: left out where it has a default, null where it may be.
fn given(wire: &str, name: Ident, ty: &SchemaType, default: Option<&Value>, inner: Type) -> Field {
    let required = ty.is_non_null() && default.is_none();
    let mut member = field(wire, name, bare(wrapped(ty, inner)), required, !ty.is_non_null());
    if let Some(default) = default.filter(|default| !default.is_null()) {
        member.limits = docs!["Default: ", span(&default.serialize().no_indent().to_string()), "."];
    }
    member
}
