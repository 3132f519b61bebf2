//! The method, the path and the query of a request, against the contract.

use serde_json::Value;

use super::bytes::{Byte, Part, Shape, is_sent, marks, plain, readable, write};
use super::case::Case;
use super::relay::Recorded;
use super::{Verdict, fault, same};
use crate::contract::{Contract, Location, Operation, Parameter, Scheme, SegmentPart, Style};

pub(super) type Judged = Result<(), Verdict>;

pub(super) const STYLES: &str = "Style Values";

pub(super) fn judge(contract: &Contract, operation: &Operation, case: &Case, recorded: &Recorded) -> Judged {
    if recorded.method != operation.method.as_str() {
        return Err(fault("method", "Path Item Object", operation.method.as_str(), &recorded.method));
    }
    let (path, query) = recorded.target.split_once('?').unwrap_or((&recorded.target, ""));
    self::path(contract, operation, case, path)?;
    self::query(contract, operation, case, query)
}

/// The bytes of an argument. A value in JSON has the members in the order in which one of the texts has them: it can be any.
pub(super) fn written<'s>(
    parameter: &Parameter,
    value: &Value,
    sent: impl IntoIterator<Item = &'s str>,
) -> Result<Vec<Vec<Byte>>, Verdict> {
    let undefined = || Verdict::Limit(format!("the specification does not define how {:?} is written", parameter.name));
    if parameter.media_type.is_some() {
        let is_query = parameter.location == Location::Query;
        let text = sent.into_iter().find_map(|text| same_in_json(value, text, is_query));
        let text = plain(&text.unwrap_or_else(|| value.to_string()));
        let is_pair = matches!(parameter.location, Location::Query | Location::Cookie);
        return Ok(vec![if is_pair { [plain(&parameter.name), marks("="), text].concat() } else { text }]);
    }
    let shape = Shape::of_value(value).ok_or_else(undefined)?;
    let is_named = matches!(parameter.location, Location::Query | Location::Cookie) || parameter.style == Style::Matrix;
    let name = if is_named { parameter.name.as_str() } else { "" };
    write(name, parameter.style, parameter.explode, &shape).ok_or_else(undefined)
}

/// The JSON of a text that was sent, which can be a pair, if it has the same value.
fn same_in_json(value: &Value, sent: &str, is_query: bool) -> Option<String> {
    let text = sent.split_once('=').map_or(sent, |(_, text)| text);
    let text = if is_query { text.replace('+', " ") } else { text.to_owned() };
    let text = percent_encoding::percent_decode_str(&text).decode_utf8().ok()?.into_owned();
    let read = serde_json::from_str(&text).ok()?;
    same::difference(value, &read).is_none().then_some(text)
}

/// The arguments of a place, each with its parameter.
pub(super) fn arguments<'c>(
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
                    expected.extend(written(parameter, value, path.split('/'))?.concat());
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
        for pair in written(parameter, value, sent.iter().copied())? {
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
