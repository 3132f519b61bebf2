//! The request of a case: each part against the contract.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bytes::{Byte, Part, Shape, is_sent, marks, plain, readable, write};
use super::case::Case;
use super::recorder::Recorded;
use super::{Verdict, fault, same};
use crate::contract::{Contract, Location, Operation, Parameter, Scheme, SegmentPart, Style};
use crate::request::{media, multipart};

type Judged = Result<(), Verdict>;

const STYLES: &str = "Style Values";

pub(super) fn judge(contract: &Contract, operation: &Operation, case: &Case, recorded: &Recorded) -> Judged {
    if recorded.method != operation.method.as_str() {
        return Err(fault("method", "Path Item Object", operation.method.as_str(), &recorded.method));
    }
    let (path, query) = recorded.target.split_once('?').unwrap_or((&recorded.target, ""));
    self::path(contract, operation, case, path)?;
    self::query(contract, operation, case, query)?;
    headers(operation, case, recorded)?;
    cookies(operation, case, recorded)?;
    body(operation, case, recorded)
}

/// The bytes of an argument.
fn written(parameter: &Parameter, value: &Value) -> Result<Vec<Vec<Byte>>, Verdict> {
    let undefined = || Verdict::Limit(format!("the specification does not define how {:?} is written", parameter.name));
    if parameter.media_type.is_some() {
        let text = plain(&value.to_string());
        let is_pair = matches!(parameter.location, Location::Query | Location::Cookie);
        return Ok(vec![if is_pair { [plain(&parameter.name), marks("="), text].concat() } else { text }]);
    }
    let shape = Shape::of_value(value).ok_or_else(undefined)?;
    let is_named = matches!(parameter.location, Location::Query | Location::Cookie) || parameter.style == Style::Matrix;
    let name = if is_named { parameter.name.as_str() } else { "" };
    write(name, parameter.style, parameter.explode, &shape).ok_or_else(undefined)
}

/// The arguments of a place, each with its parameter.
fn arguments<'c>(
    operation: &'c Operation,
    case: &'c Case,
    location: Location,
) -> impl Iterator<Item = (&'c Parameter, &'c Value)> {
    let all = case.arguments.iter();
    all.filter_map(|argument| Some((operation.parameters.get(argument.parameter)?, &argument.value)))
        .filter(move |(parameter, _)| parameter.location == location)
}

fn path(contract: &Contract, operation: &Operation, case: &Case, path: &str) -> Judged {
    let mut expected = marks("/");
    'path: for (index, segment) in operation.segments.iter().enumerate() {
        if index > 0 {
            expected.extend(marks("/"));
        }
        for part in &segment.parts {
            match part {
                SegmentPart::Literal(text) => {
                    let (text, has_fragment) =
                        text.split_once('#').map_or((text.as_str(), false), |(text, _)| (text, true));
                    expected.extend(text.bytes().map(|byte| match byte.is_ascii_graphic() && byte != b'%' {
                        true => Byte::Mark(byte),
                        false => Byte::Text(byte),
                    }));
                    // No request carries a fragment (RFC 3986 §3.5).
                    if has_fragment {
                        break 'path;
                    }
                }
                SegmentPart::Parameter(name) | SegmentPart::Rest(name) => {
                    let argument =
                        arguments(operation, case, Location::Path).find(|(parameter, _)| parameter.name == *name);
                    let Some((parameter, value)) = argument else {
                        return Err(Verdict::Contradiction(format!(
                            "the path has {name:?}, and no parameter is declared for it"
                        )));
                    };
                    expected.extend(written(parameter, value)?.concat());
                }
            }
        }
    }
    // A server's address can have a path, which the address of the recorder does not have.
    let bases = std::iter::once("")
        .chain([contract.base_path.as_str()])
        .chain(contract.other_base_paths.iter().map(String::as_str));
    let is_it = bases
        .into_iter()
        .filter_map(|base| path.strip_prefix(base))
        .any(|rest| is_sent(&expected, rest.as_bytes(), Part::Path));
    if is_it { Ok(()) } else { Err(fault("path", "Path Templating", &readable(&expected), path)) }
}

fn query(contract: &Contract, operation: &Operation, case: &Case, query: &str) -> Judged {
    let mut sent: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty()).collect();
    for (parameter, value) in arguments(operation, case, Location::Query) {
        let raw = contract.document.pointer(&parameter.pointer);
        let is_reserved = raw.and_then(|raw| raw.get("allowReserved")).and_then(Value::as_bool) == Some(true);
        let part = if is_reserved { Part::Reserved } else { Part::Query };
        let mut last = None;
        for pair in written(parameter, value)? {
            if !take(&mut sent, &pair, part, &mut last) {
                return Err(fault(&format!("query {}", parameter.name), STYLES, &readable(&pair), query));
            }
        }
    }
    // The rest: the query of the template, parameters that the client sets by itself, and keys.
    let fixed: Vec<&str> =
        operation.template.split_once('?').map(|(_, query)| query.split('&').collect()).unwrap_or_default();
    let keys: Vec<&str> = contract
        .schemes
        .values()
        .filter_map(|scheme| match scheme {
            Scheme::Key { location: Location::Query, name } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    let is_set = |name: &str| {
        let by_case = case.arguments.iter().any(|argument| argument.place == "query" && argument.name == name);
        let declared = operation
            .parameters
            .iter()
            .find(|parameter| parameter.location == Location::Query && parameter.name == name);
        declared.is_some_and(|parameter| parameter.required) && !by_case
    };
    let other = sent.iter().find(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
        !(fixed.contains(pair) || keys.contains(&&*name) || is_set(&name))
    });
    match other {
        Some(pair) => Err(fault("query", "Parameter Object", "no other parameter", pair)),
        None => Ok(()),
    }
}

/// Takes a pair out of those that were sent. Pairs are in any order, and the values of one name are in that of the list: a pair stands
/// behind the `last` one, if both have the same name.
pub(super) fn take<'s>(
    sent: &mut Vec<&'s str>,
    pair: &[Byte],
    part: Part,
    last: &mut Option<(&'s str, usize)>,
) -> bool {
    let name = |pair: &'s str| pair.split('=').next().unwrap_or_default();
    let is_behind =
        |index: usize, pair: &'s str| last.is_none_or(|(before, from)| before != name(pair) || index >= from);
    let is_it = |(index, sent): (usize, &&'s str)| is_sent(pair, sent.as_bytes(), part) && is_behind(index, sent);
    let Some(index) = sent.iter().enumerate().position(is_it) else { return false };
    *last = Some((name(sent.remove(index)), index));
    true
}

fn headers(operation: &Operation, case: &Case, recorded: &Recorded) -> Judged {
    let (answer, accept) = (&case.answer, recorded.header("accept").collect::<Vec<_>>().join(", "));
    if answer.status < 300 && !answer.media_type.is_empty() && !media::accepts(&accept, &answer.media_type) {
        return Err(fault("header accept", "Responses Object", &answer.media_type, &accept));
    }
    for (parameter, value) in arguments(operation, case, Location::Header) {
        let expected = readable(&written(parameter, value)?.concat());
        let name = parameter.name.to_ascii_lowercase();
        let sent: Vec<&str> = recorded.header(&name).collect();
        let is_it = match sent.as_slice() {
            [sent] if parameter.media_type.is_some() => {
                serde_json::from_str(sent).is_ok_and(|sent| same::difference(value, &sent).is_none())
            }
            [sent] => *sent == expected.trim(),
            _ => false,
        };
        if !is_it {
            return Err(fault(&format!("header {}", parameter.name), STYLES, &expected, &sent.join(" | ")));
        }
    }
    let set = |name: &str| {
        case.arguments.iter().any(|argument| argument.place == "header" && argument.name.eq_ignore_ascii_case(name))
    };
    let other = operation.parameters.iter().find(|parameter| {
        parameter.location == Location::Header
            && !parameter.required
            && !set(&parameter.name)
            && !["accept", "content-type", "user-agent", "host"].contains(&parameter.name.to_ascii_lowercase().as_str())
            && recorded.header(&parameter.name.to_ascii_lowercase()).next().is_some()
    });
    match other {
        Some(parameter) => Err(fault("headers", "Parameter Object", "no other parameter", &parameter.name)),
        None => Ok(()),
    }
}

fn cookies(operation: &Operation, case: &Case, recorded: &Recorded) -> Judged {
    let all: Vec<&str> = recorded.header("cookie").flat_map(|header| header.split("; ")).collect();
    for (parameter, value) in arguments(operation, case, Location::Cookie) {
        for pair in written(parameter, value)? {
            if !all.iter().any(|sent| is_sent(&pair, sent.as_bytes(), Part::Cookie)) {
                return Err(fault(&format!("cookie {}", parameter.name), STYLES, &readable(&pair), &all.join("; ")));
            }
        }
    }
    Ok(())
}

fn body(operation: &Operation, case: &Case, recorded: &Recorded) -> Judged {
    let (Some(value), Some(media_type)) = (&case.body, &case.media_type) else {
        return match recorded.body.is_empty() {
            true => Ok(()),
            false => Err(fault("body", "Request Body Object", "no body", &String::from_utf8_lossy(&recorded.body))),
        };
    };
    let types: Vec<&str> = recorded.header("content-type").collect();
    let [sent_type] = types.as_slice() else {
        return Err(fault("header content-type", "Request Body Object", media_type, &types.join(" | ")));
    };
    let declared = operation.body.iter().flat_map(|body| &body.content);
    let is_declared = declared.clone().any(|content| media::fit(&content.media_type, sent_type).is_some());
    if !is_declared {
        let declared: Vec<&str> = declared.map(|content| content.media_type.as_str()).collect();
        return Err(fault("header content-type", "Request Body Object", &declared.join(" or "), sent_type));
    }
    let wrong =
        |expected: &str| Err(fault("body", "Media Type Object", expected, &String::from_utf8_lossy(&recorded.body)));
    let essence = media::essence(sent_type);
    if media::is_json(&essence) {
        let Ok(sent) = serde_json::from_slice::<Value>(&recorded.body) else { return wrong(&value.to_string()) };
        return match same::difference(value, &sent) {
            Some((pointer, expected, actual)) => {
                Err(fault(&format!("body {pointer}"), "Media Type Object", &expected, &actual))
            }
            None => Ok(()),
        };
    }
    let encodings = operation
        .body
        .iter()
        .flat_map(|body| &body.content)
        .find(|content| media::fit(&content.media_type, sent_type).is_some());
    if essence == "application/x-www-form-urlencoded" {
        return form(value, encodings.map(|content| &content.encoding), &recorded.body);
    }
    if essence.starts_with("multipart/") {
        return parts(value, sent_type, &recorded.body);
    }
    match value {
        Value::String(text) if text.as_bytes() == recorded.body => Ok(()),
        other => wrong(&other.to_string()),
    }
}

fn form(value: &Value, encodings: Option<&BTreeMap<String, crate::contract::Encoding>>, body: &[u8]) -> Judged {
    let body = String::from_utf8_lossy(body);
    let mut sent: Vec<&str> = body.split('&').filter(|pair| !pair.is_empty()).collect();
    for (name, value) in value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        let encoding = encodings.and_then(|encodings| encodings.get(name)).cloned().unwrap_or_default();
        let style = encoding.style.unwrap_or(Style::Form);
        let explode = encoding.explode.unwrap_or(style == Style::Form);
        let shape = Shape::of_value(value);
        // Without a style, a field is written by its media type: JSON for objects and lists of them (OpenAPI 3.1.1, "Encoding Object").
        let is_json = encoding.style.is_none() && (value.is_object() || shape.is_none());
        let pairs = match shape {
            _ if is_json => Some(vec![[plain(name), marks("="), plain(&value.to_string())].concat()]),
            Some(shape) => write(name, style, explode, &shape),
            None => None,
        };
        let mut last = None;
        for pair in
            pairs.ok_or_else(|| Verdict::Limit(format!("the specification does not define how {name:?} is written")))?
        {
            if !take(&mut sent, &pair, Part::Query, &mut last) {
                return Err(fault(&format!("body {name}"), "Encoding Object", &readable(&pair), &body));
            }
        }
    }
    match sent.first() {
        Some(pair) => Err(fault("body", "Encoding Object", "no other field", pair)),
        None => Ok(()),
    }
}

fn parts(value: &Value, media_type: &str, body: &[u8]) -> Judged {
    let wrong = |name: &str, expected: &str, actual: &str| {
        Err(fault(&format!("body {name}"), "Encoding Object", expected, actual))
    };
    let mut sent = match multipart::parts(media_type, body) {
        Ok(sent) => sent,
        Err(why) => return wrong("", "a form of RFC 7578", why),
    };
    for (name, value) in value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        let items = match value {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        // The order of a list is that of its parts.
        let mut from = 0;
        for item in items {
            let is_it = |bytes: &[u8]| match item {
                Value::String(text) => bytes == text.as_bytes(),
                other => serde_json::from_slice(bytes).is_ok_and(|sent| same::difference(other, &sent).is_none()),
            };
            // A list can also be one part of JSON.
            let whole =
                |bytes: &[u8]| serde_json::from_slice(bytes).is_ok_and(|sent| same::difference(value, &sent).is_none());
            let behind = sent.iter().skip(from).position(|part| part.name == *name && is_it(part.bytes));
            match behind.map(|behind| from + behind) {
                Some(index) => {
                    sent.remove(index);
                    from = index;
                }
                None if value.is_array() && sent.iter().any(|part| part.name == *name && whole(part.bytes)) => {}
                None => {
                    let same_name = sent.iter().find(|part| part.name == *name);
                    let actual = same_name.map_or_else(
                        || "no such part".to_owned(),
                        |part| String::from_utf8_lossy(part.bytes).into_owned(),
                    );
                    return wrong(name, &item.to_string(), &actual);
                }
            }
        }
        if value.is_array() {
            sent.retain(|part| part.name != *name);
        }
    }
    match sent.first() {
        Some(part) => wrong(&part.name, "no other part", &String::from_utf8_lossy(part.bytes)),
        None => Ok(()),
    }
}
