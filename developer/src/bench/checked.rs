//! `--programs`: the programs that the bench compiles, type-checked against clients of small contracts. A program that does not
//! compile would be a row without figures after minutes.

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use super::clients::emptied;
use super::programs::{GENERATORS, Generator};
use super::{Bench, build, calls, measure};
use crate::console::{progress, result};
use crate::failure::{Exit, Failure};

/// The three operations of GitHub's contract that the programs of `build` call.
const CONTRACT: &str = include_str!("template/three-calls.json");

pub(super) fn run(bench: &Bench<'_>) -> Result<ExitCode, Failure> {
    let around = emptied(&bench.folder.join("checked"))?;
    let contract = around.join("three-calls.json");
    fs::write(&contract, CONTRACT).map_err(|error| Failure::file("write", &contract, &error))?;
    let mut broken = Vec::new();
    for generator in &GENERATORS {
        if let Err(reason) = generator.program(&bench.programs) {
            progress(&format!("{}: {reason}", generator.title()));
            continue;
        }
        let folder = emptied(&around.join(generator.name))?;
        match three_calls(bench, generator, &contract, &folder)? {
            Ok(()) => result(&format!("{}: the program of three calls compiles", generator.title())),
            Err(reason) => broken.push(format!("{}: {reason}", generator.title())),
        }
    }
    let lists = calls::lay_out(bench)?;
    match check(bench, &lists)? {
        Ok(()) => result("the program of lists compiles"),
        Err(reason) => broken.push(format!("lists: {reason}")),
    }
    if broken.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let hint = "correct `calls` in developer/src/bench/programs.rs, or developer/src/bench/template";
    Err(Failure::new(Exit::Stale, "bench/programs", broken.join("\n"), hint))
}

/// Generates a client of the small contract, and checks the program with each choice of features.
fn three_calls(
    bench: &Bench<'_>,
    generator: &Generator,
    contract: &Path,
    folder: &Path,
) -> Result<Result<(), String>, Failure> {
    let program = match generator.program(&bench.programs) {
        Ok(program) => program,
        Err(reason) => return Ok(Err(reason)),
    };
    let made = folder.join("made");
    fs::create_dir_all(&made).map_err(|error| Failure::file("create", &made, &error))?;
    let generated = measure::run(&mut generator.generation(&program, contract, &made), bench.interrupt)?;
    let completed = generated
        .and_then(|_| generator.complete(&made, bench.workspace.root()).map_err(|error| format!("its crate: {error}")));
    if let Err(reason) = completed {
        return Ok(Err(reason));
    }
    for features in generator.features {
        let caller = folder.join(format!("calls-{}", features.len()));
        build::lay_out(&caller, generator, &generator.client(&made), features)?;
        if let Err(reason) = check(bench, &caller)? {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(()))
}

fn check(bench: &Bench<'_>, package: &Path) -> Result<Result<(), String>, Failure> {
    let checked = measure::run(bench.cargo(package).args(["check", "--quiet"]), bench.interrupt)?;
    Ok(checked.map(|_| ()))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// The parts of an operation that decide how a program calls it.
    fn called(contract: &Value, path: &str) -> Value {
        let operation = &contract["paths"][path]["get"];
        let parameters = operation["parameters"].as_array().expect("parameters").iter().map(|parameter| {
            let at = parameter["$ref"].as_str().and_then(|at| contract.pointer(at.trim_start_matches('#')));
            let parameter = at.unwrap_or(parameter);
            serde_json::json!([parameter["name"], parameter["in"], parameter["required"], parameter["schema"]["type"]])
        });
        serde_json::json!([operation["operationId"], operation["tags"], parameters.collect::<Vec<_>>()])
    }

    #[test]
    fn the_small_contract_has_the_operations_of_the_large_one() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/contracts/openapi3/github.json");
        let Ok(bytes) = fs::read(path) else {
            progress("SKIPPED: the contract of GitHub is not in ../shared/contracts");
            return;
        };
        let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("a contract");
        let (small, large) = (read(CONTRACT.as_bytes()), read(&bytes));
        for (path, _) in small["paths"].as_object().expect("paths") {
            assert_eq!(called(&small, path), called(&large, path), "{path}");
        }
    }
}
