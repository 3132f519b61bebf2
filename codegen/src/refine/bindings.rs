//! `bindings.rs`: the asynchronous operations, as the configuration binds them.

use super::client;
use super::index::Index;
use super::operations::method;
use super::render::Render;
use crate::bind::{Bound, watched_path};
use crate::graphql::Documents;
use crate::model::Operation;
use crate::pieces::Piece;
use crate::text::code::code;
use crate::text::docs::{comment, docs, span};
use crate::text::{Code, Ident, literal};

/// Writes the constants.
pub(crate) fn write(render: &Render<'_>, documents: &Documents, api: &mut Index) -> Vec<Piece> {
    let mut code = code!["//! Bindings of asynchronous operations, from the configuration.\n\n"];
    code.push(if render.bound.is_empty() { client::BINDING } else { client::BINDINGS }).push("\n");
    let mut list = Code::default();
    for bound in render.bound {
        let name = Ident::derived(&bound.settings.name.to_uppercase(), |_| "OPERATION".to_owned());
        let condition = condition(render, documents, bound);
        code.push(constant(render, documents, bound, &name, &condition));
        list.push(condition).push("&").push(&name).push(",\n");
        api.group("", features(render, documents, bound));
        api.add(&format!("bindings::{name}"), "static", "Binding");
    }
    api.group("", Vec::new());
    code.push("/// All bindings.\npub static BINDINGS: &[&Binding] = &[\n").push(list).push("];\n");
    api.add("bindings::BINDINGS", "static", "&[&Binding]");
    vec![Piece::Code(code)]
}

/// The `cfg` condition under which the operation exists.
fn condition(render: &Render<'_>, documents: &Documents, bound: &Bound<'_>) -> Code {
    let features = features(render, documents, bound);
    let features: Vec<Code> = features.iter().map(|feature| code!["feature = ", literal(feature)]).collect();
    match features.as_slice() {
        [single] => code!["#[cfg(", single, ")]\n"],
        several => code!["#[cfg(all(", Code::join(", ", several), "))]\n"],
    }
}

fn features(render: &Render<'_>, documents: &Documents, bound: &Bound<'_>) -> Vec<String> {
    let family = |operation: &Operation| render.model.families.iter().find(|family| family.name == operation.family);
    let mut features: Vec<String> = [Some(bound.operation), bound.cancel, bound.watch]
        .into_iter()
        .flatten()
        .filter_map(|index| family(&render.model.operations[index]))
        .map(|family| family.feature.clone())
        .collect();
    if documents.assumed && bound.watch.is_none() || bound.is_assumed(render.model) {
        features.push("assumed".to_owned());
    }
    features.dedup();
    features
}

fn constant(render: &Render<'_>, documents: &Documents, bound: &Bound<'_>, name: &Ident, condition: &Code) -> Code {
    let settings = bound.settings;
    let submit = &render.model.operations[bound.operation];
    let document = |file: &String| {
        let name = documents.constant(file);
        name.map_or_else(|| code!["\"\""], |name| code!["super::documents::", name, ".text()"])
    };
    let some = |code: Option<Code>| code.map_or_else(|| code!["None"], |code| code!["Some(", code, ")"]);
    let optional = |text: &Option<String>| some(text.as_ref().map(|text| code![literal(text)]));
    let list = |names: &[String]| code!["&[", Code::join(", ", names.iter().map(|name| literal(name))), "]"];
    let events = settings.events.as_ref().map(|events| {
        let (pushed, required) = (optional(&events.pushed), list(&events.required));
        let (place, name) = (literal(&events.list), literal(&events.name));
        code!["Events { list: ", place, ", name: ", name, ", pushed: ", pushed, ", required: ", required, " }"]
    });
    let cancel = settings.cancel.as_ref().zip(bound.cancel).map(|(cancel, index)| {
        let operation = &render.model.operations[index];
        let (path, parameter) = (literal(&operation.target()), literal(&cancel.parameter));
        code!["Cancel { method: ", method(operation), ", path: ", path, ", parameter: ", parameter, " }"]
    });
    let watch = settings.watch.as_ref().zip(watched_path(render.model, bound)).map(|(watch, path)| {
        let (path, parameter, header) = (literal(&path), literal(&watch.parameter), optional(&watch.header));
        code!["Watched { path: ", path, ", parameter: ", parameter, ", header: ", header, " }"]
    });
    let mut docs = docs![
        if bound.is_assumed(render.model) { client::ASSUMED } else { "" },
        span(&format!("{} {}", submit.method, submit.target())),
        ", watched with ",
        span(settings.query.as_ref().or(settings.watch.as_ref().map(|watch| &watch.operation)).map_or("", |text| text))
    ];
    if let Some(subscription) = &settings.subscription {
        docs.push(docs![" and ", span(subscription)]);
    }
    docs.push(".");
    let states = &settings.states;
    let states = [
        ("pending: ", &states.pending),
        (", succeeded: ", &states.succeeded),
        (", failed: ", &states.failed),
        (", cancelled: ", &states.cancelled),
    ];
    let states = Code::join("", states.map(|(kind, states)| code![kind, list(states)]));
    let fields = [
        ("kind: ", code![literal(&settings.name)]),
        ("method: ", method(submit)),
        ("path: ", code![literal(&submit.path)]),
        ("identifier: ", code![literal(settings.identifier.as_deref().unwrap_or_default())]),
        ("query: ", settings.query.as_ref().map_or_else(|| code!["\"\""], document)),
        ("watch: ", some(watch)),
        ("subscription: ", some(settings.subscription.as_ref().map(document))),
        ("variable: ", code![literal(&settings.variable)]),
        ("state: ", code![literal(&settings.state)]),
        ("pushed_state: ", optional(&settings.pushed_state)),
        ("states: ", code!["States { ", states, " }"]),
        ("events: ", some(events)),
        ("cancel: ", some(cancel)),
        ("idempotency: ", optional(&settings.idempotency)),
    ];
    let fields = Code::join("", fields.map(|(field, value)| code![field, value, ",\n"]));
    code![comment(&docs), condition, "pub static ", name, ": Binding = Binding {\n", fields, "};\n\n"]
}
