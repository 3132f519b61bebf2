//! `new` and `add`: a workspace for a service, and another service in a workspace.
//!
//! All files are written into a folder beside the wanted one, which gets its name at the end: a run that fails, or is ended, leaves nothing.

mod configuration;
mod layout;
mod services;
mod template;
mod vendored;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use driftless_codegen::{ClientNames, Contract, FirstCall, Proposal, Setup, client_names};
use url::Url;

use self::configuration::{configuration, document_name, head};
use self::template::Service;
use crate::asked;
use crate::console::{Steps, result, word};
use crate::failure::{Exit, Failure};
use crate::files::Files;
use crate::flags::{Add, New, Pipeline, Regenerate, ServiceFlags};
use crate::interrupt::Interrupt;
use crate::regenerate::{self, Begun, from_source, reserved};
use crate::settings::{Settings, is_name};
use crate::source::base::{is_same, of_service};
use crate::source::{self, stripped};
use crate::suggestions;
use crate::transaction::Guard;
use crate::workspace::{CONFIGURATION, STAGING, Workspace};

/// The recipes of pipelines.
const GITHUB: &str = ".github/workflows/contract.yml";
const GITLAB: &str = ".gitlab-ci.yml";

pub(crate) fn new(flags: &New) -> Result<ExitCode, Failure> {
    let made = make(&flags.folder, &flags.service, |root| {
        let cli = flags.service.cli;
        write(root, template::workspace(flags.vendored.is_some(), cli))?;
        flags.vendored.as_ref().map_or(Ok(()), |packed| vendored::unpack(packed, root, cli))
    })?;
    let Some(Made { folder, names, first, variables, base, .. }) = made else { return Ok(ExitCode::SUCCESS) };
    let base_url = &printed_base_url(base.as_ref());
    let service =
        Service { names: &names, first: first.as_ref(), variables: &variables, base_url, cli: flags.service.cli };
    let mut files = vec![service.readme()];
    match flags.ci {
        Some(Pipeline::Github) => {
            files.push((GITHUB.to_owned(), service.pipeline(include_str!("template/github.yml"))));
        }
        Some(Pipeline::Gitlab) => {
            files.push((GITLAB.to_owned(), service.pipeline(include_str!("template/gitlab.yml"))));
        }
        None => {}
    }
    write(folder.path(), files)?;
    folder.take(&flags.folder)?;
    next(&flags.folder, "", &service);
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn add(root: &Path, flags: &Add) -> Result<ExitCode, Failure> {
    if !is_name(&flags.service_name) {
        return Err(Failure::configuration(
            "add/name",
            format!("{:?} cannot name a service", flags.service_name),
            "use lower-case letters, digits, `-` and `_`",
        ));
    }
    if !root.join("xtask").is_dir() {
        return Err(Failure::configuration(
            "add/no-workspace",
            format!("{} has no folder `xtask`", root.display()),
            "run the command at the top of a workspace, or make one: cargo xtask new DIR",
        ));
    }
    let target = root.join(&flags.service_name);
    let of_flags = ServiceFlags {
        name: Some(flags.service.name.clone().unwrap_or_else(|| flags.service_name.clone())),
        ..flags.service.clone()
    };
    let made = make(&target, &of_flags, |_| Ok(()))?;
    let Some(Made { folder, names, first, variables, base }) = made else { return Ok(ExitCode::SUCCESS) };
    let manifest = member(root, &flags.service_name, flags.service.cli)?;
    folder.take(&target)?;
    write(root, vec![("Cargo.toml".to_owned(), manifest)])?;
    let page = root.join("README.md");
    let base_url = &printed_base_url(base.as_ref());
    let service =
        Service { names: &names, first: first.as_ref(), variables: &variables, base_url, cli: flags.service.cli };
    let row = services::added(&service.listed(), &flags.service_name);
    let written = match fs::read_to_string(&page) {
        Ok(text) => fs::write(&page, services::with_row(&text, &row)),
        // People can have removed it.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    // The service is in the workspace already.
    if let Err(error) = written {
        result(&format!("note        README.md could not be changed: {error}; add the row of the service yourself:"));
        result(&format!("            {}", row.trim_end()));
    }
    next(root, &format!(" --service {}", flags.service_name), &service);
    for recipe in [GITHUB, GITLAB].into_iter().filter(|path| root.join(path).is_file()) {
        result(&format!("            the job `drift` of {recipe} needs these variables, too"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The base URL in lines for people to paste.
fn printed_base_url(base: Option<&Url>) -> String {
    base.map_or_else(|| "https://service.example".to_owned(), |base| stripped(base).trim_end_matches('/').to_owned())
}

/// The manifest of the workspace with the client of another service as a member.
fn member(root: &Path, service: &str, cli: bool) -> Result<String, Failure> {
    let path = root.join("Cargo.toml");
    let text = fs::read_to_string(&path).map_err(|error| Failure::file("read", &path, &error))?;
    let hint = "write the folder of the client into `members` and `default-members` of [workspace] yourself";
    let wrong = |message: String| Failure::configuration("add/manifest", message, hint);
    let mut manifest: toml_edit::DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| wrong(format!("Cargo.toml cannot be read: {}", error.message())))?;
    let workspace = manifest.get_mut("workspace").and_then(toml_edit::Item::as_table_like_mut);
    let workspace = workspace.ok_or_else(|| wrong("Cargo.toml has no [workspace]".to_owned()))?;
    let client = format!("{service}/generated-client");
    // Without a list of its own, cargo takes all members by default.
    if let Some(members) = workspace.get_mut("default-members").and_then(toml_edit::Item::as_array_mut) {
        members.push(client.as_str());
    }
    let members = workspace.get_mut("members").and_then(toml_edit::Item::as_array_mut);
    let members = members.ok_or_else(|| wrong("[workspace] of Cargo.toml has no `members`".to_owned()))?;
    members.push(client);
    if cli {
        members.push(format!("{service}/cli"));
        let patch = manifest.get("patch").and_then(|patch| patch.get("crates-io"));
        let is_vendored = patch.is_some_and(|patch| patch.get("driftless").is_some());
        if is_vendored && patch.is_some_and(|patch| patch.get("driftless-cli").is_none()) {
            return Err(Failure::configuration(
                "add/vendored",
                "the folder `vendor` has no crate driftless-cli",
                "unpack driftless-cli-*.crate of this version into `vendor`, name it in [patch.crates-io], and run the command again",
            ));
        }
        let version = format!("={}", env!("CARGO_PKG_VERSION"));
        let dependencies = manifest.entry("workspace").or_insert_with(toml_edit::table).as_table_like_mut();
        let dependencies = dependencies
            .and_then(|workspace| workspace.entry("dependencies").or_insert_with(toml_edit::table).as_table_like_mut());
        if let Some(dependencies) = dependencies.filter(|dependencies| !dependencies.contains_key("driftless-cli")) {
            dependencies.insert("driftless-cli", toml_edit::value(version));
        }
    }
    Ok(manifest.to_string())
}

/// A service whose files stand in a folder that has not its name yet.
struct Made {
    folder: Folder,
    names: ClientNames,
    first: Option<FirstCall>,
    variables: Vec<String>,
    base: Option<Url>,
}

/// Downloads the contract, and writes configuration and client; `prepare` writes the rest before. `None`: a dry run, which has printed the
/// configuration.
fn make(
    target: &Path,
    flags: &ServiceFlags,
    prepare: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<Option<Made>, Failure> {
    let folder = Folder::beside(target)?;
    let workspace = Workspace::find(Some(folder.path().to_path_buf()))?;
    let from = Regenerate {
        base_url: flags.base_url.clone(),
        contract: flags.contract.clone(),
        connect_timeout: flags.connect_timeout,
        timeout: flags.timeout,
        ..Regenerate::default()
    };
    let (runtime, interrupt) = Interrupt::start()?;
    interrupt.remove_unfinished(folder.around.path());
    let steps = Steps::new();
    let given = flags.name.as_deref().map(|name| client_names(name, &Setup::default()));
    let head = head(&given.clone().unwrap_or_default(), None);
    let bare = Settings::parse(&head)?;
    let (none, mut loaded) = (Files::default(), Vec::new());
    let work = source::fetch(&workspace, &bare, &none, &from, None, &steps);
    let mut fetched = runtime.block_on(interrupt.or(work)).map_err(one_of_several)?;
    let mut pins = from_source(&none, None, &fetched.contracts, |contract| loaded.push(contract))?;
    let unnamed = ClientNames::default();
    write(folder.path(), Service { names: &unnamed, first: None, variables: &[], base_url: "", cli: false }.client())?;
    let setup = Setup { reserved: reserved(&Files::read(&workspace)?)?, ..Setup::default() };
    let title = pins.first().map(|pin| pin.title.as_str()).unwrap_or_default();
    let names = given.unwrap_or_else(|| client_names(title, &setup));
    // It is interpreted under the name that the configuration gives it.
    if let [only] = pins.as_mut_slice() {
        only.entry.name = document_name(&names);
    }
    let contracts: Vec<Contract<'_>> =
        pins.iter().map(|pin| Contract { name: &pin.entry.name, bytes: pin.canonical.as_bytes() }).collect();
    let (Proposal { families, address, schemes, suggestions }, interpreted) =
        driftless_codegen::interpret_loaded(&contracts, loaded, &setup).map_err(|report| {
            Failure::new(Exit::Contract, "contract/not-usable", report.to_string(), "nothing was written")
        })?;
    let served_at = fetched.contracts.first().and_then(|contract| Url::parse(&contract.source).ok());
    fetched.contracts.clear();
    let base = base_url(flags, served_at.as_ref(), address.as_deref())?;
    let place = document(flags, base.as_ref(), served_at.as_ref());
    let mut text = configuration(&names, base.as_ref(), place.as_deref(), &asked::places(&schemes), &families);
    text.push_str(suggestions::of_new(&suggestions).trim_end());
    let text = text.trim_end().to_owned() + "\n";
    Settings::parse(&text)?;
    drop(steps);
    if flags.dry_run {
        text.lines().for_each(result);
        return Ok(None);
    }

    prepare(folder.path())?;
    let service = Service { names: &names, first: None, variables: &[], base_url: "", cli: flags.cli };
    write(folder.path(), service.client())?;
    if flags.cli {
        write(folder.path(), service.program())?;
    }
    write(folder.path(), vec![(CONFIGURATION.to_owned(), text)])?;
    let guard = Guard::acquire(&workspace)?;
    let (fetched, pins, interpreted) = (Some(fetched), Some(pins), Some(interpreted));
    let begun = Begun { guard, runtime, interrupt, fetched, pins, interpreted };
    let output = regenerate::run_with(&workspace, &from, begun)?.output;
    let (mut first, credentials) = (output.first_call.clone(), &output.credentials);
    let together = match &first {
        Some(call) => asked::easiest(credentials, &format!("{}.{}", call.family, call.operation)),
        None => asked::usual(credentials),
    };
    let mut variables = asked::variables(together, &credentials.schemes);
    // An argument that is a key goes before the key of the configuration: the program reads both from one variable.
    for (_, key) in first.iter_mut().flat_map(|call| &mut call.keys) {
        *key = asked::key(key, &credentials.schemes);
        if !variables.contains(key) {
            variables.push(key.clone());
        }
    }
    let service = Service { names: &names, first: first.as_ref(), variables: &variables, base_url: "", cli: flags.cli };
    write(folder.path(), service.calls())?;
    if let Some(call) = first.as_ref().filter(|call| !call.features.is_empty()) {
        let manifest = workspace.path("generated-client/Cargo.toml");
        let text = fs::read_to_string(&manifest).map_err(|error| Failure::file("read", &manifest, &error))?;
        let text = template::with_features(&text, &call.features);
        fs::write(&manifest, text).map_err(|error| Failure::file("write", &manifest, &error))?;
    }
    let staging = workspace.path(STAGING);
    fs::remove_dir_all(&staging).map_err(|error| Failure::file("remove", &staging, &error))?;
    Ok(Some(Made { folder, names, first, variables, base }))
}

/// A folder that gets its name when it is complete.
struct Folder {
    /// Removes the rest.
    around: tempfile::TempDir,
    path: PathBuf,
}

impl Folder {
    fn beside(target: &Path) -> Result<Self, Failure> {
        let occupied = |state: &str| {
            let message = format!("{} {state}", target.display());
            Err(Failure::configuration("new/exists", message, "choose another folder"))
        };
        match fs::read_dir(target).map(|mut entries| entries.next().is_some()) {
            Ok(true) => return occupied("is not empty"),
            Ok(false) => {}
            Err(_) if target.symlink_metadata().is_ok() => return occupied("is not a folder"),
            Err(_) => {}
        }
        let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(|error| Failure::file("create", parent, &error))?;
        let around = tempfile::Builder::new().prefix(".driftless-").tempdir_in(parent);
        let around = around.map_err(|error| Failure::file("create a folder in", parent, &error))?;
        let path = around.path().join("new");
        fs::create_dir(&path).map_err(|error| Failure::file("create", &path, &error))?;
        Ok(Self { around, path })
    }

    fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name.
    fn take(self, target: &Path) -> Result<(), Failure> {
        // An empty folder is replaced: on some systems it has to go first.
        let _ = fs::remove_dir(target);
        fs::rename(&self.path, target).map_err(|error| Failure::file("rename a folder to", target, &error))?;
        drop(self.around);
        Ok(())
    }
}

fn write(root: &Path, files: Vec<template::File>) -> Result<(), Failure> {
    for (path, text) in files {
        let path = root.join(path);
        let folder = path.parent().unwrap_or(root);
        fs::create_dir_all(folder).map_err(|error| Failure::file("create", folder, &error))?;
        fs::write(&path, text).map_err(|error| Failure::file("write", &path, &error))?;
    }
    Ok(())
}

/// The base URL of programs: the address that the contract states, or the one that the caller names beside the contract. `None`: nobody
/// named an address.
fn base_url(flags: &ServiceFlags, from: Option<&Url>, stated: Option<&str>) -> Result<Option<Url>, Failure> {
    let given = flags.base_url.as_deref().and_then(|base| Url::parse(base.trim()).ok());
    if let (Some(given), Some(_)) = (&given, &flags.contract) {
        return Ok(Some(given.clone()));
    }
    let base = of_service(given.as_ref(), from, stated);
    match (&base, given) {
        (None, Some(given)) => {
            let from = from.map_or_else(String::new, |from| format!(" at {}", stripped(from)));
            Err(Failure::configuration(
                "new/base-url",
                format!(
                    "the contract{from} does not say below which address its operations are, and {} led to it",
                    stripped(&given)
                ),
                "name both: --base-url URL --contract ADDRESS, with the URL that the paths of the contract follow",
            ))
        }
        _ => Ok(base),
    }
}

/// Names the flag that chooses one of several contracts.
fn one_of_several(failure: Failure) -> Failure {
    if failure.code != "source/several-contracts" {
        return failure;
    }
    let hint = format!(
        "choose one of them, and name its address beside the base URL: --base-url URL --contract ADDRESS\n\
         add the others later, each as a [[source.document]] of {CONFIGURATION}, or as a service of its own: cargo xtask add"
    );
    Failure { hint, ..failure }
}

/// The place of the contract for the next download, if it was named by its address, or is not found below the base URL. A query may
/// hold a key, so no file gets one.
fn document(flags: &ServiceFlags, base: Option<&Url>, from: Option<&Url>) -> Option<String> {
    let mut url = match &flags.contract {
        Some(contract) => Url::parse(contract.trim()).ok()?,
        None => {
            let given = Url::parse(flags.base_url.as_deref()?.trim()).ok()?;
            let is_found = base.is_some_and(|base| {
                is_same(base, &given) || of_service(None, from, None).is_some_and(|usual| is_same(base, &usual))
            });
            from.filter(|_| !is_found)?.clone()
        }
    };
    if !matches!(url.scheme(), "http" | "https") || url.query().is_some() {
        return None;
    }
    url.set_fragment(None);
    Some(base.map_or_else(|| url.to_string(), |base| source::relative(base, &url)))
}

/// The steps after it.
fn next(folder: &Path, service_flag: &str, service: &Service<'_>) {
    result("");
    result(&format!("next        cd {}", word(&folder.display().to_string())));
    result(&format!("            export {}", service.exports()));
    match service.first {
        Some(_) => {
            let (package, changes) = (&service.names.package, service.changes());
            result(&format!("            cargo run -p {package} --example first{changes}"));
        }
        None => result(
            "            (no operation can be called with values that a program makes up: no first program was written)",
        ),
    }
    if service.cli {
        result(&format!("            cargo run -p {}-cli -- --help", service.stem()));
    }
    result("            cargo test");
    result(&format!("            git add -A && git commit; from then on: cargo xtask regenerate{service_flag}"));
}
