//! The verdicts of a run, for people and for programs.

mod answers;
mod at_shell;
mod opinions;
mod row;
mod table;
mod traffic;

use driftless::approvals::{Acceptable, Approvals, OF_FAULTS};
use driftless_codegen::line;
use serde::Serialize;

pub use answers::{AnswerKind, Answers};
pub use at_shell::AtShell;
pub use row::Row;
pub use table::table;
pub use traffic::Traffic;

/// The verdicts on one contract.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The contract.
    pub contract: String,
    /// The seed of all values.
    pub seed: u64,
    /// One for each case.
    pub rows: Vec<Row>,
    /// The reason that the contract could not be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// The contracts of which another judge did not compare all requests, and the reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unheard: Vec<(String, String)>,
    /// The operations at the shell, if the command line was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_shell: Option<AtShell>,
    /// The answers of a sandbox to the operations, if they were called against it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Answers>,
    /// The requests and connections of a client that ran as one process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    /// `true` if a disputed case, or a contract that another judge did not compare, makes the command fail.
    #[serde(skip)]
    pub is_strict: bool,
}

/// The longest line of a report.
const LONGEST: usize = 400;

/// One line of bounded length, with nothing in it that a terminal obeys.
fn shortened(text: &str) -> String {
    let text = line(text);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}

impl Report {
    pub(crate) fn new(contract: &str, seed: u64) -> Self {
        Self { contract: contract.to_owned(), seed, ..Self::default() }
    }

    /// The faults, for approvals.
    #[must_use]
    pub fn faults(&self) -> Vec<Acceptable> {
        self.rows.iter().filter(|row| row.class == "fault").map(Row::acceptable).collect()
    }

    /// Marks the faults that were accepted, and returns the approvals that match no fault, each with its line.
    pub fn accept(&mut self, approvals: Approvals, today: &str) -> Vec<(String, usize)> {
        let exists = |fingerprint: &str| self.rows.iter().any(|row| row.fingerprint == fingerprint);
        let (accepted, unmatched) = OF_FAULTS.valid(approvals, exists, today);
        self.rows.iter_mut().for_each(|row| row.accepted = accepted.get(&row.fingerprint).cloned());
        unmatched
    }

    /// The number of faults and mismatches that nobody accepted.
    #[must_use]
    pub fn open_faults(&self) -> usize {
        self.rows.iter().filter(|row| row.is_open_fault()).count()
    }

    /// Returns whether a row makes the command fail.
    #[must_use]
    pub fn is_failure(&self, row: &Row) -> bool {
        row.is_open_fault() || self.is_strict && row.class == "disputed"
    }

    /// Returns whether the report makes the command fail.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.rows.iter().any(|row| self.is_failure(row)) || self.is_strict && !self.unheard.is_empty()
    }

    /// The number of cases of a class.
    #[must_use]
    pub fn count(&self, class: &str) -> usize {
        self.rows.iter().filter(|row| row.class == class).count()
    }

    /// The lines of a fault: its place and rule, both texts, the call, and the flags that repeat it.
    pub(crate) fn lines(&self, row: &Row) -> String {
        let mut text = format!(
            "  {} of {}: {}\n  expected  {}\n  actual    {}\n",
            shortened(&row.place),
            line(&row.operation),
            row.rule,
            shortened(&row.expected),
            shortened(&row.actual)
        );
        row.call.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        // Accepted faults are those of the client on the wire, whose cases can be repeated one by one.
        if !row.fingerprint.is_empty() && row.answer.is_none() {
            let (seed, Row { case, fingerprint, .. }) = (self.seed, row);
            let case = format!("{case:?}");
            text.push_str(&format!("  repeat    --seed {seed} --case {}\n  accept    {fingerprint}\n", line(&case)));
        }
        text
    }

    /// A screen for each fault and each disputed case, then the counts. `all` also names the cases that were not judged.
    #[must_use]
    pub fn text(&self, all: bool) -> String {
        let mut text = String::new();
        for row in self.rows.iter().filter(|row| row.is_open_fault()) {
            text.push_str(&format!("{}: {}\n{}\n", row.class, shortened(&row.case), self.lines(row)));
        }
        for (row, reason) in self.rows.iter().filter_map(|row| Some((row, row.accepted.as_ref()?))) {
            text.push_str(&format!(
                "accepted: {}: {}: {}\n",
                shortened(&row.case),
                shortened(&row.place),
                shortened(reason)
            ));
        }
        for row in self.rows.iter().filter(|row| row.class == "disputed" && row.rule == "prism") {
            text.push_str(&format!("disputed by Prism: {}: {}\n", shortened(&row.case), shortened(&row.expected)));
        }
        for row in self
            .rows
            .iter()
            .filter(|row| (all || row.answer.is_some()) && ["limit", "contradiction"].contains(&row.class))
        {
            text.push_str(&format!("{}: {}: {}\n", row.class, shortened(&row.case), shortened(&row.expected)));
        }
        text.push_str(&opinions::text(self, all));
        text.extend(self.at_shell.as_ref().map(AtShell::text));
        text.extend(self.answers.as_ref().map(Answers::text));
        text.extend(self.traffic.as_ref().map(Traffic::text));
        let mut operations: Vec<&str> =
            self.rows.iter().map(|row| row.operation.as_str()).filter(|name| !name.starts_with("types::")).collect();
        operations.dedup();
        let accepted = self.rows.iter().filter(|row| row.accepted.is_some()).count();
        let others = [("mismatch", "mismatches"), ("disputed", "disputed")];
        let others = others.map(|(class, name)| (self.count(class), name)).into_iter().filter(|(count, _)| *count > 0);
        let others: String = others.map(|(count, name)| format!("{count} {name}, ")).collect();
        text + &format!(
            "{}: {} operations, {} cases: {} right, {} faults{}, {}{} contradictions, {} not judged (seed {})",
            line(&self.contract),
            operations.len(),
            self.rows.len(),
            self.count("right"),
            self.count("fault") - accepted,
            if accepted > 0 { format!(" and {accepted} accepted") } else { String::new() },
            others,
            self.count("contradiction"),
            self.count("limit"),
            self.seed
        )
    }
}

#[cfg(test)]
mod tests {
    use driftless::approvals::{Approval, fingerprint};

    use super::*;

    #[test]
    fn an_accepted_fault_is_listed_and_does_not_fail() {
        let fault = |case: &str, place: &str| Row {
            case: case.to_owned(),
            class: "fault",
            place: place.to_owned(),
            rule: "Style Values",
            fingerprint: fingerprint(&["fault", case, place, "Style Values"]),
            ..Row::default()
        };
        let rows = vec![
            fault("GET /a everything", "query a"),
            fault("GET /a everything", "query b"),
            fault("GET /b required", "query a"),
        ];
        let named = |row: &Row, until: Option<&str>, line| {
            let until = until.map(str::to_owned);
            (
                row.fingerprint.clone(),
                Approval { rule: String::new(), what: String::new(), reason: "agreed".to_owned(), until, line },
            )
        };
        let gone = fault("GET /c required", "query a");
        let approvals = Approvals::from([
            named(&rows[0], Some("2026-12-31"), 4),
            named(&rows[1], Some("2026-12-30"), 9),
            named(&gone, None, 14),
        ]);
        let mut report = Report { rows, ..Report::default() };
        let unmatched = report.accept(approvals, "2026-12-31");
        assert_eq!(unmatched.iter().map(|(_, line)| *line).collect::<Vec<_>>(), [14]);
        assert_eq!((report.count("fault"), report.open_faults()), (3, 2));
        let named =
            |document: &str| Row { document: document.to_owned(), ..report.rows[0].clone() }.named().fingerprint;
        assert_ne!(named("one"), named("other"));
        let text = report.text(false);
        assert!(text.contains("accepted: GET /a everything: query a: agreed\n"), "{text}");
        assert!(text.ends_with("0 right, 2 faults and 1 accepted, 0 contradictions, 0 not judged (seed 0)"), "{text}");
        assert_eq!(text.matches("fault: ").count(), 2);
    }

    #[test]
    fn the_table_counts_every_contract_and_their_sum() {
        let row = |class| Row { class, ..Row::default() };
        let report = |name: &str, rows, failed: Option<&str>| Report {
            contract: name.to_owned(),
            rows,
            failed: failed.map(str::to_owned),
            ..Report::default()
        };
        let one = report("a", vec![row("right"), row("right"), row("fault")], None);
        let other = report("b\nc", vec![row("right"), row("limit"), row("contradiction")], None);
        let failed = report("d", Vec::new(), Some("it cannot be read"));
        let text = table(&[&one, &other, &failed]);
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().take(7).collect()).collect();
        assert_eq!(
            words[1..],
            [
                vec!["2", "1", "0", "0", "0", "0", "a"],
                vec!["1", "0", "0", "0", "1", "1", "b\\nc"],
                vec!["0", "0", "0", "0", "0", "0", "d:"],
                vec!["3", "1", "0", "0", "1", "1", "3"],
            ]
        );
    }
}
