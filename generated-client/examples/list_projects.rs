//! Lists the projects that the caller sees, with the variables of `Platform::from_env`. `cargo xtask sandbox` prints them.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use platform_client::Platform;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let platform = Platform::from_env()?;
    for project in platform.projects().list_projects().await? {
        println!("{project:?}");
    }
    Ok(())
}
