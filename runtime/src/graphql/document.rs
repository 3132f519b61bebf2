//! A minimal parser of GraphQL documents.

/// The keyword of a definition, empty for a query without one, and its name.
struct Definition {
    keyword: String,
    name: Option<String>,
}

/// Returns whether the document has a mutation. A document that cannot be parsed counts as one with a mutation: then it
/// is sent once.
pub(super) fn has_mutation(document: &str) -> bool {
    definitions(document).is_none_or(|all| all.iter().any(|definition| definition.keyword == "mutation"))
}

/// Returns the name of the document's operation if it has exactly one.
pub(super) fn operation_name(document: &str) -> Option<String> {
    let is_operation =
        |definition: &Definition| matches!(definition.keyword.as_str(), "" | "query" | "mutation" | "subscription");
    let mut operations = definitions(document)?.into_iter().filter(is_operation);
    let only = operations.next()?;
    if operations.next().is_some() { None } else { only.name }
}

/// Returns the definitions of the document; `None` if it cannot be parsed.
fn definitions(document: &str) -> Option<Vec<Definition>> {
    let mut all: Vec<Definition> = Vec::new();
    let mut depth = 0_usize;
    let (mut fresh, mut unnamed) = (true, false);
    let mut rest = document.chars().peekable();
    let mut name = String::new();
    while let Some(letter) = rest.next() {
        if letter.is_alphanumeric() || letter == '_' {
            name.push(letter);
            continue;
        }
        if !name.is_empty() {
            // The first name of a definition is its keyword, and the next its own; the others are types and directives.
            if depth == 0 && fresh {
                all.push(Definition { keyword: std::mem::take(&mut name), name: None });
                unnamed = true;
            } else if depth == 0
                && unnamed
                && let Some(last) = all.last_mut()
            {
                last.name = Some(std::mem::take(&mut name));
                unnamed = false;
            }
            fresh = false;
            name.clear();
        }
        unnamed &= letter.is_whitespace() || matches!(letter, ',' | '#' | '\u{feff}');
        match letter {
            '{' | '(' | '[' => {
                if depth == 0 && fresh && letter == '{' {
                    all.push(Definition { keyword: String::new(), name: None });
                    fresh = false;
                }
                depth += 1;
            }
            '}' | ')' | ']' => {
                depth = depth.checked_sub(1)?;
                fresh |= depth == 0 && letter == '}';
            }
            '#' => while rest.next_if(|letter| !matches!(letter, '\n' | '\r')).is_some() {},
            '"' if !skip_string(&mut rest) => return None,
            _ => {}
        }
    }
    (depth == 0).then_some(all)
}

/// Skips a string after its first quote. Returns `false` if it has no end.
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
    use super::{has_mutation, operation_name};

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

    #[test]
    fn the_name_of_the_only_operation_is_sent() {
        for (document, name) in [
            ("query Q($a: Int) { a }", Some("Q")),
            ("fragment F on T { a } subscription\n# of\n S @x { ...F }", Some("S")),
            ("\u{feff}mutation M{a}", Some("M")),
            ("query{ a }", None),
            ("query ($a: B) { a }", None),
            ("query @a { b }", None),
            ("{ a }", None),
            ("query A { a } query B { a }", None),
            ("{ a } query B { a }", None),
            ("query A { a", None),
            ("", None),
        ] {
            assert_eq!(operation_name(document).as_deref(), name, "{document}");
        }
    }
}
