//! The generated contents, in memory.

use std::collections::BTreeMap;

use driftless_codegen::{Api, Contract, Interpreted, Item, Names, Output, Report, Setup, generate_interpreted};
use serde::Serialize;

use super::pins::Pin;
use super::reserved::reserved;
use super::{ledger, manifest};
use crate::failure::{Exit, Failure};
use crate::features;
use crate::files::Files;
use crate::lock::{HashedText, Lock, sha256};
use crate::names;
use crate::settings::Settings;
use crate::suggestions;
use crate::workspace::{
    BLOCK, CLIENT, CLIENT_MANIFEST, CONFIGURATION, GENERATED, LOCK, MANIFEST, NAMES, PROGRAM_MANIFEST, PROPOSALS,
    SCHEMA, TABLE, pinned_path,
};

/// All contents, before any of them is written.
#[derive(Debug)]
pub(crate) struct Desired {
    /// Whole files, by path relative to the workspace; the lock and the client's manifest are not among them. The changes that write
    /// them share their texts.
    pub(crate) files: BTreeMap<String, HashedText>,
    /// The features block of the client's manifest.
    pub(crate) block: String,
    /// The client's manifest with that block.
    pub(crate) manifest: String,
    /// Hashes of the whole files, and of the block: path → SHA-256.
    pub(crate) hashes: BTreeMap<String, String>,
    pub(crate) lock: Lock,
    /// The lock as text.
    pub(crate) lock_text: String,
    /// The names as text.
    pub(crate) names_text: String,
    /// Without the texts that are in `files`.
    pub(crate) output: Output,
}

/// Generates from pinned texts, which may be interpreted already.
pub(crate) fn desired(
    files: &Files,
    settings: &Settings,
    (pins, interpreted): (&[Pin], Option<Interpreted>),
    schema: Option<&str>,
    names: &Names,
) -> Result<Desired, Failure> {
    let contracts: Vec<Contract<'_>> =
        pins.iter().map(|pin| Contract { name: &pin.entry.name, bytes: pin.canonical.as_bytes() }).collect();
    let reserved = reserved(files)?;
    let table = files.get(PROGRAM_MANIFEST).is_some();
    let mut setup = Setup { reserved, table, ..settings.codegen.clone() };
    setup.graphql.schema = schema.map(str::to_owned);
    let output = generate_interpreted(&contracts, interpreted, &setup, names, &|_| {});
    let mut output = output.map_err(|report| refused(&placed(&report, files, settings)))?;
    let block = features::render(&output.features);
    let manifest = features::replace(client_manifest(files)?, &block)?;
    let mut files = self::files(pins, &mut output)?;
    // Most of what is left of the output, and nobody asks for it any more.
    output.api = Api::default();
    if settings.graphql.manifest {
        files.insert(MANIFEST.to_owned(), manifest::render(&output.documents)?.into());
    }
    files.extend(schema.map(|schema| (SCHEMA.to_owned(), schema.into())));

    let documents = pins.iter().map(|pin| pin.entry.clone()).collect();
    let mut hashes: BTreeMap<String, String> =
        files.iter().map(|(path, text)| (path.clone(), text.hash().to_owned())).collect();
    hashes.insert(BLOCK.to_owned(), sha256(block.as_bytes()));
    let lock = Lock::new(configuration_hash(settings)?, documents, &hashes);
    let lock_text = lock.render()?;
    let names_text = names::render(&output.names);
    Ok(Desired { files, block, manifest, hashes, lock, lock_text, names_text, output })
}

/// A problem with the configuration, or with a name, gets its line in the file.
fn placed(report: &Report, files: &Files, settings: &Settings) -> Report {
    let mut placed = Report::default();
    let names = files.text(NAMES);
    for mut problem in report.problems().iter().cloned() {
        if problem.document == CONFIGURATION {
            problem.position = problem.pointer.as_deref().and_then(|pointer| settings.position(pointer));
        } else if problem.document == NAMES {
            let line = names.as_deref().zip(problem.pointer.as_deref()).and_then(|(text, at)| names::line_of(text, at));
            problem.position = line.map(|line| (line, 1));
        }
        placed.push(problem);
    }
    placed
}

/// The failure for inputs that the generator refuses: the contract, the schema, or a configuration that does not fit them.
fn refused(report: &Report) -> Failure {
    let all = |stages: &[&str]| {
        report.problems().iter().all(|problem| stages.iter().any(|stage| problem.code.starts_with(stage)))
    };
    if all(&["names/"]) {
        let hint = "nothing was written; after a merge, look which branch gave the name to which, and settle each pair of lines";
        return Failure::configuration("names/double", report.to_string(), hint);
    }
    if all(&["operation/"]) {
        let hint = "nothing was written; fix the entries of [[operation]]";
        return Failure::configuration("configuration/operation", report.to_string(), hint);
    }
    if all(&["operation/", "document/"]) {
        let hint = "nothing was written; fix the documents in specs/graphql, and the entries of [[operation]]";
        return Failure::configuration("configuration/graphql", report.to_string(), hint);
    }
    if report.problems().iter().all(|problem| problem.document == CONFIGURATION) {
        let hint = "nothing was written; fix what is named in specs/codegen.toml";
        return Failure::configuration("configuration/invalid", report.to_string(), hint);
    }
    if all(&["schema/"]) {
        let hint = "the pinned schema and the client are untouched";
        return Failure::new(Exit::Contract, "schema/invalid", report.to_string(), hint);
    }
    let hint = "the pinned contract and the client are untouched\nmend what is named, with a [[correction]] in \
                specs/codegen.toml where the contract is not yours";
    Failure::new(Exit::Contract, "contract/not-usable", report.to_string(), hint)
}

fn client_manifest(files: &Files) -> Result<&str, Failure> {
    let text = files.get(CLIENT_MANIFEST).and_then(|bytes| std::str::from_utf8(bytes).ok());
    text.ok_or_else(|| {
        Failure::configuration(
            "manifest/missing",
            format!("{CLIENT_MANIFEST} is missing or no text"),
            format!("git checkout -- {CLIENT_MANIFEST}"),
        )
    })
}

fn files(pins: &[Pin], output: &mut Output) -> Result<BTreeMap<String, HashedText>, Failure> {
    let mut files = BTreeMap::new();
    for (name, text) in std::mem::take(&mut output.files) {
        check_path(&name)?;
        files.insert(format!("{GENERATED}/{name}"), text.into());
    }
    for pin in pins {
        files.insert(pinned_path(&pin.entry.name), pin.canonical.clone());
    }
    files.insert(CLIENT.to_owned(), client(output).into());
    files.insert("specs/ledger.txt".to_owned(), ledger::render(&output.ledger).into());
    files.extend(output.table.take().map(|table| (TABLE.to_owned(), table.into())));
    files.extend(suggestions::file(output).map(|text| (PROPOSALS.to_owned(), text.into())));
    Ok(files)
}

/// For programs: a line for each operation, and for each item of those modules whose names no operation says. Reviewers have all items
/// in the snapshots.
fn client(output: &Output) -> String {
    const MODULES: [&str; 3] = ["bindings", "documents", "types"];
    let is_named = |item: &&Item| item.path.split("::").next().is_some_and(|module| MODULES.contains(&module));
    let items = output.api.items.iter().filter(is_named).map(|item| item.line() + "\n");
    output.surface.clone() + "\n" + &items.collect::<String>()
}

/// Nothing that lies outside of the folder is written. The generator has parsed each file.
fn check_path(name: &str) -> Result<(), Failure> {
    let inside = std::path::Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if inside && name.ends_with(".rs") {
        return Ok(());
    }
    Err(Failure::new(
        Exit::Contract,
        "generator/invalid-path",
        format!("the generator produced {name}, which is not a source file of the generated folder"),
        format!("nothing was written; report this with the contract, and leave {LOCK} as it is"),
    ))
}

/// Over the values, so that comments and order in the file change nothing.
fn configuration_hash(settings: &Settings) -> Result<String, Failure> {
    fn text(value: &impl Serialize) -> Result<String, serde_json::Error> {
        serde_json::to_string(value)
    }
    let text = text(&(&settings.codegen.config, &settings.codegen.graphql.documents)).map_err(|error| {
        Failure::configuration(
            "configuration/hash",
            format!("the configuration cannot be hashed: {error}"),
            "report this",
        )
    })?;
    Ok(sha256(text.as_bytes()))
}
