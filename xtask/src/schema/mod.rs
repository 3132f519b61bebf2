//! The GraphQL schema: where it comes from, and what is checked against it.

mod check;
mod introspection;

use std::collections::BTreeMap;

use platform_codegen::{AsyncOperation, Config};

use crate::failure::{Exit, Failure};
use crate::lock::{Lock, sha256};
use crate::workspace::{SCHEMA, Workspace};

pub(crate) use introspection::{QUERY, render};

/// The text of a schema in the form in which it is pinned.
pub(crate) fn canonical(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    format!("{}\n", text.trim())
}

/// Whether a text is a schema in the schema definition language.
pub(crate) fn is_schema(text: &str) -> bool {
    text.contains("type ") && text.contains('{') && apollo_compiler::Schema::parse(text, SCHEMA).is_ok()
}

/// The pinned schema. One that was edited by hand is refused.
pub(crate) fn from_disk(
    workspace: &Workspace,
    lock: Option<&Lock>,
    overwrite: bool,
) -> Result<Option<String>, Failure> {
    let Some(bytes) = workspace.read(SCHEMA)? else { return Ok(None) };
    let known = lock.and_then(|lock| lock.outputs.get(SCHEMA));
    if lock.is_some() && !overwrite && known.is_none_or(|hash| *hash != sha256(&bytes)) {
        return Err(Failure::new(
            Exit::Stale,
            "output/edited",
            format!("the pinned schema {SCHEMA} was edited by hand, or merged; nothing was written"),
            format!(
                "undo the edit: git checkout -- {SCHEMA}\nor download it again: cargo xtask regenerate --overwrite"
            ),
        ));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::new(
            Exit::Contract,
            "schema/no-text",
            format!("{SCHEMA} is no text"),
            format!("git checkout -- {SCHEMA}"),
        )
    })?;
    Ok(Some(canonical(&text)))
}

/// Checks the documents, and the places that the configuration names in their data. A document that only unused entries
/// name is left alone.
pub(crate) fn check(schema: &str, config: &Config, unused: &[String]) -> Result<(), Failure> {
    let named = |operation: &AsyncOperation| [Some(operation.query.clone()), operation.subscription.clone()];
    let (idle, bound): (Vec<_>, Vec<_>) =
        config.operations.iter().partition(|operation| unused.contains(&operation.name));
    let wanted: Vec<String> = bound.iter().copied().flat_map(named).flatten().collect();
    let left_alone: Vec<String> =
        idle.iter().copied().flat_map(named).flatten().filter(|file| !wanted.contains(file)).collect();
    let documents: BTreeMap<&str, &str> = config
        .documents
        .iter()
        .filter(|(file, _)| !left_alone.contains(file))
        .map(|(file, text)| (file.as_str(), text.as_str()))
        .collect();
    check::check(schema, &documents, &bound)
}
