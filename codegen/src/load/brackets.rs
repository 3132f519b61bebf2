//! Counts open brackets before a YAML text is parsed.
//!
//! For each word, the parser looks at every open bracket, so a text of opening brackets takes quadratic time.
//! [`super::MAX_DEPTH`] is checked later, on the parsed tree.

/// More open brackets than any contract has, text that only looks like brackets included, and few enough for the parser.
const MOST: usize = 5_000;

/// Line and column, from 1, of the first bracket that is one too many.
pub(super) fn too_many(text: &str) -> Option<(usize, usize)> {
    let mut open = 0_usize;
    for (number, line) in text.lines().enumerate() {
        let mut rest = line.char_indices().peekable();
        let mut before = ' ';
        while let Some((at, letter)) = rest.next() {
            match letter {
                // A comment.
                '#' if before.is_whitespace() => break,
                // A quoted text that ends on its line.
                '"' | '\'' if !before.is_alphanumeric() && closed(line, at, letter) => {
                    let mut escaped = false;
                    for (_, next) in rest.by_ref() {
                        match next {
                            _ if escaped => escaped = false,
                            '\\' if letter == '"' => escaped = true,
                            next if next == letter => break,
                            _ => {}
                        }
                    }
                }
                '[' | '{' => {
                    open += 1;
                    if open > MOST {
                        return Some((number + 1, at + 1));
                    }
                }
                ']' | '}' => open = open.saturating_sub(1),
                _ => {}
            }
            before = letter;
        }
    }
    None
}

/// Returns whether a quote is followed by another one on its line; asked once for each pair.
fn closed(line: &str, at: usize, quote: char) -> bool {
    line.get(at + 1..).is_some_and(|rest| rest.contains(quote))
}

#[cfg(test)]
mod tests {
    use super::{MOST, too_many};

    #[test]
    fn only_what_stays_open_counts() {
        assert_eq!(too_many(&"[".repeat(MOST)), None);
        assert_eq!(too_many(&format!("a:\n  {}", "[".repeat(MOST + 1))), Some((2, MOST + 3)));
        assert_eq!(too_many(&"{a: [".repeat(MOST)), Some((1, MOST / 2 * 5 + 1)));
        for line in ["a: [b, {c: d}]\n", "# [[[\n", "a: '[[['\n", "a: \"[\\\"[\"\n", "a: \"[\" # {\n"] {
            assert_eq!(too_many(&line.repeat(MOST + 1)), None, "{line}");
        }
    }
}
