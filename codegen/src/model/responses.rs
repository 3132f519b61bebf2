//! Responses of an operation.

use super::bodies::typed_elsewhere;
use super::claims::shared_name;
use super::http::{Class, class, essence, is_json};
use super::objects::text_not_bytes;
use super::schemas::Types;
use super::status::StatusKey;
use super::tree::Node;
use super::types::{Format, Kind, Type};
use super::{Content, Status};
use crate::ledger::Loss;
use crate::naming::Scope;

/// What an operation answers.
#[derive(Debug)]
pub(super) struct Responses {
    pub(super) success: Content,
    pub(super) accept: String,
    pub(super) statuses: Vec<Status>,
}

/// Reads the responses of an operation.
pub(super) fn read<'a>(types: &mut Types<'a>, operation: &Node<'a>, hint: &str) -> Responses {
    let mut statuses: Vec<Status> = Vec::new();
    let mut accepts: Vec<String> = Vec::new();
    let documented = documented(types, operation);
    let has_success = documented.iter().any(|(status, _)| status.is_success());
    for (status, node) in documented {
        let is_success = status.is_success() || status == StatusKey::Default && !has_success;
        let Some(response) = node.resolve() else {
            types.lose(&node, "answered as bytes", format!("`{}` leads nowhere in this document", node.text("$ref")));
            statuses.push(Status { status, content: Content::Stream, item: None, description: String::new() });
            continue;
        };
        let own = format!("{hint}{}", suffix(status, is_success));
        let name = shared_name(&response.pointer, "Response").unwrap_or(own);
        if is_success {
            headers(types, &response);
        }
        let Answer { mut content, accept, item } = answer(types, &response, &name);
        if is_success {
            accepts.extend(accept.filter(|accept| !accepts.contains(accept)));
            // A range promises neither a status nor a body.
            if let (true, Content::Json(ty)) = (matches!(status, StatusKey::Range(_)), &content) {
                content = Content::OptionalJson(ty.clone());
            }
        }
        statuses.push(Status { status, content, item, description: response.text("description").to_owned() });
    }
    let successes: Vec<Status> = statuses
        .iter()
        .filter(|status| status.status.is_success() || status.status == StatusKey::Default && !has_success)
        .cloned()
        .collect();
    let success = combine(types, operation, &successes, hint);
    let accept = if accepts.is_empty() { "application/json".to_owned() } else { accepts.join(", ") };
    Responses { success, accept, statuses }
}

/// Says that the headers of a response have no types.
fn headers<'a>(types: &mut Types<'a>, response: &Node<'a>) {
    let Some(headers) = response.get("headers") else { return };
    // The media type is the client's (OpenAPI 3.0, "Response Object").
    let names: Vec<String> = headers
        .members()
        .filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"))
        .map(|(name, _)| format!("`{}`", name.escape_debug()))
        .collect();
    if !names.is_empty() {
        let what = format!("the response's {} can be read by name, with `with_response()`", names.join(", "));
        headers.note(types.ledger, "model/response", what, Loss::Documentation("the types of its headers".to_owned()));
    }
}

/// The responses by status. What names no status is left out, and so is a status that stands there already.
fn documented<'a>(types: &mut Types<'a>, operation: &Node<'a>) -> Vec<(StatusKey, Node<'a>)> {
    let mut found: Vec<(StatusKey, Node<'a>)> = Vec::new();
    let all: Vec<(&str, Node<'a>)> =
        operation.get("responses").iter().flat_map(|responses| responses.members().collect::<Vec<_>>()).collect();
    for (key, node) in all.into_iter().filter(|(key, _)| !key.starts_with("x-")) {
        match StatusKey::read(key) {
            Some(status) if found.iter().any(|(other, _)| *other == status) => {
                let lost = Loss::Documentation("what the second one says".to_owned());
                node.note(types.ledger, "model/response", format!("the status `{status}` stands twice"), lost);
            }
            Some(status) => found.push((status, node)),
            None => {
                let cause = format!("`{key}` is not a status, which is 100 to 599, 1XX to 5XX, or default");
                types.lose(&node, "the response is left out", cause);
            }
        }
    }
    found
}

/// Whether the first success response is a JSON array; asked before there are types, to find a name.
pub(super) fn answers_array(operation: &Node<'_>) -> bool {
    let responses = operation.get("responses");
    let first = responses.iter().flat_map(|responses| responses.members().collect::<Vec<_>>());
    let is_success = |status: &str| StatusKey::read(status).is_some_and(StatusKey::is_success);
    let success = first.into_iter().find(|(status, _)| is_success(status)).and_then(|(_, node)| node.resolve());
    let content = success.and_then(|response| response.get("content"));
    let media = content.as_ref().and_then(|content| content.members().find(|(name, _)| is_json(name)));
    let schema = media.and_then(|(_, media)| media.get("schema")).and_then(|schema| schema.resolve());
    schema.is_some_and(|schema| schema.text("type") == "array")
}

/// What one response carries.
struct Answer {
    content: Content,
    /// The media types to ask for.
    accept: Option<String>,
    /// What a stream is made of.
    item: Option<Type>,
}

/// Reads one response.
fn answer<'a>(types: &mut Types<'a>, response: &Node<'a>, hint: &str) -> Answer {
    let mut media: Vec<(&str, Node<'a>)> =
        response.get("content").iter().flat_map(|content| content.members().collect::<Vec<_>>()).collect();
    media.sort_by_cached_key(|(name, _)| rank(name));
    let Some((name, node)) = media.first() else {
        return Answer { content: Content::Empty, accept: None, item: None };
    };
    let (content, mut accept) = content(types, name, node, hint);
    // What is read as bytes may be bytes of any kind; ASP.NET lists `text/plain` for whatever it writes.
    let is_same = |other: &str| match content {
        Content::Stream => !matches!(class(other), Class::Json | Class::Xml),
        _ => class(other) == class(name) || essence(other) == "text/plain",
    };
    let (same, others): (Vec<&str>, Vec<&str>) = media.iter().map(|(name, _)| *name).partition(|other| is_same(other));
    if content == Content::Stream && class(name) != Class::Json {
        accept = Some(same.join(", "));
    }
    if !others.is_empty() && accept.as_deref() != Some("*/*") {
        let what = format!("asked for as `{name}`; also offered: {}", others.join(", "));
        response.note(types.ledger, "model/response", what, Loss::Documentation("the other media types".to_owned()));
    }
    let streamed = content == Content::Events || content == Content::Stream && node.flag("x-item-schema");
    let item = node.get("schema").filter(|_| streamed).map(|schema| types.of(&schema, hint).ty);
    let item = item.filter(|ty| !matches!(ty, Type::Any | Type::Object | Type::String(_)));
    Answer { content, accept, item }
}

/// What a body of one media type is, and the media type to ask for.
fn content<'a>(types: &mut Types<'a>, name: &str, node: &Node<'a>, hint: &str) -> (Content, Option<String>) {
    let schema = node.get("schema");
    let typed = |types: &mut Types<'a>| schema.as_ref().map(|schema| types.of(schema, hint));
    // JSON has one encoding (RFC 8259); other parameters may tell versions apart.
    let ask = |name: &str| {
        let is_charset = |part: &&str| part.trim().to_ascii_lowercase().starts_with("charset=");
        let plain: Vec<&str> = name.split(';').filter(|part| !is_charset(part)).map(str::trim).collect();
        Some(if name.contains('*') { "application/json".to_owned() } else { plain.join("; ") })
    };
    match class(name) {
        _ if essence(name) == "text/event-stream" => (Content::Events, Some(name.to_owned())),
        Class::Json => match typed(types) {
            Some(typed) if typed.ty == Type::String(Format::Binary) => (Content::Stream, Some("*/*".to_owned())),
            Some(typed) if typed.nullable => (Content::OptionalJson(text_not_bytes(typed.ty)), ask(name)),
            Some(typed) => (Content::Json(text_not_bytes(typed.ty)), ask(name)),
            // `application/json: {}`: there is JSON, and nothing is known of it.
            None if name.contains('*') => (Content::Stream, Some("*/*".to_owned())),
            None => (Content::Json(Type::Any), ask(name)),
        },
        Class::Text => match typed(types).map(|typed| typed.ty) {
            Some(Type::String(Format::Binary)) => (Content::Stream, Some(name.to_owned())),
            None | Some(Type::String(_) | Type::Any) => (Content::Text, Some(name.to_owned())),
            // ASP.NET lists `text/plain` for whatever it writes as JSON.
            Some(ty) if essence(name) == "text/plain" => {
                (Content::Json(text_not_bytes(ty)), Some("application/json, text/plain".to_owned()))
            }
            Some(_) => (Content::Text, Some(name.to_owned())),
        },
        Class::Xml => {
            let typed = schema.as_ref().filter(|schema| typed_elsewhere(types, schema, hint));
            let content = typed.map_or(Content::Text, |schema| {
                let ty = text_not_bytes(types.of(schema, hint).ty);
                Content::Xml(ty, types.xml_root(schema))
            });
            (content, Some(name.to_owned()))
        }
        Class::Form => (Content::Text, Some(name.to_owned())),
        Class::Binary | Class::Multipart => (Content::Stream, Some(name.to_owned())),
    }
}

fn rank(media_type: &str) -> (u8, usize, String) {
    let name = essence(media_type);
    let first = match class(&name) {
        Class::Json if name == "application/json" => 0,
        Class::Json if name == "application/problem+json" => 3,
        Class::Json if !name.contains('*') => 1,
        Class::Json => 2,
        _ if name == "text/event-stream" => 4,
        Class::Text => 5,
        Class::Binary | Class::Multipart => 6,
        Class::Form => 7,
        Class::Xml => 8,
    };
    (first, name.len(), name)
}

/// One content for all success statuses.
fn combine<'a>(types: &mut Types<'a>, operation: &Node<'a>, successes: &[Status], hint: &str) -> Content {
    let mut distinct: Vec<&Content> = Vec::new();
    for status in successes {
        if !distinct.contains(&&status.content) {
            distinct.push(&status.content);
        }
    }
    match distinct.as_slice() {
        [] => Content::Empty,
        [only] => (*only).clone(),
        [Content::Json(ty), Content::Empty]
        | [Content::Empty, Content::Json(ty)]
        | [Content::OptionalJson(ty), Content::Empty]
        | [Content::Empty, Content::OptionalJson(ty)] => Content::OptionalJson(ty.clone()),
        [Content::Json(one), Content::OptionalJson(other)] | [Content::OptionalJson(one), Content::Json(other)]
            if one == other =>
        {
            Content::OptionalJson(one.clone())
        }
        _ => {
            let mut scope = Scope::default();
            let variants = successes.iter().map(|status| {
                let name = scope.claim([status_name(status.status).as_str()]);
                (status.status, name, status.content.clone())
            });
            let variants: Vec<_> = variants.collect();
            let id = types.add(operation, "/responses", &format!("{hint}Response"), |_, _| Kind::ByStatus(variants));
            Content::ByStatus(id)
        }
    }
}

fn suffix(status: StatusKey, is_success: bool) -> String {
    match status {
        StatusKey::Code(200) | StatusKey::Default if is_success => "Response".to_owned(),
        StatusKey::Default => "Error".to_owned(),
        _ => status_name(status),
    }
}

/// The reason phrase of a status (RFC 9110), as the name of a variant.
fn status_name(status: StatusKey) -> String {
    let code = match status {
        StatusKey::Code(code) => code,
        StatusKey::Range(class) => return format!("Status{class}xx"),
        StatusKey::Default => return "Default".to_owned(),
    };
    let name = match code {
        200 => "Ok",
        201 => "Created",
        202 => "Accepted",
        203 => "NonAuthoritative",
        204 => "NoContent",
        205 => "ResetContent",
        206 => "PartialContent",
        207 => "MultiStatus",
        400 => "BadRequest",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "NotFound",
        409 => "Conflict",
        410 => "Gone",
        422 => "UnprocessableContent",
        429 => "TooManyRequests",
        500 => "InternalServerError",
        503 => "ServiceUnavailable",
        other => return format!("Status{other}"),
    };
    name.to_owned()
}
