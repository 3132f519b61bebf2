//! Asks in issues that nobody has changed for long, and closes those that are labelled as stale.

use github::types::{
    DirectionParameter, IssuesCreateCommentRequest, IssuesListForRepoSort, IssuesListForRepoState, IssuesUpdateRequest,
    IssuesUpdateRequestState,
};
use github::{DateTime, Error, Github};

pub async fn run(github: &Github, before: &DateTime) -> Result<(), Error> {
    let issues = github.issues();
    let list = issues.list_for_repo("octocat", "hello");
    let mut oldest = list
        .state(&IssuesListForRepoState::Open)
        .sort(&IssuesListForRepoSort::Updated)
        .direction(&DirectionParameter::Asc)
        .with_items()
        .limit(50);
    while let Some(issue) = oldest.next().await {
        let issue = issue?;
        if issue.updated_at >= *before {
            break;
        }
        if issue.labels.iter().any(|label| label.name == "stale") {
            let closed = IssuesUpdateRequest::default().state(IssuesUpdateRequestState::Closed);
            issues.update("octocat", "hello", issue.number, &closed).await?;
        } else {
            let question = IssuesCreateCommentRequest::new("Does this still happen?");
            issues.create_comment("octocat", "hello", issue.number, &question).await?;
        }
        println!("#{} {}", issue.number, issue.title);
    }
    Ok(())
}
