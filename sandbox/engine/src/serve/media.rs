//! Media types: the body of a request, the choice for an answer, and the encoding of values.

pub(crate) use driftless_sandbox_control::media::essence_of as essence;
use serde_json::Value;

use crate::contract::Content;
use crate::infer::{is_json, json};
use crate::request::media::line_start;

/// Returns whether a media type fits a range: `*/*`, `image/*`, `application/*+json`. JSON fits other JSON.
pub(crate) fn fits(media_type: &str, range: &str) -> bool {
    let (media_type, range) = (essence(media_type), essence(range));
    let is_part = |range: &str, part: &str| match range.split_once('*') {
        Some((start, end)) => part.starts_with(start) && part.ends_with(end),
        None => range == part,
    };
    let (Some((one, other)), Some((range_one, range_other))) = (media_type.split_once('/'), range.split_once('/'))
    else {
        return range == "*";
    };
    is_part(range_one, one) && is_part(range_other, other) || is_json(&media_type) && is_json(&range)
}

/// The content for an `Accept`: JSON first, then the order of the contract. `Err` if the client accepts none of it.
pub(crate) fn choose<'c>(content: &'c [Content], accept: Option<&str>) -> Result<Option<&'c Content>, ()> {
    let Some(accept) = accept.filter(|accept| !accept.trim().is_empty()) else { return Ok(json(content)) };
    if content.is_empty() {
        return Ok(None);
    }
    let mut ranges: Vec<(f32, &str)> = accept
        .split(',')
        .map(|range| {
            let weight =
                range.split(';').skip(1).find_map(|parameter| parameter.trim().strip_prefix("q=")?.parse().ok());
            (weight.unwrap_or(1.0), range)
        })
        .filter(|(weight, _)| *weight > 0.0)
        .collect();
    ranges.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (_, range) in ranges {
        let exact = content.iter().find(|content| essence(&content.media_type) == essence(range));
        let preferred = json(content).filter(|content| fits(&content.media_type, range));
        let any =
            || content.iter().find(|content| fits(&content.media_type, range) || fits(range, &content.media_type));
        if let Some(content) = exact.or(preferred).or_else(any) {
            return Ok(Some(content));
        }
    }
    Err(())
}

/// The name of a media type in an answer: a range becomes a type.
pub(crate) fn concrete(media_type: &str) -> String {
    match essence(media_type).as_str() {
        "*/*" | "application/*" => "application/json".to_owned(),
        "text/*" => "text/plain".to_owned(),
        "image/*" => "image/png".to_owned(),
        range if range.contains('*') => "application/octet-stream".to_owned(),
        _ => media_type.to_owned(),
    }
}

pub(crate) fn encode(media_type: &str, value: &Value, name: &str) -> Vec<u8> {
    let essence = essence(media_type);
    match value {
        _ if is_json(&essence) => value.to_string().into_bytes(),
        _ if essence == "text/event-stream" => format!("data: {value}\n\n").into_bytes(),
        _ if essence.ends_with("xml") => {
            let mut text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>".to_owned();
            xml(&mut text, name, value);
            text.into_bytes()
        }
        _ if essence == "application/x-www-form-urlencoded" => {
            let pairs = value.as_object().into_iter().flatten();
            let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let pairs = pairs.map(|(name, value)| (name.as_str(), text(value)));
            form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish().into_bytes()
        }
        Value::String(text) => text.clone().into_bytes(),
        Value::Null => Vec::new(),
        value => value.to_string().into_bytes(),
    }
}

/// The items of a stream. Those of server-sent events are objects of their fields, or the data.
pub(crate) fn encode_items(media_type: &str, value: &Value, name: &str) -> Vec<u8> {
    let essence = essence(media_type);
    let Some(items) = value.as_array() else { return encode(media_type, value, name) };
    let event = |item: &Value| {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let field = |name: &str| {
            let value = text(item.get(name)?).replace(['\r', '\n', '\0'], " ");
            Some(format!("{name}: {value}\n"))
        };
        let fields: String = ["event", "id", "retry"].into_iter().filter_map(field).collect();
        let data = match item.get("data") {
            Some(data) => text(data),
            None if fields.is_empty() => item.to_string(),
            None => return format!("{fields}\n"),
        };
        let lines: String =
            data.replace("\r\n", "\n").split(['\r', '\n']).map(|line| format!("data: {line}\n")).collect();
        format!("{fields}{lines}\n")
    };
    match (essence.as_str(), line_start(&essence)) {
        ("text/event-stream", _) => items.iter().map(event).collect::<String>().into_bytes(),
        (_, Some(start)) => items.iter().map(|item| format!("{start}{item}\n")).collect::<String>().into_bytes(),
        _ => encode(media_type, value, name),
    }
}

/// A value as XML: members are elements; the elements of an array repeat its name.
fn xml(text: &mut String, name: &str, value: &Value) {
    let is_name = |letter: char| letter.is_alphanumeric() || "_-.".contains(letter);
    let mut name: String = name.chars().map(|letter| if is_name(letter) { letter } else { '_' }).collect();
    if !name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') {
        name.insert(0, '_');
    }
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| xml(text, &name, element)),
        Value::Null => text.push_str(&format!("<{name}/>")),
        Value::Object(members) => {
            text.push_str(&format!("<{name}>"));
            members.iter().for_each(|(member, value)| xml(text, member, value));
            text.push_str(&format!("</{name}>"));
        }
        value => {
            let content = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            // XML 1.0 has no form for other control characters.
            let content = content.replace(|letter: char| letter.is_control() && !"\t\n\r".contains(letter), "\u{fffd}");
            let content = content.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            text.push_str(&format!("<{name}>{content}</{name}>"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{encode, encode_items, fits};

    #[test]
    fn xml_has_no_character_that_it_forbids() {
        let body = String::from_utf8(encode("application/xml", &json!({ "a": "<\u{1}\t&" }), "pet")).unwrap();
        assert!(body.ends_with("<pet><a>&lt;\u{fffd}\t&amp;</a></pet>"), "{body}");
    }

    #[test]
    fn ranges_and_suffixes_fit() {
        for (media_type, range, expected) in [
            ("application/json; charset=utf-8", "application/json", true),
            ("application/json", "*/*", true),
            ("image/png", "image/*", true),
            ("text/csv", "application/*", false),
            ("application/vnd.a+json", "application/json", true),
            ("application/xml", "application/json", false),
        ] {
            assert_eq!(fits(media_type, range), expected, "{media_type} {range}");
        }
    }

    #[test]
    fn items_of_a_stream_are_lines_and_events() {
        let items = json!([{ "event": "a\nb", "data": "c\r\nd\re\n\nf", "retry": 5 }, { "x": 1 }, { "id": "7" }]);
        let text = |media_type| String::from_utf8(encode_items(media_type, &items, "")).unwrap();
        let [first, second, third] =
            ["{\"event\":\"a\\nb\",\"data\":\"c\\r\\nd\\re\\n\\nf\",\"retry\":5}", "{\"x\":1}", "{\"id\":\"7\"}"];
        assert_eq!(text("application/jsonl; charset=utf-8"), format!("{first}\n{second}\n{third}\n"));
        assert_eq!(text("application/json-seq"), format!("\u{1e}{first}\n\u{1e}{second}\n\u{1e}{third}\n"));
        let events = "event: a b\nretry: 5\ndata: c\ndata: d\ndata: e\ndata: \ndata: f\n\ndata: {\"x\":1}\n\nid: 7\n\n";
        assert_eq!(text("text/event-stream"), events);
    }

    #[test]
    fn values_are_encoded_by_their_media_type() {
        let value = json!({ "a b": [1, "<"], "c": null });
        let text = |media_type| String::from_utf8(encode(media_type, &value, "root")).unwrap();
        assert!(text("application/xml").ends_with("<root><a_b>1</a_b><a_b>&lt;</a_b><c/></root>"));
        assert_eq!(text("application/hal+json"), r#"{"a b":[1,"<"],"c":null}"#);
    }
}
