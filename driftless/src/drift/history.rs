//! `cargo xtask drift --history N`: which revisions of git pinned another contract, and whom each of them broke.

use std::fs;
use std::process::ExitCode;

use driftless_codegen::drift::{DriftReport, Sides, Wire};
use driftless_codegen::line;
use serde_json::{Value, json};

use super::sides::{Commit, pinning, pins_at};
use super::{plain, printed};
use crate::comparison::{Compared, another_service, compare};
use crate::console::{data, progress};
use crate::failure::Failure;
use crate::flags::{self, Format};
use crate::workspace::Workspace;

/// Rows of a revision that a terminal shows.
const SHOWN: usize = 10;

/// A revision that pinned a contract.
struct Entry {
    commit: Commit,
    /// `Err`: one sentence that says why nothing was compared.
    outcome: Result<Changes, String>,
}

/// The changes of a revision.
struct Changes {
    client: Wire,
    contract: Wire,
    verdict: String,
    /// Number and sentence of each row that breaks programs that run today, or may.
    rows: Vec<(String, String)>,
}

pub(super) fn run(workspace: &Workspace, flags: &flags::Drift, most: u32) -> Result<ExitCode, Failure> {
    if matches!(flags.format, Format::Github | Format::Sarif) {
        return Err(Failure::configuration(
            "drift/history-format",
            "the history is written as text, Markdown, JSON or HTML",
            "add --format text, --format markdown, --format json or --format html",
        ));
    }
    let history = pinning(workspace, most)?;
    let mut entries = Vec::new();
    for (index, commit) in history.commits.iter().take(most as usize).enumerate() {
        let outcome = match history.commits.get(index + 1) {
            Some(before) => {
                progress(&format!("{}  {} of {}", commit.short(), index + 1, history.commits.len().min(most as usize)));
                compared(workspace, before, commit)
            }
            None if history.is_shallow => Err("the earlier contract is not in this shallow clone".to_owned()),
            None => Err("the first contract that was pinned".to_owned()),
        };
        entries.push(Entry { commit: commit.clone(), outcome });
    }
    let report = report(&entries);
    let text = match flags.format {
        Format::Markdown => report.markdown(),
        Format::Html => report.html(),
        Format::Json => printed(&Value::Array(entries.iter().map(as_json).collect()))? + "\n",
        _ => plain(&report, SHOWN),
    };
    match &flags.output {
        Some(path) => fs::write(path, &text).map_err(|error| Failure::file("write", path, &error))?,
        None => data(text.trim_end()),
    }
    Ok(ExitCode::SUCCESS)
}

/// The changes of `after`. A revision that cannot be read is a line of the history, and no end of it.
fn compared(workspace: &Workspace, before: &Commit, after: &Commit) -> Result<Changes, String> {
    let [before, now] = [before, after].map(|commit| pins_at(workspace, &commit.id));
    let reason = |failure: Failure| line(&failure.message).into_owned();
    let ((before, old), (now, new)) = (before.map_err(reason)?, now.map_err(reason)?);
    let Compared { mut drift, .. } = compare(&before, &now, &after.day, None).map_err(reason)?;
    // A schema that is pinned for the first time has nothing to differ from.
    if old.is_some() {
        drift.with_schemas(Sides { before: old.as_deref(), after: new.as_deref() });
    }
    if drift.is_foreign() {
        return Err(another_service(drift.operations));
    }
    let rows = drift.rows();
    let felt = rows.iter().filter(|row| row.client >= Wire::Risk);
    Ok(Changes {
        client: drift.client(),
        contract: drift.contract(),
        verdict: drift.verdict(),
        rows: felt.map(|row| (row.number.clone(), row.says())).collect(),
    })
}

impl Entry {
    /// The verdict, or the reason why the contracts were not compared.
    fn sentence(&self) -> &str {
        self.outcome.as_ref().map_or_else(String::as_str, |changes| &changes.verdict)
    }
}

/// The revisions as lists of a report.
fn report(entries: &[Entry]) -> DriftReport<'static> {
    let client = entries.iter().filter_map(|entry| Some(entry.outcome.as_ref().ok()?.client)).max();
    let lists = entries.iter().map(|entry| {
        let Commit { day, subject, .. } = &entry.commit;
        let (effect, rows) = match &entry.outcome {
            Ok(changes) => (changes.client.as_str(), changes.rows.as_slice()),
            Err(_) => ("-", [].as_slice()),
        };
        let rows = rows.iter().map(|(number, says)| format!("{number}: {says}"));
        let (short, subject) = (entry.commit.short(), subject.replace('`', "'"));
        (format!("{day}  `{short}`  {effect}"), format!("`{subject}`: {}", entry.sentence()), rows.collect())
    });
    let revisions = if entries.len() == 1 { "revision" } else { "revisions" };
    let verdict = format!("{} {revisions} of the contract.", entries.len());
    DriftReport::of_lists("history", client.unwrap_or(Wire::None), verdict, lists)
}

fn as_json(entry: &Entry) -> Value {
    let Commit { id, day, subject } = &entry.commit;
    let changes = entry.outcome.as_ref().ok();
    json!({
        "revision": id,
        "day": day,
        "subject": line(subject),
        "client": changes.map(|changes| changes.client),
        "contract": changes.map(|changes| changes.contract),
        "text": entry.sentence(),
        "rows": changes.map(|changes| {
            changes.rows.iter().map(|(number, says)| json!({ "number": number, "text": says })).collect::<Vec<_>>()
        }),
    })
}
