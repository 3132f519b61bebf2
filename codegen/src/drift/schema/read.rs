//! A schema as it counts: references followed, `allOf` put together, null distinguished, whatever the dialect.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::model::Node;
use crate::upgrade::is_numeric;

/// More parts than anybody writes: a schema that has them is read as far as this.
const PARTS: usize = 512;

/// Members beside `$ref` that say something in every dialect.
const ANNOTATIONS: [&str; 8] =
    ["default", "deprecated", "description", "nullable", "readOnly", "title", "writeOnly", "x-nullable"];

/// A schema with everything that belongs to it.
#[derive(Clone, Debug)]
pub(super) struct Schema<'a> {
    /// Its place, after references that stand alone.
    pub(super) place: Node<'a>,
    /// The schema itself, then its parts.
    pub(super) parts: Vec<SchemaPart<'a>>,
    /// Alternatives that are null and nothing else.
    pub(super) nulls: Vec<Node<'a>>,
}

#[derive(Clone, Debug)]
pub(super) struct SchemaPart<'a> {
    pub(super) node: Node<'a>,
    /// Beside a reference, in a dialect in which only annotations count there.
    annotations: bool,
}

/// The target of references that stand alone.
pub(super) fn follow<'a>(node: &Node<'a>, siblings: bool) -> Node<'a> {
    let mut node = node.clone();
    for _ in 0..64 {
        let Some(map) = node.object() else { break };
        let Some(reference) = map.get("$ref").and_then(Value::as_str) else { break };
        let counts = |key: &String| key != "$ref" && (siblings || ANNOTATIONS.contains(&key.as_str()));
        if map.keys().any(|key| counts(key) && key != "description" && key != "title") {
            break;
        }
        match node.target(reference) {
            Some(target) => node = target,
            None => break,
        }
    }
    node
}

impl<'a> Schema<'a> {
    /// Reads a schema. `siblings` says whether members beside `$ref` count.
    pub(super) fn read(node: &Node<'a>, siblings: bool) -> Self {
        let place = follow(node, siblings);
        let mut schema = Self { place: place.clone(), parts: Vec::new(), nulls: Vec::new() };
        schema.gather(&place, siblings, &mut BTreeSet::new());
        schema
    }

    fn gather(&mut self, node: &Node<'a>, siblings: bool, seen: &mut BTreeSet<String>) {
        if self.parts.len() >= PARTS || !seen.insert(node.pointer.clone()) {
            return;
        }
        let reference = node.value.get("$ref").and_then(Value::as_str);
        self.parts.push(SchemaPart { node: node.clone(), annotations: reference.is_some() && !siblings });
        if let Some(target) = reference.and_then(|reference| node.target(reference)) {
            self.gather(&target, siblings, seen);
        }
        if reference.is_some() && !siblings {
            return;
        }
        for branch in node.get("allOf").iter().flat_map(Node::items) {
            self.gather(&branch, siblings, seen);
        }
        // A union with one branch beside null says no more than the branch.
        for key in ["anyOf", "oneOf"] {
            let Some(union) = node.get(key) else { continue };
            let (null, rest): (Vec<Node<'a>>, Vec<Node<'a>>) = union.items().partition(|branch| is_null(branch.value));
            self.nulls.extend(null);
            if let [only] = rest.as_slice() {
                self.gather(only, siblings, seen);
            }
        }
    }

    /// The places of a keyword.
    pub(super) fn all(&self, key: &str) -> Vec<Node<'a>> {
        let counts = |part: &&SchemaPart<'a>| !part.annotations || ANNOTATIONS.contains(&key);
        self.parts.iter().filter(counts).filter_map(|part| part.node.get(key)).collect()
    }

    /// The first place of a keyword.
    pub(super) fn first(&self, key: &str) -> Option<Node<'a>> {
        let counts = |part: &&SchemaPart<'a>| !part.annotations || ANNOTATIONS.contains(&key);
        self.parts.iter().filter(counts).find_map(|part| part.node.get(key))
    }

    pub(super) fn flag(&self, key: &str) -> bool {
        self.all(key).iter().any(|node| node.value == &Value::Bool(true))
    }

    /// The types that a value may have, without null. `None`: any.
    pub(super) fn types(&self) -> Option<BTreeSet<&'a str>> {
        let mut types: Option<BTreeSet<&'a str>> = None;
        for node in self.all("type") {
            let own: BTreeSet<&'a str> = match node.value {
                Value::String(name) => BTreeSet::from([name.as_str()]),
                Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                _ => continue,
            };
            let own: BTreeSet<&'a str> = own.into_iter().filter(|name| *name != "null").collect();
            // .NET says of a number that it may come as text.
            let number = ["integer", "number"].into_iter().any(|name| own.contains(name));
            let own: BTreeSet<&'a str> =
                own.into_iter().filter(|name| !(*name == "string" && number && self.is_number())).collect();
            // Swagger 2.0 calls bytes a type of their own.
            let own: BTreeSet<&'a str> =
                own.into_iter().map(|name| if name == "file" { "string" } else { name }).collect();
            types = Some(match types {
                None => own,
                Some(types) => {
                    let both: BTreeSet<&'a str> = types.intersection(&own).copied().collect();
                    if both.is_empty() { own } else { both }
                }
            });
        }
        types.filter(|types| !types.is_empty()).or_else(|| self.listed()).or_else(|| self.enumerated())
    }

    /// The types of the values of an enumeration: Microsoft.AspNetCore.OpenApi writes no other type of it.
    fn enumerated(&self) -> Option<BTreeSet<&'a str>> {
        let values = self.first("enum")?.value.as_array()?;
        let types = values.iter().filter(|value| !value.is_null()).map(|value| match value {
            Value::String(_) => "string",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::Array(_) => "array",
            _ => "object",
        });
        Some(types.collect::<BTreeSet<_>>()).filter(|types| !types.is_empty())
    }

    /// The types of a union whose branches say a type and nothing else: another way to write a list of types.
    pub(super) fn listed(&self) -> Option<BTreeSet<&'a str>> {
        ["anyOf", "oneOf"].into_iter().find_map(|key| {
            let branches = self.union(key);
            let types: Option<BTreeSet<&'a str>> = branches.iter().map(|branch| only_type(branch.value)).collect();
            types.filter(|types| !types.is_empty())
        })
    }

    /// Reports whether a pattern says that text has to be a number.
    fn is_number(&self) -> bool {
        self.all("pattern").iter().any(|node| node.value.as_str().is_some_and(is_numeric))
    }

    /// The patterns, but for those that say of a number how it looks as text.
    pub(super) fn patterns(&self) -> Vec<Node<'a>> {
        let text = self.types().is_some_and(|types| types.contains("string"));
        let mut patterns = self.all("pattern");
        // An empty pattern matches every text.
        patterns.retain(|node| node.value != "" && (text || !node.value.as_str().is_some_and(is_numeric)));
        patterns
    }

    /// The format, where there is one.
    pub(super) fn format(&self) -> &'a str {
        let is_file = self.first("type").is_some_and(|node| node.value == "file");
        let format = self.first("format").and_then(|node| node.value.as_str());
        match format {
            // NSwag's word for it.
            Some("guid") => "uuid",
            Some(format) => format,
            None if is_file => "binary",
            None => "",
        }
    }

    /// Reports whether null is declared as a value.
    pub(super) fn nullable(&self) -> bool {
        let by_type = |node: &Node<'_>| match node.value {
            Value::String(name) => name == "null",
            Value::Array(names) => names.iter().any(|name| name == "null"),
            _ => false,
        };
        // Without a type, null may be one of the values of an enumeration.
        let by_value = || {
            let values = self.first("enum").filter(|_| self.first("type").is_none());
            values.and_then(|node| node.value.as_array()).is_some_and(|values| values.contains(&Value::Null))
        };
        !self.nulls.is_empty()
            || by_value()
            || self.flag("nullable")
            || self.flag("x-nullable")
            || self.parts.first().and_then(|part| part.node.get("type")).is_some_and(|node| by_type(&node))
    }

    /// The members that are declared, each with its first place.
    pub(super) fn properties(&self) -> BTreeMap<&'a str, Node<'a>> {
        let mut properties = BTreeMap::new();
        for part in self.all("properties") {
            for (name, node) in part.members() {
                properties.entry(name).or_insert(node);
            }
        }
        properties
    }

    /// The members that have to be there, each with the place that says so. ASP.NET lists `Id` as required where the property is `id`.
    pub(super) fn required(&self) -> BTreeMap<&'a str, Node<'a>> {
        let mut required = BTreeMap::new();
        let declared = self.properties();
        let known = |name: &'a str| match declared.contains_key(name) {
            true => name,
            false => declared.keys().find(|other| other.eq_ignore_ascii_case(name)).copied().unwrap_or(name),
        };
        for node in self.all("required") {
            for name in node.value.as_array().into_iter().flatten().filter_map(Value::as_str) {
                required.entry(known(name)).or_insert_with(|| node.clone());
            }
        }
        required
    }

    /// The branches of a union that are not null, unless there is one only.
    pub(super) fn union(&self, key: &str) -> Vec<Node<'a>> {
        let mut branches = Vec::new();
        for node in self.all(key) {
            let rest: Vec<Node<'a>> = node.items().filter(|branch| !is_null(branch.value)).collect();
            if rest.len() > 1 {
                branches.extend(rest);
            }
        }
        branches
    }
}

/// Returns whether a schema gives its value a type other than a text.
pub(in crate::drift) fn is_no_text(schema: &Node<'_>, siblings: bool) -> bool {
    let schema = Schema::read(schema, siblings);
    schema.types().map_or(schema.first("properties").is_some(), |types| !types.contains("string"))
}

/// Reports whether only null fits a schema.
fn is_null(schema: &Value) -> bool {
    let Some(map) = schema.as_object() else { return false };
    let only = |key: &str| map.keys().all(|other| other == key || other == "nullable" || other == "description");
    match (map.get("type"), map.get("enum").and_then(Value::as_array), map.get("const")) {
        (Some(Value::String(name)), None, None) => name == "null" && only("type"),
        (None, Some(values), None) => values.as_slice() == [Value::Null] && only("enum"),
        (None, None, Some(value)) => value.is_null() && only("const"),
        _ => false,
    }
}

/// The type of a schema that says a type and nothing else.
pub(super) fn only_type(schema: &Value) -> Option<&str> {
    let map = schema.as_object()?;
    let name = map.get("type")?.as_str()?;
    map.keys().all(|key| matches!(key.as_str(), "type" | "description" | "title" | "example")).then_some(name)
}
