//! Fills a path template, and refuses values that would lead out of it.

use percent_encoding::percent_decode_str;

use super::{Parameter, style};
use crate::error::{Error, Kind};
use crate::json::Value;

/// Returns the path with its parameters. `value` returns the value of a parameter by its name.
pub(crate) fn fill<'v>(
    template: &str,
    value: impl Fn(&str) -> Option<(&'v Parameter, &'v Value)>,
) -> Result<String, Error> {
    let mut path = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once('{') {
        path.push_str(literal);
        let Some((name, after)) = after.split_once('}') else {
            return Err(Error::with(Kind::Request, format!("the path `{template}` has an open brace")));
        };
        let Some((parameter, value)) = value(name) else {
            return Err(Error::with(Kind::Request, format!("the path parameter `{name}` has no value")));
        };
        path.push_str(&expand(parameter, value)?);
        rest = after;
    }
    path.push_str(rest);
    Ok(path)
}

fn expand(parameter: &Parameter, value: &Value) -> Result<String, Error> {
    let pieces = if matches!(parameter.style, super::Style::Json) {
        vec![value.to_string().into()]
    } else {
        style::pieces(value)
    };
    for piece in &pieces {
        let refusal = if parameter.reserved { piece.split('/').find_map(refuse) } else { refuse(piece) };
        if let Some(rule) = refusal {
            return Err(Error::with(Kind::Request, format!("the path parameter `{}` {rule}", parameter.name))
                .hint("nothing was sent: pass the plain identifier"));
        }
    }
    let encode = if parameter.reserved { style::reserved } else { style::strict };
    style::check(parameter.name, parameter.style, value, encode)?;
    style::expand(parameter.name, parameter.style, value, encode)
        .filter(|text| !text.is_empty())
        .ok_or_else(|| Error::with(Kind::Request, format!("the path parameter `{}` is empty", parameter.name)))
}

/// Returns the rule that a value breaks. A separator is encoded, and so stays within its segment. Dot segments are
/// refused, because servers resolve them, encoded or not; encodings are decoded first, as often as a chain of servers
/// might.
fn refuse(piece: &str) -> Option<&'static str> {
    const ROUNDS: usize = 4;
    let mut text = piece.to_owned();
    for _ in 0..ROUNDS {
        match text.as_str() {
            "" => return Some("is empty"),
            _ if text.split(['/', '\\']).any(|segment| matches!(segment, "." | "..")) => {
                return Some("contains a path segment `.` or `..`");
            }
            _ if text.chars().any(char::is_control) => return Some("contains a control character"),
            _ => {}
        }
        let decoded = percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if decoded == text {
            return None;
        }
        text = decoded;
    }
    Some("is encoded many times over")
}

/// Returns the path with texts for its parameters.
#[cfg(feature = "operations")]
pub(crate) fn fill_texts<'v>(template: &str, value: impl Fn(&str) -> Option<&'v str>) -> Result<String, Error> {
    let mut path = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((literal, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let refusal = |rule: &str| {
            Error::with(Kind::Request, format!("the path parameter `{name}` {rule}")).hint("nothing was sent")
        };
        let text = value(name).ok_or_else(|| refusal("has no value"))?;
        if let Some(rule) = refuse(text) {
            return Err(refusal(rule));
        }
        path.push_str(literal);
        path.push_str(&style::strict(text));
        rest = after;
    }
    path.push_str(rest);
    Ok(path)
}

/// Returns the parameters of an address that a template was filled for. Those that share a segment with other text are
/// left out.
#[cfg(feature = "operations")]
pub(crate) fn parameters_of(
    base: &url::Url,
    template: &str,
    address: &url::Url,
) -> std::collections::BTreeMap<String, String> {
    let path = address.path().strip_prefix(base.path().trim_end_matches('/')).unwrap_or_default();
    let (names, values) = (template.split('/'), path.split('/'));
    if names.clone().count() != values.clone().count() {
        return std::collections::BTreeMap::new();
    }
    names
        .zip(values)
        .filter_map(|(name, value)| {
            let name = name.strip_prefix('{')?.strip_suffix('}')?;
            Some((name.to_owned(), percent_decode_str(value).decode_utf8_lossy().into_owned()))
        })
        .collect()
}
