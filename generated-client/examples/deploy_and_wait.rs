//! Deploys a workload several times, and waits for all deployments. The next run continues one that was stopped at any point: no
//! deployment is lost, and none is submitted twice.
//!
//! `cargo xtask sandbox` prints the first four of the variables that it reads. The others are the file of the store, the
//! project, the component, and the number of deployments.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use std::{env::var, error::Error, time::Duration};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use platform_client::{
    Platform, Uuid,
    auth::{ClientCredentials, SecretFile},
    operations::{Deadline, Operation, Operations, SqliteStore, Status},
    types::DeployWorkload,
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let secret = SecretFile::new(var("PLATFORM_SECRET_FILE")?);
    let credential = ClientCredentials::new(var("PLATFORM_ISSUER")?, var("PLATFORM_CLIENT_ID")?, secret);
    let platform = Platform::builder(var("PLATFORM_BASE_URL")?).credential(credential).build()?;
    let operations = platform.operations().with_store(SqliteStore::open(var("PLATFORM_STORE")?)?);
    let (project, component) = (var("PLATFORM_PROJECT")?.parse()?, var("PLATFORM_COMPONENT")?.parse()?);
    let count: u32 = var("PLATFORM_COUNT")?.parse()?;

    stream::iter(0..count)
        .map(|number| deploy(&platform, &operations, &project, &component, number))
        .buffer_unordered(16)
        .try_collect::<Vec<()>>()
        .await?;
    Ok(())
}

async fn deploy(
    platform: &Platform,
    operations: &Operations,
    project: &Uuid,
    component: &Uuid,
    number: u32,
) -> Result<(), Box<dyn Error>> {
    let label = format!("deployment-{number}");
    let body = DeployWorkload::default().tag(label.clone());
    let submission = platform.projects().create_project_component_deployment(*project, *component, &body).label(&label);
    let known = operations.labelled(&label).await?;
    let operation: Operation = match known.as_ref().map(|entry| (entry.status(), entry)) {
        None => submission.submit(operations).await?,
        Some((Status::Accepted, entry)) => operations.resume(entry)?,
        // The program was stopped between sending and storing. The service recognises the repetition.
        Some((Status::SubmissionUnknown, _)) => submission.resubmit(operations).await?,
        Some(_) => return Ok(()),
    };
    let outcome = operation.wait(Deadline::after(Duration::from_secs(120))).await?;
    if !outcome.is_success() {
        return Err(format!("{label}: {}", outcome.name()).into());
    }
    if operation.finish(&outcome).await? {
        println!("{label} {}", outcome.name());
    }
    Ok(())
}
