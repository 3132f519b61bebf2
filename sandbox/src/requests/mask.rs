//! Takes secrets out of what the journal shows: by the names of headers, members and fields, and by the form of tokens.

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE, LOCATION, PROXY_AUTHORIZATION, REFERER, SET_COOKIE};
use serde_json::Value;

use super::capture::BodyBeginning;
use crate::reply;

pub(crate) const MASK: &str = "***";

/// Names in lower case, and values. A credential keeps its scheme.
pub(super) fn headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let shown = |name: &http::HeaderName, value: &http::HeaderValue| {
        let text = String::from_utf8_lossy(value.as_bytes());
        if *name == AUTHORIZATION || *name == PROXY_AUTHORIZATION {
            return text.split_once(' ').map_or_else(|| MASK.to_owned(), |(scheme, _)| format!("{scheme} {MASK}"));
        }
        if *name == COOKIE || *name == SET_COOKIE || is_secret(name.as_str()) {
            return MASK.to_owned();
        }
        match text.split_once('?') {
            Some((page, query)) if *name == LOCATION || *name == REFERER => {
                format!("{}?{}", self::text(page), form(query))
            }
            _ => self::text(&text),
        }
    };
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), shown(name, value))).collect()
}

/// The text of a body that may be shown. Markup is not: pages show a new token to the one who made it.
pub(super) fn body(headers: &HeaderMap, beginning: &BodyBeginning) -> Option<String> {
    if beginning.bytes.len() < beginning.length {
        return None;
    }
    let text = std::str::from_utf8(&beginning.bytes).ok()?;
    let essence = reply::essence(headers);
    if essence == "text/html" || essence == "multipart/form-data" {
        return None;
    }
    if essence == "application/x-www-form-urlencoded" {
        return Some(form(text));
    }
    match serde_json::from_str(text) {
        Ok(mut value) => {
            json(&mut value);
            Some(value.to_string())
        }
        // What is broken may be meant as JSON or as a form: its members cannot be told apart.
        Err(_broken) if essence.ends_with("json") => None,
        Err(_not_json) => Some(self::text(text)),
    }
}

/// Pairs as a query or a form has them.
pub(super) fn form(text: &str) -> String {
    let mut masked = form_urlencoded::Serializer::new(String::new());
    for (name, value) in form_urlencoded::parse(text.as_bytes()) {
        // An authorization code is a secret in a form; elsewhere the word means other things.
        let is_secret = is_secret(&name) || name == "code";
        let value = if is_secret { MASK.to_owned() } else { self::text(&value) };
        masked.append_pair(&name, &value);
    }
    masked.finish()
}

/// Masks the secrets of a JSON value, by the names of its members.
pub(crate) fn json(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let hides_value = members.get("isSecret") == Some(&Value::Bool(true));
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

/// Masks every text of a value, whatever its shape.
fn hide(value: &mut Value) {
    match value {
        Value::Object(members) => members.values_mut().for_each(hide),
        Value::Array(elements) => elements.iter_mut().for_each(hide),
        Value::String(string) => *string = MASK.to_owned(),
        _ => {}
    }
}

/// Replaces what stands before the host of an address: a user and a password.
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

/// Replaces what has the form of a token of this issuer: a JWT, or an opaque API token.
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

    fn shown(media_type: &'static str, text: &str) -> Option<String> {
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
            ("text/event-stream", "data: sbx_abc\n\n", "data: ***\n\n"),
            (
                "application/x-www-form-urlencoded",
                "client_id=a&client_secret=b&code=c&code_verifier=d&refresh_token=e",
                "client_id=a&client_secret=***&code=***&code_verifier=***&refresh_token=***",
            ),
        ] {
            let shown: Option<Value> =
                shown(media_type, text).map(|text| serde_json::from_str(&text).unwrap_or(text.into()));
            let expected = serde_json::from_str(expected).unwrap_or_else(|_| Value::from(expected));
            assert_eq!(shown, Some(expected), "{text}");
        }
        for (media_type, text) in [("text/html", "<p>sbx_a</p>"), ("application/json", r#"{"password":"a"#)] {
            assert_eq!(shown(media_type, text), None, "{text}");
        }
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
        let shown = headers(&sent).into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        let [location, referer] = ["http://127.0.0.1:9/callback?code=***&state=b", "http://***@x/?access_token=***"];
        assert_eq!(shown, ["Basic ***", "***", "***", "*/*", location, referer]);
    }

    #[test]
    fn a_body_that_is_longer_than_what_is_kept_is_left_out() {
        let bytes = b"text".to_vec();
        assert_eq!(body(&HeaderMap::new(), &BodyBeginning { length: bytes.len() + 1, bytes }), None);
    }
}
