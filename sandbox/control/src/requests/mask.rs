//! Masks secrets in the journal: by the names of headers, members and fields, and by the form of tokens.

use std::collections::HashSet;

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE, LOCATION, PROXY_AUTHORIZATION, REFERER, SET_COOKIE};
use serde_json::Value;

use super::capture::{BodyBeginning, KEPT};
use super::{graphql, loose};
use crate::media::{self, EVENT_STREAM};

const MASK: &str = "***";
/// The member of a GraphQL request with the document.
const DOCUMENT: &str = "query";
const VARIABLES: &str = "variables";

/// Headers as names in lower case, and values. A credential keeps its scheme.
pub(super) fn headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let masked_value = |name: &http::HeaderName, value: &http::HeaderValue| {
        let text = String::from_utf8_lossy(value.as_bytes());
        if *name == AUTHORIZATION || *name == PROXY_AUTHORIZATION {
            return text.split_once(' ').map_or_else(|| MASK.to_owned(), |(scheme, _)| format!("{scheme} {MASK}"));
        }
        if value.is_sensitive() || *name == COOKIE || *name == SET_COOKIE || is_secret(name.as_str()) {
            return MASK.to_owned();
        }
        match text.split_once('?') {
            Some((page, query)) if *name == LOCATION || *name == REFERER => {
                format!("{}?{}", self::text(page), form(query))
            }
            _ => self::text(&text),
        }
    };
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), masked_value(name, value))).collect()
}

/// The text of a body with its secrets masked. Markup is left out: pages display a new token to its creator.
pub(super) fn body(headers: &HeaderMap, beginning: &BodyBeginning) -> Option<String> {
    if beginning.length > KEPT {
        return None;
    }
    let text = std::str::from_utf8(&beginning.bytes).ok()?;
    let essence = media::essence(headers);
    if essence == "text/html" {
        return None;
    }
    if essence == "application/x-www-form-urlencoded" {
        return Some(form(text));
    }
    if essence == "application/graphql" {
        return Some(self::text(&document(text).0));
    }
    if essence == EVENT_STREAM {
        return Some(text.split_inclusive('\n').map(event).collect());
    }
    match serde_json::from_str(text) {
        Ok(mut value) => {
            json(&mut value);
            Some(value.to_string())
        }
        Err(_not_json) => Some(self::text(&loose::masked(text, MASK, is_secret))),
    }
}

/// A GraphQL document, and the names of the variables that are secrets.
fn document(text: &str) -> (String, HashSet<String>) {
    graphql::masked(text, MASK, is_secret)
}

/// A line of an event stream.
fn event(line: &str) -> String {
    let data = line.strip_prefix("data: ").and_then(|data| serde_json::from_str(data).ok());
    match data {
        Some(mut value) => {
            json(&mut value);
            format!("data: {value}\n")
        }
        None => text(line),
    }
}

/// Pairs of a query or a form.
pub(super) fn form(text: &str) -> String {
    form_with(text, |_| false)
}

/// Pairs of a query, of which further names are those of secrets.
pub(super) fn form_with(text: &str, is_declared: impl Fn(&str) -> bool) -> String {
    let pairs: Vec<_> = form_urlencoded::parse(text.as_bytes()).into_owned().collect();
    let asked = pairs.iter().find(|(name, _)| name == DOCUMENT).map(|(_, value)| document(value));
    let (asked, hidden) = asked.unwrap_or_default();
    let mut masked = form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs {
        // `code` is an authorization code in a form, but has other meanings elsewhere.
        let is_secret = is_secret(&name) || name == "code" || is_declared(&name);
        let masked_pair = match name.as_str() {
            _ if is_secret => MASK.to_owned(),
            DOCUMENT => self::text(&asked),
            VARIABLES => variables(&value, &hidden),
            _ => self::text(&value),
        };
        masked.append_pair(&name, &masked_pair);
    }
    masked.finish()
}

/// The variables of a GraphQL request in a query.
fn variables(text: &str, hidden: &HashSet<String>) -> String {
    match serde_json::from_str(text) {
        Ok(mut value) => {
            hide_members(&mut value, hidden);
            json(&mut value);
            value.to_string()
        }
        Err(_broken) => MASK.to_owned(),
    }
}

/// Returns whether a value is the mask.
pub fn is_mask(value: &Value) -> bool {
    value == MASK
}

/// Masks the secrets of a JSON value, by the names of its members; in GraphQL requests, also by those of arguments.
pub fn json(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let hides_value = members.get("isSecret") == Some(&Value::Bool(true));
            if let Some(Value::String(asked)) = members.get_mut(DOCUMENT) {
                let (masked_document, hidden) = document(asked);
                *asked = masked_document;
                members.get_mut(VARIABLES).into_iter().for_each(|variables| hide_members(variables, &hidden));
            }
            // Errors of the answer may repeat the unreadable parts of a document.
            let errors = members.get_mut("errors").and_then(Value::as_array_mut).into_iter().flatten();
            for error in errors {
                if let Some(Value::String(message)) = error.get_mut("message") {
                    *message = document(message).0;
                }
            }
            for (name, member) in members {
                if is_secret(name) || hides_value && name == "value" {
                    hide(member);
                } else {
                    json(member);
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(json),
        Value::String(string) => *string = text(string),
        _ => {}
    }
}

/// Masks members of an object by their names.
fn hide_members(value: &mut Value, names: &HashSet<String>) {
    let members = value.as_object_mut().into_iter().flatten();
    members.filter(|(name, _)| names.contains(*name)).for_each(|(_, member)| hide(member));
}

/// Masks every string of a value, of any shape.
fn hide(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(hide),
        Value::Array(elements) => elements.iter_mut().for_each(hide),
        Value::String(string) => *string = MASK.to_owned(),
        _ => {}
    }
}

/// Masks the user and password of an address.
fn without_user(text: &str) -> String {
    let mut parts = text.split("://");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let authority = part.split(|letter: char| "/?#\"'<>".contains(letter) || letter.is_whitespace()).next();
        let user = authority.and_then(|authority| authority.rfind('@'));
        masked += "://";
        match user {
            Some(at) => masked += &format!("{MASK}{}", &part[at..]),
            None => masked += part,
        }
    }
    masked
}

/// Masks parts that have the form of a token of this issuer: a JWT, or an opaque API token.
fn text(text: &str) -> String {
    let text = without_user(text);
    let text = text.as_str();
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|letter| !is_part(letter)).unwrap_or(from.len()));
        let is_token = word.starts_with("eyJ") && word.matches('.').count() >= 2 || word.starts_with("sbx_");
        masked.push_str(before);
        masked.push_str(if is_token { MASK } else { word });
        rest = after;
    }
    masked + rest
}

/// Returns whether a name of a header, member, field or argument is that of a secret.
fn is_secret(name: &str) -> bool {
    let letters = name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
    let name: String = letters.collect();
    let ends = [
        "token",
        "tokenhint",
        "secret",
        "password",
        "passphrase",
        "pwd",
        "apikey",
        "accesskey",
        "privatekey",
        "secretkey",
        "connectionstring",
        "assertion",
        "codeverifier",
        "authorization",
    ];
    ends.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked_body(media_type: &'static str, text: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(http::header::CONTENT_TYPE, http::HeaderValue::from_static(media_type));
        body(&headers, &BodyBeginning { bytes: text.as_bytes().to_vec(), length: text.len() })
    }

    #[test]
    fn secrets_are_masked_in_every_form() {
        for (media_type, text, expected) in [
            (
                "application/json",
                r#"{"access_token":"a","token_type":"Bearer"}"#,
                r#"{"access_token":"***","token_type":"Bearer"}"#,
            ),
            ("text/plain", r#"[{"password":"a","name":"n"}]"#, r#"[{"name":"n","password":"***"}]"#),
            ("application/json", r#"{"isSecret":true,"value":"v"}"#, r#"{"isSecret":true,"value":"***"}"#),
            ("application/json", r#"{"query":"x eyJa.b.c y"}"#, r#"{"query":"x *** y"}"#),
            (
                "application/json",
                r#"{"secretAccessKey":"a","connectionString":"b","password":["c",{"d":"e"}],"accessKeyId":"f"}"#,
                r#"{"secretAccessKey":"***","connectionString":"***","password":["***",{"d":"***"}],"accessKeyId":"f"}"#,
            ),
            (
                "application/json",
                r#"{"address":"https://ada:pw@registry/a@b","mail":"ada@example.com"}"#,
                r#"{"address":"https://***@registry/a@b","mail":"ada@example.com"}"#,
            ),
            (
                "application/json",
                r#"{"query":"query ($p: String) { a(password: $p, token: \"t\") }","variables":{"p":"x","q":"y","secret":"z"}}"#,
                r#"{"query":"query ($p: String) { a(password: $p, token: \"***\") }","variables":{"p":"***","q":"y","secret":"***"}}"#,
            ),
            ("application/graphql", r#"{ a(password: "x") }"#, r#"{ a(password: "***") }"#),
            (
                "application/json",
                r#"{"errors":[{"message":"1 | { a(password: \"x"}],"message":"a \" b"}"#,
                r#"{"errors":[{"message":"1 | { a(password: ***"}],"message":"a \" b"}"#,
            ),
            ("text/event-stream", "data: sbx_abc\n\n", "data: ***\n\n"),
            (
                "text/event-stream",
                "event: a\ndata: {\"token\":\"x\"}\n\n:\n",
                "event: a\ndata: {\"token\":\"***\"}\n\n:\n",
            ),
            (
                "application/x-www-form-urlencoded",
                "client_id=a&client_secret=b&code=c&code_verifier=d&refresh_token=e",
                "client_id=a&client_secret=***&code=***&code_verifier=***&refresh_token=***",
            ),
        ] {
            let masked_body: Option<Value> =
                masked_body(media_type, text).map(|text| serde_json::from_str(&text).unwrap_or(text.into()));
            let expected = serde_json::from_str(expected).unwrap_or_else(|_| Value::from(expected));
            assert_eq!(masked_body, Some(expected), "{text}");
        }
        let asked =
            "variables=%7B%22p%22%3A%22x%22%2C%22q%22%3A1%7D&query=%7B+a%28pwd%3A+%24p%2C+token%3A+%22t%22%29+%7D";
        let pairs = form_urlencoded::parse(form(asked).as_bytes()).into_owned().collect::<Vec<_>>();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = [pair("variables", r#"{"p":"***","q":1}"#), pair("query", r#"{ a(pwd: $p, token: "***") }"#)];
        assert_eq!(pairs, expected);
        assert_eq!(masked_body("text/html", "<p>sbx_a</p>"), None);
        assert_eq!(masked_body("application/json", r#"{"password":"a"#).as_deref(), Some(r#"{"password":***"#));
        let mut sent = HeaderMap::new();
        for (name, value) in [
            ("authorization", "Basic YTpi"),
            ("cookie", "a=b"),
            ("x-api-key", "k"),
            ("accept", "*/*"),
            ("location", "http://127.0.0.1:9/callback?code=a&state=b"),
            ("referer", "http://ada:pw@x/?access_token=a"),
        ] {
            sent.insert(name, http::HeaderValue::from_static(value));
        }
        let masked_body = headers(&sent).into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        let [location, referer] = ["http://127.0.0.1:9/callback?code=***&state=b", "http://***@x/?access_token=***"];
        assert_eq!(masked_body, ["Basic ***", "***", "***", "*/*", location, referer]);
    }

    #[test]
    fn a_body_that_is_longer_than_what_is_kept_is_left_out() {
        for (length, expected) in [(KEPT, Some("text".to_owned())), (KEPT + 1, None)] {
            let beginning = BodyBeginning { bytes: b"text".to_vec(), length };
            assert_eq!(body(&HeaderMap::new(), &beginning), expected, "{length}");
        }
    }
}
