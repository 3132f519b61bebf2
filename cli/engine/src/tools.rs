//! The operations of the table as tools of the Model Context Protocol.

#[cfg(feature = "operations")]
mod asynchronous;
#[cfg(not(feature = "operations"))]
#[path = "tools/none.rs"]
mod asynchronous;

use std::sync::OnceLock;

use base64::Engine as _;
use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};
use driftless_runtime::codegen::prelude::{Operation, decode};
use driftless_runtime::codegen::{GeneratedClient, Parts, Security};
use driftless_runtime::{Client, HeaderMap, StatusCode, Upload, Value};
use serde_json::{Map, Value as Json, json};

#[cfg(feature = "operations")]
use crate::Program;
use crate::arguments::body::{Content, part};
use crate::context::Context;
use crate::describe::description;
use crate::failure::{Failure, failure};
use crate::mcp::{
    Effect, McpArguments, OperationDetails, OperationEntry, OperationState, Operations, Pending, Report, ServedService,
    ToolAnswer, ToolBody,
};
use crate::send::call;
use crate::table::{BodyForm, Described, Family, Form, Head, PartKind, Table};

/// `mcp`.
pub(crate) fn command() -> Command {
    let about = "Serves the operations as tools for agents (Model Context Protocol)";
    // The arguments have a sentence of their own about all of them.
    McpArguments::augment_args(Command::new("mcp")).about(about)
}

/// Runs `mcp`.
pub(crate) async fn run<P>(context: &Context, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + std::ops::Deref<Target = Client>,
{
    let arguments = McpArguments::from_arg_matches(matches)
        .map_err(|error| Failure::usage(error.to_string(), "`mcp --help` lists the options"))?;
    let tools = TableTools::new::<P>(context, arguments.api_version.clone())?;
    crate::mcp::serve(std::sync::Arc::new(tools), arguments).await
}

/// The operations of a table, with the client of a profile.
struct TableTools {
    #[cfg(feature = "operations")]
    program: Program,
    table: Table,
    client: Client,
    security: Security,
    /// The version of the interface, in place of the contract's.
    version: Option<String>,
    service: ServedService,
    entries: Vec<OperationEntry>,
    /// By the index of an entry.
    families: Vec<Family>,
    described: Vec<OnceLock<&'static Operation>>,
    #[cfg(feature = "operations")]
    operations: OnceLock<driftless_runtime::operations::Operations>,
}

/// Words of a name for what cannot be undone.
const DESTROYS: [&str; 7] = ["delete", "destroy", "drop", "erase", "purge", "remove", "terminate"];

fn effect(head: &Head) -> Effect {
    let destroys = head.name.split('_').any(|word| DESTROYS.contains(&word));
    match head.method.as_str() {
        "GET" | "HEAD" | "OPTIONS" => Effect::Read,
        _ if destroys => Effect::Destroy,
        "DELETE" => Effect::Destroy,
        "POST" => Effect::Create,
        _ => Effect::Change,
    }
}

impl TableTools {
    fn new<P>(context: &Context, version: Option<String>) -> Result<Self, Failure>
    where
        P: GeneratedClient + std::ops::Deref<Target = Client>,
    {
        Self::over(context, context.client::<P>()?, P::SECURITY, version)
    }

    /// The operations of the table of a program, with this client.
    fn over(context: &Context, client: Client, security: Security, version: Option<String>) -> Result<Self, Failure> {
        let (mut entries, mut families) = (Vec::new(), Vec::new());
        for family in context.table.families()? {
            for head in context.table.heads(family.name)? {
                if head.is_assumed() && !context.assumed {
                    continue;
                }
                entries.push(OperationEntry {
                    family: family.name.to_owned(),
                    name: head.name.to_owned(),
                    summary: head.summary(),
                    effect: effect(&head),
                    is_idempotent: matches!(head.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "PUT" | "DELETE"),
                    is_assumed: head.is_assumed(),
                    is_deprecated: head.deprecated,
                    is_asynchronous: cfg!(feature = "operations") && head.binding.is_some(),
                    method: head.method,
                    path: head.path,
                });
                families.push(family.clone());
            }
        }
        let program = context.program;
        let service = ServedService {
            name: program.name.to_owned(),
            title: program.name.to_owned(),
            version: program.version.to_owned(),
            instructions: program.about.to_owned(),
        };
        let described = entries.iter().map(|_| OnceLock::new()).collect();
        Ok(Self {
            #[cfg(feature = "operations")]
            program,
            table: context.table,
            client,
            security,
            version,
            service,
            entries,
            families,
            described,
            #[cfg(feature = "operations")]
            operations: OnceLock::new(),
        })
    }

    fn line(&self, index: usize) -> Result<(&Family, Described), Failure> {
        let family = self.families.get(index).zip(self.entries.get(index));
        let (family, entry) =
            family.ok_or_else(|| Failure::usage("no operation has this index", "list the operations again"))?;
        Ok((family, self.table.operation(family.name, &entry.name)?))
    }

    /// The schema, with all types that it refers to.
    fn closed(&self, schema: Json) -> Json {
        let mut definitions = Map::new();
        let mut next = crate::shell::references(&schema);
        while let Some(name) = next.pop() {
            if definitions.contains_key(&name) {
                continue;
            }
            let text = self.table.definition(&name).unwrap_or("true");
            let definition = serde_json::from_str(text).unwrap_or(Json::Bool(true));
            next.extend(crate::shell::references(&definition));
            definitions.insert(name, definition);
        }
        match schema {
            Json::Object(mut members) if !definitions.is_empty() => {
                members.insert("$defs".to_owned(), Json::Object(definitions));
                Json::Object(members)
            }
            schema => schema,
        }
    }

    async fn send(&self, index: usize, mut arguments: Map<String, Json>, limit: usize) -> Result<ToolAnswer, Failure> {
        let (family, line) = self.line(index)?;
        if self.version.is_none() && line.api_version.as_ref().is_some_and(|version| version.sent_default().is_none()) {
            let message = "nothing was sent: the operation needs a version of the interface";
            return Err(Failure::usage(message, "the person who starts the server can add: --api-version VERSION"));
        }
        let content = match (&line.body, arguments.remove("body")) {
            (Some(body), Some(value)) => content(body, value)?,
            _ => Content::None,
        };
        let argument = |name: &str| arguments.get(name).cloned().map(Value::from);
        let values: Vec<Option<Value>> = line.parameters.iter().map(|parameter| argument(&parameter.name)).collect();
        let cell = self.described.get(index);
        let make = || {
            let main = if family.server.is_some() { Security::Token } else { self.security };
            let name = self.entries.get(index).map(|entry| entry.name.as_str()).unwrap_or_default();
            description(family.name, name, &line, main, self.version.clone())
        };
        let operation = cell.map_or_else(make, |cell| cell.get_or_init(make));
        let client = match &family.server {
            Some(server) => self.client.server(server).map_err(|error| failure(&error))?,
            None => &self.client,
        };
        let form = line.body.as_ref().map_or("json", |body| body.form.as_str());
        #[cfg(feature = "operations")]
        if let Some(kind) = &line.binding {
            let call = call(client, operation, form, &values, content, crate::send::bytes);
            return asynchronous::submit(self, call, kind).await;
        }
        let call = call(client, operation, form, &values, content, decode::stream);
        let response = call.with_response().await.map_err(|error| failure(&error))?;
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.into_value().bytes_up_to(limit).await.map_err(|error| failure(&error))?;
        Ok(ToolAnswer { status: status.as_u16(), body: body(status, &headers, &bytes, &line), reference: None })
    }
}

impl Operations for TableTools {
    fn service(&self) -> &ServedService {
        &self.service
    }

    fn entries(&self) -> &[OperationEntry] {
        &self.entries
    }

    fn details(&self, index: usize) -> Option<OperationDetails> {
        let (_, line) = self.line(index).ok()?;
        let (mut properties, mut required) = (Map::new(), Vec::new());
        let is_key = self.table.submission_key(&line);
        for parameter in line.parameters.iter().filter(|parameter| !is_key(parameter)) {
            properties.insert(parameter.name.clone(), parameter.schema.clone());
            if parameter.required {
                required.push(json!(parameter.name));
            }
        }
        if let Some(body) = &line.body {
            properties.insert("body".to_owned(), body_schema(body));
            if body.required {
                required.push(json!("body"));
            }
        }
        let arguments = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        let is_json = matches!(line.result.form, Form::Json | Form::OptionalJson);
        let result = line.result.schema.clone().filter(|_| is_json);
        let statuses = line.statuses.iter().map(|(status, description)| format!("\n- {status}: {description}"));
        let statuses: String = statuses.collect();
        let description = format!("{}\n\n`{} {}`\n{statuses}", line.docs.trim(), line.method, line.path);
        Some(OperationDetails {
            description: description.trim().to_owned(),
            arguments: self.closed(arguments),
            result: result.map(|schema| self.closed(schema)),
        })
    }

    fn call(&self, index: usize, arguments: Map<String, Json>, limit: usize) -> Pending<'_, ToolAnswer> {
        Box::pin(self.send(index, arguments, limit))
    }

    fn state<'a>(&'a self, reference: &'a str) -> Pending<'a, OperationState> {
        Box::pin(asynchronous::state(self, reference))
    }

    fn wait<'a>(&'a self, reference: &'a str, report: &'a Report<'a>) -> Pending<'a, OperationState> {
        Box::pin(asynchronous::wait(self, reference, report))
    }

    fn cancel<'a>(&'a self, reference: &'a str) -> Pending<'a, OperationState> {
        Box::pin(asynchronous::cancel(self, reference))
    }
}

/// Files and bytes are Base64: JSON has no other form for them.
fn body_schema(body: &BodyForm) -> Json {
    let bytes = || json!({ "type": "string", "format": "byte", "description": "The file, as Base64." });
    match body.form.as_str() {
        "multipart" => {
            let (mut properties, mut required) = (Map::new(), Vec::new());
            for part in &body.parts {
                let schema = match part.kind {
                    PartKind::File => bytes(),
                    PartKind::Files => json!({ "type": "array", "items": bytes() }),
                    _ => part.schema.clone(),
                };
                properties.insert(part.name.clone(), schema);
                if part.required {
                    required.push(json!(part.name));
                }
            }
            json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
        }
        "text" | "xml" => json!({ "type": "string", "description": body.media_type }),
        "binary" => bytes(),
        _ => body.schema.clone().unwrap_or(Json::Bool(true)),
    }
}

fn content(body: &BodyForm, value: Json) -> Result<Content, Failure> {
    let text = |value: &Json| value.as_str().map(str::to_owned).unwrap_or_default();
    Ok(match body.form.as_str() {
        "multipart" => {
            let mut parts = Parts::default();
            for line in &body.parts {
                let Some(value) = value.get(&line.name) else { continue };
                let files = match line.kind {
                    PartKind::File => vec![file(value)?],
                    PartKind::Files => value.as_array().into_iter().flatten().map(file).collect::<Result<_, _>>()?,
                    _ => Vec::new(),
                };
                part(&mut parts, line, files, Some(Value::from(value.clone())));
            }
            Content::Parts(parts)
        }
        "text" => Content::Text(text(&value)),
        "xml" => Content::Upload(Upload::bytes(text(&value)).content_type(body.media_type.clone())),
        "binary" => Content::Upload(file(&value)?.content_type(body.media_type.clone())),
        _ => Content::Value(Value::from(value)),
    })
}

fn file(value: &Json) -> Result<Upload, Failure> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(value.as_str().unwrap_or_default());
    let bytes =
        bytes.map_err(|_| Failure::usage("a file is not Base64", "encode it as Base64 (RFC 4648, section 4)"))?;
    Ok(Upload::bytes(bytes).file_name("file"))
}

fn body(status: StatusCode, headers: &HeaderMap, bytes: &[u8], line: &Described) -> ToolBody {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    if line.result.form == Form::Redirect || status.is_redirection() {
        let location = header("location").map(|location| json!({ "location": location }));
        return location.map_or(ToolBody::Empty, ToolBody::Json);
    }
    if bytes.is_empty() {
        return ToolBody::Empty;
    }
    let media_type = header("content-type").unwrap_or_else(|| "application/octet-stream".to_owned());
    if let Ok(value) = serde_json::from_slice(bytes) {
        return ToolBody::Json(value);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => ToolBody::Text { media_type, text: text.to_owned() },
        Err(_) => ToolBody::Bytes { media_type, bytes: bytes.to_vec() },
    }
}

#[cfg(test)]
mod tests;
