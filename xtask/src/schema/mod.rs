//! The GraphQL schema, as it is pinned.

mod introspection;

use crate::console::Steps;
use crate::failure::{Exit, Failure};
use crate::flags::Regenerate;
use crate::lock::{Lock, sha256};
use crate::source::{SANDBOX, Served};
use crate::workspace::{SCHEMA, Workspace};

pub(crate) use introspection::{QUERY, render};

/// The text of a schema in the form in which it is pinned.
pub(crate) fn canonical(text: &str) -> String {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    format!("{}\n", text.trim())
}

/// The schema to work with: the one that the source serves, else the one that is pinned. A pinned one goes only where the
/// caller says so.
pub(crate) fn chosen(
    workspace: &Workspace,
    lock: Option<&Lock>,
    flags: &Regenerate,
    served: &Served,
    steps: &Steps,
) -> Result<Option<String>, Failure> {
    let reason = match served {
        Served::Schema(text) => return Ok(Some(text.clone())),
        Served::None(reason) => reason.as_str(),
        Served::NotAsked(reason) => reason,
    };
    let pinned = match flags.drop_schema {
        true => None,
        false => from_disk(workspace, lock, flags.overwrite)?,
    };
    let of_sandbox = lock.is_some_and(|lock| lock.documents.iter().all(|document| document.source == SANDBOX));
    let what = match &pinned {
        Some(_) if of_sandbox && !flags.sandbox => {
            "; the pinned one stays, although it is the sandbox's: --drop-schema lets it go"
        }
        Some(_) => "; the pinned one stays: --drop-schema lets it go",
        None => "",
    };
    if pinned.is_some() || matches!(served, Served::None(_)) {
        steps.note(&format!("no GraphQL schema: {reason}{what}"));
    }
    Ok(pinned)
}

/// The pinned schema. One that was edited by hand is refused.
pub(crate) fn from_disk(
    workspace: &Workspace,
    lock: Option<&Lock>,
    overwrite: bool,
) -> Result<Option<String>, Failure> {
    let Some(bytes) = workspace.read(SCHEMA)? else { return Ok(None) };
    let known = lock.and_then(|lock| lock.schema.as_ref());
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
