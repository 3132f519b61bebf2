//! `bindings.rs`: the asynchronous operations, as the configuration binds them.

use super::index::Index;
use super::render::Render;
use crate::bind::Bound;
use crate::emit::Piece;
use crate::graphql::Documents;
use crate::model::Operation;
use crate::text::docs::{comment, span};
use crate::text::literal;

/// Writes the constants.
pub(crate) fn write(render: &Render<'_>, documents: &Documents, api: &mut Index) -> Vec<Piece> {
    let mut code = "//! Asynchronous operations, as the configuration binds them.\n\n".to_owned();
    if !render.bound.is_empty() {
        code.push_str("use platform_runtime::codegen::prelude::*;\nuse platform_runtime::operations::{Binding, Cancel, Events, States};\n\n");
    } else {
        code.push_str("use platform_runtime::operations::Binding;\n\n");
    }
    let mut list = String::new();
    for bound in render.bound {
        let name = bound.settings.name.to_uppercase();
        let condition = condition(render, documents, bound);
        code.push_str(&constant(render, documents, bound, &name, &condition));
        list.push_str(&format!("{condition}&{name},\n"));
        api.add(&format!("bindings::{name}"), "static", "Binding");
    }
    code.push_str(&format!("/// All of them.\npub static BINDINGS: &[&Binding] = &[\n{list}];\n"));
    api.add("bindings::BINDINGS", "static", "&[&Binding]");
    vec![Piece::Code(code)]
}

/// What has to be compiled for the operation to be there.
fn condition(render: &Render<'_>, documents: &Documents, bound: &Bound<'_>) -> String {
    let family = |operation: &Operation| render.model.families.iter().find(|family| family.name == operation.family);
    let mut features: Vec<String> = [Some(bound.operation), bound.cancel]
        .into_iter()
        .flatten()
        .filter_map(|index| family(&render.model.operations[index]))
        .map(|family| format!("feature = {}", literal(&family.feature)))
        .collect();
    if documents.assumed || bound.is_assumed(render.model) {
        features.push("feature = \"assumed\"".to_owned());
    }
    features.dedup();
    match features.as_slice() {
        [single] => format!("#[cfg({single})]\n"),
        several => format!("#[cfg(all({}))]\n", several.join(", ")),
    }
}

fn constant(render: &Render<'_>, documents: &Documents, bound: &Bound<'_>, name: &str, condition: &str) -> String {
    let settings = bound.settings;
    let submit = &render.model.operations[bound.operation];
    let document = |file: &String| {
        documents.constant(file).map_or_else(|| literal(""), |name| format!("super::documents::{name}.text()"))
    };
    let optional = |text: &Option<String>| match text {
        Some(text) => format!("Some({})", literal(text)),
        None => "None".to_owned(),
    };
    let list = |names: &[String]| -> String {
        format!("&[{}]", names.iter().map(|name| literal(name)).collect::<Vec<_>>().join(", "))
    };
    let events = settings.events.as_ref().map_or_else(
        || "None".to_owned(),
        |events| {
            format!(
                "Some(Events {{ list: {}, name: {}, pushed: {}, required: {} }})",
                literal(&events.list),
                literal(&events.name),
                optional(&events.pushed),
                list(&events.required)
            )
        },
    );
    let cancel = settings.cancel.as_ref().zip(bound.cancel).map_or_else(
        || "None".to_owned(),
        |(cancel, index)| {
            let operation = &render.model.operations[index];
            format!(
                "Some(Cancel {{ method: {}, path: {}, parameter: {} }})",
                super::operations::method(operation),
                literal(&operation.target()),
                literal(&cancel.parameter)
            )
        },
    );
    let mut docs =
        format!("{}, watched with {}", span(&format!("{} {}", submit.method, submit.target())), span(&settings.query));
    if let Some(subscription) = &settings.subscription {
        docs.push_str(&format!(" and {}", span(subscription)));
    }
    docs.push('.');
    if bound.is_assumed(render.model) {
        docs = format!(
            "Assumed: the shape is the sandbox's until the client is regenerated from a real deployment.\n\n{docs}"
        );
    }
    let states = &settings.states;
    let fields = [
        ("kind", literal(&settings.name)),
        ("method", super::operations::method(submit)),
        ("path", literal(&submit.path)),
        ("identifier", literal(&settings.identifier)),
        ("query", document(&settings.query)),
        (
            "subscription",
            settings.subscription.as_ref().map_or("None".to_owned(), |file| format!("Some({})", document(file))),
        ),
        ("variable", literal(&settings.variable)),
        ("state", literal(&settings.state)),
        ("pushed_state", optional(&settings.pushed_state)),
        (
            "states",
            format!(
                "States {{ pending: {}, succeeded: {}, failed: {}, cancelled: {} }}",
                list(&states.pending),
                list(&states.succeeded),
                list(&states.failed),
                list(&states.cancelled)
            ),
        ),
        ("events", events),
        ("cancel", cancel),
        ("idempotency", optional(&settings.idempotency)),
    ];
    let fields: String = fields.iter().map(|(field, value)| format!("{field}: {value},\n")).collect();
    format!("{}{condition}pub static {name}: Binding = Binding {{\n{fields}}};\n\n", comment(&docs))
}
