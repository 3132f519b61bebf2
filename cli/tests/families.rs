//! Every operation of the table, called through the program against a sandbox.
//!
//! A line of a session is a command line of the program without `platform`. `name <` in front keeps a value of the answer for `{name}` in later lines:
//! its `id`, or the value at a pointer (`name/0/id <`). `code !` in front is the exit code that the line must have instead of 0.

use std::collections::{BTreeMap, BTreeSet};

use platform_sandbox::Sandbox;
use serde_json::Value;

use crate::support::Shell;

const TABLE: &str = include_str!("../src/operations.table");

/// The operations of a family in the table, as JSON, by name.
fn operations(family: &str) -> Vec<(&'static str, Value)> {
    let beginning = format!("operation {family} ");
    let lines = TABLE.lines().filter_map(|line| line.strip_prefix(beginning.as_str())?.split_once(' '));
    lines.map(|(name, json)| (name, serde_json::from_str(json).unwrap())).collect()
}

/// Runs the lines of a session, and demands that every operation of the family has succeeded once.
async fn session(family: &str, clock_holds: bool, lines: &str) {
    let sandbox = platform_sandbox::start().await.unwrap();
    if clock_holds {
        sandbox.clock().hold();
    }
    let mut shell = Shell::signed_in(&sandbox);
    shell.set("PLATFORM_ASSUMED", "1");
    shell.file("dump.sql", "--");
    shell.file("one.tf", "one");
    let operations = operations(family);
    let mut called = BTreeSet::new();
    let mut values = known(&sandbox);
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (keep, line) = line.split_once(" < ").map_or((None, line), |(keep, line)| (Some(keep), line));
        let (code, line) = line.split_once(" ! ").map_or((0, line), |(code, line)| (code.parse().unwrap(), line));
        let mut text = line.to_owned();
        for (name, value) in &values {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        assert!(!text.contains('{'), "a value is missing: {text}");
        if text == "clock" {
            sandbox.clock().advance(std::time::Duration::from_secs(600));
            continue;
        }
        let mut words: Vec<&str> = text.split_whitespace().collect();
        let (_, described) =
            operations.iter().find(|(name, _)| name.replace('_', "-") == words[1]).unwrap_or_else(|| panic!("{text}"));
        let name = words[1].to_owned();
        // A body begins as the template, and flags change it.
        let template;
        if matches!(described["body"]["form"].as_str(), Some("json" | "form")) && !words.contains(&"--body") {
            let path: Vec<&str> = words.iter().copied().take_while(|word| !word.starts_with("--")).collect();
            template = shell.run(&[&path[..], &["--body-template"]].concat()).await.success();
            serde_json::from_str::<Value>(&template).unwrap();
            words.extend(["--body", &template]);
        }
        words.extend(["-o", "json"]);
        let run = shell.run(&words).await;
        assert_eq!(run.code, Some(code), "{words:?}: {run:?}");
        if code != 0 {
            // A log that goes on ends with the time of the call.
            let is_stream = described["result"]["form"] == "events";
            assert!(run.out.is_empty() != is_stream && !run.err.is_empty(), "{words:?}: {run:?}");
            called.extend(is_stream.then_some(name));
            continue;
        }
        called.insert(name);
        assert_eq!(run.err, "", "{words:?}");
        let form = described["result"]["form"].as_str().unwrap();
        let json = match serde_json::from_str::<Value>(&run.out) {
            Ok(json) => json,
            Err(error) => {
                let may_be_empty = run.out.is_empty() && ["empty", "optional_json", "by_status"].contains(&form);
                assert!(may_be_empty || ["stream", "text"].contains(&form), "{words:?}: {error}: {}", run.out);
                Value::Null
            }
        };
        if let Some(keep) = keep {
            let (name, pointer) = keep.find('/').map_or((keep, "/id"), |at| keep.split_at(at));
            let value = json.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("{words:?}: {json}"));
            values.insert(name.to_owned(), value.to_owned());
        }
    }
    let all: BTreeSet<String> = operations.iter().map(|(name, _)| name.replace('_', "-")).collect();
    assert_eq!(
        all.difference(&called).collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "no line succeeds with these operations"
    );
    for (name, described) in &operations {
        let (method, path) = (described["method"].as_str().unwrap(), described["path"].as_str().unwrap());
        let requests = sandbox.requests();
        assert!(
            requests.last().iter().any(|request| request.method == method && same(&request.template, path)),
            "{name} was not called"
        );
    }
}

/// Returns whether two templates differ in the names of their parameters only.
fn same(one: &str, other: &str) -> bool {
    let parts = |path: &str| {
        let names = path.split('/').map(|part| if part.starts_with('{') { "{}".to_owned() } else { part.to_owned() });
        names.collect::<Vec<_>>()
    };
    parts(one) == parts(other)
}

/// The identifiers that a sandbox has from its start.
fn known(sandbox: &Sandbox) -> BTreeMap<String, String> {
    let team = sandbox.team();
    let values = [
        ("team", team.id),
        ("account", team.billing_account_id),
        ("plan", team.payment_plan_id),
        ("item", team.store_item_id),
        ("machine", team.virtual_machine_id),
        ("connection", team.connection_id),
    ];
    let nobody = ("nobody".to_owned(), "00000000-0000-4000-8000-000000000009".to_owned());
    values.into_iter().map(|(name, id)| (name.to_owned(), id.to_string())).chain([nobody]).collect()
}

#[tokio::test]
async fn client_db() {
    session(
        "client_db",
        false,
        "
        listed/0/id < client-db list-connections
        client-db get-connection {listed}
        4 ! client-db get-connection {nobody}
        client-db get-connection-schema {listed}
        client-db get-connection-schema-table {listed} customers
        4 ! client-db get-connection-schema-table {listed} nothing
        client-db query-connection {listed} --statement select --limit 10
        5 ! client-db query-connection {listed} --limit 10
        client-db create-connection-backup {listed} --label nightly --retain-days 7
        client-db export-connection {listed}
        client-db import-connection {listed} --dump dump.sql --truncate
        ",
    )
    .await;
}

#[tokio::test]
async fn compliance() {
    let mut lines = String::new();
    for version in ["", "-v1"] {
        lines += &"
        framework < compliance create-framework@ --name Baseline
        5 ! compliance create-framework@
        compliance list-frameworks@
        compliance get-framework@ {framework}
        4 ! compliance get-framework@ {nobody}
        version < compliance create-framework-version@ {framework} --label 1.0 --effective-from null
        compliance list-framework-versions@ {framework}
        compliance get-framework-version@ {framework} {version}
        control < compliance create-framework-version-control@ {framework} {version} --code A.1
        compliance list-framework-version-controls@ {framework} {version}
        compliance update-framework-version-control@ {framework} {version} {control} --code A.2
        "
        .replace('@', version);
    }
    session("compliance", false, &lines).await;
}

#[tokio::test]
async fn devops() {
    session(
        "devops",
        true,
        "
        repository < devops create-repository --name infrastructure --default-branch main --project-id null
        devops list-repositories
        devops get-repository {repository}
        devops update-repository-branch {repository} topic --commit abc --is-protected
        devops list-repository-branches {repository}
        devops create-repository-file {repository} --branch topic --files one.tf --message One
        devops list-repository-files {repository} --branch topic
        devops get-repository-files-content {repository} --path one.tf --branch topic
        devops update-repository-files-content {repository} --path one.tf --branch topic --x-commit-message Longer --body dump.sql
        devops delete-repository-files-content {repository} --path one.tf --branch topic
        4 ! devops get-repository-files-content {repository} --path one.tf --branch topic
        deployment < devops create-terraform-deployment --repository-id {repository} --branch main
        clock
        devops list-terraform-deployments --repository-id {repository}
        devops get-terraform-deployment {deployment}
        devops apply-terraform-deployment {deployment}
        5 ! devops apply-terraform-deployment {deployment}
        clock
        devops get-terraform-deployment-log {deployment}
        devops list-terraform-deployment-outputs {deployment}
        devops destroy-terraform-deployment {deployment}
        devops delete-repository {repository}
        4 ! devops delete-repository {repository}
        ",
    )
    .await;
}

#[tokio::test]
async fn forum() {
    session(
        "forum",
        false,
        "
        thread < forum create-thread --title One
        forum list-threads
        forum list-threads --all
        forum get-thread {thread}
        forum patch-thread {thread} --title Two
        reply < forum create-thread-reply {thread} --body-body Welcome
        forum list-thread-replies {thread}
        forum get-thread-reply {thread} {reply}
        forum create-thread-reply-comment {thread} {reply} --body-body Thanks
        forum list-thread-reply-comments {thread} {reply}
        forum update-thread-vote {thread} --comment yes
        forum get-thread-vote {thread}
        forum delete-thread-vote {thread}
        forum get-thread-vote {thread}
        forum lock-thread {thread}
        forum hide-thread {thread} --reason spam
        report < forum create-moderation-report --thread-id {thread} --reason spam
        forum list-moderation-reports
        forum resolve-moderation-report {report}
        4 ! forum resolve-moderation-report {thread}
        forum delete-thread {thread}
        4 ! forum get-thread {thread}
        ",
    )
    .await;
}

#[tokio::test]
async fn marketplace() {
    session(
        "marketplace",
        false,
        "
        item < marketplace create-store-item --name Queue
        marketplace list-store-items --limit 1
        marketplace get-store-item {item}
        4 ! marketplace get-store-item {nobody}
        marketplace create-store-item-component {item} --name broker
        marketplace list-store-item-components {item}
        plan < marketplace create-store-item-payment-plan {item} --name Yearly --price 99.25 --currency EUR
        marketplace list-store-item-payment-plans {item}
        marketplace get-store-item-payment-plan {item} {plan}
        marketplace delete-store-item-payment-plan {item} {plan}
        4 ! marketplace get-store-item-image {item}
        marketplace update-store-item-image {item} --body one.tf
        marketplace get-store-item-image {item}
        ",
    )
    .await;
}

#[tokio::test]
async fn projects() {
    session(
        "projects",
        true,
        "
        project < projects create-project --team-id {team} --team-billing-account-id {account} --store-item-payment-plan-id null --name Aurora --service-providers []
        listed/0/id < projects list-projects
        projects get-project {listed}
        4 ! projects get-project {nobody}
        projects update-project {project} --name Borealis
        component < projects create-project-component {project} --name web --replicas 1
        projects list-project-components {project}
        projects get-project-component {project} {component}
        projects update-project-component {project} {component} --name api --replicas 2
        grant < projects create-project-component-access-grant {project} {component} --user-id 00000010-0000-4000-8000-000000000001
        projects list-project-component-access-grants {project} {component}
        projects delete-project-component-access-grant {project} {component} {grant}
        projects update-project-component-environment-variable {project} {component} LEVEL --value debug
        projects list-project-component-environment-variables {project} {component}
        projects get-project-component-environment-variable {project} {component} LEVEL
        projects delete-project-component-environment-variable {project} {component} LEVEL
        deployment < projects create-project-component-deployment {project} {component} --tag v1
        projects list-project-component-deployments {project} {component}
        projects get-project-component-deployment {project} {component} {deployment}
        projects cancel-project-component-deployment {project} {component} {deployment} --immediately
        5 ! projects cancel-project-component-deployment {project} {component} {deployment}
        projects delete-project-component {project} {component}
        projects delete-project {project}
        ",
    )
    .await;
}

#[tokio::test]
async fn teams() {
    session(
        "teams",
        false,
        "
        team/0/id < teams list-teams
        teams get-team {team}
        4 ! teams get-team {nobody}
        role < teams create-team-role {team} --name Reader
        teams list-team-roles {team}
        teams update-team-role {team} {role} --name Banker
        teams delete-team-role {team} {role}
        account < teams create-team-billing-account {team} --name Second --currency CHF
        teams list-team-billing-accounts {team}
        teams get-team-billing-account {team} {account}
        registry < teams create-team-container-registry {team} --name images --address registry.example
        teams list-team-container-registries {team}
        teams get-team-container-registry {team} {registry}
        teams delete-team-container-registry {team} {registry}
        credential < teams create-team-service-provider-credential {team}
        teams list-team-service-provider-credentials {team}
        teams get-team-service-provider-credential {team} {credential}
        teams delete-team-service-provider-credential {team} {credential}
        ",
    )
    .await;
}

#[tokio::test]
async fn virtual_machines() {
    session(
        "virtual_machines",
        true,
        "
        machine/0/id < virtual-machines list-virtual-machines
        virtual-machines get-virtual-machine {machine}
        4 ! virtual-machines get-virtual-machine {nobody}
        5 ! virtual-machines stop-virtual-machine {machine}
        virtual-machines start-virtual-machine {machine}
        clock
        virtual-machines get-virtual-machine-status {machine}
        virtual-machines list-virtual-machine-logs {machine} --lines 10
        virtual-machines update-virtual-machine-shutdown-timer {machine} --minutes 30
        virtual-machines get-virtual-machine-shutdown-timer {machine}
        virtual-machines delete-virtual-machine-shutdown-timer {machine}
        session < virtual-machines create-virtual-machine-session {machine}
        virtual-machines list-virtual-machine-sessions {machine}
        virtual-machines get-sessions-current --vm-session {session}
        virtual-machines delete-virtual-machine-session {machine} {session}
        virtual-machines stop-virtual-machine {machine} --force
        6 ! virtual-machines get-virtual-machine-logs-stream {machine} --timeout 1
        ",
    )
    .await;
}

#[tokio::test]
async fn vm_agent() {
    session(
        "vm_agent",
        false,
        "
        agent < vm-agent create-agent --host-name builder --body-version 1.2 --virtual-machine-id {machine}
        vm-agent get-agent {agent}
        4 ! vm-agent get-agent {nobody}
        vm-agent heartbeat-agent {agent} --x-agent-version 1.2
        command < vm-agent create-agent-command {agent}
        vm-agent list-agent-commands {agent}
        vm-agent mark-agent-command-started {agent} {command}
        vm-agent create-agent-command-output {agent} {command} --sequence 1 --text done
        vm-agent mark-agent-command-completed {agent} {command} --exit-code 0
        ",
    )
    .await;
}
