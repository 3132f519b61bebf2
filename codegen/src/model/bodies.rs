//! Request bodies.

use super::claims::shared_name;
use super::http::{MediaClass, class, distance, essence, in_utf8, is_json, word};
use super::objects::text_not_bytes;
use super::operations::FoundOperation;
use super::schemas::Types;
use super::style::collection_style;
use super::tree::Node;
use super::types::{Format, PartKind, Type};
use super::{Body, BodyKind, Style};
use crate::ledger::Loss;
use crate::pointer;

/// The body of an operation, in the one form that the client sends: as it was sent before, where that is still offered.
pub(super) fn read<'a>(types: &mut Types<'a>, route: &FoundOperation<'a>) -> Option<Body> {
    let FoundOperation { node: operation, hint, key, .. } = route;
    let before = types.claims.body(key);
    let Some(node) = operation.get("requestBody") else {
        // No later contract adds a body to these methods.
        if !matches!(route.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE") {
            types.claims.given.bodies.insert(key.clone(), NONE.to_owned());
        }
        return None;
    };
    let Some(body) = node.resolve() else {
        let cause = node.unresolved();
        return Some(unknown(types, &node, cause));
    };
    let content: Vec<(&str, Node<'a>)> =
        body.get("content").iter().flat_map(|content| content.members().collect::<Vec<_>>()).collect();
    let known = before.map(|before| before.strip_suffix(OPTIONAL).unwrap_or(before)).filter(|known| *known != NONE);
    let order = |name: &str| (known.map(|known| distance(name, known)), rank(name));
    let Some((mut media_type, mut media)) = content.iter().min_by_key(|(name, _)| order(name)).cloned() else {
        return Some(unknown(types, &body, "the contract names no media type".to_owned()));
    };
    // If both kinds of form are offered, only files need the larger one.
    let encoded = content.iter().find(|(name, _)| known.is_none() && class(name) == MediaClass::Form);
    if let (MediaClass::Multipart, Some((name, form))) = (class(media_type), encoded)
        && let Some(schema) = form.get("schema")
        && !has_file(types, &schema, &format!("{hint}Request"), true)
    {
        (media_type, media) = (name, form.clone());
    }
    let required = is_required(types, &body, before);
    let locked = format!("{}{}", word(media_type), if required { "" } else { OPTIONAL });
    types.claims.given.bodies.insert(key.clone(), locked);
    let others: Vec<&str> =
        content.iter().map(|(name, _)| *name).filter(|name| class(name) != class(media_type)).collect();
    if !others.is_empty() {
        let what = format!("sent as `{media_type}`; also offered: {}", others.join(", "));
        body.note(types.ledger, "model/body", what, Loss::Documentation("the other media types".to_owned()));
    }
    let schema = media.get("schema");
    let name = shared_name(&body.pointer, "Request").unwrap_or_else(|| format!("{hint}Request"));
    let typed = |types: &mut Types<'a>| schema.as_ref().map_or(Type::Any, |schema| types.schema_type(schema, &name).ty);
    let kind = match class(media_type) {
        MediaClass::Json => match typed(types) {
            Type::String(Format::Binary) => BodyKind::Binary,
            ty => BodyKind::Json(text_not_bytes(ty)),
        },
        MediaClass::Multipart => multipart(types, &media, schema.as_ref().unwrap_or(&media), &name),
        MediaClass::Form => form(types, &media, schema.as_ref(), &name),
        MediaClass::Text => BodyKind::Text,
        MediaClass::Binary => BodyKind::Binary,
        MediaClass::Xml => {
            let typed = schema.as_ref().filter(|schema| typed_elsewhere(types, schema, &name));
            typed.map_or(BodyKind::Text, |schema| {
                let ty = text_not_bytes(types.schema_type(schema, &name).ty);
                BodyKind::Xml(ty, types.xml_sent(schema))
            })
        }
    };
    let media_type = match (&kind, media_type) {
        (BodyKind::Multipart(_), name) if class(name) == MediaClass::Form => "multipart/form-data".to_owned(),
        // The boundary is the client's.
        (BodyKind::Multipart(_), name) => essence(name),
        (BodyKind::Binary, name) if name.contains('*') => "application/octet-stream".to_owned(),
        (_, "*/*" | "application/*") if class(media_type) == MediaClass::Json => "application/json".to_owned(),
        (_, name) if name.contains('*') && class(name) == MediaClass::Json => "application/json".to_owned(),
        (_, name) if name.contains('*') => "application/octet-stream".to_owned(),
        (_, name) => name.to_owned(),
    };
    // The caller of a binary body has its bytes in the charset that the contract names; everything else is written in UTF-8.
    let other = if matches!(kind, BodyKind::Binary) { None } else { in_utf8(&media_type) };
    let media_type = match other {
        Some((charset, media_type)) => {
            let what = format!("sent in UTF-8 as `{media_type}`, not in the charset `{charset}`");
            body.note(types.ledger, "model/body", what, Loss::Nothing);
            media_type
        }
        None => media_type,
    };
    Some(Body { media_type, required, kind })
}

/// The entry of the lock for an operation without a body, and the suffix of a media type whose body is set on the call.
const NONE: &str = "none";
const OPTIONAL: &str = " optional";

/// Returns whether a body is an argument. ASP.NET leaves `required` out although the body is needed; a body that was
/// added later stays optional, so that no caller breaks.
fn is_required<'a>(types: &mut Types<'a>, body: &Node<'a>, before: Option<&str>) -> bool {
    match (body.value.get("required").and_then(serde_json::Value::as_bool), before) {
        (Some(required), _) => required,
        (None, Some(before)) if before == NONE || before.ends_with(OPTIONAL) => {
            let what =
                "the body came later, and is set on the call; without its line `body` in the lock, it is an argument";
            body.note(types.ledger, "model/body", what, Loss::Nothing);
            false
        }
        (None, _) => true,
    }
}

/// A body of which nothing is known but that there is one.
fn unknown<'a>(types: &mut Types<'a>, node: &Node<'a>, cause: String) -> Body {
    types.lose(node, "sent as bytes, with a media type that the caller sets", cause);
    Body { media_type: "application/octet-stream".into(), required: false, kind: BodyKind::Binary }
}

fn multipart<'a>(types: &mut Types<'a>, media: &Node<'a>, schema: &Node<'a>, hint: &str) -> BodyKind {
    let Some(target) = schema.resolve() else {
        types.lose(schema, "sent as bytes", schema.unresolved());
        return BodyKind::Binary;
    };
    let wish = if target.pointer == schema.pointer {
        hint.to_owned()
    } else {
        format!("{}Form", pointer::last(&target.pointer))
    };
    let id = types.multipart(media, &target, &crate::naming::ident::type_name(&wish));
    BodyKind::Multipart(id)
}

fn form<'a>(types: &mut Types<'a>, media: &Node<'a>, schema: Option<&Node<'a>>, hint: &str) -> BodyKind {
    let Some(schema) = schema else { return BodyKind::Form(Type::Object, Vec::new()) };
    if has_file(types, schema, hint, false) {
        let what = "a form with a file is sent as `multipart/form-data`: URL-encoding cannot carry it";
        schema.note(types.ledger, "model/body", what, Loss::Nothing);
        return multipart(types, media, schema, hint);
    }
    let ty = types.schema_type(schema, hint).ty;
    let mut styles = Vec::new();
    for (field, encoding) in media.get("encoding").iter().flat_map(|encoding| encoding.members().collect::<Vec<_>>()) {
        let style = match encoding.text("style") {
            _ if collection_style(&encoding).is_some() => collection_style(&encoding).unwrap_or(Style::Plain),
            "spaceDelimited" => Style::Space,
            "pipeDelimited" => Style::Pipe,
            "deepObject" => Style::Deep,
            _ if is_json(encoding.text("contentType")) => Style::Json,
            _ => Style::Plain,
        };
        let explode =
            encoding.value.get("explode").and_then(serde_json::Value::as_bool).unwrap_or(style == Style::Plain);
        if style != Style::Plain || !explode {
            styles.push((field.to_owned(), style, explode));
        }
    }
    BodyKind::Form(ty, styles)
}

/// Returns whether one of the members is a file. With `untyped`, a member without a type counts as one.
fn has_file<'a>(types: &mut Types<'a>, schema: &Node<'a>, hint: &str, untyped: bool) -> bool {
    let parts = schema.resolve().map(|target| types.parts(&target, hint, None, untyped)).unwrap_or_default();
    parts.iter().any(|part| matches!(part.kind, PartKind::File | PartKind::Files))
}

/// Returns whether a schema restricts a text further.
pub(super) fn typed_elsewhere<'a>(types: &mut Types<'a>, schema: &Node<'a>, hint: &str) -> bool {
    !matches!(types.schema_type(schema, hint).ty, Type::Any | Type::Object | Type::String(_))
}

/// The media type that a client sends, of those that a body is taken in.
pub(crate) fn sent<'n>(names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names.min_by_key(|name| rank(name))
}

/// Plain JSON first, then its relatives, then the rest.
fn rank(media_type: &str) -> (u8, MediaClass, usize) {
    let name = essence(media_type);
    let first = match name.as_str() {
        "application/json" => 0,
        "text/json" => 1,
        _ if is_json(&name) && !name.contains('*') => 2,
        _ if is_json(&name) && name != "*/*" => 3,
        _ => 4,
    };
    (first, class(media_type), media_type.len())
}
