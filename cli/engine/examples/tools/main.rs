//! Serves the operations of `service.rs` as tools. Its flags are those of `serve`, and `--many N`, which adds operations.

mod service;

use std::sync::Arc;

use clap::Parser;
use driftless_cli::{Exit, Failure, mcp};

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    server: mcp::McpArguments,
    /// Add this number of operations.
    #[arg(long, default_value_t = 0)]
    many: usize,
}

fn main() -> std::process::ExitCode {
    let command = Command::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(Exit::Failed, error.to_string(), ""));
    let operations = Arc::new(service::ExampleService::new(command.many));
    match runtime.and_then(|runtime| runtime.block_on(mcp::serve(operations, command.server))) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(failure) => {
            std::io::Write::write_all(&mut std::io::stderr(), format!("{failure}\n").as_bytes()).ok();
            failure.exit.into()
        }
    }
}
