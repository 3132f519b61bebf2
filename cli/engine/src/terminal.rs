//! The terminal, and texts that are safe on it.

use std::borrow::Cow;
use std::io::IsTerminal as _;

/// The properties of standard output that decide about the form of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Terminal {
    /// `true` if a person reads it.
    pub is_terminal: bool,
    /// Columns of it.
    pub width: usize,
    /// Lines of it.
    pub height: usize,
    /// `true` if colours are wanted: a terminal, without `NO_COLOR`.
    pub colours: bool,
}

impl Terminal {
    /// Standard output of this process.
    pub fn stdout() -> Self {
        let term = console::Term::stdout();
        let (height, width) = term.size_checked().unwrap_or((24, 80));
        let is_terminal = std::io::stdout().is_terminal();
        Self {
            is_terminal,
            width: usize::from(width),
            height: usize::from(height),
            colours: is_terminal && console::colors_enabled(),
        }
    }

    /// A file or a pipe.
    pub const FILE: Self = Self { is_terminal: false, width: 80, height: 24, colours: false };
}

/// The text without control characters, which are written as `\u{1b}`; tabs and line ends stay.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let is_control = |character: char| {
        (character.is_control() && !matches!(character, '\n' | '\t'))
            || matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match is_control(character) {
            true => out.extend(character.escape_unicode()),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}
