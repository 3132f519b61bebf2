//! Starts the local stand-in for the platform: `cargo xtask sandbox`, and the source where nothing is configured.

use std::path::Path;
use std::process::ExitCode;

use platform_sandbox::{Options, Sandbox, SecretFile};

use crate::console::{progress, result};
use crate::failure::{Exit, Failure};
use crate::flags;

/// Starts a sandbox on loopback.
pub(crate) async fn start(options: Options) -> Result<Sandbox, Failure> {
    platform_sandbox::start_with(options).await.map_err(|error| {
        let way_out = match error.code() {
            "sandbox-seed" => "mend the file that `--seed` names, or leave the flag out",
            "sandbox-data" | "sandbox-data-in-use" => "name another file with `--data`, or leave the flag out",
            "sandbox-graphiql" => {
                "run sandbox/graphiql/install.sh and name the folder that it prints, or leave the flag out"
            }
            "sandbox-revision" => "choose 1 or 2 with `--contract-revision`",
            "sandbox-random" => "run the command where the operating system gives random bytes",
            _ => "choose another port with `cargo xtask sandbox --port`, or 0 for a free one",
        };
        let exit = match error.code() {
            "sandbox-data" | "sandbox-data-in-use" | "sandbox-graphiql" | "sandbox-random" => Exit::Files,
            _ => Exit::Configuration,
        };
        Failure::new(exit, "sandbox/start", format!("the sandbox cannot start: {error}"), way_out)
    })
}

/// Writes the secrets of the seeded clients into protected files.
pub(crate) fn secret_files(sandbox: &Sandbox, folder: &Path) -> Result<Vec<SecretFile>, Failure> {
    sandbox.write_secret_files(folder).map_err(|error| {
        Failure::new(
            Exit::Files,
            "sandbox/secret-file",
            error.to_string(),
            "make the temporary folder writable, or set TMPDIR",
        )
    })
}

/// A runtime for network work.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(|error| {
        Failure::new(
            Exit::Files,
            "files/runtime",
            format!("no runtime can be started: {error}"),
            "run the command again",
        )
    })
}

fn options(flags: &flags::Sandbox) -> Options {
    Options {
        port: flags.port,
        compliance_port: flags.compliance_port,
        contract_requires_token: flags.contract_requires_token,
        contract_revision: flags.contract_revision,
        data: flags.data.clone(),
        seed: flags.seed.clone(),
        graphiql: flags.graphiql.clone(),
        ..Options::default()
    }
}

pub(crate) fn run(flags: &flags::Sandbox) -> Result<ExitCode, Failure> {
    runtime()?.block_on(async {
        // Before the secret files exist, so that they are removed whenever the signal comes.
        let interrupt = crate::interrupt::Interrupt::listen(&tokio::runtime::Handle::current());
        let sandbox = start(options(flags)).await?;
        let secrets = sandbox.publish_secrets(flags.secrets.as_deref()).map_err(|error| {
            let way_out = "name another folder with `--secrets`, or make it writable";
            Failure::new(Exit::Files, "sandbox/secret-file", error.to_string(), way_out)
        })?;
        result(&format!("base URL   {}", sandbox.base_url()));
        result(&format!("issuer     {}", sandbox.auth_url()));
        result(&format!("contract   {}", sandbox.contract_url()));
        result(&format!("graphql    {}", sandbox.graphql_url()));
        result(&format!("compliance {}", sandbox.compliance_url()));
        result(&format!("overview   {}/sandbox", sandbox.base_url()));
        for file in secrets.clients() {
            result(&format!("client     {}  secret file {}", file.client_id, file.path.display()));
        }
        for (name, path) in secrets.users() {
            result(&format!("user       {name}  password file {}", path.display()));
        }
        result("");
        result("For a program in another terminal:");
        for line in exports(&sandbox, secrets.clients()) {
            result(&line);
        }
        progress("Ctrl-C ends the sandbox and removes the secret files");
        // The only way out is the signal.
        let _ = interrupt.or(std::future::pending::<Result<(), Failure>>()).await;
        sandbox.stop().await;
        Ok(ExitCode::SUCCESS)
    })
}

fn exports(sandbox: &Sandbox, files: &[SecretFile]) -> Vec<String> {
    let mut lines =
        vec![format!("export PLATFORM_BASE_URL={} PLATFORM_ISSUER={}", sandbox.base_url(), sandbox.auth_url())];
    if let Some(file) = files.first() {
        lines.push(format!(
            "export PLATFORM_CLIENT_ID={} PLATFORM_SECRET_FILE={}",
            file.client_id,
            file.path.display()
        ));
    }
    lines
}
