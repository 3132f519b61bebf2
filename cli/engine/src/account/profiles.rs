//! `profiles list` and `profiles show`, without secrets.

use driftless_runtime::download::CredentialSettings;
use toml_edit::{Item, Value};

use super::{document::ProfileDocument, place::Place, storage};
use crate::{Failure, terminal::plain};

/// Keys of a profile beside its credentials.
const OTHERS: [&str; 6] =
    ["base_url", "required_claim", "ca_file", "client_certificate_file", "client_key_file", "danger_allow_http_to"];

/// Runs `profiles list`.
pub(super) fn list(place: &mut Place<'_>) -> Result<(), Failure> {
    let path = place.profiles()?;
    let document = storage::read(&path)?;
    if document.names().is_empty() {
        place.tell(&format!("no profiles in `{}`", path.display()));
        return Ok(());
    }
    let mut rows = vec![["", "NAME", "ADDRESS", "SIGN-IN"].map(str::to_owned)];
    for name in document.names() {
        let mark = if document.default() == Some(name) { "*" } else { "" };
        let address = document.value(name, "base_url").map(address).unwrap_or_default();
        rows.push([mark.to_owned(), cell(name), cell(&address), way(&document, name).to_owned()]);
    }
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|text| console::measure_text_width(text)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..4).map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(text, width)| {
            format!("{text}{}", " ".repeat(width.saturating_sub(console::measure_text_width(text))))
        });
        place.print(cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

fn cell(text: &str) -> String {
    plain(text).replace(['\n', '\t'], " ")
}

/// Describes the source of a profile's tokens.
fn way(document: &ProfileDocument, name: &str) -> &'static str {
    let Some(profile) = document.profile(name) else { return "" };
    let has = |prefix: &str| profile.iter().any(|(key, _)| key.starts_with(prefix));
    match () {
        () if has("refresh_folder") => "user",
        () if has("token_") && profile.iter().any(|(key, _)| key.starts_with("token_") && key != "token_endpoint") => {
            "token"
        }
        () if profile.iter().any(|(key, _)| key.starts_with("secret_") && key != "secret_file_mounted") => "client",
        () if has("api_key_") || profile.contains_key("key") => "API key",
        () if has("basic_") => "password",
        () => "none",
    }
}

/// Runs `profiles show`.
pub(super) fn show(place: &mut Place<'_>, name: &str) -> Result<(), Failure> {
    let path = place.profiles()?;
    let document = storage::read(&path)?;
    let Some(profile) = document.profile(name) else {
        let hint = format!("list them with {}", place.command("profiles list"));
        return Err(Failure::usage(format!("the profile `{name}` does not exist in `{}`", path.display()), hint));
    };
    let mut lines = Vec::new();
    lines_of(&mut lines, "", profile);
    if document.default() == Some(name) {
        lines.push("(the default)".to_owned());
    }
    for line in lines {
        place.print(&line)?;
    }
    Ok(())
}

/// Writes the keys that a profile can have. The value of any other key may be a secret that is there by mistake.
fn lines_of(lines: &mut Vec<String>, prefix: &str, table: &dyn toml_edit::TableLike) {
    for (key, item) in table.iter() {
        let label = format!("{prefix}{}", cell(key));
        match (key, item) {
            ("server", item) if prefix.is_empty() => {
                for (name, server) in item.as_table_like().into_iter().flat_map(toml_edit::TableLike::iter) {
                    match server.as_table_like() {
                        Some(server) => lines_of(lines, &format!("server.{}.", cell(name)), server),
                        None => lines.push(format!("server.{} (not shown: not a table)", cell(name))),
                    }
                }
            }
            ("key", item) => {
                for (name, _) in item.as_table_like().into_iter().flat_map(toml_edit::TableLike::iter) {
                    lines.push(format!("{label}.{} (an API key)", cell(name)));
                }
            }
            (key, item) if OTHERS.contains(&key) || CredentialSettings::table_keys().any(|known| known == key) => {
                lines.push(format!("{label} = {}", value(key, item)));
            }
            _ => lines.push(format!("{label} (not shown: not a key of profiles)")),
        }
    }
}

fn value(key: &str, item: &Item) -> String {
    match item.as_value() {
        Some(Value::String(text)) => address(&cell(text.value())),
        Some(Value::Boolean(flag)) => flag.value().to_string(),
        // Words of a command can contain what is not for other eyes.
        Some(Value::Array(words)) if key.ends_with("_command") => {
            let program = words.iter().next().and_then(Value::as_str).map(cell).unwrap_or_default();
            let others = words.len().saturating_sub(1);
            format!("{program} (and {others} arguments)")
        }
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).map(cell).collect::<Vec<_>>().join(", "),
        _ => "(not shown: of another type)".to_owned(),
    }
}

/// An address without a user and a password, which some people write into it.
fn address(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest.get(..end).and_then(|authority| authority.rfind('@')) {
        Some(at) => format!("{scheme}://{}", rest.get(at + 1..).unwrap_or_default()),
        None => text.to_owned(),
    }
}
