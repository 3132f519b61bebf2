//! What must hold of whatever the generator makes of a contract.

use driftless::develop::DEFAULT_NAME;
use driftless_codegen::{Contract, HEADER, Names, Output, Report, generate};

use super::input::Input;

/// Stages that may refuse what they are given; and a contract of which the prefixes of the configuration leave nothing.
const REFUSING: [&str; 7] =
    ["configuration/nothing-left", "contract/", "correction/", "document/", "operation/", "schema/", "tag/"];

/// How an execution ended.
#[derive(Debug)]
pub(super) enum Verdict {
    /// There is a client.
    Client(Box<Output>),
    /// There is none, and the report says why.
    Refused,
    /// Something that must not be.
    Finding(String),
}

/// Generates, and looks at the outcome.
pub(super) fn execute(input: &Input<'_>) -> Verdict {
    let run = |names: &Names| generate(&[Contract { name: DEFAULT_NAME, bytes: &input.bytes }], &input.setup, names);
    match run(&Names::default()) {
        Err(report) => refusal(&report).map_or(Verdict::Refused, Verdict::Finding),
        Ok(output) => {
            let found = client(&output).or_else(|| {
                let again = |names: &Names| run(names).is_ok_and(|again| again == output);
                match input.twice {
                    true if !again(&Names::default()) => Some("the same input gives another client".to_owned()),
                    true if !again(&output.names) => Some("its own pins change the client".to_owned()),
                    _ => None,
                }
            });
            found.map_or_else(|| Verdict::Client(Box::new(output)), Verdict::Finding)
        }
    }
}

/// What is wrong with a report.
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

/// What is wrong with a client.
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
    // What cannot be sent is counted, and is not a line of the surface: the ledger has it.
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

/// Whether a text holds what moves the cursor or ends a line, the line feed apart.
fn control(text: &str) -> bool {
    text.chars().any(|c| c != '\n' && (c.is_control() || unseen(c)))
}

/// Characters that make a text read otherwise than it is.
fn unseen(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
