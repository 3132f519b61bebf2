//! The lines of a contract's parts in a file of the work tree: JSON pointer to line.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use driftless_codegen::drift::{Drift, Finding, Link, Sides, When};
use driftless_codegen::pointer::tokens;
use serde_json::value::RawValue;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileLine {
    /// Relative to the workspace, with `/`.
    pub(crate) file: String,
    /// Counted from 1; `None` where the text is not JSON.
    pub(crate) line: Option<usize>,
}

/// Documents that are files of the work tree.
#[derive(Debug)]
pub(crate) struct DocumentFiles<'a> {
    /// Path and text, by document.
    texts: BTreeMap<&'a str, (String, Text<'a>)>,
    /// The state that they are.
    side: When,
}

impl<'a> DocumentFiles<'a> {
    pub(crate) fn new(side: When) -> Self {
        Self { texts: BTreeMap::new(), side }
    }

    pub(crate) fn add(&mut self, document: &'a str, file: String, bytes: &'a [u8]) {
        self.texts.insert(document, (file, Text::new(bytes)));
    }

    /// The line of each finding, in the order of the findings. A finding that the files do not have gets the line of the
    /// nearest part around it.
    pub(crate) fn lines(&mut self, drift: &Drift) -> Vec<Option<FileLine>> {
        drift.findings.iter().map(|finding| self.line(finding)).collect()
    }

    fn line(&mut self, finding: &Finding) -> Option<FileLine> {
        let sites = Sides { before: finding.before.as_ref(), after: finding.after.as_ref() };
        let site = sites[self.side].or(sites[self.side.other()])?;
        let (file, text) = self.texts.get_mut(site.document.as_str())?;
        Some(FileLine { file: file.clone(), line: text.line(&site.pointer) })
    }
}

/// Links from a report to these lines, as git hosts have them. `base` leads from the report to the workspace.
pub(crate) fn links(places: &[Option<FileLine>], base: &str) -> Vec<Option<Link>> {
    let link = |FileLine { file, line }: &FileLine| {
        let [anchor, behind] = ["#L", ":"].map(|sign| line.map_or_else(String::new, |line| format!("{sign}{line}")));
        Link { address: format!("{base}{}{anchor}", uri(file)), text: format!("{file}{behind}") }
    };
    places.iter().map(|place| place.as_ref().map(link)).collect()
}

/// A path as a relative reference (RFC 3986).
pub(crate) fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// A text of JSON, of which only as much is read as is asked for.
#[derive(Debug)]
struct Text<'a> {
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
    fn new(bytes: &'a [u8]) -> Self {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let begins = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, begins, opened: HashMap::new() }
    }

    /// The line on which a place begins, or the nearest one around it.
    fn line(&mut self, pointer: &str) -> Option<usize> {
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
        Some(self.begins.partition_point(|begin| *begin <= at))
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
            assert_eq!(lines.line(pointer), Some(line), "{pointer}");
        }
        assert_eq!(Text::new(b"openapi: 3.0.4\n").line("/openapi"), None);
        assert_eq!(Text::new(b"").line("/a"), None);
        assert_eq!(Text::new(b"\xff").line("/a"), None);
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
            let row = rows[lines.line(&pointer).expect("JSON") - 1].trim();
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
