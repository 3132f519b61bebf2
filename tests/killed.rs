//! A program that deploys, waits, and is killed at random: every deployment is finished once.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use platform_client::Value;
use platform_client::operations::{SqliteStore, Status};
use platform_sandbox::Options;

use crate::support::{Programs, client, component, deploying, secret_files, variables};

const COUNT: usize = 100;
const DEPLOYMENTS: &str = "/api/projects/v1/projects/{project_id}/components/{componentId}/deployments";

/// Runs the program, and kills it after a time; `None` runs it to its end. Returns its output, and whether it came to its end.
async fn run(variables: Vec<(&'static str, String)>, kill_after: Option<Duration>) -> (Vec<String>, bool) {
    tokio::task::spawn_blocking(move || {
        let mut command = Programs::get().command("deploy_and_wait");
        let mut child = command.envs(variables).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if let Some(time) = kill_after {
            std::thread::sleep(time);
            // SIGKILL on Unix: it has no chance to tidy up.
            child.kill().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let ended = output.status.success();
        assert!(ended || kill_after.is_some(), "{}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect(), ended)
    })
    .await
    .unwrap()
}

/// A number below a bound. The keys of hash maps are random.
fn random(bound: u64) -> u64 {
    use std::hash::BuildHasher as _;
    std::hash::RandomState::new().hash_one(0_u8) % bound
}

async fn once(kills: u32) {
    let options = Options { step: Some(Duration::from_millis(100)), ..Options::default() };
    let sandbox = platform_sandbox::start_with(options).await.unwrap();
    let secrets = secret_files(&sandbox);
    let platform = client(&sandbox, secrets.path(), 0);
    let place = component(&platform).await;
    let store = secrets.path().join("store.sqlite");
    let mut variables = variables(&sandbox, secrets.path());
    variables.extend(deploying(place, &store, COUNT));

    let mut printed: BTreeMap<String, u32> = BTreeMap::new();
    let mut killed = 0;
    loop {
        let kill = (killed < kills).then(|| Duration::from_millis(20 + random(900)));
        let (lines, ended) = run(variables.clone(), kill).await;
        for line in lines {
            *printed.entry(line).or_default() += 1;
        }
        if ended {
            break;
        }
        killed += 1;
    }

    let operations = platform.operations().with_store(SqliteStore::open(&store).unwrap());
    let mut ids: Vec<String> = Vec::new();
    for number in 0..COUNT {
        let entry = operations.labelled(&format!("deployment-{number}")).await.unwrap().unwrap();
        assert_eq!((entry.status(), entry.outcome()), (Status::Finished, Some("succeeded")), "{number}");
        ids.push(entry.reference().unwrap().id().to_owned());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), COUNT, "each deployment is one of its own");
    let answer =
        platform.graphql().query::<Value, _>("{ operations { id kind } }", ()).await.unwrap().into_data().unwrap();
    assert_eq!(answer["operations"].as_array().unwrap().len(), COUNT, "the service began each deployment once");
    assert!(printed.values().all(|count| *count == 1), "each was finished once: {printed:?}");
    // A deployment may be finished, and the program killed before it printed that.
    assert!(printed.len() + killed as usize * 16 >= COUNT, "{} lines after {killed} kills", printed.len());
    let posts = sandbox.requests().count("POST", DEPLOYMENTS);
    assert!(posts >= COUNT as u64 && posts <= COUNT as u64 + u64::from(killed) * 16, "{posts} after {killed} kills");
    #[allow(clippy::print_stdout, reason = "figures for whoever runs it by hand")]
    {
        println!("killed {killed} times, {posts} submissions arrived for {COUNT} deployments");
    }
    sandbox.stop().await;
}

/// Five times, or `PLATFORM_KILLED_RUNS` times.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes longer: .ci/run runs it"]
async fn a_killed_program_finishes_every_deployment_once() {
    let runs = std::env::var("PLATFORM_KILLED_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    for _ in 0..runs {
        once(3).await;
    }
}
