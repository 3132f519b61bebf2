//! Lists the projects that the caller sees. `cargo xtask sandbox` prints the variables that it reads.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use std::env::var;

use platform_client::{
    Platform,
    auth::{ClientCredentials, SecretFile},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let secret = SecretFile::new(var("PLATFORM_SECRET_FILE")?);
    let credential = ClientCredentials::new(var("PLATFORM_ISSUER")?, var("PLATFORM_CLIENT_ID")?, secret);
    let platform = Platform::builder(var("PLATFORM_BASE_URL")?).credential(credential).build()?;
    for project in platform.projects().list_projects().await? {
        println!("{project:?}");
    }
    Ok(())
}
