//! Credentials against the sandbox's issuer, and the programs that demonstrate them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use platform_client::auth::{
    AuthorizationCode, ClientCredentials, RefreshFolder, RefreshStore, RefreshToken, SecretFile, StaticToken,
};
use platform_client::{Method, Platform, ServerSettings, Uuid};
use platform_sandbox::{ErrorStyle, Sandbox};

use crate::support::{Programs, Run, secret_files, variables};

/// Requests an address like a browser, with cookies kept by the caller: returns the status, the redirect, and the new cookie.
fn visit(method: &str, address: &str, cookie: &str, form: &str) -> (u16, Option<String>, Option<String>) {
    let rest = address.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "{method} /{path} HTTP/1.1\r\nhost: {host}\r\ncookie: {cookie}\r\ncontent-type: application/x-www-form-urlencoded\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{form}",
        form.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let header = |name: &str| {
        let mut lines = answer.lines().take_while(|line| !line.is_empty());
        lines
            .find_map(|line| line.split_once(": ").filter(|(key, _)| key.eq_ignore_ascii_case(name)))
            .map(|(_, value)| value.to_owned())
    };
    let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
    (status, header("location"), header("set-cookie").map(|cookie| cookie.split(';').next().unwrap().to_owned()))
}

/// Signs a user in at the address that a program prints, as a browser does.
fn browse(issuer: &str, address: &str, user: &str, password: &str) {
    let origin = issuer.split('/').take(3).collect::<Vec<_>>().join("/");
    let (_, login, _) = visit("GET", address, "", "");
    let login = login.unwrap();
    let back = login.split_once("returnUrl=").unwrap().1;
    let form = format!("returnUrl={back}&user={user}&password={password}");
    let (status, location, cookie) = visit("POST", &format!("{origin}{}", login.split('?').next().unwrap()), "", &form);
    assert_eq!(status, 303);
    let (_, callback, _) = visit("GET", &format!("{origin}{}", location.unwrap()), &cookie.unwrap(), "");
    let (status, ..) = visit("GET", &callback.unwrap(), "", "");
    assert_eq!(status, 200, "the program takes the code");
}

fn platform(sandbox: &Sandbox, credential: impl platform_client::auth::Credential) -> Platform {
    Platform::builder(sandbox.base_url()).credential(credential).build().unwrap()
}

async fn projects(platform: &Platform) -> Result<usize, platform_client::Error> {
    platform.projects().list_projects().await.map(|projects| projects.len())
}

#[tokio::test]
async fn an_api_token_of_the_dashboard_works() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let token = sandbox.issuer().create_api_token("cleo", "test").unwrap().unwrap();
    assert_eq!(projects(&platform(&sandbox, StaticToken::new(token))).await.unwrap(), 2);
    let error = projects(&platform(&sandbox, StaticToken::new("no-such-token"))).await.unwrap_err();
    assert!(
        error.is_unauthorized()
            && error.to_string().contains("(the token from memory, obtained 0 s ago, was not accepted"),
        "{error}"
    );
}

#[tokio::test]
async fn both_styles_of_token_errors_are_understood() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong");
    std::fs::write(&path, "wrong").unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    for style in [ErrorStyle::Duende, ErrorStyle::OpenIddict] {
        let sandbox = platform_sandbox::start().await.unwrap();
        sandbox.issuer().set_error_style(style);
        let client =
            platform(&sandbox, ClientCredentials::new(sandbox.auth_url(), "aurora-automation", SecretFile::new(&path)));
        for _ in 0..20 {
            let error = projects(&client).await.unwrap_err();
            assert!(error.is_token() && error.to_string().contains("invalid_client"), "{error}");
        }
        assert_eq!(sandbox.requests().count("POST", "/identity/connect/token"), 1, "a wrong secret is not hammered");
        let right = sandbox.client("aurora-automation").unwrap().secret();
        std::fs::write(&path, right).unwrap();
        projects(&client).await.unwrap();
        std::fs::write(&path, "wrong").unwrap();
    }
}

#[tokio::test]
async fn a_sign_in_gives_a_refresh_token_that_outlives_the_program() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let password = sandbox.user("cleo").unwrap().password().to_owned();
    let issuer = sandbox.auth_url().to_owned();
    let credential = || {
        AuthorizationCode::new(sandbox.auth_url(), "platform-cli")
            .scope("api offline_access")
            .store(RefreshFolder::new(folder.path().join("t")))
    };
    let signs_in = credential().open_with(move |address| {
        let (issuer, address, password) = (issuer.clone(), address.to_owned(), password.clone());
        std::thread::spawn(move || browse(&issuer, &address, "cleo", &password));
    });
    let first = platform(&sandbox, signs_in);
    assert_eq!(projects(&first).await.unwrap(), 2);
    drop(first);
    // Each run after it refreshes the token, and none asks the user.
    for _ in 0..3 {
        let later = platform(&sandbox, credential().open_with(|_| panic!("nobody is asked")));
        assert_eq!(projects(&later).await.unwrap(), 2);
    }
    // The same entry works with the refresh-token grant by itself.
    let refresh = RefreshToken::new(sandbox.auth_url(), "platform-cli", RefreshFolder::new(folder.path().join("t")));
    let refresh = refresh.scope("api offline_access");
    assert!(RefreshFolder::new(folder.path().join("t")).load(&refresh.key()).unwrap().is_some());
    assert_eq!(projects(&platform(&sandbox, refresh)).await.unwrap(), 2);
    sandbox.issuer().revoke_refresh_tokens().unwrap();
    let over = RefreshToken::new(sandbox.auth_url(), "platform-cli", RefreshFolder::new(folder.path().join("t")));
    let error = projects(&platform(&sandbox, over.scope("api offline_access"))).await.unwrap_err();
    assert!(error.to_string().contains("sign in again"), "{error}");
}

#[tokio::test]
async fn the_compliance_server_takes_its_own_tokens_only() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let credential = |id: &str| {
        ClientCredentials::new(sandbox.auth_url(), id, SecretFile::new(secrets.path().join(format!("{id}.secret"))))
    };
    let team = sandbox.team().id;
    let with = |id: &str, team: Uuid| {
        let server = ServerSettings::new(sandbox.compliance_url())
            .credential(credential(id))
            .required_claim(["team_id", "tenant_id"], team);
        let main = Platform::builder(sandbox.base_url()).credential(credential("borealis-automation"));
        main.server("compliance", server).build().unwrap()
    };
    let frameworks = async |id: &str| {
        let platform = with(id, team);
        platform.compliance_server().unwrap().request(Method::Get, "/api/compliance/v1/frameworks").send().await
    };
    for id in ["aurora-automation", "aurora-tenant"] {
        assert!(frameworks(id).await.unwrap().status().is_success(), "{id}");
    }
    sandbox.requests().clear();
    let error = frameworks("borealis-automation").await.unwrap_err();
    assert!(!error.was_sent() && error.to_string().contains(&team.to_string()), "{error}");
    assert_eq!(sandbox.requests().count("GET", "/api/compliance/v1/frameworks"), 0);
    // A token without the claim is sent, and the server decides.
    let error = frameworks("aurora-plain").await.unwrap_err();
    assert!(error.is_forbidden(), "{error}");
}

/// The variables that `cargo xtask sandbox` prints, and those of the compliance resource server.
fn both_servers(sandbox: &Sandbox, secrets: &std::path::Path) -> Vec<(&'static str, String)> {
    let mut both = variables(sandbox, secrets);
    let secret = both[3].1.clone();
    both.extend([
        ("PLATFORM_COMPLIANCE_URL", sandbox.compliance_url().to_owned()),
        ("PLATFORM_COMPLIANCE_ISSUER", sandbox.auth_url().to_owned()),
        ("PLATFORM_COMPLIANCE_CLIENT_ID", sandbox.clients()[0].client_id.clone()),
        ("PLATFORM_COMPLIANCE_SECRET_FILE", secret),
        ("PLATFORM_TEAM_ID", sandbox.team().id.to_string()),
    ]);
    both
}

async fn run(name: &'static str, arguments: Vec<String>, variables: Vec<(&'static str, String)>) -> Run {
    let run = move || Programs::get().command(name).args(arguments).envs(variables).output().unwrap().into();
    tokio::task::spawn_blocking(run).await.unwrap()
}

/// Other users of a machine can read the arguments of a program, so none may be a token.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn no_secret_is_an_argument() {
    const PROJECTS: &str = "/api/projects/v1/projects";
    let sandbox = platform_sandbox::start().await.unwrap();
    sandbox.faults().always(PROJECTS, "latency=60000".parse().unwrap()).unwrap();
    let client = &sandbox.clients()[0];
    let mut command = Programs::get().command("list_projects");
    let mut child = command
        .env("PLATFORM_BASE_URL", sandbox.base_url())
        .env("PLATFORM_ISSUER", sandbox.auth_url())
        .env("PLATFORM_CLIENT_ID", &client.client_id)
        .env("PLATFORM_CLIENT_SECRET", client.secret())
        .spawn()
        .unwrap();
    while sandbox.requests().count("GET", PROJECTS) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it was answered");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let seen = std::fs::read(format!("/proc/{}/cmdline", child.id())).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let seen = String::from_utf8(seen).unwrap();
    assert!(seen.contains("list_projects") && !seen.contains(client.secret()), "{seen}");
    assert_eq!(seen.split_terminator('\0').count(), 1, "{seen}");
}

#[tokio::test]
async fn the_program_that_creates_a_project() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let variables = both_servers(&sandbox, secrets.path());
    let team = sandbox.team();
    let arguments = vec![team.id.to_string(), team.billing_account_id.to_string(), "Altair".to_owned()];
    let made = run("create_project", arguments, variables.clone()).await;
    assert!(made.code == Some(0) && made.stdout.contains("Altair"), "{made:?}");
    assert_eq!(sandbox.requests().count("POST", "/api/projects/v1/projects"), 1);
    let other = vec![sandbox.other_team().id.to_string(), team.billing_account_id.to_string(), "Altair".to_owned()];
    let refused = run("create_project", other, variables.clone()).await;
    assert!(refused.code != Some(0) && !refused.stderr.contains("panicked"), "{refused:?}");
    assert!(run("create_project", vec![], variables).await.stderr.contains("usage"));
}

#[tokio::test]
async fn the_program_that_calls_the_compliance_server() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let secrets = secret_files(&sandbox);
    let mut variables = both_servers(&sandbox, secrets.path());
    let path = || vec!["/api/compliance/v1/frameworks".to_owned()];
    let read = run("compliance_call", path(), variables.clone()).await;
    assert_eq!(read.code, Some(0), "{read:?}");
    variables.retain(|(name, _)| *name != "PLATFORM_TEAM_ID");
    variables.push(("PLATFORM_TEAM_ID", sandbox.other_team().id.to_string()));
    let refused = run("compliance_call", path(), variables).await;
    assert!(refused.code != Some(0) && refused.stderr.contains("nothing was sent"), "{refused:?}");
}

#[tokio::test]
async fn the_program_that_signs_in() {
    let sandbox = platform_sandbox::start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let password = sandbox.user("ada").unwrap().password().to_owned();
    let issuer = sandbox.auth_url().to_owned();
    let variables = vec![
        ("PLATFORM_BASE_URL", sandbox.base_url().to_owned()),
        ("PLATFORM_ISSUER", issuer.clone()),
        ("PLATFORM_CLIENT_ID", "platform-cli".to_owned()),
        ("PLATFORM_SCOPE", "api offline_access".to_owned()),
        ("PLATFORM_PRINT_ADDRESS", "1".to_owned()),
    ];
    let place = folder.path().join("tokens").display().to_string();
    let (arguments, again) = (vec![place.clone()], (vec![place], variables.clone()));
    let first = tokio::task::spawn_blocking(move || {
        let mut command = Programs::get().command("sign_in");
        let command = command.args(arguments).envs(variables).stderr(Stdio::piped()).stdout(Stdio::piped());
        let mut program = command.spawn().unwrap();
        let mut lines = BufReader::new(program.stderr.take().unwrap()).lines();
        let address =
            lines.find_map(|line| line.unwrap().trim().strip_prefix("http").map(|rest| format!("http{rest}")));
        browse(&issuer, &address.unwrap(), "ada", &password);
        std::thread::spawn(move || lines.for_each(drop));
        Run::from(program.wait_with_output().unwrap())
    })
    .await
    .unwrap();
    assert_eq!(first.code, Some(0), "{first:?}");
    let id = sandbox.user("ada").unwrap().id.to_string();
    assert!(
        first.stdout.contains("Obtained") && first.stdout.contains(&id) && first.stdout.contains("200"),
        "{first:?}"
    );
    let second = run("sign_in", again.0, again.1).await;
    assert!(second.code == Some(0) && !second.stderr.contains("http"), "the second run asks nobody: {second:?}");
}
