//! The GraphQL schema, as it is pinned.

mod introspection;

use crate::failure::{Exit, Failure};
use crate::lock::{Lock, sha256};
use crate::workspace::{SCHEMA, Workspace};

pub(crate) use introspection::{QUERY, render};

/// The text of a schema in the form in which it is pinned.
pub(crate) fn canonical(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    format!("{}\n", text.trim())
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
