//! The bytes of parameters: one rule for each style, `explode` and shape (OpenAPI 3.0.4 and 3.1.1, "Style Examples"; RFC 6570).

use serde_json::Value;

use crate::contract::Style;

/// A byte of what a client has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Byte {
    /// Of a name or a value: it can be percent-encoded, and has to be where it would mean something else.
    Text(u8),
    /// Of the style, such as a delimiter: it is sent as it is.
    Mark(u8),
}

/// The part of a request that has the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Path,
    Query,
    /// A query whose reserved characters stay (`allowReserved`).
    Reserved,
    Cookie,
}

/// A value as styles see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    One(String),
    List(Vec<String>),
    Members(Vec<(String, String)>),
}

impl Shape {
    /// The shape of a value. `None`: the specification does not define how it is written.
    pub(super) fn of_value(value: &Value) -> Option<Self> {
        let plain = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(truth) => Some(truth.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        Some(match value {
            Value::Array(items) => Self::List(items.iter().map(plain).collect::<Option<_>>()?),
            Value::Object(members) => {
                let members = members.iter().map(|(name, value)| Some((name.clone(), plain(value)?)));
                Self::Members(members.collect::<Option<_>>()?)
            }
            other => Self::One(plain(other)?),
        })
    }
}

/// The pairs of a query, or the one text of another place. `None`: the specification does not define the combination.
pub(super) fn write(name: &str, style: Style, explode: bool, shape: &Shape) -> Option<Vec<Vec<Byte>>> {
    use Shape::{List, Members, One};
    let text = |text: &str| text.bytes().map(Byte::Text).collect::<Vec<_>>();
    let pair = |name: &str, mark: &str, value: &str| [text(name), marks(mark), text(value)].concat();
    // `pipes` of Swagger 2.0 can be in a path, where no name stands before the values.
    let named = |value: Vec<Byte>| match name {
        "" => vec![value],
        name => vec![[text(name), marks("="), value].concat()],
    };
    // `a`, `b` · `k`, `v` · `k=v`
    let parts = |explode: bool| match shape {
        One(value) => vec![text(value)],
        List(items) => items.iter().map(|item| text(item)).collect(),
        Members(members) if explode => members.iter().map(|(name, value)| pair(name, "=", value)).collect(),
        Members(members) => members.iter().flat_map(|(name, value)| [text(name), text(value)]).collect(),
    };
    Some(match (style, shape, explode) {
        (Style::Simple, ..) => vec![parts(explode).join(&Byte::Mark(b','))],
        (Style::Label, _, true) => vec![parts(true).into_iter().flat_map(|part| [marks("."), part].concat()).collect()],
        (Style::Label, _, false) => vec![[marks("."), parts(false).join(&Byte::Mark(b','))].concat()],
        (Style::Matrix, One(value), _) if value.is_empty() => vec![[marks(";"), text(name)].concat()],
        (Style::Matrix, List(items), true) => {
            vec![items.iter().flat_map(|item| [marks(";"), pair(name, "=", item)].concat()).collect()]
        }
        (Style::Matrix, Members(_), true) => {
            vec![parts(true).into_iter().flat_map(|part| [marks(";"), part].concat()).collect()]
        }
        (Style::Matrix, ..) => {
            vec![[marks(";"), text(name), marks("="), parts(false).join(&Byte::Mark(b','))].concat()]
        }
        (Style::Form, Members(_), true) => parts(true),
        (Style::Form, List(items), true) => items.iter().map(|item| pair(name, "=", item)).collect(),
        (Style::Form, One(value), _) => vec![pair(name, "=", value)],
        (Style::Form, ..) => named(parts(false).join(&Byte::Mark(b','))),
        // The specification has no rule for them with `explode`; every tool repeats the name, as the style `form` does.
        (Style::Space | Style::Pipe | Style::Tab, List(items), true) => {
            items.iter().map(|item| pair(name, "=", item)).collect()
        }
        (Style::Space | Style::Pipe | Style::Tab, List(_) | Members(_), false) => {
            named(parts(false).join(&Byte::Mark(match style {
                Style::Space => b' ',
                Style::Pipe => b'|',
                _ => b'\t',
            })))
        }
        (Style::DeepObject, Members(members), _) => {
            let member = |(key, value): &(String, String)| {
                [text(name), marks("["), text(key), marks("]="), text(value)].concat()
            };
            members.iter().map(member).collect()
        }
        (Style::Space | Style::Pipe | Style::Tab | Style::DeepObject, ..) => return None,
    })
}

/// The bytes of a text of its own, such as a literal of the path.
pub(super) fn plain(text: &str) -> Vec<Byte> {
    text.bytes().map(Byte::Text).collect()
}

/// The bytes of a text that has no meaning but itself, and can be sent raw.
pub(super) fn marks(text: &str) -> Vec<Byte> {
    text.bytes().map(Byte::Mark).collect()
}

/// Returns whether a client sent these bytes.
pub(super) fn is_sent(expected: &[Byte], sent: &[u8], part: Part) -> bool {
    let mut rest = sent;
    for byte in expected {
        let Some((first, behind)) = rest.split_first() else { return false };
        let (read, is_raw, after) = match hex(rest) {
            Some(byte) => (byte, false, rest.get(3..).unwrap_or_default()),
            None if *first == b'+' && matches!(part, Part::Query | Part::Reserved) => (b' ', false, behind),
            None => (*first, true, behind),
        };
        let fits = match *byte {
            Byte::Text(byte) => read == byte && (!is_raw || may_be_raw(byte, part)),
            // These are no characters of a URL, so that all clients encode them.
            Byte::Mark(byte @ (b' ' | b'|' | b'\t' | b'[' | b']')) => read == byte,
            Byte::Mark(byte) => read == byte && is_raw,
        };
        if !fits {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// The byte of `%41`.
fn hex(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Returns whether a byte of a value keeps its meaning without an encoding (RFC 3986, sections 3.3 and 3.4).
fn may_be_raw(byte: u8, part: Part) -> bool {
    let others: &[u8] = match part {
        Part::Path => b"!$'()*:@&+",
        Part::Query => b"!$'()*:@/?;",
        Part::Reserved => b":/?[]@!$'()*,;=",
        Part::Cookie => b"!#$%&'()*+-./:<>?@[]^_`{|}~",
    };
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || others.contains(&byte)
}

/// The bytes as a person reads them.
pub(super) fn readable(bytes: &[Byte]) -> String {
    let bytes = bytes.iter().map(|byte| match byte {
        Byte::Text(byte) | Byte::Mark(byte) => *byte,
    });
    String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
}
