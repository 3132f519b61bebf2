//! Parameters in the path, the query, the headers and the cookies.

use http::HeaderMap;
use serde_json::{Map, Value};

use super::media::{essence, is_json};
use super::query::{Pair, decode, pairs};
use super::{Read, RequestParts, style, violation, within};
use crate::contract::{Location, Operation, Parameter};
use crate::schema::{Direction, Form, Kinds, Schemas, Text, Violation};

pub(super) fn read(
    operation: &Operation,
    schemas: &Schemas,
    parts: &RequestParts<'_>,
    read: &mut Read,
    violations: &mut Vec<Violation>,
) {
    let query = pairs(parts.query);
    for parameter in &operation.parameters {
        let (kind, values): (&str, &mut Map<String, Value>) = match parameter.location {
            Location::Path => ("path", &mut read.path),
            Location::Query | Location::QueryString => ("query", &mut read.query),
            Location::Header => ("header", &mut read.headers),
            Location::Cookie => ("cookie", &mut read.cookies),
        };
        let place = format!("{kind}.{}", parameter.name);
        let raw = Raw { parts, query: &query, parameter };
        match value(schemas, &raw) {
            Ok(Some(value)) => {
                let is_empty = value == Value::String(String::new());
                if !(parameter.allow_empty && is_empty) {
                    let refused = schemas.violations(&parameter.schema, &value, Direction::Request);
                    violations.extend(within(&place, refused));
                }
                values.insert(parameter.name.clone(), value);
            }
            Ok(None) if parameter.required => violations.push(violation(place, "is required")),
            Ok(None) => {}
            Err(message) => violations.push(violation(place, message)),
        }
    }
}

struct Raw<'r> {
    parts: &'r RequestParts<'r>,
    query: &'r [Pair<'r>],
    parameter: &'r Parameter,
}

/// The value of a parameter. `None` if the request does not have it.
fn value(schemas: &Schemas, raw: &Raw<'_>) -> Result<Option<Value>, String> {
    let Parameter { schema, media_type, .. } = raw.parameter;
    if let Some(media_type) = media_type {
        let Some(text) = raw.text() else { return Ok(None) };
        if is_json(&essence(media_type)) {
            return serde_json::from_str(&text).map(Some).map_err(|error| format!("is not JSON: {error}"));
        }
        let pairs = pairs(&text);
        let text = match style::query("", &pairs, crate::contract::Style::Form, true, schemas.form(schema), &[]) {
            Some(text) if essence(media_type) == super::body::URLENCODED => text,
            _ => Text::One(text),
        };
        return Ok(Some(schemas.coerce(schema, &text)));
    }
    let form = schemas.form(schema);
    let count = raw.count();
    // Of several texts, the last is taken: an API key of the query can be declared as a parameter, too, and be sent for both.
    if form == Form::One && count > 1 && !schemas.kinds(schema).has(Kinds::STRING) {
        return Err(format!("is sent {count} times, and its schema allows one value"));
    }
    let Some(text) = raw.split(schemas, form)? else { return Ok(None) };
    let value = schemas.coerce(schema, &text);
    // A schema can allow a list or a single value.
    let has_scalars = schemas.kinds(schema).has(Kinds::STRING.or(Kinds::NUMBER).or(Kinds::BOOLEAN));
    if form != Form::One
        && has_scalars
        && !schemas.violations(schema, &value, Direction::Request).is_empty()
        && let Some(text) = raw.split(schemas, Form::One)?
    {
        return Ok(Some(schemas.coerce(schema, &text)));
    }
    Ok(Some(value))
}

impl Raw<'_> {
    fn split(&self, schemas: &Schemas, form: Form) -> Result<Option<Text>, String> {
        let Parameter { name, location, style, explode, schema, .. } = self.parameter;
        if matches!(location, Location::Query | Location::QueryString) {
            let members = if form == Form::Members { schemas.members(schema) } else { Vec::new() };
            return Ok(style::query(name, self.query, *style, *explode, form, &members));
        }
        let Some(text) = self.text() else { return Ok(None) };
        match style::split(name, &text, *style, *explode, form) {
            Some(text) => Ok(Some(text)),
            None => Err(format!("is not written in the style {style:?}")),
        }
    }

    /// The number of values that a query has under the name.
    fn count(&self) -> usize {
        match self.parameter.location {
            Location::Query => self.query.iter().filter(|pair| pair.name == self.parameter.name).count(),
            _ => 1,
        }
    }

    /// The decoded text.
    fn text(&self) -> Option<String> {
        let Parameter { name, location, .. } = self.parameter;
        match location {
            Location::Path => self.parts.path.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone()),
            Location::Query => self.query.iter().rev().find(|pair| pair.name == *name).map(|pair| decode(pair.raw)),
            Location::QueryString => (!self.parts.query.is_empty()).then(|| self.parts.query.to_owned()),
            Location::Header => header(self.parts.headers, name),
            Location::Cookie => cookie(self.parts.headers, name),
        }
    }
}

/// The values of a header, joined as the specification of HTTP allows it.
fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    let mut values =
        headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned());
    let first = values.next()?;
    Some(values.fold(first, |joined, value| format!("{joined}, {value}")))
}

fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let values = headers.get_all(http::header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let (_, value) = pairs.find(|(other, _)| *other == name)?;
    // A plus sign is itself in a cookie.
    Some(percent_encoding::percent_decode_str(value.trim_matches('"')).decode_utf8_lossy().into_owned())
}
