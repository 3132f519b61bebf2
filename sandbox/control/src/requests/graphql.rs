//! Masks secrets in GraphQL documents: string values of arguments, fields and variables with the names of secrets.

use std::collections::HashSet;
use std::ops::Range;

use apollo_parser::{Lexer, TokenKind};

/// A token of a document and its position. Spaces, commas and comments are skipped.
#[derive(Debug)]
struct Token<'a> {
    kind: TokenKind,
    text: &'a str,
    range: Range<usize>,
}

/// The document with each secret masked, and the names of the variables that are secrets.
pub(super) fn masked(document: &str, mask: &str, is_secret: impl Fn(&str) -> bool) -> (String, HashSet<String>) {
    let (mut tokens, mut secrets) = (Vec::new(), Vec::new());
    let (mut read, mut is_broken) = (0, false);
    for token in Lexer::new(document) {
        let Ok(token) = token else {
            is_broken = true;
            continue;
        };
        // A string without an end, or with an invalid escape: the rest of the document cannot be split into strings and other
        // tokens.
        if is_broken && document.get(read..token.index()).is_none_or(|between| between.contains('"')) {
            break;
        }
        let range = token.index()..token.index() + token.data().len();
        (read, is_broken) = (range.end, false);
        // A comment may hide arguments.
        if token.kind() == TokenKind::Comment && token.data().contains('"') {
            secrets.push(range.clone());
        }
        if !matches!(token.kind(), TokenKind::Whitespace | TokenKind::Comment | TokenKind::Comma | TokenKind::Eof) {
            tokens.push(Token { kind: token.kind(), text: token.data(), range });
        }
    }
    let mut variables = HashSet::new();
    let mut index = 0;
    while let Some(rest) = tokens.get(index..).filter(|rest| !rest.is_empty()) {
        index += 1;
        let [name, colon, value @ ..] = rest else { continue };
        if name.kind == TokenKind::Name && colon.kind == TokenKind::Colon && is_secret(name.text) {
            let is_variable = index.checked_sub(2).and_then(|before| tokens.get(before)).is_some_and(is_dollar);
            let value = if is_variable { default_value(value) } else { value };
            let length = hide(value, &mut secrets, &mut variables);
            // The whole value is masked and skipped.
            if length > 0 {
                index = tokens.len() - value.len() + length;
            }
        }
    }
    let mut masked_document = String::with_capacity(document.len());
    let mut end = 0;
    secrets.sort_by_key(|secret| secret.start);
    for secret in secrets {
        let is_comment = document.get(secret.clone()).is_some_and(|text| text.starts_with('#'));
        masked_document.push_str(document.get(end..secret.start).unwrap_or_default());
        masked_document.push_str(&if is_comment { format!("#{mask}") } else { format!("\"{mask}\"") });
        end = secret.end;
    }
    masked_document.push_str(document.get(end..read).unwrap_or_default());
    if read < document.len() {
        masked_document.push_str(mask);
    }
    (masked_document, variables)
}

fn is_dollar(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Dollar
}

/// The default value after the type of a variable, if there is one.
fn default_value<'a, 'b>(of_type: &'b [Token<'a>]) -> &'b [Token<'a>] {
    use TokenKind::{Bang, LBracket, Name, RBracket};
    let end = of_type.iter().position(|token| !matches!(token.kind, Name | LBracket | RBracket | Bang));
    match end.and_then(|end| of_type.get(end..)) {
        Some([equals, value @ ..]) if equals.kind == TokenKind::Eq => value,
        _ => &[],
    }
}

/// Collects the strings and variables of the first value, of any shape, and returns its number of tokens.
fn hide(tokens: &[Token<'_>], secrets: &mut Vec<Range<usize>>, variables: &mut HashSet<String>) -> usize {
    let mut depth = 0_usize;
    let mut before = TokenKind::Eof;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::StringValue => secrets.push(token.range.clone()),
            TokenKind::LBracket | TokenKind::LCurly => depth += 1,
            TokenKind::RBracket | TokenKind::RCurly => depth = depth.saturating_sub(1),
            TokenKind::Name if before == TokenKind::Dollar => drop(variables.insert(token.text.to_owned())),
            // An alias is followed by a field, not by a value.
            TokenKind::Name if depth == 0 => return 0,
            _ => {}
        }
        // The name of a variable follows its `$`.
        if depth == 0 && token.kind != TokenKind::Dollar {
            return index + 1;
        }
        before = token.kind;
    }
    tokens.len()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::masked;

    fn mask(document: &str) -> (String, HashSet<String>) {
        let ends = ["password", "apiKey", "Secret", "secret", "token"];
        masked(document, "***", |name| ends.iter().any(|end| name.ends_with(end)))
    }

    #[test]
    fn texts_of_secrets_are_masked_wherever_they_stand() {
        for (document, expected) in [
            (
                r#"mutation { login(user: "ada", password: "x") { id } }"#,
                r#"mutation { login(user: "ada", password: "***") { id } }"#,
            ),
            (
                r#"{ a(input: { name: "n", apiKey : "k", deep: [{ clientSecret: "s" }] }) }"#,
                r#"{ a(input: { name: "n", apiKey : "***", deep: [{ clientSecret: "***" }] }) }"#,
            ),
            (
                r#"{ a(passwords: "p", password: ["x", ["y"], { z: "z" }], b: "b") }"#,
                r#"{ a(passwords: "p", password: ["***", ["***"], { z: "***" }], b: "b") }"#,
            ),
            ("{ a(password: \"\"\"one \\\"\"\" \" two\"\"\", b: 1) }", "{ a(password: \"***\", b: 1) }"),
            (r#"{ a(password: "x\" y", b: "b") }"#, r#"{ a(password: "***", b: "b") }"#),
            (
                r#"query ($password: [String!]! = ["x"], $name: String = "n") { a }"#,
                r#"query ($password: [String!]! = ["***"], $name: String = "n") { a }"#,
            ),
            (r#"{ a @auth(token: "t") }"#, r#"{ a @auth(token: "***") }"#),
            ("{ a(password #: \"comment\\n\n: \"x\") }", "{ a(password #***\n: \"***\") }"),
            // Names, enum values and numbers are not texts, and an alias is not an argument.
            (r#"{ password: a(id: "1") token }"#, r#"{ password: a(id: "1") token }"#),
            (
                r#"{ a(secret: NONE, id: "1", password: 7, name: "n") }"#,
                r#"{ a(secret: NONE, id: "1", password: 7, name: "n") }"#,
            ),
            // After a string without an end, the rest is masked. Other invalid characters are kept.
            (r#"{ a(id: "1", password: "x) { id }"#, r#"{ a(id: "1", password: ***"#),
            (r#"{ a(password: """x) { id }"#, "{ a(password: ***"),
            ("{ a(id: \"1\n\", password: \"x\") }", "{ a(id: ***"),
            (r#"{ a(password: "\q") }"#, "{ a(password: ***"),
            ("{ a(id: 'é' % \u{0} password: \"x\") }", "{ a(id: 'é' % \u{0} password: \"***\") }"),
            ("select * from a where b = 'c.d';", "select * from a where b = 'c.d';"),
            ("", ""),
        ] {
            assert_eq!(mask(document).0, expected, "{document}");
        }
    }

    #[test]
    fn variables_that_are_secrets_are_named() {
        let names = |document: &str| {
            let mut names: Vec<String> = mask(document).1.into_iter().collect();
            names.sort();
            names
        };
        assert_eq!(names("query ($p: String, $u: String) { login(user: $u, password: $p) }"), ["p"]);
        assert_eq!(names("{ a(secret: [$a, { b: $b }], c: $c) }"), ["a", "b"]);
        assert_eq!(names("{ a(password: $"), Vec::<String>::new());
    }

    /// Any input is read once, however deep or broken the document is.
    #[test]
    fn hostile_documents_are_read_to_their_end() {
        for part in ["password:[", "password:{", "$password:[", "\"", "password:\"x\"", "}"] {
            let (masked_document, _) = mask(&part.repeat(1000));
            assert!(!masked_document.contains("\"x\""), "{part}");
        }
    }
}
