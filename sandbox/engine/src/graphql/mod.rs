//! GraphQL over the state of the contracts: a field that reads, creates, changes or deletes an item does so by the operation of the
//! contract that does the same. Fields without one are made up by their types.

mod called;
mod leaf;
mod limits;
mod object;
mod page;
mod plan;
mod rest;

use apollo_compiler::executable::Operation;
use apollo_compiler::parser::Parser;
use apollo_compiler::resolvers::Execution;
use apollo_compiler::response::{GraphQLError, JsonMap};
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{ExecutableDocument, Schema};
use http::Method;
use http::header::{ACCEPT, ALLOW, CONTENT_TYPE};
use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::serve::{Front, Received, Reply, ServedContract, Service, refuse};
use object::Root;
use plan::FieldPlan;
use rest::Run;

/// The path of the endpoint; no contract is asked for it.
const PATH: &str = "/graphql";

const RESPONSE_JSON: &str = "application/graphql-response+json";

/// Schemas and documents have fewer tokens.
const MOST_TOKENS: usize = 1_000_000;
const MOST_LEVELS: usize = 200;

/// Errors of one answer.
const MOST_ERRORS: usize = 20;

/// A schema over contracts.
#[derive(Debug)]
pub(crate) struct Graph {
    schema: Valid<Schema>,
    plan: FieldPlan,
    seed: u64,
}

/// The members of a request.
struct Asked {
    query: String,
    variables: Map<String, Value>,
    name: Option<String>,
}

impl Graph {
    /// Reads a schema in the schema definition language, and finds the operations for its fields.
    pub(crate) fn read(name: &str, text: &str, parts: &[ServedContract], seed: u64) -> Result<Self, Error> {
        let refused = |errors: &DiagnosticList| {
            let message = errors.iter().next().map(|error| error.to_json());
            let place = message.as_ref().and_then(|error| error.locations.first());
            let place = place.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
            let message = message.map(|error| error.message).unwrap_or_default();
            let advice = "pass a schema in the schema definition language, as the service publishes it";
            Error::new("graphql/schema", "", format!("{name}{place}: {message}"), advice)
        };
        let mut parser = Parser::new().token_limit(MOST_TOKENS).recursion_limit(MOST_LEVELS);
        let schema = parser.parse_schema(text, name).map_err(|failed| refused(&failed.errors))?;
        let schema = schema.validate().map_err(|failed| refused(&failed.errors))?;
        let plan = FieldPlan::new(&schema, parts);
        Ok(Self { schema, plan, seed })
    }

    fn executed(&self, service: &Service, request: &Received, asked: &Asked) -> Value {
        let mut parser = Parser::new().token_limit(MOST_TOKENS).recursion_limit(MOST_LEVELS);
        let document = match parser.parse_executable(&self.schema, asked.query.as_str(), "query") {
            Ok(document) => document.validate(&self.schema).map_err(|failed| failed.errors),
            Err(failed) => Err(failed.errors),
        };
        let document = match document {
            Ok(document) => document,
            Err(errors) => {
                let errors = errors.iter().take(MOST_ERRORS).map(|error| error.to_json());
                return json!({ "errors": errors.collect::<Vec<GraphQLError>>() });
            }
        };
        let operation = match document.operations.get(asked.name.as_deref()) {
            Ok(operation) => operation,
            Err(error) => return json!({ "errors": [error.to_graphql_error(&document.sources)] }),
        };
        if let Err(message) = self.permitted(request, &document, operation) {
            return json!({ "errors": [{ "message": message }] });
        }
        let variables: JsonMap = serde_json::from_value(Value::Object(asked.variables.clone())).unwrap_or_default();
        let run = Run::new(service, request);
        let root = Root { graph: self, run: &run, is_mutation: operation.is_mutation() };
        let execution = Execution::new(&self.schema, &document)
            .operation(operation)
            .raw_variable_values(&variables)
            .enable_schema_introspection(true);
        let mut answer = match execution.execute_sync(&root) {
            Ok(answer) => answer,
            Err(error) => return json!({ "errors": [error.to_graphql_error(&document.sources)] }),
        };
        if let Some(message) = run.exceeded() {
            return json!({ "errors": [{ "message": message }] });
        }
        for error in &mut answer.errors {
            // The library's own words for errors of a field.
            if let Some(message) = error.message.strip_prefix("resolver error: ") {
                error.message = message.to_owned();
            }
            if let Some(value) = error.message.strip_prefix("resolver returned ") {
                error.message = format!("the contract has the value {value}");
            }
            if let Some(status) = run.status(&error.message) {
                error.extensions.insert("status", status.into());
            }
        }
        answer.errors.truncate(MOST_ERRORS);
        serde_json::to_value(&answer).unwrap_or_default()
    }

    fn permitted(
        &self,
        request: &Received,
        document: &Valid<ExecutableDocument>,
        operation: &Operation,
    ) -> Result<(), String> {
        if operation.is_subscription() {
            return Err("the sandbox of contracts answers queries and mutations, and no subscriptions".to_owned());
        }
        if operation.is_mutation() && request.method != Method::POST {
            return Err("a mutation is sent by POST".to_owned());
        }
        limits::check(document, operation)?;
        apollo_compiler::introspection::check_max_depth(document, operation)
            .map_err(|error| error.to_graphql_error(&document.sources).message)
    }
}

impl Front for Graph {
    fn explained(&self, parts: &[ServedContract]) -> String {
        self.plan.explained(&self.schema, parts)
    }

    fn takes(&self, path: &str) -> bool {
        path == PATH
    }

    fn answer(&self, service: &Service, request: &Received) -> Option<Reply> {
        if !self.takes(&request.path) {
            return None;
        }
        let asked = match request.method {
            Method::POST => of_body(request),
            Method::GET | Method::HEAD => of_query(&request.query),
            _ => {
                let mut reply = refuse(None, 405, "a GraphQL request is sent by POST or GET");
                reply.headers.push((ALLOW.to_string(), "GET, POST".to_owned()));
                return Some(reply);
            }
        };
        Some(match asked {
            Ok(asked) => reply(request, &self.executed(service, request, &asked)),
            Err((status, detail)) => refuse(None, status, detail),
        })
    }
}

/// GraphQL over HTTP: a request that was not executed gets a 400 in the new media type, and a 200 in the old one.
fn reply(request: &Received, answer: &Value) -> Reply {
    let mut accepted = request.headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let is_modern = accepted.any(|value| value.contains(RESPONSE_JSON));
    let status = if is_modern && answer.get("data").is_none() { 400 } else { 200 };
    let media_type = if is_modern { RESPONSE_JSON } else { "application/json" };
    Reply { status, media_type: Some(media_type.to_owned()), body: answer.to_string().into_bytes(), ..Reply::default() }
}

fn of_body(request: &Received) -> Result<Asked, (u16, &'static str)> {
    let media_type = request.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if media_type.split(';').next().map(str::trim) != Some("application/json") {
        return Err((415, "the content type has to be application/json"));
    }
    let body: Value = serde_json::from_slice(&request.body).map_err(|_| (400, "the body is not JSON"))?;
    let query = body.get("query").and_then(Value::as_str).ok_or((400, "the body has no text `query`"))?.to_owned();
    let variables = match body.get("variables") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(variables)) => variables.clone(),
        Some(_) => return Err((400, "`variables` is not an object")),
    };
    let name = body.get("operationName").and_then(Value::as_str).map(str::to_owned);
    Ok(Asked { query, variables, name })
}

fn of_query(query: &str) -> Result<Asked, (u16, &'static str)> {
    let (mut text, mut variables, mut name) = (None, Map::new(), None);
    for (key, value) in form_urlencoded::parse(query.as_bytes()) {
        match key.as_ref() {
            "query" => text = Some(value.into_owned()),
            "operationName" => name = Some(value.into_owned()),
            "variables" if !value.is_empty() => {
                variables = serde_json::from_str(&value).map_err(|_| (400, "the variables are not a JSON object"))?;
            }
            _ => {}
        }
    }
    let query = text.ok_or((400, "the parameter `query` is missing: send a GraphQL request by POST or GET"))?;
    Ok(Asked { query, variables, name })
}
