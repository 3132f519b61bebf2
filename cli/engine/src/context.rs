//! The program, and the general options of a command.

use std::path::PathBuf;
use std::time::Duration;

use clap::ArgMatches;
use driftless_runtime::codegen::GeneratedClient;
use driftless_runtime::{Call, Client, Middleware, MiddlewareFuture, Next, Outgoing};

use crate::Program;
use crate::answer::Sink;
use crate::curl::Credentials;
use crate::failure::Failure;
use crate::output::{Format, Printer};
use crate::save::OutputFile;
use crate::table::Table;
use crate::terminal::{Terminal, plain};

/// A command in its program.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) program: Program,
    pub(crate) table: Table,
    pub(crate) terminal: Terminal,
    pub(crate) profile: Option<String>,
    pub(crate) dry_run: bool,
    pub(crate) assumed: bool,
    pub(crate) timeout: Option<Duration>,
    verbose: bool,
    format: Option<Format>,
    fields: Option<String>,
    output: Option<PathBuf>,
    pager: bool,
}

impl Context {
    /// Reads the general options.
    pub(crate) fn new(program: Program, table: Table, assumed: bool, matches: &ArgMatches) -> Self {
        Self {
            program,
            table,
            terminal: Terminal::stdout(),
            profile: matches.get_one("profile").cloned(),
            dry_run: matches.get_flag("dry-run"),
            assumed: assumed || matches.get_flag("assumed"),
            timeout: matches.get_one("timeout").copied().map(Duration::from_secs),
            verbose: matches.get_flag("verbose"),
            format: matches.get_one("format").copied(),
            fields: matches.get_one("fields").cloned(),
            output: matches.get_one::<String>("output").map(PathBuf::from),
            pager: !matches.get_flag("no-pager"),
        }
    }

    /// The client of the chosen profile.
    pub(crate) fn client<P>(&self) -> Result<Client, Failure>
    where
        P: GeneratedClient + std::ops::Deref<Target = Client>,
    {
        let client =
            crate::account::client::<P>(&self.program, self.profile.as_deref(), |builder| match self.verbose {
                true => builder.middleware(Verbose),
                false => builder,
            })?;
        Ok((*client).clone())
    }

    /// The call, with the time that the command line gives it.
    pub(crate) fn timed<'c, T>(&self, call: Call<'c, T>) -> Call<'c, T> {
        match self.timeout {
            Some(time) => call.deadline(time),
            None => call,
        }
    }

    /// Returns whether the answer goes to a file.
    pub(crate) fn has_file(&self) -> bool {
        self.output.is_some()
    }

    /// The credentials for a request that somebody else sends.
    pub(crate) fn credentials<'a>(
        &'a self,
        client: &Client,
        variables: &'a str,
        server: Option<&'a str>,
    ) -> Credentials<'a> {
        let has_token = driftless_runtime::program::credential(client).is_some();
        Credentials { program: self.program.name, variables, profile: self.profile.as_deref(), server, has_token }
    }

    /// The place for the answer.
    pub(crate) fn sink(&self) -> Result<Sink<'_>, Failure> {
        if let Some(path) = &self.output {
            OutputFile::check(path)?;
        }
        Ok(Sink { printer: self.printer()?, terminal: self.terminal, file: self.output.as_deref() })
    }

    pub(crate) fn printer(&self) -> Result<Printer, Failure> {
        Printer::new(self.format, self.fields.as_deref(), self.terminal, self.pager)
    }
}

/// Prints each attempt to standard error. It sees neither the token nor a body.
struct Verbose;

impl Middleware for Verbose {
    #[allow(clippy::print_stderr, reason = "a person asked for it")]
    fn handle<'a>(&'a self, request: Outgoing, next: Next<'a>) -> MiddlewareFuture<'a> {
        Box::pin(async move {
            let line = format!("{} {}", request.method, request.url());
            let attempt = request.attempt();
            eprintln!(
                "> {}{}",
                plain(&line),
                if attempt > 1 { format!(" (attempt {attempt})") } else { String::new() }
            );
            let started = std::time::Instant::now();
            let answer = next.run(request).await;
            let time = started.elapsed().as_millis();
            match &answer {
                Ok(answer) => eprintln!("< {} after {time} ms", answer.status()),
                Err(error) => eprintln!("< {} after {time} ms", plain(&error.to_string())),
            }
            answer
        })
    }
}
