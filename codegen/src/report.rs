//! Problems as values: a code, a place, a hint.

use std::fmt;

use crate::text::line;

/// One problem with a contract or with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Stable code, such as `contract/not-json`.
    pub code: &'static str,
    /// Name of the document.
    pub document: String,
    /// JSON pointer (RFC 6901), where the problem has one.
    pub pointer: Option<String>,
    /// Line and column in the source, from 1, where the problem has them.
    pub position: Option<(usize, usize)>,
    /// The problem.
    pub message: String,
    /// The next step for the user.
    pub hint: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", line(&self.document))?;
        if let Some((line, column)) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        if let Some(pointer) = &self.pointer {
            write!(f, " at {}", line(pointer))?;
        }
        write!(f, ": {} [{}]", line(&self.message), self.code)?;
        if !self.hint.is_empty() {
            write!(f, "\n  {}", self.hint)?;
        }
        Ok(())
    }
}

/// All problems of a stage, raised together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    problems: Vec<Problem>,
}

impl Report {
    /// Adds a problem.
    pub fn push(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// All problems, in the order in which they were found.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// `value` when there is no problem.
    ///
    /// # Errors
    ///
    /// The report itself when it holds a problem.
    pub fn into_result<T>(self, value: T) -> Result<T, Report> {
        if self.problems.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl From<Problem> for Report {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}
