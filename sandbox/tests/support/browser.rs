//! A headless Chromium, driven over the Chrome DevTools Protocol.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    number: u64,
    _profile: TempDir,
}

impl Browser {
    /// Starts Chromium; `None` if it is not installed.
    pub(crate) async fn start() -> Option<Self> {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new("chromium")
            .args([
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-port=0",
                "--window-size=1200,1000",
            ])
            .args(["--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address =
            lines.find_map(|line| line.strip_prefix("DevTools listening on ws://").map(str::to_owned)).unwrap();
        // Chromium goes on to write, and must not block.
        std::thread::spawn(move || lines.for_each(drop));
        let host = address.split('/').next().unwrap();
        let pages: Value =
            crate::support::fetch(format!("http://{host}/json/list")).await.unwrap().json().await.unwrap();
        let page = pages.as_array().unwrap().iter().find(|page| page["type"] == "page").unwrap();
        let (socket, _) = connect_async(page["webSocketDebuggerUrl"].as_str().unwrap()).await.unwrap();
        let mut browser = Self { child, socket, number: 0, _profile: profile };
        browser.call("Page.enable", json!({})).await;
        browser.call("Runtime.enable", json!({})).await;
        Some(browser)
    }

    pub(crate) async fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": url })).await;
    }

    /// The value of an expression in the page.
    pub(crate) async fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", parameters).await;
        result["result"]["value"].clone()
    }

    /// Waits until an expression in the page is true.
    pub(crate) async fn wait(&mut self, expression: &str) {
        let waited = tokio::time::timeout(PATIENCE, async {
            while self.value(&format!("Boolean({expression})")).await != json!(true) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        if waited.await.is_err() {
            let page = self.value("location.href + '\\n' + document.body.innerText").await;
            panic!("{expression} does not come true on {page}");
        }
    }

    /// A picture of the page as PNG.
    pub(crate) async fn picture(&mut self) -> Vec<u8> {
        let result = self.call("Page.captureScreenshot", json!({ "format": "png" })).await;
        STANDARD.decode(result["data"].as_str().unwrap()).unwrap()
    }

    async fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let call = json!({ "id": self.number, "method": method, "params": parameters });
        self.socket.send(Message::text(call.to_string())).await.unwrap();
        loop {
            let message = tokio::time::timeout(PATIENCE, self.socket.next()).await.unwrap().unwrap().unwrap();
            let answer: Value = serde_json::from_str(message.to_text().unwrap()).unwrap_or_default();
            if answer["id"] == self.number {
                // A page that goes away while it is asked has no answer.
                let gone = answer["error"]["message"].as_str().is_some_and(|text| text.contains("navigated"));
                assert!(answer.get("error").is_none() || gone, "{answer}");
                return answer["result"].clone();
            }
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
