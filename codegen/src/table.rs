//! The operations of a client as a text, for `driftless-cli`: a line for the client, each family, operation, type and binding.
//!
//! A line begins with its kind and its names, and ends with a JSON object, so that a program finds one operation without reading the
//! others, and a reviewer sees a change of one operation as a change of one line.

mod operation;
mod schema;

use serde_json::{Map, Value, json};

use crate::Config;
use crate::bind::{Bindings, Bound};
use crate::graphql::Documents;
use crate::model::{Model, Provenance, Reach};

/// The version of the form of the table.
const VERSION: u32 = 1;

/// The whole table.
pub(crate) fn table(model: &Model, config: &Config, bindings: &Bindings<'_>, documents: &Documents) -> String {
    let names = &config.client;
    let mut lines = vec![line("client", &[], &json!({ "version": VERSION, "variables": names.variables }))];
    let operations = || model.operations.iter().enumerate();
    for family in &model.families {
        let mut about = Object::default();
        about.text("covers", &family.covers);
        about.text("server", family.server.as_deref().unwrap_or_default());
        lines.push(line("family", &[&family.name], &about.into()));
        for (index, operation) in operations().filter(|(_, operation)| operation.family == family.name) {
            let described = operation::described(model, bindings, family, index, operation);
            lines.push(line("operation", &[&family.name, &operation.name], &described));
        }
    }
    let mut types: Vec<_> = model.types.iter().filter(|definition| is_used(&definition.reach)).collect();
    types.sort_by(|one, other| one.name.cmp(&other.name));
    lines.extend(
        types.into_iter().map(|definition| line("type", &[&definition.name], &schema::defined(model, definition))),
    );
    lines.extend(
        bindings.bound.iter().map(|bound| line("binding", &[&bound.settings.name], &binding(model, documents, bound))),
    );
    lines.concat()
}

/// Types that no operation uses stay out.
fn is_used(reach: &Reach) -> bool {
    !reach.families.is_empty()
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
    binding.set("identifier", settings.identifier.as_str());
    binding.optional("query", settings.query.as_ref().and_then(document));
    binding.optional(
        "watch",
        settings
            .watch
            .as_ref()
            .zip(bound.watch)
            .map(|(watch, index)| json!({ "path": model.operations[index].target(), "parameter": watch.parameter })),
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
