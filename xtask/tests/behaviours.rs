//! How servers behave, a row each: what they serve, and how a regeneration from them ends.
#![allow(clippy::expect_used, clippy::panic, reason = "a test that cannot go on says why")]

mod support;

use std::fmt::Write as _;

use support::server::{Request, Response, Server};
use support::{Workspace, contract};

/// One server.
struct Row {
    name: &'static str,
    /// What is behind the base URL's origin.
    base: &'static str,
    /// Path → what it answers; `*` stands for every other path. Nothing: 404.
    serves: &'static [(&'static str, &'static str)],
    /// How the run ends.
    exit: i32,
    /// What it says; `@` stands for the server's origin.
    says: &'static [&'static str],
}

const fn row(
    name: &'static str,
    base: &'static str,
    serves: &'static [(&'static str, &'static str)],
    exit: i32,
    says: &'static [&'static str],
) -> Row {
    Row { name, base, serves, exit, says }
}

/// An answer in words: `contract`, `contract 2`, `yaml`, `swagger2`, a status, `html …`, `json …`, `text …`, `to …` (a redirect).
fn answer(what: &str, request: &Request, origin: &str) -> Response {
    let (kind, rest) = what.split_once(' ').unwrap_or((what, ""));
    let rest = rest.replace('@', origin);
    match kind {
        "contract" if rest == "2" => Response::json(contract::with_paths(&["/api/others"])),
        "contract" => Response::json(contract::small()),
        "yaml" => Response::new(
            200,
            "application/yaml",
            "openapi: 3.0.4\npaths:\n  /api/things:\n    get:\n      responses: {}\n",
        ),
        "swagger2" => {
            Response::json("{\"swagger\":\"2.0\",\"info\":{},\"paths\":{\"/api/things\":{\"get\":{\"responses\":{}}}}}")
        }
        "bom" => Response::json(format!("\u{feff}{}", contract::small())),
        "utf16" => {
            let text: Vec<u8> =
                format!("\u{feff}{}", contract::small()).encode_utf16().flat_map(u16::to_le_bytes).collect();
            Response::json(text)
        }
        "plain" => Response::new(200, "text/plain", contract::small()),
        "octets" => Response::new(200, "application/octet-stream", contract::small()),
        "as-html" => Response::html(&contract::small()),
        "half" => Response::json(contract::small()[..200].to_owned()),
        "cut" => Response { cut: true, ..Response::json(contract::small()) },
        "tagged" if request.header("if-none-match") == Some("\"1\"") => Response::status(304),
        "tagged" => Response::json(contract::small()).with("etag", "\"1\""),
        "html" => Response::html(&rest),
        "script" => Response::new(200, "text/javascript", rest),
        "json" => Response::json(rest),
        "text" => Response::new(200, "text/plain", rest),
        "to" => Response::status(302).with("location", &rest),
        "bearer" if request.header("authorization") == Some("Bearer canary") => Response::json(contract::small()),
        "bearer" => Response::status(401).with("www-authenticate", "Bearer realm=\"x\""),
        status => Response::status(status.parse().expect("a status")),
    }
}

const UI: &str = "html <script src=\"swagger-ui-bundle.js\"></script><script src=\"index.js\"></script>";
const NSWAG: &str = "html <script>var urls = [{\"name\":\"Main\",\"url\":\"/swagger/main/swagger.json\"}];</script>";
const SWASHBUCKLE: &str =
    "html <script>var c = JSON.parse('{\"urls\":[{\"url\":\"main/swagger.json\",\"name\":\"Main\"}]}');</script>";
const TWO: &str = "json {\"urls\":[{\"url\":\"/swagger/v1/swagger.json\",\"name\":\"A\"},{\"url\":\"/swagger/b/swagger.json\",\"name\":\"B\"}]}";

const ROWS: &[Row] = &[
    // Usual addresses.
    row("Swashbuckle", "", &[("/swagger/v1/swagger.json", "contract")], 0, &["taking @/swagger/v1/swagger.json"]),
    row("Microsoft.AspNetCore.OpenApi", "", &[("/openapi/v1.json", "contract")], 0, &["taking @/openapi/v1.json"]),
    row("as YAML", "", &[("/openapi/v1.yaml", "yaml")], 0, &["taking @/openapi/v1.yaml"]),
    row("Swashbuckle as YAML", "", &[("/swagger/v1/swagger.yaml", "yaml")], 0, &["taking @/swagger/v1/swagger.yaml"]),
    row("version 2 alone", "", &[("/swagger/v2/swagger.json", "contract")], 0, &["taking @/swagger/v2/swagger.json"]),
    row("OpenAPI version 2 alone", "", &[("/openapi/v2.json", "contract")], 0, &["taking @/openapi/v2.json"]),
    row("openapi.json", "", &[("/openapi.json", "contract")], 0, &["taking @/openapi.json"]),
    row("swagger.json", "", &[("/swagger.json", "swagger2")], 0, &["taking @/swagger.json", "swagger-2.0"]),
    row("springdoc", "", &[("/v3/api-docs", "contract")], 0, &["taking @/v3/api-docs"]),
    row("a slash at the end", "/", &[("/openapi/v1.json", "contract")], 0, &["taking @/openapi/v1.json"]),
    row("JSON and YAML of one", "", &[("/openapi/v1.json", "contract"), ("/openapi/v1.yaml", "yaml")], 0, &["v1.json"]),
    row(
        "one document at two addresses",
        "",
        &[("/swagger/v1/swagger.json", "contract"), ("/openapi/v1.json", "contract")],
        0,
        &["taking @/swagger/v1/swagger.json"],
    ),
    // Gateways.
    row("a path prefix", "/pre", &[("/pre/openapi/v1.json", "contract")], 0, &["taking @/pre/openapi/v1.json"]),
    row("a prefix of two segments", "/a/b/", &[("/a/b/swagger.json", "contract")], 0, &["taking @/a/b/swagger.json"]),
    row(
        "a prefix that the service does not know",
        "/pre",
        &[("/pre/swagger/index.html", NSWAG), ("/pre/swagger/main/swagger.json", "contract")],
        0,
        &["taking @/pre/swagger/main/swagger.json"],
    ),
    row(
        "403 for unknown paths",
        "",
        &[("/openapi/v1.json", "contract"), ("*", "403")],
        0,
        &["taking @/openapi/v1.json"],
    ),
    row(
        "401 for unknown paths",
        "",
        &[("/openapi/v1.json", "contract"), ("*", "401")],
        0,
        &["taking @/openapi/v1.json"],
    ),
    row(
        "400 for unknown paths",
        "",
        &[("/openapi/v1.json", "contract"), ("*", "400")],
        0,
        &["taking @/openapi/v1.json"],
    ),
    row(
        "405 for unknown paths",
        "",
        &[("/openapi/v1.json", "contract"), ("*", "405")],
        0,
        &["taking @/openapi/v1.json"],
    ),
    row(
        "500 for unknown paths",
        "",
        &[("/openapi/v1.json", "contract"), ("*", "500")],
        0,
        &["taking @/openapi/v1.json"],
    ),
    row(
        "204 for unknown paths",
        "",
        &[("/openapi/v1.json", "contract"), ("*", "204")],
        0,
        &["taking @/openapi/v1.json"],
    ),
    row("redirects for unknown paths", "", &[("/openapi/v1.json", "contract"), ("*", "to /gone/")], 0, &["v1.json"]),
    row("a page for unknown paths", "", &[("/openapi/v1.json", "contract"), ("*", "html <app/>")], 0, &["v1.json"]),
    row("JSON for unknown paths", "", &[("/openapi/v1.json", "contract"), ("*", "json {\"ok\":1}")], 0, &["v1.json"]),
    row("text for unknown paths", "", &[("/openapi/v1.json", "contract"), ("*", "text ok")], 0, &["v1.json"]),
    row(
        "a broken answer at one guess",
        "",
        &[("/openapi/v1.json", "contract"), ("/swagger.json", "cut")],
        0,
        &["v1.json"],
    ),
    // Viewers.
    row(
        "Swagger UI of Swashbuckle",
        "",
        &[("/swagger/index.html", SWASHBUCKLE), ("/swagger/main/swagger.json", "contract")],
        0,
        &["taking @/swagger/main/swagger.json"],
    ),
    row(
        "Swagger UI of NSwag",
        "",
        &[("/swagger/index.html", NSWAG), ("/swagger/main/swagger.json", "contract")],
        0,
        &["taking @/swagger/main/swagger.json"],
    ),
    row(
        "a script of Swagger UI",
        "",
        &[
            ("/swagger/index.html", UI),
            ("/swagger/index.js", "script const c = {urls: [{url: 'x.json', name: 'X'}]}"),
            ("/swagger/x.json", "contract"),
        ],
        0,
        &["taking @/swagger/x.json"],
    ),
    row(
        "Swagger UI at the root",
        "",
        &[("/", UI), ("/index.js", "script SwaggerUIBundle({url: '/all.json'})"), ("/all.json", "contract")],
        0,
        &["taking @/all.json"],
    ),
    row(
        "a viewer at /docs",
        "",
        &[("/docs", "html <redoc spec-url='/c.json'>"), ("/c.json", "contract")],
        0,
        &["@/c.json"],
    ),
    row(
        "Redoc",
        "",
        &[("/redoc", "html <script>Redoc.init('/r.yaml')</script>"), ("/r.yaml", "yaml")],
        0,
        &["@/r.yaml"],
    ),
    row(
        "Scalar",
        "",
        &[("/scalar/v1", "html <script data-url='/s.json'></script>"), ("/s.json", "contract")],
        0,
        &["@/s.json"],
    ),
    row(
        "Scalar with sources",
        "",
        &[
            ("/scalar", "html initialize({\"sources\":[{\"title\":\"M\",\"url\":\"/openapi/m.json\"}]})"),
            ("/openapi/m.json", "contract"),
        ],
        0,
        &["taking @/openapi/m.json"],
    ),
    row(
        "a viewer with the sample of Swagger UI",
        "",
        &[("/docs", "html url: 'https://petstore.swagger.io/v2/swagger.json'")],
        3,
        &["no contract"],
    ),
    row("a page with a logo", "", &[("/", "html <img url='/logo.png'>")], 3, &["no contract", "@/ (200) (a page)"]),
    // The address of a viewer or of the contract in the place of the base URL.
    row(
        "a viewer as base URL",
        "/swagger/index.html",
        &[("/swagger/index.html", SWASHBUCKLE), ("/swagger/main/swagger.json", "contract")],
        0,
        &["taking @/swagger/main/swagger.json"],
    ),
    row("the contract as base URL", "/x/c.json", &[("/x/c.json", "contract")], 0, &["taking @/x/c.json"]),
    // Several documents.
    row(
        "two versions that no page lists",
        "",
        &[("/swagger/v1/swagger.json", "contract"), ("/swagger/v2/swagger.json", "contract 2")],
        5,
        &["2 contracts", "name = \"v1\"", "name = \"v2\"", "contract = \"/swagger/v2/swagger.json\""],
    ),
    row(
        "two frameworks with two documents",
        "",
        &[("/swagger/v1/swagger.json", "contract"), ("/openapi/v1.json", "contract 2")],
        5,
        &["2 contracts", "contract = \"/openapi/v1.json\""],
    ),
    row(
        "two documents of a page",
        "",
        &[("/swagger/index.html", TWO)],
        5,
        &["2 contracts", "name = \"a\"", "name = \"b\""],
    ),
    row(
        "another document of a page",
        "",
        &[
            ("/swagger/v1/swagger.json", "contract"),
            ("/swagger/index.html", TWO),
            ("/swagger/b/swagger.json", "contract 2"),
        ],
        5,
        &["2 contracts", "contract = \"/swagger/b/swagger.json\""],
    ),
    row(
        "another document that needs a token",
        "",
        &[("/swagger/v1/swagger.json", "contract"), ("/swagger/index.html", TWO), ("/swagger/b/swagger.json", "401")],
        5,
        &["2 contracts", "contract = \"/swagger/b/swagger.json\""],
    ),
    row(
        "a page that lists what is gone",
        "",
        &[("/swagger/v1/swagger.json", "contract"), ("/swagger/index.html", TWO)],
        0,
        &["taking @/swagger/v1/swagger.json"],
    ),
    // What is not a contract.
    row(
        "nothing",
        "",
        &[],
        3,
        &[
            "no contract is served below @/",
            "@/swagger/v1/swagger.json (404)",
            "@/docs (404)",
            "[[source.document]]",
            "--offline",
        ],
    ),
    row(
        "a sign-in page everywhere",
        "",
        &[("*", "html <html>Sign in</html>")],
        4,
        &["Sign in", "login page", "@/openapi/v1.json (200) (a page)"],
    ),
    row("a redirect to a sign-in page", "", &[("*", "to /login")], 3, &["no contract", "@/swagger/v1/swagger.json"]),
    row("401 everywhere", "", &[("*", "401")], 3, &["answered 401", "needs a token", "@/openapi/v1.json (401)"]),
    row("403 everywhere", "", &[("*", "403")], 3, &["answered 403", "scope and roles", "@/openapi/v1.json (403)"]),
    row("500 everywhere", "", &[("*", "500")], 3, &["no contract", "@/swagger/v1/swagger.json (500)"]),
    row("429 everywhere", "", &[("*", "429")], 3, &["@/swagger/v1/swagger.json (429)"]),
    row(
        "a token is needed",
        "",
        &[("/openapi/v1.json", "bearer")],
        3,
        &["answered 401", "[source.token]", "@/openapi/v1.json (401)"],
    ),
    row(
        "JSON that is not a contract",
        "",
        &[("/openapi/v1.json", "json {\"error\":\"no tenant\"}")],
        4,
        &["no tenant"],
    ),
    row("an empty document", "", &[("/openapi/v1.json", "json")], 4, &["an empty body"]),
    row("half a contract", "", &[("/openapi/v1.json", "half")], 4, &["contract/not-usable"]),
    row("a contract that breaks off", "", &[("/openapi/v1.json", "cut")], 3, &["@/openapi/v1.json", "broke off"]),
    row("304 without a tag", "", &[("/openapi/v1.json", "304")], 3, &["@/openapi/v1.json (304)"]),
    // Encodings and types.
    row("a byte order mark", "", &[("/openapi/v1.json", "bom")], 0, &["v1.json"]),
    row("UTF-16", "", &[("/openapi/v1.json", "utf16")], 0, &["v1.json"]),
    row("a contract as text", "", &[("/openapi/v1.json", "plain")], 0, &["v1.json"]),
    row("a contract as octets", "", &[("/openapi/v1.json", "octets")], 0, &["v1.json"]),
    row("a contract as a page", "", &[("/openapi/v1.json", "as-html")], 0, &["v1.json"]),
    row("a tag", "", &[("/openapi/v1.json", "tagged")], 0, &["v1.json"]),
];

fn serve(serves: &'static [(&'static str, &'static str)]) -> Server {
    Server::start_at(move |origin| {
        let origin = origin.to_owned();
        move |request: &Request| {
            let path = request.path.split('?').next().unwrap_or_default();
            let found = serves
                .iter()
                .find(|(place, _)| *place == path)
                .or_else(|| serves.iter().find(|(place, _)| *place == "*"));
            found.map_or_else(|| Response::status(404), |(_, what)| answer(what, request, &origin))
        }
    })
}

#[test]
fn every_behaviour_has_its_outcome() {
    assert!(ROWS.len() >= 60, "{}", ROWS.len());
    let mut wrong = String::new();
    for row in ROWS {
        let server = serve(row.serves);
        let workspace = Workspace::new();
        let base = format!("{}{}", server.url(), row.base);
        let run = workspace.run(&["regenerate", "--base-url", &base]);
        let said = format!("{}{}", run.stdout, run.stderr);
        let missing: Vec<String> =
            row.says.iter().map(|word| word.replace('@', &server.url())).filter(|word| !said.contains(word)).collect();
        // A run that fails leaves nothing behind.
        let is_clean = run.code == Some(0) || workspace.generated().is_empty();
        if run.code != Some(row.exit) || !missing.is_empty() || !is_clean {
            let _ = writeln!(wrong, "== {}: exit {:?}, missing {missing:?}\n{said}", row.name, run.code);
        }
        if run.code == Some(0) {
            // The second run finds the same again, and changes nothing.
            let again = workspace.run(&["regenerate", "--base-url", &base]);
            if !again.stdout.contains("0 bytes written") {
                let _ = writeln!(wrong, "== {}: the second run\n{}{}", row.name, again.stdout, again.stderr);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_token_that_is_set_and_not_sent_says_why() {
    let server = serve(&[("/openapi/v1.json", "bearer"), ("/c.json", "contract")]);
    let workspace = Workspace::new();
    let token = &[("TEST_TOKEN", "canary")];
    workspace
        .run_with(&["regenerate", "--base-url", &server.url()], token)
        .succeeds(&["the token from the environment variable `TEST_TOKEN`"]);
    let (contract, other) = (format!("{}/openapi/v1.json", server.url()), serve(&[("/c.json", "contract")]));
    let run = workspace.run_with(&["regenerate", "--contract", &contract], token);
    run.fails(3, &["TEST_TOKEN is set, and not sent", "no base URL beside it: set TEST_BASE_URL", "401"]);
    let arguments = ["regenerate", "--base-url", &server.url(), "--contract", &format!("{}/c.json", other.url())];
    workspace
        .run_with(&arguments, token)
        .succeeds(&["TEST_TOKEN is set, and not sent", "not at the origin of the base URL"]);
    assert!(other.requests().iter().all(|request| request.header("authorization").is_none()));
    workspace.write("contract.json", &contract::small());
    let run = workspace.run_with(&["regenerate", "--contract", "contract.json"], token);
    run.succeeds(&["TEST_TOKEN is set, and not sent: the contract is a file"]);
}

#[test]
fn a_wrong_base_url_names_where_it_was_set() {
    let workspace = Workspace::new();
    workspace.run(&["regenerate", "--base-url", "ftp://h"]).fails(5, &["--base-url is not an http(s) URL"]);
    let run = workspace.run_with(&["regenerate"], &[("TEST_BASE_URL", "h:80")]);
    run.fails(5, &["TEST_BASE_URL (the base URL)"]);
}
