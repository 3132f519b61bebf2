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

/// The time for one look at the page while it is waited for.
const QUESTION: Duration = Duration::from_secs(5);

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    number: u64,
    /// Errors of the page's scripts and of its policy. A refused request does not count.
    pub(crate) complaints: Vec<String>,
    /// The addresses that the page asked for.
    pub(crate) requests: Vec<String>,
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
                "--hide-scrollbars",
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
        // Chromium continues to write, and must not block.
        std::thread::spawn(move || lines.for_each(drop));
        let host = address.split('/').next().unwrap();
        let pages: Value =
            crate::support::fetch(format!("http://{host}/json/list")).await.unwrap().json().await.unwrap();
        let page = pages.as_array().unwrap().iter().find(|page| page["type"] == "page").unwrap();
        let (socket, _) = connect_async(page["webSocketDebuggerUrl"].as_str().unwrap()).await.unwrap();
        let mut browser =
            Self { child, socket, number: 0, complaints: Vec::new(), requests: Vec::new(), _profile: profile };
        browser.call("Page.enable", json!({})).await;
        for domain in ["Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({})).await;
        }
        Some(browser)
    }

    /// Loads a page anew: Chromium would not reload it if only the fragment differs.
    pub(crate) async fn open(&mut self, url: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" })).await;
        self.wait("location.href === 'about:blank'").await;
        self.call("Page.navigate", json!({ "url": url })).await;
        self.wait("location.href !== 'about:blank' && document.readyState === 'complete'").await;
    }

    /// The value of an expression in the page.
    pub(crate) async fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.call("Runtime.evaluate", parameters).await;
        // While a page unloads, an expression may fail.
        if let Some(thrown) = result.get("exceptionDetails").filter(|_| !expression.starts_with("Boolean(")) {
            panic!("{expression}: {thrown}");
        }
        result["result"]["value"].clone()
    }

    /// Clicks on the element of a selector.
    pub(crate) async fn click(&mut self, selector: &str) {
        let element = format!("document.querySelector({})", json!(selector));
        self.wait(&element).await;
        self.value(&format!("{element}.click()")).await;
    }

    /// Sets the value of the field of a selector, as typing would.
    pub(crate) async fn fill(&mut self, selector: &str, value: &str) {
        let field = format!("document.querySelector({})", json!(selector));
        self.wait(&field).await;
        let fill = format!(
            "{field}.value = {}; {field}.dispatchEvent(new Event('input', {{ bubbles: true }})); \
             {field}.dispatchEvent(new Event('change', {{ bubbles: true }}))",
            json!(value)
        );
        self.value(&fill).await;
    }

    /// Waits until the element of a selector contains a text.
    pub(crate) async fn wait_text(&mut self, selector: &str, text: &str) {
        self.wait(&format!("document.querySelector({})?.textContent.includes({})", json!(selector), json!(text))).await;
    }

    pub(crate) async fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({}).textContent", json!(selector))).await;
        text.as_str().unwrap().to_owned()
    }

    /// Presses a key at the focused element.
    pub(crate) async fn press(&mut self, key: &str) {
        let (code, number, text) = match key {
            "Tab" | "Shift+Tab" => ("Tab", 9, ""),
            "Enter" => ("Enter", 13, "\r"),
            "Escape" => ("Escape", 27, ""),
            "ArrowDown" => ("ArrowDown", 40, ""),
            "ArrowUp" => ("ArrowUp", 38, ""),
            " " => ("Space", 32, " "),
            "/" => ("Slash", 191, "/"),
            "?" => ("Slash", 191, "?"),
            _ => panic!("the key {key}"),
        };
        let name = key.trim_start_matches("Shift+");
        let modifiers = if name == key { 0 } else { 8 };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({
                "type": kind, "key": name, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers,
            });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", event).await;
        }
    }

    /// Presses Tab until the element of a selector has the focus. Returns the number of presses.
    pub(crate) async fn tab_to(&mut self, selector: &str) -> usize {
        for steps in 0..200 {
            if self.value(&format!("document.activeElement.matches({})", json!(selector))).await == json!(true) {
                return steps;
            }
            self.press("Tab").await;
        }
        panic!("{selector} cannot be reached with Tab");
    }

    /// Types a text at the focused element.
    pub(crate) async fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text })).await;
    }

    /// Sets the size of the window, and whether it is a phone's.
    pub(crate) async fn size(&mut self, width: u32, height: u32, mobile: bool) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.call("Emulation.setDeviceMetricsOverride", metrics).await;
    }

    /// Sets the preferred colour scheme: `light` or `dark`.
    pub(crate) async fn colours(&mut self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] })).await;
    }

    /// Waits until an expression in the page is true.
    pub(crate) async fn wait(&mut self, expression: &str) {
        let waited = tokio::time::timeout(PATIENCE, async {
            // While a page is replaced by one of another process, an answer can get lost: the question is asked again.
            while tokio::time::timeout(QUESTION, self.value(&format!("Boolean({expression})"))).await != Ok(json!(true))
            {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        if waited.await.is_err() {
            let page = self.value("location.href + '\\n' + document.body.innerText").await;
            panic!("{expression} does not come true on {page}");
        }
    }

    /// A picture of the page as PNG, in base64.
    pub(crate) async fn picture_text(&mut self) -> String {
        let result = self.call("Page.captureScreenshot", json!({ "format": "png" })).await;
        result["data"].as_str().unwrap().to_owned()
    }

    async fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let call = json!({ "id": self.number, "method": method, "params": parameters });
        self.socket.send(Message::text(call.to_string())).await.unwrap();
        loop {
            let message = tokio::time::timeout(PATIENCE, self.socket.next()).await.unwrap().unwrap().unwrap();
            let answer: Value = serde_json::from_str(message.to_text().unwrap()).unwrap_or_default();
            if answer["id"] == self.number {
                // A page that unloads during the request has no answer.
                let gone = answer["error"]["message"].as_str().is_some_and(|text| text.contains("navigated"));
                assert!(answer.get("error").is_none() || gone, "{answer}");
                return answer["result"].clone();
            }
            self.hear(&answer);
        }
    }

    fn hear(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => self.complaints.push(parameters["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if parameters["type"] == "error" => {
                let text = parameters["args"].to_string();
                // A message of Swagger UI for developers.
                if !text.contains("escaping deep link whitespace") {
                    self.complaints.push(text);
                }
            }
            "Log.entryAdded"
                if parameters["entry"]["source"] != "network" && parameters["entry"]["level"] == "error" =>
            {
                self.complaints.push(parameters["entry"]["text"].to_string());
            }
            "Network.requestWillBeSent" => {
                self.requests.push(parameters["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
            _ => {}
        }
    }
}

pub(crate) fn decoded(text: &str) -> Vec<u8> {
    STANDARD.decode(text).unwrap()
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
