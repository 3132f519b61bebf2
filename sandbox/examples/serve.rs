//! Runs a sandbox until standard input ends: `cargo run -p platform-sandbox --example serve -- FOLDER` writes the secrets of
//! its clients into the folder, and prints its address and how long it took to start.

#![allow(clippy::print_stdout, reason = "the address is what the program is for")]

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
    println!("{} started in {took:?}", sandbox.base_url());
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    sandbox.stop().await;
    Ok(())
}
