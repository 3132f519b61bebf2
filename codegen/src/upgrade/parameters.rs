//! Parameters of OpenAPI 3.2: the whole query string as one, and the style `cookie`.

use serde_json::{Map, Value};

use super::journal::Journal;
use crate::pointer;

const FORM: &str = "application/x-www-form-urlencoded";

/// Expresses a parameter of OpenAPI 3.2 in terms of 3.0.
pub(super) fn convert(parameter: &mut Value, pointer: &str, journal: &mut Journal<'_>) {
    let Value::Object(parameter) = parameter else { return };
    if parameter.get("style").and_then(Value::as_str) == Some("cookie") {
        parameter.insert("style".to_owned(), Value::from("form"));
        let lost = "values are sent as they are, without percent-encoding";
        journal.prose("upgrade/cookie-style", pointer, "read the style `cookie` as `form`", lost);
    }
    if parameter.get("in").and_then(Value::as_str) == Some("querystring") {
        querystring(parameter, pointer, journal);
    }
}

fn querystring(parameter: &mut Map<String, Value>, pointer: &str, journal: &mut Journal<'_>) {
    const PASS: &str = "upgrade/querystring";
    parameter.insert("in".to_owned(), Value::from("query"));
    parameter.insert("x-querystring".to_owned(), Value::Bool(true));
    let form = parameter.get_mut("content").and_then(|content| content.get_mut(FORM));
    let Some(schema) = form.and_then(|media_type| media_type.get_mut("schema")).map(Value::take) else {
        let why = "only a form can be spread over the query";
        journal.degraded(PASS, pointer, "read the query string as one query parameter", why);
        return;
    };
    // An exploded form is the same on the wire: each property is a parameter of its own.
    journal.same(PASS, pointer, "read the query string as an exploded query parameter");
    let from = pointer::join(&pointer::join(&pointer::join(pointer, "content"), FORM), "schema");
    journal.origins.moved(&from, &pointer::join(pointer, "schema"));
    parameter.remove("content");
    parameter.insert("schema".to_owned(), schema);
    parameter.insert("style".to_owned(), Value::from("form"));
    parameter.insert("explode".to_owned(), Value::Bool(true));
}
