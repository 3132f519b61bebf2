//! The elements of a schema, by schema coordinates.

use std::collections::{BTreeMap, BTreeSet};

use apollo_compiler::ast::{DirectiveList, InputValueDefinition, Type};
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::{Node, Schema};

use super::compare::{folded, kind};
use super::problem::SCHEMA;

/// The kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    /// A type; its kind is its text.
    Type,
    /// A field that is selected.
    Field,
    /// An argument, or a field of an input object.
    Input,
    /// A value of an enumeration.
    Value,
    /// A type of a union, or one that implements an interface.
    Possible,
    /// A directive, the name of a root type, the specification of a scalar.
    Other,
}

/// An element, as far as clients notice it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Described {
    pub(crate) element: Element,
    /// Its type, or its kind if it has none.
    pub(crate) ty: String,
    pub(crate) default: Option<String>,
    pub(crate) deprecated: bool,
    /// `true` if programs send it: an input, or a type of one.
    pub(crate) sent: bool,
}

impl Described {
    /// Returns whether a request without it is refused.
    pub(crate) fn is_required(&self) -> bool {
        self.ty.ends_with('!') && self.default.is_none()
    }
}

/// All elements of a schema by their coordinates, such as `Query.project(id:)`. If a text is not a valid schema, the
/// readable part of it.
pub(crate) fn elements(text: &str) -> BTreeMap<String, Described> {
    let schema = match Schema::parse(text, SCHEMA) {
        Ok(schema) => schema,
        Err(invalid) => invalid.partial,
    };
    let mut collected = Found { sent: sent(&schema), elements: BTreeMap::new() };
    let roots = &schema.schema_definition;
    for (kind, root) in [("query", &roots.query), ("mutation", &roots.mutation), ("subscription", &roots.subscription)]
    {
        if let Some(root) = root {
            collected.add(format!("schema {kind}"), Element::Other, root.name.to_string(), false);
        }
    }
    for (name, directive) in schema.directive_definitions.iter().filter(|(_, directive)| !directive.is_built_in()) {
        let mut places: Vec<&str> = directive.locations.iter().map(|place| place.name()).collect();
        places.sort_unstable();
        collected.add(format!("@{name}"), Element::Other, places.join(" | "), false);
    }
    for (name, ty) in schema.types.iter().filter(|(_, ty)| !ty.is_built_in()) {
        collected.of_type(name, ty);
    }
    collected.elements
}

struct Found {
    sent: BTreeSet<String>,
    elements: BTreeMap<String, Described>,
}

impl Found {
    fn add(&mut self, place: String, element: Element, ty: String, deprecated: bool) {
        let sent = self.sent.contains(place.split('.').next().unwrap_or_default());
        self.elements.insert(place, Described { element, ty, default: None, deprecated, sent });
    }

    fn input(&mut self, place: String, input: &InputValueDefinition) {
        let default = input.default_value.as_ref().map(|value| folded(value, &input.ty));
        let deprecated = is_deprecated(&input.directives);
        let ty = input.ty.to_string();
        self.elements.insert(place, Described { element: Element::Input, ty, default, deprecated, sent: true });
    }

    fn fields<'s>(
        &mut self,
        owner: &str,
        fields: impl Iterator<Item = (&'s str, &'s Type, &'s [Node<InputValueDefinition>], &'s DirectiveList)>,
    ) {
        for (name, ty, arguments, directives) in fields {
            self.add(format!("{owner}.{name}"), Element::Field, ty.to_string(), is_deprecated(directives));
            for argument in arguments {
                self.input(format!("{owner}.{name}({}:)", argument.name), argument);
            }
        }
    }

    fn of_type(&mut self, name: &str, ty: &ExtendedType) {
        let kind = match ty {
            ExtendedType::InputObject(input) if input.directives.has("oneOf") => "input @oneOf",
            ty => kind(ty),
        };
        self.add(name.to_owned(), Element::Type, kind.to_owned(), false);
        let mut possible = |general: &str, member: &str| {
            self.add(format!("{general} = {member}"), Element::Possible, member.to_owned(), false);
        };
        match ty {
            ExtendedType::Object(object) => {
                object.implements_interfaces.iter().for_each(|interface| possible(&interface.name, name));
                self.fields(
                    name,
                    object.fields.values().map(|field| (&*field.name, &field.ty, &*field.arguments, &field.directives)),
                );
            }
            ExtendedType::Interface(object) => {
                object.implements_interfaces.iter().for_each(|interface| possible(&interface.name, name));
                self.fields(
                    name,
                    object.fields.values().map(|field| (&*field.name, &field.ty, &*field.arguments, &field.directives)),
                );
            }
            ExtendedType::Union(union) => union.members.iter().for_each(|member| possible(name, &member.name)),
            ExtendedType::Enum(values) => {
                for value in values.values.values() {
                    let deprecated = is_deprecated(&value.directives);
                    self.add(format!("{name}.{}", value.value), Element::Value, value.value.to_string(), deprecated);
                }
            }
            ExtendedType::InputObject(input) => {
                input.fields.values().for_each(|field| self.input(format!("{name}.{}", field.name), field));
            }
            ExtendedType::Scalar(scalar) => {
                let address = scalar.directives.get("specifiedBy");
                let address = address.and_then(|directive| directive.specified_argument_by_name("url")?.as_str());
                if let Some(address) = address {
                    self.add(format!("{name} specified by"), Element::Other, address.to_owned(), false);
                }
            }
        }
    }
}

fn is_deprecated(directives: &DirectiveList) -> bool {
    directives.has("deprecated")
}

/// The types that programs send: those of arguments, and the types that these consist of.
fn sent(schema: &Schema) -> BTreeSet<String> {
    let of_fields = |ty: &ExtendedType| -> Vec<String> {
        let arguments: Vec<&Node<InputValueDefinition>> = match ty {
            ExtendedType::Object(object) => object.fields.values().flat_map(|field| &field.arguments).collect(),
            ExtendedType::Interface(object) => object.fields.values().flat_map(|field| &field.arguments).collect(),
            _ => Vec::new(),
        };
        arguments.iter().map(|argument| argument.ty.inner_named_type().to_string()).collect()
    };
    let mut open: Vec<String> = schema.types.values().flat_map(of_fields).collect();
    let mut sent = BTreeSet::new();
    while let Some(name) = open.pop() {
        let Some(ty) = schema.types.get(name.as_str()) else { continue };
        if sent.insert(name)
            && let ExtendedType::InputObject(input) = ty
        {
            open.extend(input.fields.values().map(|field| field.ty.inner_named_type().to_string()));
        }
    }
    sent
}
