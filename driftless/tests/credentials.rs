//! The token for the download: client credentials, and the file that holds the secret.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use crate::support;
use crate::support::server::{Request, Response, Server};
use crate::support::{Run, Workspace, contract};

const SECRET: &str = "s3cr3t&=+ value";

/// A deployment and its issuer in one, with the issuer below `/auth`.
fn deployment(secret: &'static str, discovery: bool) -> Server {
    Server::start_at(|url| {
        let url = url.to_owned();
        move |request: &Request| match request.path.as_str() {
            "/auth/.well-known/openid-configuration" if discovery => {
                Response::json(format!("{{\"issuer\":\"{url}/auth\",\"token_endpoint\":\"{url}/auth/oauth/token\"}}"))
            }
            "/auth/connect/token" | "/auth/oauth/token" => token(request, secret),
            "/swagger/v1/swagger.json" if request.header("authorization") == Some("Bearer tok-2718") => {
                Response::json(contract::small())
            }
            "/swagger/v1/swagger.json" => Response::status(401),
            _ => Response::status(404),
        }
    })
}

fn token(request: &Request, secret: &str) -> Response {
    let form: Vec<(String, String)> = url::form_urlencoded::parse(request.body.as_bytes()).into_owned().collect();
    let field = |name: &str| form.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    assert_eq!(request.method, "POST");
    assert_eq!(request.header("content-type"), Some("application/x-www-form-urlencoded"));
    assert_eq!(field("grant_type"), Some("client_credentials"));
    assert_eq!(field("scope"), Some("api"));
    if field("client_id") == Some("builder") && field("client_secret") == Some(secret) {
        return Response::json("{\"access_token\":\"tok-2718\",\"expires_in\":3600,\"token_type\":\"Bearer\"}");
    }
    // The worst that a server can do: it repeats the secret.
    let echo = field("client_secret").unwrap_or_default();
    let body = format!("{{\"error\":\"invalid_client\",\"error_description\":\"unknown secret {echo}\"}}");
    Response::new(400, "application/json", body)
}

fn secret_file(workspace: &Workspace, mode: u32) -> PathBuf {
    let path = workspace.path("secret");
    fs::write(&path, format!("{SECRET}\n")).expect("written");
    fs::set_permissions(&path, Permissions::from_mode(mode)).expect("set");
    path
}

fn run(workspace: &Workspace, server: &Server, secret_file: &str) -> Run {
    let issuer = format!("{}/auth", server.url());
    let environment =
        [("TEST_ISSUER", issuer.as_str()), ("TEST_CLIENT_ID", "builder"), ("TEST_SECRET_FILE", secret_file)];
    let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &environment);
    assert!(!run.stdout.contains("s3cr3t") && !run.stderr.contains("s3cr3t"), "{run:?}");
    assert!(!run.stdout.contains("tok-2718") && !run.stderr.contains("tok-2718"), "{run:?}");
    run
}

#[test]
fn the_secret_gets_a_token_and_the_token_gets_the_contract() {
    for discovery in [true, false] {
        let workspace = Workspace::new();
        let server = deployment(SECRET, discovery);
        let file = secret_file(&workspace, 0o600);
        run(&workspace, &server, &file.to_string_lossy()).succeeds(&["new"]);
        let endpoint = if discovery { "/auth/oauth/token" } else { "/auth/connect/token" };
        assert!(server.paths().contains(&endpoint.to_owned()), "{:?}", server.paths());
        let outside = |path: &str| path != "secret";
        for (path, content) in workspace.tree().into_iter().filter(|(path, _)| outside(path)) {
            let text = String::from_utf8_lossy(&content).into_owned();
            assert!(!text.contains("s3cr3t") && !text.contains("tok-2718"), "{path}");
        }
    }
}

#[test]
fn a_wrong_secret_is_said_without_showing_it() {
    let workspace = Workspace::pinned();
    let before = workspace.tree();
    let server = deployment("another", true);
    let file = secret_file(&workspace, 0o600);
    let run = run(&workspace, &server, &file.to_string_lossy());
    run.fails(3, &["token/refused", "invalid_client", "the secret in the file", "builder", "--offline"]);
    fs::remove_file(file).expect("removed");
    assert_eq!(workspace.tree(), before);
}

/// A long secret is not shown in part, a short one takes no part of the issuer's words away.
#[test]
fn a_secret_of_any_length_that_the_issuer_repeats_is_not_shown() {
    for (secret, part) in
        [("correct-horse-battery-staple-".repeat(10), "invalid_client"), ("i".to_owned(), "invalid_client")]
    {
        let workspace = Workspace::pinned();
        let server = deployment("another", true);
        let file = secret_file(&workspace, 0o600);
        fs::write(&file, &secret).expect("written");
        let run = run(&workspace, &server, &file.to_string_lossy());
        run.fails(3, &["token/refused", part]);
        assert!(!run.stderr.contains("correct-horse") && !run.stderr.contains("unknown secret i"), "{run:?}");
    }
}

#[test]
fn an_issuer_that_is_down_is_said() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let workspace = Workspace::pinned();
    let server = deployment(SECRET, true);
    let file = secret_file(&workspace, 0o600);
    let (issuer, file) = (format!("http://{address}"), file.to_string_lossy().into_owned());
    let environment = [("TEST_ISSUER", issuer.as_str()), ("TEST_CLIENT_ID", "builder"), ("TEST_SECRET_FILE", &file)];
    let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &environment);
    run.fails(3, &["identity issuer", "download/connect", "--offline"]);
    assert!(server.requests().is_empty(), "nothing is asked without a token");
}

#[test]
fn a_discovery_document_that_names_another_issuer_gets_no_secret() {
    for (issuer, endpoint) in [("https://other.invalid", "SELF/token"), ("SELF", "https://other.invalid/token")] {
        let server = Server::start_at(|url| {
            let text = format!("{{\"issuer\":\"{issuer}\",\"token_endpoint\":\"{endpoint}\"}}");
            let text = text.replace("SELF", &format!("{url}/auth"));
            move |_: &Request| Response::json(text.clone())
        });
        let workspace = Workspace::pinned();
        let file = secret_file(&workspace, 0o600);
        run(&workspace, &server, &file.to_string_lossy()).fails(3, &["token/discovery"]);
        assert_eq!(server.paths(), ["/auth/.well-known/openid-configuration"]);
    }
}

#[test]
fn a_secret_file_that_breaks_a_rule_is_refused_with_the_command_that_mends_it() {
    let workspace = Workspace::pinned();
    let server = deployment(SECRET, true);
    let missing = workspace.path("missing").to_string_lossy().into_owned();
    run(&workspace, &server, &missing).fails(5, &["secret/missing", &missing, "umask 077"]);

    let file = secret_file(&workspace, 0o644);
    let path = file.to_string_lossy().into_owned();
    run(&workspace, &server, &path).fails(5, &["secret/permissions", "0644", &format!("chmod 600 '{path}'")]);

    fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("set");
    let link = workspace.path("link");
    symlink(&file, &link).expect("linked");
    run(&workspace, &server, &link.to_string_lossy()).fails(5, &["secret/link", "readlink -f"]);
    assert!(server.requests().is_empty());
}

#[test]
fn a_secret_that_a_container_mounts_is_read_where_a_variable_says_so() {
    let server = deployment(SECRET, true);
    let issuer = format!("{}/auth", server.url());
    let workspace = Workspace::new();
    let file = secret_file(&workspace, 0o444);
    let link = workspace.path("link");
    symlink(&file, &link).expect("linked");
    let run = |path: &std::path::Path, mounted: &str| {
        let path = path.to_string_lossy();
        let environment = [
            ("TEST_ISSUER", issuer.as_str()),
            ("TEST_CLIENT_ID", "builder"),
            ("TEST_SECRET_FILE", &path),
            ("TEST_SECRET_FILE_MOUNTED", mounted),
        ];
        workspace.run_with(&["regenerate", "--base-url", &server.url()], &environment)
    };
    for mounted in ["", "0"] {
        run(&file, mounted)
            .fails(5, &["secret/permissions", "if a container mounts it: set TEST_SECRET_FILE_MOUNTED=1"]);
        run(&link, mounted).fails(5, &["secret/link", "if a container mounts it: set TEST_SECRET_FILE_MOUNTED=1"]);
    }
    run(&file, "yes").fails(5, &["`TEST_SECRET_FILE_MOUNTED` is neither 0 nor 1"]);
    assert!(server.requests().is_empty());
    run(&file, "1").succeeds(&["new"]);
    run(&link, "1").succeeds(&["unchanged"]);
    // The file of the configuration says it, and the variable says otherwise.
    workspace
        .write("specs/codegen.toml", &support::CONFIGURATION.replace("scope =", "secret_file_mounted = true\nscope ="));
    run(&link, "").succeeds(&["unchanged"]);
    run(&link, "0").fails(5, &["secret/link"]);
}

/// The variables of a program are those of the download, and the keys say the same.
#[test]
fn every_way_of_a_program_gets_the_contract() {
    let workspace = Workspace::new();
    let secret = secret_file(&workspace, 0o600);
    let token = workspace.path("token");
    fs::write(&token, "tok-2718\n").expect("written");
    fs::set_permissions(&token, Permissions::from_mode(0o600)).expect("set");
    let (secret, token) = (secret.to_string_lossy(), token.to_string_lossy());
    let server = deployment(SECRET, true);
    let (issuer, endpoint) = (format!("{}/auth", server.url()), format!("{}/auth/connect/token", server.url()));
    let client = format!("issuer = {issuer:?}\nclient_id = \"builder\"\n");
    let with_secret = format!("{client}secret_file = {secret:?}\n");
    let print = format!("token_command = [\"cat\", {token:?}]\n");
    for (keys, variables, asked) in [
        ("", vec![("TEST_TOKEN", "tok-2718")], ""),
        // As `$(cat …)` of other shells and secrets of containers have it.
        ("", vec![("TEST_TOKEN", "tok-2718\n")], ""),
        ("", vec![("TEST_TOKEN_FILE", &*token)], ""),
        (&*print, vec![], ""),
        ("token_env = \"OWN_TOKEN\"\n", vec![("OWN_TOKEN", "tok-2718")], ""),
        (&*with_secret, vec![], "/auth/oauth/token"),
        (&*client, vec![("TEST_CLIENT_SECRET", SECRET)], "/auth/oauth/token"),
        (&*with_secret, vec![("TEST_TOKEN_ENDPOINT", &*endpoint)], "/auth/connect/token"),
        (&*with_secret, vec![("TEST_AUDIENCE", "service")], "/auth/oauth/token"),
        // A variable takes the place of a key.
        (&*with_secret, vec![("TEST_TOKEN", "tok-2718")], ""),
        (&*print, vec![("TEST_TOKEN_FILE", &*token)], ""),
    ] {
        // A scope is for a client, and not for a token among the keys.
        let scope = if keys.starts_with("token_") { "" } else { "scope = \"api\"\n" };
        let configuration = support::CONFIGURATION.replace("scope = \"api\"\n", &format!("{keys}{scope}"));
        workspace.write("specs/codegen.toml", &configuration);
        let before = server.requests().len();
        let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &variables);
        run.succeeds(&["getting a token", "contract  "]);
        let requests: Vec<Request> = server.requests().into_iter().skip(before).collect();
        let forms: Vec<&Request> = requests.iter().filter(|request| request.method == "POST").collect();
        let paths: Vec<&str> =
            forms.iter().map(|form| form.path.as_str()).filter(|path| path.contains("token")).collect();
        assert_eq!(paths.concat(), asked, "{keys:?} {variables:?}");
        let has_audience = forms.iter().any(|form| form.body.contains("audience=service"));
        assert_eq!(has_audience, variables.iter().any(|(name, _)| *name == "TEST_AUDIENCE"));
        assert!(!format!("{run:?}").contains("tok-2718"), "{run:?}");
    }
}

#[test]
fn credentials_that_contradict_each_other_are_named() {
    let workspace = Workspace::pinned();
    let server = deployment(SECRET, true);
    for (variables, words) in [
        (
            vec![("TEST_TOKEN", "a"), ("TEST_TOKEN_FILE", "b")],
            &["`TEST_TOKEN`, `TEST_TOKEN_FILE` are several sources of one token", "keep one"][..],
        ),
        (
            vec![("TEST_TOKEN", "a"), ("TEST_AUDIENCE", "service")],
            &["`TEST_TOKEN` gives a token, and `TEST_AUDIENCE` would not be used"],
        ),
        (vec![("TEST_AUDIENCE", "service")], &["`TEST_AUDIENCE` would not be used", "set TEST_ISSUER", "or unset"]),
        (vec![("TEST_FOLLOW_LINKS", "1")], &["`TEST_FOLLOW_LINKS` would not be used: it is for protected files"]),
        (
            vec![("TEST_TOKEN", "a"), ("TEST_CLIENT_SECRET", "b")],
            &["`TEST_TOKEN` gives a token, and `TEST_CLIENT_SECRET` would not be used", "unset the other"],
        ),
        (
            vec![("TEST_TOKEN", "a"), ("TEST_ISSUER", "https://issuer.invalid")],
            &["`TEST_TOKEN` gives a token, and `TEST_ISSUER` would not be used"],
        ),
        (vec![("TEST_ISSUER", "https://issuer.invalid")], &["TEST_CLIENT_ID", "TEST_SECRET_FILE"]),
        (
            vec![("TEST_TOKEN", "can\nary")],
            &[
                "the environment variable `TEST_TOKEN` contains no valid token: it has a line break",
                "give the token alone",
            ],
        ),
        (vec![("TEST_TOKEN", "canary two")], &["`TEST_TOKEN` contains no valid token: it has a space"]),
        (vec![("TEST_TOKEN", "\n")], &["`TEST_TOKEN` is empty"]),
    ] {
        let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &variables);
        run.fails(5, words);
        assert!(server.requests().is_empty() && !format!("{run:?}").contains("canary"), "{run:?}");
    }
    // A key beside a variable, and keys alone, by their names.
    let token = "token_env = \"OWN_TOKEN\"\n";
    let client = "issuer = \"https://issuer.invalid\"\nclient_id = \"me\"\n";
    for (keys, variables, words) in [
        (
            token.to_owned(),
            vec![],
            "specs/codegen.toml:5:9: [source.token]: `token_env` gives a token, and `scope` would not be used",
        ),
        (format!("{token}token_file = \"t\"\n"), vec![], "`token_env`, `token_file` are several sources"),
        // A variable is an intent to use the client on this machine.
        (client.to_owned(), vec![("TEST_AUDIENCE", "service")], "lacks the client's secret"),
        (client.to_owned(), vec![("TEST_CLIENT_ID", "me")], "lacks the client's secret"),
        (
            token.to_owned(),
            vec![("TEST_ISSUER", "https://issuer.invalid")],
            "`token_env` gives a token, and `TEST_ISSUER`",
        ),
        (
            format!("{token}client_id = \"me\"\n"),
            vec![],
            "`token_env` gives a token, and `client_id`, `scope` would not",
        ),
    ] {
        let scope =
            if variables.first().is_some_and(|(name, _)| *name == "TEST_ISSUER") { "" } else { "scope = \"api\"\n" };
        let configuration = support::CONFIGURATION.replace("scope = \"api\"\n", &format!("{keys}{scope}"));
        workspace.write("specs/codegen.toml", &configuration);
        let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &variables);
        run.fails(5, &[words]);
    }
    // If no variables are read, only the keys count.
    for (keys, words) in [
        (
            "scope = 'api'\n",
            "specs/codegen.toml:1:9: [source.token]: `scope` would not be used: it is for a client, and none is configured",
        ),
        ("secret_file_mounted = true\n", "`secret_file_mounted` would not be used"),
        (client, "lacks the client's secret"),
    ] {
        workspace.write("specs/codegen.toml", &format!("[source.token]\n{keys}"));
        workspace.run(&["regenerate", "--base-url", &server.url()]).fails(5, &[words]);
    }
    assert!(server.requests().is_empty());
    // The rules of files are for the key of a client certificate, too: the message is that the file is missing.
    workspace.write("specs/codegen.toml", "[source]\nca_file = '/no/such'\nclient_certificate_file = '/no/such'\nclient_key_file = '/no/such'\n[source.token]\nsecret_file_mounted = true\n");
    let run = workspace.run(&["regenerate", "--base-url", &server.url()]);
    assert!(!run.stderr.contains("would not be used"), "{run:?}");
    // A scope of the client that the keys name is not in the way of a token in a variable.
    workspace.write("specs/codegen.toml", support::CONFIGURATION);
    workspace.run_with(&["regenerate", "--base-url", &server.url()], &[("TEST_TOKEN", "tok-2718")]).succeeds(&[]);
}

#[test]
fn credentials_that_are_set_in_part_are_named() {
    let workspace = Workspace::pinned();
    let server = deployment(SECRET, true);
    let file = secret_file(&workspace, 0o600).to_string_lossy().into_owned();
    let issuer = format!("{}/auth", server.url());
    let all = [("TEST_ISSUER", issuer.as_str()), ("TEST_CLIENT_ID", "builder"), ("TEST_SECRET_FILE", &file)];
    // Each part of them but all and none.
    for set in 1..7_usize {
        let has = |index: usize| set >> index & 1 == 1;
        let variables: Vec<(&str, &str)> =
            all.into_iter().enumerate().filter(|(index, _)| has(*index)).map(|(_, set)| set).collect();
        let missing: Vec<&str> =
            all.iter().enumerate().filter(|(index, _)| !has(*index)).map(|(_, (name, _))| *name).collect();
        let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &variables);
        run.fails(5, &missing);
    }
    // The same of keys, with their line.
    for (keys, words) in [
        ("issuer = 'https://issuer.invalid'\nsecret_file = 'secret'\n", ["`client_id`", "TEST_CLIENT_ID"]),
        ("client_id = 'builder'\nsecret_file = 'secret'\n", ["`issuer`", "TEST_ISSUER"]),
        ("secret_file = 'secret'\n", ["`issuer`", "`client_id`"]),
    ] {
        workspace.write("specs/codegen.toml", &support::CONFIGURATION.replace("scope =", &format!("{keys}scope =")));
        let run = workspace.run(&["regenerate", "--base-url", &server.url()]);
        run.fails(5, &["specs/codegen.toml:5:9: [source.token]: the credential"]);
        run.fails(5, &words);
    }
    assert!(server.requests().is_empty());
}

/// An issuer that takes HTTP Basic and nothing in the form; its token endpoint is on another server.
#[test]
fn an_issuer_that_takes_basic_elsewhere_is_configured() {
    let endpoint = Server::start(|request: &Request| {
        let has_secret = request.body.contains("client_secret") || request.body.contains("client_id");
        // builder:s3cr3t%26%3D%2B+value
        let basic = "Basic YnVpbGRlcjpzM2NyM3QlMjYlM0QlMkIrdmFsdWU=";
        if request.header("authorization") == Some(basic) && !has_secret {
            return Response::json("{\"access_token\":\"tok-2718\",\"token_type\":\"Bearer\"}");
        }
        Response::new(401, "application/json", "{\"error\":\"invalid_client\"}").with("www-authenticate", "Basic")
    });
    let token_endpoint = format!("{}/token", endpoint.url());
    let named = token_endpoint.clone();
    let server = Server::start_at(move |url| {
        let url = url.to_owned();
        move |request: &Request| match request.path.as_str() {
            "/auth/.well-known/openid-configuration" => Response::json(format!(
                "{{\"issuer\":\"{url}/auth\",\"token_endpoint\":\"{named}\",\"token_endpoint_auth_methods_supported\":[\"client_secret_basic\"]}}"
            )),
            "/swagger/v1/swagger.json" if request.header("authorization") == Some("Bearer tok-2718") => {
                Response::json(contract::small())
            }
            _ => Response::status(404),
        }
    });
    let workspace = Workspace::pinned();
    let file = secret_file(&workspace, 0o600).to_string_lossy().into_owned();
    let issuer = format!("{}/auth", server.url());
    let run = |more: &[(&str, &str)]| {
        let variables = [("TEST_ISSUER", issuer.as_str()), ("TEST_CLIENT_ID", "builder"), ("TEST_SECRET_FILE", &file)];
        let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &[&variables, more].concat());
        assert!(!format!("{run:?}").contains("s3cr3t"), "{run:?}");
        run
    };
    // Nobody sends a secret to another server because a document says so.
    run(&[]).fails(3, &["token/discovery", &format!("if {} is right, set TEST_TOKEN_ENDPOINT", endpoint.url())]);
    assert!(endpoint.requests().is_empty());
    let elsewhere = ("TEST_TOKEN_ENDPOINT", token_endpoint.as_str());
    run(&[elsewhere]).fails(3, &["invalid_client", "set TEST_CLIENT_AUTHENTICATION", "to `basic`"]);
    run(&[elsewhere, ("TEST_CLIENT_AUTHENTICATION", "header")])
        .fails(5, &["TEST_CLIENT_AUTHENTICATION", "neither `form` nor `basic`"]);
    run(&[elsewhere, ("TEST_CLIENT_AUTHENTICATION", "basic")]).succeeds(&[]);
    let keys = format!("client_authentication = \"basic\"\ntoken_endpoint = {token_endpoint:?}\nscope =");
    workspace.write("specs/codegen.toml", &support::CONFIGURATION.replace("scope =", &keys));
    run(&[]).succeeds(&[]);
}

/// The message names the wrong value by its variable, or by its line.
#[test]
fn every_setting_is_named_by_its_variable_or_its_line() {
    let workspace = Workspace::pinned();
    let server = deployment(SECRET, true);
    let file = secret_file(&workspace, 0o600).to_string_lossy().into_owned();
    let run = |keys: &str, variables: &[(&str, &str)]| {
        let scope = if keys.starts_with("token_") { "" } else { "scope = \"api\"\n" };
        let configuration = support::CONFIGURATION.replace("scope = \"api\"\n", &format!("{keys}{scope}"));
        workspace.write("specs/codegen.toml", &configuration);
        workspace.run_with(&["regenerate", "--base-url", &server.url()], variables)
    };
    let client = [("TEST_CLIENT_ID", "builder"), ("TEST_SECRET_FILE", &*file)];
    let with = |more: (&'static str, &'static str)| [&client[..], &[more]].concat();
    run("", &with(("TEST_ISSUER", "issuer.example"))).fails(5, &["the issuer (TEST_ISSUER or `issuer`) is not"]);
    let endpoint =
        [&with(("TEST_ISSUER", "https://issuer.invalid"))[..], &[("TEST_TOKEN_ENDPOINT", "http://x")]].concat();
    run("", &endpoint).fails(5, &["the token endpoint (TEST_TOKEN_ENDPOINT or `token_endpoint`) would send"]);
    run("", &[("TEST_TOKEN_FILE", "/no/such/token")]).fails(5, &["`/no/such/token`", "TEST_TOKEN_FILE names it"]);
    run("token_file = '/no/such/token'\n", &[]).fails(5, &["`/no/such/token`", "specs/codegen.toml:7:1 names it"]);
    run("token_env = 'OWN_TOKEN'\n", &[]).fails(5, &["`OWN_TOKEN` is not set", "specs/codegen.toml:7:1 names it"]);
    run("token_command = ['/no/such/program']\n", &[]).fails(5, &["specs/codegen.toml:7:1 names it"]);
    assert!(server.requests().is_empty());
}

/// A host of this machine that is not written as loopback.
const CLUSTER: &str = "0.0.0.0";

#[test]
fn a_host_that_may_be_http_is_allowed_by_the_variable_of_programs() {
    let workspace = Workspace::new();
    let server = deployment(SECRET, false);
    let base = server.url().replace("127.0.0.1", CLUSTER);
    let secret_file = secret_file(&workspace, 0o600).to_string_lossy().into_owned();
    let issuer = format!("{base}/auth");
    let run = |allowed: &str, issuer: &str| {
        let credential = [("TEST_ISSUER", issuer), ("TEST_CLIENT_ID", "builder"), ("TEST_SECRET_FILE", &secret_file)];
        let variables: Vec<(&str, &str)> = credential
            .into_iter()
            .filter(|_| !issuer.is_empty())
            .chain([("TEST_DANGER_ALLOW_HTTP_TO", allowed)])
            .collect();
        workspace.run_with(&["regenerate", "--base-url", &base], &variables)
    };
    for allowed in ["", "other.example"] {
        // The issuer is asked first.
        run(allowed, &issuer).fails(5, &["would send tokens in the clear", "DANGER_ALLOW_HTTP_TO"]);
        run(allowed, "")
            .fails(5, &["configuration/plain-http", &base, &format!("set TEST_DANGER_ALLOW_HTTP_TO={CLUSTER}")]);
    }
    run("http://0.0.0.0", "").fails(5, &["is not a host that `http` can be allowed to", "without scheme and port"]);
    assert!(server.requests().is_empty() && workspace.generated().is_empty());
    run(&format!("other.example, {CLUSTER}"), &issuer).succeeds(&[&format!("taking {base}/swagger/v1/swagger.json")]);

    // If no variable is read, the message names the key that would have it read.
    let client = "[client]\npackage = \"orders-client\"\ntype = \"Orders\"\nvariables = \"ORDERS_\"\n";
    workspace.write("specs/codegen.toml", &format!("{client}[source]\nbase_url_env = \"TEST_BASE_URL\"\n"));
    let variables = [("ORDERS_DANGER_ALLOW_HTTP_TO", CLUSTER)];
    workspace.run_with(&["regenerate", "--base-url", &base], &variables).fails(
        5,
        &["plain http", "ORDERS_DANGER_ALLOW_HTTP_TO=0.0.0.0", "`variables = \"ORDERS_\"` in [source.token]"],
    );
}

/// The token of one document goes to a host that is allowed to be `http`, as the token of the base URL does.
#[test]
fn a_document_with_a_token_of_its_own_may_be_http_where_the_variable_says_so() {
    let workspace = Workspace::new();
    let server = deployment(SECRET, false);
    let base = server.url().replace("127.0.0.1", CLUSTER);
    let document = format!(
        "[source.token]\nvariables = 'TEST_'\n[[source.document]]\nname = 'a'\ncontract = '/swagger/v1/swagger.json'\n\
         base_url = '{base}'\n[source.document.token]\nvariables = 'TEST_A_'\n"
    );
    workspace.write("specs/codegen.toml", &document);
    let run = |variables: &[(&str, &str)]| workspace.run_with(&["regenerate"], variables);
    let token = ("TEST_A_TOKEN", "tok-2718");
    run(&[token]).fails(5, &["the document \"a\"", "set TEST_DANGER_ALLOW_HTTP_TO=0.0.0.0"]);
    run(&[token, ("TEST_DANGER_ALLOW_HTTP_TO", CLUSTER)]).succeeds(&["a from http://0.0.0.0"]);
}
