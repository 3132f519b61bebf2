//! Help, completions and pages for `man`.

use crate::support::Shell;

#[tokio::test]
async fn the_texts_of_help() {
    let shell = Shell::new();
    for (name, line) in [
        ("root", "--help"),
        ("family", "projects --help"),
        ("operation", "projects create-component-deployment --assumed --help"),
        ("operations", "operations --help"),
        ("login", "login --help"),
    ] {
        insta::assert_snapshot!(name, shell.line(line).await.success());
    }
}

#[tokio::test]
async fn a_script_of_completions_has_no_path_of_this_machine() {
    let shell = Shell::new();
    for name in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = shell.run(&["completions", name]).await.success();
        let program = env!("CARGO_BIN_EXE_platform");
        assert!(script.contains("platform") && script.contains("COMPLETE"), "{script}");
        for path in [program, program.rsplit_once('/').unwrap().0, "/debug/", "/release/"] {
            assert!(!script.contains(path), "{name}: {script}");
        }
    }
    assert!(shell.run(&["completions", "csh"]).await.failure(2).contains("csh"));
}

#[tokio::test]
async fn words_are_completed() {
    let mut shell = Shell::new();
    shell.set("COMPLETE", "bash");
    shell.set("_CLAP_IFS", "\n");
    shell.set("_CLAP_COMPLETE_COMP_TYPE", "9");
    for (words, expected, other) in [
        (&["pro"][..], "projects", "forum"),
        (&["projects", "cr"], "create", "get"),
        (&["projects", "create", "--na"], "--name", "--team-id"),
        (&["operations", "w"], "watch", "cancel"),
    ] {
        shell.set("_CLAP_COMPLETE_INDEX", words.len().to_string());
        let all = [&["--", "platform"], words].concat();
        let out = shell.run(&all).await.success();
        let list: Vec<&str> = out.lines().map(|line| line.split('\t').next().unwrap_or(line)).collect();
        assert!(list.contains(&expected) && !list.contains(&other), "{words:?}: {out}");
    }
}

#[tokio::test]
async fn pages_for_man_are_written_for_every_operation() {
    let shell = Shell::new();
    shell.line("man pages").await.success();
    let names: Vec<String> = std::fs::read_dir(shell.path("pages"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for page in ["platform.1", "platform-projects.1", "platform-projects-create.1", "platform-operations-wait.1"] {
        assert!(names.iter().any(|name| name == page), "{page}: {names:?}");
    }
    let page = std::fs::read_to_string(shell.path("pages/platform-projects-create.1")).unwrap();
    assert!(page.contains("Free text"), "{page}");
    shell.file("taken", "");
    assert!(shell.line("man taken").await.failure(1).contains("cannot be written"));
}

#[tokio::test]
async fn the_documentation_of_an_operation_has_its_types() {
    let shell = Shell::new();
    let text = shell.line("docs projects create").await.success();
    assert!(text.contains("POST /api/projects/v1/projects") && text.contains("## Type CreateProject"), "{text}");
    assert_eq!(shell.line("docs projects create_project").await.success(), text, "the whole name works, too");
    assert!(shell.line("docs project create").await.failure(2).contains("projects"));
    assert!(shell.line("docs projects make").await.failure(2).contains("--help"));
}
