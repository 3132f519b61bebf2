//! Visits every object of a contract that has a meaning, with its JSON pointer.
//!
//! The walk knows where OpenAPI puts schemas, parameters, media types and the rest, so objects that merely look alike
//! (in an example, a default, an extension) are skipped. It goes from the leaves to the root: when a visitor sees an
//! object, its children have been visited, and the pointer is that of the tree as it was before the walk.
//!
//! Documents are bounded in depth by `load`, so the recursion is bounded as well.

use serde_json::{Map, Value};

use crate::members::Members as _;
use crate::pointer::{push, push_index};

/// The kind of an object, by its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// A path item, also of a callback or webhook.
    PathItem,
    /// An operation.
    Operation,
    /// A parameter.
    Parameter,
    /// A header of a response or of a part.
    Header,
    /// A request body.
    Body,
    /// A response.
    Response,
    /// A media type.
    MediaType,
    /// A schema, at any depth. May be a boolean, except where OpenAPI 3.0 allows one.
    Schema,
}

/// The methods that a path item of OpenAPI 3.0 can hold.
pub(crate) const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The extension for operations with other methods: a map from the method as sent to the operation.
pub(crate) const OTHER_OPERATIONS: &str = "x-additional-operations";

/// Visits everything. The value is whatever stands at the place: a malformed contract may have anything there.
pub(crate) fn each(tree: &mut Value, visit: &mut dyn FnMut(NodeKind, &mut Value, &str)) {
    Walk { pointer: String::new(), visit }.document(tree);
}

/// Visits every schema that is an object.
pub(crate) fn schemas(tree: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>, &str)) {
    each(tree, &mut |kind, value, pointer| {
        if let (NodeKind::Schema, Value::Object(schema)) = (kind, value) {
            visit(schema, pointer);
        }
    });
}

/// Sorts the keys of all objects. In most trees they are sorted already, and sorting makes each map anew.
pub(crate) fn sort_keys(tree: &mut Value) {
    match tree {
        Value::Object(map) => {
            if !map.keys().is_sorted() {
                map.sort_keys();
            }
            map.values_mut().for_each(sort_keys);
        }
        Value::Array(items) => items.iter_mut().for_each(sort_keys),
        _ => {}
    }
}

struct Walk<'a> {
    pointer: String,
    visit: &'a mut dyn FnMut(NodeKind, &mut Value, &str),
}

type Visitor<'a> = fn(&mut Walk<'a>, &mut Value);

impl<'a> Walk<'a> {
    fn document(&mut self, tree: &mut Value) {
        self.child(tree, "components", |walk, components| {
            walk.children_of(components, "schemas", Self::schema);
            walk.children_of(components, "parameters", Self::parameter);
            walk.children_of(components, "headers", Self::header);
            walk.children_of(components, "requestBodies", Self::body);
            walk.children_of(components, "responses", Self::response);
            walk.children_of(components, "mediaTypes", Self::media_type);
            walk.children_of(components, "pathItems", Self::path_item);
            walk.children_of(components, "callbacks", Self::path_items);
        });
        self.child(tree, "paths", Self::path_items);
        self.child(tree, "webhooks", Self::path_items);
    }

    fn child(&mut self, parent: &mut Value, key: &str, step: Visitor<'a>) {
        if let Some(value) = parent.as_object_mut().and_then(|map| map.member_mut(key)) {
            let mark = push(&mut self.pointer, key);
            step(self, value);
            self.pointer.truncate(mark);
        }
    }

    fn children(&mut self, parent: &mut Value, step: Visitor<'a>) {
        match parent {
            Value::Object(map) => {
                for (key, value) in map {
                    let mark = push(&mut self.pointer, key);
                    step(self, value);
                    self.pointer.truncate(mark);
                }
            }
            Value::Array(items) => {
                for (index, value) in items.iter_mut().enumerate() {
                    let mark = push_index(&mut self.pointer, index);
                    step(self, value);
                    self.pointer.truncate(mark);
                }
            }
            _ => {}
        }
    }

    fn children_of(&mut self, parent: &mut Value, key: &str, step: Visitor<'a>) {
        if let Some(value) = parent.as_object_mut().and_then(|map| map.member_mut(key)) {
            let mark = push(&mut self.pointer, key);
            self.children(value, step);
            self.pointer.truncate(mark);
        }
    }

    fn visit(&mut self, kind: NodeKind, value: &mut Value) {
        (self.visit)(kind, value, &self.pointer);
    }

    /// `paths`, `webhooks` or a callback: path items by path, beside extensions.
    fn path_items(&mut self, paths: &mut Value) {
        let Value::Object(map) = paths else { return };
        for (key, item) in map.iter_mut().filter(|(key, _)| !key.starts_with("x-")) {
            let mark = push(&mut self.pointer, key);
            self.path_item(item);
            self.pointer.truncate(mark);
        }
    }

    fn path_item(&mut self, item: &mut Value) {
        self.children_of(item, "parameters", Self::parameter);
        for method in METHODS {
            self.child(item, method, Self::operation);
        }
        self.child(item, "query", Self::operation);
        self.children_of(item, "additionalOperations", Self::operation);
        self.children_of(item, OTHER_OPERATIONS, Self::operation);
        self.visit(NodeKind::PathItem, item);
    }

    fn operation(&mut self, operation: &mut Value) {
        self.children_of(operation, "parameters", Self::parameter);
        self.child(operation, "requestBody", Self::body);
        self.child(operation, "responses", |walk, responses| {
            let Value::Object(map) = responses else { return };
            for (key, response) in map.iter_mut().filter(|(key, _)| !key.starts_with("x-")) {
                let mark = push(&mut walk.pointer, key);
                walk.response(response);
                walk.pointer.truncate(mark);
            }
        });
        self.children_of(operation, "callbacks", Self::path_items);
        self.visit(NodeKind::Operation, operation);
    }

    fn parameter(&mut self, parameter: &mut Value) {
        self.child(parameter, "schema", Self::schema);
        self.children_of(parameter, "content", Self::media_type);
        self.visit(NodeKind::Parameter, parameter);
    }

    fn header(&mut self, header: &mut Value) {
        self.child(header, "schema", Self::schema);
        self.children_of(header, "content", Self::media_type);
        self.visit(NodeKind::Header, header);
    }

    fn body(&mut self, body: &mut Value) {
        self.children_of(body, "content", Self::media_type);
        self.visit(NodeKind::Body, body);
    }

    fn response(&mut self, response: &mut Value) {
        self.children_of(response, "headers", Self::header);
        self.children_of(response, "content", Self::media_type);
        self.visit(NodeKind::Response, response);
    }

    fn media_type(&mut self, media_type: &mut Value) {
        self.child(media_type, "schema", Self::schema);
        self.child(media_type, "itemSchema", Self::schema);
        self.children_of(media_type, "encoding", |walk, encoding| walk.children_of(encoding, "headers", Self::header));
        self.visit(NodeKind::MediaType, media_type);
    }

    fn schemas(&mut self, schemas: &mut Value) {
        self.children(schemas, Self::schema);
    }

    fn schema(&mut self, schema: &mut Value) {
        if let Value::Object(map) = schema {
            for (key, value) in map {
                let step: Visitor<'a> = match key.as_str() {
                    "additionalItems" | "contains" | "contentSchema" | "else" | "if" | "not" | "propertyNames"
                    | "then" | "unevaluatedItems" => Self::schema,
                    "additionalProperties" | "unevaluatedProperties" if !value.is_boolean() => Self::schema,
                    "$defs" | "allOf" | "anyOf" | "definitions" | "dependentSchemas" | "oneOf"
                    | "patternProperties" | "prefixItems" | "properties" => Self::schemas,
                    "items" if value.is_array() => Self::schemas,
                    "items" => Self::schema,
                    _ => continue,
                };
                let mark = push(&mut self.pointer, key);
                step(self, value);
                self.pointer.truncate(mark);
            }
        }
        self.visit(NodeKind::Schema, schema);
    }
}
