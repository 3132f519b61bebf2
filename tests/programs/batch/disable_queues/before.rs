//! Disables all enabled queues, page by page, and ends the jobs that still run in them.

use batch::types::{
    DescribeJobQueuesRequest, JobStatus, JqState, ListJobsRequest, TerminateJobRequest, UpdateJobQueueRequest,
};
use batch::{Batch, Error};

const VERSION: &str = "2016-08-10";

pub async fn run(batch: &Batch) -> Result<(), Error> {
    let mut page = DescribeJobQueuesRequest::default().max_results(1);
    loop {
        let queues = batch.describejobqueues().describe_job_queues("DescribeJobQueues", VERSION, &page).await?;
        for queue in queues.job_queues.unwrap_or_default().iter().filter(|queue| queue.state == JqState::Enabled) {
            let change = UpdateJobQueueRequest::new(&queue.job_queue_arn).state(JqState::Disabled);
            batch.updatejobqueue().update_job_queue("UpdateJobQueue", VERSION, &change).await?;
            let running = ListJobsRequest::new(&queue.job_queue_name).job_status(JobStatus::Running);
            let jobs = batch.listjobs().list_jobs("ListJobs", VERSION, &running).await?;
            for job in jobs.job_summary_list {
                let end = TerminateJobRequest::new(&job.job_id, "the queue is disabled");
                batch.terminatejob().terminate_job("TerminateJob", VERSION, &end).await?;
                println!("ended {}", job.job_name);
            }
        }
        let Some(token) = queues.next_token else { return Ok(()) };
        page = page.next_token(token);
    }
}
