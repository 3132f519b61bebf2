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
