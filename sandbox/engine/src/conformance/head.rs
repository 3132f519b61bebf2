//! The headers of a request, its cookies, and its framing.

use super::bytes::{Part, readable};
use super::case::Case;
use super::relay::Recorded;
use super::request::{Judged, STYLES, arguments, take, written};
use super::{fault, same};
use crate::contract::{Contract, Location, Operation, Parameter, Scheme};
use crate::request::media;

/// Headers of HTTP itself, which no contract needs to declare, and the client's own number of a request.
const OF_HTTP: [&str; 10] = [
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "transfer-encoding",
    "user-agent",
    "x-request-id",
];

/// Methods that define a meaning for content: a request without any has a length of 0.
const WITH_CONTENT: [&str; 3] = ["PATCH", "POST", "PUT"];

const LINES: &str = "RFC 9110, section 5.3";
const LENGTH: &str = "RFC 9110, section 8.6";

/// The framing of the message: a service that reads it in another way reads another request.
pub(super) fn framing(recorded: &Recorded) -> Judged {
    if let Some(flaw) = &recorded.flaw {
        return Err(fault("framing", "RFC 9112, section 6", "a body of the length that the headers say", flaw));
    }
    let lengths: Vec<&str> = recorded.header("content-length").collect();
    let is_chunked = recorded.header("transfer-encoding").next().is_some();
    match lengths.as_slice() {
        [] if is_chunked => Ok(()),
        [] if recorded.body.is_empty() && !WITH_CONTENT.contains(&recorded.method.as_str()) => Ok(()),
        [length] if !is_chunked && length.parse() == Ok(recorded.body.len()) => Ok(()),
        lengths => {
            let sent = if is_chunked { "with transfer-encoding" } else { "" };
            let expected = format!("one length of {}", recorded.body.len());
            Err(fault("header content-length", LENGTH, &expected, &format!("{} {sent}", lengths.join(" | "))))
        }
    }
}

pub(super) fn headers(contract: &Contract, operation: &Operation, case: &Case, recorded: &Recorded) -> Judged {
    let (answer, accept) = (&case.answer, recorded.header("accept").collect::<Vec<_>>().join(", "));
    if answer.status < 300 && !answer.media_type.is_empty() && !media::accepts(&accept, &answer.media_type) {
        return Err(fault("header accept", "Responses Object", &answer.media_type, &accept));
    }
    for (parameter, value) in arguments(operation, case, Location::Header) {
        let expected = readable(&written(parameter, value, [])?.concat());
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
    let mut seen = Vec::new();
    for (name, value) in &recorded.headers {
        // The lines of `Accept` are one list.
        if seen.contains(&name) && name != "accept" {
            return Err(fault(&format!("header {name}"), LINES, "one line", &format!("another one: {value}")));
        }
        seen.push(name);
        let is_required = |parameter: &&Parameter| parameter.location == Location::Header && parameter.required;
        let mut required = operation.parameters.iter().filter(is_required);
        let is_known = OF_HTTP.contains(&name.as_str())
            || set(name)
            || required.any(|parameter| parameter.name.eq_ignore_ascii_case(name))
            || contract.schemes.values().any(|scheme| is_credential(scheme, name));
        if !is_known {
            return Err(fault("headers", "Parameter Object", "no other header", &format!("{name}: {value}")));
        }
    }
    if recorded.body.is_empty()
        && case.body.is_none()
        && let Some(media_type) = recorded.header("content-type").find(|_| !set("content-type"))
    {
        return Err(fault("header content-type", "RFC 9110, section 8.3", "none without a body", media_type));
    }
    Ok(())
}

/// Returns whether a scheme puts its credentials into a header. Credentials are not compared.
fn is_credential(scheme: &Scheme, header: &str) -> bool {
    match scheme {
        Scheme::Key { location: Location::Header, name } => name.eq_ignore_ascii_case(header),
        Scheme::Key { .. } => false,
        Scheme::Basic | Scheme::Bearer | Scheme::Token | Scheme::Http(_) | Scheme::Unknown => header == "authorization",
    }
}

pub(super) fn cookies(contract: &Contract, operation: &Operation, case: &Case, recorded: &Recorded) -> Judged {
    // A parameter can be the header as a whole.
    if arguments(operation, case, Location::Header).any(|(parameter, _)| parameter.name.eq_ignore_ascii_case("cookie"))
    {
        return Ok(());
    }
    let mut sent: Vec<&str> = recorded.header("cookie").flat_map(|header| header.split("; ")).collect();
    for (parameter, value) in arguments(operation, case, Location::Cookie) {
        let mut last = None;
        for pair in written(parameter, value, sent.iter().copied())? {
            if !take(&mut sent, &pair, Part::Cookie, &mut last) {
                return Err(fault(&format!("cookie {}", parameter.name), STYLES, &readable(&pair), &sent.join("; ")));
            }
        }
    }
    // The rest: cookies that the client sets by itself, and keys.
    let is_set = |name: &str| {
        let by_case = case.arguments.iter().any(|argument| argument.place == "cookie" && argument.name == name);
        let mut declared = operation.parameters.iter().filter(|parameter| parameter.location == Location::Cookie);
        !by_case && declared.any(|parameter| parameter.required && parameter.name == name)
    };
    let is_key = |name: &str| {
        let is_it =
            |scheme: &Scheme| matches!(scheme, Scheme::Key { location: Location::Cookie, name: key } if key == name);
        contract.schemes.values().any(is_it)
    };
    let name = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    match sent.iter().find(|pair| !(is_set(&name(pair)) || is_key(&name(pair)))) {
        Some(pair) => Err(fault("cookies", "Parameter Object", "no other cookie", pair)),
        None => Ok(()),
    }
}
