//! The programs of the bench compile, so that a measurement does not end without figures.

use std::process::Command;

#[test]
#[ignore = "compiles clients, for a change of the bench"]
fn the_programs_of_the_bench_compile() {
    let mut command = Command::new(crate::PROGRAM);
    command.args(["bench", "--programs"]).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let output = command.output().expect("started");
    let (lines, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{lines}{errors}");
    let of_the_tool = concat!("driftless ", env!("CARGO_PKG_VERSION"), ": the program of three calls compiles");
    for line in [of_the_tool, "the program of lists compiles"] {
        assert!(lines.contains(line), "{line}: {lines}{errors}");
    }
}
