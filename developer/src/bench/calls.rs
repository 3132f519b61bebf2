//! Calls beside bare `reqwest`, and lists beside serde's derive: programs of their own, because both need optimisation.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::Bench;
use super::clients::emptied;
use super::programs::GENERATORS;
use crate::console::{progress, result};
use crate::failure::{Exit, Failure};

const PROGRAM: &str = include_str!("template/decoding.rs");
const CONTRACT: &str = include_str!("template/items.json");
/// The manifest of the program. The libraries are dependencies of no member, because every build of the tests would compile them.
const MANIFEST: &str = r#"
[package]
name = "decoding"
version = "0.1.0"
edition = "2024"

[dependencies]
allocation-counter = "0.8"
client = { package = "service-client", path = "../client/generated-client", features = ["testing"] }
serde = { version = "1", features = ["derive"] }
serde_json = "1"
simd-json = "0.19"
sonic-rs = "0.5"
tokio = { version = "1", features = ["rt"] }
uuid = { version = "1", features = ["serde"] }

[workspace]
"#;

pub(super) fn run(bench: &Bench<'_>) -> Result<(), Failure> {
    let program = lay_out(bench)?;
    let mut calls = crate::child::cargo();
    // The features by default are those of a new client: others do more for each call.
    calls
        .args(["bench", "--quiet", "-p", "driftless-runtime", "--bench", "runtime"])
        .current_dir(bench.workspace.root());
    for command in [&mut calls, bench.cargo(&program).args(["run", "--quiet", "--release"])] {
        lines(bench, command)?.iter().for_each(|line| if bench.json { progress(line) } else { result(line) });
    }
    Ok(())
}

/// Writes the program of lists, and generates its client. Returns the folder of the program.
pub(super) fn lay_out(bench: &Bench<'_>) -> Result<PathBuf, Failure> {
    let around = emptied(&bench.folder.join("decoding"))?;
    let (program, contract) = (around.join("program"), around.join("items.json"));
    let failed = |error: std::io::Error| Failure::file("write", &program, &error);
    fs::write(&contract, CONTRACT).map_err(failed)?;
    fs::create_dir_all(program.join("src")).map_err(failed)?;
    fs::write(program.join("Cargo.toml"), MANIFEST).map_err(failed)?;
    fs::write(program.join("src/main.rs"), PROGRAM).map_err(failed)?;
    let [own, ..] = &GENERATORS;
    let client = emptied(&around.join("client"))?;
    let generator =
        own.program(&bench.programs).map_err(|error| Failure::file("find", &around, &std::io::Error::other(error)))?;
    lines(bench, &mut own.generation(&generator, &contract, &client))?;
    own.complete(&client, bench.workspace.root()).map_err(failed)?;
    Ok(program)
}

/// The lines that a program writes. One that fails ends the command.
fn lines(bench: &Bench<'_>, command: &mut Command) -> Result<Vec<String>, Failure> {
    let ended = crate::child::run(command, None, bench.interrupt)?;
    let text =
        |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().map(driftless_codegen::line).map(String::from).collect();
    if ended.status.is_some_and(|status| status.success()) {
        return Ok(text(&ended.stdout));
    }
    let errors: Vec<String> = text(&ended.stderr);
    Err(Failure::new(Exit::Stale, "bench/calls", errors.join("\n"), "run the command that is named, by itself"))
}
