use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use super::pets;

#[test]
fn the_program_prints_its_address_in_one_line_and_explains_a_contract() {
    let file = std::env::temp_dir().join(format!("driftless-sandbox-{}.json", std::process::id()));
    std::fs::write(&file, pets("3.0.3").to_string()).unwrap();
    let program = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_driftless-sandbox"));
        command.arg("--contract").arg(&file);
        command
    };
    let mut serving = program().args(["--port", "0", "serve"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(serving.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("listening on http://127.0.0.1:"), "{line}");
    serving.kill().unwrap();
    serving.wait().unwrap();
    let explained = program().arg("explain").output().unwrap();
    let table = String::from_utf8(explained.stdout).unwrap();
    assert!(table.contains("POST /pets            create: pets"), "{table}");
    std::fs::remove_file(&file).unwrap();
    let unread = program().output().unwrap();
    assert_eq!(unread.status.code(), Some(6));
    assert!(String::from_utf8(unread.stderr).unwrap().starts_with("error[contract-file]"));
}
