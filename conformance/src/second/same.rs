//! Two requests for the same arguments.

use std::borrow::Cow;

use driftless_sandbox::conformance::{Case, Recorded, difference};
use serde::Serialize;
use serde_json::Value;

/// The opinion of progenitor's client on a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "result", rename_all = "lowercase")]
pub enum Opinion {
    /// It sends the same.
    Same,
    /// It sends the same path, and other characters of it are percent-encoded: reserved ones, which RFC 3986 tells apart.
    Spelling {
        /// The path of progenitor.
        theirs: String,
        /// The path of the client.
        ours: String,
    },
    /// It sends something else.
    Other {
        /// The part of the request.
        place: String,
        /// The bytes of progenitor.
        theirs: String,
        /// The bytes of the client.
        ours: String,
    },
    /// It cannot make the request.
    Nothing {
        /// The reason.
        reason: String,
    },
}

/// Compares method, path, query, the headers that are arguments, and the body. `keys` are parameters of the query that only the client
/// sends, and `bases` are paths that only the client can have before its path.
pub(super) fn compare(ours: &Recorded, theirs: &Recorded, case: &Case, keys: &[String], bases: &[String]) -> Opinion {
    let other = |place: &str, theirs: &str, ours: &str| Opinion::Other {
        place: place.to_owned(),
        theirs: theirs.to_owned(),
        ours: ours.to_owned(),
    };
    if ours.method != theirs.method {
        return other("method", &theirs.method, &ours.method);
    }
    let (path, query) = parts(&ours.target);
    let (their_path, their_query) = parts(&theirs.target);
    if !same_paths(path, their_path, bases, |_| true) {
        return other("path", their_path, path);
    }
    let mut pairs = pairs(query);
    pairs.retain(|(name, _)| !keys.contains(name));
    if pairs != self::pairs(their_query) {
        return other("query", their_query, query);
    }
    for argument in case.arguments.iter().filter(|argument| argument.place == "header") {
        let (one, their) = (header(ours, &argument.name), header(theirs, &argument.name));
        if one != their {
            return other(&format!("header {}", argument.name), &their, &one);
        }
    }
    let (one, their) = (essence(ours), essence(theirs));
    if one != their && !(ours.body.is_empty() && theirs.body.is_empty()) {
        return other("header content-type", &their, &one);
    }
    if let Some((at, their, one)) = bodies(ours, theirs, &one) {
        return other(&format!("body {at}"), &their, &one);
    }
    match same_paths(path, their_path, bases, |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)) {
        true => Opinion::Same,
        false => Opinion::Spelling { theirs: their_path.to_owned(), ours: path.to_owned() },
    }
}

fn parts(target: &str) -> (&str, &str) {
    target.split_once('?').unwrap_or((target, ""))
}

/// Compares paths by their segments. `is_equal` are the bytes whose percent-encoding changes nothing.
fn same_paths(ours: &str, theirs: &str, bases: &[String], is_equal: impl Fn(u8) -> bool) -> bool {
    let normal = |path: &str| path.split('/').map(|segment| decoded(segment, &is_equal)).collect::<Vec<_>>();
    let without = |base: &str| ours.strip_prefix(base).filter(|rest| rest.starts_with('/'));
    let theirs = normal(theirs);
    std::iter::once("").chain(bases.iter().map(String::as_str)).filter_map(without).any(|ours| normal(ours) == theirs)
}

/// The bytes of a text: the number of each, and `true` if it stays percent-encoded (RFC 3986, 6.2.2).
fn decoded(text: &str, is_equal: impl Fn(u8) -> bool) -> Vec<(u8, bool)> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let byte = match rest {
            [b'%', high, low, ..] => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                digit(high).zip(digit(low)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
            }
            _ => None,
        };
        bytes.push(byte.map_or((*first, false), |byte| (byte, !is_equal(byte))));
        rest = if byte.is_some() { rest.get(3..).unwrap_or_default() } else { behind };
    }
    bytes
}

/// The pairs of a query or a form, sorted by name: the values of one name keep their order, which is that of a list.
fn pairs(text: &str) -> Vec<(String, String)> {
    let decode = |text: &str| {
        let spaces: Cow<'_, str> = text.replace('+', " ").into();
        let bytes: Vec<u8> = decoded(&spaces, |_| true).into_iter().map(|(byte, _)| byte).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let pairs = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut pairs: Vec<_> = pairs.map(|(name, value)| (decode(name), decode(value))).collect();
    pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
    pairs
}

fn header(request: &Recorded, name: &str) -> String {
    let values = request.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
    values.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
}

fn essence(request: &Recorded) -> String {
    header(request, "content-type").split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The first place at which two bodies differ, and both values.
fn bodies(ours: &Recorded, theirs: &Recorded, essence: &str) -> Option<(String, String, String)> {
    let text = |request: &Recorded| String::from_utf8_lossy(&request.body).into_owned();
    let value = |request: &Recorded| serde_json::from_slice::<Value>(&request.body).ok();
    let is_same = match (value(theirs), value(ours)) {
        (Some(theirs), Some(ours)) if essence.ends_with("json") => return difference(&theirs, &ours),
        _ if essence.ends_with("urlencoded") => pairs(&text(ours)) == pairs(&text(theirs)),
        _ => ours.body == theirs.body,
    };
    (!is_same).then(|| (String::new(), text(theirs), text(ours)))
}

#[cfg(test)]
mod tests {
    use super::{pairs, same_paths};

    fn unreserved(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
    }

    #[test]
    fn paths_are_compared_by_rfc_3986() {
        for (ours, theirs, is_equal, is_spelling) in [
            ("/a/b", "/a/b", true, true),
            ("/a/%7e%C3%a9", "/a/~%c3%A9", true, true),
            ("/a/%2C", "/a/,", false, true),
            ("/a%2Fb", "/a/b", false, false),
            ("/a/", "/a", false, false),
            ("/a/%2", "/a/%2", true, true),
            ("/v1/a", "/a", true, true),
            ("/v2/a", "/a", false, false),
            ("/v1", "/", false, false),
        ] {
            let bases = ["/v1".to_owned()];
            assert_eq!(same_paths(ours, theirs, &bases, unreserved), is_equal, "{ours} {theirs}");
            assert_eq!(same_paths(ours, theirs, &bases, |_| true), is_spelling, "{ours} {theirs}");
        }
    }

    #[test]
    fn queries_are_compared_by_pairs() {
        for (one, other, is_same) in [
            ("a=1&b=2", "b=2&a=1", true),
            ("a=1&a=2", "a=2&a=1", false),
            ("a=1&b=3&a=2", "b=3&a=1&a=2", true),
            ("a=1&a=1", "a=1", false),
            ("a=x+y", "a=x%20y", true),
            ("a=x%2By", "a=x+y", false),
            ("a", "a=", true),
            ("a=%C3%A9", "a=é", true),
            ("a=b&", "a=B", false),
        ] {
            assert_eq!(pairs(one) == pairs(other), is_same, "{one} {other}");
        }
    }
}
