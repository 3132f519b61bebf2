//! The response that a successful call gets.

use crate::contract::{Content, Operation, Response, SchemaRef, Status};
use crate::outline::Outlines;

/// The response for success, by statuses in the order of preference. `None` if the contract declares none.
pub(crate) fn success<'o>(operation: &'o Operation, preferred: &[u16]) -> Option<(u16, &'o Response)> {
    let exact = |code: u16| operation.responses.iter().find(|response| response.status == Status::Exact(code));
    let code = |response: &Response| match response.status {
        Status::Exact(code) if (200..300).contains(&code) => Some(code),
        _ => None,
    };
    let first = preferred.first().copied().unwrap_or(200);
    let preferred = preferred.iter().find_map(|code| Some((*code, exact(*code)?)));
    let any = || operation.responses.iter().find_map(|response| Some((code(response)?, response)));
    let other = |status: Status, code: u16| {
        operation.responses.iter().find(|response| response.status == status).map(|response| (code, response))
    };
    let redirect = || {
        operation.responses.iter().find_map(|response| match response.status {
            Status::Exact(code) if (300..400).contains(&code) && code != 304 => Some((code, response)),
            _ => None,
        })
    };
    preferred
        .or_else(any)
        .or_else(|| other(Status::Range(2), first))
        .or_else(redirect)
        .or_else(|| other(Status::Default, first))
}

/// Returns whether a media type is JSON: `application/json`, `text/json`, `application/hal+json; charset=utf-8`.
pub(crate) fn is_json(media_type: &str) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.ends_with("/json") || essence.ends_with("+json") || essence == "*/*" || essence == "application/*"
}

/// The JSON among the media types; the first one if there is no JSON.
pub(crate) fn json(content: &[Content]) -> Option<&Content> {
    content.iter().find(|content| is_json(&content.media_type)).or_else(|| content.first())
}

/// Returns whether an operation answers with a file: with no JSON, XML, plain text or stream of items, unless a schema says that these are
/// bytes.
pub(super) fn is_file(operation: &Operation, outlines: &Outlines) -> bool {
    let Some((_, response)) = success(operation, &[200]) else { return false };
    let is_text = |content: &Content| {
        let media_type = &content.media_type;
        let is_bytes = || {
            let schema = content.schema.as_ref();
            schema.is_some_and(|schema| outlines.get(schema).format.as_deref() == Some("binary"))
        };
        match is_json(media_type) {
            _ if content.is_sequence => true,
            true => !media_type.contains('*') || !is_bytes(),
            false => (media_type.contains("xml") || media_type.starts_with("text/plain")) && !is_bytes(),
        }
    };
    !response.content.is_empty() && !response.content.iter().any(is_text)
}

/// The schema of a successful answer, if it is JSON.
pub(super) fn schema(operation: &Operation, preferred: &[u16]) -> Option<SchemaRef> {
    let (_, response) = success(operation, preferred)?;
    response.content.iter().find(|content| is_json(&content.media_type)).or(response.content.first())?.schema.clone()
}
