//! Writes values in the styles of OpenAPI 3.0.

use std::borrow::Cow;

use super::Style;
use crate::error::{Error, Kind, escape};
use crate::json::{Object, Value};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The encoding of one text for its place.
pub(crate) type Encode = fn(&str) -> String;

/// RFC 3986: all but the unreserved characters.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The characters that `allowReserved` does not encode. `#`, `&`, `+`, `[` and `]` would end or change the query, so
/// they are encoded.
const RESERVED: &AsciiSet = &UNRESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';')
    .remove(b'=');

/// Percent-encodes all but the unreserved characters.
pub(crate) fn strict(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

/// Percent-encodes, except for reserved characters.
pub(crate) fn reserved(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// Percent-encodes characters that are invalid in a path, and keeps existing encodings.
pub(crate) fn path(text: &str) -> Cow<'_, str> {
    const PATH: &AsciiSet =
        &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');
    utf8_percent_encode(text, PATH).into()
}

/// Encodes for `application/x-www-form-urlencoded`.
pub(crate) fn form(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// Returns the text unencoded.
pub(crate) fn plain(text: &str) -> String {
    text.to_owned()
}

/// Returns a value as text: a string as it is, other values as JSON.
pub(crate) fn text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// Returns the `name=value` pairs of a query, a form body or a cookie. Null and empty lists have none.
pub(crate) fn pairs(name: &str, style: Style, value: &Value, encode: Encode) -> Vec<String> {
    let pair = |name: &str, value: &Value| format!("{}={}", encode(name), encode(&text(value)));
    let joined = |items: Vec<String>, delimiter: &str| match items.is_empty() {
        true => Vec::new(),
        false => vec![format!("{}={}", encode(name), items.join(delimiter))],
    };
    match (style, value) {
        (_, Value::Null) => Vec::new(),
        (Style::Json, value) => vec![format!("{}={}", encode(name), encode(&value.to_string()))],
        (Style::Deep, Value::Object(members)) => {
            let mut out = Vec::new();
            members.iter().for_each(|(member, value)| deep(&format!("{name}[{member}]"), value, encode, &mut out));
            out
        }
        (Style::Space | Style::Pipe | Style::Tab | Style::FormUnexploded, Value::Array(_) | Value::Object(_)) => {
            joined(flat(value, encode), &separator(style, encode))
        }
        (_, Value::Array(items)) => present(items).map(|item| pair(name, item)).collect(),
        (_, Value::Object(members)) => members
            .iter()
            .flat_map(|(member, value)| match value {
                Value::Null => Vec::new(),
                Value::Array(items) => present(items).map(|item| pair(member, item)).collect(),
                value => vec![pair(member, value)],
            })
            .collect(),
        (_, value) => vec![pair(name, value)],
    }
}

/// Returns the pairs of a query parameter in the default style.
pub(crate) fn query_pairs(name: &str, value: &Value) -> Vec<String> {
    pairs(name, Style::Form, value, strict)
}

/// Returns the pairs of a query parameter, decoded: names and values, for forms without encoding.
pub(crate) fn entries(name: &str, style: Style, value: &Value) -> Vec<(String, String)> {
    let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let split = |pair: &String| pair.split_once('=').map(|(name, value)| (decode(name), decode(value)));
    pairs(name, style, value, strict).iter().filter_map(split).collect()
}

/// Returns the separator of list items. A comma is not encoded: those within the items are.
fn separator(style: Style, encode: Encode) -> String {
    match style {
        Style::Space => encode(" "),
        Style::Pipe => encode("|"),
        Style::Tab => encode("\t"),
        _ => ",".to_owned(),
    }
}

/// `name[a][b]=v`. Arrays repeat their name.
fn deep(name: &str, value: &Value, encode: Encode, out: &mut Vec<String>) {
    match value {
        Value::Null => {}
        Value::Object(members) => {
            members.iter().for_each(|(member, value)| deep(&format!("{name}[{member}]"), value, encode, out));
        }
        Value::Array(items) => present(items).for_each(|item| deep(name, item, encode, out)),
        value => out.push(format!("{}={}", encode(name), encode(&text(value)))),
    }
}

/// Returns a path or header parameter: `None` for null and for an empty list.
pub(crate) fn expand(name: &str, style: Style, value: &Value, encode: Encode) -> Option<String> {
    let (prefix, delimiter, named, explode) = match style {
        Style::Label => (".", ",", false, false),
        Style::LabelExploded => (".", ".", false, true),
        Style::Matrix => (";", ",", true, false),
        Style::MatrixExploded => (";", ";", true, true),
        Style::SimpleExploded => ("", ",", false, true),
        _ => ("", ",", false, false),
    };
    let body = match value {
        Value::Null => return None,
        _ if style == Style::Json => encode(&value.to_string()),
        Value::Array(items) if items.is_empty() => return None,
        Value::Object(members) if members.is_empty() => return None,
        Value::Array(items) if named && explode => {
            let items: Vec<_> =
                present(items).map(|item| format!("{}={}", encode(name), encode(&text(item)))).collect();
            return Some(format!("{prefix}{}", items.join(delimiter)));
        }
        Value::Object(members) if explode => {
            let members: Vec<_> =
                set(members).map(|(member, value)| format!("{}={}", encode(member), encode(&text(value)))).collect();
            return Some(format!("{prefix}{}", members.join(delimiter)));
        }
        Value::Array(_) | Value::Object(_) if matches!(style, Style::Space | Style::Pipe | Style::Tab) => {
            flat(value, encode).join(&separator(style, encode))
        }
        Value::Array(_) | Value::Object(_) => flat(value, encode).join(delimiter),
        value => encode(&text(value)),
    };
    Some(if named { format!("{prefix}{}={body}", encode(name)) } else { format!("{prefix}{body}") })
}

/// Checks that the items of a list can be parsed again: none of them contains the separator.
///
/// # Errors
///
/// An item contains it: the service would read other items.
pub(crate) fn check(name: &str, style: Style, value: &Value, encode: Encode) -> Result<(), Error> {
    let is_list = match value {
        Value::Array(_) => !matches!(style, Style::Form | Style::Deep | Style::Json),
        Value::Object(_) => {
            matches!(
                style,
                Style::Space | Style::Pipe | Style::Tab | Style::FormUnexploded | Style::Simple | Style::Label
            )
        }
        _ => false,
    };
    let delimiter = match style {
        Style::LabelExploded => ".".to_owned(),
        Style::MatrixExploded => ";".to_owned(),
        style => separator(style, encode),
    };
    let holds = |piece: Cow<'_, str>| encode(&piece).contains(&delimiter);
    if !is_list || !pieces(value).into_iter().any(holds) {
        return Ok(());
    }
    let delimiter = percent_decode_str(&delimiter).decode_utf8_lossy().replace('+', " ");
    let message = format!("an item of `{}` contains {delimiter:?}, which separates the items", escape(name));
    Err(Error::with(Kind::Request, message)
        .hint("nothing was sent: the service would read other items; it takes no such item in this style"))
}

/// Returns the scalars in a path parameter, for the rules of paths.
pub(crate) fn pieces(value: &Value) -> Vec<Cow<'_, str>> {
    match value {
        Value::Array(items) => present(items).map(text).collect(),
        Value::Object(members) => {
            set(members).flat_map(|(member, value)| [Cow::Borrowed(member), text(value)]).collect()
        }
        value => vec![text(value)],
    }
}

/// `a,b` and `k,v,l,w`.
fn flat(value: &Value, encode: Encode) -> Vec<String> {
    pieces(value).iter().map(|piece| encode(piece)).collect()
}

fn present(items: &[Value]) -> impl Iterator<Item = &Value> {
    items.iter().filter(|item| !item.is_null())
}

fn set(members: &Object) -> impl Iterator<Item = (&str, &Value)> {
    members.iter().filter(|(_, value)| !value.is_null())
}
