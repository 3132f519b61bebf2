//! One operation of the contract, and the small language that the families are written in.

use std::borrow::Cow;

use http::Method;
use serde::Serialize;
use serde_json::Value;

use super::schema::{Schema, reference, uuid};
use super::{Contract, Provenance, Revision, as_map};

const JSON_BODY: [&str; 3] = ["application/json", "text/json", "application/*+json"];
const JSON_ANSWER: [&str; 3] = ["text/plain", "application/json", "text/json"];

/// An Operation Object. The fields that are not written say how the sandbox answers.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Operation {
    #[serde(skip)]
    pub(crate) method: Method,
    #[serde(skip)]
    pub(crate) path: String,
    pub(crate) tags: [&'static str; 1],
    pub(crate) summary: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) parameters: Vec<Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) request_body: Option<Body>,
    #[serde(serialize_with = "as_map")]
    pub(crate) responses: Vec<(&'static str, Answer)>,
    #[serde(rename = "x-provenance")]
    pub(crate) provenance: Provenance,
    #[serde(skip)]
    pub(crate) effects: Vec<(&'static str, Value)>,
    #[serde(skip)]
    pub(crate) choices: Vec<(&'static str, &'static str)>,
    #[serde(skip)]
    revision: Revision,
}

/// A Parameter Object.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Parameter {
    pub(crate) name: Cow<'static, str>,
    #[serde(rename = "in")]
    pub(crate) place: Place,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) style: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explode: Option<bool>,
    pub(crate) schema: Schema,
}

/// Where a parameter lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Place {
    Path,
    Query,
    Header,
    Cookie,
}

/// A Request Body Object.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Body {
    #[serde(serialize_with = "as_map")]
    pub(crate) content: Vec<(&'static str, Media)>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) required: bool,
}

/// A Response Object.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Answer {
    pub(crate) description: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    pub(crate) content: Vec<(&'static str, Media)>,
}

/// A Media Type Object.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Media {
    pub(crate) schema: Schema,
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    pub(crate) encoding: Vec<(&'static str, Encoding)>,
}

/// An Encoding Object.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Encoding {
    pub(crate) style: &'static str,
}

/// What the operations of one .NET controller share: their tag and the prefix of their paths.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    tag: &'static str,
    prefix: String,
}

impl Controller {
    pub(crate) fn new(tag: &'static str, prefix: impl Into<String>) -> Self {
        Self { tag, prefix: prefix.into() }
    }

    pub(crate) fn get(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::GET, path, summary)
    }

    pub(crate) fn post(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::POST, path, summary)
    }

    pub(crate) fn put(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::PUT, path, summary)
    }

    pub(crate) fn patch(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::PATCH, path, summary)
    }

    pub(crate) fn delete(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::DELETE, path, summary)
    }

    fn operation(&self, method: Method, path: &str, summary: &'static str) -> Operation {
        Operation {
            method,
            path: format!("{}{path}", self.prefix),
            tags: [self.tag],
            summary,
            description: None,
            parameters: Vec::new(),
            request_body: None,
            responses: Vec::new(),
            provenance: Provenance::Assumed,
            effects: Vec::new(),
            choices: Vec::new(),
            revision: Revision::First,
        }
    }
}

impl Operation {
    /// The names of the path parameters, in the order of the template.
    pub(crate) fn template_parameters(path: &str) -> impl Iterator<Item = &str> {
        path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
    }

    pub(crate) fn documented(mut self) -> Self {
        self.provenance = Provenance::Documented;
        self
    }

    pub(crate) fn describe(mut self, text: &'static str) -> Self {
        self.description = Some(text);
        self
    }

    /// A path parameter that is no GUID. The others are added by [`Operation::finish`].
    pub(crate) fn path_parameter(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, Place::Path, true, None, None, schema)
    }

    pub(crate) fn query(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, Place::Query, false, None, None, schema)
    }

    pub(crate) fn required_query(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, Place::Query, true, None, None, schema)
    }

    /// An array written as one comma-separated value.
    pub(crate) fn joined_query(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, Place::Query, false, Some("form"), Some(false), schema)
    }

    /// An object written as `name[key]=value`.
    pub(crate) fn deep_query(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, Place::Query, false, Some("deepObject"), Some(true), schema)
    }

    pub(crate) fn header(self, name: &'static str, required: bool, schema: Schema) -> Self {
        self.parameter(name, Place::Header, required, None, None, schema)
    }

    pub(crate) fn cookie(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, Place::Cookie, true, None, None, schema)
    }

    /// A JSON body, in the three media types that Swashbuckle lists.
    pub(crate) fn body(mut self, schema: impl Into<Schema>) -> Self {
        let schema = schema.into();
        let content = JSON_BODY.map(|media| (media, Media::of(schema.clone())));
        self.request_body = Some(Body { content: content.into(), required: true });
        self
    }

    /// A body of fields: `application/x-www-form-urlencoded` or `multipart/form-data`.
    pub(crate) fn form(mut self, media: &'static str, schema: Schema) -> Self {
        // Swashbuckle writes the schema of a form in place, and does not close it.
        let schema = schema.open();
        let encoding = schema.properties.iter().map(|(name, _)| (*name, Encoding { style: "form" })).collect();
        self.request_body = Some(Body { content: vec![(media, Media { schema, encoding })], required: true });
        self
    }

    /// A body of bytes.
    pub(crate) fn raw_body(mut self, media: &[&'static str]) -> Self {
        let content = media.iter().map(|media| (*media, Media::of(super::schema::binary()))).collect();
        self.request_body = Some(Body { content, required: true });
        self
    }

    pub(crate) fn ok(self, schema: impl Into<Schema>) -> Self {
        self.json("200", schema.into())
    }

    pub(crate) fn created(self, schema: impl Into<Schema>) -> Self {
        self.json("201", schema.into())
    }

    pub(crate) fn accepted(self, schema: impl Into<Schema>) -> Self {
        self.json("202", schema.into())
    }

    pub(crate) fn no_content(self) -> Self {
        self.answer("204", Answer::empty("204"))
    }

    pub(crate) fn conflict(self) -> Self {
        self.problem("409", "ProblemDetails")
    }

    pub(crate) fn not_found(self) -> Self {
        self.problem("404", "ProblemDetails")
    }

    /// A success with one media type that is not JSON.
    pub(crate) fn ok_as(self, media: &'static str, schema: Schema) -> Self {
        self.ok_as_any_of(&[media], &schema)
    }

    /// A success with one of several media types that are not JSON.
    pub(crate) fn ok_as_any_of(self, media: &[&'static str], schema: &Schema) -> Self {
        let content = media.iter().map(|media| (*media, Media::of(schema.clone()))).collect();
        self.answer("200", Answer { description: phrase("200"), content })
    }

    pub(crate) fn answer(mut self, status: &'static str, answer: Answer) -> Self {
        self.responses.push((status, answer));
        self
    }

    /// What a call changes in the resource that it targets.
    pub(crate) fn sets(mut self, field: &'static str, value: impl Into<Value>) -> Self {
        self.effects.push((field, value.into()));
        self
    }

    /// Among several success statuses: the one that a true boolean query parameter asks for.
    pub(crate) fn when(mut self, query: &'static str, status: &'static str) -> Self {
        self.choices.push((query, status));
        self
    }

    /// Lets bodies of one component be bodies of another.
    pub(crate) fn rename(&mut self, from: &str, to: &'static str) {
        let body = self.request_body.iter_mut().flat_map(|body| &mut body.content);
        let answers = self.responses.iter_mut().flat_map(|(_, answer)| &mut answer.content);
        for (_, media) in body.chain(answers).filter(|(_, media)| media.schema.reference == Some(from)) {
            media.schema.reference = Some(to);
        }
    }

    /// Adds what follows from the rest: GUID path parameters, and the 400 and 404 of an assumed operation.
    pub(crate) fn finish(mut self, revision: Revision) -> Self {
        let path = self.path.clone();
        let mut parameters = Vec::new();
        for name in Self::template_parameters(&path) {
            let given = self.parameters.iter().position(|found| found.place == Place::Path && found.name == name);
            parameters.push(match given {
                Some(index) => self.parameters.remove(index),
                None => Parameter::guid(name),
            });
        }
        let addressed = !parameters.is_empty();
        parameters.append(&mut self.parameters);
        self.parameters = parameters;
        if self.provenance == Provenance::Assumed {
            let has_input =
                self.request_body.is_some() || self.parameters.iter().any(|found| found.place != Place::Path);
            if has_input {
                self = self.problem("400", "ValidationProblemDetails");
            }
            if addressed {
                self = self.problem("404", "ProblemDetails");
            }
        }
        self.responses.sort_by_key(|(status, _)| *status);
        self.revision = revision;
        let parameters = self.parameters.iter_mut().map(|parameter| &mut parameter.schema);
        let body = self.request_body.iter_mut().flat_map(|body| &mut body.content);
        let answers = self.responses.iter_mut().flat_map(|(_, answer)| &mut answer.content);
        for schema in parameters.chain(body.chain(answers).map(|(_, media)| &mut media.schema)) {
            schema.set_revision(revision);
        }
        self
    }

    fn parameter(
        mut self,
        name: &'static str,
        place: Place,
        required: bool,
        style: Option<&'static str>,
        explode: Option<bool>,
        schema: Schema,
    ) -> Self {
        self.parameters.push(Parameter { name: name.into(), place, required, style, explode, schema });
        self
    }

    fn json(self, status: &'static str, schema: Schema) -> Self {
        let content = JSON_ANSWER.map(|media| (media, Media::of(schema.clone()))).into();
        self.answer(status, Answer { description: phrase(status), content })
    }

    fn problem(self, status: &'static str, schema: &'static str) -> Self {
        let content = vec![("application/problem+json", Media::of(reference(schema)))];
        self.answer(status, Answer { description: phrase(status), content })
    }
}

impl Operation {
    /// The contract that the operation belongs to.
    pub(crate) fn contract(&self) -> &'static Contract {
        self.revision.contract()
    }

    /// The statuses that count as success, lowest first.
    pub(crate) fn successes(&self) -> impl Iterator<Item = &'static str> {
        self.responses.iter().map(|(status, _)| *status).filter(|status| status.starts_with('2'))
    }

    /// The content of a response.
    pub(crate) fn content(&self, status: &str) -> &[(&'static str, Media)] {
        let answer = self.responses.iter().find(|(found, _)| *found == status);
        answer.map_or(&[], |(_, answer)| answer.content.as_slice())
    }

    /// The JSON schema of a response.
    pub(crate) fn json_schema(&self, status: &str) -> Option<&Schema> {
        let media = self.content(status).iter().find(|(media, _)| *media == "application/json");
        media.map(|(_, media)| &media.schema)
    }
}

impl Parameter {
    fn guid(name: &str) -> Self {
        let name = name.to_owned().into();
        Self { name, place: Place::Path, required: true, style: None, explode: None, schema: uuid() }
    }
}

impl Media {
    pub(crate) fn of(schema: Schema) -> Self {
        Self { schema, encoding: Vec::new() }
    }
}

impl Answer {
    /// A response without a body.
    pub(crate) fn empty(status: &'static str) -> Self {
        Self { description: phrase(status), content: Vec::new() }
    }
}

/// The description that Swashbuckle gives a status nobody described.
fn phrase(status: &str) -> &'static str {
    status.parse::<http::StatusCode>().ok().and_then(|status| status.canonical_reason()).unwrap_or("Success")
}
