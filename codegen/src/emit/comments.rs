//! Comments, which go around the parser and the formatter: they are half of the generated text, and both would only copy them.
//!
//! Each run of lines with documentation is one short line with its number until the code is formatted.

use proc_macro2::Span;

/// Code without the texts of its documentation.
pub(super) struct Lifted<'t> {
    pub(super) code: String,
    comments: Vec<Vec<&'t str>>,
}

impl<'t> Lifted<'t> {
    /// Takes the documentation out. Lines are only looked at one by one, so nothing may go on from one to the next.
    pub(super) fn new(text: &'t str) -> Result<Self, syn::Error> {
        let (mut code, mut comments) = (String::with_capacity(text.len() / 2), Vec::<Vec<&str>>::new());
        let mut before = None;
        for line in lines(text)? {
            let comment = comment(line);
            match (comment, comments.last_mut()) {
                (Some((mark, comment)), Some(run)) if before == Some(mark) => run.push(comment),
                (Some((mark, comment)), _) => {
                    code.push_str(&format!("{mark}{}\n", comments.len()));
                    comments.push(vec![comment]);
                }
                (None, _) => {
                    nesting(line)?;
                    code.push_str(line);
                    code.push('\n');
                }
            }
            before = comment.map(|(mark, _)| mark);
        }
        Ok(Self { code, comments })
    }

    /// Puts it back into the formatted code.
    pub(super) fn put_back(&self, code: &str) -> Result<String, syn::Error> {
        let mut text = String::with_capacity(2 * code.len());
        let mut runs = self.comments.iter().enumerate();
        for line in code.lines() {
            let Some((mark, number)) = comment(line) else {
                text.push_str(line);
                text.push('\n');
                continue;
            };
            let run = runs.next().filter(|(index, _)| number.parse() == Ok(*index));
            let (_, run) = run.ok_or_else(|| refused("comments that change their places"))?;
            let indentation = line.len() - line.trim_start_matches(' ').len();
            for comment in run {
                text.extend(std::iter::repeat_n(' ', indentation));
                text.push_str(mark);
                text.push_str(comment.trim_end_matches(' '));
                text.push('\n');
            }
        }
        if runs.next().is_some() { Err(refused("comments that get lost")) } else { Ok(text) }
    }
}

/// The lines of a text, whose ends are those of generated files.
pub(super) fn lines(text: &str) -> Result<Vec<&str>, syn::Error> {
    if text.contains('\r') { Err(refused("line ends of other systems")) } else { Ok(text.lines().collect()) }
}

/// The mark and the text of a line with documentation.
fn comment(line: &str) -> Option<(&'static str, &str)> {
    let line = line.trim_start_matches(' ');
    let (mark, text) = ["///", "//!"].into_iter().find_map(|mark| Some((mark, line.strip_prefix(mark)?)))?;
    // Four slashes are no documentation.
    (mark == "//!" || !text.starts_with('/')).then_some((mark, text))
}

/// The brackets that a line of code opens, less those that it closes.
///
/// A line that leaves a literal or a comment open is refused, and so are the literals that end by other rules than those with plain quotes.
pub(super) fn nesting(line: &str) -> Result<isize, syn::Error> {
    let mut bytes = line.bytes();
    let (mut before, mut nesting) = (b' ', 0);
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' if matches!(before, b'#' | b'\'' | b'\\') || before.is_ascii_alphanumeric() => {
                return Err(refused("such literals"));
            }
            b'"' => loop {
                match bytes.next() {
                    Some(b'\\') => _ = bytes.next(),
                    Some(b'"') => break,
                    Some(_) => {}
                    None => return Err(refused("literals of several lines")),
                }
            },
            b'/' | b'*' if before == b'/' => return Err(refused("comments behind code")),
            b'(' | b'[' | b'{' => nesting += 1,
            b')' | b']' | b'}' => nesting -= 1,
            _ => {}
        }
        before = byte;
    }
    Ok(nesting)
}

fn refused(what: &str) -> syn::Error {
    syn::Error::new(Span::call_site(), format!("generated code has no {what}"))
}

#[cfg(test)]
mod tests {
    use super::Lifted;

    #[test]
    fn comments_come_back_at_the_indentation_of_the_code() {
        let text = "//! A.\n/// B  \n///\n/// `C`\n#[x]\npub struct D {\n/// E.\npub f: u8,\n}\n";
        let lifted = Lifted::new(text).expect("lifted");
        assert_eq!(lifted.code, "//!0\n///1\n#[x]\npub struct D {\n///2\npub f: u8,\n}\n");
        let formatted = lifted.code.replace("///2", "    ///2").replace("pub f", "    pub f");
        let text = "//! A.\n/// B\n///\n/// `C`\n#[x]\npub struct D {\n    /// E.\n    pub f: u8,\n}\n";
        assert_eq!(lifted.put_back(&formatted).expect("put back"), text);
        for changed in ["///1\n", "//!0\n", "//!0\n///2\n///1\n", "//!0\n///1\n///2\n///3\n", "//!0\n///1\n///\n", "\n"]
        {
            assert!(lifted.put_back(changed).is_err(), "{changed}");
        }
    }

    #[test]
    fn no_literal_and_no_comment_goes_on_in_another_line() {
        for line in ["f(\"a\\\\\", \"/// \\\" b\", \"/* c\");", "impl<'a> F<'a> {", "a / b", ""] {
            assert!(Lifted::new(line).is_ok(), "{line}");
        }
        for line in [
            "f(\"a",
            "f(\"a\\\"",
            "f(\"a\", \"",
            "r#\"a\" b\"#",
            "r\"a\\\"",
            "b\"a\"",
            "'\"'",
            "f('\\\"', \"",
            "f() /* a",
            "f() // a",
            "//// a",
            "/** a",
            "/// a\rb",
        ] {
            let text = format!("{line}\n/// x\" }} trait A {{}} \"\n");
            assert!(Lifted::new(&text).is_err(), "{line}");
        }
    }
}
