//! Programs that follow deployments: one that is killed and run again, and one that prints states and events.

use std::process::Stdio;
use std::time::Duration;

use platform_client::Uuid;
use platform_sandbox::{Options, RequestFilter, Sandbox};

use crate::support::{Programs, Run, client, component, deploying, secret_files, variables};

const DEPLOYMENTS: &str = "/api/projects/v1/projects/{project_id}/components/{componentId}/deployments";

/// A sandbox whose work takes this step from one state to the next, and a component in it.
async fn world(step: Duration) -> (Sandbox, tempfile::TempDir, (Uuid, Uuid)) {
    // Built before the test waits for one of them.
    tokio::task::spawn_blocking(Programs::get).await.unwrap();
    let options = Options { step: Some(step), ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let secrets = secret_files(&sandbox);
    let place = component(&client(&sandbox, secrets.path(), 0)).await;
    (sandbox, secrets, place)
}

#[tokio::test]
async fn a_program_that_is_killed_in_the_middle_is_gone_on_with_by_the_next_run() {
    // No work ends while the first run is alive.
    let (sandbox, secrets, place) = world(Duration::from_secs(2)).await;
    let mut variables = variables(&sandbox, secrets.path());
    variables.extend(deploying(place, &secrets.path().join("store.sqlite"), 1));
    let mut command = Programs::get().command("deploy_and_wait");
    command.envs(variables).stdin(Stdio::null());
    let mut first = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // It queries once the acceptance is stored.
    let looks = || sandbox.requests().count("POST", "/graphql");
    tokio::time::timeout(Duration::from_secs(60), async {
        while looks() == 0 {
            assert!(first.try_wait().unwrap().is_none(), "it ended by itself");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
    // SIGKILL on Unix, by the number of the process.
    first.kill().unwrap();
    assert!(!first.wait().unwrap().success());
    assert_eq!(sandbox.requests().count("POST", DEPLOYMENTS), 1);

    let second = tokio::task::spawn_blocking(move || Run::from(command.stdout(Stdio::piped()).output().unwrap()));
    let second = second.await.unwrap();
    assert_eq!((second.code, second.stdout.as_str()), (Some(0), "deployment-0 succeeded\n"), "{second:?}");
    assert_eq!(sandbox.requests().count("POST", DEPLOYMENTS), 1, "nothing is deployed twice");
    sandbox.stop().await;
}

/// The service has begun the deployment, but the answer was lost. The next runs do not begin it again.
#[tokio::test]
async fn a_deployment_whose_answer_is_lost_is_not_begun_again_whatever_the_next_runs_meet() {
    let (sandbox, secrets, place @ (project, component)) = world(Duration::from_millis(50)).await;
    let mut variables = variables(&sandbox, secrets.path());
    variables.extend(deploying(place, &secrets.path().join("store.sqlite"), 1));
    let run = || {
        let variables = variables.clone();
        let run = move || Run::from(Programs::get().command("deploy_and_wait").envs(variables).output().unwrap());
        tokio::task::spawn_blocking(run)
    };
    let path = format!("/api/projects/v1/projects/{project}/components/{component}/deployments");
    let faults = ["reset=after", "status=409", "status=422", "status=403", "status=404", "status=429", "status=425"];
    for fault in faults {
        sandbox.faults().next(1, RequestFilter::new().method("POST").path(&path), fault.parse().unwrap()).unwrap();
        let seen = run().await.unwrap();
        assert_eq!(seen.code, Some(1), "{fault}: {seen:?}");
        assert!(
            seen.stderr.contains("submission-unknown") || seen.stderr.contains("it is unknown"),
            "{fault}: {seen:?}"
        );
    }
    let seen = run().await.unwrap();
    assert_eq!((seen.code, seen.stdout.as_str()), (Some(0), "deployment-0 succeeded\n"), "{seen:?}");
    let platform = client(&sandbox, secrets.path(), 0);
    let answer = platform.graphql().query::<platform_client::Value, _>("{ operations { id kind } }", ()).await.unwrap();
    let operations = answer.into_data().unwrap();
    assert_eq!(operations["operations"].as_array().unwrap().len(), 1, "{operations}");
    sandbox.stop().await;
}

#[tokio::test]
async fn a_program_prints_the_states_and_events_of_its_deployment() {
    let (sandbox, secrets, (project, component)) = world(Duration::from_millis(200)).await;
    let variables = variables(&sandbox, secrets.path());
    let run = move |arguments: Vec<String>| {
        let variables = variables.clone();
        let run = || Programs::get().command("watch_events").args(arguments).envs(variables).output().unwrap().into();
        tokio::task::spawn_blocking(run)
    };
    let seen: Run = run(vec![project.to_string(), component.to_string()]).await.unwrap();
    assert_eq!(seen.code, Some(0), "{seen:?}");
    let lines: Vec<&str> = seen.stdout.lines().collect();
    let at = |line: &str| lines.iter().position(|other| *other == line);
    assert!(at("state SUCCEEDED").is_some(), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| **line == "event workload-ready").count(), 1, "{lines:?}");
    assert!(at("event accepted") < at("state SUCCEEDED") && at("state SUCCEEDED") < at("event workload-ready"));

    let absent: Run = run(vec![project.to_string(), Uuid::nil().to_string()]).await.unwrap();
    assert!(absent.code == Some(1) && absent.stderr.contains("404"), "{absent:?}");
    let without: Run = run(vec![]).await.unwrap();
    assert!(without.stderr.contains("usage") && !without.stderr.contains("panicked"), "{without:?}");
    sandbox.stop().await;
}
