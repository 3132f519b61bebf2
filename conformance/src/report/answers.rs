//! The answers of a sandbox, counted by what the client could do with them.

use serde::Serialize;

/// The kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// A declared status below 400, and the client has its value.
    Success,
    /// A declared status from 400, and the client has it as an error.
    Problem,
    /// The contract does not declare the status.
    Undeclared,
    /// The contract does not describe the answer, or it did not arrive.
    Wrong,
    /// The client does not read the answer.
    Unread,
    /// A declared status below 400, and a body that the judge does not know.
    Unjudged,
    /// The operation was not called.
    Uncalled,
}

/// The number of answers of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Answers {
    /// Those that were decoded, with a declared status below 400.
    pub success: usize,
    /// Those that were decoded as an error, with a declared status.
    pub problem: usize,
    /// Those with a status that the contract does not declare.
    pub undeclared: usize,
    /// Those that the contract does not describe, and calls without an answer.
    pub wrong: usize,
    /// Those that the client does not read.
    pub unread: usize,
    /// Those with a declared status below 400 whose body is not judged.
    pub unjudged: usize,
    /// The operations that were not called.
    pub uncalled: usize,
}

impl Answers {
    pub(crate) fn add(&mut self, kind: AnswerKind) {
        *match kind {
            AnswerKind::Success => &mut self.success,
            AnswerKind::Problem => &mut self.problem,
            AnswerKind::Undeclared => &mut self.undeclared,
            AnswerKind::Wrong => &mut self.wrong,
            AnswerKind::Unread => &mut self.unread,
            AnswerKind::Unjudged => &mut self.unjudged,
            AnswerKind::Uncalled => &mut self.uncalled,
        } += 1;
    }

    /// The number of operations, and that of each kind.
    pub(super) fn counts(&self) -> [usize; HEADS.len()] {
        let Self { success, problem, undeclared, wrong, unread, unjudged, uncalled } = *self;
        let all = success + problem + undeclared + wrong + unread + unjudged + uncalled;
        [all, success, problem, undeclared, wrong, unread, unjudged, uncalled]
    }

    pub(super) fn text(&self) -> String {
        let count = |count: usize, one: &str, several: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {several}"),
        };
        format!(
            "the sandbox: {} and {} decoded, {}, {}, {} that the client does not read, {} not judged, {} not called\n",
            count(self.success, "success", "successes"),
            count(self.problem, "declared error", "declared errors"),
            count(self.undeclared, "undeclared status", "undeclared statuses"),
            count(self.wrong, "wrong answer", "wrong answers"),
            self.unread,
            self.unjudged,
            count(self.uncalled, "operation", "operations"),
        )
    }
}

/// The heads of the columns of [`Answers::counts`].
pub(super) const HEADS: [&str; 8] =
    ["operations", "success", "error", "undeclared", "wrong", "unread", "not judged", "uncalled"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Report;

    #[test]
    fn the_table_has_the_answers_of_every_contract_and_their_sum() {
        let kinds = [
            AnswerKind::Success,
            AnswerKind::Success,
            AnswerKind::Problem,
            AnswerKind::Undeclared,
            AnswerKind::Wrong,
            AnswerKind::Unread,
            AnswerKind::Unjudged,
            AnswerKind::Uncalled,
        ];
        let mut answers = Answers::default();
        kinds.iter().for_each(|kind| answers.add(*kind));
        let one = Report { contract: "a".to_owned(), answers: Some(answers), ..Report::default() };
        let failed = Report { contract: "b\nc".to_owned(), failed: Some("unread".to_owned()), ..Report::default() };
        let text = crate::report::table(&[&one, &failed, &one]);
        let words: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().take(9).collect()).collect();
        assert_eq!(
            words[1..],
            [
                vec!["8", "2", "1", "1", "1", "1", "1", "1", "a"],
                vec!["0", "0", "0", "0", "0", "0", "0", "0", "b\\nc:"],
                vec!["8", "2", "1", "1", "1", "1", "1", "1", "a"],
                vec!["16", "4", "2", "2", "2", "2", "2", "2", "3"],
            ]
        );
    }

    #[test]
    fn one_answer_is_counted_in_the_singular() {
        let one = Answers { success: 1, problem: 2, wrong: 1, unjudged: 3, uncalled: 1, ..Answers::default() };
        let expected = "the sandbox: 1 success and 2 declared errors decoded, 0 undeclared statuses, 1 wrong answer, 0 that the client \
                        does not read, 3 not judged, 1 operation not called\n";
        assert_eq!(one.text(), expected);
    }
}
