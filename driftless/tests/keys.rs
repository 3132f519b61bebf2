//! API keys and HTTP Basic for the download: they go where the settings say, and nowhere else.

use crate::support;
use crate::support::server::{Request, Response, Server};
use crate::support::{Run, Workspace, contract};

/// A key whose forms differ where it is written in a query.
const KEY: &str = "k3y&=+/canary";
const ENCODED: &str = "k3y%26%3D%2B%2Fcanary";
/// `me:k3y&=+/canary`
const PAIR: &str = "bWU6azN5Jj0rL2NhbmFyeQ==";

/// The credentials that a request presents.
fn query(request: &Request, name: &str) -> Option<String> {
    let (_, query) = request.path.split_once('?')?;
    let mut pairs = url::form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == name);
    let value = pairs.next()?.1.into_owned();
    assert_eq!(pairs.next(), None, "the parameter stands twice: {}", request.path);
    Some(value)
}

fn path(request: &Request) -> &str {
    request.path.split('?').next().unwrap_or_default()
}

fn is_nowhere(run: &Run, workspace: &Workspace) {
    let tree = workspace.tree().into_iter().filter(|(path, _)| path != "secret" && path != "specs/codegen.toml");
    let texts = tree.map(|(path, content)| (path, String::from_utf8_lossy(&content).into_owned()));
    for (path, text) in
        texts.chain([("stdout".to_owned(), run.stdout.clone()), ("stderr".to_owned(), run.stderr.clone())])
    {
        assert!(!text.contains("canary") && !text.contains(PAIR), "{path}: {text}");
    }
}

fn configuration(keys: &str) -> String {
    support::CONFIGURATION.replace("scope = \"api\"\n", keys)
}

#[test]
fn a_key_and_a_password_get_the_contract_as_a_token_does() {
    type Accepts = fn(&Request) -> bool;
    let in_header: Accepts = |request| request.header("x-api-key") == Some(KEY);
    let in_query: Accepts = |request| query(request, "code").as_deref() == Some(KEY);
    let basic: Accepts = |request| request.header("authorization") == Some(&format!("Basic {PAIR}"));
    let both: Accepts = |request| {
        request.header("authorization") == Some("Bearer tok-2718") && request.header("x-api-key") == Some(KEY)
    };
    let two: Accepts =
        |request| request.header("x-app-id") == Some("my-app-1") && query(request, "code").as_deref() == Some(KEY);
    let key = ("TEST_API_KEY", KEY);
    let header = ("TEST_API_KEY_HEADER", "X-Api-Key");
    let two_keys = "[source.token.key.app-id]\nheader = 'X-App-Id'\n[source.token.key.secret]\nquery = 'code'\n";
    for (accepts, keys, variables) in [
        (in_header, "", vec![key, header]),
        (in_header, "", vec![("TEST_API_KEY", "k3y&=+/canary\n"), header]),
        (in_header, "api_key_header = 'X-Api-Key'\n", vec![key]),
        (in_header, "api_key_header = 'X-Api-Key'\napi_key_env = 'OWN_KEY'\n", vec![("OWN_KEY", KEY)]),
        (in_query, "", vec![key, ("TEST_API_KEY_QUERY", "code")]),
        // The place that a variable names takes the place of the other one.
        (in_query, "api_key_header = 'X-Api-Key'\n", vec![key, ("TEST_API_KEY_QUERY", "code")]),
        (basic, "", vec![("TEST_BASIC_USER", "me"), ("TEST_BASIC_PASSWORD", KEY)]),
        (basic, "basic_user = 'me'\n", vec![("TEST_BASIC_PASSWORD", KEY)]),
        (both, "", vec![("TEST_TOKEN", "tok-2718"), key, header]),
        (two, two_keys, vec![("TEST_KEY_APP_ID", "my-app-1"), ("TEST_KEY_SECRET", KEY)]),
    ] {
        let workspace = Workspace::new();
        workspace.write("specs/codegen.toml", &configuration(keys));
        let server = Server::start(move |request: &Request| match path(request) {
            "/swagger/v1/swagger.json" if accepts(request) => Response::json(contract::small()),
            "/swagger/v1/swagger.json" => Response::status(401),
            _ => Response::status(404),
        });
        let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &variables);
        run.succeeds(&["new"]);
        is_nowhere(&run, &workspace);
        let lock = workspace.read("specs/codegen.lock");
        assert!(lock.contains("/swagger/v1/swagger.json\""), "{variables:?}: {lock}");
    }
}

/// The worst that a service can do with a key: it repeats it, whatever it answers.
#[test]
fn a_key_that_a_service_repeats_is_neither_shown_nor_written_nor_sent_elsewhere() {
    let key = [("TEST_API_KEY", KEY), ("TEST_API_KEY_QUERY", "code")];
    let basic = [("TEST_BASIC_USER", "me"), ("TEST_BASIC_PASSWORD", KEY)];
    let other = Server::start(|_| Response::json(contract::small()));
    let repeated = |variables: [(&str, &str); 2], form: &'static str| {
        // Only the last of them changes it.
        let workspace = Workspace::pinned();
        for answer in [0, 1, 2, 3, 5, 6, 4] {
            let elsewhere = format!("{}/x?code={form}", other.url());
            let server = Server::start(move |request: &Request| {
                let at_last = path(request) == "/again";
                match answer {
                    0 => Response::new(500, "text/plain", format!("no {form} is known")),
                    1 => Response::status(401).with("www-authenticate", &format!("Key {form}")),
                    2 => Response::json(contract::small().replace("Things", form)),
                    3 => Response::json(contract::small()).with("etag", &format!("\"{form}\"")),
                    // As System.Text.Json writes it.
                    6 => {
                        let form = form.replace('&', "\\u0026").replace('+', "\\u002B").replace('3', "\\u0033");
                        Response::json(contract::small().replace("Things", &form))
                    }
                    4 if at_last => Response::json(contract::small()),
                    4 => Response::status(302).with("location", &format!("/again?code={form}&b=1%202")),
                    _ => Response::status(302).with("location", &elsewhere),
                }
            });
            let contract = format!("{}/contract.json", server.url());
            let run =
                workspace.run_with(&["regenerate", "--base-url", &server.url(), "--contract", &contract], &variables);
            is_nowhere(&run, &workspace);
            let case = format!("{variables:?} {form} {answer}");
            assert_eq!(run.code == Some(0), answer == 4, "{case}: {run:?}");
            // A redirect that repeats the parameter does not make it stand twice.
            let of_key = variables[0].0 == "TEST_API_KEY";
            assert!(
                !of_key || server.requests().iter().all(|request| query(request, "code").as_deref() == Some(KEY)),
                "{case}"
            );
            let again = server.paths().into_iter().find(|path| path.starts_with("/again"));
            assert!(again.is_none_or(|path| path.contains("b=1%202")), "{case}");
        }
    };
    // Each run waits for the disk, and between its attempts. The last form is that of a password with its user.
    std::thread::scope(|scope| {
        for (variables, form) in [(key, KEY), (key, ENCODED), (basic, KEY), (basic, ENCODED), (basic, PAIR)] {
            let repeated = &repeated;
            scope.spawn(move || repeated(variables, form));
        }
    });
    assert!(other.requests().is_empty());
}

/// The hint names the missing key, for the document that lacks it.
#[test]
fn a_401_names_the_variables_of_the_document_that_lacks_them() {
    let basic = || Response::status(401).with("www-authenticate", "Basic realm=\"x\"");
    let server = Server::start(move |_| basic());
    let other = Server::start(|_| Response::status(401));
    let (base, elsewhere) = (server.url(), other.url());
    let document = |keys: &str| {
        format!(
            "[[source.document]]\nname = 'b'\ncontract = '{elsewhere}/b.json'\n{keys}[[server]]\nname = 'b'\ndocuments = ['b']\n"
        )
    };
    for (keys, words, not) in [
        // For the base URL: the challenge names the first step.
        (
            String::new(),
            &[
                "set\n  → HTTP Basic: TEST_BASIC_USER",
                "TEST_TOKEN, or TEST_ISSUER",
                "TEST_API_KEY, with TEST_API_KEY_HEADER",
                "[source.token]",
            ][..],
            "TEST_B_",
        ),
        // At another origin, with nothing of its own: the main variables would not be sent there.
        (document(""), &["the document \"b\"", "[source.document.token]"], "TEST_TOKEN"),
        (
            document("[source.document.token]\nvariables = 'TEST_B_'\n"),
            &[
                "the document \"b\"",
                "TEST_B_TOKEN",
                "TEST_B_API_KEY",
                "TEST_B_BASIC_USER",
                "[source.document.token] of the document \"b\"",
            ],
            "TEST_TOKEN",
        ),
        (
            document("[source.document.token]\n"),
            &["the document \"b\"", "name its place in [source.document.token] of the document \"b\""],
            "TEST_",
        ),
    ] {
        let workspace = Workspace::new();
        workspace.write("specs/codegen.toml", &(configuration("") + &keys));
        let run = workspace.run(&["regenerate", "--base-url", &base]);
        run.fails(3, words);
        assert!(!run.stderr.contains(not), "{not}: {}", run.stderr);
    }
    // A credential that was sent and is refused is named by its source.
    let workspace = Workspace::new();
    let variables = [("TEST_API_KEY", KEY), ("TEST_API_KEY_HEADER", "X-Api-Key")];
    let run = workspace.run_with(&["regenerate", "--base-url", &base], &variables);
    run.fails(3, &["does not accept", "the API key from the environment variable `TEST_API_KEY`"]);
}

/// A key whose place nobody named, and other halves of credentials.
#[test]
fn half_a_credential_is_named_with_its_other_half() {
    let server = Server::start(|_| Response::json(contract::small()));
    for (keys, variables, words) in [
        ("", vec![("TEST_API_KEY", KEY)], &["TEST_API_KEY_HEADER or TEST_API_KEY_QUERY"][..]),
        (
            "",
            vec![("TEST_API_KEY_HEADER", "X-Api-Key")],
            &["`TEST_API_KEY_HEADER` would not be used", "set TEST_API_KEY"],
        ),
        ("", vec![("TEST_BASIC_USER", "me")], &["`TEST_BASIC_USER` would not be used", "set TEST_BASIC_PASSWORD"]),
        ("", vec![("TEST_BASIC_PASSWORD", KEY)], &["`TEST_BASIC_PASSWORD` would not be used", "set TEST_BASIC_USER"]),
        (
            "api_key_env = 'OWN'\napi_key_query = 'code'\n",
            vec![],
            &["`OWN` is not set", "specs/codegen.toml:7:1 names it"],
        ),
        (
            "key.id = { env = 'OWN' }\n",
            vec![],
            &["no contract names its place in requests", "`header` or `query` of the key `id`"],
        ),
        (
            "",
            vec![("TEST_TOKEN", "tok-2718"), ("TEST_BASIC_USER", "me"), ("TEST_BASIC_PASSWORD", KEY)],
            &["several credentials want the header `Authorization`"],
        ),
    ] {
        let workspace = Workspace::new();
        workspace.write("specs/codegen.toml", &configuration(keys));
        let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &variables);
        run.fails(5, words);
        is_nowhere(&run, &workspace);
    }
    assert!(server.requests().is_empty());
    // A user or a place among the keys is no intent to use it on this machine.
    let workspace = Workspace::new();
    let keys = "api_key_header = 'X-Api-Key'\nbasic_user = 'me'\n[source.token.key.id]\nheader = 'X-Id'\n";
    workspace.write("specs/codegen.toml", &configuration(keys));
    workspace.run(&["regenerate", "--base-url", &server.url()]).succeeds(&["new"]);
}
