//! The stand-in of a regeneration as a program. It takes the flags that a regeneration passes.

mod ends;
mod failure;
mod output;

use std::ffi::OsString;
use std::process::ExitCode;

use lexopt::{Arg, Parser};
use platform_sandbox::StandIn;

use self::ends::Ends;
use self::failure::{CONFIGURATION, Failure, failed, refused};
use self::output::{json, print};

const HELP: &str = "\
Serves the contract of the sandbox, its GraphQL schema, and tokens for both, until Ctrl-C. `cargo xtask sandbox` runs
the whole sandbox

Usage: platform-sandbox-stand-in --json [OPTIONS]

Options:
      --json                      Print one line of JSON when it listens: base_url, auth_url, contract_url, graphql_url,
                                  clients (client_id, secret_file) and users (name, password_file)
      --contract-requires-token   Accepted for the sandbox's sake: a token is always required
      --end-with-stdin            End when standard input does, and so with the program that started it
  -h, --help                      Print this help
  -V, --version                   Print the version
";

fn main() -> ExitCode {
    match run(std::env::args_os()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Does what the command line says.
fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<(), Failure> {
    let mut parser = Parser::from_iter(arguments);
    let (mut is_json, mut end_with_stdin) = (false, false);
    loop {
        match parser.next().map_err(|error| misread(error.to_string()))? {
            None if is_json => return serve(end_with_stdin),
            None => return Err(misread("the flag --json is missing".to_owned())),
            Some(Arg::Short('h') | Arg::Long("help")) => return print(HELP.as_bytes()),
            Some(Arg::Short('V') | Arg::Long("version")) => {
                return print(concat!("platform-sandbox-stand-in ", env!("CARGO_PKG_VERSION"), "\n").as_bytes());
            }
            Some(Arg::Long("json")) => is_json = true,
            Some(Arg::Long("end-with-stdin")) => end_with_stdin = true,
            Some(Arg::Long("contract-requires-token")) => {}
            Some(other) => return Err(misread(other.unexpected().to_string())),
        }
    }
}

fn misread(problem: String) -> Failure {
    Failure {
        code: "sandbox-left-out",
        message: format!("{problem}; this program serves the contract, the schema and tokens alone"),
        hint: "`cargo xtask sandbox` runs the whole sandbox, and takes all of its flags",
        exit: CONFIGURATION,
    }
}

fn serve(end_with_stdin: bool) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| refused("sandbox-runtime", &error))?.block_on(async {
        // Before the secret files exist, so that a signal at any time removes them.
        let mut ends = Ends::listen(end_with_stdin).map_err(|error| refused("sandbox-signals", &error))?;
        let stand_in = StandIn::start().await.map_err(|error| failed(&error))?;
        let secrets = stand_in.publish_secrets(None).map_err(|error| failed(&error))?;
        let addresses = [
            ("base_url", stand_in.base_url()),
            ("auth_url", &stand_in.auth_url()),
            ("contract_url", &stand_in.contract_url()),
            ("graphql_url", &stand_in.graphql_url()),
        ];
        print(json(&addresses, &secrets)?.as_bytes())?;
        ends.next().await;
        Ok(())
    })
}
