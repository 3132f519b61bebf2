//! The body of a request: JSON, a form, a text or a file.

use std::collections::BTreeMap;

use serde_json::Value;

use super::bytes::{Part, Shape, marks, plain, readable, write};
use super::case::{Case, best};
use super::relay::Recorded;
use super::request::{Judged, take};
use super::xml::{SAMPLE, is_xml, of_value};
use super::{Verdict, fault, parts, same};
use crate::contract::{Contract, Operation, Style};
use crate::request::media;

pub(super) fn judge(contract: &Contract, operation: &Operation, case: &Case, recorded: &Recorded) -> Judged {
    let (Some(value), Some(media_type)) = (&case.body, &case.media_type) else {
        return match recorded.body.is_empty() {
            true => Ok(()),
            false => Err(fault("body", "Request Body Object", "no body", &String::from_utf8_lossy(&recorded.body))),
        };
    };
    let types: Vec<&str> = recorded.header("content-type").collect();
    let [sent_type] = types.as_slice() else {
        return Err(fault("header content-type", "Request Body Object", media_type, &types.join(" | ")));
    };
    let declared = operation.body.iter().flat_map(|body| &body.content);
    let is_declared = declared.clone().any(|content| media::fit(&content.media_type, sent_type).is_some());
    if !is_declared {
        let declared: Vec<&str> = declared.map(|content| content.media_type.as_str()).collect();
        return Err(fault("header content-type", "Request Body Object", &declared.join(" or "), sent_type));
    }
    let wrong =
        |expected: &str| Err(fault("body", "Media Type Object", expected, &String::from_utf8_lossy(&recorded.body)));
    let essence = media::essence(sent_type);
    if media::is_json(&essence) {
        let Ok(sent) = serde_json::from_slice::<Value>(&recorded.body) else { return wrong(&value.to_string()) };
        return match same::difference(value, &sent) {
            Some((pointer, expected, actual)) => {
                Err(fault(&format!("body {pointer}"), "Media Type Object", &expected, &actual))
            }
            None => Ok(()),
        };
    }
    let content = operation.body.as_ref().and_then(|body| best(&body.content, sent_type));
    if essence == "application/x-www-form-urlencoded" {
        return form(value, content.map(|content| &content.encoding), &recorded.body);
    }
    if essence.starts_with("multipart/") {
        return parts::judge(contract, content, value, sent_type, &recorded.body);
    }
    let schema = content.and_then(|content| content.schema.as_ref());
    if let (true, false, Some(schema)) = (is_xml(&essence), *value == SAMPLE, schema) {
        let undefined = |what: String| Verdict::Limit(format!("the specification does not define its XML: {what}"));
        let expected = of_value(&contract.document, schema, value).map_err(undefined)?;
        return match expected.difference(&recorded.body) {
            Some((at, expected, actual)) => Err(fault(&format!("body {at}"), "XML Object", &expected, &actual)),
            None => Ok(()),
        };
    }
    match value {
        Value::String(text) if text.as_bytes() == recorded.body => Ok(()),
        other => wrong(&other.to_string()),
    }
}

fn form(value: &Value, encodings: Option<&BTreeMap<String, crate::contract::Encoding>>, body: &[u8]) -> Judged {
    let body = String::from_utf8_lossy(body);
    let mut sent: Vec<&str> = body.split('&').filter(|pair| !pair.is_empty()).collect();
    for (name, value) in value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null()) {
        let encoding = encodings.and_then(|encodings| encodings.get(name)).cloned().unwrap_or_default();
        let style = encoding.style.unwrap_or(Style::Form);
        let explode = encoding.explode.unwrap_or(style == Style::Form);
        let shape = Shape::of_value(value);
        // Without a style, a field is written by its media type: JSON for objects and lists of them (OpenAPI 3.1.1, "Encoding Object").
        let is_json = encoding.style.is_none() && (value.is_object() || shape.is_none());
        let pairs = match shape {
            _ if is_json => Some(vec![[plain(name), marks("="), plain(&value.to_string())].concat()]),
            Some(shape) => write(name, style, explode, &shape),
            None => None,
        };
        let mut last = None;
        for pair in
            pairs.ok_or_else(|| Verdict::Limit(format!("the specification does not define how {name:?} is written")))?
        {
            if !take(&mut sent, &pair, Part::Query, &mut last) {
                return Err(fault(&format!("body {name}"), "Encoding Object", &readable(&pair), &body));
            }
        }
    }
    match sent.first() {
        Some(pair) => Err(fault("body", "Encoding Object", "no other field", pair)),
        None => Ok(()),
    }
}
