//! Texts of others on their way to a terminal: a server's, a contract's, the name of a file.
//!
//! Every line that the program shows goes through [`screened`], so that no control character and no secret arrives. A text of
//! others inside a text of several lines goes through [`line()`] besides, so that it adds none.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use driftless_codegen::line;
use url::Url;
use url::form_urlencoded::byte_serialize;

/// Secrets of this run, in the forms in which a server could repeat them; the longest first.
static SECRETS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Shorter secrets are not looked for: they would be found in any text.
const SHORTEST: usize = 8;

/// Keeps a secret from being shown, from now on.
pub fn hide(secret: &str) {
    if secret.len() < SHORTEST {
        return;
    }
    let encoded: String = byte_serialize(secret.as_bytes()).collect();
    let quoted = serde_json::to_string(secret).unwrap_or_default();
    let quoted = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
    let mut secrets = SECRETS.lock().unwrap_or_else(PoisonError::into_inner);
    for form in [secret, &encoded, &encoded.replace('+', "%20"), quoted] {
        if !secrets.iter().any(|known| known == form) {
            secrets.push(form.to_owned());
        }
    }
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
}

/// The text without the secrets of this run.
pub fn redacted(text: &str) -> Cow<'_, str> {
    let secrets = SECRETS.lock().unwrap_or_else(PoisonError::into_inner);
    let mut clean = Cow::Borrowed(text);
    for secret in secrets.iter() {
        if clean.contains(secret.as_str()) {
            clean = Cow::Owned(clean.replace(secret.as_str(), "…"));
        }
    }
    clean
}

/// The text as one line, without control characters and without secrets.
pub fn screened(text: &str) -> String {
    line(&redacted(text)).into_owned()
}

/// A URL for messages: without user, query and fragment, which can have secrets. A text that could hide one elsewhere is not repeated.
pub fn address(text: &str) -> String {
    let hidden = || "the URL".to_owned();
    let Ok(mut url) = Url::parse(text) else { return hidden() };
    if url.cannot_be_a_base() || url.path().contains('@') {
        return hidden();
    }
    if url.set_username("").is_err() && !url.username().is_empty()
        || url.set_password(None).is_err() && url.password().is_some()
    {
        return hidden();
    }
    url.set_query(None);
    url.set_fragment(None);
    screened(url.as_str())
}

/// A path as a word of a command that people copy.
pub fn word(path: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./+@%,:".contains(letter);
    if !path.is_empty() && !path.starts_with('-') && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", line(path).replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_shown_and_not_sent() {
        let text = "a\u{1b}[2Jb\u{9b}c\u{202e}d\rf\u{7}\nnext\u{200b}";
        let printed = screened(text);
        assert!(printed.chars().all(|letter| letter.is_ascii_graphic()), "{printed:?}");
    }

    #[test]
    fn a_secret_is_shown_in_none_of_its_forms() {
        hide("s3cr3t&=+ \"value\"");
        for form in [
            "s3cr3t&=+ \"value\"",
            "s3cr3t%26%3D%2B+%22value%22",
            "s3cr3t%26%3D%2B%20%22value%22",
            "s3cr3t&=+ \\\"value\\\"",
        ] {
            assert_eq!(screened(&format!("<{form}>")), "<…>");
        }
        hide("short");
        assert_eq!(screened("shortly"), "shortly");
    }

    #[test]
    fn an_address_has_no_user_and_no_query() {
        for (url, expected) in [
            ("http://user:hunter2@127.0.0.1:80/api?token=hunter2#hunter2", "http://127.0.0.1/api"),
            ("https://hunter2@service.example", "https://service.example/"),
            ("user:hunter2@127.0.0.1", "the URL"),
            ("//user:hunter2@127.0.0.1", "the URL"),
            ("http://user:hun/ter2@127.0.0.1", "the URL"),
            ("http://user:12/hunter2@127.0.0.1", "the URL"),
            ("http://user:hunter2@127.0.0.1:99999", "the URL"),
            ("http://192.0.2.1", "http://192.0.2.1/"),
        ] {
            assert_eq!(address(url), expected, "{url}");
        }
    }

    #[test]
    fn a_path_is_one_word_of_a_command() {
        assert_eq!(word("specs/contracts/service-v1.json"), "specs/contracts/service-v1.json");
        assert_eq!(word("a; rm -r x"), "'a; rm -r x'");
        assert_eq!(word("it's"), r"'it'\''s'");
        assert_eq!(word("-rf"), "'-rf'");
    }
}
