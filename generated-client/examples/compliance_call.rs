//! Reads a resource of the compliance resource server: `compliance_call PATH`, with the variables of `Platform::from_env`,
//! PLATFORM_COMPLIANCE_URL and PLATFORM_TEAM_ID among them.
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use platform_client::{Method, Platform, Value};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: compliance_call PATH")?;
    let platform = Platform::from_env()?;
    let answer: Value = platform.server("compliance")?.request(Method::Get, path).call().await?;
    println!("{answer:#}");
    Ok(())
}
