//! Invites somebody as an editor of an app, and removes those who have left.

use squidex::types::AssignContributorDto;
use squidex::{Error, Squidex};

pub async fn run(squidex: &Squidex) -> Result<(), Error> {
    let apps = squidex.apps();
    let team = apps.app_contributors_get_contributors("shop").await?;
    for contributor in team.items.iter().filter(|one| one.contributor_email.ends_with("@left.example")) {
        println!("removing {}", contributor.contributor_name);
        apps.app_contributors_delete_contributor("shop", &contributor.contributor_id).await?;
    }
    let invitation = AssignContributorDto::new("ada@example.com").role("Editor").invite(true);
    match apps.app_contributors_post_contributor("shop", &invitation).await {
        Ok(team) => println!("{} of {} contributors", team.items.len(), team.max_contributors),
        Err(error) if error.is_bad_request() => println!("the plan has no place for another one"),
        Err(error) => return Err(error),
    }
    Ok(())
}
