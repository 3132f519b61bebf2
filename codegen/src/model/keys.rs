//! Keys of schemas in the lock: pointers that do not move when a neighbour is added, or a parameter of a media type.

use serde_json::Value;

use super::alternatives::{Counted, Nature, members};
use super::http::essence;
use super::tree::Node;
use crate::pointer;

/// The end of the key of a form's type.
pub(super) const FORM: &str = "!multipart";

/// `document#pointer`, with names instead of indices: a parameter is named by its location and name, an alternative by
/// its title, its tag, or its nature, a media type without its parameters, and `allOf` is left out, because its parts
/// are one schema.
pub(super) fn key(node: &Node<'_>) -> String {
    let mut key = format!("{}#", node.document.name);
    let mut value = &node.document.tree;
    let mut list = "";
    for segment in node.pointer.split('/').skip(1) {
        let parent = value;
        value = child(parent, segment);
        let named = match list {
            "content" => media_type(parent, segment),
            _ if !parent.is_array() => None,
            "allOf" => {
                key.truncate(key.len() - "/allOf".len());
                list = "";
                continue;
            }
            "parameters" => Some(format!("{}:{}", text(value, "in"), text(value, "name"))),
            "oneOf" | "anyOf" => label(value, parent, &node.document.counted),
            _ => None,
        };
        key.push('/');
        match named {
            Some(name) => key.push_str(&pointer::escape(&name)),
            None => key.push_str(segment),
        }
        list = segment;
    }
    key
}

fn child<'v>(parent: &'v Value, segment: &str) -> &'v Value {
    let schema = match parent {
        Value::Array(items) => segment.parse::<usize>().ok().and_then(|index| items.get(index)),
        other => other.get(pointer::unescape(segment)),
    };
    schema.unwrap_or(&Value::Null)
}

/// The label of an alternative: its title, the value of a member that no other has, its only member, or its type.
fn label(schema: &Value, alternatives: &Value, counted: &Counted) -> Option<String> {
    let title = text(schema, "title");
    if !title.is_empty() {
        return Some(title.to_owned());
    }
    let unique = |(name, value): &(&str, &str)| counted.holders(alternatives, name, value) == 1;
    let tag = members(schema).find(unique).map(|(name, value)| format!("{name}={value}"));
    tag.or_else(|| {
        Nature::from_schema(schema).map(|nature| match nature {
            Nature::Member(name) | Nature::Type(name) => name.to_owned(),
        })
    })
}

/// A media type without its parameters. Of several that have other parameters only, the first is called so.
fn media_type(content: &Value, segment: &str) -> Option<String> {
    let (name, plain) = plain_media_type(segment)?;
    let is_before = |other: &String| *other < name && essence(other) == plain;
    let taken = content.as_object().is_some_and(|content| content.keys().any(is_before));
    (!taken).then_some(plain)
}

/// The text of a token that follows `content`, and the media type without parameters. `None` if `content` is the name
/// of a member.
fn plain_media_type(segment: &str) -> Option<(String, String)> {
    let name = pointer::unescape(segment);
    let plain = essence(&name);
    name.contains('/').then_some((name, plain))
}

/// A key, or a part of one, without the parameters of media types.
pub(super) fn plain_media_types(key: &str) -> String {
    with_media_types(key, |plain| pointer::escape(&plain))
}

/// A key, or a part of one, with the same text in place of each media type, and without the mark of a form.
pub(super) fn without_media_types(key: &str) -> String {
    with_media_types(key.strip_suffix(FORM).unwrap_or(key), |_| "*".to_owned())
}

fn with_media_types(key: &str, written: impl Fn(String) -> String) -> String {
    let mut last = "";
    let mut one = |segment| {
        let named = (last == "content").then(|| plain_media_type(segment)).flatten();
        last = segment;
        named.map(|(_, plain)| written(plain)).unwrap_or_else(|| segment.to_owned())
    };
    key.split('/').map(&mut one).collect::<Vec<_>>().join("/")
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::key;
    use crate::model::Document;
    use crate::model::tree::Node;

    #[test]
    fn positions_do_not_stand_in_keys() {
        let tree = json!({
            "paths": {"/a": {"get": {
                "parameters": [{}, {"name": "x/y", "in": "query", "schema": {}}],
                "requestBody": {"content": {"a/b; v=2": {}, "a/b; v=1": {}, "a/c": {}, "A/d ; x": {}}},
            }}},
            "components": {"schemas": {"A": {
                "allOf": [{}, {"properties": {"b": {"oneOf": [
                    {"title": "One"},
                    {"properties": {"kind": {"enum": ["two"]}}},
                    {},
                    {"properties": {"a": {}}, "required": ["a"]},
                    {"properties": {"a": {}, "b": {}}, "required": ["a"], "type": "object"},
                    {"type": "array"},
                ]}}}],
            }}},
        });
        let document = Document::plain(tree);
        let root = Node::root(&document);
        let key_of = |pointer: &str| root.target(&format!("#{pointer}")).map(|node| key(&node)).unwrap_or_default();
        assert_eq!(key_of("/paths/~1a/get/parameters/1/schema"), "d#/paths/~1a/get/parameters/query:x~1y/schema");
        for (media_type, named) in
            [("a~1b; v=1", "a~1b"), ("a~1b; v=2", "a~1b; v=2"), ("a~1c", "a~1c"), ("A~1d ; x", "a~1d")]
        {
            let body = "/paths/~1a/get/requestBody/content";
            assert_eq!(key_of(&format!("{body}/{media_type}")), format!("d#{body}/{named}"));
        }
        let base = "/components/schemas/A/allOf/1/properties/b/oneOf";
        assert_eq!(key_of(&format!("{base}/0")), "d#/components/schemas/A/properties/b/oneOf/One");
        assert_eq!(key_of(&format!("{base}/1")), "d#/components/schemas/A/properties/b/oneOf/kind=two");
        assert_eq!(key_of(&format!("{base}/2")), "d#/components/schemas/A/properties/b/oneOf/2");
        assert_eq!(key_of(&format!("{base}/3")), "d#/components/schemas/A/properties/b/oneOf/a");
        assert_eq!(key_of(&format!("{base}/4")), "d#/components/schemas/A/properties/b/oneOf/4");
        assert_eq!(key_of(&format!("{base}/5")), "d#/components/schemas/A/properties/b/oneOf/array");
    }
}
