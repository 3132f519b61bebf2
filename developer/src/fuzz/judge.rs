//! Invariants of the generator's output for any contract.

use driftless::develop::DEFAULT_NAME;
use driftless_codegen::{Contract, HEADER, Names, Output, Report, generate};

use super::input::Input;

/// Stages that may refuse their input, and the error for a contract of which the configured prefixes select nothing.
const REFUSING: [&str; 7] =
    ["configuration/nothing-left", "contract/", "correction/", "document/", "operation/", "schema/", "tag/"];

/// The end of an execution.
#[derive(Debug)]
pub(super) enum Verdict {
    /// A client was generated.
    Client(Box<Output>),
    /// No client was generated, and the report gives the reason.
    Refused,
    /// A broken invariant.
    Finding(String),
}

/// Generates, and checks the output.
pub(super) fn execute(input: &Input<'_>) -> Verdict {
    let run = |names: &Names| generate(&[Contract { name: DEFAULT_NAME, bytes: &input.bytes }], &input.setup, names);
    match run(&Names::default()) {
        Err(report) => refusal(&report).map_or(Verdict::Refused, Verdict::Finding),
        Ok(output) => {
            let broken = client(&output).or_else(|| {
                let again = |names: &Names| run(names).is_ok_and(|again| again == output);
                match input.twice {
                    true if !again(&Names::default()) => Some("the same input gives another client".to_owned()),
                    true if !again(&output.names) => Some("its own pins change the client".to_owned()),
                    _ => None,
                }
            });
            broken.map_or_else(|| Verdict::Client(Box::new(output)), Verdict::Finding)
        }
    }
}

/// The broken invariant of a report.
fn refusal(report: &Report) -> Option<String> {
    if report.problems().is_empty() {
        return Some("refused without a problem".to_owned());
    }
    report.problems().iter().find_map(|problem| {
        let expected = REFUSING.iter().any(|stage| problem.code.starts_with(stage));
        let why = match expected {
            false => format!("{}: {}", problem.code, problem.message),
            true if problem.hint.is_empty() => format!("{} without a hint", problem.code),
            true => return control(&problem.to_string()).then(|| format!("{}: a control character", problem.code)),
        };
        Some(why)
    })
}

/// The broken invariant of a client.
fn client(output: &Output) -> Option<String> {
    for (path, text) in &output.files {
        let plain = |c: char| c.is_alphanumeric() && !c.is_uppercase() || matches!(c, '_' | '/' | '.');
        let sound = |segment: &str| !segment.is_empty() && !segment.starts_with('.') && segment.len() <= 128;
        if !path.chars().all(plain) || !path.split('/').all(sound) || !path.ends_with(".rs") {
            return Some(format!("a file is called {path:?}"));
        }
        if !text.starts_with(HEADER) {
            return Some(format!("{path} does not begin with the header"));
        }
        if let Err(error) = syn::parse_file(text) {
            return Some(format!("{path} is not Rust: {error}"));
        }
        if text.chars().any(unseen) {
            return Some(format!("{path} holds a character that is not seen"));
        }
    }
    // Operations that cannot be sent are counted, but have no line in the surface: the ledger lists them.
    let (lines, degraded) = (output.surface.lines().count(), output.ledger.degraded().count());
    if lines > output.stats.operations || lines + degraded < output.stats.operations {
        return Some(format!("the surface has {lines} lines for {} operations", output.stats.operations));
    }
    let untyped = output.stats.operations != output.stats.typed_operations;
    if untyped && output.ledger.degraded().next().is_none() {
        return Some("an operation is untyped and the ledger does not name it".to_owned());
    }
    let reports = [&output.surface, &output.api.index()];
    reports.into_iter().any(|text| control(text)).then(|| "a report holds a control character".to_owned())
}

/// Returns whether a text holds control characters other than the line feed.
fn control(text: &str) -> bool {
    text.chars().any(|c| c != '\n' && (c.is_control() || unseen(c)))
}

/// Returns whether a character is invisible or changes the direction of text.
fn unseen(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
