//! The sandbox as a program, which runs until a signal.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use driftless_sandbox::{Behaviour, Document, Error, Options};
use driftless_sandbox_control::command::{self, Answered, Command, NotSent, Takes};
use lexopt::{Arg, Parser, ValueExt as _};

const HELP: &str = "\
Serves contracts with state, on loopback, or on the address of --listen

Usage: driftless-sandbox --contract <FILE> [OPTIONS] [serve|explain]
       driftless-sandbox control --sandbox <URL> <COMMAND>

Commands:
  serve     Print `listening on http://127.0.0.1:PORT`, and serve until a signal [default]
  explain   Print a table of the operations: what each was taken for, and why
  control   Inspect and change a running sandbox: its faults, journal, clock and items; `control --help` lists the commands

A console with journal, faults and clock is at http://127.0.0.1:PORT/sandbox.

Options:
      --contract <FILE>   Document of Swagger 2.0 or OpenAPI 3, in JSON or YAML. Repeat it to serve several on one port
      --listen <ADDRESS>  Address to listen on, such as 0.0.0.0 in a container; anyone who can reach the port can control
                          the sandbox [default: 127.0.0.1]
      --public-host <HOST>
                          Host in the printed and served addresses, if clients use another name than the address; the control
                          interface answers to it and to loopback
      --port <PORT>       Port to listen on; 0 for any free one [default: 0]
      --seed <N>          Number that decides the sampled values and new identifiers [default: 1]
      --behaviour <FILE>  File in TOML that corrects the table of `explain`, and adds statuses, seeds and asynchronous work
      --data <FILE>       File that keeps the state; one program at a time uses it
      --graphql <FILE>    Schema of GraphQL, answered at /graphql over the state of the contracts
      --no-credentials    Answer requests without credentials, too
      --verify-credentials
                          Refuse bearer tokens that the issuer of the sandbox (/sandbox/issuer) has not issued
  -h, --help              Print this help
  -V, --version           Print the version

Exit codes:
  0  ended by a signal, or the table was printed
  1  control: the sandbox refused, or `verify` counted another number
  3  control: no sandbox answers at the address
  5  invalid command line, unreadable contract, or a port in use
  6  a file cannot be read or is in use, or standard output cannot be written
";

const CONTROL_HELP: &str = "\
Inspects and changes a running sandbox

Usage: driftless-sandbox control --sandbox <URL> <COMMAND>

Commands:
  state                     Shows an overview
  collections               Lists the collections
  items <QUERY>             Lists the items of a collection: 'collection=/pets&search=rex'
  item show <ADDRESS>       Shows one item: /pets/1
  item add <JSON>           Adds an item: '{\"collection\":\"/pets\",\"fields\":{\"name\":\"Rex\"}}'
  item set <ADDRESS> <JSON> Replaces the fields of an item
  item remove <ADDRESS>     Removes an item with everything below it
  snapshot                  Prints the whole state as JSON, with its secrets
  restore <JSON>            Replaces the state by a snapshot
  reset [JSON]              Resets everything, or the named parts: '{\"only\":[\"state\",\"faults\"]}'
  clock [JSON]              Shows the clock, or changes it: '{\"hold\":true}'
  faults                    Lists the faults
  faults add <JSON>         Adds a fault: '{\"match\":{\"operation\":\"GET /pets\"},\"times\":2,\"fault\":\"status=503\"}'
  faults show <ID>          Shows one fault
  faults remove [ID]        Removes one fault, or all
  requests [QUERY]          Lists the last requests: 'method=GET&path=/pets&limit=10'
  requests show <NUMBER>    Shows one request with headers and bodies; secrets are masked
  requests clear            Clears the list and the counts
  verify <JSON>             Checks the number of requests: '{\"match\":{\"operation\":\"POST /pets\"},\"atLeast\":1}'
  explain                   Shows each operation, its role and the reason
  document                  Prints the OpenAPI document of the control interface, with every member of the JSON

JSON can come from standard input: write `-` in its place.
";

/// The commands of `control` that only this sandbox has.
const COMMANDS: &[Command] = &[(&["explain"], "GET", "/sandbox/explain", Takes::Nothing)];

const REFUSED: u8 = 1;
const UNREACHABLE: u8 = 3;
const CONFIGURATION: u8 = 5;
const SYSTEM: u8 = 6;

/// An error that ends the program: a code, the problem, and the next step.
struct Failure {
    code: String,
    message: String,
    hint: String,
    exit: u8,
}

#[derive(Debug)]
struct Flags {
    contracts: Vec<PathBuf>,
    behaviour: Option<PathBuf>,
    graphql: Option<PathBuf>,
    options: Options,
    explains: bool,
}

enum Request {
    Run(Box<Flags>),
    /// The address of a sandbox, and the words of a command.
    Control(Option<String>, Vec<String>),
    Print(&'static str),
}

fn main() -> ExitCode {
    match parse(std::env::args_os()).and_then(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure { code, message, hint, exit }) => {
            let _ = writeln!(io::stderr(), "error[{code}]: {message}\n  → {hint}");
            ExitCode::from(exit)
        }
    }
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, Failure> {
    let refuse = |error: lexopt::Error| misread(error.to_string());
    let mut parser = Parser::from_iter(arguments);
    let mut flags =
        Flags { contracts: Vec::new(), behaviour: None, graphql: None, options: Options::default(), explains: false };
    while let Some(argument) = parser.next().map_err(refuse)? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Request::Print(HELP)),
            Arg::Short('V') | Arg::Long("version") => {
                return Ok(Request::Print(concat!("driftless-sandbox ", env!("CARGO_PKG_VERSION"), "\n")));
            }
            Arg::Long("contract") => flags.contracts.push(parser.value().map_err(refuse)?.into()),
            Arg::Long("port") => flags.options.port = parser.value().and_then(|value| value.parse()).map_err(refuse)?,
            Arg::Long("listen") => {
                flags.options.listen = parser.value().and_then(|value| value.parse()).map_err(refuse)?;
            }
            Arg::Long("public-host") => {
                flags.options.public_host = Some(parser.value().and_then(|value| value.string()).map_err(refuse)?);
            }
            Arg::Long("seed") => flags.options.seed = parser.value().and_then(|value| value.parse()).map_err(refuse)?,
            Arg::Long("behaviour") => flags.behaviour = Some(parser.value().map_err(refuse)?.into()),
            Arg::Long("graphql") => flags.graphql = Some(parser.value().map_err(refuse)?.into()),
            Arg::Long("data") => flags.options.data = Some(parser.value().map_err(refuse)?.into()),
            Arg::Long("no-credentials") => flags.options.checks_credentials = false,
            Arg::Long("verify-credentials") => flags.options.verifies_credentials = true,
            Arg::Value(word) if word == "serve" => flags.explains = false,
            Arg::Value(word) if word == "explain" => flags.explains = true,
            Arg::Value(word) if word == "control" => return control_words(&mut parser),
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
            Arg::Short('h') | Arg::Long("help") => return Ok(Request::Print(CONTROL_HELP)),
            Arg::Long("sandbox") => base = Some(parser.value().and_then(|value| value.string()).map_err(refuse)?),
            Arg::Value(word) => words.push(word.string().map_err(refuse)?),
            other => return Err(refuse(other.unexpected())),
        }
    }
    Ok(Request::Control(base, words))
}

/// Sends one request to a running sandbox. Its answer is the output; a refusal is an error.
fn control(base: Option<String>, words: &[String]) -> Result<(), Failure> {
    let asked = command::read(words, COMMANDS).map_err(misread)?;
    let base = base.ok_or_else(|| misread("the address of the sandbox is missing: pass --sandbox URL".to_owned()))?;
    let hint = "`driftless-sandbox control --help` lists the commands".to_owned();
    match command::send(&base, &asked, env!("CARGO_PKG_NAME")) {
        Ok(Answered::Done(body)) => print(&format!("{}\n", String::from_utf8_lossy(&body).trim_end())),
        Ok(Answered::Refused(status, body)) => {
            let message = format!("the sandbox answered {status}: {}", String::from_utf8_lossy(&body).trim());
            Err(Failure { code: "control-refused".to_owned(), message, hint, exit: REFUSED })
        }
        Err(NotSent::Address(message)) => Err(misread(message)),
        Err(NotSent::NoSandbox(message)) => {
            Err(Failure { code: "control-unreachable".to_owned(), message, hint, exit: UNREACHABLE })
        }
    }
}

fn misread(message: String) -> Failure {
    let hint = "`driftless-sandbox --help` lists the options".to_owned();
    Failure { code: "command-line".to_owned(), message, hint, exit: CONFIGURATION }
}

fn run(request: Request) -> Result<(), Failure> {
    let Flags { contracts, behaviour, graphql, mut options, explains } = match request {
        Request::Print(text) => return print(text),
        Request::Control(base, words) => return control(base, &words),
        Request::Run(flags) => *flags,
    };
    if contracts.is_empty() {
        return Err(misread("the contract is missing: pass --contract FILE".to_owned()));
    }
    let contracts: Vec<(String, Vec<u8>)> = contracts.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let contracts: Vec<Document<'_>> = contracts.iter().map(|(name, bytes)| Document::new(name, bytes)).collect();
    if let Some(path) = behaviour {
        let (name, bytes) = read(&path)?;
        options.behaviour = Behaviour::read(name, String::from_utf8_lossy(&bytes)).map_err(|error| refused(&error))?;
    }
    if let Some(path) = graphql {
        let (_, bytes) = read(&path)?;
        options.graphql = Some(String::from_utf8_lossy(&bytes).into_owned());
    }
    if explains {
        let behaviour = &options.behaviour;
        let mut text = driftless_sandbox::explain_all(&contracts, behaviour).map_err(|error| refused(&error))?;
        if let Some(schema) = &options.graphql {
            let fields = driftless_sandbox::explain_graphql(&contracts, behaviour, schema);
            text = format!("{text}\n{}", fields.map_err(|error| refused(&error))?);
        }
        return print(&text);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| system(&error))?;
    let ended = runtime.block_on(async {
        // A caller that has read the address may end the program at once.
        let mut signals = Signals::register().map_err(|error| system(&error))?;
        let sandbox = driftless_sandbox::start_all(&contracts, options).await.map_err(|error| refused(&error))?;
        for line in sandbox.left_out() {
            // A closed terminal does not keep the sandbox from serving.
            let _ = writeln!(io::stderr(), "left out: {line}");
        }
        if !sandbox.has_control_interface() {
            let _ = writeln!(
                io::stderr(),
                "no console, and no `control`: a contract has paths of its own below /sandbox, which it keeps"
            );
        }
        print(&format!("listening on {}\n", sandbox.origin()))?;
        signals.next().await;
        sandbox.stop().await;
        Ok(())
    });
    // A request that is still computed does not keep the program.
    runtime.shutdown_background();
    ended
}

fn read(path: &Path) -> Result<(String, Vec<u8>), Failure> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| Failure {
        code: "file".to_owned(),
        message: format!("{name} cannot be read: {error}"),
        hint: "pass the file of a contract with --contract, and others with --behaviour and --graphql".to_owned(),
        exit: SYSTEM,
    })?;
    Ok((name, bytes))
}

/// The signals that end the program. From their registration on, none of them kills it.
#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn register() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        // A hang-up means that the terminal was closed.
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = kinds.map(signal);
        Ok(Self([interrupt?, terminate?, hangup?]))
    }

    async fn next(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(not(unix))]
impl Signals {
    fn register() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) {
        let _ = self.0.recv().await;
    }
}

fn refused(error: &Error) -> Failure {
    Failure {
        code: error.code().to_owned(),
        message: error.to_string(),
        hint: error.advice().to_owned(),
        exit: if error.code().starts_with("data/") { SYSTEM } else { CONFIGURATION },
    }
}

fn system(error: &io::Error) -> Failure {
    let message = format!("the sandbox cannot run: {error}");
    Failure { code: "system".to_owned(), message, hint: "run the command again".to_owned(), exit: SYSTEM }
}

/// Writes to standard output. A closed pipe and a full disk are failures: the requested output is missing.
fn print(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes()).and_then(|()| output.flush()).map_err(|error| Failure {
        code: "output".to_owned(),
        message: format!("standard output cannot be written: {error}"),
        hint: "read all of the output, or write it to a disk with free space".to_owned(),
        exit: SYSTEM,
    })
}
