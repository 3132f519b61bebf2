//! Drift that somebody looked at and accepted: `specs/accepted-drift.toml`. It is for the gate that compares the pinned
//! contract with a source; in a pull request, the review is the approval.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use driftless_codegen::drift::{Drift, Finding};
use driftless_codegen::line;
use serde::Deserialize;
use serde_json::{Value, json};
use toml::Spanned;

use crate::console::{count, progress, result};
use crate::failure::Failure;
use crate::files::Files;
use crate::flags::day;
use crate::inputs::Inputs;
use crate::interrupt::Interrupt;
use crate::lock;
use crate::settings::position;
use crate::transaction::{Change, Guard};
use crate::workspace::{ACCEPTED, Workspace};

const HEAD: &str = "\
# Drift of the source that was looked at and accepted, sorted, so that two branches merge. `cargo xtask drift accept` writes it.
";
/// Characters of a fingerprint.
const LENGTH: usize = 12;
/// Fewest characters that stand for a fingerprint.
const LEAST: usize = 4;

/// An approval. Rule and subject are for people: the fingerprint decides.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Approval {
    rule: String,
    what: String,
    reason: String,
    /// The last day on which it counts.
    until: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    #[serde(default)]
    accepted: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    fingerprint: Spanned<String>,
    #[serde(default)]
    rule: String,
    #[serde(default)]
    what: String,
    reason: Spanned<String>,
    until: Option<Spanned<String>>,
}

type Approvals = BTreeMap<String, Approval>;

/// The accepted findings of a drift.
#[derive(Debug, Default)]
pub(super) struct Verdicts {
    /// Reasons, by fingerprint.
    accepted: BTreeMap<String, String>,
}

impl Verdicts {
    /// Reads the approvals, and names those that are over or match nothing.
    pub(super) fn new(inputs: &Inputs, drift: &Drift, today: Option<&str>) -> Result<Self, Failure> {
        let approvals = read(&inputs.files)?;
        let today = today.unwrap_or(&inputs.today);
        let mut accepted = BTreeMap::new();
        for (fingerprint, approval) in approvals {
            let Approval { rule, what, reason, until } = approval;
            let named = format!("{fingerprint} ({})", line(&format!("{rule}: {what}")));
            if !drift.findings.iter().any(|finding| finding.fingerprint == fingerprint) {
                progress(&format!("{ACCEPTED}: {named} matches nothing: take the entry out"));
            } else if let Some(until) = until.filter(|until| until.as_str() < today) {
                progress(&format!("{ACCEPTED}: {named} was accepted until {until}: accept it anew, or regenerate"));
            } else {
                accepted.insert(fingerprint, reason);
            }
        }
        Ok(Self { accepted })
    }

    /// Why a finding is accepted, where it is.
    pub(super) fn reason(&self, finding: &Finding) -> Option<&str> {
        self.accepted.get(&finding.fingerprint).map(String::as_str)
    }

    /// The findings that nobody accepted.
    pub(super) fn open<'d>(&self, drift: &'d Drift) -> impl Iterator<Item = &'d Finding> {
        drift.findings.iter().filter(|finding| self.reason(finding).is_none())
    }

    /// One line, where something is accepted.
    pub(super) fn sentence(&self) -> Option<String> {
        let number = self.accepted.len();
        (number > 0).then(|| format!("{} accepted in {ACCEPTED}.", count(number, "finding is", "findings are")))
    }

    /// Reasons by fingerprint, for programs.
    pub(super) fn as_json(&self) -> Value {
        json!(self.accepted)
    }
}

/// Accepts findings, by their fingerprints or the beginnings of these.
pub(super) fn accept(
    workspace: &Workspace,
    files: &Files,
    drift: &Drift,
    wanted: &[String],
    reason: &str,
    until: Option<&str>,
) -> Result<(), Failure> {
    let reason = line(reason.trim()).into_owned();
    if reason.is_empty() {
        return Err(Failure::configuration("accepted/no-reason", "the reason is empty", "say why: --reason TEXT"));
    }
    let mut approvals = read(files)?;
    let mut accepted = Vec::new();
    for wanted in wanted {
        let finding = named(drift, wanted)?;
        let approval = Approval {
            rule: finding.rule.id().to_owned(),
            what: line(&format!("{} {}", finding.subject, finding.change)).into_owned(),
            reason: reason.clone(),
            until: until.map(str::to_owned),
        };
        accepted.push(format!("accepted {} ({}: {})", finding.fingerprint, approval.rule, approval.what));
        approvals.insert(finding.fingerprint.clone(), approval);
    }
    let guard = Guard::acquire(workspace)?;
    guard.recover()?;
    let (_runtime, interrupt) = Interrupt::start()?;
    let content = written(&approvals).into_bytes();
    guard.commit(&[Change::Write { path: ACCEPTED.to_owned(), content }], &interrupt)?;
    accepted.iter().for_each(|text| result(text));
    Ok(())
}

/// The one finding that a fingerprint, or the beginning of one, names.
fn named<'d>(drift: &'d Drift, wanted: &str) -> Result<&'d Finding, Failure> {
    let quoted = line(wanted);
    let matching: Vec<&Finding> =
        drift.findings.iter().filter(|finding| finding.fingerprint.starts_with(wanted)).collect();
    let hint = "`cargo xtask drift --format json` has the fingerprints";
    match matching.as_slice() {
        _ if wanted.len() < LEAST => Err(Failure::configuration(
            "accepted/too-short",
            format!("`{quoted}` is too short for a fingerprint"),
            format!("write {LEAST} characters at least; {hint}"),
        )),
        [one] => Ok(one),
        [] => Err(Failure::configuration(
            "accepted/no-finding",
            format!("no finding has a fingerprint that begins with `{quoted}`"),
            format!("{hint}\nnothing was written"),
        )),
        several => {
            let all: Vec<&str> = several.iter().map(|finding| finding.fingerprint.as_str()).collect();
            Err(Failure::configuration(
                "accepted/several-findings",
                format!(
                    "{} begin with `{quoted}`: {}",
                    count(all.len(), "fingerprint", "fingerprints"),
                    all.join(", ")
                ),
                "write more of the one that is meant\nnothing was written",
            ))
        }
    }
}

fn read(files: &Files) -> Result<Approvals, Failure> {
    files.text(ACCEPTED).map_or_else(|| Ok(Approvals::new()), |text| parse(&text))
}

/// Parses the approvals. An invalid entry is an error with its line: an approval that is lost opens the gate, or keeps it shut,
/// without a word.
fn parse(text: &str) -> Result<Approvals, Failure> {
    let refuse = |at: usize, problem: &str| {
        let (row, column) = position(text, at);
        let hint = if lock::has_conflict_markers(text) {
            "a merge left its markers: keep the entries of both sides"
        } else {
            "mend the entry, or take it out"
        };
        Failure::configuration("accepted/invalid", format!("{ACCEPTED}:{row}:{column}: {problem}"), hint)
    };
    let file: FileText = toml::from_str(text).map_err(|error| {
        let problem = error.message().lines().collect::<Vec<_>>().join(", ");
        refuse(error.span().map_or(0, |span| span.start), &line(&problem))
    })?;
    let mut approvals = Approvals::new();
    for entry in file.accepted {
        let (at, fingerprint) = (entry.fingerprint.span().start, entry.fingerprint.into_inner());
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if fingerprint.len() != LENGTH || !fingerprint.bytes().all(is_digit) {
            return Err(refuse(at, "a fingerprint has 12 characters: 0 to 9 and a to f"));
        }
        if entry.reason.get_ref().trim().is_empty() {
            return Err(refuse(entry.reason.span().start, "the reason is empty"));
        }
        let until = match entry.until {
            None => None,
            Some(until) => {
                let at = until.span().start;
                Some(day(until.get_ref()).map_err(|problem| refuse(at, &format!("`until`: {problem}")))?)
            }
        };
        let reason = entry.reason.into_inner();
        if approvals.insert(fingerprint, Approval { rule: entry.rule, what: entry.what, reason, until }).is_some() {
            return Err(refuse(at, "this fingerprint was accepted above"));
        }
    }
    Ok(approvals)
}

/// The file, sorted.
fn written(approvals: &Approvals) -> String {
    let mut text = HEAD.to_owned();
    for (fingerprint, Approval { rule, what, reason, until }) in approvals {
        // Writing to a string does not fail.
        let _ = write!(text, "\n[[accepted]]\nfingerprint = \"{fingerprint}\"\n");
        for (key, value) in [("rule", rule), ("what", what), ("reason", reason)] {
            let _ = writeln!(text, "{key} = {}", toml::Value::String(line(value).into_owned()));
        }
        if let Some(until) = until {
            let _ = writeln!(text, "until = \"{until}\"");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_sorted() {
        let approval = |what: &str, until: Option<&str>| Approval {
            rule: "member-removed".to_owned(),
            what: what.to_owned(),
            reason: "\"agreed\" \\ on ''' [x] = # 1".to_owned(),
            until: until.map(str::to_owned),
        };
        let approvals = Approvals::from([
            ("ffffffffffff".to_owned(), approval("`A.b` is gone", Some("2026-12-31"))),
            ("000000000000".to_owned(), approval("ü \"x\"", None)),
        ]);
        let text = written(&approvals);
        assert_eq!(parse(&text).expect("reads"), approvals);
        assert!(text.find("0000") < text.find("ffff"));
        assert_eq!(written(&parse(&text).expect("reads")), text);
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        let good = "[[accepted]]\nfingerprint = \"0123456789ab\"\nreason = \"r\"\n";
        assert_eq!(parse(good).expect("reads").len(), 1);
        for (text, expected) in [
            ("[[accepted]\n".to_owned(), "toml:1:"),
            (format!("{good}untl = \"2026-01-01\"\n"), "toml:4:1: unknown field `untl`"),
            (format!("{good}until = \"soon\"\n"), "toml:4:9: `until`: write a day as YYYY-MM-DD"),
            (good.replace("0123", "G123"), "toml:2:15: a fingerprint has 12"),
            (good.replace("0123", ""), "toml:2:15: a fingerprint has 12"),
            (good.replace("\"r\"", "\" \""), "toml:3:10: the reason is empty"),
            (good.replace("reason = \"r\"\n", ""), "missing field `reason`"),
            (format!("{good}{good}"), "toml:5:15: this fingerprint was accepted above"),
            (format!("<<<<<<< HEAD\n{good}=======\n>>>>>>> main\n"), "toml:1:"),
        ] {
            let failure = parse(&text).expect_err(&text);
            assert!(failure.message.contains(expected), "{text}: {}", failure.message);
            assert_eq!(failure.hint.contains("markers"), text.contains("<<<<"), "{text}");
        }
    }
}
