//! Signing in, and two shells with one sign-in.

use platform_sandbox::Sandbox;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::support::{Shell, ended};

/// Sends a request, and returns the head of the answer.
async fn exchange(method: &str, url: &str, cookie: &str, form: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).await.unwrap();
    let request = format!(
        "{method} /{path} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\nconnection: close\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
        form.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    // A server may reset the connection after its answer.
    let _ = stream.read_to_string(&mut answer).await;
    answer
}

fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    answer.lines().find_map(|line| {
        let (own, value) = line.split_once(':')?;
        own.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// Signs a user in with the program, and plays the browser.
async fn sign_in(sandbox: &Sandbox, shell: &Shell, user: &str) {
    let words = [
        "login",
        "--base-url",
        sandbox.base_url(),
        "--issuer",
        sandbox.auth_url(),
        "--client-id",
        "platform-cli",
        "--no-browser",
        "--scope",
        "openid profile api offline_access",
    ];
    let mut child = shell.spawn(&mut shell.command(&words));
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = loop {
        let line = lines.next_line().await.unwrap().expect("the program prints an address");
        if let Some(word) = line.split_whitespace().find(|word| word.contains("/connect/authorize?")) {
            break word.to_owned();
        }
    };
    let answer = exchange("GET", &address, "", "").await;
    let login = header(&answer, "location").unwrap_or_else(|| panic!("{answer}")).to_owned();
    let back = login.split(['?', '&']).find_map(|pair| pair.strip_prefix("returnUrl=")).unwrap();
    let password = sandbox.user(user).unwrap().password();
    let encoded: String = password.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let form = format!("user={user}&password={encoded}&returnUrl={back}");
    let answer = exchange("POST", &format!("{}/account/login", sandbox.auth_url()), "", &form).await;
    let cookie = header(&answer, "set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let mut next = header(&answer, "location").unwrap().to_owned();
    for _ in 0..5 {
        let url = if next.starts_with('/') { format!("{}{next}", sandbox.base_url()) } else { next };
        let answer = exchange("GET", &url, &cookie, "").await;
        match header(&answer, "location") {
            Some(location) if url.starts_with(sandbox.base_url()) => next = location.to_owned(),
            _ => break,
        }
    }
    let run = ended(child.wait_with_output()).await;
    let mut rest = String::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        rest += &line;
    }
    assert_eq!(run.code, Some(0), "{run:?} {rest}");
}

#[tokio::test]
async fn two_shells_refresh_one_sign_in_at_once() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let shell = Shell::new();
    sign_in(&sandbox, &shell, "ada").await;
    let who = shell.line("whoami -o json").await.json();
    assert_eq!(who["profile"], "default", "{who}");
    for _ in 0..3 {
        let (one, two, three) =
            tokio::join!(shell.line("projects list"), shell.line("projects list"), shell.line("teams list --assumed"));
        assert!(one.json().is_array() && two.json().is_array() && !three.json().as_array().unwrap().is_empty());
    }
    assert_eq!(shell.line("logout").await.code, Some(0));
    shell.line("projects list").await.failure(3);
}

#[tokio::test]
async fn a_program_signs_in_with_the_file_of_its_secret() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let shell = Shell::new();
    let secret = shell.secret(&sandbox).display().to_string();
    let client = sandbox.clients()[0].client_id.clone();
    let words = [
        "login",
        "--base-url",
        sandbox.base_url(),
        "--issuer",
        sandbox.auth_url(),
        "--client-id",
        &client,
        "--secret-file",
        &secret,
    ];
    let run = shell.run(&words).await;
    let canary = std::fs::read_to_string(&secret).unwrap();
    assert!(run.code == Some(0) && !run.err.contains(&canary) && !run.out.contains(&canary), "{run:?}");
    let (one, two) = tokio::join!(shell.line("projects list"), shell.line("projects list"));
    assert_eq!((one.json(), two.json()), (Value::Array(vec![]), Value::Array(vec![])));
    let settings = shell.line("profiles show default").await.success();
    assert!(settings.contains(&secret) && !settings.contains(&canary), "{settings}");
}

/// The number of token requests since the start.
fn token_requests(sandbox: &Sandbox) -> usize {
    sandbox.requests().last().iter().filter(|request| request.path.ends_with("/connect/token")).count()
}

#[tokio::test]
async fn an_access_token_is_kept_between_commands_of_a_profile() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let mut shell = Shell::new();
    let secret = shell.secret(&sandbox).display().to_string();
    let client = sandbox.clients()[0].client_id.clone();
    let (base, issuer) = (sandbox.base_url(), sandbox.auth_url());
    let login = ["login", "--base-url", base, "--issuer", issuer, "--client-id", &client, "--secret-file", &secret];
    shell.run(&login).await.success();
    let mut before = token_requests(&sandbox);
    let mut asked = || {
        let now = token_requests(&sandbox);
        now - std::mem::replace(&mut before, now)
    };
    let first = shell.line("token").await.success();
    shell.line("projects list").await.success();
    assert_eq!(asked(), 1, "two commands, one token request");
    // The service accepts it no more.
    sandbox.issuer().rotate_key().unwrap();
    sandbox.issuer().retire_old_keys();
    let (one, two) = (shell.line("projects list").await, shell.line("projects list --verbose").await);
    assert!(one.code == Some(0) && two.code == Some(0), "{one:?} {two:?}");
    assert_eq!(asked(), 1, "a 401 leads to one new token");
    let second = shell.line("token").await.success();
    assert!(first != second && !two.err.contains(second.trim()) && asked() == 0);
    shell.run(&[&login[..], &["--profile", "other"]].concat()).await.success();
    assert_eq!(asked(), 1, "a sign-in asks for a token");
    let other = shell.line("token --profile other").await.success();
    assert!(asked() == 1 && other != second);
    shell.line("logout").await.success();
    assert!(!shell.path("state/platform/sign-ins/default").exists());
    assert!(shell.path("state/platform/sign-ins/other/access/main").exists());
    // Credentials of variables leave nothing on the disk.
    for (name, value) in [("BASE_URL", base), ("ISSUER", issuer), ("CLIENT_ID", &client), ("SECRET_FILE", &secret)] {
        shell.set(&format!("PLATFORM_{name}"), value);
    }
    shell.line("projects list").await.success();
    shell.line("projects list").await.success();
    assert_eq!(asked(), 2);
}
