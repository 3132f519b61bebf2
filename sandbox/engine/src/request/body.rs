//! Bodies, by their media types.

use std::collections::HashSet;

use bytes::Bytes;
use indexmap::IndexMap;
use serde_json::Value;

use super::media::{essence, fit, is_json, line_start};
use super::multipart::{FormPart, parts as multipart_parts};
use super::query::{Pair, decode, pairs, steps};
use super::{File, Read, Refusal, RequestParts, style, violation, within};
use crate::contract::{Content, Operation, SchemaRef, Style};
use crate::schema::{Direction, Form, Kinds, Schemas, Text, Violation};
use crate::state::MOST_MEDIA_TYPE;

pub(super) const URLENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";
const BODY: &str = "body";

/// Values of one body.
const MOST_VALUES: usize = 500_000;

pub(super) fn read(
    operation: &Operation,
    schemas: &Schemas,
    parts: &RequestParts<'_>,
    read: &mut Read,
    violations: &mut Vec<Violation>,
) -> Result<(), Refusal> {
    let content_type =
        parts.headers.get(http::header::CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let media_type = content_type.as_deref().unwrap_or_default();
    let Some(body) = operation.body.as_ref().filter(|body| !body.content.is_empty()) else {
        // The contract describes no body: JSON is read as it is.
        read.body = is_json(&essence(media_type)).then(|| serde_json::from_slice(parts.body).ok()).flatten();
        return Ok(());
    };
    let actual = essence(media_type);
    if media_type.len() > MOST_MEDIA_TYPE {
        violations.push(violation("header.Content-Type", "is longer than 1,024 bytes"));
        return Ok(());
    }
    let is_declared = || body.content.iter().any(|content| fit(&content.media_type, media_type).is_some());
    let is_value = is_json(&actual) || actual == URLENCODED || actual == MULTIPART;
    if !is_value && is_declared() {
        read.raw = Some(Bytes::copy_from_slice(parts.body));
    }
    if parts.body.is_empty() {
        let is_text = |content: &Content| is_text(&essence(&content.media_type));
        let is_form = essence(media_type) == URLENCODED;
        let is_file = body.content.iter().any(|content| is_file(content, media_type));
        if body.required && !is_form && !is_file && !body.content.iter().any(is_text) {
            violations.push(violation(BODY, "is required"));
        }
        if !(body.required && (is_form || is_file)) {
            return Ok(());
        }
    }
    let declared = body.content.iter().filter_map(|content| Some((fit(&content.media_type, media_type)?, content)));
    let Some((_, content)) = declared.reduce(|best, next| if next.0 > best.0 { next } else { best }) else {
        return Err(Refusal::Unsupported {
            media_type: essence(media_type).chars().take(100).collect(),
            allowed: body.content.iter().map(|content| content.media_type.clone()).collect(),
        });
    };
    let form = FormReader { schemas, content };
    let value = match essence(media_type).as_str() {
        json if is_json(json) => from_json(parts.body).map(Some),
        lines if content.is_sequence && line_start(lines).is_some() => from_lines(parts.body).map(Some),
        URLENCODED => form.urlencoded(parts.body).map(Some),
        MULTIPART => form.multipart(media_type, parts.body, &mut read.files).map(Some),
        text if is_text(text) && !text.ends_with("/xml") => form.text(parts.body).map(Some),
        other => {
            let media_type = other.to_owned();
            read.files.push(File { field: String::new(), file_name: None, media_type, bytes: parts.body.to_vec() });
            Ok(None)
        }
    };
    match value {
        Ok(Some(value)) => {
            if let Some(schema) = &content.schema {
                violations.extend(within(BODY, schemas.violations(schema, &value, Direction::Request)));
            }
            read.body = Some(value);
        }
        Ok(None) => {}
        Err(message) => violations.push(violation(BODY, message)),
    }
    Ok(())
}

/// Plain text can be empty. `text/json` is JSON.
fn is_text(essence: &str) -> bool {
    essence.starts_with("text/") && !is_json(essence)
}

/// Returns whether a request with this media type has a file as its body, which can be empty.
fn is_file(content: &Content, media_type: &str) -> bool {
    let actual = essence(media_type);
    let is_other = !is_json(&actual) && !is_text(&actual) && actual != URLENCODED && actual != MULTIPART;
    is_other && fit(&content.media_type, media_type).is_some()
}

fn from_json(body: &[u8]) -> Result<Value, String> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if has_too_many_values(body) {
        return Err(format!("has more than {MOST_VALUES} values, the limit of the sandbox"));
    }
    serde_json::from_slice(body).map_err(|error| format!("is not JSON: {error}"))
}

/// The items of a stream, each on a line of its own.
fn from_lines(body: &[u8]) -> Result<Value, String> {
    if has_too_many_values(body) || body.iter().filter(|byte| **byte == b'\n').count() > MOST_VALUES {
        return Err(format!("has more than {MOST_VALUES} values, the limit of the sandbox"));
    }
    let lines = body.split(|byte| *byte == b'\n').map(|line| line.strip_prefix(b"\x1e").unwrap_or(line));
    let lines = (1..).zip(lines).filter(|(_, line)| !line.trim_ascii().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_slice(line).map_err(|error| format!("has no JSON in line {number}: {error}"))
        })
        .collect::<Result<_, _>>()
        .map(Value::Array)
}

/// Counts the commas outside of texts: the values of a few megabytes would take gigabytes.
fn has_too_many_values(body: &[u8]) -> bool {
    if body.len() <= MOST_VALUES {
        return false;
    }
    let (mut count, mut in_text, mut is_escaped) = (0, false, false);
    for byte in body {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_text,
            b'"' => in_text = !in_text,
            b',' if !in_text => count += 1,
            _ => {}
        }
    }
    count >= MOST_VALUES
}

struct FormReader<'c> {
    schemas: &'c Schemas,
    content: &'c Content,
}

impl FormReader<'_> {
    /// The object of text, by the schema. Without a schema, members stay text.
    fn coerce(&self, members: IndexMap<String, Text>) -> Value {
        let anything = SchemaRef::Inline(std::sync::Arc::new(Value::Bool(true)));
        self.schemas.coerce(self.content.schema.as_ref().unwrap_or(&anything), &Text::Members(members))
    }

    fn member(&self, name: &str) -> (Form, Kinds) {
        self.content.schema.as_ref().map_or((Form::One, Kinds::ANY), |schema| self.schemas.member_form(schema, name))
    }

    fn urlencoded(&self, body: &[u8]) -> Result<Value, String> {
        let text = std::str::from_utf8(body).map_err(|_| "is not UTF-8".to_owned())?;
        let declared: HashSet<String> =
            self.content.schema.iter().flat_map(|schema| self.schemas.members(schema)).collect();
        // The pairs of each member, and whether the first one is a part of it.
        let mut groups: IndexMap<String, (bool, Vec<Pair<'_>>)> = IndexMap::new();
        for pair in pairs(text) {
            // `filter[name]` is a part of `filter`, unless a member has this name.
            let nested = steps(&pair.name).filter(|_| !declared.contains(&pair.name));
            let name = nested.as_ref().and_then(|steps| steps.first().copied()).unwrap_or(&pair.name).to_owned();
            let is_nested = nested.is_some();
            groups.entry(name).or_insert_with(|| (is_nested, Vec::new())).1.push(pair);
        }
        let members = groups.into_iter().filter_map(|(name, (is_nested, pairs))| {
            let text = self.field(&name, &pairs, is_nested)?;
            Some((name, text))
        });
        Ok(self.coerce(members.collect()))
    }

    fn field(&self, name: &str, pairs: &[Pair<'_>], is_nested: bool) -> Option<Text> {
        if is_nested {
            return style::tree(name, pairs);
        }
        let (form, kinds) = self.member(name);
        // A list fits no schema of a single number, so that several values are refused, as for parameters.
        if form == Form::One && pairs.len() > 1 && !kinds.has(Kinds::STRING) {
            return Some(Text::List(pairs.iter().map(|pair| Text::One(decode(pair.raw))).collect()));
        }
        let encoding = self.content.encoding.get(name);
        let style = encoding.and_then(|encoding| encoding.style).unwrap_or(Style::Form);
        let explode = encoding.and_then(|encoding| encoding.explode).unwrap_or(style == Style::Form);
        // An object is one value of the form: JSON, or `R,100,G,200`.
        let text = style::query(name, pairs, style, explode && form != Form::Members, form, &[])?;
        if form == Form::Members
            && let Some(Text::One(text)) = style::query(name, pairs, style, false, Form::One, &[])
            && let Ok(value @ Value::Object(_)) = serde_json::from_str(&text)
        {
            return Some(Text::Read(value));
        }
        Some(text)
    }

    fn multipart(&self, content_type: &str, body: &[u8], files: &mut Vec<File>) -> Result<Value, String> {
        let mut members: IndexMap<String, Text> = IndexMap::new();
        for part in multipart_parts(content_type, body).map_err(str::to_owned)? {
            let name = part.name.strip_suffix("[]").unwrap_or(&part.name).to_owned();
            let (form, kinds) = self.member(&name);
            if part.media_type.as_ref().is_some_and(|media_type| media_type.len() > MOST_MEDIA_TYPE) {
                return Err("has a part whose media type is longer than 1,024 bytes".to_owned());
            }
            let text = self.part(&part, form, kinds, files);
            match members.get_mut(&name) {
                Some(Text::List(list)) if form == Form::List => list.push(text),
                Some(first) => {
                    let first_text = std::mem::replace(first, Text::List(Vec::new()));
                    *first = Text::List(vec![first_text, text]);
                }
                // A part with a list as JSON is the list.
                None if form == Form::List && !matches!(text, Text::Read(Value::Array(_))) => {
                    members.insert(name, Text::List(vec![text]));
                }
                None => {
                    members.insert(name, text);
                }
            }
        }
        Ok(self.coerce(members))
    }

    fn part(&self, part: &FormPart<'_>, form: Form, kinds: Kinds, files: &mut Vec<File>) -> Text {
        let declared = self.content.encoding.get(&part.name).and_then(|encoding| encoding.media_type.as_deref());
        let media_type = essence(part.media_type.as_deref().or(declared).unwrap_or("text/plain"));
        if (is_json(&media_type) || (part.file_name.is_none() && form == Form::Members))
            && let Ok(value) = from_json(part.bytes)
            // Some clients name a file for each part. An object is a value where the contract has one; the rest are files.
            && (part.file_name.is_none() || (value.is_object() && kinds.has(Kinds::OBJECT)))
        {
            return Text::Read(value);
        }
        let text = std::str::from_utf8(part.bytes).ok();
        match text.filter(|_| part.file_name.is_none() && media_type.starts_with("text/")) {
            Some(text) if form == Form::List && kinds.has(Kinds::ARRAY) => {
                // Lists are written as JSON by some clients.
                match serde_json::from_str(text) {
                    Ok(value @ Value::Array(_)) => Text::Read(value),
                    _ => Text::One(text.to_owned()),
                }
            }
            Some(text) => Text::One(text.to_owned()),
            None => {
                let name = part.file_name.clone().filter(|name| !name.is_empty());
                files.push(File {
                    field: part.name.clone(),
                    file_name: part.file_name.clone(),
                    media_type: part.media_type.clone().unwrap_or_else(|| "application/octet-stream".to_owned()),
                    bytes: part.bytes.to_vec(),
                });
                Text::Read(Value::String(name.unwrap_or_else(|| "file".to_owned())))
            }
        }
    }

    /// Plain text, or JSON if the schema allows no text.
    fn text(&self, body: &[u8]) -> Result<Value, String> {
        let text = std::str::from_utf8(body).map_err(|_| "is not UTF-8".to_owned())?;
        let Some(schema) = &self.content.schema else { return Ok(Value::String(text.to_owned())) };
        if !self.schemas.kinds(schema).has(Kinds::STRING)
            && let Ok(value) = serde_json::from_str(text)
        {
            return Ok(value);
        }
        Ok(self.schemas.coerce(schema, &Text::One(text.to_owned())))
    }
}
