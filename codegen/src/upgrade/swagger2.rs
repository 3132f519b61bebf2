//! Swagger 2.0 to OpenAPI 3.0.
//!
//! The restructuring as a whole is one entry of the ledger; constructs that OpenAPI 3.0 cannot express, or that Swagger
//! 2.0 does not allow, have entries of their own.

pub(super) mod body;
mod operation;
pub(super) mod parameter;
pub(super) mod response;
mod security;
mod servers;

use serde_json::{Map, Value};

use super::journal::Journal;
use super::references;
use crate::pointer;
use crate::walk;

/// The members of an object.
type Object = Map<String, Value>;

/// The document's values that the conversion of an operation needs.
struct Context {
    consumes: Vec<String>,
    produces: Vec<String>,
    /// `parameters` of the root, as published.
    parameters: Object,
    /// The document as published.
    published: Value,
}

impl Context {
    /// The parameter that a reference leads to, with its place.
    fn parameter(&self, reference: &str) -> Option<(String, &Object)> {
        let pointer = references::local(reference)?;
        let parameter = self.published.pointer(&pointer)?.as_object()?;
        Some((pointer, parameter))
    }
}

/// Converts a Swagger 2.0 document.
pub(super) fn convert(tree: Value, journal: &mut Journal<'_>) -> Value {
    journal.same("upgrade/swagger2", "", "read Swagger 2.0 as OpenAPI 3.0");
    // All of this conversion reads places of the published document, and writes others.
    journal.by_source = true;
    let tree = restructure(tree, journal);
    journal.by_source = false;
    tree
}

fn restructure(tree: Value, journal: &mut Journal<'_>) -> Value {
    let published = tree.clone();
    let Value::Object(mut root) = tree else { return tree };
    root.remove("swagger");
    let context = Context {
        consumes: media_types(root.remove("consumes").as_ref()).unwrap_or_default(),
        produces: media_types(root.remove("produces").as_ref()).unwrap_or_default(),
        parameters: object(root.remove("parameters"), "/parameters", journal),
        published,
    };
    servers::convert(&mut root, journal);
    let mut components = Object::new();
    schemas(&mut root, &mut components, journal);
    parameters(&context, &mut components, journal);
    responses(&mut root, &context, &mut components, journal);
    security::convert(&mut root, &mut components, journal);
    match root.get_mut("components") {
        // A contract that mixes both versions keeps its own members.
        Some(Value::Object(present)) => {
            for (key, value) in components {
                match (present.get_mut(&key), value) {
                    (Some(Value::Object(mine)), Value::Object(other)) => {
                        for (name, value) in other {
                            mine.entry(name).or_insert(value);
                        }
                    }
                    (_, value) => {
                        present.insert(key, value);
                    }
                }
            }
        }
        _ => {
            root.insert("components".to_owned(), Value::Object(components));
        }
    }
    if let Some(Value::Object(paths)) = root.get_mut("paths") {
        for (path, item) in paths.iter_mut().filter(|(path, _)| !path.starts_with("x-")) {
            operation::path_item(item, &pointer::join("/paths", path), &context, journal);
        }
    }
    if root.contains_key("x-ms-paths") {
        let why = "their paths carry a query, which OpenAPI does not allow";
        journal.degraded("upgrade/swagger2", "/x-ms-paths", "left the operations of `x-ms-paths` out", why);
    }
    let mut tree = Value::Object(root);
    retarget(&mut tree, &context);
    tree
}

fn schemas(root: &mut Object, components: &mut Object, journal: &mut Journal<'_>) {
    if let Some(definitions) = root.remove("definitions") {
        components.insert("schemas".to_owned(), Value::Object(object(Some(definitions), "/definitions", journal)));
        journal.origins.record("/definitions", "/components/schemas");
    }
}

fn parameters(context: &Context, components: &mut Object, journal: &mut Journal<'_>) {
    let mut plain = Object::new();
    let mut bodies = Object::new();
    for (name, value) in &context.parameters {
        let from = pointer::join("/parameters", name);
        let Value::Object(parameter) = value else {
            journal.degraded("upgrade/parameter", &from, "dropped a parameter", "it is not an object");
            continue;
        };
        match place(parameter) {
            "body" => {
                let to = pointer::join("/components/requestBodies", name);
                let value = body::json(parameter, &from, &to, &context.consumes, journal);
                bodies.insert(name.clone(), value);
            }
            // The operation that uses it makes it a part of the body.
            "formData" => {}
            _ => {
                let to = pointer::join("/components/parameters", name);
                plain.insert(name.clone(), parameter::convert(parameter.clone(), &from, &to, journal));
            }
        }
    }
    for (key, map) in [("parameters", plain), ("requestBodies", bodies)] {
        if !map.is_empty() {
            components.insert(key.to_owned(), Value::Object(map));
        }
    }
}

fn responses(root: &mut Object, context: &Context, components: &mut Object, journal: &mut Journal<'_>) {
    let Some(shared) = root.remove("responses") else { return };
    let mut shared = object(Some(shared), "/responses", journal);
    journal.origins.record("/responses", "/components/responses");
    for (name, response) in &mut shared {
        let (from, to) = (pointer::join("/responses", name), pointer::join("/components/responses", name));
        response::convert(response, &from, &to, &context.produces, journal);
    }
    components.insert("responses".to_owned(), Value::Object(shared));
}

/// Rewrites references to definitions, parameters and responses as such. References that go deeper follow later.
fn retarget(tree: &mut Value, context: &Context) {
    const MOVES: [(&str, &str); 3] = [
        ("#/definitions/", "/components/schemas/"),
        ("#/parameters/", "/components/parameters/"),
        ("#/responses/", "/components/responses/"),
    ];
    walk::each(tree, &mut |kind, value, _| {
        let Some(Value::String(reference)) = value.get_mut("$ref") else { return };
        for (from, to) in MOVES {
            if let Some(name) = reference.strip_prefix(from).filter(|name| !name.contains('/')) {
                *reference = format!("#{to}{name}");
                return;
            }
        }
        // Swagger 1.2 names a model without a place, and some contracts still do.
        let definition = |name: &str| context.published.get("definitions").is_some_and(|all| all.get(name).is_some());
        if kind == walk::NodeKind::Schema && definition(reference) {
            *reference = format!("#{}", pointer::join("/components/schemas", reference));
        }
    });
}

/// The location of a parameter, or an empty string.
fn place(parameter: &Object) -> &str {
    parameter.get("in").and_then(Value::as_str).unwrap_or_default()
}

/// A list of media types; none when there is no such list.
pub(super) fn media_types(value: Option<&Value>) -> Option<Vec<String>> {
    match value? {
        Value::Array(items) => {
            let mut names: Vec<String> = Vec::new();
            for name in items.iter().filter_map(Value::as_str).map(str::trim).filter(|name| !name.is_empty()) {
                if !names.iter().any(|present| present == name) {
                    names.push(name.to_owned());
                }
            }
            Some(names)
        }
        Value::String(name) => Some(vec![name.clone()]),
        _ => None,
    }
}

fn object(value: Option<Value>, pointer: &str, journal: &mut Journal<'_>) -> Object {
    match value {
        Some(Value::Object(map)) => map,
        None => Object::new(),
        Some(_) => {
            journal.degraded("upgrade/swagger2", pointer, "read as empty", "it is not an object");
            Object::new()
        }
    }
}
