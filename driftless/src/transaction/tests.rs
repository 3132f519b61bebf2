use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::*;
use crate::failure::Exit;
use crate::lock::sha256;

type Content = BTreeMap<String, Vec<u8>>;

const ONE: &str = "specs/contracts/one.json";
const TWO: &str = "specs/contracts/two.json";
const GONE: &str = "specs/contracts/old/gone.json";
const NEW: &str = "generated-client/src/generated/new/file.rs";

fn tree(root: &Path) -> Content {
    let workspace = Workspace::find(Some(root.to_path_buf())).expect("a workspace");
    let files = workspace.files_below(".").expect("listed");
    let kept = files.into_iter().filter(|path| !path.contains(".regenerate"));
    kept.map(|path| (path.trim_start_matches("./").to_owned(), fs::read(root.join(&path)).expect("read"))).collect()
}

fn prepare() -> (tempfile::TempDir, Guard, Vec<Change>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir_all(folder.path().join("specs/contracts/old")).expect("created");
    for (path, content) in [(ONE, "1"), (TWO, "2"), (GONE, "3"), ("kept", "4")] {
        fs::write(folder.path().join(path), content).expect("written");
    }
    let workspace = Workspace::find(Some(folder.path().to_path_buf())).expect("a workspace");
    let guard = Guard::acquire(&workspace).expect("free");
    let write = |path: &str, content: &str| Change::Write { path: path.to_owned(), content: content.into() };
    let changes =
        vec![write(ONE, "one"), write(NEW, "new"), Change::Remove { path: GONE.to_owned() }, write(TWO, "two")];
    (folder, guard, changes)
}

fn stop() -> Failure {
    Failure::new(Exit::Interrupted, "test/stop", "stopped", "")
}

#[test]
fn all_changes_are_made_and_nothing_else() {
    let (folder, guard, changes) = prepare();
    guard.commit(&changes, &Interrupt::default()).expect("committed");
    let files = tree(folder.path());
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(names, [NEW, "kept", ONE, TWO]);
    assert_eq!(files[ONE], b"one");
    assert!(!folder.path().join("specs/contracts/old").exists(), "a folder that became empty goes with its last file");
    assert!(!folder.path().join(STAGING).join("staged").exists());
}

/// Another program may clean the folder between the two halves of a swap.
#[test]
fn a_staged_file_that_is_gone_stops_the_swap_before_its_first_step() {
    let (folder, guard, changes) = prepare();
    let old = tree(folder.path());
    let outcome = guard.run(&changes, &Interrupt::default(), &mut |step| {
        if step == "commit" {
            fs::remove_file(folder.path().join(staged(changes.len() - 1))).expect("removed");
        }
        Ok(())
    });
    let failure = outcome.expect_err("refused");
    assert!(failure.message.contains(&format!("the new content of {TWO} is gone")), "{failure:?}");
    assert_eq!(tree(folder.path()), old);
}

/// Stops at every step in turn: the next run finds the old tree or the new one.
#[test]
fn a_stop_at_any_step_is_mended_by_the_next_run() {
    let (old, new) = {
        let (folder, guard, changes) = prepare();
        let old = tree(folder.path());
        guard.commit(&changes, &Interrupt::default()).expect("committed");
        (old, tree(folder.path()))
    };
    assert_ne!(old, new);
    let (mut stopped_before, mut stopped_after, mut last) = (0, 0, 0);
    for at in 0.. {
        let (folder, guard, changes) = prepare();
        let mut step = 0;
        let mut committed = false;
        let outcome = guard.run(&changes, &Interrupt::default(), &mut |name| {
            committed |= matches!(name, "apply" | "finish");
            step += 1;
            if step > at { Err(stop()) } else { Ok(()) }
        });
        if outcome.is_ok() {
            last = at;
            assert_eq!(tree(folder.path()), new);
            break;
        }
        let recovered = guard.recover().expect("recovers");
        assert_eq!(recovered.is_some(), committed, "step {at}");
        assert_eq!(tree(folder.path()), if committed { new.clone() } else { old.clone() }, "step {at}");
        if committed {
            stopped_after += 1
        } else {
            stopped_before += 1
        }
        assert!(!folder.path().join(STAGING).join("journal").exists());
        assert!(guard.recover().expect("recovers").is_none(), "nothing is left to fix");
    }
    assert_eq!((stopped_before, stopped_after, last), (6, 5, 11));
}

#[test]
fn a_stop_during_the_recovery_is_mended_as_well() {
    let (folder, guard, changes) = prepare();
    let mut applied = 0;
    let stop_at = |limit: usize, applied: &mut usize, name: &str| {
        *applied += usize::from(name == "apply");
        if *applied > limit { Err(stop()) } else { Ok(()) }
    };
    guard.run(&changes, &Interrupt::default(), &mut |name| stop_at(1, &mut applied, name)).expect_err("stopped");
    let journal = Journal::read(&guard.tree).expect("readable").expect("committed");
    applied = 0;
    guard.apply(&journal, &mut |name| stop_at(2, &mut applied, name)).expect_err("stopped");
    assert_eq!(guard.recover().expect("recovers"), Some(4));
    assert_eq!(tree(folder.path())[NEW], b"new");
}

#[test]
fn a_second_run_is_kept_out() {
    let (folder, guard, _) = prepare();
    let workspace = Workspace::find(Some(folder.path().to_path_buf())).expect("a workspace");
    assert_eq!(Guard::acquire(&workspace).expect_err("taken").code, "files/busy");
    drop(guard);
    Guard::acquire(&workspace).expect("free again");

    // A holder that is gone in a moment is waited for: the child of a run that was killed.
    let guard = Guard::acquire(&workspace).expect("free");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| Guard::acquire(&workspace).map(drop));
        sleep(PAUSE);
        drop(guard);
        waiting.join().expect("no panic").expect("free in the end");
    });
}

#[test]
fn a_target_that_cannot_be_replaced_is_found_before_anything_is_staged() {
    let (folder, guard, mut changes) = prepare();
    let old = tree(folder.path());
    for path in ["specs/contracts/old", "specs/contracts/one.json/below"] {
        changes.push(Change::Write { path: path.to_owned(), content: "".into() });
        assert_eq!(guard.commit(&changes, &Interrupt::default()).expect_err(path).exit, Exit::Files);
        changes.pop();
        assert!(!folder.path().join(STAGED).exists());
    }
    assert_eq!(tree(folder.path()), old);
}

#[test]
fn what_the_tool_never_writes_is_not_written() {
    let (folder, guard, _) = prepare();
    let old = tree(folder.path());
    for path in ["kept", "specs/codegen.toml", "generated-client/src/lib.rs", "specs/contracts/../../kept", "/kept", ""]
    {
        for change in
            [Change::Write { path: path.to_owned(), content: "".into() }, Change::Remove { path: path.to_owned() }]
        {
            assert_eq!(guard.commit(&[change], &Interrupt::default()).expect_err(path).exit, Exit::Files);
        }
    }
    assert_eq!(tree(folder.path()), old);
}

/// Plants a journal and staged contents, and expects that nothing of it is believed.
#[track_caller]
fn refused(journal: &[u8], staged: &[&str], reason: &str) {
    let (folder, guard, _) = prepare();
    let old = tree(folder.path());
    fs::create_dir_all(folder.path().join(STAGED)).expect("created");
    for (index, content) in staged.iter().enumerate() {
        fs::write(folder.path().join(super::staged(index)), content).expect("written");
    }
    fs::write(folder.path().join(JOURNAL), journal).expect("written");
    for _ in 0..2 {
        let failure = guard.recover().expect_err("refused");
        assert_eq!((failure.code, failure.exit), ("files/journal", Exit::Files));
        assert!(failure.message.contains(JOURNAL) && failure.message.contains(reason), "{}", failure.message);
        assert!(failure.hint.contains("remove specs/.regenerate"), "{}", failure.hint);
        assert_eq!(tree(folder.path()), old);
    }
}

fn journal(files: &Value) -> Vec<u8> {
    json!({ "version": 1, "files": files }).to_string().into_bytes()
}

fn hash(text: &str) -> String {
    sha256(text.as_bytes())
}

#[test]
fn a_planted_journal_reaches_no_file_of_others() {
    for path in [
        "kept",
        "../x",
        "/x",
        "",
        ".",
        "Cargo.toml",
        "generated-client/src/lib.rs",
        "generated-client/build.rs",
        "specs/codegen.toml",
        "specs/graphql/mine.graphql",
        "specs/contracts/../../kept",
        "specs/contracts/./one.json",
        "specs/contracts//one.json",
        "specs\\contracts\\one.json",
        "specs/.regenerate/lock",
    ] {
        for (before, after) in [(Some("4"), Some("planted")), (None, Some("planted")), (Some("4"), None)] {
            let step = json!([{ "path": path, "before": before.map(hash), "after": after.map(hash) }]);
            refused(&journal(&step), &["planted"], "which this tool never writes");
        }
    }
}

#[test]
fn a_journal_that_is_not_of_this_version_is_refused() {
    for text in
        ["", "nonsense", "[]", "{}", "[{\"path\":\"specs/ledger.txt\",\"sha256\":null}]", "{\"version\":1", "\u{0}"]
    {
        refused(text.as_bytes(), &[], "it is not a journal of this tool");
    }
    refused(br#"{"version":2,"files":[],"more":true}"#, &[], "it has version 2");
    refused(br#"{"version":1,"files":[],"more":true}"#, &[], "it is not a journal of this tool");
    refused(&[0xff; 16], &[], "it is not a journal of this tool");
    let whole = journal(&json!([{ "path": ONE, "before": hash("1"), "after": hash("one") }]));
    for length in 0..whole.len() {
        refused(&whole[..length], &["one"], "it is not a journal of this tool");
    }
}

#[test]
fn contents_that_are_not_what_the_journal_says_are_refused_before_the_first_of_them_is_placed() {
    let step = |path: &str, before: Option<&str>, after: Option<&str>| json!({ "path": path, "before": before.map(hash), "after": after.map(hash) });
    let first = step(ONE, Some("1"), Some("one"));
    let gone = "is gone, or is not what the journal says";
    refused(&journal(&json!([first, step(TWO, Some("2"), Some("two"))])), &["one", "other"], gone);
    refused(&journal(&json!([first, step(TWO, Some("2"), Some("two"))])), &["one"], gone);
    refused(&journal(&json!([first, step(NEW, None, Some("new"))])), &["one", ""], gone);
    let changed = "was edited by hand";
    refused(&journal(&json!([first, step(TWO, Some("other"), Some("two"))])), &["one", "two"], changed);
    refused(&journal(&json!([first, step(TWO, None, Some("two"))])), &["one", "two"], changed);
    refused(&journal(&json!([first, step(TWO, Some("other"), None)])), &["one"], changed);
    refused(&journal(&json!([first, first])), &["one", "one"], "twice");
}

#[test]
fn a_journal_changes_no_more_of_the_manifest_than_the_generated_features() {
    let manifest = "[package]\nname = \"x\"\n\n[features]\n# <generated features>\n# </generated features>\n";
    let features = manifest.replace("# </", "things = []\n# </");
    let path = "generated-client/Cargo.toml";
    for (content, taken) in [
        (features.clone(), true),
        (features.replace("\"x\"", "\"x\"\nbuild = \"evil.rs\""), false),
        (String::new(), false),
    ] {
        let (folder, guard, _) = prepare();
        fs::create_dir_all(folder.path().join("generated-client")).expect("created");
        fs::create_dir_all(folder.path().join(STAGED)).expect("created");
        fs::write(folder.path().join(path), manifest).expect("written");
        fs::write(folder.path().join(super::staged(0)), &content).expect("written");
        let step = json!([{ "path": path, "before": hash(manifest), "after": hash(&content) }]);
        fs::write(folder.path().join(JOURNAL), journal(&step)).expect("written");
        assert_eq!(guard.recover().is_ok(), taken, "{content}");
        let current = fs::read_to_string(folder.path().join(path)).expect("read");
        assert_eq!(current, if taken { content } else { manifest.to_owned() });
    }
}

#[cfg(unix)]
#[test]
fn links_in_the_way_of_a_recovery_are_named_and_nothing_is_done() {
    use std::os::unix::fs::symlink;

    let outside = tempfile::tempdir().expect("a temporary folder");
    fs::write(outside.path().join("0"), "one").expect("written");
    fs::write(outside.path().join("one.json"), "1").expect("written");
    fs::write(outside.path().join("journal"), journal(&json!([]))).expect("written");
    let step = journal(&json!([{ "path": ONE, "before": hash("1"), "after": hash("one") }]));
    for link in [JOURNAL, STAGED, "specs/.regenerate/staged/0", "specs/contracts"] {
        let (folder, guard, _) = prepare();
        let path = |relative: &str| folder.path().join(relative);
        fs::create_dir_all(path(STAGED)).expect("created");
        fs::write(path("specs/.regenerate/staged/0"), "one").expect("written");
        fs::write(path(JOURNAL), &step).expect("written");
        match path(link).is_dir() {
            true => fs::remove_dir_all(path(link)).expect("removed"),
            false => fs::remove_file(path(link)).expect("removed"),
        }
        let target = match link {
            JOURNAL => outside.path().join("journal"),
            "specs/.regenerate/staged/0" => outside.path().join("0"),
            _ => outside.path().to_path_buf(),
        };
        symlink(target, path(link)).expect("linked");
        let failure = guard.recover().expect_err(link);
        assert_eq!(failure.code, "files/link", "{link}");
        assert!(failure.message.contains(link), "{}", failure.message);
        assert_eq!(fs::read(outside.path().join("one.json")).expect("read"), b"1");
        assert_eq!(fs::read_dir(outside.path()).expect("listed").count(), 3);
    }
}
