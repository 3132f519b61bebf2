//! Findings that somebody looked at and accepted, in a file of `specs`: fingerprint, reason, and the last day on which they count.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use driftless_codegen::line;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use toml::Spanned;

use crate::console::{count, progress, result};
use crate::failure::Failure;
use crate::flags::day;
use crate::interrupt::Interrupt;
use crate::lock;
use crate::settings::position;
use crate::transaction::{Change, Guard};
use crate::workspace::{ACCEPTED, ACCEPTED_FAULTS, Workspace};

/// A file of approvals.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalFile {
    /// Relative to the workspace.
    pub path: &'static str,
    head: &'static str,
    /// The command that lists the fingerprints.
    list: &'static str,
}

/// Drift of the source. It is for the gate that compares the pinned contract with a source; in a pull request, the review is the approval.
pub const OF_DRIFT: ApprovalFile = ApprovalFile {
    path: ACCEPTED,
    head: "\
# Drift of the source that was looked at and accepted, sorted, so that two branches merge. `cargo xtask drift accept` writes it.
",
    list: "cargo xtask drift --format json",
};

/// Faults of the client of the pinned contracts.
pub const OF_FAULTS: ApprovalFile = ApprovalFile {
    path: ACCEPTED_FAULTS,
    head: "\
# Faults of the client that were looked at and accepted, sorted, so that two branches merge. `cargo driftless conformance accept` writes it.
",
    list: "cargo driftless conformance --format json",
};

/// Characters of a fingerprint.
const LENGTH: usize = 12;
/// Fewest characters that stand for a fingerprint.
const LEAST: usize = 4;

/// An approval. Rule and subject are for people: the fingerprint decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    pub rule: String,
    pub what: String,
    pub reason: String,
    /// The last day on which it counts.
    pub until: Option<String>,
    /// The line of the file.
    pub line: usize,
}

/// A finding that can be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acceptable {
    pub fingerprint: String,
    pub rule: String,
    pub what: String,
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

/// Approvals by fingerprint.
pub type Approvals = BTreeMap<String, Approval>;

/// The fingerprint of a text in parts.
#[must_use]
pub fn fingerprint(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\u{1f}").as_bytes());
    digest.iter().take(LENGTH / 2).fold(String::with_capacity(LENGTH), |text, byte| text + &format!("{byte:02x}"))
}

impl ApprovalFile {
    /// Reads the approvals of a workspace.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or an entry is invalid.
    pub fn read(self, workspace: &Workspace) -> Result<Approvals, Failure> {
        let bytes = workspace.read(self.path)?;
        bytes.map_or_else(|| Ok(Approvals::new()), |bytes| self.parse(&String::from_utf8_lossy(&bytes)))
    }

    /// The reasons of the approvals that count on a day, by fingerprint. Those that are over are named, and those that match nothing
    /// are returned.
    #[must_use]
    pub fn valid(
        self,
        approvals: Approvals,
        exists: impl Fn(&str) -> bool,
        today: &str,
    ) -> (BTreeMap<String, String>, Vec<(String, usize)>) {
        let (mut accepted, mut unmatched) = (BTreeMap::new(), Vec::new());
        for (fingerprint, Approval { rule, what, reason, until, line: at }) in approvals {
            let named = format!("{fingerprint} ({})", line(&format!("{rule}: {what}")));
            if !exists(&fingerprint) {
                unmatched.push((named, at));
            } else if let Some(until) = until.filter(|until| until.as_str() < today) {
                progress(&format!("{}: {named} was accepted until {until}: accept it anew, or regenerate", self.path));
            } else {
                accepted.insert(fingerprint, reason);
            }
        }
        (accepted, unmatched)
    }

    /// Accepts findings, by their fingerprints or the beginnings of these.
    ///
    /// # Errors
    ///
    /// The reason is empty, a fingerprint fits no finding or several, or the file cannot be written.
    pub fn accept(
        self,
        workspace: &Workspace,
        findings: &[Acceptable],
        wanted: &[String],
        reason: &str,
        until: Option<&str>,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        let reason = line(reason.trim()).into_owned();
        if reason.is_empty() {
            return Err(Failure::configuration("accepted/no-reason", "the reason is empty", "say why: --reason TEXT"));
        }
        let mut approvals = self.read(workspace)?;
        let mut accepted = Vec::new();
        for wanted in wanted {
            let Acceptable { fingerprint, rule, what } = self.named(findings, wanted)?.clone();
            let approval = Approval {
                rule,
                what: line(&what).into_owned(),
                reason: reason.clone(),
                until: until.map(str::to_owned),
                line: 0,
            };
            accepted.push(format!("accepted {fingerprint} ({}: {})", approval.rule, approval.what));
            approvals.insert(fingerprint, approval);
        }
        let guard = Guard::acquire(workspace)?;
        guard.recover()?;
        let content = self.written(&approvals).into();
        guard.commit(&[Change::Write { path: self.path.to_owned(), content }], interrupt)?;
        accepted.iter().for_each(|text| result(text));
        Ok(())
    }

    /// The one finding that a fingerprint, or the beginning of one, names.
    fn named<'f>(self, findings: &'f [Acceptable], wanted: &str) -> Result<&'f Acceptable, Failure> {
        let quoted = line(wanted);
        let matching: Vec<&Acceptable> =
            findings.iter().filter(|finding| finding.fingerprint.starts_with(wanted)).collect();
        let hint = format!("`{}` has the fingerprints", self.list);
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

    /// Parses the approvals. An invalid entry is an error with its line: an approval that is lost opens the gate, or keeps it shut,
    /// without a word.
    fn parse(self, text: &str) -> Result<Approvals, Failure> {
        let refuse = |at: usize, problem: &str| {
            let (row, column) = position(text, at);
            let hint = if lock::has_conflict_markers(text) {
                "a merge left its markers: keep the entries of both sides"
            } else {
                "mend the entry, or take it out"
            };
            Failure::configuration("accepted/invalid", format!("{}:{row}:{column}: {problem}", self.path), hint)
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
            let (line, _) = position(text, at);
            let approval = Approval { rule: entry.rule, what: entry.what, reason, until, line };
            if approvals.insert(fingerprint, approval).is_some() {
                return Err(refuse(at, "this fingerprint was accepted above"));
            }
        }
        Ok(approvals)
    }

    /// The file, sorted.
    fn written(self, approvals: &Approvals) -> String {
        let mut text = self.head.to_owned();
        for (fingerprint, Approval { rule, what, reason, until, .. }) in approvals {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_sorted() {
        let approval = |what: &str, until: Option<&str>, line: usize| Approval {
            rule: "member-removed".to_owned(),
            what: what.to_owned(),
            reason: "\"agreed\" \\ on ''' [x] = # 1".to_owned(),
            until: until.map(str::to_owned),
            line,
        };
        let approvals = Approvals::from([
            ("ffffffffffff".to_owned(), approval("`A.b` is gone", Some("2026-12-31"), 10)),
            ("000000000000".to_owned(), approval("ü \"x\"", None, 4)),
        ]);
        let text = OF_FAULTS.written(&approvals);
        assert_eq!(OF_FAULTS.parse(&text).expect("reads"), approvals);
        assert!(text.find("0000") < text.find("ffff"));
        assert_eq!(OF_FAULTS.written(&OF_FAULTS.parse(&text).expect("reads")), text);
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        let good = "[[accepted]]\nfingerprint = \"0123456789ab\"\nreason = \"r\"\n";
        assert_eq!(OF_FAULTS.parse(good).expect("reads").len(), 1);
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
            let failure = OF_FAULTS.parse(&text).expect_err(&text);
            assert!(failure.message.contains(expected), "{text}: {}", failure.message);
            assert_eq!(failure.hint.contains("markers"), text.contains("<<<<"), "{text}");
        }
    }
}
