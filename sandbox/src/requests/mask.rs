//! Takes secrets out of what the journal shows: by the names of headers, members and fields, and by the form of tokens.

use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE};
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
        self::text(&text)
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
                if member.is_string() && (is_secret(name) || hides_value && name == "value") {
                    *member = MASK.into();
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

/// Replaces what has the form of a token of this issuer: a JWT, or an opaque API token.
fn text(text: &str) -> String {
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
    let ends = ["token", "secret", "password", "apikey", "privatekey", "assertion", "codeverifier", "authorization"];
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
        for (name, value) in [("authorization", "Basic YTpi"), ("cookie", "a=b"), ("x-api-key", "k"), ("accept", "*/*")]
        {
            sent.insert(name, http::HeaderValue::from_static(value));
        }
        let shown = headers(&sent).into_iter().map(|(_, value)| value).collect::<Vec<_>>();
        assert_eq!(shown, ["Basic ***", "***", "***", "*/*"]);
    }

    #[test]
    fn a_body_that_is_longer_than_what_is_kept_is_left_out() {
        let bytes = b"text".to_vec();
        assert_eq!(body(&HeaderMap::new(), &BodyBeginning { length: bytes.len() + 1, bytes }), None);
    }
}
