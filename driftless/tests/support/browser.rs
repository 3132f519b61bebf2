//! A headless Chromium, driven over the Chrome DevTools Protocol through a pipe.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(120);

/// A browser with one page.
pub(crate) struct Browser {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
    number: u64,
    session: Option<String>,
    /// The requests of the page, but for itself.
    pub(crate) requests: Vec<String>,
    /// Errors and warnings of its scripts, of its style, and of its policy.
    pub(crate) complaints: Vec<String>,
    _profile: TempDir,
}

impl Browser {
    /// Starts Chromium; `None` if it is not installed.
    pub(crate) fn start() -> Option<Self> {
        Command::new("chromium").arg("--version").output().ok()?;
        let profile = tempfile::tempdir().expect("a folder");
        // The browser reads its file 3, and writes its file 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec chromium \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null", "chromium"])
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--hide-scrollbars"])
            .args(["--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh runs");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, answers) = channel();
        thread::spawn(move || {
            for message in output.split(0).map_while(Result::ok) {
                let answer = serde_json::from_slice(&message).unwrap_or_default();
                if sender.send(answer).is_err() {
                    return;
                }
            }
        });
        let mut browser = Self {
            child,
            input,
            answers,
            number: 0,
            session: None,
            requests: Vec::new(),
            complaints: Vec::new(),
            _profile: profile,
        };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Opens a page and waits until it is there.
    pub(crate) fn open(&mut self, url: &str) {
        // Chromium does not load a page again when only the fragment changes, so it leaves the page first.
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.wait("location.href === 'about:blank'");
        self.call("Page.navigate", json!({ "url": url }));
        self.wait("location.href !== 'about:blank' && document.readyState === 'complete'");
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let result = self.call("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(result.get("exceptionDetails").is_none(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Asserts that an expression in the page comes true.
    #[track_caller]
    pub(crate) fn wait(&mut self, expression: &str) {
        for _ in 0..500 {
            if self.value(&format!("Boolean({expression})")) == json!(true) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let page = self.value("location.href + '\\n' + document.body.innerText");
        panic!("{expression} does not come true on {page}");
    }

    /// Presses a key: `/`, `Tab`, `Enter`, `Escape`, a space.
    pub(crate) fn press(&mut self, key: &str) {
        let (code, number, text) = match key {
            "Tab" => ("Tab", 9, ""),
            "Enter" => ("Enter", 13, "\r"),
            "Escape" => ("Escape", 27, ""),
            " " => ("Space", 32, " "),
            "/" => ("Slash", 191, "/"),
            _ => panic!("the key {key}"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({ "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number });
            if kind == "keyDown" && !text.is_empty() {
                event["text"] = text.into();
            }
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// Types a text where the focus is.
    pub(crate) fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// The size of the window, and whether it is a phone's.
    pub(crate) fn size(&mut self, width: u32, height: u32, mobile: bool) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// The colours that the system asks for: `light` or `dark`.
    pub(crate) fn colours(&mut self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
    }

    /// A picture of the window as PNG.
    pub(crate) fn picture(&mut self) -> Vec<u8> {
        let result = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        STANDARD.decode(result["data"].as_str().expect("a picture")).expect("base64")
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut call = json!({ "id": self.number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            call["sessionId"] = session.as_str().into();
        }
        self.input.write_all(format!("{call}\0").as_bytes()).and_then(|()| self.input.flush()).expect("sent");
        loop {
            let answer = self.answers.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{method}: {error}"));
            if answer["id"] == self.number {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.event(&answer);
        }
    }

    fn event(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Network.requestWillBeSent" if parameters["type"] != "Document" => {
                self.requests.push(parameters["request"]["url"].to_string());
            }
            "Runtime.exceptionThrown" => self.complaints.push(parameters["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled"
                if ["error", "warning", "assert"].iter().any(|kind| parameters["type"] == *kind) =>
            {
                self.complaints.push(parameters["args"].to_string());
            }
            "Log.entryAdded" => self.complaints.push(parameters["entry"]["text"].to_string()),
            _ => {}
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
