//! Responses of an operation.

use std::collections::BTreeSet;

use super::bodies::typed_elsewhere;
use super::claims::shared_name;
use super::http::{MediaClass, class, distance, essence, word};
use super::objects::text_not_bytes;
use super::operations::FoundOperation;
use super::schemas::Types;
use super::status::StatusKey;
use super::tree::Node;
use super::types::{Format, Kind, Type};
use super::{Content, ResponseHeader, Status, response_headers};
use crate::ledger::Loss;
use crate::naming::Scope;

/// The result of an operation.
#[derive(Debug)]
pub(super) struct Responses {
    pub(super) success: Content,
    pub(super) accept: String,
    pub(super) statuses: Vec<Status>,
    pub(super) headers: Vec<ResponseHeader>,
    /// Redirections that are answers.
    pub(super) redirects: Vec<u16>,
}

/// Reads the responses of an operation.
pub(super) fn read<'a>(types: &mut Types<'a>, route: &FoundOperation<'a>) -> Responses {
    let FoundOperation { node: operation, hint, key, .. } = route;
    let before = types.claims.answer(key);
    let pinned = pinned(before.unwrap_or_default());
    let mut statuses: Vec<Status> = Vec::new();
    // The possible successes: status, entry of the body in the lock, and the media types to accept.
    let mut successes: Vec<(Status, String, Option<String>)> = Vec::new();
    let documented = documented(types, operation);
    let headers = response_headers::read(types, route, &documented);
    let results = Results::new(&documented, &pinned);
    for (status, node) in documented {
        let is_success = results.contains(status);
        let Some(response) = node.resolve() else {
            types.lose(&node, "answered as bytes", node.unresolved());
            let status = Status { status, content: Content::Stream, item: None, description: String::new() };
            if is_success {
                successes.push((status.clone(), "bytes".to_owned(), None));
            }
            statuses.push(status);
            continue;
        };
        let own = match status {
            StatusKey::Default if is_success && results.has_redirect => format!("{hint}Default"),
            _ => format!("{hint}{}", suffix(status, is_success)),
        };
        let name = shared_name(&response.pointer, "Response").unwrap_or(own);
        let kind = pinned.iter().find(|(other, _)| is_success && *other == status).map(|(_, kind)| *kind);
        let Answer { mut content, kind, accept, item } = match is_success && status.is_redirect() {
            true => redirect(types, &response),
            false if status.is_bodiless() => bodiless(types, &response, status),
            false => answer(types, &response, &name, kind),
        };
        // A range promises neither a status nor a body.
        if let (true, StatusKey::Range(_), Content::Json(ty)) = (is_success, status, &content) {
            content = Content::OptionalJson(ty.clone());
        }
        let status = Status { status, content, item, description: response.text("description").to_owned() };
        if is_success {
            successes.push((status.clone(), kind, accept));
        }
        statuses.push(status);
    }
    keep(types, operation, &pinned, before == Some(NOTHING), &mut successes);
    let text: Vec<String> = successes.iter().map(|(status, kind, _)| format!("{}:{kind}", status.status)).collect();
    let text = if text.is_empty() { NOTHING.to_owned() } else { text.join(" ") };
    types.claims.given.answers.insert(key.clone(), text);
    let mut accepts: Vec<String> = Vec::new();
    for accept in successes.iter_mut().filter_map(|(_, _, accept)| accept.take()) {
        if !accepts.contains(&accept) {
            accepts.push(accept);
        }
    }
    let mut successes: Vec<Status> = successes.into_iter().map(|(status, ..)| status).collect();
    // An answer to HEAD has no body, whatever the contract says (RFC 9110, section 9.3.2).
    if route.method == "HEAD" {
        successes.retain(|status| !results.has_success || !status.status.is_redirect());
        let others = successes.iter_mut().filter(|status| status.content != Content::Redirect);
        others.for_each(|status| status.content = Content::Empty);
    }
    let redirects = successes.iter().flat_map(|status| status.status.redirects()).copied();
    let redirects = redirects.collect::<BTreeSet<u16>>().into_iter().collect();
    let success = combine(types, operation, &successes, hint);
    let accept = if accepts.is_empty() { "application/json".to_owned() } else { accepts.join(", ") };
    Responses { success, accept, statuses, headers, redirects }
}

/// The declared statuses that are results of the operation; the others are errors.
struct Results {
    has_success: bool,
    has_redirect: bool,
    /// `default` was the result of the operation before another status was declared.
    had_default: bool,
}

impl Results {
    fn new(documented: &[(StatusKey, Node<'_>)], pinned: &[(StatusKey, &str)]) -> Self {
        let any = |is: &dyn Fn(StatusKey) -> bool| documented.iter().any(|(status, _)| is(*status));
        Self {
            has_success: any(&StatusKey::is_success),
            has_redirect: any(&|status| !status.redirects().is_empty()),
            had_default: pinned.iter().any(|(status, _)| *status == StatusKey::Default),
        }
    }

    fn contains(&self, status: StatusKey) -> bool {
        match status {
            // It describes every status that is not declared (OpenAPI, "Responses Object"), and so the successes beside a redirection.
            StatusKey::Default => self.had_default || !self.has_success,
            // Beside a success, 301, 307 and 308 say that the same request belongs elsewhere, as errors do.
            StatusKey::Code(301 | 307 | 308) | StatusKey::Range(3) => !self.has_success,
            _ => status.is_success() || !status.redirects().is_empty(),
        }
    }
}

/// The statuses of a success, and the entries of their bodies in the lock.
fn pinned(text: &str) -> Vec<(StatusKey, &str)> {
    text.split(' ')
        .filter_map(|part| part.split_once(':'))
        .filter_map(|(s, kind)| Some((StatusKey::read(s)?, kind)))
        .collect()
}

/// Leaves out the statuses that came after the call was given its type, where they would change it. An enumeration of
/// statuses only gets another variant.
fn keep<'a>(
    types: &mut Types<'a>,
    operation: &Node<'a>,
    pinned: &[(StatusKey, &str)],
    had_nothing: bool,
    successes: &mut Vec<(Status, String, Option<String>)>,
) {
    let is_known = |status: StatusKey| pinned.iter().any(|(known, _)| *known == status);
    let known: Vec<&Content> =
        successes.iter().filter(|(status, ..)| is_known(status.status)).map(|(status, ..)| &status.content).collect();
    let all: Vec<&Content> = successes.iter().map(|(status, ..)| &status.content).collect();
    let Some(before) = together(&known).filter(|_| had_nothing || !known.is_empty()) else { return };
    if together(&all).is_some_and(|now| now == before) {
        return;
    }
    let later: Vec<String> =
        successes.iter().filter(|(s, ..)| !is_known(s.status)).map(|(s, ..)| format!("`{}`", s.status)).collect();
    let what = format!(
        "{} is not in the lock: the call returns the same as before, and `raw()` reads the rest; without its line `answer` in the \
         lock, the operation gets a type for all",
        later.join(", ")
    );
    operation.note(
        types.ledger,
        "model/response",
        what,
        Loss::Documentation("the types of the other successes".to_owned()),
    );
    successes.retain(|(status, ..)| is_known(status.status));
}

/// The responses by status. Keys that are no status are left out, and so are repeated ones.
fn documented<'a>(types: &mut Types<'a>, operation: &Node<'a>) -> Vec<(StatusKey, Node<'a>)> {
    let mut responses: Vec<(StatusKey, Node<'a>)> = Vec::new();
    let all: Vec<(&str, Node<'a>)> =
        operation.get("responses").iter().flat_map(|responses| responses.members().collect::<Vec<_>>()).collect();
    for (key, node) in all.into_iter().filter(|(key, _)| !key.starts_with("x-")) {
        match StatusKey::read(key) {
            Some(status) if responses.iter().any(|(other, _)| *other == status) => {
                let lost = Loss::Documentation("the content of the second one".to_owned());
                node.note(types.ledger, "model/response", format!("the status `{status}` appears twice"), lost);
            }
            Some(status) => responses.push((status, node)),
            None => {
                let cause = format!("`{key}` is not a status, which is 100 to 599, 1XX to 5XX, or default");
                types.lose(&node, "the response is left out", cause);
            }
        }
    }
    responses
}

/// The result of one response.
struct Answer {
    content: Content,
    /// The entry of its body in the lock.
    kind: String,
    /// The media types to ask for.
    accept: Option<String>,
    /// The type of a stream's elements.
    item: Option<Type>,
}

/// Reads one response. Of several media types, the one that was taken before is taken again, else one of its kind.
fn answer<'a>(types: &mut Types<'a>, response: &Node<'a>, hint: &str, before: Option<&str>) -> Answer {
    let mut media: Vec<(&str, Node<'a>)> =
        response.get("content").iter().flat_map(|content| content.members().collect::<Vec<_>>()).collect();
    media.sort_by_cached_key(|(name, _)| (before.map(|before| distance(name, before)), rank(name)));
    let Some((name, node)) = media.first().filter(|_| before != Some(NONE)) else {
        if !media.is_empty() {
            let what = "a body was added later: the call returns the same as before, and `json()` or `raw()` reads it; \
                without its line `answer` in the lock, the operation gets a type for it";
            let lost = Loss::Documentation("the type of the body".to_owned());
            response.note(types.ledger, "model/response", what.to_owned(), lost);
        }
        return Answer { content: Content::Empty, kind: NONE.to_owned(), accept: None, item: None };
    };
    let (content, mut accept) = content(types, name, node, hint);
    // Content that is read as bytes may be of any media type; ASP.NET lists `text/plain` for every body.
    let is_same = |other: &str| match content {
        Content::Stream => !matches!(class(other), MediaClass::Json | MediaClass::Xml),
        _ => class(other) == class(name) || essence(other) == "text/plain",
    };
    let (same, others): (Vec<&str>, Vec<&str>) = media.iter().map(|(name, _)| *name).partition(|other| is_same(other));
    if content == Content::Stream && class(name) != MediaClass::Json {
        accept = Some(same.join(", "));
    }
    if !others.is_empty() && accept.as_deref() != Some("*/*") {
        let what = format!("requested as `{name}`; also offered: {}", others.join(", "));
        response.note(types.ledger, "model/response", what, Loss::Documentation("the other media types".to_owned()));
    }
    let streamed = content == Content::Events || content == Content::Stream && node.flag("x-item-schema");
    let item = node.get("schema").filter(|_| streamed).map(|schema| types.schema_type(&schema, hint).ty);
    let item = item.filter(|ty| !matches!(ty, Type::Any | Type::Object | Type::String(_)));
    Answer { content, kind: word(name), accept, item }
}

/// The content of one media type, and the media type to accept.
fn content<'a>(types: &mut Types<'a>, name: &str, node: &Node<'a>, hint: &str) -> (Content, Option<String>) {
    let schema = node.get("schema");
    let typed = |types: &mut Types<'a>| schema.as_ref().map(|schema| types.schema_type(schema, hint));
    // JSON has one encoding (RFC 8259); other parameters may tell versions apart.
    let ask = |name: &str| {
        let is_charset = |part: &&str| part.trim().to_ascii_lowercase().starts_with("charset=");
        let plain: Vec<&str> = name.split(';').filter(|part| !is_charset(part)).map(str::trim).collect();
        Some(if name.contains('*') { "application/json".to_owned() } else { plain.join("; ") })
    };
    match class(name) {
        _ if essence(name) == "text/event-stream" => (Content::Events, Some(name.to_owned())),
        MediaClass::Json => match typed(types) {
            Some(typed) if typed.ty == Type::String(Format::Binary) => (Content::Stream, Some("*/*".to_owned())),
            Some(typed) if typed.nullable => (Content::OptionalJson(text_not_bytes(typed.ty)), ask(name)),
            Some(typed) => (Content::Json(text_not_bytes(typed.ty)), ask(name)),
            // `application/json: {}`: there is JSON, and nothing is known of it.
            None if name.contains('*') => (Content::Stream, Some("*/*".to_owned())),
            None => (Content::Json(Type::Any), ask(name)),
        },
        MediaClass::Text => match typed(types).map(|typed| typed.ty) {
            Some(Type::String(Format::Binary)) => (Content::Stream, Some(name.to_owned())),
            None | Some(Type::String(_) | Type::Any) => (Content::Text, Some(name.to_owned())),
            // ASP.NET lists `text/plain` for whatever it writes as JSON.
            Some(ty) if essence(name) == "text/plain" => {
                (Content::Json(text_not_bytes(ty)), Some("application/json, text/plain".to_owned()))
            }
            Some(_) => (Content::Text, Some(name.to_owned())),
        },
        MediaClass::Xml => {
            let typed = schema.as_ref().filter(|schema| typed_elsewhere(types, schema, hint));
            let content = typed.map_or(Content::Text, |schema| {
                let ty = text_not_bytes(types.schema_type(schema, hint).ty);
                Content::Xml(ty, types.xml_root(schema))
            });
            (content, Some(name.to_owned()))
        }
        MediaClass::Form => (Content::Text, Some(name.to_owned())),
        MediaClass::Binary | MediaClass::Multipart => (Content::Stream, Some(name.to_owned())),
    }
}

/// The media type that a client asks for, of those that a response is offered in.
pub(crate) fn asked_for<'n>(names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    names.min_by_key(|name| rank(name))
}

fn rank(media_type: &str) -> (u8, usize, String) {
    let name = essence(media_type);
    let first = match class(&name) {
        MediaClass::Json if name == "application/json" => 0,
        MediaClass::Json if name == "application/problem+json" => 3,
        MediaClass::Json if !name.contains('*') => 1,
        MediaClass::Json => 2,
        _ if name == "text/event-stream" => 4,
        MediaClass::Text => 5,
        MediaClass::Binary | MediaClass::Multipart => 6,
        MediaClass::Form => 7,
        MediaClass::Xml => 8,
    };
    (first, name.len(), name)
}

/// The kind of a response without a body.
const NONE: &str = "none";

/// The entry in the lock of an operation that declares no success.
const NOTHING: &str = "nothing";

/// Reads a redirection: its target. A body is rare, and the ledger records it.
fn redirect<'a>(types: &mut Types<'a>, response: &Node<'a>) -> Answer {
    let what = "the body of a redirection is read by `bytes()` or `json()`";
    untyped(types, response, what.to_owned(), Content::Redirect, "redirect")
}

/// An answer whose status has no content: a schema that is declared for it describes nothing.
fn bodiless<'a>(types: &mut Types<'a>, response: &Node<'a>, status: StatusKey) -> Answer {
    let what = format!("an answer with {status} has no body (RFC 9110, section 15)");
    untyped(types, response, what, Content::Empty, NONE)
}

/// An answer whose body has no type; the ledger says why, where the contract declares one.
fn untyped<'a>(types: &mut Types<'a>, response: &Node<'a>, what: String, content: Content, kind: &str) -> Answer {
    if let Some(body) = response.get("content").filter(|body| body.members().next().is_some()) {
        body.note(types.ledger, "model/response", what, Loss::Documentation("the type of the body".to_owned()));
    }
    Answer { content, kind: kind.to_owned(), accept: None, item: None }
}

/// One content for all of them, where there is one without a type of its own.
fn together(contents: &[&Content]) -> Option<Content> {
    let mut distinct: Vec<&Content> = Vec::new();
    for content in contents {
        if !distinct.contains(content) {
            distinct.push(content);
        }
    }
    Some(match distinct.as_slice() {
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
        _ => return None,
    })
}

/// One content for all success statuses.
fn combine<'a>(types: &mut Types<'a>, operation: &Node<'a>, successes: &[Status], hint: &str) -> Content {
    let contents: Vec<&Content> = successes.iter().map(|status| &status.content).collect();
    match together(&contents) {
        Some(content) => content,
        None => {
            let mut scope = Scope::default();
            let variants = successes.iter().map(|status| {
                let name = scope.claim([status.status.variant().as_str()]);
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
        _ => status.variant(),
    }
}
