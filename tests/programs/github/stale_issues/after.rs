//! Asks in issues that nobody has changed for long, and closes those that are labelled as stale.

use github::families::issues::{CreateCommentArguments, ListForRepoArguments, UpdateArguments};
use github::types::{BodyRequest, IssuesUpdateRequest, MilestoneState, OrderParameter, Sort, State};
use github::{DateTime, Error, Github};

pub async fn run(github: &Github, before: &DateTime) -> Result<(), Error> {
    let issues = github.issues();
    let list = issues.list_for_repo(ListForRepoArguments { owner: "octocat", repo: "hello" });
    let mut oldest =
        list.state(&State::Open).sort(&Sort::Updated).direction(&OrderParameter::Asc).with_items().limit(50);
    while let Some(issue) = oldest.next().await {
        let issue = issue?;
        if issue.updated_at >= *before {
            break;
        }
        if issue.labels.iter().any(|label| label.name == "stale") {
            let closed = IssuesUpdateRequest::default().state(MilestoneState::Closed);
            let (owner, repo, issue_number) = ("octocat", "hello", issue.number);
            issues.update(UpdateArguments { owner, repo, issue_number, body: &closed }).await?;
        } else {
            let question = BodyRequest::new("Does this still happen?");
            let (owner, repo, issue_number) = ("octocat", "hello", issue.number);
            issues.create_comment(CreateCommentArguments { owner, repo, issue_number, body: &question }).await?;
        }
        println!("#{} {}", issue.number, issue.title);
    }
    Ok(())
}
