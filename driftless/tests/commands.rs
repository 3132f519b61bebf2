//! The commands as people start them: the name in their help, and the services that they work on.

use std::path::Path;
use std::process::Command;

use crate::support::{Run, Workspace, contract};

/// Every command, and the flags that choose services in its help.
const COMMANDS: [(&[&str], &[&str]); 6] = [
    (&["regenerate"], &["--service", "--all"]),
    (&["drift"], &["--service", "--all"]),
    (&["drift", "accept"], &["--service"]),
    (&["drift", "explain"], &[]),
    (&["new"], &[]),
    (&["add"], &[]),
];

fn help(program: &Path, command: &[&str]) -> String {
    let run: Run = Command::new(program).args(command).arg("--help").output().expect("the program runs").into();
    run.succeeds(&["Usage: "]);
    run.stdout
}

/// The program of a workspace is called `xtask`, and that of a computer `cargo-driftless`.
#[test]
fn help_and_hints_name_the_command_that_was_started() {
    let workspace = Workspace::new();
    let xtask = workspace.path("xtask");
    std::fs::copy(crate::PROGRAM, &xtask).expect("copied");
    let commands = COMMANDS.iter().map(|(command, _)| *command).chain([&[][..], &["upgrade"]]);
    for command in commands {
        for (program, name, other) in
            [(Path::new(crate::PROGRAM), "cargo driftless", "cargo xtask"), (&xtask, "cargo xtask", "cargo driftless")]
        {
            let text = help(program, command);
            assert!(text.contains(&format!("Usage: {name}")) && !text.contains(other), "{text}");
        }
    }
    let arguments = ["--workspace".into(), workspace.root().to_path_buf(), "regenerate".into(), "--offline".into()];
    for (program, name) in [(Path::new(crate::PROGRAM), "cargo driftless"), (&xtask, "cargo xtask")] {
        let run: Run = Command::new(program).args(&arguments).output().expect("it runs").into();
        run.fails(5, &[&format!("`{name} regenerate`")]);
        let unknown: Run = Command::new(program).arg("nosuch").output().expect("it runs").into();
        unknown.fails(5, &[&format!("Usage: {name}")]);
    }
}

/// Only a command that works on a service has the flags that choose one. The others refuse them, and write nothing.
#[test]
fn a_command_without_a_service_refuses_one() {
    for (command, flags) in COMMANDS {
        let text = help(Path::new(crate::PROGRAM), command);
        for flag in ["--service", "--all"] {
            let is_listed = text.lines().any(|line| line.trim_start().starts_with(flag));
            assert_eq!(is_listed, flags.contains(&flag), "{command:?} {flag}\n{text}");
        }
    }
    let text = help(Path::new(crate::PROGRAM), &["upgrade"]) + &help(Path::new(crate::PROGRAM), &[]);
    assert!(!text.contains("--service") && !text.contains("--all"), "{text}");

    let workspace = Workspace::pinned();
    workspace.write("one.json", &contract::small());
    workspace.write("xtask/Cargo.toml", "");
    let before = workspace.tree();
    let commands: [(&[&str], [&str; 2]); 4] = [
        (
            &["new", "made", "--contract", "one.json", "--name", "a"],
            ["--service is not for `new`", "--all is not for `new`"],
        ),
        (
            &["add", "b", "--contract", "one.json", "--dry-run"],
            ["--service is not for `add`", "--all is not for `add`"],
        ),
        (&["upgrade"], ["--service is not for `upgrade`", "--all is not for `upgrade`"]),
        (
            &["drift", "explain", "member-removed"],
            ["--service is not for `drift explain`", "--all is not for `drift explain`"],
        ),
    ];
    for (command, sentences) in commands {
        for (flag, sentence) in [&["--service", "nosuch"][..], &["--all"]].into_iter().zip(sentences) {
            workspace.run(&[command, flag].concat()).fails(5, &["unexpected argument", flag[0]]);
            workspace.run(&[flag, command].concat()).fails(5, &[sentence]);
        }
    }
    let commands: [(&[&str], &str); 3] = [
        (&["sandbox"], "--all is not for `sandbox`"),
        (&["conformance"], "--all is not for `conformance`"),
        (&["drift", "accept", "abc", "--reason", "a"], "--all is not for `drift accept`"),
    ];
    for (command, sentence) in commands {
        workspace.run(&[&["--all"], command].concat()).fails(5, &[sentence]);
    }
    assert_eq!(workspace.tree(), before);
}

/// A service is named behind the command or before it, for each command that works on one.
#[test]
fn a_service_is_named_behind_the_command_or_before_it() {
    let workspace = Workspace::pinned();
    let commands: [&[&str]; 5] =
        [&["regenerate"], &["drift"], &["drift", "accept", "abc", "--reason", "a"], &["sandbox"], &["conformance"]];
    for command in commands {
        let unknown = ["no service \"nosuch\""];
        workspace.run(&[command, &["--service", "nosuch"]].concat()).fails(5, &unknown);
        workspace.run(&[&["--service", "nosuch"], command].concat()).fails(5, &unknown);
    }
    let both = workspace.run(&["--all", "regenerate", "--service", "a"]);
    both.fails(5, &["flags/service", "before the command and behind it"]);
    workspace.run(&["regenerate", "--all", "--service", "a"]).fails(5, &["cannot be used with"]);
}
