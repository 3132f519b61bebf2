//! Compares the `source` effects of a drift report with cargo-semver-checks. That tool sees removed items and the number of a
//! method's arguments, but no types: its findings have to be in the report, not the other way round.

use driftless_codegen::drift::Sides;
use driftless_codegen::{Names, Output};

use super::verdicts::{Broken, compared, known};
use super::{cases, consumer, lay_out};
use crate::support::{Programs, cargo};

/// The public item that a line below `Failed in:` names, as the end of its path.
fn subject(line: &str) -> Option<String> {
    let line = line.split(", previously in").next()?.trim();
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let path = match first {
        "enum" | "struct" | "variant" => rest,
        "field" => {
            let (field, owner) = rest.split_once(" of struct ")?;
            return Some(format!("{owner}::{field}"));
        }
        path => path,
    };
    let path = path.split(' ').next()?;
    // A setter stands at the call of its operation.
    Some(path.strip_prefix("platform_client::").or(path.strip_prefix("Call::")).unwrap_or(path).to_owned())
}

/// Findings of the tool that the report does not have.
fn untold(report: &str, broken: &Broken<'_>, before: &Output) -> Vec<String> {
    let failed =
        report.split("Failed in:\n").skip(1).flat_map(|block| block.lines().take_while(|line| line.starts_with("  ")));
    let mut findings = 0;
    let untold = failed
        .filter(|line| {
            findings += 1;
            let Some(end) = subject(line) else { return true };
            // The marker of an operation is known by its items.
            let is_it = |path: &str| format!("::{path}::").contains(&format!("::{end}::"));
            !before.api.items.iter().any(|item| is_it(&item.path) && broken.has(item))
        })
        .map(str::to_owned)
        .collect();
    assert!(findings >= 15, "only {findings} findings:\n{report}");
    untold
}

#[test]
#[ignore = "documents four clients, where cargo-semver-checks is installed: .ci/run --all runs it"]
fn another_tool_finds_nothing_that_the_report_does_not_say() {
    if !cargo(&["semver-checks", "--version"]).output().is_ok_and(|run| run.status.success()) {
        println!("SKIPPED: cargo-semver-checks is not installed (cargo install cargo-semver-checks --locked)");
        return;
    }
    let place = Programs::get().target().join("growth");
    for case in cases().into_iter().filter(|case| case.name != "grown") {
        let before = case.client(&case.contract, &Names::default());
        let (contract, _) = known(&case, &before);
        let after = case.client(contract, &before.names);
        let program = consumer::program(&before.api.index());
        let [old, new] = [("before", &before), ("after", &after)].map(|(name, client)| {
            let folder = place.join(format!("{}-semver-{name}", case.name));
            lay_out(&folder, client, &before, &program);
            folder
        });
        let run = cargo(&["semver-checks", "--all-features", "--release-type", "minor", "--color", "never"])
            .arg("--manifest-path")
            .arg(new.join("client/Cargo.toml"))
            .arg("--baseline-root")
            .arg(old.join("client"))
            .env("CARGO_TARGET_DIR", place.join("target"))
            .output()
            .unwrap();
        let [report, about] = [run.stdout, run.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(about.contains("semver requires new major version"), "{}: {about}", case.name);
        let whole = compared(&case, contract, Sides { before: &before.api, after: &after.api });
        let broken = Broken::from_drift(&whole, &before);
        let untold = untold(&report, &broken, &before);
        assert!(untold.is_empty(), "{}: the report does not say\n{}", case.name, untold.join("\n"));
    }
}
