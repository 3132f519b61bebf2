//! Runs a sandbox until standard input ends: `cargo run -p platform-sandbox --example serve -- FOLDER` writes the secrets of
//! its clients and an API token of the user ada into the folder, and prints its address and how long it took to start.

use std::io::Read;
use std::path::PathBuf;
use std::time::Instant;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or("name a folder for the secrets")?;
    let begun = Instant::now();
    let sandbox = platform_sandbox::start().await?;
    let took = begun.elapsed();
    sandbox.write_secret_files(&folder)?;
    let token = sandbox.issuer().create_api_token("ada", "serve")?.unwrap_or_default();
    std::fs::write(folder.join("ada.token"), token)?;
    println!("{} started in {took:?}", sandbox.base_url());
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    sandbox.stop().await;
    Ok(())
}
