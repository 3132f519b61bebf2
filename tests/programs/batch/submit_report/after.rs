//! Submits a job with parameters, and reads what became of it.

use batch::families::{describejobs::DescribeJobsArguments, submitjob::SubmitJobArguments};
use batch::types::{ContainerOverrides, DescribeJobsRequest, KeyAndValue, SubmitJobRequest};
use batch::{Batch, Error};

const VERSION: &str = "2016-08-10";

pub async fn run(batch: &Batch) -> Result<(), Error> {
    let month = KeyAndValue::default().key("month").value("2026-10");
    let memory = ContainerOverrides::default().vcpus(2).memory(4096);
    let job = SubmitJobRequest::new("report:3", "report-2026-10", "nightly");
    let job = job.parameters(vec![month]).container_overrides(memory);
    let arguments = SubmitJobArguments { action: "SubmitJob", version: VERSION, body: &job };
    let submitted = batch.submitjob().submit_job(arguments).await;
    let submitted = match submitted {
        Ok(job) => job.job_id,
        Err(error) if error.is_retryable() => return Ok(println!("try again later")),
        Err(error) => return Err(error),
    };
    let request = DescribeJobsRequest::new(vec![submitted]);
    let arguments = DescribeJobsArguments { action: "DescribeJobs", version: VERSION, body: &request };
    let answer = batch.describejobs().describe_jobs(arguments).await?;
    for job in answer.jobs.unwrap_or_default() {
        println!("{} is {}", job.job_name, job.status.as_str());
    }
    Ok(())
}
