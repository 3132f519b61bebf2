//! The headers that the responses of an operation declare.

use std::collections::BTreeMap;

use super::budget;
use super::claims::shared_name;
use super::http::{is_json, is_token};
use super::objects::text_not_bytes;
use super::operations::FoundOperation;
use super::schemas::Types;
use super::status::StatusKey;
use super::tree::Node;
use super::types::{Format, Kind, Type};
use super::{HeaderForm, ResponseHeader};
use crate::ledger::Loss;
use crate::naming::ident::camel;

/// A header of the response for a status: its name in the contract's spelling, and its declaration.
struct Declared<'a> {
    status: StatusKey,
    wire: &'a str,
    node: Node<'a>,
}

/// The headers of all responses, one for each name. If several statuses declare one, the status of the lock decides,
/// otherwise the first success.
pub(super) fn read<'a>(
    types: &mut Types<'a>,
    operation: &FoundOperation<'a>,
    responses: &[(StatusKey, Node<'a>)],
) -> Vec<ResponseHeader> {
    let mut by_name: BTreeMap<String, Vec<Declared<'a>>> = BTreeMap::new();
    for (status, response) in responses {
        let Some(headers) = response.resolve().and_then(|response| response.get("headers")) else { continue };
        for (wire, node) in headers.members() {
            // The media type is the client's (OpenAPI 3.0, "Response Object").
            if wire.eq_ignore_ascii_case("content-type") {
                continue;
            }
            if !is_token(wire) {
                types.lose(&node, "left out", "no header can have such a name".to_owned());
                continue;
            }
            // Names of headers are the same in any case (RFC 9110, section 5.1).
            let known = by_name.len() < budget::HEADERS || by_name.contains_key(&wire.to_lowercase());
            if !known {
                let cause = format!("the operation has more than {} of them", budget::HEADERS);
                types.lose(&operation.node, "the other headers of its responses are read by name", cause);
                break;
            }
            by_name.entry(wire.to_lowercase()).or_default().push(Declared { status: *status, wire, node });
        }
    }
    let mut list = Vec::with_capacity(by_name.len());
    let mut sources = Vec::with_capacity(by_name.len());
    for (key, mut declared) in by_name {
        let pinned = types.claims.header(&operation.key, &key);
        declared.sort_by_key(|one| (pinned != Some(one.status), !one.status.is_success(), one.status));
        let Some(first) = declared.first() else { continue };
        let header = one(types, first, &operation.hint);
        differing(types, &header, &declared);
        sources.push((key, first.status));
        list.push(ResponseHeader { statuses: declared.iter().map(|one| one.status).collect(), ..header });
    }
    let names = types.claims.headers(&operation.key, &sources);
    for (header, name) in list.iter_mut().zip(names) {
        header.name = name;
        header.statuses.sort_unstable();
        header.statuses.dedup();
    }
    list
}

fn one<'a>(types: &mut Types<'a>, declared: &Declared<'a>, hint: &str) -> ResponseHeader {
    let Declared { wire, node, .. } = declared;
    let target = node.resolve();
    if target.is_none() {
        types.lose(node, "read as text", node.unresolved());
    }
    let node = target.unwrap_or_else(|| node.clone());
    let name = shared_name(&node.pointer, "Header").unwrap_or_else(|| format!("{hint}{}", camel(wire)));
    let content = node.get("content").and_then(|content| content.members().next());
    let (ty, form) = match &content {
        Some((media, content)) if is_json(media) => {
            let schema = content.get("schema");
            (schema.map_or(Type::Any, |schema| text_not_bytes(types.schema_type(&schema, &name).ty)), HeaderForm::Json)
        }
        Some(_) => (Type::String(Format::Text), HeaderForm::One),
        None => plain(types, node.get("schema"), &name),
    };
    // A server sends a line for each cookie (RFC 6265, section 3).
    let (ty, form) = match (wire.eq_ignore_ascii_case("set-cookie"), form) {
        (true, HeaderForm::One | HeaderForm::Date) => (Type::List(Box::new(ty)), HeaderForm::List),
        (_, form) => (ty, form),
    };
    ResponseHeader {
        wire: (*wire).to_owned(),
        name: crate::text::Ident::fixed("unnamed"),
        ty,
        form,
        docs: node.prose(),
        deprecated: node.flag("deprecated"),
        statuses: Vec::new(),
    }
}

/// The type of a header that is written as text, or as a list with commas.
fn plain<'a>(types: &mut Types<'a>, schema: Option<Node<'a>>, hint: &str) -> (Type, HeaderForm) {
    let text = (Type::String(Format::Text), HeaderForm::One);
    let Some(schema) = schema else { return text };
    let Some(target) = schema.resolve() else { return text };
    let composed = ["properties", "oneOf", "anyOf", "allOf", "additionalProperties"];
    let is_object = target.text("type") == "object" || composed.iter().any(|key| target.value.get(key).is_some());
    let ty = if is_object { None } else { Some(text_not_bytes(types.schema_type(&schema, hint).ty)) };
    match ty {
        Some(Type::String(Format::DateTime)) => (Type::String(Format::DateTime), HeaderForm::Date),
        Some(ty) if is_scalar(types, &ty) => (ty, HeaderForm::One),
        Some(Type::List(item)) if is_scalar(types, &item) => (Type::List(item), HeaderForm::List),
        Some(Type::Any) => text,
        _ => {
            let lost = Loss::Documentation("its value".to_owned());
            schema.note(types.ledger, "model/response", "a header with parts is read as text", lost);
            text
        }
    }
}

fn is_scalar(types: &Types<'_>, ty: &Type) -> bool {
    match ty {
        Type::Boolean | Type::Integer(_) | Type::Float | Type::Double | Type::Decimal | Type::String(_) => true,
        Type::Named(id) => matches!(types.kind_of(*id), Some(Kind::Enum(..))),
        _ => false,
    }
}

/// Puts on the record that the responses say different things of one header.
fn differing(types: &mut Types<'_>, header: &ResponseHeader, declared: &[Declared<'_>]) {
    let content = |one: &Declared<'_>| {
        let schema = one.node.resolve().and_then(|node| node.get("schema")?.resolve());
        schema.map(|schema| {
            ["type", "format", "items", "enum"].map(|key| schema.value.get(key).cloned().unwrap_or_default())
        })
    };
    let [first, others @ ..] = declared else { return };
    let differs = others.iter().filter(|other| content(other) != content(first));
    let statuses: Vec<String> = differs.map(|other| format!("`{}`", other.status)).collect();
    if !statuses.is_empty() {
        let what = format!(
            "the header `{}` has the type that it has of `{}`, also where {} has another",
            header.wire,
            first.status,
            statuses.join(", ")
        );
        first.node.note(types.ledger, "model/response", what, Loss::Documentation("the other types".to_owned()));
    }
}
