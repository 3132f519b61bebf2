//! `cargo xtask drift --history N`: which revisions of git pinned another contract, and whom each of them broke.

use std::fmt::Write as _;
use std::fs;
use std::process::ExitCode;

use driftless_codegen::drift::{Wire, page};
use driftless_codegen::line;
use serde_json::{Value, json};

use super::printed;
use super::sides::{Commit, pinning, pins_at};
use crate::comparison::links::escaped;
use crate::comparison::{Compared, another_service, compare};
use crate::console::{data, progress};
use crate::failure::Failure;
use crate::flags::{self, Format};
use crate::workspace::Workspace;

/// Rows of a revision that are printed.
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
            None if history.is_shallow => Err("what was pinned before is not in this shallow clone".to_owned()),
            None => Err("the first contract that was pinned".to_owned()),
        };
        entries.push(Entry { commit: commit.clone(), outcome });
    }
    let text = match flags.format {
        Format::Markdown => markdown(&entries),
        Format::Html => html(&entries),
        Format::Json => printed(&Value::Array(entries.iter().map(as_json).collect()))? + "\n",
        _ => plain(&entries),
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
        drift.with_schemas(old.as_deref(), new.as_deref());
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
    /// The effect on running programs, and the verdict.
    fn sentence(&self) -> (&'static str, &str) {
        match &self.outcome {
            Ok(changes) => (changes.client.as_str(), &changes.verdict),
            Err(reason) => ("-", reason),
        }
    }

    /// The rows that are shown, and how many are not.
    fn rows(&self) -> (&[(String, String)], usize) {
        let rows = self.outcome.as_ref().map(|changes| changes.rows.as_slice()).unwrap_or_default();
        let (first, more) = rows.split_at(rows.len().min(SHOWN));
        (first, more.len())
    }
}

fn plain(entries: &[Entry]) -> String {
    let mut text = String::new();
    for entry in entries {
        let (effect, sentence) = entry.sentence();
        let Commit { day, subject, .. } = &entry.commit;
        // Writing to a string does not fail.
        let _ = writeln!(text, "{day}  {}  {effect:<5}  {sentence}", entry.commit.short());
        let _ = writeln!(text, "            {}", line(subject));
        let (rows, more) = entry.rows();
        for (number, says) in rows {
            let _ = writeln!(text, "    {number:<4} {}", line(says));
        }
        if more > 0 {
            let _ = writeln!(text, "    … and {more} more");
        }
    }
    text
}

fn markdown(entries: &[Entry]) -> String {
    let mut text =
        "# History of the contract\n\n| when | revision | programs that ran | what |\n|---|---|---|---|\n".to_owned();
    let cell = |text: &str| line(text).replace('|', "\\|");
    let code = |text: &str| format!("`{}`", cell(text).replace('`', "'"));
    for entry in entries {
        let (effect, sentence) = entry.sentence();
        let Commit { day, subject, .. } = &entry.commit;
        let revision = format!("{} {}", code(entry.commit.short()), code(subject));
        let _ = writeln!(text, "| {day} | {revision} | {effect} | {} |", cell(sentence));
    }
    for entry in entries.iter().filter(|entry| !entry.rows().0.is_empty()) {
        let _ = write!(text, "\n## {}, {}\n\n", entry.commit.day, code(entry.commit.short()));
        let (rows, more) = entry.rows();
        for (number, says) in rows {
            let _ = writeln!(text, "- {number}: {}", cell(says));
        }
        if more > 0 {
            let _ = writeln!(text, "- … and {more} more");
        }
    }
    text
}

fn html(entries: &[Entry]) -> String {
    let mut text = "<h1>History of the contract</h1>\n".to_owned();
    for entry in entries {
        let (effect, sentence) = entry.sentence();
        let Commit { day, subject, .. } = &entry.commit;
        let _ = writeln!(
            text,
            "<details class=\"{}\"><summary>{day} <code>{}</code> {}<br>{}</summary><ul>",
            if effect == "-" { "none" } else { effect },
            escaped(entry.commit.short()),
            escaped(&line(subject)),
            escaped(sentence),
        );
        let (rows, more) = entry.rows();
        for (number, says) in rows {
            let _ = writeln!(text, "<li>{number}: {}</li>", escaped(&line(says)));
        }
        if more > 0 {
            let _ = writeln!(text, "<li>… and {more} more</li>");
        }
        text.push_str("</ul></details>\n");
    }
    page("history", &text)
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
        "text": entry.sentence().1,
        "rows": changes.map(|changes| {
            changes.rows.iter().map(|(number, says)| json!({ "number": number, "text": says })).collect::<Vec<_>>()
        }),
    })
}
