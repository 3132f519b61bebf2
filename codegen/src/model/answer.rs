//! The answer of an operation and its request, as far as its name needs them: names are given before there are types.

use super::http::is_json;
use super::status::StatusKey;
use super::tree::Node;

/// The members of an object that are looked at: each operation of a large contract may answer with the same huge one.
const MEMBERS: usize = 100;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// A JSON array.
    Array,
    /// An object with one list, and a number beside it that counts.
    Page,
    /// A scalar, an object without a list, or a text.
    One,
    /// No schema is declared.
    Unknown,
    Other,
}

impl Answer {
    pub(super) fn from_operation(operation: &Node<'_>) -> Self {
        let Some(content) = content(operation) else { return Self::Unknown };
        let media: Vec<(&str, Node<'_>)> = content.members().collect();
        let json = media.iter().find(|(name, _)| is_json(name));
        let Some(schema) = json.and_then(|(_, media)| media.get("schema")?.resolve()) else {
            let is_one = !media.is_empty() && media.iter().all(|(name, _)| is_one(name));
            return if is_one { Self::One } else { Self::Unknown };
        };
        match schema.text("type") {
            "array" => return Self::Array,
            "string" | "integer" | "number" | "boolean" => return Self::One,
            _ => {}
        }
        let members: Vec<(&str, Node<'_>)> = schema
            .get("properties")
            .iter()
            .flat_map(|members| members.members().take(MEMBERS).collect::<Vec<_>>())
            .filter_map(|(name, member)| Some((name, member.resolve()?)))
            .collect();
        let is = |kind: &str, member: &Node<'_>| member.text("type") == kind;
        let lists = members.iter().filter(|(_, member)| is("array", member)).count();
        let is_text = |(_, member): &(&str, Node<'_>)| {
            let item = member.get("items").and_then(|item| item.resolve());
            is("array", member) && item.is_some_and(|item| item.text("type") == "string")
        };
        let has_count = members.iter().any(|(name, member)| is("integer", member) && counts(name));
        match lists {
            1 if has_count && !members.iter().any(is_text) => Self::Page,
            0 if !members.is_empty() && members.iter().all(|(_, member)| is_plain(member)) => Self::One,
            _ => Self::Other,
        }
    }
}

/// Returns whether a body of this media type is one thing: a text, a picture or a file.
fn is_one(media: &str) -> bool {
    let is_file =
        ["image/", "audio/", "video/", "text/html", "text/plain", "application/octet-stream", "application/pdf"];
    is_file.iter().any(|form| media.starts_with(form))
}

/// Returns whether a member has no list of its own.
fn is_plain(member: &Node<'_>) -> bool {
    let is_list = |member: &Node<'_>| {
        let is_open = member.has("additionalProperties") || member.has("allOf");
        member.text("type") == "array" || is_open
    };
    let own = member.get("properties");
    let has_list = own.is_some_and(|own| {
        own.members().take(MEMBERS).any(|(_, member)| member.resolve().is_none_or(|member| is_list(&member)))
    });
    let is_map = member.text("type") == "object" && !member.has("properties");
    !(is_list(member) || has_list || is_map)
}

/// Returns whether a member of this name counts items, or places, rather than identifying a thing: `total`, and not `partyId`.
fn counts(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["count", "index", "length", "limit", "next", "number", "offset", "page", "size", "skip", "start", "take", "total"]
        .iter()
        .any(|word| name.contains(word))
}

/// The content of the first success response.
fn content<'a>(operation: &Node<'a>) -> Option<Node<'a>> {
    let responses = operation.get("responses")?;
    let is_success = |status: &str| StatusKey::read(status).is_some_and(StatusKey::is_success);
    let (_, success) = responses.members().find(|(status, _)| is_success(status))?;
    success.resolve()?.get("content")
}

/// Returns whether the request is a file, or a form of files.
pub(super) fn sends_file(operation: &Node<'_>) -> bool {
    let content = operation.get("requestBody").and_then(|body| body.resolve()?.get("content"));
    let is_file = |schema: &Node<'_>| schema.text("format") == "binary";
    let is_member = |member: Node<'_>| {
        let member = member.resolve();
        let item = member.as_ref().and_then(|member| member.get("items")?.resolve());
        member.iter().chain(&item).any(is_file)
    };
    content.is_some_and(|content| {
        content.members().filter(|(name, _)| !is_json(name)).any(|(_, media)| {
            let schema = media.get("schema").and_then(|schema| schema.resolve());
            let members = schema.as_ref().and_then(|schema| schema.get("properties"));
            let members = members.filter(|members| members.members().next().is_some());
            schema.as_ref().is_some_and(is_file)
                || members.is_some_and(|members| members.members().take(MEMBERS).all(|(_, member)| is_member(member)))
        })
    })
}
