//! Signs a user in with the browser, and keeps the refresh token for the next run: `sign_in FOLDER`, with
//! PLATFORM_BASE_URL, PLATFORM_ISSUER, PLATFORM_CLIENT_ID and PLATFORM_SCOPE. With PLATFORM_PRINT_ADDRESS, the address is
//! printed instead of opened.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use std::{env::var, time::Duration};

use platform_client::{
    Method, Platform,
    auth::{AuthorizationCode, RefreshFolder},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: sign_in FOLDER")?;
    let mut credential = AuthorizationCode::new(var("PLATFORM_ISSUER")?, var("PLATFORM_CLIENT_ID")?)
        .scope(var("PLATFORM_SCOPE")?)
        .store(RefreshFolder::new(folder));
    if var("PLATFORM_PRINT_ADDRESS").is_ok() {
        credential = credential.print_address();
    }
    let platform = Platform::builder(var("PLATFORM_BASE_URL")?)
        .credential(credential)
        .on_token_event(|event| println!("{:?}: {}", event.kind, event.credential))
        .build()?;
    let claims = platform.authenticate(Duration::from_secs(300)).await?;
    println!("signed in as {:?}", claims.and_then(|claims| claims.subject));
    let answer = platform.request(Method::Get, "/api/projects/v1/projects").send().await?;
    println!("{}", answer.status());
    Ok(())
}
