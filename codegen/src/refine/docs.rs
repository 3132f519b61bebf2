//! Documentation from the contract's prose.

/// Lines of `///` at some indentation. The text is the contract's; it must not become a doctest.
pub(crate) fn comment(text: &str) -> String {
    let mut out = String::new();
    for line in lines(text) {
        if line.is_empty() {
            out.push_str("///\n");
        } else {
            out.push_str(&format!("/// {line}\n"));
        }
    }
    out
}

/// The text with every fence closed, so that what is put behind it is not part of it.
pub(crate) fn closed(text: &str) -> String {
    lines(text).join("\n")
}

/// The first sentence of a text, on one line.
pub(crate) fn first_line(text: &str) -> String {
    lines(text).into_iter().find(|line| !line.is_empty()).unwrap_or_default()
}

/// The text, line by line: fences are marked as text, indented code is brought to the margin, blank runs are one line.
fn lines(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let line: String =
            line.chars().filter(|c| !c.is_control() || *c == '\t').map(|c| if c == '\t' { ' ' } else { c }).collect();
        let trimmed = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        if mark.is_some() && (fence.is_none() || fence == mark) {
            fence = if fence.is_none() { mark } else { None };
            out.push(if fence.is_some() { "```text".to_owned() } else { "```".to_owned() });
        } else if fence.is_some() {
            out.push(line.trim_end().to_owned());
        } else if !(trimmed.is_empty() && out.last().is_none_or(String::is_empty)) {
            out.push(trimmed.to_owned());
        }
    }
    if fence.is_some() {
        out.push("```".to_owned());
    }
    while out.last().is_some_and(String::is_empty) {
        out.pop();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{closed, comment};

    #[test]
    fn nothing_in_a_contract_becomes_a_doctest() {
        let text = "Does it.\n\n\n    let x = 1;\n```rust\n  run();\n";
        assert_eq!(comment(text), "/// Does it.\n///\n/// let x = 1;\n/// ```text\n///   run();\n/// ```\n");
        assert_eq!(comment(""), "");
        assert_eq!(closed("~~~\n```\nx"), "```text\n```\nx\n```");
    }
}
