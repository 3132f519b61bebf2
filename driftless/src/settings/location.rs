//! Lines and columns in the text of the configuration.

use std::ops::Range;

use driftless_codegen::pointer::tokens;
use toml::de::{DeTable, DeValue};

use crate::workspace::CONFIGURATION;

/// The place of a JSON pointer, or of the nearest table around it: line and column, from 1.
pub(super) fn find(text: &str, pointer: &str) -> Option<(usize, usize)> {
    let table = DeTable::parse(text).ok()?;
    let root = DeValue::Table(table.into_inner());
    let (mut value, mut nearest) = (&root, None);
    for token in tokens(pointer) {
        let (span, next) = match value {
            DeValue::Table(table) => {
                let Some((key, value)) = table.iter().find(|(key, _)| *key.get_ref() == token) else { break };
                (key.span(), value)
            }
            DeValue::Array(items) => {
                let Some(item) = token.parse().ok().and_then(|index: usize| items.get(index)) else { break };
                (item.span(), item)
            }
            _ => break,
        };
        (nearest, value) = (Some(position(text, span.start)), next.get_ref());
    }
    nearest
}

/// The key that a byte of the text belongs to, by its names, without positions in lists: `family.prefixes`.
pub(super) fn key_at(text: &str, at: usize) -> String {
    let Ok(table) = DeTable::parse(text) else { return String::new() };
    let mut innermost = (0, String::new());
    visit(&DeValue::Table(table.into_inner()), "", 0, at, &mut innermost);
    innermost.1
}

/// Visits every value: the span of a table's header does not include its keys. `innermost`: the depth, and the key.
fn visit(value: &DeValue<'_>, path: &str, depth: usize, at: usize, innermost: &mut (usize, String)) {
    let inside = |span: Range<usize>, path: &str, depth: usize, innermost: &mut (usize, String)| {
        if span.contains(&at) && depth >= innermost.0 {
            *innermost = (depth, path.to_owned());
        }
    };
    match value {
        DeValue::Table(table) => {
            for (key, value) in table {
                let name = key.get_ref();
                let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
                inside(key.span(), &path, depth + 1, innermost);
                inside(value.span(), &path, depth + 1, innermost);
                visit(value.get_ref(), &path, depth + 1, at, innermost);
            }
        }
        DeValue::Array(items) => {
            for item in items {
                inside(item.span(), path, depth, innermost);
                visit(item.get_ref(), path, depth, at, innermost);
            }
        }
        _ => {}
    }
}

/// A place as people read it.
pub(super) fn text(location: Option<(usize, usize)>) -> String {
    location.map_or_else(|| CONFIGURATION.to_owned(), |(line, column)| format!("{CONFIGURATION}:{line}:{column}"))
}

/// Line and column, from 1.
pub(crate) fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "include = ['/a', '/b']\n[rename]\n'GET /x' = 'y'\n[[family]]\nname = 'a'\n[[family]]\n  name = 'b'\n";

    #[test]
    fn a_pointer_leads_to_a_line() {
        for (pointer, expected) in [
            ("/include/1", Some((1, 18))),
            ("/rename/GET ~1x", Some((3, 1))),
            ("/family/1/name", Some((7, 3))),
            ("/family/1/absent", Some((6, 1))),
            ("/absent", None),
            ("", None),
        ] {
            assert_eq!(find(TEXT, pointer), expected, "{pointer}");
        }
    }

    #[test]
    fn a_byte_leads_to_its_key() {
        let key = |part: &str| key_at(TEXT, TEXT.find(part).expect(part));
        assert_eq!(key("'/b'"), "include");
        assert_eq!(key("'y'"), "rename.GET /x");
        assert_eq!(key("'b'"), "family.name");
        assert_eq!(key("name = 'b'"), "family.name");
    }
}
