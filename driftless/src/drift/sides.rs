//! The two states that are compared: files, revisions of git, the pinned contract, a deployment.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::process::Command;

use driftless_codegen::drift::Sides;
use driftless_codegen::{Names, line};

use crate::bounded::read_bounded;
use crate::comparison::{ComparedDocument, version};
use crate::console::Steps;
use crate::failure::{Exit, Failure};
use crate::flags::{Drift, Regenerate};
use crate::inputs::Inputs;
use crate::interrupt::Interrupt;
use crate::regenerate;
use crate::settings::is_name;
use crate::source::{self, Served};
use crate::workspace::{CONTRACTS, NAMES, SCHEMA, Workspace};

/// All documents of a state.
#[derive(Debug)]
pub(super) struct Side {
    /// As the report calls it.
    pub(super) name: String,
    pub(super) documents: Vec<ComparedDocument>,
}

#[derive(Debug)]
pub(super) struct States {
    pub(super) before: Side,
    pub(super) after: Side,
    /// The GraphQL schema of each.
    pub(super) schemas: Sides<Option<String>>,
    /// The names that were given before, where they are not those of the work tree.
    pub(super) names: Option<Names>,
    /// The version of the client before, where it is not that of the work tree.
    pub(super) version: Option<String>,
}

/// The files of a revision of git.
struct Revision {
    side: Side,
    names: Option<Names>,
    schema: Option<String>,
    version: Option<String>,
}

pub(super) fn read(workspace: &Workspace, inputs: &Inputs, flags: &Drift) -> Result<States, Failure> {
    let pinned_schema = inputs.files.text(SCHEMA).map(Cow::into_owned);
    match (flags.files.as_slice(), &flags.against) {
        ([before, after], _) => {
            let name = document(inputs, &[before, after])?;
            Ok(States {
                before: file(before, &name)?,
                after: file(after, &name)?,
                schemas: Sides { before: pinned_schema.clone(), after: pinned_schema },
                names: None,
                version: None,
            })
        }
        ([], Some(revision)) => {
            let Revision { side, names, schema, version } = revision_of(workspace, revision)?;
            Ok(States {
                before: side,
                after: pinned(inputs)?,
                schemas: Sides { before: schema, after: pinned_schema },
                names,
                version,
            })
        }
        ([], None) => {
            let (before, after, served) = live(workspace, inputs, flags)?;
            let schema = match served {
                Served::Schema(schema) => Some(schema),
                // Nobody knows whether it is gone: `regenerate` keeps it, too.
                Served::None(_) | Served::NotAsked(_) => pinned_schema.clone(),
            };
            Ok(States {
                before,
                after,
                schemas: Sides { before: pinned_schema, after: schema },
                names: None,
                version: None,
            })
        }
        _ => Err(Failure::configuration(
            "drift/one-file",
            "one file has nothing to be compared with",
            "name two files: cargo xtask drift BEFORE AFTER\n\
             or compare the pinned contract with a file: cargo xtask drift --contract FILE",
        )),
    }
}

/// The document that two files are states of: the pinned one that they are called after, else the first of the main server.
fn document(inputs: &Inputs, files: &[&PathBuf]) -> Result<String, Failure> {
    let lock = inputs.lock.readable()?;
    let pinned: Vec<String> = lock.iter().flat_map(|lock| &lock.documents).map(|entry| entry.name.clone()).collect();
    let called = |name: &&String| files.iter().any(|file| file.file_stem().is_some_and(|stem| stem == name.as_str()));
    let beside =
        |name: &&String| inputs.settings.codegen.config.servers.iter().any(|server| server.documents.contains(name));
    let document = pinned.iter().find(called).or_else(|| pinned.iter().find(|name| !beside(name)));
    Ok(document.cloned().unwrap_or_else(|| "contract".to_owned()))
}

fn file(path: &Path, document: &str) -> Result<Side, Failure> {
    let bytes = read_bounded(path).map_err(|error| {
        let file = line(&path.to_string_lossy()).into_owned();
        Failure::configuration("drift/file", format!("{file} cannot be read: {error}"), "check the path")
    })?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    // The same name on both sides: the two are one document.
    Ok(Side { name, documents: vec![ComparedDocument { name: document.to_owned(), bytes }] })
}

/// The pinned contracts of the work tree.
fn pinned(inputs: &Inputs) -> Result<Side, Failure> {
    let pins = regenerate::pinned(&inputs.files, inputs.lock.readable()?, false)?;
    let documents =
        pins.into_iter().map(|pin| ComparedDocument { name: pin.entry.name, bytes: pin.canonical.as_bytes().to_vec() });
    Ok(Side { name: "the pinned contract".to_owned(), documents: documents.collect() })
}

/// The pinned contracts, and those of the configured or named source.
fn live(workspace: &Workspace, inputs: &Inputs, flags: &Drift) -> Result<(Side, Side, Served), Failure> {
    let Inputs { settings, files, .. } = inputs;
    let lock = inputs.lock.readable()?;
    let before = pinned(inputs)?;
    let (runtime, interrupt) = Interrupt::start()?;
    let steps = Steps::new();
    let is_foreign = flags.foreign;
    let flags = Regenerate {
        contract: flags.contract.clone(),
        base_url: flags.base_url.clone(),
        no_sandbox: flags.no_sandbox,
        connect_timeout: flags.connect_timeout,
        timeout: flags.timeout,
        ..Regenerate::default()
    };
    let work = source::fetch(workspace, settings, files, &flags, lock, &steps);
    let bundle = runtime.block_on(interrupt.or(work))?;
    let pins = regenerate::from_source(files, lock, &bundle.contracts, drop)?;
    let name = pins.first().map(|pin| pin.entry.source.clone()).unwrap_or_default();
    let has = |document: &&ComparedDocument| pins.iter().any(|pin| pin.entry.name == document.name);
    let missing: Vec<&str> =
        before.documents.iter().filter(|document| !has(document)).map(|document| document.name.as_str()).collect();
    if !missing.is_empty() && !is_foreign {
        return Err(Failure::new(
            Exit::Contract,
            "drift/document-missing",
            format!(
                "{} documents are pinned, and the source gives {}: {} is missing, so nothing was compared",
                before.documents.len(),
                pins.len(),
                missing.join(", ")
            ),
            "name each document in [[source.document]] of specs/codegen.toml\n\
             or compare one of them with a file: cargo xtask drift specs/contracts/NAME.json FILE\n\
             or compare all the same, as if its operations were gone: --foreign",
        ));
    }
    let documents =
        pins.into_iter().map(|pin| ComparedDocument { name: pin.entry.name, bytes: pin.canonical.as_bytes().to_vec() });
    Ok((before, Side { name, documents: documents.collect() }, bundle.schema))
}

/// A commit that pinned another contract.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub(super) id: String,
    /// `YYYY-MM-DD`.
    pub(super) day: String,
    /// The first line of its message: somebody's text.
    pub(super) subject: String,
}

impl Commit {
    /// The start of its name.
    pub(super) fn short(&self) -> &str {
        self.id.get(..8).unwrap_or(&self.id)
    }
}

/// The commits that pinned another contract or GraphQL schema.
pub(super) struct History {
    /// The last one first, and one before those that were asked for.
    pub(super) commits: Vec<Commit>,
    /// `true` if there may be older ones that this clone does not have.
    pub(super) is_shallow: bool,
}

/// The last `most` commits of this branch that pinned another contract, and the one before.
pub(super) fn pinning(workspace: &Workspace, most: u32) -> Result<History, Failure> {
    let most = (u64::from(most) + 1).to_string();
    let log = git(
        workspace,
        &["log", "--first-parent", "--format=%H%x09%cs%x09%s", "-n", &most, "HEAD", "--", CONTRACTS, SCHEMA],
    )?;
    let log = String::from_utf8_lossy(&log).into_owned();
    let commits: Vec<Commit> = log
        .lines()
        .filter_map(|line| {
            let mut parts = line.splitn(3, '\t').map(str::to_owned);
            Some(Commit { id: parts.next()?, day: parts.next()?, subject: parts.next()? })
        })
        .collect();
    if commits.is_empty() {
        return Err(Failure::configuration(
            "drift/nothing-pinned",
            format!("no commit of this branch pinned a contract in {CONTRACTS}"),
            "commit what `cargo xtask regenerate` writes",
        ));
    }
    let shallow = git(workspace, &["rev-parse", "--is-shallow-repository"])?;
    Ok(History { commits, is_shallow: shallow.starts_with(b"true") })
}

/// The documents that a revision pinned, and its GraphQL schema.
pub(super) fn pins_at(
    workspace: &Workspace,
    revision: &str,
) -> Result<(Vec<ComparedDocument>, Option<String>), Failure> {
    let (root, documents) = documents_at(workspace, revision)?;
    Ok((documents, schema_at(workspace, revision, &root)?))
}

/// The GraphQL schema that a revision pinned.
fn schema_at(workspace: &Workspace, revision: &str, root: &str) -> Result<Option<String>, Failure> {
    let schema = git(workspace, &["cat-file", "blob", &format!("{root}{SCHEMA}")]).ok();
    schema.iter().try_for_each(|bytes| is_whole(revision, SCHEMA, bytes))?;
    Ok(schema.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// The prefix of git's paths for the files of a revision, and the documents that it pinned.
fn documents_at(workspace: &Workspace, revision: &str) -> Result<(String, Vec<ComparedDocument>), Failure> {
    let commit =
        git(workspace, &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{revision}^{{commit}}")])
            .map_err(|_| {
                Failure::configuration(
                    "drift/no-revision",
                    format!("git has no revision {}", line(revision)),
                    "check the name; a shallow clone has no history: git fetch --unshallow",
                )
            })?;
    let commit = String::from_utf8_lossy(&commit).trim().to_owned();
    let prefix = git(workspace, &["rev-parse", "--show-prefix"])?;
    let prefix = String::from_utf8_lossy(&prefix).trim().to_owned();
    let list = git(workspace, &["ls-tree", "-z", "--name-only", &commit, &format!("{CONTRACTS}/")])?;
    let mut documents = Vec::new();
    for path in list.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        let path = String::from_utf8_lossy(path).into_owned();
        let name = Path::new(&path).file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if !path.ends_with(".json") || !is_name(&name) {
            continue;
        }
        let bytes = git(workspace, &["cat-file", "blob", &format!("{commit}:{prefix}{path}")])?;
        is_whole(revision, &path, &bytes)?;
        documents.push(ComparedDocument { name, bytes });
    }
    if documents.is_empty() {
        return Err(Failure::configuration(
            "drift/nothing-pinned",
            format!("at {}, no contract is pinned in {CONTRACTS}", line(revision)),
            "name a later revision",
        ));
    }
    Ok((format!("{commit}:{prefix}"), documents))
}

/// The pinned contracts of a revision of git, its names, its GraphQL schema, and the version of its client.
fn revision_of(workspace: &Workspace, revision: &str) -> Result<Revision, Failure> {
    let (root, documents) = documents_at(workspace, revision)?;
    // A revision without a file of names is compared with those of today.
    let file = |path: &str| git(workspace, &["cat-file", "blob", &format!("{root}{path}")]).ok();
    let names = file(NAMES);
    let names = names.map(|bytes| crate::names::parse(&String::from_utf8_lossy(&bytes))).transpose();
    let names = names.map_err(|failure| Failure {
        message: format!("at {}, {}", line(revision), failure.message),
        hint: "name another revision, or compare with the tool that wrote it".to_owned(),
        ..failure
    })?;
    let schema = schema_at(workspace, revision, &root)?;
    let version = version(file);
    Ok(Revision { side: Side { name: line(revision).into_owned(), documents }, names, schema, version })
}

/// Fails where a merge left its markers.
fn is_whole(revision: &str, path: &str, bytes: &[u8]) -> Result<(), Failure> {
    if !crate::lock::has_conflict_markers(&String::from_utf8_lossy(bytes)) {
        return Ok(());
    }
    Err(Failure::configuration(
        "drift/conflict",
        format!("at {}, {path} holds the markers of a merge conflict", line(revision)),
        "name another revision",
    ))
}

fn git(workspace: &Workspace, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    let output = Command::new("git").current_dir(workspace.root()).args(arguments).output().map_err(|error| {
        Failure::configuration("drift/git", format!("git cannot be started: {error}"), "install git")
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let stderr = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure::configuration(
        "drift/git",
        format!("git refuses: {}", line(&stderr)),
        "run the command inside the repository",
    ))
}
