//! The terminal, and texts that are safe on it.

use std::borrow::Cow;
use std::io::IsTerminal as _;

/// The properties of standard output that decide about the form of an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
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
    pub(crate) fn stdout() -> Self {
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
    #[cfg(test)]
    pub(crate) const FILE: Self = Self { is_terminal: false, width: 80, height: 24, colours: false };
}

/// Returns whether a terminal or a reader of lines obeys the character instead of showing it: control characters,
/// ends of lines, marks that change the direction of text, and the characters that no YAML may contain.
pub(crate) fn is_active(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}')
        || matches!(character, '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// The text of a contract as the help of a command shows it: as [`plain`] has it. clap would begin a line at `{n}`.
pub(crate) fn for_help(text: &str) -> String {
    plain(text).replace("{n}", "{\u{2060}n}")
}

/// The text with its active characters escaped, as `\u{1b}`; tabs and line ends stay.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let is_escaped = |character: char| is_active(character) && !matches!(character, '\n' | '\t');
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match is_escaped(character) {
            true => out.extend(character.escape_unicode()),
            false => out.push(character),
        }
    }
    Cow::Owned(out)
}
