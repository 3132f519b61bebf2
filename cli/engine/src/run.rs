//! Runs one operation of the table.

use std::io::Write as _;

use clap::ArgMatches;
use driftless_runtime::codegen::prelude::decode;
use driftless_runtime::codegen::{GeneratedClient, Security};
use driftless_runtime::{Client, Value};

use crate::answer::written;
use crate::arguments::{Flags, body, shape};
use crate::checked::Checked;
use crate::context::Context;
use crate::curl::{CurlOption, curl};
use crate::describe::{description, paging};
use crate::failure::{Exit, Failure, failure};
use crate::names::kebab;
use crate::send::{Given, bytes, call};
use crate::table::{Described, Family, Form};
#[cfg(feature = "operations")]
use crate::work;

/// Runs the operation of a family with these arguments.
pub(crate) async fn run<P>(context: &Context, family: &Family, name: &str, matches: &ArgMatches) -> Result<(), Failure>
where
    P: GeneratedClient + std::ops::Deref<Target = Client>,
{
    let line = context.table.operation(family.name, name)?;
    if line.has_template() && matches.get_flag("body-template") {
        return template(context, &line);
    }
    if line.provenance == "assumed" && !context.assumed {
        let message = "the operation is assumed: no deployment has shown it yet";
        let hint = format!("pass `--assumed`, or set {}ASSUMED=1", P::VARIABLES);
        return Err(Failure::usage(message, hint));
    }
    let flags = Flags::new(context.table, &line);
    // A value can read `--body-template`, too, and then clap has required nothing.
    if let Some(missing) = flags.parameters.iter().chain(&flags.members).find(|flag| flag.is_missing(matches)) {
        return Err(Failure::usage(
            format!("{} is missing", missing.label()),
            "nothing was sent; `--help` lists the arguments",
        ));
    }
    let mut values: Vec<Option<Value>> = line.parameters.iter().map(|_| None).collect();
    for flag in &flags.parameters {
        if let (Some(slot), value) = (values.get_mut(flag.index), flag.value(matches)?) {
            *slot = value;
        }
    }
    let content = body::content(&line, &flags, matches)?;
    let checked = Checked::new(context.table, &line, &flags, &values, &content, matches)?;
    checked.finish(&format!("{} docs {} {}", context.program.name, kebab(family.name), kebab(name)))?;
    let main = if family.server.is_some() { Security::Token } else { P::SECURITY };
    let version = line.api_version.as_ref().and_then(|_| matches.get_one::<String>("api-version").cloned());
    let operation = description(family.name, name, &line, main, version);
    let given = Given { line, operation, values, content };
    let client = context.client::<P>()?;
    let client = match &family.server {
        Some(server) => client.server(server).map_err(|error| failure(&error))?,
        None => &client,
    };
    if context.dry_run {
        let more = body::curl_options(&given.line, &flags, matches);
        return dry(context, client, given, family.server.as_deref(), P::VARIABLES, &more);
    }
    #[cfg(feature = "operations")]
    if let Some(kind) = given.line.binding.clone() {
        return work::submit(context, client, &kind, given, matches).await;
    }
    send(context, client, given, matches).await
}

async fn send(context: &Context, client: &Client, given: Given, matches: &ArgMatches) -> Result<(), Failure> {
    let sink = context.sink()?;
    let end = context.timeout.and_then(|time| tokio::time::Instant::now().checked_add(time));
    let form = given.form();
    let Given { line, operation, values, content } = given;
    let limit = line.paging.as_ref().and_then(|_| matches.get_one::<u64>("limit").copied());
    if let Some(page) = line.paging.as_ref().filter(|_| limit.is_some() || matches.get_flag("all")) {
        if context.has_file() {
            let hint = "nothing was sent; write rows with `>`, such as `-o ndjson > FILE`";
            return Err(Failure::usage("`--output` is for one answer as it is, not for the rows of pages", hint));
        }
        let call = context.timed(call(client, operation, form, &values, content, decode::json::<Value>));
        let mut items = call.items::<Value>(paging(page));
        if let Some(limit) = limit {
            items = items.limit(limit);
        }
        let mut screen = sink.printer.screen();
        let mut rows = sink.printer.rows(screen.streams());
        while let Some(item) = items.next().await {
            match item {
                Ok(item) => rows.row(&item)?,
                Err(error) => {
                    let flushed = rows.flush();
                    flushed.and(screen.finish(&mut std::io::stderr()))?;
                    return Err(failure(&error));
                }
            }
        }
        return rows.end().and(screen.finish(&mut std::io::stderr()));
    }
    match line.result.form {
        Form::Stream => {
            let call = context.timed(call(client, operation, form, &values, content, decode::stream));
            let response = call.with_response().await.map_err(|error| failure(&error))?;
            let headers = response.headers().clone();
            within(end, sink.stream(&headers, response.into_value())).await
        }
        Form::Events => {
            let call = context.timed(call(client, operation, form, &values, content, decode::events));
            within(end, sink.events(call.await.map_err(|error| failure(&error))?)).await
        }
        _ => {
            let call = context.timed(call(client, operation, form, &values, content, bytes));
            let response = call.with_response().await.map_err(|error| failure(&error))?;
            if line.result.form == Form::Redirect
                && let Some(location) = response.header("location")
            {
                return sink.value(&Value::String(location.to_owned()));
            }
            let (status, headers) = (response.status(), response.headers().clone());
            sink.body(status, &headers, &response.into_value())?;
            if line.paging.is_some() {
                sink.note("This is one page: `--all` reads all pages, `--limit NUMBER` some.")?;
            }
            Ok(())
        }
    }
}

/// An answer that is read as it comes. The deadline of a call ends with the head of the answer; this one goes on.
async fn within(
    end: Option<tokio::time::Instant>,
    answer: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    let Some(end) = end else { return answer.await };
    tokio::time::timeout_at(end, answer).await.unwrap_or_else(|_| {
        let message = "the answer has not ended in the time of `--timeout`";
        Err(Failure::new(Exit::Unreachable, message, "leave `--timeout` out, or give more time"))
    })
}

/// Prints a body to fill in.
fn template(context: &Context, line: &Described) -> Result<(), Failure> {
    let Some(body) = &line.body else { return Ok(()) };
    let value = match &body.schema {
        Some(schema) => shape::template(context.table, schema),
        None => return Err(Failure::usage(format!("the body is {}, not JSON", body.media_type), "give `--body FILE`")),
    };
    written(writeln!(std::io::stdout(), "{}", crate::output::pretty(&value)))
}

/// Prints the request as a command of curl. Credentials are left to the shell.
fn dry(
    context: &Context,
    client: &Client,
    given: Given,
    server: Option<&str>,
    variables: &str,
    more: &[CurlOption],
) -> Result<(), Failure> {
    let form = given.form();
    let security = given.operation.security;
    let call = call(client, given.operation, form, &given.values, given.content, bytes);
    let preview = call.preview().map_err(|error| failure(&error))?;
    let line = curl(&preview, security, context.credentials(client, variables, server), more);
    written(writeln!(std::io::stdout(), "{line}"))
}
