use std::collections::BTreeMap;

use super::*;

type Tree = BTreeMap<String, Vec<u8>>;

fn tree(root: &Path) -> Tree {
    let workspace = Workspace::find(Some(root.to_path_buf())).expect("a workspace");
    let files = workspace.files_below(".").expect("listed");
    let kept = files.into_iter().filter(|path| !path.contains(".regenerate"));
    kept.map(|path| (path.clone(), fs::read(root.join(&path)).expect("read"))).collect()
}

fn prepare() -> (tempfile::TempDir, Guard, Vec<Change>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir_all(folder.path().join("a/old")).expect("created");
    for (path, content) in [("a/one", "1"), ("a/two", "2"), ("a/old/gone", "3"), ("kept", "4")] {
        fs::write(folder.path().join(path), content).expect("written");
    }
    let workspace = Workspace::find(Some(folder.path().to_path_buf())).expect("a workspace");
    let guard = Guard::acquire(&workspace).expect("free");
    let write = |path: &str, content: &str| Change::Write { path: path.to_owned(), content: content.into() };
    let changes = vec![
        write("a/one", "one"),
        write("b/new/file", "new"),
        Change::Remove { path: "a/old/gone".to_owned() },
        write("a/two", "two"),
    ];
    (folder, guard, changes)
}

fn stop() -> Failure {
    Failure::new(Exit::Interrupted, "test/stop", "stopped", "")
}

#[test]
fn all_changes_are_made_and_nothing_else() {
    let (folder, guard, changes) = prepare();
    guard.commit(&changes, &Interrupt::default()).expect("committed");
    let found = tree(folder.path());
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names, ["./a/one", "./a/two", "./b/new/file", "./kept"]);
    assert_eq!(found["./a/one"], b"one");
    assert!(!folder.path().join("a/old").exists(), "a folder that became empty goes with its last file");
    assert!(!folder.path().join(STAGING).join("staged").exists());
}

/// Stops at every step in turn: what the next run finds is the old tree or the new one.
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
        assert!(guard.recover().expect("recovers").is_none(), "nothing is left to mend");
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
    let steps = guard.journal().expect("readable").expect("committed");
    applied = 0;
    guard.apply(&steps, &mut |name| stop_at(2, &mut applied, name)).expect_err("stopped");
    assert_eq!(guard.recover().expect("recovers"), Some(4));
    assert_eq!(tree(folder.path())["./b/new/file"], b"new");
}

#[test]
fn a_second_run_is_kept_out() {
    let (folder, guard, _) = prepare();
    let workspace = Workspace::find(Some(folder.path().to_path_buf())).expect("a workspace");
    assert_eq!(Guard::acquire(&workspace).expect_err("taken").code, "files/busy");
    drop(guard);
    Guard::acquire(&workspace).expect("free again");
}

#[test]
fn a_target_that_cannot_be_replaced_is_found_before_the_commit() {
    let (folder, guard, mut changes) = prepare();
    let old = tree(folder.path());
    changes.push(Change::Write { path: "a/old".to_owned(), content: Vec::new() });
    assert_eq!(guard.commit(&changes, &Interrupt::default()).expect_err("a folder").exit, Exit::Files);
    changes.pop();
    changes.push(Change::Write { path: "kept/below".to_owned(), content: Vec::new() });
    assert_eq!(guard.commit(&changes, &Interrupt::default()).expect_err("a file").exit, Exit::Files);
    assert_eq!(tree(folder.path()), old);
}

#[test]
fn a_journal_that_points_outside_is_refused() {
    let (folder, guard, _) = prepare();
    let old = tree(folder.path());
    for text in ["[{\"path\":\"../x\",\"sha256\":null}]", "[{\"path\":\"/x\",\"sha256\":null}]", "nonsense"] {
        fs::write(folder.path().join(STAGING).join("journal"), text).expect("written");
        assert_eq!(guard.recover().expect_err("refused").code, "files/journal");
    }
    assert_eq!(tree(folder.path()), old);
}
