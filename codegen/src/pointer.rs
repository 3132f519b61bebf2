//! JSON pointers (RFC 6901), and the percent-encoding that references put around them.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

/// The most references that are followed one after the other. Contracts that people publish have two or three; each use of a
/// chain follows it anew, so a longer one would cost time without end.
pub(crate) const LONGEST_CHAIN: usize = 64;

/// A reference token as a pointer writes it.
#[must_use]
pub fn escape(token: &str) -> String {
    let mut pointer = String::with_capacity(token.len());
    write_token(&mut pointer, token);
    pointer
}

/// A reference token as text.
#[must_use]
pub fn unescape(token: &str) -> String {
    unescaped(token).into_owned()
}

/// As [`unescape`], without a copy of a token that stands for itself.
pub(crate) fn unescaped(token: &str) -> Cow<'_, str> {
    if !token.as_bytes().contains(&b'~') {
        return Cow::Borrowed(token);
    }
    let mut parts = token.split('~');
    let mut text = String::with_capacity(token.len());
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (sign, rest) = match part.as_bytes().first() {
            Some(b'1') => ('/', 1),
            Some(b'0') => ('~', 1),
            _ => ('~', 0),
        };
        text.push(sign);
        text.push_str(part.get(rest..).unwrap_or_default());
    }
    Cow::Owned(text)
}

/// As [`Value::pointer`], which copies each token twice.
pub(crate) fn find<'v>(tree: &'v Value, pointer: &str) -> Option<&'v Value> {
    if pointer.is_empty() {
        return Some(tree);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(tree, |value, token| match value {
        Value::Object(members) => members.get(&*unescaped(token)),
        Value::Array(items) => {
            let is_index = !token.starts_with('+') && (!token.starts_with('0') || token.len() == 1);
            items.get(token.parse::<usize>().ok().filter(|_| is_index)?)
        }
        _ => None,
    })
}

/// The pointer with one more reference token.
#[must_use]
pub fn join(pointer: &str, token: &str) -> String {
    let mut joined = String::with_capacity(pointer.len() + token.len() + 1);
    joined.push_str(pointer);
    push(&mut joined, token);
    joined
}

/// Appends a reference token, and returns the length to truncate the pointer to.
pub fn push(pointer: &mut String, token: &str) -> usize {
    let mark = pointer.len();
    pointer.push('/');
    write_token(pointer, token);
    mark
}

/// Appends an index, and returns the length to truncate the pointer to.
pub(crate) fn push_index(pointer: &mut String, index: usize) -> usize {
    let mark = pointer.len();
    // Writing to a string does not fail.
    let _ = write!(pointer, "/{index}");
    mark
}

/// The reference tokens, as text.
pub fn tokens(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(unescape)
}

/// The pointer to the parent, and the last token, as text. `None` if the pointer is that of the whole document.
#[must_use]
pub fn split_last(pointer: &str) -> Option<(&str, String)> {
    pointer.rsplit_once('/').map(|(parent, token)| (parent, unescape(token)))
}

/// The name of a member of a map, where a pointer leads to one: `A` for `/definitions/A` in `/definitions/`.
pub(crate) fn member(pointer: &str, map: &str) -> Option<String> {
    pointer.strip_prefix(map).filter(|name| !name.contains('/')).map(unescape)
}

/// The name of the schema that a pointer leads to, where it leads to one that the contract names.
pub(crate) fn schema(pointer: &str) -> Option<String> {
    member(pointer, "/components/schemas/").or_else(|| member(pointer, "/definitions/"))
}

/// The last reference token of a pointer or of a reference, as text.
pub(crate) fn last(pointer: &str) -> String {
    unescape(&percent_decode(pointer.rsplit('/').next().unwrap_or_default()))
}

/// Undoes percent-encoding, which references carry and pointers do not.
pub(crate) fn percent_decode(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|pair| first == b'%' && pair.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = digits.and_then(|pair| u8::from_str_radix(pair, 16).ok());
        decoded.push(byte.unwrap_or(first));
        rest = if byte.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.to_owned())
}

fn write_token(pointer: &mut String, token: &str) {
    let mut rest = token;
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'~' | b'/')) {
        pointer.push_str(rest.get(..at).unwrap_or_default());
        pointer.push_str(if rest.as_bytes().get(at) == Some(&b'~') { "~0" } else { "~1" });
        rest = rest.get(at + 1..).unwrap_or_default();
    }
    pointer.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::{escape, find, join, last, member, percent_decode, split_last, tokens, unescape};

    #[test]
    fn values_are_found_as_serde_json_finds_them() {
        let tree = serde_json::json!({"a/b": [{"~": 1}, [2]], "": {"": 3}, "~1": 4, "~01": 5});
        let rest =
            ["", "/", "//", "/a~1b", "/a~1b/0/~0", "/a~1b/1/0", "/~01", "/~001", "/~1", "a", "/~", "/a~1b/0/~0/x"];
        let indices = ["/a~1b/00", "/a~1b/+0", "/a~1b/01", "/a~1b/2", "/a~1b/-", "/a~1b/-1", "/a~1b/~0"];
        for pointer in rest.iter().chain(&indices) {
            assert_eq!(find(&tree, pointer), tree.pointer(pointer), "{pointer}");
        }
    }

    #[test]
    fn tokens_come_back_as_they_were() {
        for token in ["", "a", "/", "~", "~1", "~01", "a/b~c", "%2F", "ä"] {
            assert_eq!(unescape(&escape(token)), token);
            let pointer = join(&join("", token), "x");
            assert_eq!(tokens(&pointer).collect::<Vec<_>>(), [token, "x"]);
            let value = serde_json::json!({token: {"x": 1}});
            assert!(value.pointer(&pointer).is_some(), "{pointer}");
        }
        assert_eq!(split_last("/a/b~1c"), Some(("/a", "b/c".to_owned())));
        assert_eq!(split_last(""), None);
        assert_eq!(member("/definitions/A~1B", "/definitions/"), Some("A/B".to_owned()));
        assert_eq!(member("/definitions/A/items", "/definitions/"), None);
        assert_eq!(last("#/components/schemas/A%7E1B"), "A/B");
    }

    #[test]
    fn percent_signs_that_encode_nothing_stay() {
        for (text, decoded) in [
            ("a%20b", "a b"),
            ("%", "%"),
            ("%2", "%2"),
            ("%+1", "%+1"),
            ("%zz%41", "%zzA"),
            ("%C3%A4", "ä"),
            ("%FF", "%FF"),
        ] {
            assert_eq!(percent_decode(text), decoded);
        }
    }
}
