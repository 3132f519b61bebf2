//! Types as the formatter writes them.

use super::is_name;

/// Deeper types are left to the parser.
const DEEPEST: usize = 64;

/// Returns whether a text is a type: paths with their arguments, references, slices, tuples and `()`.
pub(super) fn is_type(text: &str) -> bool {
    behind_type(text, DEEPEST) == Some("")
}

/// The text behind the type that it begins with.
fn behind_type(text: &str, depth: usize) -> Option<&str> {
    let depth = depth.checked_sub(1)?;
    if let Some(rest) = text.strip_prefix('&') {
        let rest = ["'a ", "'_ "].into_iter().find_map(|lifetime| rest.strip_prefix(lifetime)).unwrap_or(rest);
        return behind_type(rest, depth);
    }
    if let Some(rest) = text.strip_prefix('[') {
        return behind_type(rest, depth)?.strip_prefix(']');
    }
    if let Some(rest) = text.strip_prefix('(') {
        let Some(rest) = rest.strip_prefix(')') else {
            // A type in parentheses is not a tuple.
            let rest = behind_type(rest, depth)?.strip_prefix(", ")?;
            return behind_list(rest, depth, behind_type)?.strip_prefix(')');
        };
        return Some(rest);
    }
    let mut rest = behind_name(text, &["crate", "self", "super", "Self"])?;
    loop {
        if let Some(arguments) = rest.strip_prefix('<') {
            rest = behind_list(arguments, depth, behind_argument)?.strip_prefix('>')?;
        }
        let Some(behind) = rest.strip_prefix("::") else { return Some(rest) };
        rest = behind_name(behind, &["super"])?;
    }
}

/// The text behind a name, or behind one of these keywords.
fn behind_name<'t>(text: &'t str, keywords: &[&str]) -> Option<&'t str> {
    let end = text.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_').unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    (is_name(name) || keywords.contains(&name)).then_some(rest)
}

/// The text behind at least one part, with commas between them.
fn behind_list(text: &str, depth: usize, behind: fn(&str, usize) -> Option<&str>) -> Option<&str> {
    let mut rest = behind(text, depth)?;
    while let Some(next) = rest.strip_prefix(", ") {
        rest = behind(next, depth)?;
    }
    Some(rest)
}

/// The text behind an argument of a path: a lifetime or a type.
fn behind_argument(text: &str, depth: usize) -> Option<&str> {
    match text.strip_prefix('\'') {
        Some(lifetime) => behind_name(lifetime, &["_", "static"]),
        None => behind_type(text, depth),
    }
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, is_type};

    #[test]
    fn types_are_those_that_the_formatter_leaves_as_they_are() {
        for text in [
            "A",
            "()",
            "&str",
            "&'a [super::A]",
            "[A]",
            "(A, &'_ b::C)",
            "crate::a::B<'a, (), Vec<Option<super::super::C>>>",
            "Cow<'static, str>",
        ] {
            assert!(is_type(text), "{text}");
            let line = format!("pub type B = {text};\n");
            assert_eq!(crate::emit::formatted_items(&line).expect("formatted"), line);
        }
        for text in [
            "", "A:B", "A:::B", "A::", "::A", "A::fn", "fn", "a::crate", "A<>", "<A>", "A<B", "A<B>>", "A<B,C>",
            "A<B, >", "A<B,>", "A<B> ", " A", "A B", "A[B]", "A(B)", "(A)", "(A,)", "&", "& A", "&'b A", "'a", "&'aA",
            "[]", "A<1>", "1", "A<'1>", "A<'>", "A<B><C>", "A,", "A, B", "é", "A<[>]",
        ] {
            assert!(!is_type(text), "{text}");
        }
        let deep = |count: usize| format!("{}A{}", "A<".repeat(count), ">".repeat(count));
        assert!(is_type(&deep(DEEPEST - 1)) && !is_type(&deep(DEEPEST)) && !is_type(&deep(100_000)));
    }
}
