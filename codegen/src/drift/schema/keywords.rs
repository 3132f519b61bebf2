//! Keywords without a rule of their own, and the schemas in them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Pair;
use super::read::Schema;
use crate::drift::rule::{Rule, Wire};
use crate::drift::sides::Sides;
use crate::model::Node;

/// Keywords that hold one schema, which is compared on its own.
const ONE: [&str; 9] = [
    "additionalItems",
    "contains",
    "contentSchema",
    "else",
    "items",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords that hold schemas by name or by position.
const MANY: [&str; 3] = ["dependentSchemas", "patternProperties", "prefixItems"];
/// Keywords with rules of their own that hold schemas.
const CONTAINERS: [&str; 5] = ["additionalProperties", "allOf", "anyOf", "oneOf", "properties"];
/// Keywords with rules of their own that hold values.
const VALUES: [&str; 29] = [
    "$ref",
    "const",
    "default",
    "deprecated",
    "discriminator",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "nullable",
    "pattern",
    "readOnly",
    "required",
    "type",
    "uniqueItems",
    "writeOnly",
    "x-nullable",
    "collectionFormat",
];

/// Reports whether the value of a keyword is compared at the schema that has it.
pub(in crate::drift) fn is_value(key: &str) -> bool {
    VALUES.contains(&key)
}

/// Reports whether a member of any object says nothing that a program could notice.
pub(in crate::drift) fn is_prose(key: &str) -> bool {
    matches!(
        key,
        "$comment"
            | "$id"
            | "$schema"
            | "$anchor"
            | "$dynamicAnchor"
            | "description"
            | "example"
            | "examples"
            | "externalDocs"
            | "summary"
            | "title"
            | "xml"
    )
}

impl<'a> Pair<'a, '_> {
    pub(super) fn keywords(&mut self) {
        for keyword in ONE {
            let (before, after) = (self.before.first(keyword), self.after.first(keyword));
            if keyword == "items" && [&before, &after].into_iter().flatten().any(|node| node.value.is_array()) {
                self.many(keyword);
                continue;
            }
            match (&before, &after) {
                (Some(before), Some(after)) => self.child(Sides { before, after }, self.class.within()),
                (None, None) => {}
                // Whatever an item is, `contains` asks for one.
                (Some(node), None) | (None, Some(node)) if keyword != "contains" && says_nothing(node.value) => {}
                _ => self.keyword(keyword, Sides { before: before.as_ref(), after: after.as_ref() }),
            }
        }
        for keyword in MANY {
            self.many(keyword);
        }
        self.dependencies();
        for keyword in self.others() {
            let (before, after) = (self.before.first(&keyword), self.after.first(&keyword));
            match (&before, &after) {
                (Some(old), Some(new)) if old.value != new.value => {
                    self.constraint(Rule::ConstraintChanged, &keyword, Sides { before: Some(old), after: Some(new) });
                }
                (Some(_), Some(_)) | (None, None) => {}
                _ => self.keyword(&keyword, Sides { before: before.as_ref(), after: after.as_ref() }),
            }
        }
    }

    /// Compares the members that require others.
    fn dependencies(&mut self) {
        const KEYWORD: &str = "dependentRequired";
        let members = |schema: &Schema<'a>| -> BTreeMap<String, Node<'a>> {
            let node = schema.first(KEYWORD);
            node.iter().flat_map(Node::members).map(|(name, child)| (name.to_owned(), child)).collect()
        };
        let (old, new) = (members(&self.before), members(&self.after));
        for name in old.keys().chain(new.keys().filter(|name| !old.contains_key(*name))) {
            match (old.get(name), new.get(name)) {
                (Some(before), Some(after)) if before.value != after.value => {
                    self.emit(Rule::ConstraintChanged, Sides { before: Some(before), after: Some(after) }).keyword =
                        KEYWORD.to_owned();
                }
                (Some(_), Some(_)) => {}
                (before, after) => self.keyword(KEYWORD, Sides { before, after }),
            }
        }
    }

    fn keyword(&mut self, keyword: &str, nodes: Sides<Option<&Node<'_>>>) {
        let rule = if nodes.before.is_none() { Rule::ConstraintAdded } else { Rule::ConstraintRemoved };
        self.constraint(rule, keyword, nodes);
    }

    pub(super) fn constraint(&mut self, rule: Rule, keyword: &str, nodes: Sides<Option<&Node<'_>>>) {
        // Both sides have to know how a text is to be read, so a change of it is not a limit.
        let is_reading = matches!(keyword, "contentEncoding" | "contentMediaType") && !self.class.unsent;
        let change = self.emit(rule, nodes);
        change.keyword = keyword.to_owned();
        change.wire = is_reading.then_some(Wire::Risk);
        // In Rust, items have the type that they had.
        if rule == Rule::ConstraintRemoved
            && matches!(keyword, "items" | "additionalProperties")
            && change.class.is_response()
        {
            change.client = Some(change.contract().min(Wire::Risk));
        }
    }

    /// Schemas by name or by position.
    fn many(&mut self, keyword: &str) {
        let children = |schema: &Schema<'a>| -> BTreeMap<String, Node<'a>> {
            let Some(node) = schema.first(keyword) else { return BTreeMap::new() };
            let named = node.members().map(|(name, child)| (name.to_owned(), child));
            let placed = node.items().enumerate().map(|(index, child)| (format!("{index:05}"), child));
            named.chain(placed).collect()
        };
        let (old, new) = (children(&self.before), children(&self.after));
        let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for name in names {
            match (old.get(name), new.get(name)) {
                (Some(before), Some(after)) => self.child(Sides { before, after }, self.class.within()),
                (before, after) => self.keyword(keyword, Sides { before, after }),
            }
        }
    }

    /// Keywords that nothing above has looked at.
    fn others(&self) -> BTreeSet<String> {
        let parts = self.before.parts.iter().chain(&self.after.parts);
        let keys = parts.filter_map(|part| part.node.object()).flat_map(|map| map.keys());
        let known = |key: &str| {
            ONE.contains(&key)
                || MANY.contains(&key)
                || CONTAINERS.contains(&key)
                || is_value(key)
                || is_prose(key)
                || key.starts_with("x-")
                || matches!(key, "$defs" | "definitions" | "dependentRequired")
        };
        keys.filter(|key| !known(key)).cloned().collect()
    }
}

/// Reports whether a schema without a type takes null: all that it says is about values of other types (JSON Schema Validation
/// 2020-12, 6).
pub(super) fn takes_null(schema: &Value) -> bool {
    const OF_OTHERS: [&str; 27] = [
        "additionalProperties",
        "contains",
        "dependentRequired",
        "dependentSchemas",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxContains",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minContains",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "multipleOf",
        "pattern",
        "patternProperties",
        "prefixItems",
        "properties",
        "propertyNames",
        "required",
        "unevaluatedItems",
        "uniqueItems",
    ];
    let of_others = |key: &String| is_prose(key) || OF_OTHERS.contains(&key.as_str());
    schema == &Value::Bool(true) || schema.as_object().is_some_and(|map| map.keys().all(of_others))
}

/// A schema that every value meets.
pub(super) fn says_nothing(schema: &Value) -> bool {
    schema == &Value::Bool(true) || schema.as_object().is_some_and(|map| map.keys().all(|key| is_prose(key)))
}
