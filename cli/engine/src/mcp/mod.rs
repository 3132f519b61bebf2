//! The operations of a service as tools of the Model Context Protocol, for agents.
//!
//! [`serve`] runs a server: on standard input and output, or over HTTP on loopback. Only operations that read are tools, unless a rule allows
//! others. Arguments are checked against their schema before anything is sent, long answers come in parts, and each call is a line of a log.

mod allow;
mod arguments;
mod calls;
mod catalog;
mod credentials;
mod handler;
#[cfg(feature = "mcp-http")]
mod http;
mod log;
mod names;
mod operations;
mod own;
mod parts;
mod reply;
mod search;
#[cfg(test)]
mod tests;
mod texts;

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncWrite};

use self::allow::Allowed;
use self::calls::Calls;
use self::catalog::ToolCatalog;
use self::handler::McpHandler;
use self::log::CallLog;
use crate::{Exit, Failure};

pub use self::operations::{
    Effect, OperationDetails, OperationEntry, OperationState, Operations, Pending, Report, ServedService, ToolAnswer,
    ToolBody,
};

/// Bytes of a message on standard input. The arguments of a call are limited apart from this.
const MESSAGE: usize = 16 << 20;

/// The form in which operations are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ToolForm {
    /// `all` up to 60 allowed operations, otherwise `search`.
    #[default]
    Auto,
    /// Each operation is a tool.
    All,
    /// Tools that search, describe and call operations.
    Search,
}

/// The flags of the server.
#[derive(Clone, Debug, clap::Args)]
pub struct McpArguments {
    /// Allow operations that change something: FAMILY:write or *:write (create and change), FAMILY.OPERATION (also one that removes something), cancel
    /// (of asynchronous operations).
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,
    /// List each operation as a tool, or tools that search and call operations.
    #[arg(long, value_enum, default_value = "auto")]
    pub tools: ToolForm,
    /// Kibibytes of an answer in one part.
    #[arg(long, value_name = "KIB", default_value = "32", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub part: u16,
    /// The version of the interface that operations are sent with, instead of the one of the contract.
    #[arg(long, value_name = "VERSION")]
    pub api_version: Option<String>,
    /// Append a line for each call to this file, instead of standard error.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Serve HTTP on 127.0.0.1 instead of standard input and output. Without a port, or with 0, a free one is chosen.
    #[cfg(feature = "mcp-http")]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    pub http: Option<u16>,
    /// The file with the token that HTTP clients send. A new token is written if the file does not exist. Without this, the token is new on each start.
    #[cfg(feature = "mcp-http")]
    #[arg(long, value_name = "FILE", requires = "http")]
    pub token_file: Option<PathBuf>,
}

/// Serves the operations until the client closes the connection, or, over HTTP, for ever.
pub async fn serve(operations: Arc<dyn Operations>, arguments: McpArguments) -> Result<(), Failure> {
    let handler = handler(operations, &arguments)?;
    #[cfg(feature = "mcp-http")]
    if let Some(port) = arguments.http {
        let server = http::HttpServer::bind(port, arguments.token_file.as_deref()).await?;
        server.announce()?;
        return server.run(handler).await;
    }
    let (input, output) = rmcp::transport::io::stdio_pipes();
    connect(handler, input, output).await
}

fn handler(operations: Arc<dyn Operations>, arguments: &McpArguments) -> Result<McpHandler, Failure> {
    handler_with_log(operations, arguments, CallLog::open(arguments.log.as_deref())?)
}

fn handler_with_log(
    operations: Arc<dyn Operations>,
    arguments: &McpArguments,
    log: CallLog,
) -> Result<McpHandler, Failure> {
    let allowed = Allowed::new(&arguments.allow, operations.entries())?;
    let catalog = ToolCatalog::new(operations.clone(), &allowed, arguments.tools);
    let part = usize::from(arguments.part) << 10;
    Ok(McpHandler(Arc::new(Calls::new(operations, allowed, catalog, log, part))))
}

/// Serves one client on a pair of streams.
async fn connect<R, W>(handler: McpHandler, input: R, output: W) -> Result<(), Failure>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(MESSAGE);
    let failed = |error: &dyn std::fmt::Display| {
        Failure::new(
            Exit::Failed,
            format!("the client did not follow the protocol: {error}"),
            "register this command as a stdio server in a client",
        )
    };
    match handler.serve(transport).await {
        // A client that closes the connection at once has nothing to be told.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(failed(&error)),
        Ok(service) => service.waiting().await.map(drop).map_err(|error| failed(&error)),
    }
}
