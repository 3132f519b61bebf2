//! The operations of a client as a text, for `driftless-cli`: a line for the client, each family, operation, type and binding.
//!
//! A line begins with its kind and its names, and ends with a JSON object, so that a program finds one operation without reading the
//! others, and a reviewer sees a change of one operation as a change of one line.

mod operation;
mod schema;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::Config;
use crate::bind::{Bindings, Bound, watched_path};
use crate::graphql::Documents;
use crate::model::{Definition, Model, Provenance};

/// The version of the form of the table.
const VERSION: u32 = 1;

/// The whole table.
pub(crate) fn table(model: &Model, config: &Config, bindings: &Bindings<'_>, documents: &Documents) -> String {
    let names = &config.client;
    let mut lines = vec![line("client", &[], &json!({ "version": VERSION, "variables": names.variables }))];
    let mut referenced = BTreeSet::new();
    let operations = || model.operations.iter().enumerate();
    for family in &model.families {
        let mut about = Object::default();
        about.text("covers", &family.covers);
        about.text("server", family.server.as_deref().unwrap_or_default());
        lines.push(line("family", &[&family.name], &about.into()));
        for (index, operation) in operations().filter(|(_, operation)| operation.family == family.name) {
            let described = operation::described(model, bindings, family, index, operation);
            references(&described, &mut referenced);
            lines.push(line("operation", &[&family.name, &operation.name], &described));
        }
    }
    lines.extend(types(model, &referenced));
    lines.extend(
        bindings.bound.iter().map(|bound| line("binding", &[&bound.settings.name], &binding(model, documents, bound))),
    );
    lines.concat()
}

/// The lines of the types that operations refer to, and of those that these refer to.
fn types(model: &Model, referenced: &BTreeSet<String>) -> Vec<String> {
    let definitions: BTreeMap<&str, &Definition> =
        model.types.iter().map(|definition| (&*definition.name, definition)).collect();
    let mut schemas = BTreeMap::new();
    let mut next: Vec<String> = referenced.iter().cloned().collect();
    while let Some(name) = next.pop() {
        let Some(definition) = definitions.get(name.as_str()) else { continue };
        if schemas.contains_key(&name) {
            continue;
        }
        let schema = schema::defined(model, definition);
        let mut more = BTreeSet::new();
        references(&schema, &mut more);
        next.extend(more);
        schemas.insert(name, schema);
    }
    schemas.iter().map(|(name, schema)| line("type", &[name], schema)).collect()
}

/// Adds the names of the types that a value refers to.
fn references(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            let path = members.get("$ref").and_then(Value::as_str);
            names.extend(path.and_then(|path| path.strip_prefix(schema::DEFINITIONS)).map(str::to_owned));
            members.values().for_each(|member| references(member, names));
        }
        Value::Array(elements) => elements.iter().for_each(|element| references(element, names)),
        _ => {}
    }
}

fn line(kind: &str, names: &[&str], content: &Value) -> String {
    let names = names.iter().map(|name| format!("{name} ")).collect::<String>();
    format!("{kind} {names}{content}\n")
}

/// An object without members that say nothing.
#[derive(Debug, Default)]
struct Object(Map<String, Value>);

impl Object {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn text(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.set(name, text);
        }
    }

    fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.set(name, true);
        }
    }

    fn list(&mut self, name: &str, values: Vec<Value>) {
        if !values.is_empty() {
            self.set(name, values);
        }
    }

    fn optional(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object.0)
    }
}

fn provenance(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::Plain => "",
        Provenance::Documented => "documented",
        Provenance::Assumed => "assumed",
    }
}

/// A binding, as the runtime has it.
fn binding(model: &Model, documents: &Documents, bound: &Bound<'_>) -> Value {
    let settings = bound.settings;
    let submit = &model.operations[bound.operation];
    let document = |named: &String| documents.source(named).map(str::to_owned);
    let states = &settings.states;
    let mut binding = Object::default();
    binding.set("family", &*submit.family);
    binding.set("operation", &*submit.name);
    binding.set("method", submit.method.as_str());
    binding.set("path", submit.path.as_str());
    binding.set("identifier", settings.identifier.as_deref().unwrap_or_default());
    binding.optional("query", settings.query.as_ref().and_then(document));
    binding.optional(
        "watch",
        settings.watch.as_ref().zip(watched_path(model, bound)).map(|(watch, path)| {
            let mut line = Object::default();
            line.set("path", path);
            line.set("parameter", watch.parameter.as_str());
            line.optional("header", watch.header.as_deref());
            line.0
        }),
    );
    binding.optional("subscription", settings.subscription.as_ref().and_then(document));
    binding.set("variable", settings.variable.as_str());
    binding.set("state", settings.state.as_str());
    binding.optional("pushed_state", settings.pushed_state.as_deref());
    binding.set(
        "states",
        json!({
            "pending": states.pending, "succeeded": states.succeeded, "failed": states.failed, "cancelled": states.cancelled,
        }),
    );
    binding.optional("events", settings.events.as_ref().map(|events| {
        json!({ "list": events.list, "name": events.name, "pushed": events.pushed, "required": events.required })
    }));
    binding.optional(
        "cancel",
        settings.cancel.as_ref().zip(bound.cancel).map(|(cancel, index)| {
            let operation = &model.operations[index];
            json!({ "method": operation.method, "path": operation.target(), "parameter": cancel.parameter })
        }),
    );
    binding.optional("idempotency", settings.idempotency.as_deref());
    binding.into()
}
