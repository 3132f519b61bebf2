//! The place of a contract's part in its file: JSON pointer to line and column.

use std::borrow::Cow;
use std::collections::HashMap;

use driftless_codegen::pointer::tokens;
use serde_json::value::RawValue;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLine {
    /// Relative to the workspace, with `/`.
    pub file: String,
    /// Counted from 1; `None` where the text is not JSON.
    pub line: Option<usize>,
    /// Counted from 1, in characters.
    pub column: Option<usize>,
}

/// A path as a relative reference (RFC 3986).
pub fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// A text of JSON, of which only as much is read as is asked for.
#[derive(Debug)]
pub struct Text<'a> {
    text: &'a str,
    /// The offsets of the lines.
    begins: Vec<usize>,
    /// The parsed values, by their offsets.
    opened: HashMap<usize, Opened<'a>>,
}

#[derive(Debug)]
enum Opened<'a> {
    Object(HashMap<String, &'a RawValue>),
    Array(Vec<&'a RawValue>),
    Plain,
}

impl<'a> Text<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let begins = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, begins, opened: HashMap::new() }
    }

    /// The place of a part in this file.
    pub fn place(&mut self, file: &str, pointer: &str) -> FileLine {
        let position = self.position(pointer);
        FileLine {
            file: file.to_owned(),
            line: position.map(|(line, _)| line),
            column: position.map(|(_, column)| column),
        }
    }

    /// The line and the column at which a part begins, or the nearest one around it.
    fn position(&mut self, pointer: &str) -> Option<(usize, usize)> {
        let mut value: &'a RawValue = serde_json::from_str(self.text).ok()?;
        for token in tokens(pointer) {
            let at = self.offset(value);
            let opened = self.opened.entry(at).or_insert_with(|| open(value));
            let next = match opened {
                Opened::Object(members) => members.get(&token).copied(),
                Opened::Array(items) => token.parse().ok().and_then(|index: usize| items.get(index).copied()),
                Opened::Plain => None,
            };
            let Some(next) = next else { break };
            value = next;
        }
        let at = self.offset(value);
        let line = self.begins.partition_point(|begin| *begin <= at);
        let before = self.begins.get(line.checked_sub(1)?).and_then(|begin| self.text.get(*begin..at))?;
        Some((line, before.chars().count() + 1))
    }

    /// The offset of a part of the text.
    fn offset(&self, part: &RawValue) -> usize {
        (part.get().as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }
}

fn open(value: &RawValue) -> Opened<'_> {
    let text = value.get();
    if text.starts_with('{') {
        let members: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(text).unwrap_or_default();
        return Opened::Object(members.into_iter().map(|(name, value)| (name.into_owned(), value)).collect());
    }
    if text.starts_with('[') {
        return Opened::Array(serde_json::from_str(text).unwrap_or_default());
    }
    Opened::Plain
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn a_pointer_leads_to_the_line_of_its_key() {
        let text =
            "{\n  \"a\": {\n    \"b/c\": [\n      1,\n      {\"~\": 2}\n    ]\n  },\n  \"\\u0064\": \"\\\"\\n{\"\n}\n";
        let mut lines = Text::new(text.as_bytes());
        for (pointer, line) in [
            ("", 1),
            ("/a", 2),
            ("/a/b~1c", 3),
            ("/a/b~1c/0", 4),
            ("/a/b~1c/1/~0", 5),
            ("/d", 8),
            // The nearest part around a missing one.
            ("/a/b~1c/2/x", 3),
            ("/a/b~1c/1/nothing", 5),
            ("/nothing/at/all", 1),
        ] {
            assert_eq!(lines.position(pointer).map(|(line, _)| line), Some(line), "{pointer}");
        }
        for text in [&b"openapi: 3.0.4\n"[..], b"", b"\xff"] {
            assert_eq!(Text::new(text).position("/openapi"), None);
        }
        let one_line = "{\"é\": {}, \"paths\": {\"/a\": 1}}";
        assert_eq!(Text::new(one_line.as_bytes()).position("/paths/~1a"), Some((1, 27)));
    }

    #[test]
    fn every_place_of_a_text_is_found_where_it_stands() {
        // Every member and every item has a line of its own.
        let value =
            serde_json::json!({"paths": {"/a": {"get": [1, {"x": {}}, []]}, "~": null}, "": {"": [[["deep"]]]}});
        let text = serde_json::to_string_pretty(&value).expect("JSON");
        let mut lines = Text::new(text.as_bytes());
        let rows: Vec<&str> = text.lines().collect();
        let mut places = vec![(String::new(), &value)];
        while let Some((pointer, value)) = places.pop() {
            let row = rows[lines.position(&pointer).expect("JSON").0 - 1].trim();
            if let Some(key) =
                driftless_codegen::pointer::tokens(&pointer).last().filter(|key| key.parse::<usize>().is_err())
            {
                assert!(row.starts_with(&format!("{key:?}: ")), "{pointer}: {row}");
            }
            let join = |token: &str| driftless_codegen::pointer::join(&pointer, token);
            match value {
                serde_json::Value::Object(map) => places.extend(map.iter().map(|(key, value)| (join(key), value))),
                serde_json::Value::Array(items) => {
                    places.extend(items.iter().enumerate().map(|(index, value)| (join(&index.to_string()), value)));
                }
                value => assert!(row.contains(&value.to_string()), "{pointer}: {row}"),
            }
        }
    }
}
