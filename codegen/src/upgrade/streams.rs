//! `itemSchema` (OpenAPI 3.2): the schema of each item of a stream.

use serde_json::{Map, Value};

use super::journal::Journal;
use crate::pointer;

const PASS: &str = "upgrade/streams";
/// Marks a media type whose schema describes one item of a stream.
const MARK: &str = "x-item-schema";

/// Turns `itemSchema` into a marked schema, and drops the encodings that only streams have.
pub(super) fn convert(media_type: &mut Value, pointer: &str, journal: &mut Journal<'_>) {
    let Value::Object(media_type) = media_type else { return };
    for key in ["itemEncoding", "prefixEncoding"] {
        if media_type.remove(key).is_some() {
            let lost = "how the parts of a multipart stream are encoded";
            journal.prose(PASS, &pointer::join(pointer, key), format!("dropped `{key}`"), lost);
        }
    }
    let Some(item) = media_type.remove("itemSchema") else { return };
    let from = pointer::join(pointer, "itemSchema");
    if media_type.get("schema").is_some_and(|schema| schema.as_object().is_none_or(|schema| !schema.is_empty())) {
        journal.prose(PASS, &from, "dropped `itemSchema` beside a schema of the whole body", "the items of the stream");
        return;
    }
    let item = if item.is_object() { item } else { Value::Object(Map::new()) };
    journal.same(PASS, &from, format!("moved `itemSchema` to `schema`, marked by `{MARK}`"));
    journal.origins.moved(&from, &pointer::join(pointer, "schema"));
    media_type.insert("schema".to_owned(), item);
    media_type.insert(MARK.to_owned(), Value::Bool(true));
}
