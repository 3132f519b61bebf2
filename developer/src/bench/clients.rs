//! Generations of each contract, and `cargo check` of the crates: all generators in turn, so that other load on the machine
//! affects all of them alike.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::figures::Figure;
use super::programs::{GENERATORS, Generator};
use super::{Bench, Contract, measure};
use crate::corpus::families;
use crate::failure::Failure;
use crate::flags::BenchPart;
use crate::stand_alone::slug;

/// The crate that a generator wrote.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) generator: &'static Generator,
    /// The reason, if it wrote none.
    pub(super) folder: Result<PathBuf, String>,
}

/// Generates the clients of a contract, and checks them.
pub(super) fn run(bench: &mut Bench<'_>, contract: &Contract) -> Result<Vec<Client>, Failure> {
    let around = bench.folder.join("clients").join(slug(&contract.name));
    let mut figures = GENERATORS.each_ref().map(|one| Figure::new("generation", &contract.name, &one.title()));
    for _ in 0..bench.runs_of(BenchPart::Generation) {
        for (generator, figure) in GENERATORS.iter().zip(&mut figures).filter(|(_, figure)| figure.error.is_none()) {
            let folder = emptied(&around.join(generator.name))?;
            figure.add(match generator.program(&bench.programs) {
                Ok(program) => {
                    measure::run(&mut generator.generation(&program, &contract.path, &folder), bench.interrupt)?
                }
                Err(reason) => Err(reason),
            });
        }
    }
    let mut clients = Vec::new();
    for (generator, figure) in GENERATORS.iter().zip(&mut figures) {
        let folder = around.join(generator.name);
        let made = match &figure.error {
            Some(reason) => Err(reason.clone()),
            None => generator.complete(&folder, bench.workspace.root()).map_err(|error| format!("its crate: {error}")),
        };
        let client = Client { generator, folder: made.map(|()| generator.client(&folder)) };
        if let Ok(folder) = &client.folder {
            figure.size = Some((count(generator, folder)?, "operations"));
        }
        clients.push(client);
    }
    if bench.wants(BenchPart::Generation) {
        bench.report(figures);
    }
    if bench.wants(BenchPart::Check) {
        check(bench, contract, &clients)?;
    }
    Ok(clients)
}

fn check(bench: &mut Bench<'_>, contract: &Contract, clients: &[Client]) -> Result<(), Failure> {
    let mut figures: Vec<Figure> =
        clients.iter().map(|client| Figure::new("check", &contract.name, &client.generator.title())).collect();
    // The first run compiles the dependencies, and does not count.
    for run in 0..=bench.runs {
        for (client, figure) in clients.iter().zip(&mut figures).filter(|(_, figure)| figure.error.is_none()) {
            let folder = match &client.folder {
                Ok(folder) => folder,
                Err(reason) => {
                    figure.add(Err(reason.clone()));
                    continue;
                }
            };
            touch(&folder.join("src/lib.rs"))?;
            let outcome = measure::run(bench.cargo(folder).args(["check", "--quiet"]), bench.interrupt)?;
            if run > 0 || outcome.is_err() {
                figure.add(outcome);
            }
        }
    }
    let mut alone = Vec::new();
    for (client, figure) in clients.iter().zip(&mut figures).filter(|(_, figure)| figure.error.is_none()) {
        if let Ok(folder) = &client.folder {
            figure.size = Some((lines(folder)?, "lines"));
            if client.generator.is_own() {
                alone.push(each_family(bench, contract, client.generator, folder)?);
            }
        }
    }
    bench.report(figures.into_iter().chain(alone));
    Ok(())
}

/// The client with each of its route families alone, once each: the figures are those of the families.
fn each_family(
    bench: &Bench<'_>,
    contract: &Contract,
    generator: &Generator,
    folder: &Path,
) -> Result<Figure, Failure> {
    let path = folder.join("Cargo.toml");
    let manifest = fs::read_to_string(&path).map_err(|error| Failure::file("read", &path, &error))?;
    let manifest = toml::from_str::<toml::Table>(&manifest).ok();
    let features = manifest.as_ref().and_then(|manifest| manifest.get("features")?.as_table());
    let families = features.map(families).unwrap_or_default();
    let mut figure = Figure::new("check", &contract.name, &format!("{}, one family", generator.title()));
    figure.size = Some((families.len() as u64, "families"));
    if families.is_empty() {
        figure.add(Err(format!("{} has no features of families", path.display())));
    }
    for family in &families {
        touch(&folder.join("src/lib.rs"))?;
        let mut command = bench.cargo(folder);
        command.args(["check", "--quiet", "--no-default-features", "--features", family]);
        figure.add(measure::run(&mut command, bench.interrupt)?);
    }
    Ok(figure)
}

/// Makes an empty folder.
pub(super) fn emptied(folder: &Path) -> Result<PathBuf, Failure> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Failure::file("empty", folder, &error)),
        _ => fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error)),
    }?;
    Ok(folder.to_path_buf())
}

/// Lets cargo compile the crate of this file again.
pub(super) fn touch(path: &Path) -> Result<(), Failure> {
    let file = fs::File::options().append(true).open(path);
    file.and_then(|file| file.set_modified(SystemTime::now())).map_err(|error| Failure::file("touch", path, &error))
}

/// Operations of a client, counted in its text.
fn count(generator: &Generator, folder: &Path) -> Result<u64, Failure> {
    let (file, start) = (folder.join("../specs/client.txt"), generator.operation);
    match start {
        // A line of the table for each.
        "" => each_line(&file, |line| line.contains("  [") && line.contains(" /")),
        start => sum(&folder.join("src"), &|line| line.trim_start().starts_with(start)),
    }
}

fn lines(folder: &Path) -> Result<u64, Failure> {
    sum(&folder.join("src"), &|_| true)
}

/// Lines below a folder that fulfil a condition, in files of Rust. No file is in memory as a whole: a process that this one starts
/// would be charged with the memory.
fn sum(folder: &Path, is: &dyn Fn(&str) -> bool) -> Result<u64, Failure> {
    let failed = |error: std::io::Error| Failure::file("list", folder, &error);
    let mut lines = 0;
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            lines += sum(&path, is)?;
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            lines += each_line(&path, is)?;
        }
    }
    Ok(lines)
}

fn each_line(path: &Path, is: impl Fn(&str) -> bool) -> Result<u64, Failure> {
    let failed = |error: std::io::Error| Failure::file("read", path, &error);
    let mut count = 0;
    for line in BufReader::new(fs::File::open(path).map_err(failed)?).lines() {
        count += u64::from(is(&line.map_err(failed)?));
    }
    Ok(count)
}
