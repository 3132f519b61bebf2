//! The texts of `--help`.

use std::process::Command;

#[test]
fn each_command_has_its_help() {
    for command in ["bench", "corpus", "fuzz", "tidy"] {
        let output = Command::new(crate::PROGRAM).args([command, "--help"]).output().unwrap();
        assert!(output.status.success(), "{command}");
        insta::assert_snapshot!(format!("help-{command}"), String::from_utf8(output.stdout).unwrap());
    }
}
