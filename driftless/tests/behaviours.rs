//! Behaviours of servers, a row each: the answers, and the end of a regeneration from them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Mutex;

use crate::support::server::{Request, Response, Server};
use crate::support::{Workspace, contract};

/// One server.
struct Row {
    name: &'static str,
    /// The server behind the base URL's origin.
    base: &'static str,
    /// Path → answer; `*` stands for every other path. Without one: 404.
    serves: &'static [(&'static str, &'static str)],
    /// The exit code of the run.
    exit: i32,
    /// A part of the output; `@` stands for the server's origin.
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

/// An answer in words: `contract`, `contract 2`, `yaml`, `swagger2`, a status, `html …`, `json …`, `text …`, `to …` (a redirect),
/// `packed …` (a coding), `busy …` (a status, and a pause).
/// `before`: how often the path was asked before.
fn answer(body: &str, request: &Request, origin: &str, before: usize) -> Response {
    let (kind, rest) = body.split_once(' ').unwrap_or((body, ""));
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
        "packed" => packed(&rest),
        "busy" => busy(&rest, before),
        "within" => Response::status(307).with("location", &rest),
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

/// A server that is busy at first: its status, and when it wants to be asked again.
fn busy(how: &str, before: usize) -> Response {
    let (status, pause) = how.split_once(' ').unwrap_or((how, ""));
    let pause = match pause {
        "past" => "Sun, 06 Nov 1994 08:49:37 GMT",
        "future" => "Fri, 31 Dec 9999 23:59:59 GMT",
        pause => pause,
    };
    match before {
        0 => Response::status(status.parse().expect("a status")).with("retry-after", pause),
        _ => Response::json(contract::small()),
    }
}

/// A contract, or a great many blanks, packed as servers do.
fn packed(how: &str) -> Response {
    let (coding, content) = how.split_once(' ').unwrap_or((how, "contract"));
    let text = contract::small().into_bytes();
    let (fast, expect) = (flate2::Compression::fast(), "packed");
    let body = match coding {
        _ if content == "bomb" => bomb(coding),
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), fast);
            encoder.write_all(&text).and_then(|()| encoder.finish()).expect(expect)
        }
        "deflate" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), fast);
            encoder.write_all(&text).and_then(|()| encoder.finish()).expect(expect)
        }
        "bare-deflate" => {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), fast);
            encoder.write_all(&text).and_then(|()| encoder.finish()).expect(expect)
        }
        "zstd" => ruzstd::encoding::compress_to_vec(text.as_slice(), ruzstd::encoding::CompressionLevel::Fastest),
        "br" => stored(&text),
        _ => text,
    };
    let coding = coding.trim_start_matches("bare-");
    Response::json(if content == "half" { body[..body.len() / 2].to_vec() } else { body })
        .with("content-encoding", coding)
}

/// 70 MiB of blanks. The checksum at the end is behind the limit, and left out.
fn bomb(coding: &str) -> Vec<u8> {
    let deflated = |head: &[u8]| {
        let mut part = Vec::with_capacity(1 << 16);
        let mut encoder = flate2::Compress::new(flate2::Compression::fast(), false);
        encoder.compress_vec(&[b' '; 1 << 20], &mut part, flate2::FlushCompress::Full).expect("packed");
        assert_eq!(encoder.total_in(), 1 << 20);
        // A part depends on none before it.
        [head, &part.repeat(70)].concat()
    };
    match coding {
        "gzip" => deflated(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]),
        "deflate" => deflated(&[0x78, 0x01]),
        // A window of 128 KiB, and blocks of one byte that is repeated as often (RFC 8878, section 3.1.1).
        "zstd" => {
            let block = |last: u32| [&(1 << 20 | 1 << 1 | last).to_le_bytes()[..3], b" "].concat();
            [vec![0x28, 0xb5, 0x2f, 0xfd, 0, 7 << 3], block(0).repeat(559), block(1)].concat()
        }
        "br" => hex(BLANKS),
        _ => panic!("no bomb of {coding}"),
    }
}

/// Brotli without compression (RFC 7932, section 9.2): a window of 16 bits, one stored block, and an empty last one.
fn stored(text: &[u8]) -> Vec<u8> {
    let head = u32::try_from(text.len() - 1).expect("a small text") << 4 | 1 << 20;
    [&head.to_le_bytes()[..3], text, &[0x03]].concat()
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).expect("hexadecimal")).collect()
}

/// 70 MiB of blanks in brotli.
const BLANKS: &str = "cbffff3f002440e2b14072effff8ffff078004401c1680eefd1fffffff00900088c302d0bdffe3ffff1f001200715800baf77ffcffff034002200e0b40f7fe8fffff7f004800c46101e8defff1ffff0f000980382c00ddfb3ffeffff012001108705a07bff97ffff5f002400e2b00074efbf00";

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
    // Bodies that are not a contract.
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
    row(
        "401 everywhere",
        "",
        &[("*", "401")],
        3,
        &["answered 401", "a token: TEST_TOKEN, or TEST_ISSUER", "@/openapi/v1.json (401)"],
    ),
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
    // Packed bodies.
    row("gzip", "", &[("/openapi/v1.json", "packed gzip")], 0, &["v1.json"]),
    row("deflate", "", &[("/openapi/v1.json", "packed deflate")], 0, &["v1.json"]),
    row("deflate without its frame", "", &[("/openapi/v1.json", "packed bare-deflate")], 0, &["v1.json"]),
    row("brotli", "", &[("/openapi/v1.json", "packed br")], 0, &["v1.json"]),
    row("zstd", "", &[("/openapi/v1.json", "packed zstd")], 0, &["v1.json"]),
    row("a character set as coding", "", &[("/openapi/v1.json", "packed utf-8")], 0, &["v1.json"]),
    row("half a gzip", "", &[("/openapi/v1.json", "packed gzip half")], 3, &["@/openapi/v1.json"]),
    row("a bomb of gzip", "", &[("/openapi/v1.json", "packed gzip bomb")], 4, &["more than 64.0 MiB"]),
    row(
        "a bomb of deflate",
        "",
        &[("/openapi/v1.json", "packed deflate bomb")],
        4,
        &["64.0 MiB once they are unpacked"],
    ),
    row("a bomb of brotli", "", &[("/openapi/v1.json", "packed br bomb")], 4, &["64.0 MiB once they are unpacked"]),
    row("a bomb of zstd", "", &[("/openapi/v1.json", "packed zstd bomb")], 4, &["64.0 MiB once they are unpacked"]),
    // Busy servers.
    row("429 with a pause", "", &[("/openapi/v1.json", "busy 429 1")], 0, &["answered 429: asking again in 1 s"]),
    row("503 with a pause", "", &[("/openapi/v1.json", "busy 503 0")], 0, &["answered 503: asking again in 0 s"]),
    row(
        "429 until a date that is over",
        "",
        &[("/openapi/v1.json", "busy 429 past")],
        0,
        &["answered 429: asking again"],
    ),
    row("429 until the end of time", "", &[("*", "busy 429 future")], 3, &["@/openapi/v1.json (429)"]),
    row("429 with a pause of a day", "", &[("*", "busy 429 86400")], 3, &["@/openapi/v1.json (429)"]),
    row("429 with nonsense for a pause", "", &[("*", "busy 429 soon")], 3, &["@/openapi/v1.json (429)"]),
];

fn serve(serves: &[(&'static str, &str)]) -> Server {
    serve_owned(serves.iter().map(|(path, body)| (*path, (*body).to_owned())).collect())
}

fn serve_owned(serves: Vec<(&'static str, String)>) -> Server {
    Server::start_at(move |origin| {
        let origin = origin.to_owned();
        let asked = Mutex::new(BTreeMap::<String, usize>::new());
        move |request: &Request| {
            let path = request.path.split('?').next().unwrap_or_default();
            let mut asked = asked.lock().expect("not poisoned");
            let count = asked.entry(path.to_owned()).or_default();
            let before = std::mem::replace(count, *count + 1);
            let answered = serves
                .iter()
                .find(|(served, _)| *served == path)
                .or_else(|| serves.iter().find(|(served, _)| *served == "*"));
            answered.map_or_else(|| Response::status(404), |(_, body)| answer(body, request, &origin, before))
        }
    })
}

/// The mistakes of a row; empty if it passes. `%` stands for another server, which has a contract for all paths.
fn wrong(row: &Row, variables: &[(&str, &str)]) -> String {
    let other = serve(&[("*", "contract")]);
    let serves: Vec<(&str, String)> =
        row.serves.iter().map(|(path, body)| (*path, body.replace('%', &other.url()))).collect();
    let server = serve_owned(serves);
    let workspace = Workspace::new();
    let base = format!("{}{}", server.url(), row.base);
    let run = workspace.run_with(&["regenerate", "--base-url", &base], variables);
    let output = format!("{}{}", run.stdout, run.stderr);
    let real = |word: &&str| word.replace('@', &server.url()).replace('%', &other.url());
    let missing: Vec<String> = row.says.iter().map(real).filter(|word| !output.contains(word)).collect();
    let mut wrong = String::new();
    // A run that fails leaves nothing behind.
    let is_clean = run.code == Some(0) || workspace.generated().is_empty();
    if run.code != Some(row.exit) || !missing.is_empty() || !is_clean {
        let _ = writeln!(wrong, "== {}: exit {:?}, missing {missing:?}\n{output}", row.name, run.code);
    }
    if output.contains("canary") || other.requests().iter().any(|request| request.header("authorization").is_some()) {
        let _ = writeln!(wrong, "== {}: the token is seen by others\n{output}", row.name);
    }
    if run.code == Some(0) {
        // The second run finds the same again, and changes nothing.
        let again = workspace.run_with(&["regenerate", "--base-url", &base], variables);
        if !again.stdout.contains("0 bytes written") {
            let _ = writeln!(wrong, "== {}: the second run\n{}{}", row.name, again.stdout, again.stderr);
        }
    }
    wrong
}

#[test]
fn every_behaviour_has_its_outcome() {
    assert!(ROWS.len() >= 60, "{}", ROWS.len());
    // A row waits for its servers and the disk more than it computes.
    let wrong: String = std::thread::scope(|scope| {
        let part = |rows: &'static [Row]| scope.spawn(|| rows.iter().map(|row| wrong(row, &[])).collect::<String>());
        let parts: Vec<_> = ROWS.chunks(ROWS.len() / 4 + 1).map(part).collect();
        parts.into_iter().map(|part| part.join().expect("no panic")).collect()
    });
    assert!(wrong.is_empty(), "{wrong}");
}

/// Servers that want a token, which is set.
const GUARDED: &[Row] = &[
    row("a token", "", &[("/openapi/v1.json", "bearer")], 0, &["taking @/openapi/v1.json"]),
    row(
        "a redirect within the origin",
        "",
        &[("/openapi/v1.json", "within /real.json"), ("/real.json", "bearer")],
        0,
        &["taking @/real.json"],
    ),
    row(
        "a redirect to another server",
        "",
        &[("/openapi/v1.json", "to %/c.json"), ("/swagger.json", "bearer")],
        0,
        &["taking @/swagger.json"],
    ),
    row(
        "redirects to another server alone",
        "",
        &[("*", "to %/c.json")],
        3,
        &["@/swagger/v1/swagger.json redirects to %/c.json, another server, which is not sent the credentials"],
    ),
    row("redirects without end", "", &[("*", "within /again")], 3, &["ever more redirects"]),
    row(
        "a page that lists a contract of another server",
        "",
        &[("/docs", "html <redoc spec-url='%/c.json'>")],
        0,
        &["taking %/c.json"],
    ),
    row(
        "a token that is refused",
        "",
        &[("*", "401")],
        3,
        &["check the token from the environment variable `TEST_TOKEN`"],
    ),
];

#[test]
fn every_guarded_behaviour_has_its_outcome() {
    std::thread::scope(|scope| {
        for token in ["canary", "Bearer canary", "bearer  canary "] {
            scope.spawn(move || {
                let wrong: String = GUARDED.iter().map(|row| wrong(row, &[("TEST_TOKEN", token)])).collect();
                assert!(wrong.is_empty(), "{token:?}: {wrong}");
            });
        }
    });
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
    run.fails(3, &["TEST_TOKEN is set, and not used", "no base URL beside it: set TEST_BASE_URL", "401"]);
    let arguments = ["regenerate", "--base-url", &server.url(), "--contract", &format!("{}/c.json", other.url())];
    workspace
        .run_with(&arguments, token)
        .succeeds(&["TEST_TOKEN is set, and not used", "not at the origin of the base URL"]);
    assert!(other.requests().iter().all(|request| request.header("authorization").is_none()));
    workspace.write("contract.json", &contract::small());
    let run = workspace.run_with(&["regenerate", "--contract", "contract.json"], token);
    run.succeeds(&["TEST_TOKEN is set, and not used: the contract is a file"]);
    // So is the credential that a token is requested with.
    for name in ["TEST_CLIENT_SECRET", "TEST_SECRET_FILE", "TEST_REFRESH_FOLDER"] {
        let run = workspace.run_with(&["regenerate", "--contract", "contract.json"], &[(name, "/no/such")]);
        run.succeeds(&[&format!("{name} is set, and not used: the contract is a file")]);
    }
}

#[test]
fn a_wrong_base_url_names_where_it_was_set() {
    let workspace = Workspace::new();
    workspace.run(&["regenerate", "--base-url", "ftp://h"]).fails(5, &["--base-url is not an http(s) URL"]);
    workspace.run(&["regenerate", "--contract", "ftp://h/c"]).fails(5, &["--contract is not an http(s) URL"]);
    let run = workspace.run_with(&["regenerate"], &[("TEST_BASE_URL", "h:80")]);
    run.fails(5, &["TEST_BASE_URL (the base URL)"]);
    let keys = |text: &str| {
        workspace.write("specs/codegen.toml", &format!("[source]\n{text}"));
        workspace.run(&["regenerate"])
    };
    keys("base_url = 'h:80'").fails(5, &["specs/codegen.toml:2:1: `base_url` in [source] is not an http(s) URL"]);
    keys("[[source.document]]\nname = 'a'\ncontract = '/c'\nbase_url = 'h:80'")
        .fails(5, &["specs/codegen.toml:5:1: `base_url` of the document \"a\""]);
    keys("[[source.document]]\nname = 'a'\ncontract = 'https://me:canary@h/c'")
        .fails(5, &["specs/codegen.toml:4:1: `contract`", "user or password"]);
    keys("[[source.document]]\nname = 'a'\ncontract = '/c'").fails(5, &["specs/codegen.toml:4:1: the document \"a\""]);
}

#[test]
fn a_busy_server_is_asked_again_within_bounds() {
    let server = Server::start(|_| Response::status(429).with("retry-after", "0"));
    let workspace = Workspace::pinned();
    let url = format!("{}/c.json", server.url());
    workspace
        .run(&["regenerate", "--contract", &url])
        .fails(3, &["download/busy", "answered 429 Too Many Requests, and asks for a pause of 0 s"]);
    assert_eq!(server.requests().len(), 3);
    // More than a run may take is not waited for.
    let server = Server::start(|_| Response::status(503).with("retry-after", "100"));
    let url = format!("{}/c.json", server.url());
    let run = workspace.run(&["regenerate", "--contract", &url, "--timeout", "99"]);
    run.fails(3, &["asks for a pause of 100 s", "--timeout"]);
    assert_eq!(server.requests().len(), 1);
}

/// If a token is set and does not help, the message names its purpose.
#[test]
fn a_token_of_another_place_is_named() {
    let (server, other) = (serve(&[]), serve(&[("/c.json", "bearer")]));
    let workspace = Workspace::new();
    let url = format!("{}/c.json", other.url());
    let arguments = ["regenerate", "--base-url", &server.url(), "--contract", &url];
    workspace.run_with(&arguments, &[("TEST_TOKEN", "canary")]).fails(
        3,
        &["TEST_TOKEN is set, and not used", "answered 401", "the credentials are for the origin of the base URL"],
    );
    workspace.run_with(&["regenerate", "--base-url", &other.url()], &[("SERVICE_TOKEN", "canary")]).fails(
        3,
        &["SERVICE_TOKEN is set, and not used: specs/codegen.toml does not name it", "variables = \"SERVICE_\""],
    );
    assert!(other.requests().iter().all(|request| request.header("authorization").is_none()));
    workspace.write("c.json", &contract::small());
    let document =
        "[[source.document]]\nname = 'a'\ncontract = 'c.json'\n[source.document.token]\nvariables = 'TEST_A_'\n";
    workspace.write("specs/codegen.toml", document);
    workspace
        .run_with(&["regenerate"], &[("TEST_A_TOKEN", "canary")])
        .succeeds(&["TEST_A_TOKEN is set, and not used for the document \"a\": the contract is a file"]);
}

/// Proxies and certificates are named with the variable that they come from.
#[test]
fn what_the_environment_names_is_named() {
    let workspace = Workspace::pinned();
    let url = ["regenerate", "--base-url", "https://platform.invalid"];
    let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    for variable in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let run = workspace.run_with(&url, &[(variable, &format!("http://me:canary@{closed}"))]);
        run.fails(3, &["download/proxy", &format!("through the proxy http://{closed} of `{variable}`")]);
        assert!(!run.stderr.contains("canary"), "{run:?}");
    }
    let refusing = Server::start(|_| Response::status(407));
    let run = workspace.run_with(&url, &[("HTTPS_PROXY", &refusing.url())]);
    run.fails(3, &["download/proxy", &format!("through the proxy {} of `HTTPS_PROXY`", refusing.url())]);
    let run = workspace.run_with(&url, &[("HTTPS_PROXY", "http://proxy.invalid:1")]);
    run.fails(3, &["download/proxy", "http://proxy.invalid:1 of `HTTPS_PROXY`"]);
    workspace.run_with(&url, &[("HTTPS_PROXY", "socks5://proxy:1")]).fails(5, &["proxy/malformed", "`HTTPS_PROXY`"]);
    // A host that is reached directly names none.
    let run = workspace.run_with(&url, &[("HTTPS_PROXY", "http://proxy.invalid:1"), ("NO_PROXY", "platform.invalid")]);
    run.fails(3, &["download/dns", "platform.invalid cannot be resolved"]);
    assert!(!run.stderr.contains("proxy.invalid"), "{run:?}");
    if cfg!(target_os = "linux") {
        let run = workspace.run_with(&url, &[("SSL_CERT_FILE", "/no/such/bundle.pem")]);
        run.fails(5, &["certificate/system", "`/no/such/bundle.pem`, which SSL_CERT_FILE names"]);
        workspace.write("empty.pem", "");
        let empty = workspace.path("empty.pem").to_string_lossy().into_owned();
        let run = workspace.run_with(&url, &[("SSL_CERT_FILE", &empty), ("SSL_CERT_DIR", "")]);
        run.fails(5, &["certificate/system", "the certificates that SSL_CERT_FILE names"]);
    }
}
