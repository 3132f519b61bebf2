//! What little is read of a GraphQL document.

/// Whether the document holds a mutation. One that cannot be read is taken for one that does: then it is sent once.
pub(super) fn has_mutation(document: &str) -> bool {
    let mut depth = 0_usize;
    let mut fresh = true;
    let mut rest = document.chars().peekable();
    let mut name = String::new();
    while let Some(letter) = rest.next() {
        if letter.is_alphanumeric() || letter == '_' {
            name.push(letter);
            continue;
        }
        if !name.is_empty() {
            // The first name of a definition is its keyword; the rest are names, types and directives.
            if depth == 0 && fresh && name == "mutation" {
                return true;
            }
            fresh = false;
            name.clear();
        }
        match letter {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                let Some(less) = depth.checked_sub(1) else { return true };
                depth = less;
                fresh |= depth == 0 && letter == '}';
            }
            '#' => while rest.next_if(|letter| !matches!(letter, '\n' | '\r')).is_some() {},
            '"' if !skip_string(&mut rest) => return true,
            _ => {}
        }
    }
    depth != 0
}

/// Skips a string whose first quote is read. `false`: it has no end.
fn skip_string(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let mut quotes = 1;
    while quotes < 3 && rest.next_if_eq(&'"').is_some() {
        quotes += 1;
    }
    if quotes == 2 {
        return true;
    }
    let mut closing = 0;
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => {
                rest.next();
                closing = 0;
            }
            '"' => {
                closing += 1;
                if closing == quotes {
                    return true;
                }
            }
            _ => closing = 0,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::has_mutation;

    #[test]
    fn only_documents_without_a_mutation_may_be_repeated() {
        for document in [
            "{ a }",
            "query { mutation }",
            "query mutation { a }",
            "# mutation\n{ a }",
            "query Q($a: String = \"mutation {\") { a(text: \"\"\"}\nmutation\"\"\", b: \"\\\"\") }",
            "fragment F on T { a } query { ...F }",
            "query Q($i: I = { a: 1 }) { a }",
        ] {
            assert!(!has_mutation(document), "{document}");
        }
        for document in ["mutation { a }", "{ a } mutation M { b }", "{ a", "}", "{ a(b: \"c) }", "\u{feff}mutation{a}"]
        {
            assert!(has_mutation(document), "{document}");
        }
    }
}
