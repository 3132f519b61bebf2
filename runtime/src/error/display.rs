//! The text of errors.

use std::fmt::{self, Write};

use bytes::Bytes;
use http::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use super::{Error, Kind};
use crate::json::charset;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &self.0;
        if let Some(operation) = inner.operation {
            write!(f, "{operation}: ")?;
        }
        f.write_str(&escape(&inner.what))?;
        if inner.kind == Kind::Status
            && let Some(summary) = inner.problem.as_ref().and_then(super::Problem::summary)
        {
            write!(f, ": {}", escape(&summary))?;
        }
        if inner.unknown {
            f.write_str(" (it is unknown whether the service processed the request: check before you send it again)")?;
        } else if !inner.hint.is_empty() {
            write!(f, " ({})", escape(&inner.hint))?;
        }
        if let Some(id) =
            inner.problem.as_ref().and_then(|problem| problem.trace_id.as_ref()).or(inner.request_id.as_ref())
            && inner.kind == Kind::Status
            && inner.status.is_some_and(|status| status.is_server_error())
        {
            write!(f, " [{}]", escape(id))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.code())
            .field("message", &self.to_string())
            .field("status", &self.0.status)
            .field("body_bytes", &self.0.body.len())
            .field("cause", &self.0.cause)
            .finish()
    }
}

/// Returns the text on one line, without control characters, and cut to a readable length.
pub(crate) fn escape(text: &str) -> String {
    const LONGEST: usize = 500;
    let mut out = String::with_capacity(text.len());
    for (count, character) in text.chars().enumerate() {
        if count == LONGEST {
            out.push('…');
            break;
        }
        if is_unprintable(character) {
            let _ = write!(out, "{}", character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// Control characters, line separators, and the marks that change the direction of text.
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns the message of a decoder without the texts that it quotes: a value of the wire may be a secret.
pub(crate) fn mask(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut characters = message.chars();
    while let Some(character) = characters.next() {
        out.push(character);
        if character == '"' {
            out.push('…');
            while let Some(quoted) = characters.next() {
                match quoted {
                    '\\' => drop(characters.next()),
                    '"' => {
                        out.push('"');
                        break;
                    }
                    _ => {}
                }
            }
        }
    }
    out
}

/// The replacement of a secret that a server repeats.
const BLANK: &str = "[redacted]";

/// The length from which a secret is blanked out everywhere, in bytes. A shorter one occurs by chance within other
/// words, which would become unreadable, and reveal the secret to those who know the words: it is blanked out only as a
/// whole word.
const UNMISTAKABLE: usize = 8;

/// Returns the text without a secret that a server repeats in it.
pub(crate) fn scrub_text(text: &str, secret: &str) -> String {
    if secret.is_empty() {
        return text.to_owned();
    }
    let is_word =
        |character: Option<char>| character.is_some_and(|character| character.is_alphanumeric() || character == '_');
    let mut out = String::with_capacity(text.len());
    let mut rest = 0;
    for (start, repeated) in text.match_indices(secret) {
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let after = text.get(start + repeated.len()..).and_then(|after| after.chars().next());
        if secret.len() >= UNMISTAKABLE || !(is_word(before) || is_word(after)) {
            out.push_str(text.get(rest..start).unwrap_or_default());
            out.push_str(BLANK);
            rest = start + repeated.len();
        }
    }
    out.push_str(text.get(rest..).unwrap_or_default());
    out
}

/// Returns the body without a token that a server repeats in it.
pub(crate) fn scrub(kind: Option<&HeaderValue>, body: Bytes, secret: Option<&SecretString>) -> Bytes {
    let Some(secret) = secret.map(ExposeSecret::expose_secret).filter(|secret| !secret.is_empty()) else { return body };
    // In another charset, a secret has other bytes, or stands among some that are to stay readable.
    if let Some(text) = charset::foreign(kind, &body).filter(|text| text.contains(secret)) {
        return scrub_text(&text, secret).into();
    }
    if !body.windows(secret.len()).any(|window| window == secret.as_bytes()) {
        return body;
    }
    // A body with a token in it is text or can be treated as such: bytes that are not UTF-8 are not worth keeping.
    scrub_text(&String::from_utf8_lossy(&body), secret).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_blanked_out_wherever_it_cannot_be_chance() {
        for (text, secret, expected) in [
            ("no long-secret here", "long-secret", "no [redacted] here"),
            ("nolong-secrethere", "long-secret", "no[redacted]here"),
            ("invalid_client: a bad secret", "a", "invalid_client: [redacted] bad secret"),
            ("'a' (a) a", "a", "'[redacted]' ([redacted]) [redacted]"),
            ("aaa ää", "a", "aaa ää"),
            ("client_secret=client", "client", "client_secret=[redacted]"),
            ("ä", "ä", "[redacted]"),
            ("nothing", "", "nothing"),
            ("", "secret", ""),
        ] {
            assert_eq!(scrub_text(text, secret), expected, "{text:?} without {secret:?}");
        }
        let body = Bytes::from_static(b"\xff long-secret \xff");
        let clean = scrub(None, body, Some(&"long-secret".into()));
        assert!(String::from_utf8_lossy(&clean).contains(" [redacted] "), "{clean:?}");
    }
}
