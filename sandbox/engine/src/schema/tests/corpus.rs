//! Each response of each real contract gets a value that its schema allows.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::contract::{Contract, SchemaRef};
use crate::schema::{Direction, Hints, Schemas};

/// The contracts beside the workspace, and none if they are not there.
pub(crate) fn contracts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/contracts");
    let folder = std::env::var_os("DRIFTLESS_CONTRACTS").map_or(folder, PathBuf::from);
    let mut files = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| ["json", "yaml", "yml"].iter().any(|known| extension == *known))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

#[derive(Default)]
struct Count {
    schemas: usize,
    valid: usize,
    failures: String,
}

/// The schemas of all bodies in both directions.
fn schemas(contract: &Contract) -> Vec<(SchemaRef, Direction)> {
    let mut schemas = Vec::new();
    for operation in &contract.operations {
        for response in &operation.responses {
            schemas.extend(
                response.content.iter().filter_map(|content| Some((content.schema.clone()?, Direction::Response))),
            );
        }
        let body = operation.body.iter().flat_map(|body| &body.content);
        schemas.extend(body.filter_map(|content| Some((content.schema.clone()?, Direction::Request))));
        schemas.extend(operation.parameters.iter().map(|parameter| (parameter.schema.clone(), Direction::Request)));
    }
    schemas
}

fn run(file: &Path, count: &mut Count) {
    let Ok(contract) = Contract::read(&std::fs::read(file).unwrap()) else {
        let _ = writeln!(count.failures, "{}: no contract", file.display());
        return;
    };
    let all = Schemas::new(&contract);
    for (schema, direction) in schemas(&contract) {
        count.schemas += 1;
        match all.sample(&schema, direction, 7, &Hints::default()) {
            Ok(value) => {
                let violations = all.violations(&schema, &value, direction);
                assert!(violations.is_empty(), "{}: {schema:?}: {violations:?}", file.display());
                count.valid += 1;
            }
            Err(error) => {
                let _ = writeln!(count.failures, "{} {direction:?}: {error}", file.file_name().unwrap().display());
            }
        }
    }
}

fn share(files: &[PathBuf]) {
    let mut count = Count::default();
    for file in files {
        let start = std::time::Instant::now();
        run(file, &mut count);
        if start.elapsed().as_secs() > 0 {
            eprintln!("{} {:?}", file.display(), start.elapsed());
        }
    }
    let Count { schemas, valid, failures } = count;
    eprintln!("{valid} of {schemas} schemas have a valid sample\n{failures}");
    assert!(valid * 1_000 >= schemas * 995, "{valid} of {schemas}");
}

#[test]
fn a_few_contracts_have_valid_samples() {
    let files: Vec<PathBuf> = contracts().into_iter().step_by(12).collect();
    if files.is_empty() {
        eprintln!("SKIPPED: the folder ../shared/contracts does not exist");
    }
    share(&files);
}

#[test]
#[ignore = "a minute in a debug build: .ci/run --all runs it"]
fn all_contracts_have_valid_samples() {
    share(&contracts());
}
