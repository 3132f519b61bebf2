//! Deploys a workload, and prints its states and events until it has ended: `watch_events PROJECT_ID COMPONENT_ID`, with the
//! variables of `Platform::from_env`.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use std::collections::BTreeSet;

use platform_client::{Platform, types::DeployWorkload};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [project, component] = arguments.as_slice() else {
        return Err("usage: watch_events PROJECT_ID COMPONENT_ID".into());
    };
    let platform = Platform::from_env()?;
    let operation = platform
        .projects()
        .create_project_component_deployment(project.parse()?, component.parse()?, &DeployWorkload::default())
        .submit(&platform.operations())
        .await?;

    let mut watch = operation.watch();
    let mut known = BTreeSet::new();
    while let Some(observation) = watch.next().await {
        let observation = observation?;
        if observation.follows_gap() {
            println!("(what happened before this may be more than was seen)");
        }
        println!("state {}", observation.raw_state().unwrap_or("not visible yet"));
        for event in observation.events().difference(&known) {
            println!("event {event}");
        }
        known.clone_from(observation.events());
    }
    match watch.outcome() {
        Some(outcome) if outcome.is_success() => Ok(()),
        other => Err(other.map_or("no end", |outcome| outcome.name()).into()),
    }
}
