//! `cargo xtask adopt`: another service in the place of the sandbox's platform.

mod leaving;
mod program;
mod readme;

use std::process::{Command, ExitCode};

use driftless_codegen::{Contract, FamilyRule, Proposal, Setup, address, line, propose};
use url::Url;

use crate::asked;
use crate::console::{Steps, count, result, word};
use crate::failure::{Exit, Failure};
use crate::flags::{Adopt, Regenerate};
use crate::interrupt::Interrupt;
use crate::regenerate::{self, Begun, from_source, reserved};
use crate::settings::Settings;
use crate::source::base::{is_same, of_service};
use crate::source::{self, shown};
use crate::transaction::Guard;
use crate::workspace::{CONFIGURATION, NAMES, Planned, README, SNAPSHOTS, Workspace};
use leaving::Leaving;
use program::{PROGRAM, Program};

/// The configuration of a service that nothing is known of, before its families.
const HEAD: &str = "\
# How the client is made. Written by people; `cargo xtask regenerate` reads it. docs/configuration.md lists every key.

[source]
base_url_env = \"PLATFORM_BASE_URL\"

# The credentials for the download, by the names of their places, never by their values: the variables that programs read.
[source.token]
variables = \"PLATFORM_\"
";

/// How the variables of programs begin, which downloads read, too.
const VARIABLES: &str = "PLATFORM_";

pub(crate) fn run(workspace: &Workspace, flags: &Adopt) -> Result<ExitCode, Failure> {
    let guard = match flags.dry_run {
        true => None,
        false => Some(Guard::acquire(workspace)?),
    };
    if let Some(guard) = &guard {
        regenerate::recover(guard, &Steps::new())?;
        clean(workspace)?;
    }
    let from = Regenerate {
        base_url: flags.base_url.clone(),
        contract: flags.contract.clone(),
        drop_schema: true,
        accept_loss: true,
        connect_timeout: flags.connect_timeout,
        timeout: flags.timeout,
        ..Regenerate::default()
    };
    let (runtime, interrupt) = Interrupt::start()?;
    let steps = Steps::new();
    let bare = Settings::parse(HEAD)?;
    let work = source::fetch(workspace, &bare, &from, None, &steps);
    let fetched = runtime.block_on(interrupt.or(work)).map_err(one_of_several)?;
    let pins = from_source(workspace, None, &fetched.contracts)?;
    let contracts: Vec<Contract<'_>> =
        pins.iter().map(|pin| Contract { name: &pin.entry.name, bytes: pin.canonical.as_bytes() }).collect();
    let setup = Setup { reserved: reserved(workspace)?, ..Setup::default() };
    let Proposal { families, schemes } = propose(&contracts, &setup).map_err(|report| {
        Failure::new(Exit::Contract, "contract/not-usable", report.to_string(), "nothing was written")
    })?;
    let served_at = fetched.contracts.first().and_then(|contract| Url::parse(&contract.source).ok());
    let stated = contracts.first().and_then(|contract| address(contract.bytes));
    let base = base_url(flags, served_at.as_ref(), stated.as_deref())?;
    let place = document(flags, base.as_ref(), served_at.as_ref());
    let text = configuration(place.as_deref(), &asked::places(&schemes), &families);
    Settings::parse(&text)?;
    drop(steps);

    let leaving = Leaving::of(workspace)?;
    say(&families, &leaving);
    let Some(guard) = guard else {
        result("");
        text.lines().for_each(result);
        return Ok(ExitCode::SUCCESS);
    };
    let mut planned = leaving.planned();
    planned.insert(CONFIGURATION.to_owned(), Some(text.into_bytes()));
    planned.insert(NAMES.to_owned(), None);
    let mut program = None;
    // What is pinned is what the families were proposed for.
    let begun = Begun { guard, runtime, interrupt, fetched: Some(fetched) };
    let code = regenerate::run_with(&workspace.with(planned), &from, begun, |desired| {
        program = Program::from_client(&desired.files, &desired.output.credentials);
        let text = program.as_ref().map(|program| program.text().into_bytes());
        let readme = readme::text(program.as_ref()).into_bytes();
        Planned::from([(PROGRAM.to_owned(), text), (README.to_owned(), Some(readme))])
    })?;
    next(flags, base.as_ref(), program.as_ref());
    Ok(code)
}

/// The base URL of programs: where the contract says, or where the caller says that the contract belongs. `None`: nobody named an
/// address.
fn base_url(flags: &Adopt, from: Option<&Url>, stated: Option<&str>) -> Result<Option<Url>, Failure> {
    let given = flags.base_url.as_deref().and_then(|base| Url::parse(base.trim()).ok());
    if let (Some(given), Some(_)) = (&given, &flags.contract) {
        return Ok(Some(given.clone()));
    }
    let base = of_service(given.as_ref(), from, stated);
    match (&base, given) {
        (None, Some(given)) => {
            let from = from.map_or_else(String::new, |from| format!(" at {}", shown(from)));
            Err(Failure::configuration(
                "adopt/base-url",
                format!(
                    "the contract{from} does not say below which address its operations are, and {} led to it",
                    shown(&given)
                ),
                "name both: cargo xtask adopt --base-url URL --contract ADDRESS, with the URL that the paths of the contract follow",
            ))
        }
        _ => Ok(base),
    }
}

/// Fails where git has changes that are not committed: what is written over could not be brought back.
fn clean(workspace: &Workspace) -> Result<(), Failure> {
    let git = Command::new("git").arg("-C").arg(workspace.root()).args(["status", "--porcelain"]).output();
    let refuse = |what: &str, hint: &str| Err(Failure::configuration("adopt/not-clean", what, hint));
    match git {
        Ok(output) if output.status.success() && output.stdout.is_empty() => Ok(()),
        Ok(output) if output.status.success() => {
            let changed = String::from_utf8_lossy(&output.stdout).lines().count();
            let what = format!("git reports {} that are not committed", count(changed, "change", "changes"));
            refuse(
                &what,
                "commit them or put them aside (git stash): the command overwrites files of the sandbox's platform",
            )
        }
        _ => refuse("the workspace is not a git repository, or git is missing", "git init && git add -A && git commit"),
    }
}

/// The configuration is not written yet: what to choose is named by a flag.
fn one_of_several(failure: Failure) -> Failure {
    if failure.code != "source/several-contracts" {
        return failure;
    }
    let hint = format!(
        "choose one of them, and name its address beside the base URL: cargo xtask adopt --base-url URL --contract ADDRESS\n\
         the others are added to {CONFIGURATION} later, each as a [[source.document]]: docs/configuration.md"
    );
    Failure { hint, ..failure }
}

/// How the next download finds a contract that was named by its address, or that is not found below the base URL. A query may hold
/// a key, which no file is to have.
fn document(flags: &Adopt, base: Option<&Url>, from: Option<&Url>) -> Option<String> {
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

/// The configuration with the place of the document, where one was named, and the families.
fn configuration(document: Option<&str>, places: &str, families: &[FamilyRule]) -> String {
    let mut text = HEAD.to_owned() + places;
    if let Some(place) = document {
        let (name, place) = (quoted(source::DEFAULT_NAME), quoted(place));
        text.push_str(&format!("\n[[source.document]]\nname = {name}\ncontract = {place}\n"));
    }
    if !families.is_empty() {
        text.push_str("\n# The route families: a Rust module, a cargo feature and an accessor each. What no prefix claims goes by its tag.\n");
    }
    for family in families {
        let list: Vec<String> = family.prefixes.iter().map(|prefix| quoted(prefix)).collect();
        text.push_str(&format!("[[family]]\nname = {}\nprefixes = [{}]\n", quoted(&family.name), list.join(", ")));
        if !family.covers.is_empty() {
            text.push_str(&format!("covers = {}\n", quoted(&line(&family.covers))));
        }
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

/// A TOML string: what a contract says stays text.
fn quoted(text: &str) -> String {
    toml::Value::String(text.replace(['\n', '\r'], " ")).to_string()
}

/// What the command does.
fn say(families: &[FamilyRule], leaving: &Leaving) {
    let families: Vec<&str> = families.iter().map(|family| family.name.as_str()).collect();
    let names = if families.is_empty() { "none".to_owned() } else { families.join(", ") };
    result(&format!("adopt       writes {CONFIGURATION} anew, with families by prefixes of paths: {names}"));
    result("            (what no prefix claims gets a family by its tag), and without bindings, servers,");
    result("            corrections and renames of the service before it");
    result(&format!("            removes what was accepted of it in {SNAPSHOTS}: the first run writes that anew"));
    for path in leaving.removed.iter().filter(|path| !path.starts_with(SNAPSHOTS)) {
        result(&format!("            removes {path}"));
    }
    result(&format!("            begins {NAMES} afresh, pins the contract, and rewrites the client"));
}

/// The steps after it.
fn next(flags: &Adopt, base: Option<&Url>, program: Option<&Program>) {
    result("");
    result("next        the variables of a program and of the next download:");
    let named = base.map(|base| shown(base).trim_end_matches('/').to_owned());
    let url = named.as_deref().unwrap_or("https://service.example");
    // Without a call that shows which, most services ask for a token.
    let token = ["TOKEN".to_owned()];
    let ends = program.map_or(token.as_slice(), Program::variables);
    let variables: Vec<String> = ends.iter().map(|end| format!(" {VARIABLES}{end}=…")).collect();
    result(&format!("              export {VARIABLES}BASE_URL={}{}", word(url), variables.concat()));
    let given = flags.base_url.as_deref().and_then(|given| Url::parse(given.trim()).ok());
    if let (Some(base), Some(given)) = (base, given)
        && !is_same(base, &given)
    {
        result(&format!(
            "            the operations of the contract are below this address, not below {}",
            shown(&given)
        ));
    }
    match program {
        Some(_) => {
            result(&format!("            a first program, {PROGRAM}:"));
            result("              cargo run -p platform-client --example first");
        }
        None => result("            each operation needs an argument: no first program was written"),
    }
    result(&format!("            look through {CONFIGURATION}; after a change, cargo xtask regenerate --offline"));
    result("            cargo test --workspace --all-features, then git add -A and git commit");
    result("            the way back, before the commit: git stash --include-untracked");
}
