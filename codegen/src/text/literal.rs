//! String literals.

use std::fmt;

use super::code::{Code, Sealed};
use super::hidden::{is_hidden, is_visible_ascii};

/// A Rust string literal. Invisible characters are escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal(String);

/// The literal with that value.
#[must_use]
pub fn literal(text: &str) -> Literal {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    if is_visible_ascii(text) && !text.contains(['"', '\\']) {
        out.push_str(text);
        out.push('"');
        return Literal(out);
    }
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.push('"');
    Literal(out)
}

impl Sealed for Literal {
    fn write(&self, code: &mut Code) {
        code.append(&self.0);
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::literal;

    #[test]
    fn a_literal_has_the_value_of_its_text_and_shows_all_of_it() {
        let all: String = (0..0x11_0000).filter_map(char::from_u32).collect();
        for text in ["", "\"#; fn x() {} //", "\\", "a\\\"b", "\u{202e}\u{0}\r", all.as_str()] {
            let written = literal(text).to_string();
            assert_eq!(syn::parse_str::<syn::LitStr>(&written).map(|read| read.value()).ok().as_deref(), Some(text));
            assert!(!written.chars().any(super::is_hidden));
        }
    }
}
