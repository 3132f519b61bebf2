//! The README's program, run as a process.

use crate::support::{Programs, Recorder, Reply, Run, client, read, secret_files, variables};
use platform_client::types::CreateProject;

const EXAMPLE: &str = "generated-client/examples/list_projects.rs";

/// Runs the example with the variables that `cargo xtask sandbox` prints.
async fn run(variables: Vec<(&'static str, String)>) -> Run {
    let run = move || Programs::get().command("list_projects").envs(variables).output().unwrap().into();
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test]
async fn it_lists_the_projects_of_a_sandbox() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let variables = variables(&sandbox, secrets.path());
    let platform = client(&sandbox, secrets.path(), 0);
    for name in ["Atlas", "Borealis"] {
        let body = CreateProject::default().name(name.to_owned());
        platform.projects().create_project(&body).await.unwrap();
    }
    let listed = run(variables.clone()).await;
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert_eq!(listed.stdout.lines().count(), 2, "{listed:?}");
    assert!(listed.stdout.contains("Atlas") && listed.stdout.contains("Borealis"), "{listed:?}");

    for name in variables.iter().map(|(name, _)| *name) {
        let rest = variables.iter().filter(|(other, _)| *other != name).cloned().collect();
        let without = run(rest).await;
        assert_ne!(without.code, Some(0), "{name}: {without:?}");
        assert!(!without.stderr.contains("panicked"), "{name}: {without:?}");
    }
}

#[tokio::test]
async fn its_calls_are_spans_of_opentelemetry_and_send_their_trace() {
    let service = Recorder::start(Reply::json("[]")).await;
    let variables = vec![("PLATFORM_BASE_URL", service.url().to_owned()), ("PLATFORM_TOKEN", "canary".to_owned())];
    let run = move || Run::from(Programs::get().command("opentelemetry").envs(variables).output().unwrap());
    let run = tokio::task::spawn_blocking(run).await.unwrap();
    assert_eq!(run.code, Some(0), "{run:?}");
    let field = |name: &str| {
        run.stdout.lines().find_map(|line| line.trim().strip_prefix(name)).unwrap_or_default().trim().to_owned()
    };
    let trace = run.stdout.lines().next().unwrap().strip_prefix("trace ").unwrap();
    for part in ["list_projects", "Client", "the whole work", "list-projects", "0 projects"] {
        assert!(run.stdout.contains(part), "{part} is not in {}", run.stdout);
    }
    assert_eq!(field("TraceId      :"), trace, "{}", run.stdout);
    let sent = service.requests().pop().unwrap();
    let parent = sent.headers["traceparent"].to_str().unwrap();
    assert!(parent.starts_with(&format!("00-{trace}-")) && parent.ends_with("-01"), "{parent}");
    assert!(run.stdout.contains(parent.split('-').nth(2).unwrap()), "the parent is the span of the call: {parent}");
    assert!(!format!("{run:?}").contains("canary"), "{run:?}");
}

#[test]
fn the_readme_shows_it_as_it_is() {
    let source = read(EXAMPLE);
    let program = source.split_once("\n\n").map_or(source.as_str(), |(_, program)| program).trim();
    let readme = read("README.md");
    let excerpt = readme.split("```rust\n").nth(1).unwrap().split("```").next().unwrap().trim();
    assert_eq!(excerpt, program, "the README's program is {EXAMPLE} without its first lines of documentation");
    let lines = program.lines().filter(|line| !line.is_empty()).count();
    assert!(lines <= 20, "the README says ten lines and a little: {lines}");
    assert!(readme.contains(EXAMPLE));
}
