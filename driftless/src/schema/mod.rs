//! The GraphQL schema, as it is pinned.

mod introspection;

use driftless_codegen::graphql::is_schema;
use driftless_codegen::line;
use serde_json::{Value, json};

use crate::bounded::{LIMIT, read_bounded, too_large};
use crate::console::Steps;
use crate::failure::{Exit, Failure};
use crate::files::Files;
use crate::flags::Regenerate;
use crate::lock::{Lock, sha256};
use crate::settings::Settings;
use crate::workspace::{SCHEMA, Workspace};

pub(crate) use introspection::{QUERIES, render};

/// The text of a schema in the form in which it is pinned.
pub(crate) fn canonical(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    format!("{}\n", text.trim())
}

/// The schema of the file that the flags or the configuration name: in the schema definition language, or as an introspection.
/// Offline, the one of the configuration is pinned already.
pub(crate) fn of_file(
    workspace: &Workspace,
    settings: &Settings,
    flags: &Regenerate,
    steps: &Steps,
) -> Result<Option<String>, Failure> {
    let configured = settings.source.schema.as_ref().filter(|_| !flags.offline && !flags.sandbox);
    let (path, file) = match (&flags.schema, configured) {
        (Some(path), _) => (path.clone(), path.display().to_string()),
        (None, Some(name)) => (workspace.path(name), name.clone()),
        (None, None) => return Ok(None),
    };
    let bytes = read_bounded(&path).map_err(|error| {
        let key = || format!("{}: `schema` in [source]", settings.location("/source/schema"));
        let named = if flags.schema.is_some() { "--schema".to_owned() } else { key() };
        let message = format!("{named} names {}, which cannot be read: {error}", line(&file));
        Failure::configuration("schema/missing", message, "check the path; a key is relative to the workspace")
    })?;
    if bytes.len() > LIMIT {
        return Err(too_large(&line(&file)));
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    let refuse = |reason: &str| {
        let message = format!("{} is not a GraphQL schema: {reason}", line(&file));
        let hint = "name a file in the schema definition language, or the JSON answer to an introspection query";
        Failure::new(Exit::Contract, "schema/file", message, hint)
    };
    let schema = match text.trim_start().starts_with('{') {
        true => {
            let mut answer: Value = serde_json::from_str(text).map_err(|error| refuse(&error.to_string()))?;
            // Tools save the answer, or the content of its `data`.
            if answer.get("__schema").is_some() {
                answer = json!({ "data": answer });
            }
            if answer.get("errors").and_then(Value::as_array).is_some_and(|errors| !errors.is_empty()) {
                return Err(refuse("the introspection has errors, so it is partial"));
            }
            render(&answer).map_err(|reason| refuse(&reason))?
        }
        false => text.to_owned(),
    };
    if !is_schema(&schema) {
        return Err(refuse("it does not define an object type, or it has an error of syntax"));
    }
    steps.note(&format!("took the GraphQL schema of {}", line(&file)));
    Ok(Some(canonical(&schema)))
}

/// The pinned schema. One that was edited by hand is refused.
pub(crate) fn pinned(files: &Files, lock: Option<&Lock>, overwrite: bool) -> Result<Option<String>, Failure> {
    let Some(bytes) = files.get(SCHEMA) else { return Ok(None) };
    let known = lock.and_then(|lock| lock.schema.as_ref());
    if lock.is_some() && !overwrite && known.is_none_or(|hash| *hash != sha256(bytes)) {
        return Err(Failure::new(
            Exit::Stale,
            "output/edited",
            format!("the pinned schema {SCHEMA} was edited by hand, or merged; nothing was written"),
            format!(
                "undo the edit: git checkout -- {SCHEMA}\nor download it again: cargo xtask regenerate --overwrite"
            ),
        ));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| {
        Failure::new(
            Exit::Contract,
            "schema/no-text",
            format!("{SCHEMA} is not text"),
            format!("git checkout -- {SCHEMA}"),
        )
    })?;
    Ok(Some(canonical(text)))
}
