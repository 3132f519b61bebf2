//! Path items and operations.

use serde_json::Value;

use super::body::{self, FormField};
use super::{Context, Journal, Object, media_types, parameter, place, response};
use crate::pointer;
use crate::walk;

const PASS: &str = "upgrade/body";

/// Parameters by where they go.
#[derive(Default)]
struct Parameters {
    plain: Vec<Value>,
    /// A body parameter, its place, and the component that it is, if it is one.
    body: Option<(Object, String, Option<String>)>,
    fields: Vec<FormField>,
}

/// Converts a path item in place.
pub(super) fn path_item(item: &mut Value, pointer: &str, context: &Context, journal: &mut Journal<'_>) {
    let Value::Object(item) = item else { return };
    let mut shared = Parameters::default();
    if let Some(list) = item.remove("parameters") {
        shared = sort(list, &pointer::join(pointer, "parameters"), context, journal);
        if !shared.plain.is_empty() {
            item.insert("parameters".to_owned(), Value::Array(std::mem::take(&mut shared.plain)));
        }
    }
    for method in walk::METHODS {
        if let Some(Value::Object(operation)) = item.get_mut(method) {
            convert(operation, &pointer::join(pointer, method), &shared, context, journal);
        }
    }
}

fn convert(operation: &mut Object, pointer: &str, shared: &Parameters, context: &Context, journal: &mut Journal<'_>) {
    let consumes = media_types(operation.remove("consumes").as_ref()).unwrap_or_else(|| context.consumes.clone());
    let produces = media_types(operation.remove("produces").as_ref()).unwrap_or_else(|| context.produces.clone());
    if operation.remove("schemes").is_some() {
        let lost = "schemes of this operation alone";
        journal.prose("upgrade/schemes", pointer, "dropped `schemes`", lost);
    }
    let mut own = Parameters::default();
    if let Some(list) = operation.remove("parameters") {
        own = sort(list, &pointer::join(pointer, "parameters"), context, journal);
    }
    if !own.plain.is_empty() {
        operation.insert("parameters".to_owned(), Value::Array(std::mem::take(&mut own.plain)));
    }
    inherit(&mut own, shared);
    if let Some(body) = request(own, pointer, &consumes, context, journal) {
        operation.insert("requestBody".to_owned(), body);
    }
    if let Some(Value::Object(responses)) = operation.get_mut("responses") {
        let place = pointer::join(pointer, "responses");
        for (status, value) in responses.iter_mut().filter(|(status, _)| !status.starts_with("x-")) {
            let place = pointer::join(&place, status);
            response::convert(value, &place, &place, &produces, journal);
        }
    }
}

/// Parameters of the path item apply to its operations, unless these have one of the same name.
fn inherit(own: &mut Parameters, shared: &Parameters) {
    if own.body.is_none() && own.fields.is_empty() {
        own.body.clone_from(&shared.body);
    }
    for field in &shared.fields {
        let name = field.parameter.get("name");
        if !own.fields.iter().any(|present| present.parameter.get("name") == name) {
            own.fields.push(FormField { parameter: field.parameter.clone(), pointer: field.pointer.clone() });
        }
    }
}

fn request(
    own: Parameters,
    pointer: &str,
    consumes: &[String],
    context: &Context,
    journal: &mut Journal<'_>,
) -> Option<Value> {
    let to = pointer::join(pointer, "requestBody");
    let body = match own.body {
        None if own.fields.is_empty() => return None,
        None => return Some(body::form(own.fields, &to, consumes, journal)),
        Some((_, from, Some(component))) if own.fields.is_empty() && consumes == context.consumes => {
            journal.origins.record(&from, &to);
            let reference = format!("#{}", pointer::join("/components/requestBodies", &component));
            return Some(serde_json::json!({ "$ref": reference }));
        }
        Some((parameter, from, _)) => body::json(&parameter, &from, &to, consumes, journal),
    };
    if own.fields.is_empty() {
        return Some(body);
    }
    // Swagger 2.0 forbids both; a request can carry one of them.
    let lost = "that the contract demands a body and a form at once";
    journal.prose(PASS, pointer, "wrote body and form as alternatives", lost);
    let mut body = body;
    let form = body::form(own.fields, &to, consumes, journal);
    if let (Some(Value::Object(content)), Value::Object(mut form)) = (body.get_mut("content"), form)
        && let Some(Value::Object(forms)) = form.remove("content")
    {
        content.extend(forms);
    }
    Some(body)
}

fn sort(list: Value, pointer: &str, context: &Context, journal: &mut Journal<'_>) -> Parameters {
    let mut sorted = Parameters::default();
    let Value::Array(list) = list else {
        journal.degraded(PASS, pointer, "dropped the parameters", "they are not an array");
        return sorted;
    };
    for (index, value) in list.into_iter().enumerate() {
        let from = format!("{pointer}/{index}");
        let Value::Object(parameter) = value else {
            journal.degraded(PASS, &from, "dropped a parameter", "it is not an object");
            continue;
        };
        let target = parameter.get("$ref").and_then(Value::as_str).and_then(|target| context.parameter(target));
        let (effective, source) = match &target {
            Some((source, target)) => (*target, source.clone()),
            None => (&parameter, from.clone()),
        };
        match place(effective) {
            "body" if sorted.body.is_some() => {
                journal.degraded(PASS, &from, "dropped a second body", "a request has one body");
            }
            "body" => {
                let component = target.as_ref().and_then(|(source, _)| component(source));
                sorted.body = Some((effective.clone(), source, component));
            }
            "formData" => sorted.fields.push(FormField { parameter: effective.clone(), pointer: source }),
            _ => {
                let to = format!("{pointer}/{}", sorted.plain.len());
                let mut value = parameter::convert(parameter.clone(), &from, &to, journal);
                if let Some(name) = target.as_ref().and_then(|(source, _)| component(source)) {
                    value =
                        serde_json::json!({ "$ref": format!("#{}", pointer::join("/components/parameters", &name)) });
                }
                sorted.plain.push(value);
            }
        }
    }
    sorted
}

/// The name of a shared parameter, by its place in the published document.
fn component(source: &str) -> Option<String> {
    pointer::member(source, "/parameters/")
}
