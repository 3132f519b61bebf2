//! The contracts and the schema to generate from: fetched ones, or those that are pinned.

use driftless_codegen::{Loaded, load};

use crate::failure::{Exit, Failure};
use crate::files::Files;
use crate::flags::Regenerate;
use crate::lock::{self, HashedText, Lock, PinnedDocument, dialect, sha256};
use crate::schema;
use crate::settings::{DocumentSource, SourceSettings};
use crate::source::{Content, Fetched, SANDBOX, Served, UNKNOWN, not_a_contract, repeats_no_secret};
use crate::workspace::{CONTRACTS, pinned_path};

/// A contract in its pinned form.
#[derive(Debug)]
pub(crate) struct Pin {
    /// Its entry in the lock.
    pub(crate) entry: PinnedDocument,
    /// The title that the contract states.
    pub(crate) title: String,
    /// The text of the pinned file.
    pub(crate) canonical: HashedText,
    /// Bytes that were received for it; `None` where nothing was.
    pub(crate) received: Option<usize>,
}

/// The contracts of a source in their pinned form. `take` gets those that were received, as they were loaded.
pub(crate) fn from_source(
    files: &Files,
    lock: Option<&Lock>,
    fetched: &[Fetched],
    mut take: impl FnMut(Loaded),
) -> Result<Vec<Pin>, Failure> {
    let mut pins = Vec::with_capacity(fetched.len());
    for Fetched { name, source, content } in fetched {
        let known = lock.and_then(|lock| lock.document(name));
        pins.push(match content {
            Content::Received { bytes, etag, described } => {
                let loaded =
                    load::load(name, bytes).map_err(|problem| not_a_contract(described, &problem.to_string()))?;
                let canonical = HashedText::from(loaded.canonical());
                if canonical.len() > load::MAX_BYTES {
                    let size = canonical.len();
                    let cause =
                        format!("in its pinned form, it has {size} bytes, and the limit is {}", load::MAX_BYTES);
                    return Err(not_a_contract(described, &cause));
                }
                // Once more, as it is written: a document can spell a letter in other ways.
                repeats_no_secret(source, &canonical)?;
                let entry = PinnedDocument {
                    name: name.clone(),
                    source: source.clone(),
                    raw: sha256(bytes),
                    canonical: canonical.hash().to_owned(),
                    dialect: dialect(loaded.dialect),
                    contract_version: loaded.version.clone(),
                    etag: etag.clone(),
                };
                // Another key order or tag of the same contract from the same place is not a change.
                let same = known.filter(|known| known.canonical == entry.canonical && known.source == entry.source);
                let (title, received) = (loaded.title.clone(), Some(bytes.len()));
                take(loaded);
                Pin { entry: same.cloned().unwrap_or(entry), title, canonical, received }
            }
            Content::NotModified => {
                let canonical = known.map(|entry| read(files, &entry.name)).transpose()?.unwrap_or_default();
                let canonical = HashedText::from(canonical);
                let entry = known.filter(|entry| entry.canonical == canonical.hash()).cloned();
                let entry = entry.ok_or_else(|| {
                    Failure::new(
                        Exit::Download,
                        "download/not-modified",
                        format!(
                            "{source} answered 304 for {name}, but the pinned file does not match its hash in the lock"
                        ),
                        "run the command again",
                    )
                })?;
                // Nobody asks for the title of a contract that was pinned before.
                Pin { entry, title: String::new(), canonical, received: None }
            }
        });
    }
    Ok(pins)
}

/// One document that was fetched, among the others as they are pinned.
pub(super) fn beside(
    files: &Files,
    source: &SourceSettings,
    lock: Option<&Lock>,
    name: &str,
    fetched: Vec<Pin>,
) -> Result<Vec<Pin>, Failure> {
    let mut pinned = pinned(files, lock, false)?;
    pinned.retain(|pin| pin.entry.name != name);
    pinned.extend(fetched);
    let mut pins = Vec::with_capacity(pinned.len());
    for document in &source.documents {
        let Some(index) = pinned.iter().position(|pin| pin.entry.name == document.name) else {
            return Err(Failure::configuration(
                "pin/missing",
                format!("the document {:?} is not pinned yet", document.name),
                "run `cargo xtask regenerate` without --document once",
            ));
        };
        pins.push(pinned.swap_remove(index));
    }
    Ok(pins)
}

/// The pinned contracts: those that the lock lists, else every file of the folder.
pub(crate) fn pinned(files: &Files, lock: Option<&Lock>, overwrite: bool) -> Result<Vec<Pin>, Failure> {
    let entries = match lock {
        Some(lock) => lock.documents.clone(),
        None => unlocked(files),
    };
    if entries.is_empty() {
        return Err(Failure::configuration(
            "lock/nothing-pinned",
            "no contract is pinned",
            "pin one with `cargo xtask regenerate`, from the sandbox, --base-url or --contract",
        ));
    }
    let mut pins = Vec::with_capacity(entries.len());
    for mut entry in entries {
        let text = read(files, &entry.name)?;
        let edited = lock.is_none() || sha256(text.as_bytes()) != entry.canonical;
        if edited && lock.is_some() && !overwrite {
            return Err(edited_pin(&entry.name));
        }
        let loaded = load::load(&entry.name, text.as_bytes()).map_err(|problem| unusable_pin(&entry.name, &problem))?;
        let canonical = HashedText::from(loaded.canonical());
        if edited {
            entry.raw = sha256(text.as_bytes());
            // The next download must bring the whole contract.
            entry.etag = None;
        }
        canonical.hash().clone_into(&mut entry.canonical);
        entry.dialect = dialect(loaded.dialect);
        entry.contract_version = loaded.version;
        pins.push(Pin { entry, title: loaded.title, canonical, received: None });
    }
    Ok(pins)
}

/// The lock with the documents of both sides of a merge: those that the configuration names and that are pinned stand in it, and
/// those that neither has any more do not.
pub(super) fn merged(files: &Files, source: &SourceSettings, mut lock: Lock) -> Lock {
    let is_pinned = |name: &str| files.get(&pinned_path(name)).is_some();
    let is_configured = |name: &str| source.documents.iter().any(|document| document.name == name);
    let mut documents = Vec::with_capacity(lock.documents.len());
    for document in lock.documents {
        if is_configured(&document.name) || is_pinned(&document.name) {
            documents.push(document);
        }
    }
    for DocumentSource { name, .. } in &source.documents {
        let is_new = documents.iter().all(|document| document.name != *name);
        if is_new && is_pinned(name) {
            documents.push(unlisted(name.clone()));
        }
    }
    documents.sort_by_key(|entry| source.documents.iter().position(|document| document.name == entry.name));
    lock.documents = documents;
    lock
}

/// The schema to work with, and a note: the schema that the source serves, else the pinned one. Only the caller removes a pinned one.
pub(super) fn schema(
    files: &Files,
    lock: Option<&Lock>,
    flags: &Regenerate,
    served: &Served,
) -> Result<(Option<String>, Option<String>), Failure> {
    let reason = match served {
        Served::Schema(text) => return Ok((Some(text.clone()), None)),
        Served::None(reason) => reason.as_str(),
        Served::NotAsked(reason) => reason,
    };
    let pinned = match flags.drop_schema {
        true => None,
        false => schema::pinned(files, lock, flags.overwrite)?,
    };
    let sources = lock.iter().flat_map(|lock| &lock.documents).map(|document| document.source.as_str());
    let is_sandbox = are_of_sandbox(sources);
    let consequence = match &pinned {
        // The lock does not say where the schema came from.
        Some(_) if is_sandbox && !flags.sandbox => {
            "; the pinned one stays, although the pinned contracts are the sandbox's: --drop-schema removes it"
        }
        Some(_) => "; the pinned one stays: --drop-schema removes it",
        None => "",
    };
    let is_worth_a_note = pinned.is_some() || matches!(served, Served::None(_));
    let note = is_worth_a_note.then(|| format!("no GraphQL schema: {reason}{consequence}"));
    Ok((pinned, note))
}

fn unlocked(files: &Files) -> Vec<PinnedDocument> {
    let names = files.below(CONTRACTS).filter_map(|(path, _)| {
        let name = path.strip_prefix(CONTRACTS)?.trim_start_matches('/').strip_suffix(".json")?;
        (!name.contains('/')).then(|| name.to_owned())
    });
    names.map(unlisted).collect()
}

/// A document of which nothing but its pinned file is known.
fn unlisted(name: String) -> PinnedDocument {
    PinnedDocument {
        name,
        source: UNKNOWN.to_owned(),
        raw: String::new(),
        canonical: String::new(),
        dialect: String::new(),
        contract_version: String::new(),
        etag: None,
    }
}

fn read<'f>(files: &'f Files, name: &str) -> Result<&'f str, Failure> {
    let path = pinned_path(name);
    let Some(bytes) = files.get(&path) else {
        return Err(Failure::new(
            Exit::Stale,
            "pin/missing",
            format!("the pinned contract {path} is missing"),
            format!("git checkout -- {path}\nor download it again: cargo xtask regenerate"),
        ));
    };
    let text = std::str::from_utf8(bytes).map_err(|_| edited_pin(name))?;
    if lock::has_conflict_markers(text) {
        return Err(Failure::configuration(
            "pin/conflict",
            format!("{path} holds the markers of a merge conflict"),
            format!("take one side of all generated files, run `{}`", lock::AFTER_MERGE),
        ));
    }
    Ok(text)
}

fn edited_pin(name: &str) -> Failure {
    let path = pinned_path(name);
    Failure::new(
        Exit::Stale,
        "output/edited",
        format!("the pinned contract {path} was edited by hand, or merged; nothing was written"),
        format!(
            "undo the edit: git checkout -- {path}\n\
             write a correction as [[correction]] into specs/codegen.toml\n\
             or take the file as it is: cargo xtask regenerate --offline --overwrite"
        ),
    )
}

fn unusable_pin(name: &str, problem: &driftless_codegen::Problem) -> Failure {
    let path = pinned_path(name);
    Failure::new(
        Exit::Contract,
        "pin/not-usable",
        format!("the pinned contract cannot be read: {problem}"),
        format!("git checkout -- {path}\nor download it again: cargo xtask regenerate --overwrite"),
    )
}

/// `true` if contracts are pinned, and all of them came from the sandbox.
fn are_of_sandbox<'s>(sources: impl IntoIterator<Item = &'s str>) -> bool {
    let mut sources = sources.into_iter().peekable();
    sources.peek().is_some() && sources.all(|source| source == SANDBOX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_contracts_nothing_is_the_sandboxs() {
        let other = "https://service.example/openapi.json";
        for (sources, expected) in [(&[][..], false), (&[SANDBOX], true), (&[SANDBOX, other], false)] {
            assert_eq!(are_of_sandbox(sources.iter().copied()), expected, "{sources:?}");
        }
    }
}
