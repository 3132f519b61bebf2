//! `oneOf` and `anyOf`: unions, or the single type that they reduce to.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::Value;

use super::alternatives::Nature;
use super::hierarchy::mapping;
use super::schemas::Types;
use super::shape::Shape;
use super::tree::Node;
use super::types::{Deprecation, EnumKind, Kind, Tagging, Type, Variant, VariantContent};
use crate::ledger::Loss;
use crate::naming::Scope;
use crate::naming::ident::{type_name, variant_name};
use crate::pointer;

impl<'a> Types<'a> {
    /// The shape of a schema with `oneOf` or `anyOf`; `None` if the rest of the schema decides.
    pub(super) fn alternatives(&mut self, node: &Node<'a>, nullable: &mut bool) -> Option<Shape<'a>> {
        let own = node.value.get("properties").and_then(Value::as_object).is_some_and(|members| !members.is_empty());
        for keyword in ["oneOf", "anyOf"] {
            let Some(list) = node.get(keyword) else { continue };
            let mut branches: Vec<Node<'a>> = Vec::new();
            let mut seen = HashSet::new();
            for branch in list.items() {
                if is_null(&branch) {
                    *nullable = true;
                } else if !only_constrains(&branch) && seen.insert(identity(&branch)) {
                    branches.push(branch);
                }
            }
            match branches.as_slice() {
                [] => {}
                _ if own => return Some(Shape::Struct),
                [only] => return Some(Shape::Same(only.clone())),
                _ if self.is_open_enum(&branches) => {
                    return branches.into_iter().find(|branch| self.resolves_to_enum(branch)).map(Shape::Same);
                }
                _ => return Some(Shape::Union(branches)),
            }
        }
        None
    }

    /// Puts on the record which tags of a discriminator name no schema.
    pub(super) fn unmapped(&mut self, node: &Node<'a>) {
        let known: BTreeSet<String> = mapping(node).into_iter().map(|(tag, _)| tag).collect();
        let entries = node.get("discriminator").and_then(|tag| tag.get("mapping"));
        for (tag, entry) in entries.iter().flat_map(|entries| entries.members().collect::<Vec<_>>()) {
            if !known.contains(tag) {
                let lost = Loss::Documentation("the shape of the object with the tag".to_owned());
                entry.note(
                    self.ledger,
                    "model/discriminator",
                    format!("`{tag}` names no schema of the document"),
                    lost,
                );
            }
        }
    }

    /// A union: told apart by a tag where there is one, else by shape.
    pub(super) fn union(&mut self, node: &Node<'a>, branches: &[Node<'a>], name: &str) -> Kind {
        self.unmapped(node);
        let mut property = node.get("discriminator").map(|tag| tag.text("propertyName")).unwrap_or_default();
        let mut tags = mapping(node);
        // Swashbuckle does not repeat the discriminator where subtypes are listed.
        if property.is_empty()
            && let Some(base) = self.subtypes.common_base(branches)
        {
            property = base.get("discriminator").map(|tag| tag.text("propertyName")).unwrap_or_default();
            tags = self.subtypes.tags(&base);
        }
        let objects = branches.iter().all(|branch| self.objects.is_object(branch));
        let tags = by_place(node, tags);
        let mut members: Vec<BTreeMap<&'a str, &'a str>> = Vec::with_capacity(branches.len());
        for branch in branches {
            members.push(if self.objects.is_object(branch) { self.fixed(branch) } else { BTreeMap::new() });
        }
        let tagging = match property {
            "" => objects.then(|| common_tag(&members)).flatten(),
            property => objects.then(|| property.to_owned()),
        };
        // Also where one came that has no such member, the others keep their names.
        let naming = tagging.clone().or_else(|| most_fixed(&members));
        let mut scope = Scope::with(["Unknown"]);
        let mut variants = Vec::new();
        let mut references = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let reference = branch.text("$ref");
            let title = variant_name(branch.text("title"));
            let fixed = naming.as_ref().and_then(|tag| members.get_mut(index)?.remove(tag.as_str()));
            let hint = match fixed {
                _ if !branch.text("title").is_empty() && title.len() <= 30 => title,
                Some(tag) => variant_name(tag),
                None => match Nature::from_schema(branch.value) {
                    Some(Nature::Member(name)) => variant_name(name),
                    Some(Nature::Type("string")) => "Text".to_owned(),
                    _ => format!("Variant{}", index + 1),
                },
            };
            let typed = self.schema_type(branch, &format!("{name}{hint}"));
            let mut own = tagged(node, &tags, reference);
            if own.is_empty() && tagging.is_some() {
                own.extend(fixed.map(str::to_owned));
            }
            let wish = match reference {
                "" => self.variant_wish(&typed.ty, &self.kept(&typed.ty, name).unwrap_or(hint)),
                reference => referenced_variant(name, reference),
            };
            let variant = scope.claim([wish.as_str()]);
            let content = VariantContent::Type(typed.ty, own);
            variants.push(Variant { name: variant, docs: String::new(), deprecated: Deprecation::No, content });
            references.push(if property.is_empty() { "" } else { reference });
        }
        if tagging.is_some() {
            implied(&mut variants, &references);
        }
        let all_tagged = variants
            .iter()
            .all(|variant| !matches!(&variant.content, VariantContent::Type(_, tags) if tags.is_empty()));
        Kind::Union(tagging.filter(|_| all_tagged).map_or(Tagging::Shape, Tagging::Tag), variants)
    }

    /// A base with a discriminator: a union of its subtypes, and of itself where the contract lists it.
    pub(super) fn base(&mut self, node: &Node<'a>, name: &str) -> Kind {
        self.unmapped(node);
        let property = node.get("discriminator").map(|tag| tag.text("propertyName")).unwrap_or_default().to_owned();
        let mut by_target: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (tag, reference) in self.subtypes.tags(node) {
            by_target.entry(reference).or_default().push(tag);
        }
        let mut scope = Scope::with(["Unknown"]);
        let mut variants = Vec::new();
        let mut references = Vec::new();
        for (reference, tags) in &by_target {
            let Some(target) = node.target(reference) else { continue };
            let ty = if target.pointer == node.pointer {
                Type::Named(self.add(node, "!base", &format!("{name}Base"), |types, own| types.structure(node, own)))
            } else {
                self.named(&target, &pointer::last(reference)).ty
            };
            let variant = scope.claim([referenced_variant(name, reference).as_str()]);
            let content = VariantContent::Type(ty, tags.clone());
            variants.push(Variant { name: variant, docs: String::new(), deprecated: Deprecation::No, content });
            references.push(reference.as_str());
        }
        implied(&mut variants, &references);
        Kind::Union(Tagging::Tag(property), variants)
    }

    /// A string enumeration beside any string is the enumeration: ours are open.
    fn is_open_enum(&self, branches: &[Node<'a>]) -> bool {
        let enums = branches.iter().filter(|branch| self.resolves_to_enum(branch)).count();
        let is_text = |node: &Node<'a>| {
            node.resolve().is_some_and(|node| node.text("type") == "string" && node.value.get("enum").is_none())
        };
        enums == 1 && branches.iter().all(|branch| self.resolves_to_enum(branch) || is_text(branch))
    }

    fn resolves_to_enum(&self, node: &Node<'a>) -> bool {
        node.resolve().is_some_and(|node| {
            let values = node.value.get("enum").and_then(Value::as_array);
            values.is_some_and(|values| !values.is_empty() && values.iter().all(Value::is_string))
        })
    }

    /// The members that a branch fixes to one value.
    fn fixed(&mut self, branch: &Node<'a>) -> BTreeMap<&'a str, &'a str> {
        let flat = self.flatten(branch);
        let only = |property: &Node<'a>| match property.resolve()?.value.get("enum")?.as_array()?.as_slice() {
            [Value::String(only)] => Some(only.as_str()),
            _ => None,
        };
        flat.properties.iter().filter_map(|(name, property)| Some((*name, only(property)?))).collect()
    }

    /// The variant name in the pinned name of an inline variant's type: `File` for `ShapeFile` of `Shape`.
    fn kept(&self, ty: &Type, union: &str) -> Option<String> {
        let Type::Named(id) = ty else { return None };
        let own = self.name_of(*id).strip_prefix(union)?;
        own.starts_with(char::is_uppercase).then(|| variant_name(own))
    }

    fn variant_wish(&self, ty: &Type, hint: &str) -> String {
        match ty {
            Type::Boolean => "Boolean".to_owned(),
            Type::Integer(_) => "Integer".to_owned(),
            Type::Float | Type::Double | Type::Decimal => "Decimal".to_owned(),
            Type::String(_) => "Text".to_owned(),
            Type::List(inner) => format!("{}List", self.variant_wish(inner, "")),
            Type::Map(_) | Type::Object => "Map".to_owned(),
            Type::Any | Type::Custom(_) => "Any".to_owned(),
            Type::Optional(inner) => self.variant_wish(inner, hint),
            Type::Named(_) if !hint.is_empty() => hint.to_owned(),
            Type::Named(id) => self.name_of(*id).to_owned(),
        }
    }

    /// Returns whether a type is an enumeration of strings or integers.
    pub(super) fn is_enum(&self, id: super::types::TypeId) -> bool {
        matches!(self.kind_of(id), Some(Kind::Enum(EnumKind::String | EnumKind::Integer(_), _)))
    }
}

/// A member that every branch fixes to a value of its own.
fn common_tag(branches: &[BTreeMap<&str, &str>]) -> Option<String> {
    let name_of_tag = branches.first()?.keys().find(|name| {
        let mut distinct = HashSet::new();
        branches.iter().all(|members| members.get(*name).is_some_and(|value| distinct.insert(*value)))
    });
    name_of_tag.map(|name| (*name).to_owned())
}

/// The member that tells most of the branches apart, and at least two.
fn most_fixed(branches: &[BTreeMap<&str, &str>]) -> Option<String> {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, value) in branches.iter().flatten() {
        values.entry(name).or_default().insert(value);
    }
    let most = values.into_iter().filter(|(_, values)| values.len() > 1).rev().max_by_key(|(_, values)| values.len());
    most.map(|(name, _)| name.to_owned())
}

/// The tags of a mapping by the place of the schema that they name, however its reference is spelled.
fn by_place(node: &Node<'_>, tags: Vec<(String, String)>) -> HashMap<String, Vec<String>> {
    let mut by_target: HashMap<String, Vec<String>> = HashMap::new();
    for (tag, reference) in tags {
        if let Some(target) = node.target(&reference) {
            by_target.entry(target.pointer).or_default().push(tag);
        }
    }
    by_target
}

/// The tags that a mapping gives to a schema.
fn tagged(node: &Node<'_>, tags: &HashMap<String, Vec<String>>, reference: &str) -> Vec<String> {
    node.target(reference).and_then(|target| tags.get(&target.pointer)).cloned().unwrap_or_default()
}

/// Adds the names of the schemas to the tags: a mapping adds names, and removes none. A tag that a mapping, or the
/// schema of the tag, gives to another variant belongs to that variant.
fn implied(variants: &mut [Variant], references: &[&str]) {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for variant in variants.iter() {
        if let VariantContent::Type(_, tags) = &variant.content {
            taken.extend(tags.iter().cloned());
        }
    }
    for (variant, reference) in variants.iter_mut().zip(references).filter(|(_, reference)| !reference.is_empty()) {
        if let VariantContent::Type(_, tags) = &mut variant.content
            && taken.insert(pointer::last(reference))
        {
            tags.push(pointer::last(reference));
        }
    }
}

/// The variant for a named schema; `ShapeTriangle` in `Shape` is `Triangle`.
fn referenced_variant(union: &str, reference: &str) -> String {
    let name = variant_name(&type_name(&pointer::last(reference)));
    match name.strip_prefix(union) {
        Some(rest) if rest.starts_with(char::is_uppercase) => variant_name(rest),
        _ => name,
    }
}

fn is_null(node: &Node<'_>) -> bool {
    node.text("type") == "null"
        || node
            .value
            .get("enum")
            .and_then(Value::as_array)
            .is_some_and(|values| values.iter().all(Value::is_null) && !values.is_empty())
        || node.flag("nullable") && node.object().is_some_and(|schema| schema.len() == 1)
}

/// Conditions on an object that is described elsewhere.
fn only_constrains(node: &Node<'_>) -> bool {
    let conditions = ["required", "not", "minProperties", "maxProperties", "description", "title"];
    node.object()
        .is_some_and(|schema| !schema.is_empty() && schema.keys().all(|key| conditions.contains(&key.as_str())))
}

/// The identity of a branch: equal for branches that are the same.
fn identity<'a>(node: &Node<'a>) -> (&'a str, Option<&'a Value>) {
    match node.text("$ref") {
        "" => ("", Some(node.value)),
        reference => (reference, None),
    }
}
