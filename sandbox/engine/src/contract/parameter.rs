//! Parameters of all dialects.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Dialect, Location, Parameter, SchemaRef, Segment, SegmentPart, Style, escape, resolve};

/// Headers that the specification takes out of the parameters: they follow from media types and security.
const IGNORED: [&str; 3] = ["accept", "content-type", "authorization"];

/// The parameters of an operation; of Swagger 2.0 the pointers of the form fields and of the body, too.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    pub(super) parameters: Vec<Parameter>,
    pub(super) fields: Vec<String>,
    pub(super) body: Option<String>,
}

/// Reads the parameters of the owners, of which the last one wins. The segments get the names of the declared parameters, which
/// can differ in case.
pub(super) fn parameters(document: &Value, dialect: Dialect, owners: &[&str], segments: &mut [Segment]) -> Parameters {
    let mut read = Parameters::default();
    for owner in owners {
        let count = document.pointer(owner).and_then(|owner| owner.get("parameters")?.as_array()).map_or(0, Vec::len);
        for index in 0..count {
            let Some((pointer, value)) = resolve(document, &format!("{owner}/parameters/{index}")) else { continue };
            match value.get("in").and_then(Value::as_str) {
                Some("body") => read.body = Some(pointer),
                Some("formData") => {
                    read.fields.retain(|field| name(document.pointer(field)) != name(Some(value)));
                    read.fields.push(pointer);
                }
                Some(location) => {
                    let Some(parameter) = parameter(dialect, location, pointer, value) else { continue };
                    read.parameters
                        .retain(|known| known.location != parameter.location || known.name != parameter.name);
                    read.parameters.push(parameter);
                }
                None => {}
            }
        }
    }
    let is_declared = |parameter: &Parameter| parameter.location == Location::Path;
    let mut in_path: Vec<Parameter> = read.parameters.extract_if(.., |parameter| is_declared(parameter)).collect();
    for part in segments.iter_mut().flat_map(|segment| segment.parts.iter_mut()) {
        let (SegmentPart::Parameter(name) | SegmentPart::Rest(name)) = part else { continue };
        let exact = in_path.iter().position(|parameter| parameter.name == *name);
        let index = exact.or_else(|| in_path.iter().position(|parameter| is_same(&parameter.name, name)));
        let declared = index.map(|index| in_path.swap_remove(index)).unwrap_or_else(|| undeclared(name));
        name.clone_from(&declared.name);
        read.parameters.push(declared);
    }
    read
}

fn name(value: Option<&Value>) -> Option<&str> {
    value?.get("name")?.as_str()
}

/// Returns whether a declared name stands for the name in a template: without regard to case, constraint and prefix.
fn is_same(declared: &str, name: &str) -> bool {
    let plain = |text: &str| {
        let text = text.trim_start_matches(['+', '*']);
        text.split([':', '?', '=']).next().unwrap_or_default().to_ascii_lowercase()
    };
    plain(declared) == plain(name)
}

fn undeclared(name: &str) -> Parameter {
    Parameter {
        name: name.to_owned(),
        location: Location::Path,
        style: Style::Simple,
        explode: false,
        required: true,
        allow_empty: false,
        media_type: None,
        schema: SchemaRef::Inline(Arc::new(json!({ "type": "string" }))),
        pointer: String::new(),
    }
}

fn parameter(dialect: Dialect, location: &str, pointer: String, value: &Value) -> Option<Parameter> {
    let name = value.get("name")?.as_str()?.to_owned();
    let location = match location {
        "path" => Location::Path,
        "query" => Location::Query,
        "header" if IGNORED.contains(&name.to_ascii_lowercase().as_str()) => return None,
        "header" => Location::Header,
        "cookie" => Location::Cookie,
        "querystring" => Location::QueryString,
        _ => return None,
    };
    let flag = |key: &str| value.get(key).and_then(Value::as_bool);
    let content = value.get("content").and_then(Value::as_object).and_then(|content| content.keys().next());
    let (style, explode) = match dialect {
        Dialect::Swagger20 => collection(location, value.get("collectionFormat").and_then(Value::as_str)),
        _ => {
            let style = value.get("style").and_then(Value::as_str).and_then(style).unwrap_or(default_style(location));
            (style, flag("explode").unwrap_or(style == Style::Form))
        }
    };
    let schema = match (dialect, content) {
        (Dialect::Swagger20, _) => SchemaRef::pointer(&pointer),
        (_, Some(media_type)) => {
            let declared = value.get("content").and_then(|content| content.get(media_type)?.get("schema"));
            schema_at(declared, &format!("{pointer}/content/{}", escape(media_type)))
        }
        (_, None) => schema_at(value.get("schema"), &pointer),
    };
    Some(Parameter {
        required: location == Location::Path || flag("required") == Some(true),
        allow_empty: flag("allowEmptyValue") == Some(true),
        media_type: content.filter(|_| dialect != Dialect::Swagger20).cloned(),
        name,
        location,
        style,
        explode,
        schema,
        pointer,
    })
}

/// The member `schema` of the value at a pointer, or a schema that allows everything.
fn schema_at(declared: Option<&Value>, pointer: &str) -> SchemaRef {
    match declared {
        Some(_) => SchemaRef::pointer(format!("{pointer}/schema")),
        None => SchemaRef::Inline(Arc::new(json!({}))),
    }
}

fn default_style(location: Location) -> Style {
    match location {
        Location::Path | Location::Header => Style::Simple,
        Location::Query | Location::Cookie | Location::QueryString => Style::Form,
    }
}

/// A style of OpenAPI 3 by its name.
pub(super) fn style(name: &str) -> Option<Style> {
    Some(match name {
        "form" => Style::Form,
        "simple" => Style::Simple,
        "label" => Style::Label,
        "matrix" => Style::Matrix,
        "spaceDelimited" => Style::Space,
        "pipeDelimited" => Style::Pipe,
        "deepObject" => Style::DeepObject,
        _ => return None,
    })
}

/// The style and explode for a `collectionFormat`.
pub(super) fn collection(location: Location, format: Option<&str>) -> (Style, bool) {
    match format {
        Some("multi") => (Style::Form, true),
        Some("ssv") => (Style::Space, false),
        Some("tsv") => (Style::Tab, false),
        Some("pipes") => (Style::Pipe, false),
        _ => (default_style(location), false),
    }
}
