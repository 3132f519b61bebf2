//! The cases of an operation: its arguments, and the answer to them.

use serde_json::{Map, Value};

use super::bytes::Shape;
use super::{Fault, Offer, Verdict};
use crate::contract::{Contract, Location, Operation, Parameter, Response, SchemaRef, Status, resolve};
use crate::request::media;
use crate::schema::{Direction, Hints, Schemas};

/// One call of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Method, path and name of the case, such as `GET /pets everything`.
    pub id: String,
    /// The parameters to set.
    pub arguments: Vec<Argument>,
    /// The body to send. A text or a file is a string.
    pub body: Option<Value>,
    /// The answer to the request.
    pub answer: Answer,
    /// Position of the operation in the contract.
    pub(super) operation: usize,
    pub(super) media_type: Option<String>,
}

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// `path`, `query`, `header` or `cookie`.
    pub place: String,
    /// The name in the contract.
    pub name: String,
    /// The value.
    pub value: Value,
    /// Position of the parameter in the operation.
    pub(super) parameter: usize,
}

/// An answer of the service.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The kind of its body.
    pub form: BodyForm,
    /// The media type of the body.
    pub media_type: String,
    /// The body, as a value.
    pub value: Value,
}

/// The kind of the body of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyForm {
    /// None.
    Empty,
    /// JSON.
    Json,
    /// Text, or a file.
    Text,
    /// One that the judge does not compare.
    Unknown,
}

impl Answer {
    /// The bytes that a server sends.
    pub fn bytes(&self) -> Vec<u8> {
        let body = match (&self.form, &self.value) {
            (BodyForm::Json, value) => value.to_string(),
            (BodyForm::Text, Value::String(text)) => text.clone(),
            _ => String::new(),
        };
        let content = match self.form {
            BodyForm::Json | BodyForm::Text => format!("content-type: {}\r\n", self.media_type),
            BodyForm::Empty | BodyForm::Unknown => String::new(),
        };
        let length = match self.status {
            204 | 304 => String::new(),
            _ => format!("content-length: {}\r\n", body.len()),
        };
        format!("HTTP/1.1 {} Answer\r\n{content}{length}\r\n{body}", self.status).into_bytes()
    }
}

/// The name of a place.
pub(super) fn place(location: Location) -> &'static str {
    match location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Cookie => "cookie",
        Location::QueryString => "querystring",
    }
}

/// How much of an operation a call sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Required,
    Everything,
}

/// The source of an operation's samples.
struct Source<'c> {
    schemas: &'c Schemas,
    contract: &'c Contract,
    operation: &'c Operation,
    offer: &'c Offer,
    position: usize,
    seed: u64,
}

type Made = Result<Case, (String, Verdict)>;

/// The cases of an operation: what is required, everything, and each declared status.
pub(super) fn cases(contract: &Contract, schemas: &Schemas, position: usize, offer: &Offer, seed: u64) -> Vec<Made> {
    let Some(operation) = contract.operations.get(position) else { return Vec::new() };
    let source = Source { schemas, contract, operation, offer, position, seed };
    let statuses = statuses(operation);
    let success = statuses.iter().find(|(status, _)| (200..300).contains(status)).copied().unwrap_or((200, None));
    let mut cases = vec![
        source.case("required", Extent::Required, success),
        source.case("everything", Extent::Everything, success),
    ];
    let others = statuses.iter().filter(|(status, _)| *status != success.0);
    cases.extend(others.map(|status| source.case(&status.0.to_string(), Extent::Required, *status)));
    cases
}

/// The statuses to answer with, each with the response that declares it. Redirections, which the client takes for results or
/// refuses by its configuration, are left out.
fn statuses(operation: &Operation) -> Vec<(u16, Option<&Response>)> {
    let exact = |code: u16| operation.responses.iter().any(|response| response.status == Status::Exact(code));
    let mut statuses: Vec<(u16, Option<&Response>)> = Vec::new();
    for response in &operation.responses {
        let status = match response.status {
            Status::Exact(code) => code,
            Status::Range(class) => {
                let first = u16::from(class) * 100;
                (first..first + 100).find(|code| !exact(*code)).unwrap_or(first)
            }
            // It stands for everything that is not declared: an error that no contract declares.
            Status::Default => 418,
        };
        if matches!(status, 200..=299 | 400..=599) && !statuses.iter().any(|(known, _)| *known == status) {
            statuses.push((status, Some(response)));
        }
    }
    statuses.sort_by_key(|(status, _)| *status);
    statuses
}

impl Source<'_> {
    fn case(&self, name: &str, extent: Extent, (status, response): (u16, Option<&Response>)) -> Made {
        let id = format!("{} {} {name}", self.operation.method, self.operation.template);
        let made = self.arguments(extent).and_then(|arguments| {
            let (media_type, body) = self.body(extent)?;
            let answer = self.answer(status, response)?;
            Ok(Case { id: id.clone(), arguments, body, media_type, answer, operation: self.position })
        });
        made.map_err(|verdict| (id, verdict))
    }

    fn arguments(&self, extent: Extent) -> Result<Vec<Argument>, Verdict> {
        let mut arguments = Vec::new();
        for (index, parameter) in self.operation.parameters.iter().enumerate() {
            let place = place(parameter.location);
            let is_offered = self.offer.parameters.iter().any(|(at, name)| at == place && *name == parameter.name);
            if !is_offered || (extent == Extent::Required && !parameter.required) {
                continue;
            }
            match self.argument(index, parameter) {
                Ok(value) => arguments.push(Argument {
                    place: place.to_owned(),
                    name: parameter.name.clone(),
                    value,
                    parameter: index,
                }),
                // A call can go without it, and the other parameters are judged.
                Err(_) if !parameter.required => {}
                Err(why) => return Err(Verdict::Limit(format!("{place} {}: {why}", parameter.name))),
            }
        }
        Ok(arguments)
    }

    fn argument(&self, index: usize, parameter: &Parameter) -> Result<Value, String> {
        let seed = self.seed.wrapping_add(index as u64);
        let sampled = self.schemas.sample(&parameter.schema, Direction::Request, seed, &Hints::default());
        let mut value = sampled.map_err(|no_value| no_value.to_string())?;
        if parameter.media_type.is_some() {
            return Ok(value);
        }
        if let Value::Object(members) = &mut value {
            members.retain(|_, value| !(value.is_null() || value.is_array() || value.is_object()));
        }
        if parameter.location != Location::Header
            && let Value::String(text) = &value
            && self.is_free(&parameter.schema)
        {
            // Characters that mean something in a URL, and a letter that is not ASCII.
            value = Value::String(format!("{text} &=+%,;é"));
        }
        value = fraction(value);
        if !self.schemas.violations(&parameter.schema, &value, Direction::Request).is_empty() {
            return Err("no value of the schema has a form that the specification defines".to_owned());
        }
        match Shape::of_value(&value) {
            Some(Shape::List(items)) if items.is_empty() => Err("an empty list is not written".to_owned()),
            Some(Shape::Members(members)) if members.is_empty() => {
                Err("an object without members is not written".to_owned())
            }
            Some(Shape::One(text)) if parameter.location == Location::Path && text.trim_matches('.').is_empty() => {
                Err("an empty segment calls another path".to_owned())
            }
            Some(_) => Ok(value),
            None => Err("the specification does not define how the value is written".to_owned()),
        }
    }

    /// Returns whether a text is as good as any other.
    fn is_free(&self, schema: &SchemaRef) -> bool {
        let value = match schema {
            SchemaRef::Pointer(pointer) => resolve(&self.contract.document, pointer).map(|(_, value)| value),
            SchemaRef::Inline(value) => Some(value.as_ref()),
        };
        let Some(schema) = value.and_then(Value::as_object) else { return false };
        let closed = ["format", "enum", "const", "pattern", "maxLength", "allOf", "anyOf", "oneOf", "not"];
        schema.get("type").and_then(Value::as_str) == Some("string")
            && !closed.iter().any(|key| schema.contains_key(*key))
    }

    /// The media type and the value of the body.
    fn body(&self, extent: Extent) -> Result<(Option<String>, Option<Value>), Verdict> {
        let (Some(body), Some(media_type)) = (&self.operation.body, &self.offer.media_type) else {
            let is_needed = self.operation.body.as_ref().is_some_and(|body| body.required && !body.content.is_empty());
            return match (is_needed, &self.offer.media_type) {
                (true, None) => Err(Verdict::Limit("the body is of no media type that the client sends".to_owned())),
                (_, Some(media_type)) => {
                    Err(fault("Request Body Object", "no body", &format!("a body of {media_type}")))
                }
                _ => Ok((None, None)),
            };
        };
        let best =
            body.content.iter().filter_map(|content| Some((media::fit(&content.media_type, media_type)?, content)));
        let Some((_, content)) = best.max_by_key(|(fit, _)| *fit) else {
            let declared: Vec<&str> = body.content.iter().map(|content| content.media_type.as_str()).collect();
            return Err(fault("Request Body Object", &declared.join(" or "), media_type));
        };
        if extent == Extent::Required && !body.required && !self.offer.is_body_required {
            return Ok((Some(media_type.clone()), None));
        }
        let essence = media::essence(media_type);
        if essence.ends_with("xml") {
            return Err(Verdict::Limit("bodies in XML are not judged".to_owned()));
        }
        let is_value = media::is_json(&essence) || essence.starts_with("multipart/") || essence.ends_with("urlencoded");
        let text = || Value::String("a file, or a text: é\n".to_owned());
        let Some(schema) = content.schema.as_ref().filter(|_| is_value) else {
            return Ok((Some(media_type.clone()), Some(text())));
        };
        let seed = self.seed;
        let sampled = match extent {
            Extent::Required => self.schemas.least(schema, Direction::Request, seed),
            Extent::Everything => self.schemas.sample(schema, Direction::Request, seed, &Hints::default()),
        };
        let value = fraction(sampled.map_err(|no_value| Verdict::Limit(no_value.to_string()))?);
        if !self.schemas.violations(schema, &value, Direction::Request).is_empty() {
            return Err(Verdict::Limit("no sample of the body is valid".to_owned()));
        }
        Ok((Some(media_type.clone()), Some(value)))
    }

    fn answer(&self, status: u16, response: Option<&Response>) -> Result<Answer, Verdict> {
        let empty = Answer { status, form: BodyForm::Empty, media_type: String::new(), value: Value::Null };
        let contents = response.map(|response| response.content.as_slice()).unwrap_or_default();
        if contents.is_empty() || self.operation.method == http::Method::HEAD || matches!(status, 204 | 205) {
            return Ok(empty);
        }
        let accepted = |media_type: &str| media::accepts(&self.offer.accept, media_type);
        let is_json = |media_type: &str| media::is_json(&media::essence(media_type)) || media_type.contains('*');
        let best = contents.iter().max_by_key(|content| (accepted(&content.media_type), is_json(&content.media_type)));
        let Some(content) = best else { return Ok(empty) };
        if status < 300 && !accepted(&content.media_type) {
            return Err(fault("Responses Object", &format!("Accept of {}", content.media_type), &self.offer.accept));
        }
        let essence = media::essence(&content.media_type);
        if is_json(&content.media_type) && status < 300 || media::is_json(&essence) {
            let media_type = if content.media_type.contains('*') { "application/json" } else { &content.media_type };
            let value = match &content.schema {
                None => Value::Object(Map::new()),
                Some(schema) => {
                    let sampled = self.schemas.sample(schema, Direction::Response, self.seed, &Hints::default());
                    fraction(sampled.map_err(|no_value| Verdict::Limit(no_value.to_string()))?)
                }
            };
            return Ok(Answer { status, form: BodyForm::Json, media_type: media_type.to_owned(), value });
        }
        let form = match essence.as_str() {
            "text/event-stream" => BodyForm::Unknown,
            other if other.ends_with("xml") || other.contains('*') => BodyForm::Unknown,
            _ => BodyForm::Text,
        };
        if form == BodyForm::Unknown && status < 300 {
            return Err(Verdict::Limit(format!("answers of {essence} are not judged")));
        }
        let value = Value::String("a file, or a text\n".to_owned());
        Ok(Answer { status, form, media_type: content.media_type.clone(), value })
    }
}

fn fault(rule: &'static str, expected: &str, actual: &str) -> Verdict {
    Verdict::Fault(Fault {
        place: if rule == "Responses Object" { "header accept" } else { "body" }.to_owned(),
        rule,
        expected: expected.to_owned(),
        actual: actual.to_owned(),
    })
}

/// Gives whole numbers that are written as floating-point numbers a fraction: `1.0` and `1` are the same number.
fn fraction(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap_or_default();
            match float.fract() == 0.0 && float.abs() < 1e15 {
                true => Value::from(float as i64),
                false => Value::Number(number),
            }
        }
        Value::Array(items) => items.into_iter().map(fraction).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, fraction(value))).collect(),
        other => other,
    }
}
