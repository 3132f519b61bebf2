//! Every operation of every contract: the client accepts the generated path, and sends it unchanged.

#![allow(clippy::print_stdout, reason = "it prints the cases that it leaves out, and how much it sent")]

use std::path::{Path, PathBuf};

use driftless_codegen::{Contract, Names, Setup, generate};
use platform_client::Method;
use platform_client::testing::{Fake, FakeReply, REQUESTS};

use crate::support::root;

/// Contracts of real projects, if they lie beside the workspace, and the cases of the generator.
fn contracts() -> Vec<PathBuf> {
    let shared = std::env::var_os("PLATFORM_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    let mut paths = Vec::new();
    for folder in ["dotnet", "openapi3", "swagger2"].map(|name| shared.join("contracts").join(name)) {
        if !folder.is_dir() {
            println!("no contracts at {}: they are left out", folder.display());
        }
        paths.extend(files(&folder));
    }
    for case in files(&root().join("codegen/tests/cases")) {
        paths.extend(files(&case).into_iter().filter(|path| path.file_stem().is_some_and(|stem| stem == "contract")));
    }
    paths
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Method and target of a line of the surface, with a plain value for each parameter.
fn target(line: &str) -> (String, String) {
    let operation = line.split("  ").nth(1).unwrap();
    let (_, template) = operation.split_once(' ').unwrap();
    let mut target = String::new();
    for (index, part) in template.split('{').enumerate() {
        let (name, rest) = part.split_once('}').map_or(("", part), |(name, rest)| (name, rest));
        assert!(index == 0 || part.contains('}'), "{line}");
        target.push_str(if name.is_empty() { "" } else { "x" });
        target.push_str(rest);
    }
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    (path.to_owned(), query.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a client for each published contract: .ci/run --all runs it"]
async fn every_operation_of_every_contract_can_be_sent() {
    let (mut sent, mut left_out) = (0, 0);
    for path in contracts() {
        let bytes = std::fs::read(&path).unwrap();
        // Invalid contracts are another test's.
        let Ok(output) =
            generate(&[Contract { name: "platform", bytes: &bytes }], &Setup::default(), &Names::default())
        else {
            continue;
        };
        let fake = Fake::new();
        fake.on(REQUESTS).reply(FakeReply::status(200).json(&()));
        let platform = fake.client().unwrap();
        for line in output.surface.lines() {
            let (target, query) = target(line);
            let outcome = platform.request(Method::Get, &target).send().await;
            outcome.unwrap_or_else(|error| panic!("{}: {line}: {error}", path.display()));
            assert!(
                query.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"#'<>".contains(&byte)),
                "{}: {line}",
                path.display()
            );
            let call = fake.calls().pop().unwrap();
            assert_eq!(call.path, target, "{}: {line}", path.display());
            sent += 1;
        }
        let listed = output.surface.lines().count();
        left_out += output.stats.operations - listed;
    }
    println!("{sent} operations can be sent, {left_out} are left out");
    assert!(sent > 100);
}
