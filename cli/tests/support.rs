//! A shell with a home of its own, in which the program runs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::sync::{Arc, Mutex};

use platform_sandbox::Sandbox;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

/// A home folder, and the variables of the program.
pub(crate) struct Shell {
    home: TempDir,
    variables: BTreeMap<String, OsString>,
}

/// The end of a command.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A command that hangs fails the test instead of the whole run.
pub(crate) async fn ended(output: impl Future<Output = std::io::Result<Output>>) -> Run {
    let limit = std::time::Duration::from_secs(60);
    tokio::time::timeout(limit, output).await.expect("the command hangs").unwrap().into()
}

impl Run {
    /// Standard output of a command that has succeeded.
    #[track_caller]
    pub(crate) fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.out
    }

    /// The JSON text that a command has printed.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let out = self.success();
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    /// Standard error of a command that has ended with this code, and has printed nothing else.
    #[track_caller]
    pub(crate) fn failure(self, code: i32) -> String {
        assert_eq!((self.code, self.out.as_str()), (Some(code), ""), "{self:?}");
        assert!(!self.err.contains('\u{1b}') && self.err.lines().count() < 12, "{}", self.err);
        self.err
    }
}

impl Shell {
    /// A shell without any configuration.
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut variables = BTreeMap::from([("HOME".to_owned(), home.path().into())]);
        for (name, folder) in [
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_DATA_HOME", "data"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_RUNTIME_DIR", "run"),
            ("TMPDIR", "tmp"),
        ] {
            std::fs::create_dir(home.path().join(folder)).unwrap();
            variables.insert(name.to_owned(), home.path().join(folder).into());
        }
        variables.insert("COLUMNS".to_owned(), "100".into());
        if let Some(path) = std::env::var_os("PATH") {
            variables.insert("PATH".to_owned(), path);
        }
        Self { home, variables }
    }

    /// A shell with the variables for the first client of a sandbox.
    pub(crate) fn signed_in(sandbox: &Sandbox) -> Self {
        let mut shell = Self::new();
        shell.set("PLATFORM_BASE_URL", sandbox.base_url());
        shell.set("PLATFORM_ISSUER", sandbox.auth_url());
        shell.set("PLATFORM_CLIENT_ID", &sandbox.clients()[0].client_id);
        shell.set("PLATFORM_SECRET_FILE", shell.secret(sandbox));
        shell
    }

    /// The file with the secret of a sandbox's first client.
    pub(crate) fn secret(&self, sandbox: &Sandbox) -> PathBuf {
        let folder = self.path("secrets");
        sandbox.write_secret_files(&folder).unwrap();
        folder.join(format!("{}.secret", sandbox.clients()[0].client_id))
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.insert(name.to_owned(), value.into());
    }

    /// A path in the home folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes a file that only its owner reads.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt as _;

        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path.display().to_string()
    }

    /// A program in this shell.
    pub(crate) fn program(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.env_clear().envs(&self.variables).current_dir(self.home.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        command
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_platform"));
        command.args(words);
        command
    }

    /// Runs the program with these words.
    pub(crate) async fn run(&self, words: &[&str]) -> Run {
        ended(self.command(words).output()).await
    }

    /// Runs a command line without quotes.
    pub(crate) async fn line(&self, line: &str) -> Run {
        self.run(&line.split_whitespace().collect::<Vec<_>>()).await
    }

    /// Runs the program with a text on standard input.
    pub(crate) async fn with_input(&self, words: &[&str], input: &str) -> Run {
        let mut child = self.spawn(self.command(words).stdin(Stdio::piped()));
        let mut stdin = child.stdin.take().unwrap();
        let write = async {
            // A program may end before it has read all.
            let _ = stdin.write_all(input.as_bytes()).await;
            drop(stdin);
        };
        let (_, run) = tokio::join!(write, ended(child.wait_with_output()));
        run
    }

    pub(crate) fn spawn(&self, command: &mut Command) -> Child {
        command.spawn().unwrap()
    }
}

/// A service on loopback with answers of a test.
pub(crate) struct Service {
    url: String,
    requests: Arc<Mutex<Vec<String>>>,
    _task: AbortOnDrop,
}

struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Service {
    /// A shell with a token for the service.
    pub(crate) fn shell(&self) -> Shell {
        let mut shell = Shell::new();
        shell.set("PLATFORM_BASE_URL", &self.url);
        shell.set("PLATFORM_TOKEN", "canary-of-a-token");
        shell
    }

    /// The heads of the requests.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Starts a service that answers each request with a status, a media type and a body.
pub(crate) async fn answers(answer: impl Fn(&str) -> (u16, &'static str, String) + Send + Sync + 'static) -> Service {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::<Mutex<Vec<String>>>::default();
    let log = Arc::clone(&requests);
    let answer = Arc::new(answer);
    let task = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
            tokio::spawn(async move {
                let mut read = Vec::new();
                let mut part = [0; 4096];
                let end = loop {
                    match stream.read(&mut part).await {
                        Ok(length) if length > 0 => read.extend_from_slice(&part[..length]),
                        _ => return,
                    }
                    if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                        break end + 4;
                    }
                };
                let head = String::from_utf8_lossy(&read[..end]).into_owned();
                let length = head
                    .to_ascii_lowercase()
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
                while read.len() < end + length.unwrap_or(0) {
                    match stream.read(&mut part).await {
                        Ok(length) if length > 0 => read.extend_from_slice(&part[..length]),
                        _ => return,
                    }
                }
                let (status, media_type, body) = answer(&head);
                log.lock().unwrap().push(head);
                let head = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await;
            });
        }
    });
    Service { url, requests, _task: AbortOnDrop(task) }
}

/// Waits until a condition of the sandbox or of a file is true.
pub(crate) async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    for _ in 0..3000 {
        if condition() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("never: {what}");
}
