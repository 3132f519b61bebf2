//! The commands of developers are handed over to their program.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

#[test]
fn a_command_of_developers_goes_on_as_their_program() {
    // In the place of cargo: it prints its arguments, and ends with a code of its own.
    let cargo = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cargo-that-prints");
    std::fs::write(&cargo, "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n").unwrap();
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o755)).unwrap();
    for arguments in [
        &["tidy"][..],
        &["tidy", "--help"],
        &["--service", "billing", "corpus", "--no-check", "a b"],
        &["bench", "--only", "generation"],
        &["fuzz", "--", "--seed"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask")).env("CARGO", &cargo).args(arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let after = lines.iter().position(|line| *line == "--").map(|at| &lines[at + 1..]);
        assert_eq!((after, output.status.code()), (Some(arguments), Some(7)), "{text}");
        assert!(text.starts_with("run\n") && text.contains("\ndeveloper\n"), "{text}");
    }
}
