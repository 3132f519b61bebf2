//! `cargo xtask corpus`: generates a client for every contract of a folder, compiles it, and reports.

mod check;
mod first;
mod one;
mod sample;
mod sizes;
mod style;
mod table;
mod together;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use driftless_codegen::Output;
use serde::Serialize;

pub(crate) use check::families;
pub(crate) use one::run as run_one;

use crate::console::progress;
use crate::failure::{Exit, Failure};
use crate::flags;
use crate::interrupt::Interrupt;
use crate::stand_alone;
use crate::workspace::Workspace;

/// The result of one contract; `--json` writes an array of these.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    file: String,
    /// The reason if there is no client.
    error: Option<String>,
    operations: usize,
    typed_operations: usize,
    schemas: usize,
    typed_schemas: usize,
    degraded: Vec<Degraded>,
    generate_seconds: Option<f64>,
    peak_mb: Option<f64>,
    lines: usize,
    bytes: usize,
    check: Check,
    check_seconds: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
struct Degraded {
    pointer: String,
    cause: String,
}

/// Result of compiling the client, with all features and with none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Check {
    Ok,
    Failed,
    Skipped,
}

pub(crate) fn run(workspace: &Workspace, flags: &flags::Corpus) -> Result<ExitCode, Failure> {
    let contracts = contracts(&flags.paths, flags.only.as_deref())?;
    if contracts.is_empty() {
        return Err(Failure::configuration(
            "corpus/empty",
            "there is no contract here (.json, .yaml, .yml)",
            "name a folder or a file that holds one, and check --only",
        ));
    }
    if let Some(count) = flags.sample {
        sample::run(workspace, &contracts, (count, flags.seed))?;
        return Ok(ExitCode::SUCCESS);
    }
    if flags.style {
        style::run(workspace, &contracts, flags.names.as_deref())?;
        return Ok(ExitCode::SUCCESS);
    }
    if cfg!(debug_assertions) {
        progress("built without optimisation: for figures of speed use `cargo run --release -p developer -- corpus …`");
    }
    let (_runtime, interrupt) = Interrupt::start()?;
    let bench = check::Bench::new(workspace, flags.keep.as_deref(), &interrupt)?;
    let mut rows = Vec::with_capacity(contracts.len());
    let mut modules = Vec::new();
    table::header(&contracts);
    for (name, path) in &contracts {
        // A failure of one contract does not end the run.
        let (row, errors, generated) = match contract(workspace, flags, &bench, (name, path), &interrupt) {
            Ok(outcome) => outcome,
            Err(failure) if failure.exit == Exit::Interrupted => return Err(failure),
            Err(failure) => (Row::failed(name, failure.to_string()), Vec::new(), None),
        };
        if !flags.together {
            table::row(&contracts, &row);
        }
        for error in errors {
            crate::console::result(&format!("    {error}"));
        }
        rows.push(row);
        if flags.together {
            modules.extend(generated.map(|generated| (name.clone(), generated)));
        }
    }
    if flags.together {
        let errors = match together::check(&bench, &modules) {
            Err(failure) if failure.exit != Exit::Interrupted => together::Errors::from_failure(&failure),
            outcome => outcome?,
        };
        for row in rows.iter_mut().filter(|row| row.error.is_none()) {
            let fine = errors.common.is_empty() && !errors.own.contains_key(&row.file);
            row.check = if fine { Check::Ok } else { Check::Failed };
        }
        rows.iter().for_each(|row| table::row(&contracts, row));
        for (name, error) in errors.own.iter().flat_map(|(name, errors)| errors.iter().map(move |error| (name, error)))
        {
            paragraph(&format!("{name}\n{error}"));
        }
        errors.common.iter().for_each(|error| paragraph(error));
    }
    table::totals(&rows);
    if let Some(path) = &flags.json {
        let text = escaped(&serde_json::to_string_pretty(&rows).unwrap_or_default());
        fs::write(path, text + "\n").map_err(|error| Failure::file("write", path, &error))?;
    }
    let clean = rows.iter().all(|row| row.error.is_none() && row.check != Check::Failed);
    Ok(if clean { ExitCode::SUCCESS } else { Exit::Stale.into() })
}

/// The JSON text with invisible characters escaped. They only occur in strings, where the escape means the same.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || c.is_ascii() || *driftless_codegen::line(c.encode_utf8(&mut [0; 4])) == *c.to_string() {
            out.push(c);
        } else {
            out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    out
}

/// Generates and checks one client. Returns its figures, the compiler's errors, and the client if there is one.
fn contract(
    workspace: &Workspace,
    flags: &flags::Corpus,
    bench: &check::Bench<'_>,
    (name, path): (&str, &Path),
    interrupt: &Interrupt,
) -> Result<(Row, Vec<String>, Option<one::Generated>), Failure> {
    let (mut row, generated) = one::measure(workspace, name, path, flags.repeat, interrupt)?;
    // A client that does not fit into a crate would spoil the crate of all of them.
    generated.as_ref().map_or(Ok(()), |generated| stand_alone::fits(workspace, &generated.features))?;
    let mut errors = Vec::new();
    match (&generated, &flags.keep) {
        (Some(_), _) if flags.together => {}
        (Some(generated), _) if !flags.no_check => {
            let outcome = bench.check(name, generated, flags.repeat)?;
            row.check = if outcome.errors.is_empty() { Check::Ok } else { Check::Failed };
            row.check_seconds = outcome.seconds;
            errors = outcome.errors;
        }
        (Some(generated), Some(keep)) => {
            lay_out(workspace, &keep.join(stand_alone::slug(name)), generated)?;
        }
        _ => {}
    }
    Ok((row, errors, generated))
}

/// Writes the crate of a client, with an assertion on the size of each type.
fn lay_out(workspace: &Workspace, folder: &Path, generated: &one::Generated) -> Result<(), Failure> {
    let mut files = generated.files.clone();
    sizes::bound(&mut files);
    stand_alone::lay_out(workspace, folder, &files, &generated.features)
}

/// Prints the compiler's errors for one client, line by line.
fn paragraph(text: &str) {
    crate::console::result("");
    text.lines().for_each(crate::console::result);
}

/// Compiles several clients in one crate. Returns the compiler's errors, each with the name of its client if known.
pub(crate) fn compile(
    workspace: &Workspace,
    clients: Vec<(String, Output)>,
    interrupt: &Interrupt,
) -> Result<Vec<String>, Failure> {
    let bench = check::Bench::new(workspace, None, interrupt)?;
    let clients: Vec<(String, one::Generated)> =
        clients.into_iter().map(|(name, output)| (name, one::Generated::from_output(output))).collect();
    let errors = together::check(&bench, &clients)?;
    let own = errors
        .own
        .into_iter()
        .flat_map(|(name, errors)| errors.into_iter().map(move |error| format!("{name}\n{error}")));
    Ok(own.chain(errors.common).collect())
}

/// Name and path of every contract, sorted by name.
pub(crate) fn contracts(paths: &[PathBuf], only: Option<&str>) -> Result<Vec<(String, PathBuf)>, Failure> {
    let mut contracts = driftless::folders::contracts(paths)?;
    contracts.retain(|(_, path)| only.is_none_or(|only| path.to_string_lossy().contains(only)));
    Ok(contracts)
}

/// The middle value; of an even number of values, the lower of the two in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).map(|value| (value * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_shows_what_is_not_seen() {
        let row = Row::failed("a\u{202e}\u{9b}\u{e0001}\u{1b}é.json", "b\nc".to_owned());
        let text = escaped(&serde_json::to_string_pretty(&row).expect("JSON"));
        assert!(text.contains(r"a\u202e\u009b\udb40\udc01\u001bé.json"), "{text}");
        assert!(text.split('\n').all(|line| driftless_codegen::line(line) == line));
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["file"], row.file);
    }

    #[test]
    fn the_median_is_the_middle_value() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.0));
    }

    #[test]
    fn the_json_form_has_exactly_the_agreed_keys() {
        let row = Row::failed("a.json", "broken".to_owned());
        let value = serde_json::to_value(&row).expect("JSON");
        let keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
        let mut agreed = [
            "file",
            "error",
            "operations",
            "typed_operations",
            "schemas",
            "typed_schemas",
            "degraded",
            "generate_seconds",
            "peak_mb",
            "lines",
            "bytes",
            "check",
            "check_seconds",
        ];
        let mut keys = keys;
        keys.sort_unstable();
        agreed.sort_unstable();
        assert_eq!(keys, agreed);
        assert_eq!(value["check"], "skipped");
    }
}
