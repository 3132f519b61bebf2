//! The parts of a multipart form: names, values, media types, file names and order.

use serde_json::Value;

use super::bytes::{Shape, readable, write};
use super::case::FILE_NAME;
use super::request::Judged;
use super::{Verdict, fault, same};
use crate::contract::{Content, Contract, Dialect, Encoding, SchemaRef, Style, resolve};
use crate::request::media;
use crate::request::multipart::{self, FormPart};

/// The extension by which a pinned contract keeps the published order of the parts.
const PART_ORDER: &str = "x-part-order";

const ENCODING: &str = "Encoding Object";
const FORM: &str = "RFC 7578, section 4.2";

/// A part that a member of the body has to become.
struct Expected<'v> {
    name: String,
    content: Text<'v>,
}

enum Text<'v> {
    /// These characters.
    Plain(String),
    /// A value as JSON.
    Json(&'v Value),
}

impl Expected<'_> {
    fn is(&self, part: &FormPart<'_>) -> bool {
        let is_content = match &self.content {
            Text::Plain(text) => part.bytes == text.as_bytes(),
            Text::Json(value) => is_json(value, part.bytes),
        };
        part.name == self.name && is_content
    }

    fn text(&self) -> String {
        match &self.content {
            Text::Plain(text) => text.clone(),
            Text::Json(value) => value.to_string(),
        }
    }
}

fn is_json(value: &Value, bytes: &[u8]) -> bool {
    serde_json::from_slice(bytes).is_ok_and(|sent| same::difference(value, &sent).is_none())
}

pub(super) fn judge(
    contract: &Contract,
    content: Option<&Content>,
    value: &Value,
    media_type: &str,
    body: &[u8],
) -> Judged {
    let wrong = |name: &str, rule: &'static str, expected: &str, actual: &str| {
        Err(fault(format!("body {name}").trim_end(), rule, expected, actual))
    };
    let sent = match multipart::parts(media_type, body) {
        Ok(sent) => sent,
        Err(why) => return wrong("", ENCODING, "a form of RFC 7578", why),
    };
    let mut left: Vec<usize> = (0..sent.len()).collect();
    // For each member, the positions of its parts.
    let mut places: Vec<(&str, Vec<usize>)> = Vec::new();
    for (name, value) in value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        let encoding = content.and_then(|content| content.encoding.get(name)).cloned().unwrap_or_default();
        let schema = content.and_then(|content| member(contract, content.schema.as_ref()?, name));
        let mut own: Vec<usize> = Vec::new();
        // OpenAPI 3.0 has styles for `application/x-www-form-urlencoded` only.
        let styled = encoding.style.filter(|_| contract.dialect != Dialect::OpenApi30);
        // Without a style, a list can also be one part of JSON.
        let whole = [Expected { name: name.clone(), content: Text::Json(value) }];
        let is_whole = value.is_array()
            && styled.is_none()
            && left.iter().any(|at| sent.get(*at).is_some_and(|part| whole.iter().all(|it| it.is(part))));
        let expected = if is_whole { whole.into() } else { expected(name, value, styled, encoding.explode)? };
        for expected in expected {
            // The order of a list is that of its parts; members of an object have none.
            let from = own.last().copied().filter(|_| value.is_array());
            let fits =
                |at: &usize| from.is_none_or(|from| *at > from) && sent.get(*at).is_some_and(|part| expected.is(part));
            let Some(index) = left.iter().position(fits) else {
                let same_name = left.iter().filter_map(|at| sent.get(*at)).find(|part| part.name == expected.name);
                let actual = same_name
                    .map_or_else(|| "no such part".to_owned(), |part| String::from_utf8_lossy(part.bytes).into_owned());
                return wrong(name, ENCODING, &expected.text(), &actual);
            };
            let at = left.remove(index);
            own.push(at);
            let Some(part) = sent.get(at) else { continue };
            let is_file = schema.and_then(|schema| is_file(contract, schema));
            head(name, part, &expected, &encoding, is_file)?;
        }
        places.push((name, own));
    }
    if let Some(part) = left.first().and_then(|at| sent.get(*at)) {
        return wrong(&part.name, ENCODING, "no other part", &String::from_utf8_lossy(part.bytes));
    }
    order(contract, content, &places).map_err(|(expected, actual)| {
        fault("body", "RFC 7578, section 5.2", &format!("{expected} in the order of the contract"), &actual)
    })
}

/// The parts of a member.
fn expected<'v>(
    name: &str,
    value: &'v Value,
    styled: Option<Style>,
    explode: Option<bool>,
) -> Result<Vec<Expected<'v>>, Verdict> {
    let one = |value: &'v Value| Expected {
        name: name.to_owned(),
        content: match value {
            Value::String(text) => Text::Plain(text.clone()),
            other => Text::Json(other),
        },
    };
    match (styled, value) {
        (Some(style), Value::Array(_) | Value::Object(_)) => {
            let explode = explode.unwrap_or(style == Style::Form);
            let pairs = Shape::of_value(value).and_then(|shape| write(name, style, explode, &shape));
            let pairs = pairs
                .ok_or_else(|| Verdict::Limit(format!("the specification does not define how {name:?} is written")))?;
            let part = |pair: Vec<_>| {
                let pair = readable(&pair);
                let (name, text) = pair.split_once('=').unwrap_or((&pair, ""));
                Expected { name: name.to_owned(), content: Text::Plain(text.to_owned()) }
            };
            Ok(pairs.into_iter().map(part).collect())
        }
        (_, Value::Array(items)) => Ok(items.iter().map(one).collect()),
        (_, value) => Ok(vec![one(value)]),
    }
}

/// The headers of a part.
fn head(
    name: &str,
    part: &FormPart<'_>,
    expected: &Expected<'_>,
    encoding: &Encoding,
    is_file: Option<bool>,
) -> Judged {
    // Without a media type, a part is text (RFC 7578, section 4.4).
    let sent = part.media_type.as_deref().unwrap_or("text/plain");
    let default = match (&expected.content, is_file) {
        (Text::Json(Value::Object(_) | Value::Array(_)), _) => Some("application/json"),
        (_, Some(true)) => Some("application/octet-stream"),
        (_, Some(false)) => Some("text/plain"),
        (_, None) => None,
    };
    let declared = encoding.media_type.as_deref().or(default);
    if let Some(declared) = declared.filter(|list| !list.split(',').any(|one| media::fit(one.trim(), sent).is_some())) {
        return Err(fault(&format!("body {name} content-type"), ENCODING, declared, sent));
    }
    let file_name = part.file_name.as_deref();
    let is_right = match is_file {
        Some(true) => file_name.is_some_and(|name| name.starts_with(FILE_NAME)),
        Some(false) => file_name.is_none(),
        None => true,
    };
    if is_right {
        return Ok(());
    }
    let expected =
        if is_file == Some(true) { "the name of the file" } else { "a part without a file name: it is not a file" };
    Err(fault(&format!("body {name} filename"), FORM, expected, file_name.unwrap_or("none")))
}

/// The schema of a member, as far as it is declared directly.
fn member<'c>(contract: &'c Contract, schema: &'c SchemaRef, name: &str) -> Option<&'c Value> {
    followed(contract, target(contract, schema)?)?.get("properties")?.get(name)
}

fn target<'c>(contract: &'c Contract, schema: &'c SchemaRef) -> Option<&'c Value> {
    match schema {
        SchemaRef::Pointer(pointer) => resolve(&contract.document, pointer).map(|(_, value)| value),
        SchemaRef::Inline(value) => Some(value.as_ref()),
    }
}

fn followed<'c>(contract: &'c Contract, schema: &'c Value) -> Option<&'c Value> {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => resolve(&contract.document, reference.trim_start_matches('#')).map(|(_, value)| value),
        None => Some(schema),
    }
}

/// Returns whether a member, or each item of it, is a file. `None`: the schema does not say it directly.
fn is_file(contract: &Contract, schema: &Value) -> Option<bool> {
    let schema = followed(contract, schema)?;
    let keyword = |name: &str| schema.get(name).and_then(Value::as_str);
    match keyword("type")? {
        "array" => is_file(contract, schema.get("items")?),
        // These describe bytes in OpenAPI 3.1, as text or not.
        "string" if ["contentEncoding", "contentMediaType"].iter().any(|key| schema.get(key).is_some()) => None,
        "string" => Some(keyword("format") == Some("binary")),
        _ => Some(false),
    }
}

/// The first member whose parts stand before those of an earlier one, and the members in the order of the request.
fn order(
    contract: &Contract,
    content: Option<&Content>,
    places: &[(&str, Vec<usize>)],
) -> Result<(), (String, String)> {
    let schema = content.and_then(|content| followed(contract, target(contract, content.schema.as_ref()?)?));
    // A pinned contract has its keys in order, and that of the parts in a list of their names.
    let listed = schema.and_then(|schema| schema.get(PART_ORDER)?.as_array());
    let listed: Option<Vec<&str>> = listed.map(|names| names.iter().filter_map(Value::as_str).collect());
    let declared = || schema.and_then(|schema| schema.get("properties")?.as_object()).into_iter().flatten();
    let mut last = None;
    for name in listed.unwrap_or_else(|| declared().map(|(name, _)| name.as_str()).collect()) {
        let own = places.iter().filter(|(other, _)| *other == name).flat_map(|(_, own)| own);
        let (first, end) = (own.clone().min(), own.max());
        if first.is_some() && first < last {
            let mut sent: Vec<_> = places.iter().filter_map(|(name, own)| Some((own.first()?, *name))).collect();
            sent.sort_unstable();
            let sent: Vec<&str> = sent.into_iter().map(|(_, name)| name).collect();
            return Err((name.to_owned(), sent.join(", ")));
        }
        last = last.max(end);
    }
    Ok(())
}
