//! Requests without an operation: `api`, by method and path, and `graphql`, by document.

use std::io::Write as _;

use clap::{Arg, ArgAction, ArgMatches, Command};
use driftless_runtime::codegen::GeneratedClient;
use driftless_runtime::graphql::{Answer, Delivery, GraphqlError};
use driftless_runtime::{Client, Object, Upload, Value};

use crate::answer::written;
use crate::arguments::body;
use crate::arguments::shape::json;
use crate::context::Context;
use crate::curl::{CurlOption, curl};
use crate::describe::method;
use crate::failure::{Exit, Failure, failure};

/// `api` and `graphql`.
pub(crate) fn commands() -> [Command; 2] {
    let pair = |name: &'static str, help: &'static str| {
        Arg::new(name).value_name("NAME=VALUE").help(help).action(ArgAction::Append).allow_hyphen_values(true)
    };
    let api = Command::new("api")
        .about("Sends a request by method and path")
        .arg(
            Arg::new("method")
                .required(true)
                .value_name("METHOD")
                .help("Method, such as GET; with a path only, GET or POST"),
        )
        .arg(Arg::new("path").value_name("PATH").help("Path from the base URL, such as /api/things?limit=5"))
        .arg(pair("field", "Member of a JSON body as text, or a query parameter of a GET").short('f').long("field"))
        .arg(
            pair("json", "The same as JSON: true, 5, null, [1]; another text stays text").short('F').long("json-field"),
        )
        .arg(pair("header", "Header of the request").short('H').long("header").value_name("NAME: VALUE"))
        .arg(
            Arg::new("input")
                .long("input")
                .value_name("FILE")
                .help("Body of the request: a file, or `-` for standard input")
                .allow_hyphen_values(true),
        );
    let graphql = Command::new("graphql")
        .about("Sends a GraphQL document")
        .arg(
            Arg::new("document")
                .required(true)
                .value_name("FILE")
                .help("File with one operation, or `-` for standard input")
                .allow_hyphen_values(true),
        )
        .arg(pair("var", "Variable: JSON, or else text").long("var"))
        .arg(
            Arg::new("subscribe")
                .long("subscribe")
                .help("Print each message of a subscription as a line of JSON")
                .action(ArgAction::SetTrue),
        );
    [api, graphql]
}

/// Runs `api`.
pub(crate) async fn api<P>(context: &Context, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + std::ops::Deref<Target = Client>,
{
    let word = |name: &str| matches.get_one::<String>(name).cloned();
    let input = word("input");
    let fields = fields(matches)?;
    let (verb, target) = match (word("method"), word("path")) {
        (Some(verb), Some(path)) => (verb.to_uppercase(), path),
        (first, _) => {
            let sends = input.is_some() || !fields.is_empty();
            (if sends { "POST" } else { "GET" }.to_owned(), first.unwrap_or_default())
        }
    };
    if !target.starts_with('/') {
        let hint = "nothing was sent; give METHOD and PATH, such as `api GET /api/things`";
        return Err(Failure::usage(format!("the path {target:?} does not begin with a slash"), hint));
    }
    let sink = context.sink()?;
    let client = context.client::<P>()?;
    let (path, query) = target.split_once('?').map_or((target.as_str(), ""), |(path, query)| (path, query));
    let mut request = client.request(method(&verb), path);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        request = request.query(&decoded(name), decoded(value));
    }
    let in_query = matches!(verb.as_str(), "GET" | "HEAD" | "DELETE");
    if let Some(source) = &input {
        // Standard input can be read once only.
        let (value, upload) = match source.as_str() {
            "-" => {
                let bytes = body::bytes(source)?;
                (serde_json::from_slice::<Value>(&bytes).ok(), Some(Upload::bytes(bytes)))
            }
            _ => match body::value(source) {
                Ok(value) => (Some(value), None),
                Err(_) => (None, Some(body::upload(source)?)),
            },
        };
        request = match (value, upload) {
            (Some(value), _) => request.json(&value),
            (None, Some(upload)) => request.body(upload),
            (None, None) => request,
        };
    } else if !fields.is_empty() && !in_query {
        request = request.json(&fields);
    }
    if in_query || input.is_some() {
        for (name, value) in fields.iter() {
            request = request.query(name, value);
        }
    }
    for header in matches.get_many::<String>("header").into_iter().flatten() {
        let (name, value) = header.split_once(':').ok_or_else(|| {
            Failure::usage(format!("the header {header:?} has no colon"), "write it as `NAME: VALUE`")
        })?;
        request = request.header(name.trim(), value.trim());
    }
    if let Some(time) = context.timeout {
        request = request.deadline(time);
    }
    let call = request.call::<Value>().raw();
    if context.dry_run {
        let preview = call.preview().map_err(|error| failure(&error))?;
        let file = input.as_ref().filter(|_| preview.body.is_none()).map(|file| ("--data-binary", format!("@{file}")));
        let more: Vec<CurlOption> = file.into_iter().collect();
        let line = curl(&preview, P::SECURITY, context.credentials(&client, P::VARIABLES, None), &more);
        return written(writeln!(std::io::stdout(), "{line}"));
    }
    let response = call.await.map_err(|error| failure(&error))?;
    let (status, headers) = (response.status(), response.headers().clone());
    sink.body(status, &headers, response.bytes())
}

/// A part of a query that was typed as an address has it.
fn decoded(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_encoding::percent_decode_str(&text).decode_utf8_lossy().into_owned()
}

fn fields(matches: &ArgMatches) -> Result<Object, Failure> {
    let mut object = Object::new();
    for (flag, is_json) in [("field", false), ("json", true)] {
        for pair in matches.get_many::<String>(flag).into_iter().flatten() {
            let (name, value) = split(pair)?;
            let value = match is_json {
                true => json(value).unwrap_or_else(|_| Value::String(value.to_owned())),
                false => Value::String(value.to_owned()),
            };
            object.set(name, value);
        }
    }
    Ok(object)
}

fn split(pair: &str) -> Result<(&str, &str), Failure> {
    pair.split_once('=').ok_or_else(|| Failure::usage(format!("{pair:?} has no `=`"), "write it as NAME=VALUE"))
}

/// Runs `graphql`.
pub(crate) async fn graphql<P>(context: &Context, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + std::ops::Deref<Target = Client>,
{
    let source = matches.get_one::<String>("document").map(String::as_str).unwrap_or_default();
    let document = body::text(source)?;
    let mut variables = Object::new();
    for pair in matches.get_many::<String>("var").into_iter().flatten() {
        let (name, value) = split(pair)?;
        variables.set(name, json(value).unwrap_or_else(|_| Value::String(value.to_owned())));
    }
    let sink = context.sink()?;
    let client = context.client::<P>()?;
    let graphql = client.graphql();
    if !matches.get_flag("subscribe") {
        let query = graphql.query::<Value, _>(&*document, &variables);
        let query = match context.timeout {
            Some(time) => query.deadline(time),
            None => query,
        };
        let answer = match query.await {
            Ok(answer) => answer,
            Err(error) => {
                if !error.graphql_errors().is_empty() {
                    let mut object = Object::new();
                    object.set("errors", errors(error.graphql_errors()));
                    sink.value(&Value::Object(object))?;
                }
                return Err(failure(&error));
            }
        };
        sink.value(&Value::Object(whole(&answer)))?;
        return match answer.errors().is_empty() {
            true => Ok(()),
            false => Err(Failure::new(Exit::Failed, format!("{} errors in the answer", answer.errors().len()), "")),
        };
    }
    let mut subscription = graphql.subscribe::<Value, _>(&*document, &variables);
    loop {
        let delivery = tokio::select! {
            delivery = subscription.next() => delivery,
            _ = tokio::signal::ctrl_c() => return Ok(()),
        };
        match delivery.transpose().map_err(|error| failure(&error))? {
            None => return Ok(()),
            Some(Delivery::Next(answer)) => sink.line(&Value::Object(whole(&answer)))?,
            Some(_) => sink.note("Messages may be missing or repeated here.")?,
        }
    }
}

/// The answer as the service sent it.
fn whole(answer: &Answer<Value>) -> Object {
    let mut object = Object::new();
    if let Some(data) = answer.data() {
        object.set("data", data.clone());
    }
    if !answer.errors().is_empty() {
        object.set("errors", errors(answer.errors()));
    }
    if !answer.extensions().is_empty() {
        object.set("extensions", Value::Object(answer.extensions().clone()));
    }
    object
}

fn errors(errors: &[GraphqlError]) -> Vec<Value> {
    errors.iter().filter_map(|error| serde_json::to_value(error).ok()).map(Value::from).collect()
}
