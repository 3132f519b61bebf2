//! Disables all enabled queues, page by page, and ends the jobs that still run in them.

use batch::families::{
    describejobqueues::DescribeJobQueuesArguments, listjobs::ListJobsArguments, terminatejob::TerminateJobArguments,
    updatejobqueue::UpdateJobQueueArguments,
};
use batch::types::{DescribeJobQueuesRequest, JobRequest, JobStatus, ListJobsRequest, State, UpdateJobQueueRequest};
use batch::{Batch, Error};

const VERSION: &str = "2016-08-10";

pub async fn run(batch: &Batch) -> Result<(), Error> {
    let mut page = DescribeJobQueuesRequest::default().max_results(1);
    loop {
        let arguments = DescribeJobQueuesArguments { action: "DescribeJobQueues", version: VERSION, body: &page };
        let queues = batch.describejobqueues().describe_job_queues(arguments).await?;
        for queue in queues.job_queues.unwrap_or_default().iter().filter(|queue| queue.state == State::Enabled) {
            let change = UpdateJobQueueRequest::new(&queue.job_queue_arn).state(State::Disabled);
            let arguments = UpdateJobQueueArguments { action: "UpdateJobQueue", version: VERSION, body: &change };
            batch.updatejobqueue().update_job_queue(arguments).await?;
            let running = ListJobsRequest::new(&queue.job_queue_name).job_status(JobStatus::Running);
            let arguments = ListJobsArguments { action: "ListJobs", version: VERSION, body: &running };
            let jobs = batch.listjobs().list_jobs(arguments).await?;
            for job in jobs.job_summary_list {
                let end = JobRequest::new(&job.job_id, "the queue is disabled");
                let arguments = TerminateJobArguments { action: "TerminateJob", version: VERSION, body: &end };
                batch.terminatejob().terminate_job(arguments).await?;
                println!("ended {}", job.job_name);
            }
        }
        let Some(token) = queues.next_token else { return Ok(()) };
        page = page.next_token(token);
    }
}
