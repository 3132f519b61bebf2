//! JSON whose numbers keep their digits.
//!
//! A `serde_json::Value` holds a number that is not an integer as a float, which rounds `0.1` and cuts long decimals. What is
//! written, and what is told apart before it is read, goes through the text or through a [`Tree`].

use std::{
    cell::Cell,
    fmt::{self, Write as _},
};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, Visitor},
    ser::{Error as _, SerializeMap, SerializeSeq},
};
use serde_json::{Value, value::RawValue};

/// How deep values may stand in each other, as in `serde_json`.
const DEPTH: usize = 128;

/// By this name `serde_json` hands a value over as the text that it is.
const RAW: &str = "$serde_json::private::RawValue";

/// A JSON value. Numbers are text.
#[derive(Clone, Debug, PartialEq)]
pub enum Tree {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Tree>),
    Object(Members),
}

/// The members of an object, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Members(Vec<(String, Tree)>);

impl Members {
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, (String, Tree)> {
        self.0.iter()
    }

    #[cfg(feature = "graphql")]
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, (String, Tree)> {
        self.0.iter_mut()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Tree> {
        self.0.iter().find(|(member, _)| member == name).map(|(_, value)| value)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<'a> IntoIterator for &'a Members {
    type Item = &'a (String, Tree);
    type IntoIter = std::slice::Iter<'a, (String, Tree)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl FromIterator<(String, Tree)> for Members {
    fn from_iter<I: IntoIterator<Item = (String, Tree)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl IntoIterator for Members {
    type Item = (String, Tree);
    type IntoIter = std::vec::IntoIter<(String, Tree)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Tree {
    /// The value of a JSON text; `None`: it is not one, or too deep.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        (reader.peek().is_none()).then_some(value)
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

impl From<&Value> for Tree {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number.to_string()),
            Value::String(text) => Self::String(text.clone()),
            Value::Array(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Object(members) => {
                Self::Object(members.iter().map(|(name, value)| (name.clone(), Self::from(value))).collect())
            }
        }
    }
}

/// Reads a JSON text that `serde_json` wrote or took.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn value(&mut self, depth: usize) -> Option<Tree> {
        if depth > DEPTH {
            return None;
        }
        match self.peek()? {
            b'{' => {
                let mut members = Vec::new();
                self.list(b'}', |reader| {
                    let name = reader.string()?;
                    reader.take(b':')?;
                    members.push((name, reader.value(depth + 1)?));
                    Some(())
                })?;
                Some(Tree::Object(Members(members)))
            }
            b'[' => {
                let mut items = Vec::new();
                self.list(b']', |reader| {
                    items.push(reader.value(depth + 1)?);
                    Some(())
                })?;
                Some(Tree::Array(items))
            }
            b'"' => self.string().map(Tree::String),
            _ => {
                let rest = self.text.get(self.at..)?;
                let end = rest.find([',', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                let (word, _) = rest.split_at_checked(end)?;
                self.at += end;
                match word {
                    "null" => Some(Tree::Null),
                    "true" => Some(Tree::Bool(true)),
                    "false" => Some(Tree::Bool(false)),
                    number => number
                        .starts_with(|first: char| first == '-' || first.is_ascii_digit())
                        .then(|| Tree::Number(number.to_owned())),
                }
            }
        }
    }

    /// What stands between the bracket here and its end.
    fn list(&mut self, end: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.at += 1;
        if self.take(end).is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            if self.take(b',').is_none() {
                return self.take(end);
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let start = self.at - 1;
        loop {
            match self.text.as_bytes().get(self.at)? {
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }
}

/// JSON without blanks.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let string = |text: &str| serde_json::to_string(text).map_err(|_| fmt::Error);
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(number) => f.write_str(number),
            Self::String(text) => f.write_str(&string(text)?),
            Self::Array(items) => {
                f.write_char('[')?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index == 0 { "" } else { "," })?;
                }
                f.write_char(']')
            }
            Self::Object(members) => {
                f.write_char('{')?;
                for (index, (name, value)) in members.iter().enumerate() {
                    write!(f, "{}{}:{value}", if index == 0 { "" } else { "," }, string(name)?)?;
                }
                f.write_char('}')
            }
        }
    }
}

/// Numbers that a machine type holds without loss go as such, so that every format can write them.
impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number_of(number, serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(item))?;
                list.end()
            }
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.0.len()))?;
                members.iter().try_for_each(|(name, value)| map.serialize_entry(name, value))?;
                map.end()
            }
        }
    }
}

fn number_of<S: Serializer>(number: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match (number.parse::<i64>(), number.parse::<u64>(), number.parse::<f64>()) {
        (Ok(value), ..) if value.to_string() == number => serializer.serialize_i64(value),
        (_, Ok(value), _) if value.to_string() == number => serializer.serialize_u64(value),
        (_, _, Ok(value)) if serde_json::to_string(&value).is_ok_and(|text| text == number) => {
            serializer.serialize_f64(value)
        }
        _ => RawValue::from_string(number.to_owned()).map_err(S::Error::custom)?.serialize(serializer),
    }
}

/// The JSON text of whatever comes next. Of `serde_json` it is the very text, so that numbers keep their digits; of another
/// format, what it makes of its values.
pub(crate) fn raw<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    deserializer.deserialize_newtype_struct(RAW, Raw)
}

struct Raw;

impl<'de> Visitor<'de> for Raw {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    /// `serde_json`: a map of one member, whose value is the text.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<String, A::Error> {
        match map.next_key::<Name>()? {
            Some(Name) => map.next_value(),
            None => Err(A::Error::custom("a value without a text")),
        }
    }

    /// Other formats.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        Ok(Value::deserialize(deserializer)?.to_string())
    }
}

/// The name of the one member.
struct Name;

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Name;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_str<E>(self, _: &str) -> Result<Name, E> {
                Ok(Name)
            }
        }
        deserializer.deserialize_identifier(Any)
    }
}

thread_local! {
    /// How many values that are read from their text stand in each other on this thread.
    static INSIDE: Cell<usize> = const { Cell::new(0) };
}

/// Reads a value out of its text. What is read there may again hold values that are read from their text: a text that nests
/// too deep for `serde_json` is refused at the outermost of them, because each text is read with a fresh count.
pub(crate) fn within<T, E: serde::de::Error>(text: &str, read: impl FnOnce() -> T) -> Result<T, E> {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            INSIDE.with(|inside| inside.set(inside.get().saturating_sub(1)));
        }
    }
    let outer = INSIDE.with(|inside| inside.replace(inside.get() + 1));
    let _leave = Leave;
    if outer == 0 && depth(text) > DEPTH {
        return Err(E::custom("recursion limit exceeded"));
    }
    Ok(read())
}

/// How deep the brackets of a JSON text stand in each other.
fn depth(text: &str) -> usize {
    let (mut depth, mut most, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => {
                depth += 1;
                most = most.max(depth);
            }
            b'}' | b']' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::{Tree, raw};

    struct Text(String);

    impl<'de> Deserialize<'de> for Text {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            raw(deserializer).map(Self)
        }
    }

    #[test]
    fn a_tree_is_the_text_it_was_read_from() {
        for text in [
            "null",
            "true",
            "0.10",
            "-12345678901234567890.123456789e-400",
            r#""a\"\\\u0000{[""#,
            r#"{"a":[1.10,{"b":[]},"x,y"],"":{}}"#,
        ] {
            assert_eq!(Tree::read(text).map(|tree| tree.to_string()).as_deref(), Some(text), "{text}");
            let tree = Tree::read(text).expect("read");
            assert_eq!(serde_json::to_string(&tree).expect("written"), text);
            assert_eq!(serde_json::from_str::<Text>(text).expect("a text").0, text);
        }
        assert_eq!(
            Tree::read(" { \"a\" : [ 1 , 2 ] } ").map(|tree| tree.to_string()).as_deref(),
            Some(r#"{"a":[1,2]}"#)
        );
        for odd in ["", "{", "[1", "[1,]", "{\"a\"}", "\"a", "\"a\\", "x", "1 2", "{a:1}", &"[".repeat(200)] {
            assert_eq!(Tree::read(odd), None, "{odd}");
        }
    }

    #[test]
    fn other_formats_give_their_values() {
        assert_eq!(Text::deserialize(json!({ "a": [1, 2.5] })).expect("a text").0, r#"{"a":[1,2.5]}"#);
        #[derive(Deserialize)]
        struct Flat {
            #[serde(flatten)]
            rest: std::collections::BTreeMap<String, Text>,
        }
        let flat: Flat = serde_json::from_str(r#"{"a":{"b":[1.5,null]},"c":7}"#).expect("read");
        assert_eq!(flat.rest["a"].0, r#"{"b":[1.5,null]}"#);
        assert_eq!(flat.rest["c"].0, "7");
    }
}
