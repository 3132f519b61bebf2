//! `.ci/run` runs each ignored test in the form that its reason says, and no name in its lists is without a test.

use super::{File, Finding};

const SCRIPT: &str = ".ci/run";

/// Folders of the tests that the list `clients` selects from.
const CLIENTS: [&str; 3] = ["conformance/tests/", "developer/tests/", "tests/"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let Some(script) = files.iter().find(|file| file.path == SCRIPT).and_then(File::text) else { return Vec::new() };
    let list = |start: &str| -> Vec<&str> {
        let inner = script.split_once(start).and_then(|(_, rest)| Some(rest.split_once(')')?.0));
        inner.unwrap_or_default().split_whitespace().collect()
    };
    let (some, more) = (list("local clients=("), list("|| clients=("));
    let (more, left_out) = more.split_at(more.iter().position(|name| *name == "--skip").unwrap_or(more.len()));
    let (never, shortened) = (list("\nskipped=("), list("|| skipped+=("));
    let tests: Vec<_> =
        files.iter().filter(|file| file.path.ends_with(".rs") && !file.is_generated()).flat_map(ignored).collect();
    let finding = |file: &str, line, what, fix| Finding { file: file.to_owned(), line, rule: "ignored", what, fix };
    let mut findings = Vec::new();
    for name in [&some, more, left_out, &never, &shortened].into_iter().flatten().filter(|name| **name != "--skip") {
        if !tests.iter().any(|test| test.path.contains(name)) {
            let line = script.lines().position(|line| line.contains(name)).unwrap_or_default() + 1;
            findings.push(finding(
                SCRIPT,
                line,
                format!("no ignored test is `{name}`"),
                "name a test, or a module of tests",
            ));
        }
    }
    for test in &tests {
        let is_in = |list: &[&str]| list.iter().any(|name| test.path.contains(name));
        let is_client = CLIENTS.iter().any(|folder| test.file.starts_with(folder));
        let by_all = !is_in(&never) || is_client && is_in(more) && !is_in(left_out);
        let by_default = !is_in(&never) && !is_in(&shortened) || is_client && is_in(&some);
        let is_right = match test.reason {
            reason if reason.contains(".ci/run --all runs it") => by_all && !by_default,
            reason if reason.contains(".ci/run runs it") => by_all && by_default,
            _ => true,
        };
        if !is_right {
            let what = format!("{}: {}", test.path, test.reason);
            findings.push(finding(test.file, test.line, what, "change the reason, or the lists of .ci/run"));
        }
    }
    findings
}

/// A test with the reason why `cargo test` leaves it out.
struct Ignored<'f> {
    file: &'f str,
    line: usize,
    /// Its path as the test program prints it, without the modules inside of the file.
    path: String,
    reason: &'f str,
}

fn ignored(file: &File) -> Vec<Ignored<'_>> {
    let module = file.path.rsplit_once("src/").or_else(|| file.path.split_once("tests/")).map_or("", |(_, rest)| rest);
    let parts = module.trim_end_matches(".rs").split('/').filter(|part| *part != "mod");
    let module = parts.fold(String::new(), |path, part| path + part + "::");
    let lines: Vec<&str> = file.text().unwrap_or_default().lines().map(str::trim).collect();
    let mut tests = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(reason) = line.strip_prefix("#[ignore = \"").and_then(|rest| rest.strip_suffix("\"]")) else {
            continue;
        };
        let after = lines.iter().skip(index).find_map(|line| Some(line.split_once("fn ")?.1.split_once('(')?.0));
        // A macro makes a test of each entry that begins with a name.
        let made = lines.iter().filter_map(|line| line.strip_suffix(':')).filter(|_| after == Some("$name"));
        for name in made.chain(after.filter(|name| *name != "$name")) {
            tests.push(Ignored { file: &file.path, line: index + 1, path: format!("{module}{name}"), reason });
        }
    }
    tests
}
