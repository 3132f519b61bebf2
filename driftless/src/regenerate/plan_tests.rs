//! Decisions as tables: files and the answer of a source in, changes or a failure out.

use std::cell::RefCell;
use std::sync::LazyLock;

use super::*;
use crate::regenerate::survey::Cause;
use crate::source::{Content, Fetched};
use crate::workspace::{CLIENT_MANIFEST, CONFIGURATION, DRIFT, GENERATED, LOCK};

const MANIFEST: &str = "[package]\nname = \"service-client\"\nversion = \"1.0.0\"\n\n[features]\n";
const SCHEMA_TEXT: &str = "type Query {\n  thing: String\n}\n";

/// A contract with an operation for each of these names.
fn contract(names: &[&str]) -> String {
    let path = |name: &&str| format!(r#""/{name}": {{"get": {{"tags": ["things"], "responses": {{"204": {{}}}}}}}}"#);
    let paths: Vec<String> = names.iter().map(path).collect();
    format!(r#"{{"openapi": "3.0.4", "info": {{"title": "T", "version": "1"}}, "paths": {{{}}}}}"#, paths.join(", "))
}

/// The answer of a source: contracts by name, and a GraphQL schema.
fn answer(contracts: &[(&str, &str)], schema: Served) -> Given {
    let fetched = |(name, text): &(&str, &str)| Fetched {
        name: (*name).to_owned(),
        source: format!("https://service.example/{name}.json"),
        content: Content::Received { bytes: text.as_bytes().to_vec(), etag: None, described: String::new() },
    };
    Given { bundle: Some(Bundle { contracts: contracts.iter().map(fetched).collect(), schema }), ..Given::default() }
}

fn one(names: &[&str]) -> Given {
    answer(&[("service", &contract(names))], Served::NotAsked("a test asks nobody"))
}

fn planned(files: &Files, flags: &Regenerate, given: Given) -> Result<Plan, Failure> {
    plan(&Inputs::new(files.clone(), "2026-01-01".to_owned())?, flags, given, |_| Ok(()))
}

/// The files after a plan was carried out.
fn after_run(files: &Files, plan: &Plan) -> Files {
    let mut all: BTreeMap<String, Vec<u8>> =
        files.iter().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
    for change in &plan.changes {
        match change {
            Change::Write { path, content } => drop(all.insert(path.clone(), content.as_bytes().to_vec())),
            Change::Remove { path } => drop(all.remove(path)),
        }
    }
    all.into_iter().collect()
}

fn with(files: &Files, path: &str, content: &str) -> Files {
    let others = files.iter().filter(|(other, _)| *other != path).map(|(path, bytes)| (path, bytes.to_vec()));
    others.chain([(path, content.as_bytes().to_vec())]).collect()
}

fn without(files: &Files, path: &str) -> Files {
    files.iter().filter(|(other, _)| *other != path).map(|(path, bytes)| (path, bytes.to_vec())).collect()
}

fn text(files: &Files, path: &str) -> String {
    files.text(path).unwrap_or_else(|| panic!("{path} does not exist")).into_owned()
}

/// A workspace after its first run, with four operations.
static PINNED: LazyLock<Files> = LazyLock::new(|| {
    let empty: Files = [(CONFIGURATION, ""), (CLIENT_MANIFEST, MANIFEST)].into_iter().collect();
    let plan = planned(&empty, &Regenerate::default(), one(&["a", "b", "c", "d"])).expect("a first run");
    after_run(&empty, &plan)
});

/// A generated source of the pinned client.
fn source() -> String {
    let paths = PINNED.below(GENERATED).map(|(path, _)| path);
    paths.filter(|path| path.ends_with("things.rs")).last().expect("a family").to_owned()
}

fn offline() -> Regenerate {
    Regenerate { offline: true, ..Regenerate::default() }
}

fn overwrite() -> Regenerate {
    Regenerate { overwrite: true, ..offline() }
}

fn paths(plan: &Plan) -> Vec<&str> {
    plan.changes.iter().map(Change::path).collect()
}

/// The causes that `--check` names for a path.
fn causes(files: &Files, path: &str) -> Vec<Cause> {
    let flags = Regenerate { check: true, ..offline() };
    let survey = planned(files, &flags, Given::default()).expect("checked").survey;
    survey.findings().iter().filter(|finding| finding.path == path).map(|finding| finding.cause.clone()).collect()
}

#[test]
fn a_run_without_a_change_writes_nothing() {
    let reordered = contract(&["d", "c", "b", "a"]);
    let given = || answer(&[("service", &reordered)], Served::NotAsked("a test asks nobody"));
    for (flags, given) in [
        (offline(), Given::default()),
        (overwrite(), Given::default()),
        (Regenerate::default(), given()),
        (Regenerate { locked: true, ..Regenerate::default() }, given()),
        (Regenerate { check: true, ..offline() }, Given::default()),
    ] {
        let plan = planned(&PINNED, &flags, given).expect("planned");
        assert_eq!((paths(&plan), plan.survey.findings().len()), (Vec::new(), 0), "{flags:?}");
    }
}

#[test]
fn another_contract_is_pinned_with_its_client_and_a_report() {
    let plan = planned(&PINNED, &Regenerate::default(), one(&["a", "b", "c", "d", "e"])).expect("planned");
    let contract = pinned_path("service");
    for path in [contract.as_str(), &source(), LOCK, NAMES, DRIFT] {
        assert!(paths(&plan).contains(&path), "{path}: {:?}", paths(&plan));
    }
    let inputs = Cause::Inputs("contract".to_owned());
    assert!(plan.survey.findings().iter().all(|finding| finding.cause == inputs), "{:#?}", plan.survey);
    // A second run finds nothing to do: the first one wrote all that follows from the contract.
    let again = planned(&after_run(&PINNED, &plan), &offline(), Given::default()).expect("planned");
    assert_eq!(paths(&again), Vec::<&str>::new());

    let locked = Regenerate { locked: true, ..Regenerate::default() };
    assert_eq!(planned(&PINNED, &locked, one(&["a"])).expect_err("another contract").code, "locked/differs");
}

#[test]
fn a_lock_that_is_missing_or_unreadable_is_written_anew_offline_only() {
    let conflict = "<<<<<<< HEAD\nversion = 3\n=======\n>>>>>>> main\n";
    for (lock, online, offline_only) in [
        (None, None, None),
        (Some("version = "), Some("lock/invalid"), None),
        (Some(conflict), Some("lock/conflict"), None),
        (Some("version = 99"), Some("lock/version"), Some("lock/version")),
        (Some("version = 2"), Some("lock/version"), Some("lock/version")),
    ] {
        let files = lock.map_or_else(|| without(&PINNED, LOCK), |lock| with(&PINNED, LOCK, lock));
        let code = |flags: &Regenerate, given| planned(&files, flags, given).err().map(|failure| failure.code);
        assert_eq!(code(&Regenerate::default(), one(&["a", "b", "c", "d"])), online, "{lock:?}");
        assert_eq!(code(&Regenerate { check: true, ..offline() }, Given::default()), online, "{lock:?}");
        assert_eq!(code(&offline(), Given::default()), offline_only, "{lock:?}");
        let notes = RefCell::new(0);
        let inputs = Inputs::new(files.clone(), "2026-01-01".to_owned()).expect("inputs");
        let plan = plan(&inputs, &overwrite(), Given::default(), |progress| {
            *notes.borrow_mut() += usize::from(matches!(progress, Progress::Note(_)));
            Ok(())
        });
        assert_eq!(paths(&plan.expect("planned")), [LOCK], "{lock:?}");
        assert_eq!(notes.take(), usize::from(lock.is_some()), "{lock:?}");
    }
    assert_eq!(causes(&without(&PINNED, LOCK), LOCK), [Cause::Missing]);
}

#[test]
fn a_file_that_was_edited_or_put_there_by_hand_is_refused() {
    let (source, header) = (source(), driftless_codegen::HEADER);
    let edited = text(&PINNED, &source) + "// by hand\n";
    let foreign = format!("{GENERATED}/extra.rs");
    let contract = pinned_path("extra");
    let generated = format!("{header}\n");
    for (path, content, cause, with_overwrite) in [
        (&source, edited.as_str(), Cause::HandEdit, Ok(vec![source.as_str()])),
        (&foreign, "// mine\n", Cause::Unlisted, Err("output/edited")),
        // It is of another branch.
        (&foreign, generated.as_str(), Cause::Unlisted, Ok(vec![foreign.as_str()])),
        (&contract, "{}", Cause::Unlisted, Err("output/edited")),
    ] {
        let files = with(&PINNED, path, content);
        assert_eq!(causes(&files, path), [cause], "{path}");
        let failure = planned(&files, &offline(), Given::default()).expect_err(path);
        assert_eq!((failure.code, failure.exit), ("output/edited", Exit::Stale));
        assert!(failure.message.contains(path.as_str()), "{}", failure.message);
        let overwritten = planned(&files, &overwrite(), Given::default());
        assert_eq!(overwritten.as_ref().map(paths).map_err(|failure| failure.code), with_overwrite, "{path}");
    }
    let missing = without(&PINNED, &source);
    assert_eq!(causes(&missing, &source), [Cause::Missing]);
    assert_eq!(paths(&planned(&missing, &offline(), Given::default()).expect("planned")), [source.as_str()]);
}

#[test]
fn a_pinned_contract_that_was_edited_is_refused_and_checked_by_its_hash() {
    let path = pinned_path("service");
    let files = with(&PINNED, &path, &contract(&["a", "b"]));
    assert_eq!(planned(&files, &offline(), Given::default()).expect_err("edited").code, "output/edited");
    assert!(paths(&planned(&files, &overwrite(), Given::default()).expect("taken")).contains(&source().as_str()));
    let inputs = Inputs::new(files, "2026-01-01".to_owned()).expect("inputs");
    let survey = Survey::from_lock(&inputs.files, inputs.lock.readable().expect("readable").expect("a lock"));
    let findings: Vec<(&str, &Cause)> =
        survey.findings().iter().map(|finding| (finding.path.as_str(), &finding.cause)).collect();
    assert_eq!(findings, [(path.as_str(), &Cause::HandEdit)]);
}

#[test]
fn a_name_that_two_things_have_is_refused() {
    let names = text(&PINNED, NAMES);
    let line = names.lines().find(|line| line.starts_with("operation GET /a ")).expect("a name");
    let twice = format!("{names}{}\n", line.replace("/a ", "/other "));
    for flags in [offline(), overwrite(), Regenerate { check: true, ..offline() }] {
        let failure = planned(&with(&PINNED, NAMES, &twice), &flags, Given::default()).expect_err("twice");
        assert_eq!((failure.code, failure.exit), ("names/double", Exit::Configuration));
    }
}

/// A contract with so many operations, and a path for each.
fn sized(start: &str, number: usize) -> String {
    let names: Vec<String> = (0..number).map(|index| format!("{start}{index}")).collect();
    contract(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The loss that a run is refused for when `after` takes the place of `before`.
fn refused_loss(configuration: &str, before: &str, after: &str) -> Option<String> {
    let given = |text: &str| answer(&[("service", text)], Served::NotAsked("a test asks nobody"));
    let empty: Files = [(CONFIGURATION, configuration), (CLIENT_MANIFEST, MANIFEST)].into_iter().collect();
    let files = after_run(&empty, &planned(&empty, &Regenerate::default(), given(before)).expect("a first run"));
    let accepting = Regenerate { accept_loss: true, ..Regenerate::default() };
    planned(&files, &accepting, given(after)).expect("a person says so");
    let failure = planned(&files, &Regenerate::default(), given(after)).err()?;
    assert_eq!((failure.code, failure.exit), ("contract/shrunk", Exit::Contract));
    Some(failure.message.lines().last()?.rsplit("; ").next()?.to_owned())
}

#[test]
fn a_document_loses_no_more_than_the_share_that_is_allowed() {
    for (largest, before, after, lost) in [
        ("", 10, 0, Some(10)),
        ("", 10, 1, Some(9)),
        ("", 10, 4, Some(6)),
        ("", 10, 5, None),
        ("", 1, 0, Some(1)),
        ("", 0, 0, None),
        ("", 0, 10, None),
        ("largest_loss = 0", 10, 9, Some(1)),
        ("largest_loss = 0", 9, 10, None),
        ("largest_loss = 90", 10, 1, None),
        ("largest_loss = 90", 10, 0, Some(10)),
        ("largest_loss = 100", 10, 0, None),
    ] {
        let configuration = format!("[source]\n{largest}\n");
        let refused = refused_loss(&configuration, &sized("n", before), &sized("n", after));
        assert_eq!(refused, lost.map(|lost| format!("{lost} are gone")), "{largest} {before} -> {after}");
    }
}

// Counts alone say nothing of a contract whose operations are others.
#[test]
fn lost_operations_count_whatever_came() {
    let merged = |kept: usize, new: usize| {
        let names: Vec<String> = (0..kept)
            .map(|index| format!("api/things/n{index}"))
            .chain((0..new).map(|index| format!("api/others/m{index}")))
            .collect();
        contract(&names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let with_server = sized("n", 10).replacen('{', "{\"servers\":[{\"url\":\"/api/things\"}],", 1);
    for (change, after, lost) in [
        ("another service", merged(0, 10), Some(10)),
        ("a larger one", merged(0, 30), Some(10)),
        ("most are others", merged(4, 6), Some(6)),
        ("half are others", merged(5, 5), None),
        ("a base path in front", sized("gateway/v2/api/things/n", 10), None),
        ("a base path less", sized("n", 10), None),
        ("a base path in the address", with_server, None),
        ("another version", sized("api/things/v2/n", 10), Some(10)),
    ] {
        let refused = refused_loss("", &sized("api/things/n", 10), &after);
        assert_eq!(refused, lost.map(|lost| format!("{lost} are gone")), "{change}");
    }
}

#[test]
fn a_document_that_the_source_gives_up_goes_with_its_client() {
    let (first, second) = (contract(&["a"]), contract(&["b"]));
    let both = [("service", first.as_str()), ("other", second.as_str())];
    let asked = || Served::NotAsked("a test asks nobody");
    let plan = planned(&PINNED, &Regenerate { accept_loss: true, ..Regenerate::default() }, answer(&both, asked()));
    let files = after_run(&PINNED, &plan.expect("two documents"));
    assert!(files.get(&pinned_path("other")).is_some());

    let locked = Regenerate { locked: true, ..Regenerate::default() };
    let failure = planned(&files, &locked, answer(&both[..1], asked())).expect_err("one is gone");
    assert!(failure.code == "locked/differs" && failure.message.ends_with(": other"), "{failure}");
    let plan = planned(&files, &Regenerate::default(), answer(&both[..1], asked())).expect("one document");
    let removed = Change::Remove { path: pinned_path("other") };
    assert!(plan.changes.contains(&removed), "{:?}", paths(&plan));
}

#[test]
fn a_pinned_schema_stays_until_the_caller_removes_it() {
    let contract = contract(&["a", "b", "c", "d"]);
    let given = |schema| answer(&[("service", &contract)], schema);
    let plan = planned(&PINNED, &Regenerate::default(), given(Served::Schema(SCHEMA_TEXT.to_owned())));
    let files = after_run(&PINNED, &plan.expect("with a schema"));
    assert_eq!(text(&files, SCHEMA), SCHEMA_TEXT);
    let none = || given(Served::None("it has none".to_owned()));
    let dropping = Regenerate { drop_schema: true, ..Regenerate::default() };
    let locked = Regenerate { locked: true, ..Regenerate::default() };
    let stays = planned(&files, &Regenerate::default(), none()).expect("planned");
    assert_eq!(paths(&stays), Vec::<&str>::new());
    let gone = planned(&files, &dropping, none()).expect("planned");
    assert!(gone.changes.contains(&Change::Remove { path: SCHEMA.to_owned() }), "{:?}", paths(&gone));
    assert_eq!(planned(&files, &locked, none()).expect_err("it is gone").code, "locked/differs");
    let edited = with(&files, SCHEMA, "type Query {\n  other: String\n}\n");
    assert_eq!(planned(&edited, &offline(), Given::default()).expect_err("edited").code, "output/edited");
}
