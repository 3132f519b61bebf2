//! Submits a job with parameters, and reads what became of it.

use batch::types::{ContainerOverrides, DescribeJobsRequest, ParametersMapItem, SubmitJobRequest};
use batch::{Batch, Error};

const VERSION: &str = "2016-08-10";

pub async fn run(batch: &Batch) -> Result<(), Error> {
    let month = ParametersMapItem::default().key("month").value("2026-10");
    let memory = ContainerOverrides::default().vcpus(2).memory(4096);
    let job = SubmitJobRequest::new("report:3", "report-2026-10", "nightly");
    let job = job.parameters(vec![month]).container_overrides(memory);
    let submitted = batch.submitjob().submit_job("SubmitJob", VERSION, &job).await;
    let submitted = match submitted {
        Ok(job) => job.job_id,
        Err(error) if error.is_retryable() => return Ok(println!("try again later")),
        Err(error) => return Err(error),
    };
    let request = DescribeJobsRequest::new(vec![submitted]);
    let answer = batch.describejobs().describe_jobs("DescribeJobs", VERSION, &request).await?;
    for job in answer.jobs.unwrap_or_default() {
        println!("{} is {}", job.job_name, job.status.as_str());
    }
    Ok(())
}
