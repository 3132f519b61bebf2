//! A schema of any dialect in the terms of JSON Schema 2020-12.
//!
//! Real contracts contain keywords with values of the wrong type, which a compiler of schemas refuses as a whole. So only keywords
//! whose values are usable are taken over, and all others are left out. Keywords of later dialects are taken over in each dialect:
//! generators write them there, and mean them.

mod keywords;

use serde_json::{Map, Value, json};

use super::Direction;
use super::in_place::{IN_PLACE, IN_PLACE_LISTS};
use crate::contract::Dialect;

/// Nested `allOf` that are looked at.
const MOST_NESTED: u8 = 16;

/// The place in which a subschema stands.
#[derive(Clone, Copy)]
struct Place {
    /// Unknown members are accepted, because `additionalProperties: false` cannot know the members of the schemas beside it.
    is_open: bool,
}

/// The other end of a reference.
pub(super) trait Targets {
    /// The name of the target within `$defs`. `None` if the document has no such target.
    fn target(&mut self, reference: &str, is_open: bool) -> Option<String>;
    /// The value of a reference in the document.
    fn value(&self, reference: &str) -> Option<&Value>;
}

pub(super) struct Converter<'t, T> {
    pub(super) dialect: Dialect,
    pub(super) direction: Direction,
    pub(super) targets: &'t mut T,
}

impl<T: Targets> Converter<'_, T> {
    pub(super) fn schema(&mut self, raw: &Value, is_open: bool) -> Value {
        let place = Place { is_open };
        match raw {
            Value::Bool(_) => raw.clone(),
            Value::Object(raw) => self.object(raw, place),
            _ => json!({}),
        }
    }

    fn object(&mut self, raw: &Map<String, Value>, place: Place) -> Value {
        let mut out = Map::new();
        if let Some(reference) = raw.get("$ref").and_then(Value::as_str) {
            if let Some(name) = self.targets.target(reference, place.is_open) {
                out.insert("$ref".to_owned(), json!(format!("#/$defs/{name}")));
            }
            if self.dialect != Dialect::OpenApi31 {
                return Value::Object(out);
            }
        }
        // The parts of `allOf` are one object: each of them would refuse the members of the others.
        let is_composed = raw.get("allOf").is_some_and(Value::is_array);
        if is_composed && !place.is_open && self.is_closed(raw, 0) {
            out.insert("unevaluatedProperties".to_owned(), json!(false));
        }
        let inner = Place { is_open: place.is_open || is_composed };
        keywords::types(raw, &mut out);
        keywords::values(raw, &mut out);
        keywords::numbers(raw, &mut out);
        keywords::texts(raw, &mut out);
        keywords::counts(raw, &mut out);
        keywords::annotations(raw, &mut out);
        self.discriminator(raw, &mut out);
        self.arrays(raw, &mut out);
        self.members(raw, inner, &mut out);
        self.applicators(raw, inner, &mut out);
        let hidden = self.hidden(raw);
        if let Some(Value::Array(parts)) = out.get_mut("allOf").filter(|_| !hidden.is_empty()) {
            parts.iter_mut().for_each(|part| keywords::release(part, &hidden));
        }
        self.null(raw, out)
    }

    /// True if a schema or one of its parts refuses unknown members.
    fn is_closed(&self, raw: &Map<String, Value>, depth: u8) -> bool {
        let target = raw.get("$ref").and_then(Value::as_str).and_then(|reference| self.targets.value(reference));
        let parts = raw.get("allOf").and_then(Value::as_array).into_iter().flatten().chain(target);
        raw.get("additionalProperties") == Some(&Value::Bool(false))
            || (depth < MOST_NESTED && parts.filter_map(Value::as_object).any(|part| self.is_closed(part, depth + 1)))
    }

    /// `nullable`, and `x-nullable` of Swagger 2.0. OpenAPI 3.0 adds null to a `type` only, and null has to be in an `enum` as
    /// well. Answers keep to that. Requests may contain null wherever the contract says `nullable`.
    fn null(&self, raw: &Map<String, Value>, mut out: Map<String, Value>) -> Value {
        let is = |name: &str| raw.get(name) == Some(&Value::Bool(true));
        let is_request = self.direction == Direction::Request;
        if !(is("x-nullable") || (is("nullable") && (is_request || self.dialect == Dialect::OpenApi30))) {
            return Value::Object(out);
        }
        if let Some(kinds) = out.get_mut("type") {
            let mut list = kinds.as_array().cloned().unwrap_or_else(|| vec![kinds.clone()]);
            if !list.iter().any(|kind| kind == "null") {
                list.push(json!("null"));
            }
            *kinds = Value::Array(list);
        }
        if is_request
            && let Some(Value::Array(values)) = out.get_mut("enum")
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
        let refuses_null = ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|name| out.contains_key(*name));
        if is_request && refuses_null {
            return json!({ "anyOf": [Value::Object(out), { "type": "null" }] });
        }
        Value::Object(out)
    }

    /// Kept for the sampler: the member, and its values with the definitions that they stand for.
    fn discriminator(&mut self, raw: &Map<String, Value>, out: &mut Map<String, Value>) {
        let (name, mapping) = match raw.get("discriminator") {
            Some(Value::String(name)) => (name, None),
            Some(Value::Object(object)) => match object.get("propertyName") {
                Some(Value::String(name)) => (name, object.get("mapping").and_then(Value::as_object)),
                _ => return,
            },
            _ => return,
        };
        let mut definitions = Map::new();
        for (tag, target) in mapping.into_iter().flatten() {
            let Some(target) = target.as_str() else { continue };
            // A value is a reference, or the name of a schema.
            let by_name = format!("#/components/schemas/{}", crate::contract::escape(target));
            if let Some(definition) = [target, &by_name].iter().find_map(|target| self.targets.target(target, false)) {
                definitions.insert(tag.clone(), Value::String(definition));
            }
        }
        out.insert("discriminator".to_owned(), json!({ "propertyName": name, "mapping": definitions }));
    }

    fn arrays(&mut self, raw: &Map<String, Value>, out: &mut Map<String, Value>) {
        let mut rest = raw.get("items");
        if let Some(Value::Array(tuple)) = raw.get("prefixItems").or(rest)
            && !tuple.is_empty()
        {
            let tuple = tuple.iter().map(|item| self.schema(item, false)).collect();
            out.insert("prefixItems".to_owned(), Value::Array(tuple));
        }
        if rest.is_some_and(Value::is_array) {
            rest = raw.get("additionalItems");
        }
        for (name, schema) in
            [("items", rest), ("contains", raw.get("contains")), ("unevaluatedItems", raw.get("unevaluatedItems"))]
        {
            if let Some(schema) = schema.filter(|schema| schema.is_object() || schema.is_boolean()) {
                out.insert(name.to_owned(), self.schema(schema, false));
            }
        }
    }

    fn members(&mut self, raw: &Map<String, Value>, place: Place, out: &mut Map<String, Value>) {
        for name in ["properties", "patternProperties", "dependentSchemas"] {
            let Some(Value::Object(members)) = raw.get(name) else { continue };
            let is_in_place = name == "dependentSchemas";
            let members: Map<String, Value> = members
                .iter()
                .filter(|(member, _)| name != "patternProperties" || keywords::is_pattern(member))
                .map(|(member, schema)| (member.clone(), self.schema(schema, is_in_place && place.is_open)))
                .collect();
            out.insert(name.to_owned(), Value::Object(members));
        }
        // A request with a subtype has members that its base does not know.
        let is_base = self.direction == Direction::Request && out.contains_key("discriminator");
        for name in ["additionalProperties", "unevaluatedProperties", "propertyNames"] {
            match raw.get(name) {
                Some(Value::Bool(false)) if name != "propertyNames" && (place.is_open || is_base) => {}
                Some(schema @ (Value::Bool(_) | Value::Object(_))) => {
                    out.insert(name.to_owned(), self.schema(schema, false));
                }
                _ => {}
            }
        }
        let hidden = self.hidden(raw);
        keywords::required(raw, &hidden, self.direction, out);
    }

    /// The members that this direction does not require: those of this schema and of its parts.
    fn hidden(&self, raw: &Map<String, Value>) -> Vec<String> {
        let keyword = self.direction.hidden();
        let mut hidden = Vec::new();
        let parts = raw.get("allOf").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
        for part in std::iter::once(raw).chain(parts) {
            let part = part
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|reference| self.targets.value(reference)?.as_object())
                .unwrap_or(part);
            let Some(Value::Object(members)) = part.get("properties") else { continue };
            for (name, schema) in members {
                let target =
                    schema.get("$ref").and_then(Value::as_str).and_then(|reference| self.targets.value(reference));
                if [Some(schema), target]
                    .into_iter()
                    .flatten()
                    .any(|schema| schema.get(keyword) == Some(&Value::Bool(true)))
                {
                    hidden.push(name.clone());
                }
            }
        }
        hidden
    }

    /// Leaves out repeated branches: no value would fit exactly one of them.
    fn distinct(&self, branches: &mut Vec<Value>, raw: &Map<String, Value>) {
        let raw = raw.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        let mut contents = raw.map(|branch| {
            let target = branch.get("$ref").and_then(Value::as_str).and_then(|reference| self.targets.value(reference));
            let mut contents = target.unwrap_or(branch).clone();
            if let Value::Object(keywords) = &mut contents {
                keywords.retain(|keyword, _| !keywords::is_documentation(keyword));
            }
            contents
        });
        let mut seen: Vec<Value> = Vec::new();
        branches.retain(|_| {
            let Some(contents) = contents.next() else { return true };
            let is_new = !seen.contains(&contents);
            seen.push(contents);
            is_new
        });
    }

    /// True if a request that fits two alternatives is accepted, because a member tells them apart.
    fn tells_apart(&self, raw: &Map<String, Value>) -> bool {
        let is_tagged = |schema: &Value| schema.get("discriminator").is_some();
        let branches = raw.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        let mut targets = branches.filter_map(|branch| self.targets.value(branch.get("$ref")?.as_str()?));
        self.direction == Direction::Request
            && !raw.contains_key("anyOf")
            && (raw.contains_key("discriminator") || targets.any(is_tagged))
    }

    fn applicators(&mut self, raw: &Map<String, Value>, place: Place, out: &mut Map<String, Value>) {
        let tells_apart = self.tells_apart(raw);
        for name in IN_PLACE_LISTS {
            let Some(Value::Array(schemas)) = raw.get(name) else { continue };
            if schemas.is_empty() {
                continue;
            }
            let mut schemas: Vec<Value> = schemas.iter().map(|schema| self.schema(schema, place.is_open)).collect();
            if name == "oneOf" {
                self.distinct(&mut schemas, raw);
            }
            let schemas = Value::Array(schemas);
            let name = if name == "oneOf" && tells_apart { "anyOf" } else { name };
            out.insert(name.to_owned(), schemas);
        }
        for name in IN_PLACE {
            if let Some(schema @ (Value::Object(_) | Value::Bool(_))) = raw.get(name) {
                out.insert(name.to_owned(), self.schema(schema, place.is_open && name != "not"));
            }
        }
        if let Some(Value::Object(dependencies)) = raw.get("dependencies") {
            for (member, dependency) in dependencies {
                let (name, dependency) = match dependency {
                    Value::Array(_) => ("dependentRequired", keywords::names(dependency, &[])),
                    _ => ("dependentSchemas", self.schema(dependency, place.is_open)),
                };
                if let Some(list) = out.entry(name).or_insert_with(|| json!({})).as_object_mut() {
                    list.insert(member.clone(), dependency);
                }
            }
        }
    }
}
