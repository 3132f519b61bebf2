use std::fs;
use std::os::unix::fs::symlink;

use super::*;

fn prepare() -> (tempfile::TempDir, tempfile::TempDir, Tree) {
    let (inside, outside) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    fs::create_dir_all(inside.path().join("a/b")).expect("created");
    fs::write(inside.path().join("a/b/file"), "in").expect("written");
    fs::write(outside.path().join("file"), "out").expect("written");
    let tree = Tree::open(inside.path()).expect("opened");
    (inside, outside, tree)
}

#[test]
fn every_operation_refuses_a_link_among_the_parts_of_a_path() {
    type Operation = fn(&Tree, &str) -> Result<(), Failure>;
    let operations: [(&str, Operation); 9] = [
        ("read", |tree, path| tree.read(path).map(drop)),
        ("kind", |tree, path| tree.kind(path).map(drop)),
        ("check", |tree, path| tree.check(path).map(drop)),
        ("create", |tree, path| tree.create(&format!("{path}-new"), b"x", None)),
        ("lock", |tree, path| tree.lock_file(&format!("{path}-lock")).map(drop)),
        ("rename to", |tree, path| tree.rename("a/b/file", path)),
        ("rename from", |tree, path| tree.rename(path, "a/b/other")),
        ("remove", |tree, path| tree.remove(path)),
        ("remove folder", |tree, path| tree.remove_folder(path)),
    ];
    for (name, operation) in operations {
        for target in ["outside", "inside", "dangling"] {
            let (inside, outside, tree) = prepare();
            let to = match target {
                "outside" => outside.path().to_path_buf(),
                "inside" => inside.path().join("a/b"),
                _ => outside.path().join("absent"),
            };
            symlink(&to, inside.path().join("a/link")).expect("linked");
            let failure = operation(&tree, "a/link/file").expect_err(name);
            assert_eq!(failure.code, "files/link", "{name}, {target}");
            assert!(failure.message.contains("a/link is a symbolic link"), "{}", failure.message);
            tree.prune("a/link/file");
            let names = |folder: &Path| fs::read_dir(folder).expect("listed").count();
            assert_eq!((names(outside.path()), names(&inside.path().join("a/b"))), (1, 1), "{name}, {target}");
        }
    }
}

#[test]
fn a_link_in_the_place_of_a_file_is_not_read_and_not_written_through() {
    let (inside, outside, tree) = prepare();
    symlink(outside.path().join("file"), inside.path().join("a/file")).expect("linked");
    assert_eq!(tree.read("a/file").expect_err("a link").code, "files/link");
    assert_eq!(tree.check("a/file").expect_err("a link").code, "files/link");
    assert_eq!(tree.lock_file("a/file").expect_err("a link").code, "files/link");
    assert_eq!(tree.create("a/file", b"x", None).expect_err("taken").exit, Exit::Files);
    assert_eq!(fs::read(outside.path().join("file")).expect("read"), b"out");
}

#[test]
fn what_is_no_regular_file_or_too_large_is_not_read() {
    let (inside, _outside, tree) = prepare();
    let made = std::process::Command::new("mkfifo").arg(inside.path().join("a/pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    assert_eq!(tree.read("a/pipe").expect_err("a pipe").exit, Exit::Files);
    assert_eq!(tree.read("a/b").expect_err("a folder").exit, Exit::Files);
    assert_eq!(tree.read_up_to("a/b/file", 1).expect_err("2 bytes").code, "files/too-large");
    assert_eq!(tree.read_up_to("a/b/file", 2).expect("2 bytes").as_deref(), Some(&b"in"[..]));
    assert_eq!(tree.read("a/absent/file").expect("nothing"), None);
    for path in ["../x", "a/../b", "a/./b/file"] {
        assert_eq!(tree.read(path).expect_err(path).exit, Exit::Files);
    }
}

#[test]
fn a_file_in_the_place_of_a_folder_is_removed_as_well() {
    let (inside, _outside, tree) = prepare();
    tree.remove_folder("a/b/file").expect("removed");
    assert!(!inside.path().join("a/b/file").exists());
    tree.remove_folder("a").expect("removed");
    tree.remove_folder("a").expect("nothing there");
    assert!(!inside.path().join("a").exists());
}

#[test]
fn a_swap_makes_folders_and_prunes_what_became_empty() {
    let (inside, _outside, tree) = prepare();
    tree.rename("a/b/file", "c/d/file").expect("moved");
    assert_eq!(tree.read("c/d/file").expect("read").as_deref(), Some(&b"in"[..]));
    tree.prune("a/b");
    assert!(!inside.path().join("a").exists() && inside.path().join("c/d").exists());
    tree.prune("c/d");
    assert!(inside.path().join("c/d/file").is_file());
}
