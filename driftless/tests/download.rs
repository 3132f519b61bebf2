//! Failures between the service and the pinned contract, row by row.

use std::net::TcpListener;

use crate::support;
use crate::support::server::{Request, Response, Server};
use crate::support::{Workspace, contract};

#[test]
fn a_304_that_nobody_asked_for_is_no_contract() {
    refused(Response::status(304), 3, &["304", "--contract FILE"]);
}

/// Runs against a server that gives one answer to everything; the pinned tree stays as it was.
#[track_caller]
fn refused(response: Response, code: i32, words: &[&str]) {
    let workspace = Workspace::pinned();
    let before = workspace.tree();
    let server = Server::start(move |_| response.clone());
    let url = format!("{}/swagger.json", server.url());
    workspace.run(&["regenerate", "--contract", &url]).fails(code, words);
    assert_eq!(workspace.tree(), before);
}

#[test]
fn a_login_page_is_no_contract() {
    let page = "\n<!DOCTYPE html>\n<html><title>Sign in</title></html>";
    refused(Response::html(page), 4, &["<!DOCTYPE html>", "text/html", "200", "untouched"]);
    refused(Response::new(200, "", page), 4, &["<!DOCTYPE html>", "no content type"]);
}

#[test]
fn a_login_page_at_every_address_is_no_contract() {
    let workspace = Workspace::pinned();
    let before = workspace.tree();
    let server = Server::start(|_| Response::html("<html>Sign in</html>"));
    workspace.run(&["regenerate", "--base-url", &server.url()]).fails(4, &["<html>Sign in</html>", "text/html", "200"]);
    assert_eq!(workspace.tree(), before);
}

#[test]
fn an_empty_body_is_no_contract() {
    refused(Response::json(""), 4, &["an empty body", "application/json", "200"]);
}

#[test]
fn json_of_another_kind_is_no_contract() {
    refused(Response::json("{\"error\":\"no such tenant\"}"), 4, &["no such tenant", "application/json"]);
    refused(Response::json("[]"), 4, &["first line: []"]);
    refused(Response::json("null"), 4, &["first line: null"]);
}

#[test]
fn truncated_json_is_no_contract() {
    let whole = contract::small();
    let half = whole.get(..whole.len() / 2).expect("ASCII").to_owned();
    refused(Response::json(half), 4, &["openapi", "application/json"]);
}

#[test]
fn a_connection_that_breaks_off_is_a_failed_download() {
    refused(Response { cut: true, ..Response::json(contract::small()) }, 3, &["broke off", "--offline"]);
}

#[test]
fn a_body_without_end_is_cut_off() {
    refused(Response::json(vec![b' '; 65 * 1024 * 1024]), 4, &["more than 64.0 MiB"]);
}

#[cfg(unix)]
#[test]
fn a_file_without_end_is_cut_off() {
    let workspace = Workspace::pinned();
    let before = workspace.tree();
    workspace.run(&["regenerate", "--contract", "/dev/zero"]).fails(4, &["/dev/zero", "more than 64.0 MiB"]);
    assert_eq!(workspace.tree(), before);
}

#[test]
fn control_characters_of_a_server_do_not_reach_the_terminal() {
    let workspace = Workspace::new();
    let server = Server::start(|_| Response::json("\u{1b}[31mred"));
    let url = format!("{}/x", server.url());
    let run = workspace.run(&["regenerate", "--contract", &url]);
    run.fails(4, &["[31mred"]);
    assert!(!run.stderr.contains('\u{1b}'));
}

/// Escape sequences, a line break by another name, and a letter that turns the reading around.
const STEERING: &str = "\u{1b}[2J\u{9b}1m\u{202e}\u{2028}\u{7}";

#[track_caller]
fn is_plain(run: &support::Run) {
    let output = format!("{}{}", run.stdout, run.stderr);
    let odd = |letter: char| letter != '\n' && (letter.is_control() || matches!(letter, '\u{202e}' | '\u{2028}'));
    assert!(!output.contains(odd), "{output:?}");
}

#[test]
fn nothing_of_a_contract_a_server_or_a_file_name_steers_the_terminal() {
    let workspace = Workspace::new();
    // Control characters of a header are escaped.
    let server = Server::start(|_| Response::json(STEERING));
    let run = workspace.run(&["regenerate", "--contract", &format!("{}/x", server.url())]);
    run.fails(4, &["first line"]);
    is_plain(&run);

    let odd = serde_json::json!(format!("{STEERING}\nerror[evil]: a line of its own"));
    let text = odd.to_string();
    let contract = contract::small()
        .replace("\"v1\"", &text)
        .replace("\"uuid\"", &text)
        .replace("\"string\"", &text)
        .replace("\"Things\"", &text)
        .replace("/api/things", &format!("/api/things/{}", text.trim_matches('"')));
    workspace.write("contract.json", &contract);
    let run = workspace.run(&["regenerate", "--contract", "contract.json"]);
    is_plain(&run);
    assert!(!run.stderr.contains("\nerror[evil]") && !run.stdout.contains("\nerror[evil]"), "{run:?}");

    let workspace = Workspace::pinned();
    let name = format!("generated-client/src/generated/{STEERING}\nerror[evil]: x.rs");
    workspace.write(&name, "// mine\n");
    for arguments in [&["regenerate", "--check"][..], &["regenerate", "--offline"]] {
        let run = workspace.run(arguments);
        assert_eq!(run.code, Some(2), "{run:?}");
        is_plain(&run);
        assert!(!format!("{}{}", run.stdout, run.stderr).contains("\nerror[evil]"), "{run:?}");
    }
    let run = workspace.run(&["regenerate", "--contract", &format!("absent{STEERING}\nerror[evil].json")]);
    run.fails(5, &["absent"]);
    is_plain(&run);
}

/// A service that repeats the request brings the token neither to the terminal nor into the repository.
#[test]
fn a_token_that_a_service_repeats_is_neither_shown_nor_written() {
    let token = format!("tok-{}", "3141592653".repeat(20));
    let echo = |request: &Request| request.header("authorization").unwrap_or_default().to_owned();
    let as_page = move |request: &Request| Response::html(&format!("<html>{}</html>", echo(request)));
    let as_text = move |request: &Request| Response::new(200, "text/plain", echo(request));
    let as_challenge = move |request: &Request| Response::status(401).with("www-authenticate", &echo(request));
    let as_tag =
        move |request: &Request| Response::json(contract::small()).with("etag", &format!("\"{}\"", echo(request)));
    let as_contract = move |request: &Request| Response::json(contract::small().replace("Things", &echo(request)));
    type Answer = Box<dyn Fn(&Request) -> Response + Send + Sync>;
    let answers: [(&str, Answer); 5] = [
        ("page", Box::new(as_page)),
        ("text", Box::new(as_text)),
        ("challenge", Box::new(as_challenge)),
        ("tag", Box::new(as_tag)),
        ("contract", Box::new(as_contract)),
    ];
    for (name, answer) in answers {
        let workspace = Workspace::pinned();
        let before = workspace.tree();
        let server = Server::start(answer);
        let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &[("TEST_TOKEN", &token)]);
        assert!(matches!(run.code, Some(3 | 4)), "{name}: {run:?}");
        assert!(!format!("{run:?}").contains("3141592653"), "{name}: {run:?}");
        assert_eq!(workspace.tree(), before, "{name}");
    }
}

#[test]
fn a_contract_that_needs_a_token_names_what_to_set() {
    let response = Response::status(401).with("www-authenticate", "Bearer error=\"invalid_token\"");
    refused(response, 3, &["401", "invalid_token", "[source.token]", "--offline"]);
    refused(Response::status(403), 3, &["403", "--offline"]);
    refused(Response::status(500), 3, &["500", "--offline"]);
}

#[test]
fn a_token_that_is_refused_is_told_from_a_missing_one() {
    let workspace = Workspace::pinned();
    let server = Server::start(|_| Response::status(401));
    let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &[("TEST_TOKEN", "tok-3141")]);
    run.fails(3, &["401", "does not accept the token", "--offline"]);
    assert_eq!(server.requests()[0].header("authorization"), Some("Bearer tok-3141"));
    assert!(!format!("{run:?}").contains("tok-3141"));
}

#[test]
fn a_name_that_does_not_resolve_is_said() {
    let workspace = Workspace::pinned();
    let run = workspace.run(&["regenerate", "--base-url", "https://platform.invalid/"]);
    run.fails(3, &["download/dns", "platform.invalid", "cannot be resolved", "--offline"]);
}

#[test]
fn a_closed_port_is_said() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let workspace = Workspace::pinned();
    let run = workspace.run(&["regenerate", "--base-url", &format!("http://{address}")]);
    run.fails(3, &["download/connect", &address.to_string(), "--offline"]);
}

#[test]
fn plain_http_where_tls_is_expected_is_said() {
    let workspace = Workspace::pinned();
    let server = Server::start(|_| Response::status(400));
    let url = server.url().replace("http:", "https:");
    workspace.run(&["regenerate", "--base-url", &url]).fails(3, &["download/tls", "--offline"]);
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let workspace = Workspace::pinned();
    let run = workspace.run(&["regenerate", "--base-url", &format!("http://{address}"), "--timeout", "0.2"]);
    run.fails(3, &["download/timeout", "in time", "timeout", "--offline"]);
}

#[test]
fn plain_http_is_for_loopback_only() {
    let workspace = Workspace::pinned();
    let run = workspace.run(&["regenerate", "--base-url", "http://platform.invalid"]);
    run.fails(5, &["plain http", "https", "TEST_DANGER_ALLOW_HTTP_TO=platform.invalid"]);
}

#[test]
fn credentials_in_an_address_are_refused_and_not_shown() {
    let workspace = Workspace::pinned();
    for flag in ["--base-url", "--contract"] {
        let run = workspace.run(&["regenerate", flag, "https://me:hunter2@platform.invalid/"]);
        run.fails(5, &["user or password", "[source.token]"]);
        assert!(!run.stderr.contains("hunter2"));
    }
}

#[test]
fn a_redirect_is_not_followed_with_a_token() {
    let other = Server::start(|_| Response::json(contract::small()));
    let target = format!("{}/login?state=1", other.url());
    let server = Server::start(move |_| Response::status(302).with("location", &target));
    let workspace = Workspace::pinned();
    let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &[("TEST_TOKEN", "tok-3141")]);
    run.fails(3, &["download/redirect", &other.url(), "--offline"]);
    assert!(other.requests().is_empty());
    assert!(!run.stderr.contains("state=1"));
}

#[test]
fn a_redirect_is_followed_without_a_token() {
    let other = Server::start(|_| Response::json(contract::small()));
    let target = format!("{}/contract.json", other.url());
    let server = Server::start(move |_| Response::status(302).with("location", &target));
    let workspace = Workspace::new();
    let url = format!("{}/latest.json", server.url());
    workspace.run_with(&["regenerate", "--contract", &url], &[("TEST_TOKEN", "tok-3141")]).succeeds(&["new"]);
    assert_eq!(other.requests()[0].header("authorization"), None);
}

#[test]
fn redirects_without_end_are_given_up() {
    let server = Server::start(|_| Response::status(302).with("location", "/again"));
    let workspace = Workspace::pinned();
    let url = format!("{}/x", server.url());
    workspace.run(&["regenerate", "--contract", &url]).fails(3, &["download/redirect"]);
    assert!(server.requests().len() < 10);
}

#[test]
fn a_token_goes_to_the_configured_origin_only() {
    let other = Server::start(|_| Response::json(contract::small()));
    let listed = format!("SwaggerUIBundle({{url: \"{}/v1.json\"}})", other.url());
    let server = Server::start(move |request| match request.path.as_str() {
        "/swagger/index.html" => Response::html(&listed),
        _ => Response::status(404),
    });
    let workspace = Workspace::new();
    let run = workspace.run_with(&["regenerate", "--base-url", &server.url()], &[("TEST_TOKEN", "tok-3141")]);
    run.succeeds(&["/v1.json"]);
    assert!(server.requests().iter().all(|request| request.header("authorization").is_some()));
    assert!(other.requests().iter().all(|request| request.header("authorization").is_none()));
    assert!(!other.requests().is_empty());
    assert!(!workspace.tree().values().any(|content| String::from_utf8_lossy(content).contains("tok-3141")));
}

#[test]
fn a_tag_saves_the_download_and_an_unchanged_contract_writes_nothing() {
    let answer = |request: &Request| match (request.path.as_str(), request.header("if-none-match")) {
        ("/swagger/v1/swagger.json", Some("\"v1\"")) => Response::status(304).with("etag", "\"v1\""),
        ("/swagger/v1/swagger.json", _) => Response::json(contract::small()).with("etag", "\"v1\""),
        _ => Response::status(404),
    };
    let workspace = Workspace::new();
    let server = Server::start(answer);
    workspace.run(&["regenerate", "--base-url", &server.url()]).succeeds(&["new"]);
    let (before, times) = (workspace.tree(), workspace.times());
    let run = workspace.run(&["regenerate", "--base-url", &server.url()]);
    run.succeeds(&["304", "nothing downloaded", "0 bytes written"]);
    assert_eq!((workspace.tree(), workspace.times()), (before.clone(), times));

    // A pin that is gone is downloaded again, whatever the tag.
    std::fs::remove_file(workspace.path("specs/contracts/service.json")).expect("removed");
    workspace.run(&["regenerate", "--base-url", &server.url()]).succeeds(&["received"]);
    assert_eq!(workspace.tree(), before);
}

/// The words of a server that fails, as it writes them: the reason stands in them.
#[test]
fn the_words_of_a_server_that_fails_are_shown() {
    let conflict =
        "Can't use schemaId \"$Item\" for type \"$A.Item\". The same schemaId is already used for type \"$B.Item\"";
    let plain = format!(
        "Swashbuckle.AspNetCore.SwaggerGen.SwaggerGeneratorException: Failed to generate Operation for action\r\n ---> \
         System.InvalidOperationException: {conflict}\r\n   at Swashbuckle.X()\r\n{}",
        "   at Microsoft.Y()\r\n".repeat(5_000)
    );
    let encoded = conflict.replace('"', "&quot;").replace('\'', "&#x27;");
    let page = format!(
        "<!DOCTYPE html><html><head><title>Error</title><style>body {{ x: y }}</style></head><body><h1>Failed</h1>\
         <div class=\"titleerror\">{encoded}</div><script>var x = 1;</script></body></html>"
    );
    let problem = format!("{{\"title\":\"Failed\",\"detail\":{conflict:?}}}");
    let failing = |kind: &'static str, body: String| {
        let workspace = Workspace::pinned();
        for flag in ["--base-url", "--contract"] {
            let response = Response::new(500, kind, format!("{body}\n\u{1b}[2J{}", "x".repeat(100_000)));
            let server = Server::start(move |request: &Request| match request.path.as_str() {
                "/swagger/v1/swagger.json" => response.clone(),
                _ => Response::status(401),
            });
            let url =
                if flag == "--contract" { format!("{}/swagger/v1/swagger.json", server.url()) } else { server.url() };
            let run = workspace.run(&["regenerate", flag, &url]);
            run.fails(3, &["download/failed", "swagger.json answered 500", conflict]);
            is_plain(&run);
            let noise = ["   at ", "var x", "body {", "<div"];
            assert!(
                run.stderr.len() < 6_000 && noise.iter().all(|noise| !run.stderr.contains(noise)),
                "{}",
                run.stderr
            );
        }
    };
    // Each run waits before it asks again.
    std::thread::scope(|scope| {
        for (kind, body) in
            [("text/plain", plain), ("text/html", page), ("application/problem+json", problem.replace("\\\"", "\""))]
        {
            scope.spawn(move || failing(kind, body));
        }
    });
}

/// One failure is no end, and a server that goes on failing is not asked for ever.
#[test]
fn a_server_that_fails_once_is_asked_again() {
    let asked_again = |status: u16, failures: usize, code: i32| {
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let server = Server::start(move |_| match asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            count if count < failures => Response::status(status),
            _ => Response::json(contract::small()),
        });
        let workspace = Workspace::new();
        let run = workspace.run(&["regenerate", "--contract", &format!("{}/c.json", server.url())]);
        assert_eq!(run.code, Some(code), "{failures} {status}: {run:?}");
        assert!(run.stderr.contains(&format!("answered {status}: asking again")), "{run:?}");
    };
    // The pauses of the four pass together.
    std::thread::scope(|scope| {
        for status in [500, 502, 503, 504] {
            let asked_again = &asked_again;
            scope.spawn(move || {
                for (failures, code) in [(1, 0), (2, 0), (3, 3)] {
                    asked_again(status, failures, code);
                }
            });
        }
    });
    // All places together: a service that is down is not asked three times for each address.
    let server = Server::start(|_| Response::status(500));
    let workspace = Workspace::new();
    workspace.run(&["regenerate", "--base-url", &server.url()]).fails(3, &["download/failed"]);
    let mut paths = server.paths();
    let all = paths.len();
    paths.sort();
    paths.dedup();
    assert!(all <= paths.len() + 2, "{all} requests for {} addresses", paths.len());
    // A request that the service refuses is not repeated.
    for status in [400, 404, 501] {
        let server = Server::start(move |_| Response::status(status));
        workspace.run(&["regenerate", "--contract", &format!("{}/c.json", server.url())]).fails(3, &["answered"]);
        assert_eq!(server.requests().len(), 1, "{status}");
    }
}
