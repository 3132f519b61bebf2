//! Several documents, each from its own server with its own token.

use crate::support;
use crate::support::server::{Request, Response, Server};
use crate::support::{CONFIGURATION, Workspace, contract};

/// A server that gives its contract for its own token only.
fn guarded(token: &'static str, path: &'static str) -> Server {
    Server::start(move |request: &Request| {
        if request.header("authorization") != Some(&format!("Bearer {token}")) {
            return Response::status(401);
        }
        if request.path == "/c.json" { Response::json(contract::with_paths(&[path])) } else { Response::status(404) }
    })
}

const DOCUMENTS: &str = "
[[source.document]]
name = 'platform'
contract = '/c.json'
[[source.document]]
name = 'compliance'
contract = '/c.json'
base_url_env = 'TEST_COMPLIANCE_URL'
[source.document.token]
variables = 'TEST_COMPLIANCE_'
";

const SERVER: &str = "
[[server]]
name = 'compliance'
documents = ['compliance']
";

struct Pair {
    workspace: Workspace,
    main: Server,
    compliance: Server,
}

impl Pair {
    fn new(configuration: &str) -> Self {
        let workspace = Workspace::new();
        workspace.write("specs/codegen.toml", &format!("{CONFIGURATION}{configuration}"));
        let main = guarded("canary-main", "/api/things");
        Self { workspace, main, compliance: guarded("canary-compliance", "/api/frameworks") }
    }

    fn run(&self, arguments: &[&str]) -> support::Run {
        let variables = [
            ("TEST_BASE_URL", self.main.url()),
            ("TEST_TOKEN", "canary-main".to_owned()),
            ("TEST_COMPLIANCE_URL", self.compliance.url()),
            ("TEST_COMPLIANCE_TOKEN", "canary-compliance".to_owned()),
        ];
        let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.workspace.run_with(arguments, &variables)
    }
}

fn tokens(server: &Server) -> Vec<String> {
    server.requests().iter().filter_map(|request| request.header("authorization").map(str::to_owned)).collect()
}

#[test]
fn each_document_is_downloaded_with_its_own_token() {
    let pair = Pair::new(&format!("{DOCUMENTS}{SERVER}"));
    pair.run(&["regenerate"]).succeeds(&["platform from http", "compliance from http"]);
    assert!(!tokens(&pair.main).is_empty() && !tokens(&pair.compliance).is_empty());
    assert!(tokens(&pair.main).iter().all(|token| token == "Bearer canary-main"), "{:?}", tokens(&pair.main));
    let own = tokens(&pair.compliance);
    assert!(own.iter().all(|token| token == "Bearer canary-compliance"), "{own:?}");
    let surface = pair.workspace.read("specs/client.txt");
    assert!(surface.contains("compliance_frameworks.list_frameworks  GET /api/frameworks"), "{surface}");
    assert!(surface.contains("  server compliance") && surface.contains("things.list"), "{surface}");
    pair.workspace.run(&["regenerate", "--check"]).succeeds(&[]);
}

#[test]
fn a_document_of_another_origin_has_to_name_its_server() {
    let pair = Pair::new(DOCUMENTS);
    let run = pair.run(&["regenerate"]);
    run.fails(5, &["source/other-server", "\"compliance\" comes from", "[[server]]", "documents = [\"compliance\"]"]);
    assert!(pair.main.requests().is_empty() && pair.compliance.requests().is_empty());
    assert!(pair.workspace.generated().is_empty());
    // Somebody may say that they are one.
    let pair = Pair::new(&format!("{DOCUMENTS}{}", SERVER.replace("name = 'compliance'", "name = 'main'")));
    pair.run(&["regenerate"]).succeeds(&[]);
    assert!(!pair.workspace.read("specs/client.txt").contains("  server "));
}

#[test]
fn a_document_that_cannot_be_had_fails_the_run_and_names_itself() {
    let pair = Pair::new(&format!("{DOCUMENTS}{SERVER}"));
    pair.run(&["regenerate"]).succeeds(&[]);
    let before = pair.workspace.tree();
    let variables = [("TEST_BASE_URL", pair.main.url()), ("TEST_COMPLIANCE_URL", pair.compliance.url())];
    let run = |variables: &[(&str, &str)]| pair.workspace.run_with(&["regenerate"], variables);
    let with: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let token = ("TEST_TOKEN", "canary-main");
    run(&[with[0], with[1], token]).fails(3, &["the document \"compliance\"", "401"]);
    run(&[with[0], token, ("TEST_COMPLIANCE_URL", "http://127.0.0.1:1")])
        .fails(3, &["the document \"compliance\"", "127.0.0.1:1"]);
    run(&[with[0], token]).fails(5, &["the document \"compliance\"", "TEST_COMPLIANCE_URL"]);
    assert_eq!(pair.workspace.tree(), before);
}

#[test]
fn one_document_is_refreshed_alone() {
    let pair = Pair::new(&format!("{DOCUMENTS}{SERVER}"));
    pair.run(&["regenerate", "--document", "compliance"]).fails(5, &["no contract is pinned"]);
    pair.run(&["regenerate"]).succeeds(&[]);
    let (before, asked) = (pair.workspace.tree(), pair.main.requests().len());
    pair.run(&["regenerate", "--document", "compliance"]).succeeds(&["0 bytes written"]);
    assert_eq!((pair.workspace.tree(), pair.main.requests().len()), (before, asked));
    pair.run(&["regenerate", "--document", "other"])
        .fails(5, &["no document has the name \"other\"", "platform, compliance"]);
}

/// The client of the main server watches an operation.
#[test]
fn an_asynchronous_operation_of_another_server_is_refused_with_its_line() {
    let pair = Pair::new(&format!("{DOCUMENTS}{SERVER}"));
    pair.run(&["regenerate"]).succeeds(&[]);
    pair.workspace.write("specs/graphql/job.graphql", "query Job($id: ID!) { job(id: $id) { state } }");
    let rules = pair.workspace.read("specs/codegen.toml");
    let bind = |submit: &str, cancel: &str| {
        let binding = format!(
            "[[operation]]\nname = 'job'\nsubmit = '{submit}'\nidentifier = '/0/id'\nquery = 'job.graphql'\n\
             state = '/job/state'\nstates = {{ succeeded = ['DONE'] }}\n\
             cancel = {{ operation = '{cancel}', parameter = 'id' }}\n"
        );
        pair.workspace.write("specs/codegen.toml", &format!("{rules}{binding}"));
        let line = rules.lines().count() + 1;
        (line, pair.workspace.run(&["regenerate", "--offline"]))
    };
    let before = pair.workspace.tree();
    for (submit, cancel, key, below) in [
        ("GET /api/frameworks", "GET /api/things", "submit", 2),
        ("compliance_frameworks.list_frameworks", "GET /api/things", "submit", 2),
        ("GET /api/things", "GET /api/frameworks", "cancel/operation", 7),
    ] {
        let (line, run) = bind(submit, cancel);
        let start = format!("specs/codegen.toml:{}:", line + below);
        run.fails(
            5,
            &[
                &start,
                &format!(
                    "at /operation/0/{key}: the asynchronous operation `job`: `GET /api/frameworks` is of the server \
                     `compliance`"
                ),
                "bind an operation of the main server, or remove the entry",
                "[operation/server]",
            ],
        );
    }
    pair.workspace.write("specs/codegen.toml", &rules);
    assert_eq!(pair.workspace.tree(), before);
}

/// A file lies on no server, whatever it says.
#[test]
fn documents_that_are_files_have_to_name_their_server() {
    let workspace = Workspace::new();
    workspace.write("a.json", &contract::with_paths(&["/api/things"]));
    workspace.write("b.json", &contract::with_paths(&["/api/frameworks"]));
    let documents = "\n[[source.document]]\nname = 'a'\ncontract = 'a.json'\n[[source.document]]\nname = 'b'\ncontract = 'b.json'\n";
    let configured = |servers: &str| {
        workspace.write("specs/codegen.toml", &format!("{CONFIGURATION}{documents}{servers}"));
    };
    configured("");
    workspace
        .run(&["regenerate"])
        .fails(5, &["source/other-server", "\"b\" comes from a file, and \"a\" from a file", "documents = [\"b\"]"]);
    assert!(workspace.generated().is_empty());
    configured("[[server]]\nname = 'main'\ndocuments = ['a', 'b']\n");
    workspace.run(&["regenerate"]).succeeds(&[]);
    assert!(!workspace.read("specs/client.txt").contains("  server "));
    let before = workspace.tree();
    workspace.run(&["regenerate", "--offline"]).succeeds(&["0 bytes written"]);
    // The pinned contract is asked as well: an entry that goes makes two services one.
    configured("");
    workspace.run(&["regenerate", "--offline"]).fails(5, &["source/other-server"]);
    configured("[[server]]\nname = 'main'\ndocuments = ['a', 'b']\n");
    assert_eq!(workspace.tree(), before);
    configured("[[server]]\nname = 'b'\ndocuments = ['b']\n");
    workspace.run(&["regenerate", "--offline"]).succeeds(&[]);
    assert!(workspace.read("specs/client.txt").contains("  server b"));
    let ledger = workspace.read("specs/ledger.txt");
    assert!(ledger.contains("the document `a` has a schema of this name, too"), "{ledger}");
}
