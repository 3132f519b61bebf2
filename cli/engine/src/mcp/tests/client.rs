//! A client that writes and reads lines, so that a test can also send wrong ones.

use std::io;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split};
use tokio::task::JoinHandle;

use super::service::ExampleService;
use crate::Failure;
use crate::mcp::log::CallLog;
use crate::mcp::{McpArguments, ToolForm, connect, handler_with_log};

/// A log in memory.
#[derive(Clone, Default)]
pub(super) struct Written(Arc<Mutex<Vec<u8>>>);

impl io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Written {
    pub(super) fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

pub(super) fn arguments(allow: &[&str], tools: ToolForm) -> McpArguments {
    McpArguments {
        allow: allow.iter().map(|rule| (*rule).to_owned()).collect(),
        tools,
        api_version: None,
        part: 32,
        log: None,
        #[cfg(feature = "mcp-http")]
        http: None,
        #[cfg(feature = "mcp-http")]
        token_file: None,
    }
}

/// A server on a pipe in memory.
pub(super) struct Session {
    pub(super) service: Arc<ExampleService>,
    pub(super) log: Written,
    pub(super) server: JoinHandle<Result<(), Failure>>,
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    count: u64,
    /// Notifications of the server.
    pub(super) notifications: Vec<Value>,
}

/// Starts a server, and returns the client's end of the pipe.
pub(super) fn start(
    service: Arc<ExampleService>,
    arguments: &McpArguments,
) -> (DuplexStream, Written, JoinHandle<Result<(), Failure>>) {
    let log = Written::default();
    let handler = handler_with_log(service, arguments, CallLog::new(log.clone())).unwrap();
    let (client, server) = tokio::io::duplex(64 << 20);
    let (input, output) = split(server);
    (client, log, tokio::spawn(connect(handler, input, output)))
}

impl Session {
    pub(super) async fn new(many: usize, allow: &[&str], tools: ToolForm) -> Self {
        let service = Arc::new(ExampleService::new(many));
        let (client, log, server) = start(service.clone(), &arguments(allow, tools));
        let (output, input) = split(client);
        let mut session = Self {
            service,
            log,
            server,
            input,
            output: BufReader::new(output).lines(),
            count: 0,
            notifications: Vec::new(),
        };
        let client = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}});
        session.request("initialize", client).await;
        session.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string()).await;
        session
    }

    pub(super) async fn write(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    pub(super) async fn send(&mut self, method: &str, params: Value) -> u64 {
        self.count += 1;
        self.write(&json!({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}).to_string()).await;
        self.count
    }

    /// The next message that is not a notification.
    pub(super) async fn message(&mut self) -> Value {
        loop {
            let line = self.output.next_line().await.unwrap().unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message.get("method").is_none() {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Sends a request, and returns `result` or `error` of the answer.
    pub(super) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        let mut message = self.message().await;
        assert_eq!(message["id"], id);
        if message["error"].is_null() { message["result"].take() } else { message["error"].take() }
    }

    pub(super) async fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": name, "arguments": arguments})).await
    }

    /// Calls a tool, and returns the texts of its reply.
    pub(super) async fn texts(&mut self, name: &str, arguments: Value) -> Vec<String> {
        let reply = self.call(name, arguments).await;
        assert_ne!(reply["isError"], true, "{reply}");
        texts(&reply)
    }

    /// Calls a tool, and returns the text of its error.
    pub(super) async fn error(&mut self, name: &str, arguments: Value) -> String {
        let reply = self.call(name, arguments).await;
        assert_eq!(reply["isError"], true, "{reply}");
        let text = texts(&reply).join("\n");
        assert!(text.lines().count() <= 2, "{text}");
        text
    }

    pub(super) fn sent(&self) -> Vec<(String, Value)> {
        self.service.sent.lock().unwrap().clone()
    }

    pub(super) async fn tools(&mut self) -> Vec<Value> {
        let mut tools = Vec::new();
        let mut cursor = Value::Null;
        loop {
            let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
            let mut page = self.request("tools/list", params).await;
            tools.extend(page["tools"].as_array().unwrap().iter().cloned());
            cursor = page["nextCursor"].take();
            if cursor.is_null() {
                return tools;
            }
        }
    }

    pub(super) async fn tool_names(&mut self) -> Vec<String> {
        self.tools().await.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Closes the client's end, and waits for the end of the server.
    pub(super) async fn close(self) -> Result<(), Failure> {
        drop((self.input, self.output));
        self.server.await.unwrap()
    }
}

pub(super) fn texts(reply: &Value) -> Vec<String> {
    reply["content"].as_array().unwrap().iter().filter_map(|block| Some(block["text"].as_str()?.to_owned())).collect()
}
