//! `contentEncoding` and `contentMediaType`, by which OpenAPI 3.1 describes bytes in a string.

use serde_json::Value;

use super::{Journal, Schema, text};
use crate::members::Members as _;

const PASS: &str = "upgrade/binary";

pub(super) fn convert(schema: &mut Schema, pointer: &str, journal: &mut Journal<'_>) {
    let encoding = schema.take_member("contentEncoding");
    let media_type = schema.take_member("contentMediaType");
    if encoding.is_none() && media_type.is_none() {
        return;
    }
    let encoding = encoding.as_ref().and_then(Value::as_str).map(str::to_ascii_lowercase);
    let media_type = media_type.as_ref().and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let format = match encoding.as_deref() {
        Some("base64") => Some("byte"),
        Some("binary") => Some("binary"),
        None if is_bytes(&media_type) => Some("binary"),
        _ => None,
    };
    match format {
        Some(format) if matches!(text(schema, "format"), None | Some("byte" | "binary" | "base64")) => {
            schema.entry("type").or_insert_with(|| Value::from("string"));
            schema.insert("format".to_owned(), Value::from(format));
            journal.same(PASS, pointer, format!("wrote the content of the string as `format: {format}`"));
        }
        _ => {
            let name = [encoding.unwrap_or_default(), media_type].join(" ");
            let what = "dropped the encoding or media type of a string";
            journal.prose(PASS, pointer, what, format!("the content of the text: {}", name.trim()));
        }
    }
}

fn is_bytes(media_type: &str) -> bool {
    let name = media_type.split(';').next().unwrap_or_default().trim();
    let textual = name.starts_with("text/") || name.contains("json") || name.contains("xml") || name.contains("yaml");
    name.contains('/') && !textual
}
