//! The details that no Rust item shows: styles, media types, statuses with their bodies, limits, defaults, required
//! members, open and closed objects, values, servers and security.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::outline::{Outline, named};
use super::reach::{Home, Reached};
use crate::model::{Document, Model};
use crate::pointer;
use crate::text::line;
use crate::walk::{METHODS, OTHER_OPERATIONS};

/// An operation in the outline of its document.
struct Found<'a> {
    method: String,
    path: &'a str,
    item: &'a Value,
    value: &'a Value,
    family: Home<'a>,
}

/// The texts `wire__<family>` and `security`.
pub(super) fn texts(documents: &[Document], model: &Model) -> BTreeMap<String, String> {
    let mut families: HashMap<(&str, &str), &str> = HashMap::new();
    for operation in &model.operations {
        families.insert((&operation.document, &operation.pointer), &operation.family);
    }
    let mut outlines: BTreeMap<String, Outline> = BTreeMap::new();
    for document in documents {
        let operations = operations(document, &families);
        let reached =
            Reached::new(&document.tree, operations.iter().map(|operations| (operations.family, operations.item)));
        let several = if documents.len() > 1 { format!("  of {}", line(&document.name)) } else { String::new() };
        for operation in &operations {
            let out = outlines.entry(format!("wire__{}", operation.family)).or_default();
            out.line(&format!("{} {}{several}", operation.method, operation.path));
            out.below(|out| self::operation(out, operation));
        }
        for (group, components) in document.tree.get("components").and_then(Value::as_object).into_iter().flatten() {
            if group == "securitySchemes" {
                continue;
            }
            for (name, component) in components.as_object().into_iter().flatten() {
                let out = outlines.entry(format!("wire__{}", reached.home(group, name))).or_default();
                out.value_of(group, &format!("{group} {name}{several}"), component);
            }
        }
        let out = outlines.entry(format!("wire__{}", Home::Shared)).or_default();
        const ELSEWHERE: [&str; 10] = [
            "openapi",
            "swagger",
            "info",
            "tags",
            "externalDocs",
            "paths",
            "components",
            "security",
            "$self",
            "jsonSchemaDialect",
        ];
        out.members(&document.tree, &ELSEWHERE);
        let out = outlines.entry("security".to_owned()).or_default();
        out.line(&document.name);
        out.below(|out| {
            if let Some(security) = document.tree.get("security") {
                out.value("security", security);
            }
            let schemes = document.tree.get("components").and_then(|components| components.get("securitySchemes"));
            schemes.into_iter().for_each(|schemes| out.members(schemes, &[]));
        });
    }
    outlines.into_iter().map(|(name, outline)| (name, outline.finish())).collect()
}

fn operations<'a>(document: &'a Document, families: &HashMap<(&str, &str), &'a str>) -> Vec<Found<'a>> {
    let mut operations = Vec::new();
    let paths = document.tree.get("paths").and_then(Value::as_object).into_iter().flatten();
    for (path, item) in paths {
        let at = pointer::join("/paths", path);
        let mut add = |method: &str, place: String, value: &'a Value| {
            let source = document.origins.place(&place, &document.published);
            let family = families
                .get(&(document.name.as_str(), source.as_str()))
                .map_or(Home::Outside, |family| Home::Family(family));
            operations.push(Found { method: method.to_uppercase(), path, item, value, family });
        };
        for method in METHODS {
            if let Some(value) = item.get(method) {
                add(method, pointer::join(&at, method), value);
            }
        }
        let others = item.get(OTHER_OPERATIONS).and_then(Value::as_object).into_iter().flatten();
        for (method, value) in others {
            add(method, pointer::join(&pointer::join(&at, OTHER_OPERATIONS), method), value);
        }
    }
    operations
}

fn operation(out: &mut Outline, operation: &Found<'_>) {
    let parameters =
        [operation.value, operation.item].into_iter().filter_map(|value| value.get("parameters")?.as_array());
    parameters.flatten().for_each(|parameter| out.parameter("", parameter));
    if let Some(body) = operation.value.get("requestBody") {
        out.body("body", body);
    }
    for (status, response) in operation.value.get("responses").and_then(Value::as_object).into_iter().flatten() {
        out.response(status, response);
    }
    out.members(operation.value, &["parameters", "requestBody", "responses"]);
    let elsewhere: Vec<&str> = METHODS.into_iter().chain(["parameters", OTHER_OPERATIONS]).collect();
    out.members(operation.item, &elsewhere);
}

impl Outline {
    /// A component of any group.
    fn value_of(&mut self, group: &str, label: &str, value: &Value) {
        match group {
            "schemas" => self.schema(label.trim_start_matches("schemas "), "", value),
            "parameters" => self.parameter(&format!("{label}: "), value),
            "headers" => self.header(label, value),
            "responses" => self.response(label, value),
            "requestBodies" => self.body(label, value),
            _ => self.value(label, value),
        }
    }

    fn parameter(&mut self, label: &str, parameter: &Value) {
        let text = |key: &str| parameter.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = match text("$ref") {
            "" => format!("{label}{} {}", text("in"), text("name")),
            reference => format!("{label}{}", named(reference)),
        };
        self.content(&name, parameter, &["in", "name", "$ref"]);
    }

    fn header(&mut self, label: &str, header: &Value) {
        self.content(label, header, &[]);
    }

    /// An object with a schema, or with content of media types: a parameter or a header.
    fn content(&mut self, label: &str, value: &Value, handled: &[&str]) {
        let mark = if value.get("required") == Some(&Value::Bool(true)) { "required " } else { "" };
        match value.get("schema") {
            Some(schema) => self.schema(label, mark, schema),
            None => self.line(format!("{label} {mark}").trim_end()),
        }
        self.below(|out| {
            out.media_types(value);
            out.members(value, &[handled, &["schema", "content", "required"]].concat());
            // A word that is not `true` is not said by the mark.
            if let Some(required) = value.get("required").filter(|required| !required.is_boolean()) {
                out.value("required", required);
            }
        });
    }

    fn body(&mut self, label: &str, body: &Value) {
        let mark = if body.get("required") == Some(&Value::Bool(true)) { ", required" } else { "" };
        self.line(&format!("{label}{mark}"));
        self.below(|out| {
            out.media_types(body);
            let is_told = body.get("required").is_none_or(Value::is_boolean);
            out.members(body, if is_told { &["content", "required"] } else { &["content"] });
        });
    }

    fn response(&mut self, label: &str, response: &Value) {
        self.line(label);
        self.below(|out| {
            for (name, header) in response.get("headers").and_then(Value::as_object).into_iter().flatten() {
                out.header(&format!("header {name}"), header);
            }
            out.media_types(response);
            out.members(response, &["content", "headers"]);
        });
    }

    /// Media types, those that say the same on one line.
    fn media_types(&mut self, holder: &Value) {
        let mut by_value: Vec<(&Value, Vec<&str>)> = Vec::new();
        for (name, value) in holder.get("content").and_then(Value::as_object).into_iter().flatten() {
            match by_value.iter_mut().find(|(known, _)| *known == value) {
                Some((_, names)) => names.push(name),
                None => by_value.push((value, vec![name])),
            }
        }
        for (value, names) in by_value {
            match value.get("schema") {
                Some(schema) => self.schema(&names.join(", "), "", schema),
                None => self.line(&names.join(", ")),
            }
            self.below(|out| out.members(value, &["schema"]));
        }
    }
}
