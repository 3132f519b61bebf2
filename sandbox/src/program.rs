//! The flags of the whole sandbox.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use driftless_sandbox_control::command;
use lexopt::{Arg, Parser, ValueExt as _};
use platform_sandbox::{Options, Sandbox, SecretFile, SecretFolder};

use crate::commands;
use crate::ends::Ends;
use crate::failure::{CONFIGURATION, Failure, failed, refused, screened};
use crate::output::{json, print};

/// Exit codes of the commands that control a sandbox.
const REFUSED: u8 = 1;
const UNREACHABLE: u8 = 3;

const HELP: &str = "\
Runs the local stand-in for the platform until Ctrl-C

Usage: platform-sandbox [OPTIONS]
       cargo xtask sandbox [OPTIONS]
       platform-sandbox control [--sandbox <URL>] <COMMAND>      controls a running one; see `control --help`

Options:
      --port <PORT>               Port to listen on; 0 for any free one [default: 0]
      --compliance-port <PORT>    Port of the compliance resource server; 0 for any free one [default: 0]
      --listen <ADDRESS>          Address to listen on; anyone who can reach it can control the sandbox [default: 127.0.0.1]
      --public-host <HOST>        Host in the printed and served addresses, if clients use another name than the address
      --contract-requires-token   Require a bearer token for the contract
      --contract-revision <N>     Revision of the contract: 2 has additive, source-breaking and wire-breaking changes [default: 1]
      --compliance-team <ID>      Team of the compliance resource server, as a GUID [default: the first one of the seed]
      --step <MILLISECONDS>       Duration of a step of asynchronous work; work has three, and an event follows [default: 150]
      --data <FILE>               SQLite file for the state [default: in memory]
      --seed <FILE>               Seed in TOML, replacing the built-in one (sandbox/seed.toml)
      --secrets <DIR>             Folder for the files with secrets and passwords, with the same paths at every start
                                  [default: a new temporary folder]
      --cors <ORIGIN>             Let pages of this origin call the sandbox from a browser, with cookies; repeatable.
                                  `*`, alone, allows every page, without cookies and without /sandbox
      --header-timeout <SECONDS>  Close a connection that takes longer for the head of a request; 0 disables this [default: 30]
      --graphiql <DIR>            Folder into which sandbox/graphiql/install.sh has installed GraphiQL [default: a plain
                                  page]
      --json                      Print one line of JSON when it listens: base_url, auth_url, contract_url, graphql_url,
                                  compliance_url, clients (client_id, secret_file) and users (name, password_file)
      --end-with-stdin            End when standard input does, and so with the program that started it
  -h, --help                      Print this help
  -V, --version                   Print the version

Exit codes:
  0  ended by a signal, or by the end of its standard input
  5  invalid command line, seed, origin or team, or a port in use
  6  error of the file system or the operating system, or standard output cannot be written
";

/// The arguments of the command line.
#[derive(Debug, Default)]
struct Flags {
    options: Options,
    secrets: Option<PathBuf>,
    json: bool,
    end_with_stdin: bool,
}

#[derive(Debug)]
enum Request {
    Run(Box<Flags>),
    Control(Option<String>, Vec<String>),
    Help(&'static str),
    Version,
}

/// Does what the command line says.
pub(crate) fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    match parse(arguments)? {
        Request::Help(text) => print(text.as_bytes()),
        Request::Control(base, words) => control(base, &words),
        Request::Version => print(concat!("platform-sandbox ", env!("CARGO_PKG_VERSION"), "\n").as_bytes()),
        Request::Run(flags) => serve(&flags),
    }
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, Failure> {
    let refuse = |error: lexopt::Error| misread(error.to_string());
    let mut parser = Parser::from_iter(arguments);
    let mut flags = Flags::default();
    while let Some(argument) = parser.next().map_err(refuse)? {
        let options = &mut flags.options;
        match argument {
            Arg::Value(word) if word == "control" => return control_words(&mut parser),
            Arg::Short('h') | Arg::Long("help") => return Ok(Request::Help(HELP)),
            Arg::Short('V') | Arg::Long("version") => return Ok(Request::Version),
            Arg::Long("contract-requires-token") => options.contract_requires_token = true,
            Arg::Long("json") => flags.json = true,
            Arg::Long("end-with-stdin") => flags.end_with_stdin = true,
            Arg::Long("port") => options.port = value(&mut parser, "--port")?,
            Arg::Long("compliance-port") => options.compliance_port = value(&mut parser, "--compliance-port")?,
            Arg::Long("listen") => options.listen = Some(value(&mut parser, "--listen")?),
            Arg::Long("public-host") => options.public_host = Some(value(&mut parser, "--public-host")?),
            Arg::Long("contract-revision") => options.contract_revision = value(&mut parser, "--contract-revision")?,
            Arg::Long("compliance-team") => {
                options.compliance_team = Some(value(&mut parser, "--compliance-team")?);
            }
            Arg::Long("step") => options.step = Some(Duration::from_millis(value(&mut parser, "--step")?)),
            Arg::Long("data") => options.data = Some(path(&mut parser, "--data")?),
            Arg::Long("seed") => options.seed = Some(path(&mut parser, "--seed")?),
            Arg::Long("graphiql") => options.graphiql = Some(path(&mut parser, "--graphiql")?),
            Arg::Long("cors") => options.cors.push(parser.value().and_then(|value| value.string()).map_err(refuse)?),
            Arg::Long("header-timeout") => {
                options.header_timeout = Some(Duration::from_secs(value(&mut parser, "--header-timeout")?));
            }
            Arg::Long("secrets") => flags.secrets = Some(path(&mut parser, "--secrets")?),
            other => return Err(refuse(other.unexpected())),
        }
    }
    Ok(Request::Run(Box::new(flags)))
}

/// The words after `control`.
fn control_words(parser: &mut Parser) -> Result<Request, Failure> {
    let refuse = |error: lexopt::Error| misread(error.to_string());
    let (mut base, mut words) = (None, Vec::new());
    while let Some(argument) = parser.next().map_err(refuse)? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Request::Help(commands::HELP)),
            Arg::Long("sandbox") => base = Some(parser.value().and_then(|value| value.string()).map_err(refuse)?),
            Arg::Value(word) => words.push(word.string().map_err(refuse)?),
            other => return Err(refuse(other.unexpected())),
        }
    }
    Ok(Request::Control(base, words))
}

/// Sends one request to a running sandbox. Its answer is the output; a refusal is an error.
fn control(base: Option<String>, words: &[String]) -> Result<(), Failure> {
    let hint = "`platform-sandbox control --help` lists the commands";
    let wrong = |message| Failure { code: "command-line", message, hint, exit: CONFIGURATION };
    let asked = command::read(words, commands::COMMANDS).map_err(wrong)?;
    let base = base.or_else(|| std::env::var("PLATFORM_BASE_URL").ok().filter(|base| !base.is_empty()));
    let base = base.ok_or_else(|| {
        wrong("the base URL of the sandbox is missing: pass --sandbox URL, or set PLATFORM_BASE_URL".to_owned())
    })?;
    match command::send(&base, &asked, env!("CARGO_PKG_NAME")) {
        Ok(command::Answered::Done(mut body)) => {
            if body.last().is_some_and(|last| *last != b'\n') {
                body.push(b'\n');
            }
            print(&body)
        }
        Ok(command::Answered::Refused(status, body)) => {
            let answer = String::from_utf8_lossy(&body).into_owned();
            let message = format!("the sandbox answered {status}: {}", answer.trim());
            Err(Failure { code: "control-refused", message, hint, exit: REFUSED })
        }
        Err(command::NotSent::Address(message)) => Err(Failure {
            code: "command-line",
            message,
            hint: "pass the base URL of a sandbox on this machine, such as http://127.0.0.1:8080",
            exit: CONFIGURATION,
        }),
        Err(command::NotSent::NoSandbox(message)) => Err(Failure {
            code: "control-unreachable",
            message,
            hint: "start one with `platform-sandbox`, and pass its base URL",
            exit: UNREACHABLE,
        }),
    }
}

fn value<T: std::str::FromStr>(parser: &mut Parser, flag: &str) -> Result<T, Failure>
where
    T::Err: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let value = parser.value().map_err(|error| misread(error.to_string()))?;
    value.parse().map_err(|error| misread(format!("{flag}: {error}")))
}

/// The path of a flag. An empty one is refused: it would mean the working directory.
fn path(parser: &mut Parser, flag: &str) -> Result<PathBuf, Failure> {
    let value = parser.value().map_err(|error| misread(error.to_string()))?;
    match value.is_empty() {
        true => Err(misread(format!("{flag}: the path is empty"))),
        false => Ok(value.into()),
    }
}

fn misread(message: String) -> Failure {
    Failure { code: "command-line", message, hint: "`platform-sandbox --help` lists the flags", exit: CONFIGURATION }
}

fn serve(flags: &Flags) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| refused("sandbox-runtime", &error))?.block_on(async {
        // Before the secret files exist, so that a signal at any time removes them.
        let mut ends = Ends::listen(flags.end_with_stdin).map_err(|error| refused("sandbox-signals", &error))?;
        let sandbox = platform_sandbox::start_with(flags.options.clone()).await.map_err(|error| failed(&error))?;
        let secrets = sandbox.publish_secrets(flags.secrets.as_deref()).map_err(|error| failed(&error))?;
        let addresses = [
            ("base_url", sandbox.base_url()),
            ("auth_url", sandbox.auth_url()),
            ("contract_url", &sandbox.contract_url()),
            ("graphql_url", &sandbox.graphql_url()),
            ("compliance_url", sandbox.compliance_url()),
        ];
        let output = if flags.json { json(&addresses, &secrets)? } else { announcement(&sandbox, &secrets) };
        // A sandbox whose addresses cannot be printed is of no use: it ends.
        print(screened(&output).as_bytes())?;
        if !flags.json {
            let _ = writeln!(io::stderr(), "Ctrl-C ends the sandbox and removes the secret files");
        }
        ends.next().await;
        // A second signal does not wait for running requests.
        tokio::select! {
            () = sandbox.stop() => {}
            () = ends.next() => {}
        }
        Ok(())
    })
}

/// The addresses and files as text, for people and shells.
fn announcement(sandbox: &Sandbox, secrets: &SecretFolder) -> String {
    let mut lines = vec![
        format!("base URL   {}", sandbox.base_url()),
        format!("issuer     {}", sandbox.auth_url()),
        format!("contract   {}", sandbox.contract_url()),
        format!("graphql    {}", sandbox.graphql_url()),
        format!("compliance {}", sandbox.compliance_url()),
        format!("console    {}/sandbox", sandbox.base_url()),
    ];
    let client = |file: &SecretFile| format!("client     {}  secret file {}", file.client_id, file.path.display());
    lines.extend(secrets.clients().iter().map(client));
    let user = |(name, path): &(String, PathBuf)| format!("user       {name}  password file {}", path.display());
    lines.extend(secrets.users().iter().map(user));
    lines.push("\nFor a program in another terminal:".to_owned());
    lines.push(format!("export PLATFORM_BASE_URL={} PLATFORM_ISSUER={}", sandbox.base_url(), sandbox.auth_url()));
    if let Some(file) = secrets.clients().first() {
        let (client, path) = (word(&file.client_id), word(&file.path.to_string_lossy()));
        lines.push(format!("export PLATFORM_CLIENT_ID={client} PLATFORM_SECRET_FILE={path}"));
    }
    lines.join("\n") + "\n"
}

/// Quotes a text as one word of a shell.
fn word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./+@%,:".contains(letter);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
