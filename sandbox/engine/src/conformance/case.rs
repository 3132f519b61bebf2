//! The cases of an operation: its arguments, and the answer to them.

use serde_json::Value;

use super::answer::{Answer, Flaw};
use super::bytes::Shape;
use super::same::whole;
use super::variant::variants;
use super::xml::{SAMPLE, is_xml};
use super::{Fault, Offer, Verdict};
use crate::contract::{
    Content, Contract, Location, Operation, Parameter, Response, SchemaRef, SegmentPart, Status, resolve,
};
use crate::request::media;
use crate::schema::{Direction, Hints, Schemas};

/// The beginning of the file name that a caller gives to each file of a form.
pub(super) const FILE_NAME: &str = "file";

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
    /// `true` if the call does not set it: the value is the default, which the client has to send.
    pub is_left_out: bool,
    /// Position of the parameter in the operation.
    pub(super) parameter: usize,
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

/// The part of an operation's arguments that a call sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallExtent {
    Required,
    Everything,
}

/// The source of an operation's samples.
pub(super) struct Source<'c> {
    pub(super) schemas: &'c Schemas,
    pub(super) contract: &'c Contract,
    pub(super) operation: &'c Operation,
    pub(super) offer: &'c Offer,
    pub(super) position: usize,
    pub(super) seed: u64,
}

type Made = Result<Case, (String, Verdict)>;

/// The cases of an operation: the required arguments, all of them, each declared status, each value of an enumeration and each bound, and
/// answers with flaws.
pub(super) fn cases(contract: &Contract, schemas: &Schemas, position: usize, offer: &Offer, seed: u64) -> Vec<Made> {
    let Some(operation) = contract.operations.get(position) else { return Vec::new() };
    let source = Source { schemas, contract, operation, offer, position, seed };
    let statuses = statuses(operation);
    // `default` describes every status that is not declared, 200 among them.
    let default = || operation.responses.iter().find(|response| response.status == Status::Default);
    let declared = statuses.iter().find(|(status, _)| (200..300).contains(status)).copied();
    let redirected =
        || operation.responses.iter().find_map(|response| Some((redirect(response.status)?, Some(response))));
    let success = declared.or_else(|| Some((200, Some(default()?)))).or_else(redirected).unwrap_or((200, None));
    let mut cases = vec![
        source.case("required", CallExtent::Required, success),
        source.case("everything", CallExtent::Everything, success),
    ];
    let others = statuses.iter().filter(|(status, _)| *status != success.0);
    cases.extend(others.map(|status| source.case(&status.0.to_string(), CallExtent::Required, *status)));
    let flawed: Vec<Made> = cases.iter().take(1).flatten().flat_map(|case| source.flawed(case)).map(Ok).collect();
    let varied: Vec<Made> =
        cases.iter().skip(1).take(1).flatten().flat_map(|case| source.varied(case)).map(Ok).collect();
    cases.extend(flawed.into_iter().chain(varied));
    cases
}

/// The redirection that a response declares, which is a result if it stands alone.
fn redirect(status: Status) -> Option<u16> {
    match status {
        Status::Exact(code @ (300..=303 | 307 | 308)) => Some(code),
        Status::Range(3) => Some(302),
        Status::Exact(_) | Status::Range(_) | Status::Default => None,
    }
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
    fn case(&self, name: &str, extent: CallExtent, (status, response): (u16, Option<&Response>)) -> Made {
        let id = self.id(name);
        let made = self.placeholders().and_then(|()| self.arguments(extent)).and_then(|arguments| {
            let (media_type, body) = self.body(extent)?;
            let answer = self.answer(status, response)?;
            Ok(Case { id: id.clone(), arguments, body, media_type, answer, operation: self.position })
        });
        made.map_err(|verdict| (id, verdict))
    }

    /// Each placeholder of the path needs a parameter, and none can be in a query (OpenAPI, "Path Templating").
    fn placeholders(&self) -> Result<(), Verdict> {
        let Operation { segments, parameters, template, .. } = self.operation;
        // One that is not declared has no place in the contract.
        let is_declared = |name: &str| {
            parameters.iter().any(|it| it.location == Location::Path && it.name == name && !it.pointer.is_empty())
        };
        let query = template.split_once('?').map(|(_, query)| query).filter(|query| query.contains('{'));
        // No request carries what is behind a fragment.
        let is_sent = |part: &&SegmentPart| !matches!(part, SegmentPart::Literal(text) if text.contains('#'));
        let parts = segments.iter().flat_map(|segment| &segment.parts).take_while(is_sent);
        let undeclared = parts.filter_map(|part| match part {
            SegmentPart::Parameter(name) | SegmentPart::Rest(name) => Some(name),
            SegmentPart::Literal(_) => None,
        });
        let undeclared = undeclared.into_iter().find(|name| !is_declared(name));
        match (undeclared, query) {
            (Some(name), _) => Err(format!("the path has {name:?}, and no parameter is declared for it")),
            (None, Some(query)) => Err(format!("the path has a query with placeholders: {query}")),
            (None, None) => Ok(()),
        }
        .map_err(Verdict::Contradiction)
    }

    fn id(&self, name: &str) -> String {
        format!("{} {} {name}", self.operation.method, self.operation.template)
    }

    /// The case with each flaw that its answer can have.
    fn flawed(&self, case: &Case) -> Vec<Case> {
        let flaws = Flaw::ALL.iter().filter(|flaw| flaw.fits(&case.answer));
        let flawed = flaws.map(|flaw| Case {
            id: self.id(&format!("answer {}", flaw.name())),
            answer: Answer { flaw: *flaw, ..case.answer.clone() },
            ..case.clone()
        });
        flawed.collect()
    }

    /// The case with another value in one place: each of an enumeration, and each bound.
    fn varied(&self, case: &Case) -> Vec<Case> {
        let mut cases = Vec::new();
        for (index, argument) in case.arguments.iter().enumerate() {
            let Some(parameter) = self.operation.parameters.get(argument.parameter) else { continue };
            for (at, value) in variants(&self.contract.document, &parameter.schema, &argument.value) {
                let is_whole = parameter.media_type.is_some();
                let Ok(value) = self.writable(parameter, is_whole, value) else { continue };
                let mut varied = case.clone();
                varied.id = self.id(&format!("{} {}{at}", argument.place, argument.name));
                if let Some(argument) = varied.arguments.get_mut(index) {
                    (argument.value, argument.is_left_out) = (value, false);
                }
                cases.push(varied);
            }
        }
        let contents = self.operation.body.as_ref().map(|body| body.content.as_slice()).unwrap_or_default();
        let media_type = case.media_type.as_deref().unwrap_or_default();
        let schema = best(contents, media_type).and_then(|content| self.schema_of_value(content, media_type));
        if let (Some(body), Some(schema)) = (&case.body, schema) {
            for (at, value) in variants(&self.contract.document, schema, body) {
                let value = whole(value);
                if self.schemas.violations(schema, &value, Direction::Request).is_empty() {
                    cases.push(Case { id: self.id(&format!("body {at}")), body: Some(value), ..case.clone() });
                }
            }
        }
        cases
    }

    pub(super) fn arguments(&self, extent: CallExtent) -> Result<Vec<Argument>, Verdict> {
        let mut arguments = Vec::new();
        for (index, parameter) in self.operation.parameters.iter().enumerate() {
            let place = place(parameter.location);
            // A placeholder and its parameter can differ in case: the client has one of both names.
            let is_path = parameter.location == Location::Path;
            let is_it = |(at, name): &(String, String)| {
                at == place && (*name == parameter.name || is_path && name.eq_ignore_ascii_case(&parameter.name))
            };
            let Some((_, offered)) = self.offer.parameters.iter().find(|offered| is_it(offered)) else { continue };
            if extent == CallExtent::Required && !parameter.required {
                continue;
            }
            let may_be = extent == CallExtent::Required && parameter.required && self.offer.optional.iter().any(is_it);
            let default = self.schema(&parameter.schema).and_then(|schema| schema.get("default"));
            let default = default.filter(|_| may_be).cloned();
            let is_left_out = default.is_some();
            match default.map_or_else(|| self.argument(index, parameter), Ok) {
                Ok(value) => arguments.push(Argument {
                    place: place.to_owned(),
                    name: offered.clone(),
                    value,
                    is_left_out,
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
        self.writable(parameter, false, value)
    }

    /// The value, if the schema allows it and the specification defines its bytes.
    fn writable(&self, parameter: &Parameter, is_whole: bool, value: Value) -> Result<Value, String> {
        let value = whole(value);
        if !self.schemas.violations(&parameter.schema, &value, Direction::Request).is_empty() {
            return Err("no value of the schema has a form that the specification defines".to_owned());
        }
        match Shape::of_value(&value) {
            _ if is_whole => Ok(value),
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

    pub(super) fn schema<'s>(&'s self, schema: &'s SchemaRef) -> Option<&'s Value> {
        match schema {
            SchemaRef::Pointer(pointer) => resolve(&self.contract.document, pointer).map(|(_, value)| value),
            SchemaRef::Inline(value) => Some(value.as_ref()),
        }
    }

    /// Returns whether a text is as good as any other.
    fn is_free(&self, schema: &SchemaRef) -> bool {
        let Some(schema) = self.schema(schema).and_then(Value::as_object) else { return false };
        let closed = ["format", "enum", "const", "pattern", "maxLength", "allOf", "anyOf", "oneOf", "not"];
        schema.get("type").and_then(Value::as_str) == Some("string")
            && !closed.iter().any(|key| schema.contains_key(*key))
    }

    /// The media type and the value of the body.
    pub(super) fn body(&self, extent: CallExtent) -> Result<(Option<String>, Option<Value>), Verdict> {
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
        let Some(content) = best(&body.content, media_type) else {
            let declared: Vec<&str> = body.content.iter().map(|content| content.media_type.as_str()).collect();
            let file = body.content.iter().find_map(|content| self.file(content));
            return Err(match file.filter(|_| media::essence(media_type) == "multipart/form-data") {
                Some(name) => Verdict::Contradiction(format!(
                    "{name} is a file, which a body of {} cannot have",
                    declared.join(" or ")
                )),
                None => fault("Request Body Object", &declared.join(" or "), media_type),
            });
        };
        if extent == CallExtent::Required && !body.required && !self.offer.is_body_required {
            return Ok((Some(media_type.clone()), None));
        }
        let Some(schema) = self.schema_of_value(content, media_type) else {
            let text = if is_xml(&media::essence(media_type)) { SAMPLE } else { "a file, or a text: é\n" };
            return Ok((Some(media_type.clone()), Some(Value::from(text))));
        };
        let seed = self.seed;
        let sampled = match extent {
            CallExtent::Required => self.schemas.least(schema, Direction::Request, seed),
            CallExtent::Everything => self.schemas.sample(schema, Direction::Request, seed, &Hints::default()),
        };
        let value = whole(sampled.map_err(|no_value| Verdict::Limit(no_value.to_string()))?);
        if !self.schemas.violations(schema, &value, Direction::Request).is_empty() {
            return Err(Verdict::Limit("no sample of the body is valid".to_owned()));
        }
        Ok((Some(media_type.clone()), Some(value)))
    }

    /// The schema of a body that is a value, and not a file or a text.
    fn schema_of_value<'c>(&self, content: &'c Content, media_type: &str) -> Option<&'c SchemaRef> {
        let essence = media::essence(media_type);
        let is_value = media::is_json(&essence)
            || essence.starts_with("multipart/")
            || essence.ends_with("urlencoded")
            || self.offer.writes_xml && is_xml(&essence);
        content.schema.as_ref().filter(|_| is_value)
    }

    /// The member of a form without parts that is a file.
    fn file(&self, content: &Content) -> Option<String> {
        let is_form = media::essence(&content.media_type) == "application/x-www-form-urlencoded";
        let schema = match content.schema.as_ref().filter(|_| is_form)? {
            SchemaRef::Pointer(pointer) => resolve(&self.contract.document, pointer)?.1,
            SchemaRef::Inline(value) => value.as_ref(),
        };
        let is_file = |schema: &&Value| schema.get("format").and_then(Value::as_str) == Some("binary");
        let members = schema.get("properties").and_then(Value::as_object)?;
        members.iter().find(|(_, schema)| is_file(schema)).map(|(name, _)| name.clone())
    }
}

/// The content that describes a body of this media type best.
pub(super) fn best<'c>(contents: &'c [Content], media_type: &str) -> Option<&'c Content> {
    let fitting = contents.iter().filter_map(|content| Some((media::fit(&content.media_type, media_type)?, content)));
    fitting.max_by_key(|(fit, _)| *fit).map(|(_, content)| content)
}

fn fault(rule: &'static str, expected: &str, actual: &str) -> Verdict {
    Verdict::Fault(Fault { place: "body".to_owned(), rule, expected: expected.to_owned(), actual: actual.to_owned() })
}
