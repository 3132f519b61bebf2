//! Values of `[source]` that have the right type and cannot be used: each failure has its line, its key, and an example. Base
//! URLs and documents are checked by their users, because a flag or a variable may replace them.

use std::path::PathBuf;

use driftless_runtime::download::{SettingSlot, Table};
use url::Url;

use super::{SourceSettings, TokenSource, keys};
use crate::failure::Failure;

/// Fails at the first value that cannot be followed.
pub(super) fn check(text: &str, source: &SourceSettings) -> Result<(), Failure> {
    let refuse = |pointer: &str, problem: &str| Err(keys::unusable(text, pointer, problem));
    let files = [
        ("ca_file", &source.ca_file),
        ("client_certificate_file", &source.client_certificate_file),
        ("client_key_file", &source.client_key_file),
    ];
    if let Some((key, _)) = files.iter().find(|(_, path)| is_empty(path)) {
        return refuse(&format!("/source/{key}"), NO_FILE);
    }
    if source.schema.as_ref().is_some_and(|path| path.trim().is_empty()) {
        return refuse("/source/schema", NO_FILE);
    }
    if source.graphql.as_ref().is_some_and(|path| path.contains("://") && !is_web(path)) {
        return refuse("/source/graphql", "is neither a path below the base URL nor an http(s) URL");
    }
    if source.name.as_ref().is_some_and(|name| !super::is_name(name)) {
        return refuse("/source/name", "is not a name: use lower-case letters, digits, `-` and `_`");
    }
    if source.largest_loss.is_some_and(|share| share > 100) {
        return refuse("/source/largest_loss", "is no share in per cent");
    }
    if source.base_url_env.as_ref().is_some_and(|name| !is_variable(name)) {
        return refuse("/source/base_url_env", NO_VARIABLE);
    }
    token(text, &source.token, "/source/token")?;
    for (index, document) in source.documents.iter().enumerate() {
        let pointer = format!("/source/document/{index}");
        if document.base_url_env.as_ref().is_some_and(|name| !is_variable(name)) {
            return refuse(&format!("{pointer}/base_url_env"), NO_VARIABLE);
        }
        if let Some(own) = &document.token {
            token(text, own, &format!("{pointer}/token"))?;
        }
    }
    Ok(())
}

fn token(text: &str, token: &TokenSource, pointer: &str) -> Result<(), Failure> {
    let mut token = token.clone();
    for key in TokenSource::keys() {
        if let Some(SettingSlot::Keys(keys)) = token.slot(key) {
            for (name, key) in keys {
                let pointer = format!("{pointer}/key/{}", name.replace('~', "~0").replace('/', "~1"));
                table(text, key, &pointer)?;
            }
        }
    }
    table(text, &mut token, pointer)
}

/// Fails at the first value of a table that cannot be followed.
fn table<T: Table>(text: &str, table: &mut T, pointer: &str) -> Result<(), Failure> {
    for key in T::keys() {
        let wrong = match table.slot(key) {
            Some(SettingSlot::Env(Some(name))) if !is_variable(name) => NO_VARIABLE,
            Some(SettingSlot::Path(path)) if is_empty(path) => NO_FILE,
            Some(SettingSlot::Words(Some(words))) if words.first().is_none_or(String::is_empty) => "names no program",
            Some(SettingSlot::Text(Some(value))) => match key {
                "variables" if !is_variable(value) => NO_BEGINNING,
                "issuer" | "token_endpoint" if !is_web(value) => "is not an http(s) URL without user and password",
                "client_authentication" if !matches!(value.as_str(), "form" | "basic") => {
                    "is neither `form` nor `basic`"
                }
                // Of the others, an empty one asks for none.
                "client_id" | "basic_user" | "api_key_header" | "api_key_query" | "header" | "query"
                    if value.trim().is_empty() =>
                {
                    "is empty"
                }
                _ => continue,
            },
            _ => continue,
        };
        return Err(keys::unusable(text, &format!("{pointer}/{key}"), wrong));
    }
    Ok(())
}

const NO_FILE: &str = "names no file";
const NO_VARIABLE: &str = "is not the name of an environment variable";
const NO_BEGINNING: &str = "is not how the names of environment variables begin";

/// Returns whether a text can be the name of an environment variable, or begin one, as shells take it.
fn is_variable(text: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.chars().all(plain) && text.starts_with(|letter: char| !letter.is_ascii_digit())
}

fn is_empty(path: &Option<PathBuf>) -> bool {
    path.as_ref().is_some_and(|path| path.as_os_str().is_empty())
}

fn is_web(text: &str) -> bool {
    Url::parse(text.trim()).is_ok_and(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::super::Settings;

    #[test]
    fn a_value_that_cannot_be_followed_is_answered_with_its_line_its_key_and_what_to_write() {
        let document = "[[source.document]]\nname = 'a'\ncontract = '/c'\n";
        for (before, table, key, values) in [
            ("[source]\n", "source", "base_url_env", &["''", "'A B'", "'A=B'", "'1A'", "'$A'"][..]),
            ("[source]\n", "source", "graphql", &["'ftp://h/graphql'", "'https://'"]),
            ("[source]\n", "source", "schema", &["''", "' '"]),
            ("[source]\n", "source", "largest_loss", &["101", "255"]),
            ("[source]\n", "source", "name", &["''", "'../a'", "'A'"]),
            ("[source]\n", "source", "ca_file", &["''"]),
            ("[source]\n", "source", "client_certificate_file", &["''"]),
            ("[source]\n", "source", "client_key_file", &["''"]),
            ("[source.token]\n", "source.token", "variables", &["''", "'A B'", "'PLATFORM-'"]),
            ("[source.token]\n", "source.token", "token_env", &["''", "'A=B'"]),
            ("[source.token]\n", "source.token", "token_file", &["''"]),
            ("[source.token]\n", "source.token", "token_command", &["[]", "['']"]),
            (
                "[source.token]\n",
                "source.token",
                "issuer",
                &["''", "'issuer.example'", "'ftp://h'", "'https://a:canary@h'"],
            ),
            ("[source.token]\n", "source.token", "client_id", &["''", "' '"]),
            ("[source.token]\n", "source.token", "secret_env", &["''"]),
            ("[source.token]\n", "source.token", "secret_file", &["''"]),
            ("[source.token]\n", "source.token", "secret_command", &["[]"]),
            ("[source.token]\n", "source.token", "refresh_folder", &["''"]),
            ("[source.token]\n", "source.token", "token_endpoint", &["'/token'"]),
            ("[source.token]\n", "source.token", "client_authentication", &["''", "'header'"]),
            ("[source.token]\n", "source.token", "api_key_env", &["''", "'A=B'"]),
            ("[source.token]\n", "source.token", "api_key_file", &["''"]),
            ("[source.token]\n", "source.token", "api_key_command", &["[]"]),
            ("[source.token]\n", "source.token", "api_key_header", &["''", "' '"]),
            ("[source.token]\n", "source.token", "api_key_query", &["''"]),
            ("[source.token]\n", "source.token", "basic_user", &["''"]),
            ("[source.token]\n", "source.token", "basic_password_env", &["''"]),
            ("[source.token]\n", "source.token", "basic_password_file", &["''"]),
            ("[source.token]\n", "source.token", "basic_password_command", &["['']"]),
            ("[source.token.key.id]\n", "source.token.key.id", "env", &["''"]),
            ("[source.token.key.id]\n", "source.token.key.id", "file", &["''"]),
            ("[source.token.key.id]\n", "source.token.key.id", "command", &["[]"]),
            ("[source.token.key.id]\n", "source.token.key.id", "header", &["''"]),
            ("[source.token.key.id]\n", "source.token.key.id", "query", &["''"]),
            (document, "source.document", "base_url_env", &["''"]),
            (&format!("{document}[source.document.token]\n"), "source.document.token", "issuer", &["'h'"]),
            (&format!("{document}[source.document.token]\n"), "source.document.token", "variables", &["''"]),
        ] {
            for value in values {
                let text = format!("{before}{key} = {value}\n");
                let failure = Settings::parse(&text).expect_err(&text);
                let start = format!("specs/codegen.toml:{}:1: `{table}.{key}` ", before.lines().count() + 1);
                assert!(failure.message.starts_with(&start), "{text}{}", failure.message);
                assert!(failure.hint.contains(&format!("{key} = ")), "{text}{}", failure.hint);
                assert!(!failure.message.contains("canary"), "{}", failure.message);
            }
        }
    }
}
