//! Runs one operation of the table.

use std::io::Write as _;

use clap::ArgMatches;
use driftless_runtime::codegen::prelude::decode;
use driftless_runtime::codegen::{GeneratedClient, Security};
use driftless_runtime::{Client, Preview, Value};

use crate::answer::written;
use crate::arguments::{Flags, body, shape};
use crate::checked::Checked;
use crate::context::Context;
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
    if line.body.is_some() && matches.get_flag("body-template") {
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
            format!("{} is missing", missing.shown()),
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
        let files = body::curl_words(&given.line, &flags, matches);
        return dry(context, client, given, P::VARIABLES, &files);
    }
    #[cfg(feature = "operations")]
    if let Some(kind) = given.line.binding.clone() {
        return work::submit(context, client, &kind, given, matches).await;
    }
    send(context, client, given, matches).await
}

async fn send(context: &Context, client: &Client, given: Given, matches: &ArgMatches) -> Result<(), Failure> {
    let sink = context.sink()?;
    let end = context.timeout.map(|time| tokio::time::Instant::now() + time);
    let form = given.form();
    let Given { line, operation, values, content } = given;
    let limit = line.paging.as_ref().and_then(|_| matches.get_one::<u64>("limit").copied());
    if let Some(page) = line.paging.as_ref().filter(|_| limit.is_some() || matches.get_flag("all")) {
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
                    rows.flush()?;
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
fn dry(context: &Context, client: &Client, given: Given, variables: &str, files: &[String]) -> Result<(), Failure> {
    let form = given.form();
    let security = given.operation.security;
    let call = call(client, given.operation, form, &given.values, given.content, bytes);
    let preview = call.preview().map_err(|error| failure(&error))?;
    let line = curl(&preview, security, context.program.name, variables, files);
    written(writeln!(std::io::stdout(), "{line}"))
}

/// A word that a POSIX shell takes as it is.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// The request as a command of curl. `files`: the words for a body that is not in memory.
pub(crate) fn curl(preview: &Preview, security: Security, program: &str, variables: &str, files: &[String]) -> String {
    use driftless_runtime::codegen::Scheme;
    let mut words = vec!["curl".to_owned(), "--request".to_owned(), preview.method.to_string(), quoted(&preview.url)];
    let schemes: &[Scheme] = match security {
        Security::Token => &[Scheme::Token],
        Security::None => &[],
        Security::Any(alternatives) => alternatives.first().copied().unwrap_or_default(),
    };
    for scheme in schemes {
        match scheme {
            Scheme::Token => {
                words.extend(["--header".to_owned(), format!("\"Authorization: Bearer $({program} token)\"")])
            }
            Scheme::Header { name, .. } => {
                words.extend(["--header".to_owned(), format!("\"{name}: ${variables}API_KEY\"")])
            }
            Scheme::Cookie { name, .. } => {
                words.extend(["--cookie".to_owned(), format!("\"{name}=${variables}API_KEY\"")])
            }
            Scheme::Query { name, .. } => {
                words.extend([
                    "--get".to_owned(),
                    "--data-urlencode".to_owned(),
                    format!("\"{name}=${variables}API_KEY\""),
                ]);
            }
            Scheme::Basic { .. } => words.extend(["--user".to_owned(), format!("\"${variables}BASIC_USER\"")]),
        }
    }
    // curl chooses the boundary of a form by itself.
    let is_form = files.iter().any(|word| word.starts_with("--form"));
    for (name, value) in preview.headers.iter().filter(|(name, _)| !(is_form && *name == "content-type")) {
        let value = String::from_utf8_lossy(value.as_bytes());
        words.extend(["--header".to_owned(), quoted(&format!("{name}: {value}"))]);
    }
    if let Some(body) = &preview.body {
        words.extend(["--data-raw".to_owned(), quoted(&String::from_utf8_lossy(body))]);
    }
    words.extend(files.iter().map(|word| if word.starts_with("--") { word.clone() } else { quoted(word) }));
    crate::terminal::plain(&words.join(" ")).into_owned()
}
