//! The one error type of the package.

use std::fmt;

/// A message can quote the contract.
const LONGEST_MESSAGE: usize = 1_000;

/// An error: a code, its place in the contract, the problem, and the next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: &'static str,
    pointer: String,
    message: String,
    advice: &'static str,
}

impl Error {
    pub(crate) fn new(
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
        advice: &'static str,
    ) -> Self {
        let message = message.into().chars().take(LONGEST_MESSAGE).map(printable).collect();
        Self { code, pointer: pointer.into(), message, advice }
    }

    /// The error with the name of the contract that it is in.
    pub(crate) fn in_document(self, document: &str) -> Self {
        Self::new(self.code, self.pointer, format!("{document}: {}", self.message), self.advice)
    }

    /// The kind of error, for programs: `contract/not-json`, `address`, …
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// JSON pointer into the contract. Empty if the error concerns all of it, or another thing.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The next step for a person.
    pub fn advice(&self) -> &'static str {
        self.advice
    }
}

/// The character, or a mark in place of one that controls a terminal or the direction of text: a contract can be a stranger's.
pub(crate) fn printable(letter: char) -> char {
    let is_direction = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if letter.is_control() || is_direction { char::REPLACEMENT_CHARACTER } else { letter }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.as_str() {
            "" => write!(f, "{}", self.message),
            pointer => write!(f, "{}, at {pointer}", self.message),
        }
    }
}

impl std::error::Error for Error {}
