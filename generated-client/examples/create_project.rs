//! Creates a project: `create_project TEAM_ID BILLING_ACCOUNT_ID NAME`, with the variables of `Platform::from_env`.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use platform_client::{Maybe, Platform, types::CreateProject};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [team, account, name] = arguments.as_slice() else {
        return Err("usage: create_project TEAM_ID BILLING_ACCOUNT_ID NAME".into());
    };
    let project = CreateProject::default()
        .team_id(team.parse()?)
        .team_billing_account_id(account.parse()?)
        .store_item_payment_plan_id(Maybe::Null)
        .name(name.clone())
        .description(String::new())
        .category("examples")
        .help_page(String::new())
        .service_providers(Vec::new());
    let platform = Platform::from_env()?;
    match platform.projects().create_project(&project).with_response().await {
        Ok(created) => println!("{} {:?}", created.status(), created.value()),
        // Sending it again could create it twice.
        Err(error) if error.is_submission_unknown() => println!("look whether `{name}` is there: {error}"),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
