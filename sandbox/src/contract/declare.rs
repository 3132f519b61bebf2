//! The small language that the families are written in.

use http::Method;
use serde_json::Value;

use super::behaviour::{Behaviour, Handler, Work};
use super::operation::{Answer, Body, Encoding, Media, Operation, Parameter, ParameterIn, phrase};
use super::schema::{Schema, binary, reference};
use super::{Provenance, Revision};
use crate::directory::Role;
use crate::workflow::Kind;

const JSON_BODY: [&str; 3] = ["application/json", "text/json", "application/*+json"];
const JSON_ANSWER: [&str; 3] = ["text/plain", "application/json", "text/json"];

/// The shared properties of the operations of one .NET controller: tag, path prefix, and required roles.
#[derive(Clone, Debug)]
pub(crate) struct Controller {
    tag: &'static str,
    prefix: String,
    readers: Role,
    writers: Role,
}

impl Controller {
    /// Viewers may read, members may write.
    pub(crate) fn new(tag: &'static str, prefix: impl Into<String>) -> Self {
        Self { tag, prefix: prefix.into(), readers: Role::Viewer, writers: Role::Member }
    }

    /// Sets the role that reading requires.
    pub(crate) fn readers(self, role: Role) -> Self {
        Self { readers: role, ..self }
    }

    /// Sets the role that writing requires.
    pub(crate) fn writers(self, role: Role) -> Self {
        Self { writers: role, ..self }
    }

    pub(crate) fn list(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::GET, path, summary, Handler::List)
    }

    pub(crate) fn get(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::GET, path, summary, Handler::Get)
    }

    pub(crate) fn create(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::POST, path, summary, Handler::Create)
    }

    pub(crate) fn replace(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::PUT, path, summary, Handler::Replace)
    }

    pub(crate) fn change(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::PATCH, path, summary, Handler::Change)
    }

    pub(crate) fn remove(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::DELETE, path, summary, Handler::Remove)
    }

    pub(crate) fn action(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::POST, path, summary, Handler::Act)
    }

    pub(crate) fn singleton(&self, path: &str, summary: &'static str) -> Operation {
        self.operation(Method::GET, path, summary, Handler::GetSingleton)
    }

    pub(crate) fn operation(&self, method: Method, path: &str, summary: &'static str, handler: Handler) -> Operation {
        let role = if method == Method::GET { self.readers } else { self.writers };
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
            behaviour: Behaviour::new(handler, role),
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

    /// A path parameter that is not a GUID. The others are added by [`Operation::finish`].
    pub(crate) fn path_parameter(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, ParameterIn::Path, true, None, None, schema)
    }

    pub(crate) fn query(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, ParameterIn::Query, false, None, None, schema)
    }

    pub(crate) fn required_query(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, ParameterIn::Query, true, None, None, schema)
    }

    /// An array written as one comma-separated value.
    pub(crate) fn joined_query(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, ParameterIn::Query, false, Some("form"), Some(false), schema)
    }

    /// An object written as `name[key]=value`.
    pub(crate) fn deep_query(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, ParameterIn::Query, false, Some("deepObject"), Some(true), schema)
    }

    pub(crate) fn header(self, name: &'static str, required: bool, schema: Schema) -> Self {
        self.parameter(name, ParameterIn::Header, required, None, None, schema)
    }

    pub(crate) fn cookie(self, name: &'static str, schema: Schema) -> Self {
        self.parameter(name, ParameterIn::Cookie, true, None, None, schema)
    }

    /// A JSON body, in the three media types that Swashbuckle lists.
    pub(crate) fn body(mut self, schema: impl Into<Schema>) -> Self {
        let schema = schema.into();
        let content = JSON_BODY.map(|media| (media, Media::new(schema.clone())));
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
        let content = media.iter().map(|media| (*media, Media::new(binary()))).collect();
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
        let content = media.iter().map(|media| (*media, Media::new(schema.clone()))).collect();
        self.answer("200", Answer { description: phrase("200"), content })
    }

    pub(crate) fn answer(mut self, status: &'static str, answer: Answer) -> Self {
        self.responses.push((status, answer));
        self
    }

    /// Leaves the authorization to the handler, for bodies that name the team and for operations without a team.
    pub(crate) fn authorized_by_handler(mut self) -> Self {
        self.behaviour.role = None;
        self
    }

    /// The work that a call begins when it answers 202.
    pub(crate) fn begins(mut self, kind: Kind) -> Self {
        self.behaviour.work = Some(Work::new(kind));
        self
    }

    /// Sets the work that a call begins instead if a boolean field of its body is true.
    pub(crate) fn begins_if(mut self, field: &'static str, kind: Kind) -> Self {
        self.behaviour.work = self.behaviour.work.map(|work| work.or(field, kind));
        self
    }

    /// Sets a field of the target that a call changes.
    pub(crate) fn sets(mut self, field: &'static str, value: impl Into<Value>) -> Self {
        self.behaviour.effects.push((field, value.into()));
        self
    }

    /// Maps a boolean query parameter to one of several success statuses.
    pub(crate) fn when(mut self, query: &'static str, status: &'static str) -> Self {
        self.behaviour.choices.push((query, status));
        self
    }

    /// Gives each caller an instance of the addressed resource.
    pub(crate) fn per_caller(mut self) -> Self {
        self.behaviour.per_caller = true;
        self
    }

    /// Leaves items that have this field out of a list.
    pub(crate) fn omits(mut self, field: &'static str) -> Self {
        self.behaviour.omits = Some(field);
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

    /// Adds the derived parts: GUID path parameters, and the 400 and 404 of an assumed operation.
    pub(crate) fn finish(mut self, revision: Revision) -> Self {
        let path = self.path.clone();
        let mut parameters = Vec::new();
        for name in Self::template_parameters(&path) {
            let given = self
                .parameters
                .iter()
                .position(|parameter| parameter.location == ParameterIn::Path && parameter.name == name);
            parameters.push(match given {
                Some(index) => self.parameters.remove(index),
                None => Parameter::guid(name),
            });
        }
        let addressed = !parameters.is_empty();
        parameters.append(&mut self.parameters);
        self.parameters = parameters;
        if self.provenance == Provenance::Assumed {
            let has_input = self.request_body.is_some()
                || self.parameters.iter().any(|parameter| parameter.location != ParameterIn::Path);
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
        location: ParameterIn,
        required: bool,
        style: Option<&'static str>,
        explode: Option<bool>,
        schema: Schema,
    ) -> Self {
        self.parameters.push(Parameter { name: name.into(), location, required, style, explode, schema });
        self
    }

    fn json(self, status: &'static str, schema: Schema) -> Self {
        let content = JSON_ANSWER.map(|media| (media, Media::new(schema.clone()))).into();
        self.answer(status, Answer { description: phrase(status), content })
    }

    fn problem(self, status: &'static str, schema: &'static str) -> Self {
        let content = vec![("application/problem+json", Media::new(reference(schema)))];
        self.answer(status, Answer { description: phrase(status), content })
    }
}
