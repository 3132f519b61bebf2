//! Rules of `specs/codegen.toml` that change nothing, or cannot be followed: each is answered with its line.

use crate::support;
use crate::support::{CONFIGURATION, Workspace, contract};

const PATHS: [&str; 4] = ["/api/things", "/api/things/v2/parts", "/api/others", "/apiary"];

/// A workspace with the paths pinned, and the output of `--offline` with another configuration.
fn with(rules: &str, whole: bool) -> (Workspace, support::Run) {
    let workspace = pinned();
    let run = ruled(&workspace, rules, whole);
    (workspace, run)
}

fn pinned() -> Workspace {
    let workspace = Workspace::new();
    workspace.pin(&contract::with_paths(&PATHS));
    workspace
}

fn ruled(workspace: &Workspace, rules: &str, whole: bool) -> support::Run {
    let source = CONFIGURATION.split("[[family]]").next().unwrap_or_default();
    let text = if whole { rules.to_owned() } else { format!("{rules}\n{source}") };
    workspace.write("specs/codegen.toml", &text);
    workspace.run(&["regenerate", "--offline"])
}

#[test]
fn a_rule_that_changes_nothing_is_named_with_its_line() {
    for (rules, rule) in [
        ("include = ['/api', '/nope']", "codegen.toml:1: include \"/nope\": no path of the contract begins with it"),
        ("exclude = ['/nope']", "codegen.toml:1: exclude \"/nope\": no path that is included begins with it"),
        ("include = ['/api']\nexclude = ['/apiary']", "codegen.toml:2: exclude \"/apiary\": no path that is included"),
        ("[rename]\n'GET /nope' = 'nope'", "codegen.toml:2: rename \"GET /nope\": nothing has this key"),
        ("[rename]\n'GET /api/things' = 'new'", "rename \"GET /api/things\": `new` is taken, so the name is `new_2`"),
        ("[[pagination]]\noperation = 'GET /nope'\nskip = 'skip'", "codegen.toml:2: pagination of `GET /nope`"),
        ("[[server]]\nname = 'a'\ndocuments = ['nope']", "codegen.toml:3: document \"nope\" of the server \"a\""),
        ("[scalars]\nInstant = 'DateTime'", "codegen.toml:2: scalar `Instant`: no schema is pinned"),
        ("[[family]]\nname = 'a'\nprefixes = ['/nope']", "codegen.toml:1: family \"a\": it has no operation"),
        (
            "[[family]]\nname = 'a'\nprefixes = ['/api', '/nope']",
            "codegen.toml:3: prefix \"/nope\" of family \"a\": no path",
        ),
    ] {
        with(rules, false).1.succeeds(&["unused ", rule]);
    }
    let (_, run) = with("include = ['/api', '/apiary']\n[[family]]\nname = 'a'\nprefixes = ['/']", false);
    run.succeeds(&[]);
    assert!(!run.stdout.contains("unused"), "{}", run.stdout);
}

#[test]
fn an_asynchronous_operation_that_the_contract_does_not_have_is_named_with_its_line() {
    let rules = "[[operation]]\nname = 'job'\nsubmit = 'POST /jobs'\nidentifier = '/id'\nquery = 'job.graphql'\n\
                 state = '/job/state'\nstates = { succeeded = ['DONE'] }";
    let (workspace, _) = with(rules, false);
    workspace.write("specs/graphql/job.graphql", "query Job($id: ID!) { job(id: $id) { state } }");
    let rule = "codegen.toml:3: asynchronous operation `job`: the contract does not have `POST /jobs`";
    workspace.run(&["regenerate", "--offline"]).succeeds(&["unused ", rule]);
}

#[test]
fn rules_that_leave_no_operation_change_nothing() {
    for (rules, start) in [
        ("include = ['/nope']", "codegen.toml:1:1 at /include"),
        ("exclude = ['/']", "codegen.toml:1:1 at /exclude"),
        ("include = ['/api']\nexclude = ['/api/']", "codegen.toml:1:1 at /include"),
    ] {
        let (workspace, run) = with(rules, false);
        run.fails(5, &[start, "leave none of the 4 paths", "/api/others", "nothing was written"]);
        workspace.run(&["regenerate", "--check"]).fails(5, &["leave none"]);
        assert!(!workspace.generated().is_empty());
    }
}

#[test]
fn a_rule_that_cannot_be_followed_is_an_error_with_its_line_and_what_to_write() {
    // A run that fails changes nothing, so all of them share one workspace.
    let workspace = pinned();
    let others = |workspace: &Workspace| {
        let mut tree = workspace.tree();
        tree.remove("specs/codegen.toml");
        tree
    };
    let before = others(&workspace);
    let family = |name: &str, prefixes: &str| format!("[[family]]\nname = '{name}'\nprefixes = {prefixes}");
    for (rules, words) in [
        (family("a", "[]"), ["codegen.toml:3:1", "family \"a\" has no prefix", "prefixes = ["]),
        (family("a", "['']"), ["codegen.toml:3:13", "the prefix is empty", "\"/\" for all paths"]),
        (family("a", "['api']"), ["codegen.toml:3:13", "does not begin with `/`", "as the paths of the contract"]),
        (family("a", "['https://h/api']"), ["codegen.toml:3:13", "does not begin with `/`", "paths of the contract"]),
        (family("a", "['/api/../x']"), ["codegen.toml:3:13", "holds `.` or `..`", "the path that it leads to"]),
        (family("a", "['/api//x']"), ["codegen.toml:3:13", "holds `//`", "one `/`"]),
        (family("a", "['/api?x=1']"), ["codegen.toml:3:13", "contains characters that no path can", "without query"]),
        (family("a", "['/api', '/api/']"), ["codegen.toml:3:21", "appears twice", "keep one"]),
        (family("Virtual-Machines", "['/api']"), ["codegen.toml:2:1", "snake case", "name = \"virtual_machines\""]),
        (family("type", "['/api']"), ["codegen.toml:2:1", "taken by the language", "name = \"type_api\""]),
        (family("assumed", "['/api']"), ["codegen.toml:2:1", "is taken", "name = \"assumed_api\""]),
        (
            format!("{}\n{}", family("a", "['/api']"), family("a", "['/apiary']")),
            ["codegen.toml:5:1", "two [[family]] have the name \"a\"", "in one entry"],
        ),
        (
            format!("{}\n{}", family("a", "['/api/things']"), family("b", "['/apiary', '/api/things/']")),
            ["codegen.toml:6:24", "\"/api/things/\" appears twice", "in the family \"a\""],
        ),
        ("include = ['api']".to_owned(), ["codegen.toml:1:12", "does not begin with `/`", "nothing was written"]),
        ("exclude = ['/a', '/a']".to_owned(), ["codegen.toml:1:18", "the first time in exclude", "keep one"]),
        (
            "[rename]\n'GET /api/things' = 'self'".to_owned(),
            ["codegen.toml:2:1", "`self` is not a valid", "no keyword"],
        ),
        ("[rename]\n'GET /api/things' = 'a::b'".to_owned(), ["codegen.toml:2:1", "`a::b` is not a valid", "letters"]),
        (
            "[[correction]]\npointer = '/nope/x'\nvalue = '1'\nreason = 'r'".to_owned(),
            ["codegen.toml:2:1", "does not have the pointer \"/nope/x\"", "fix the pointer"],
        ),
        (
            "[[correction]]\ndocument = 'nope'\npointer = '/info'\nreason = 'r'".to_owned(),
            ["codegen.toml:2:1", "no contract has the name \"nope\"", "name a document"],
        ),
        (
            "[[pagination]]\noperation = 'GET /api/things'".to_owned(),
            ["codegen.toml:2:1", "the pagination of `GET /api/things`", "skip = "],
        ),
        (
            "[[pagination]]\noperation = 'GET /api/things'\nskip = 'nope'".to_owned(),
            ["codegen.toml:3:1", "no parameter `nope`", "nothing was written"],
        ),
        (
            "[[server]]\nname = 'Main-x'".to_owned(),
            ["codegen.toml:2:1", "not a name in snake case", "lower-case letters"],
        ),
        (
            "[[family]]\nname = 'a'\nprefixes = ['/']\nserver = 'nope'".to_owned(),
            ["codegen.toml:4:1", "the server \"nope\", which no [[server]] names", "add the [[server]]"],
        ),
        (
            "[[correction]]\npointer = '/info'\nvalue = 'x'\nreason = 'r'".to_owned(),
            ["codegen.toml:3:1", "is not JSON", "inside of a TOML string"],
        ),
        ("unreferenced = 'maybe'".to_owned(), ["codegen.toml:1:16", "`unreferenced`", "unreferenced = \"omit\""]),
    ] {
        let run = ruled(&workspace, &rules, false);
        run.fails(5, &words);
        assert!(!run.stderr.contains("defect"), "{}", run.stderr);
        assert!(others(&workspace) == before, "{rules}: the run wrote something");
    }
}

#[test]
fn prefixes_end_at_segments() {
    let (workspace, run) = with("include = ['/api/']\nexclude = ['/api/thing']", false);
    run.succeeds(&["exclude \"/api/thing\": no path"]);
    let surface = workspace.read("specs/client.txt");
    assert!(surface.contains(" /api/things ") && !surface.contains("/apiary"), "{surface}");
    // A slash at the end takes no operation from another family.
    let rules =
        "[[family]]\nname = 'wide'\nprefixes = ['/api/']\n[[family]]\nname = 'things'\nprefixes = ['/api/things']";
    let surface = with(rules, false).0.read("specs/client.txt");
    assert!(surface.contains("things.list") && surface.contains("wide."), "{surface}");
}

#[test]
fn an_address_of_a_document_that_nothing_can_be_downloaded_from_is_an_error_with_its_line() {
    let document = |contract: &str| format!("[[source.document]]\nname = 'a'\ncontract = '{contract}'\n");
    for contract in ["ftp://h/x.json", "file:///x.json", ""] {
        let words = ["codegen.toml:3:1", "[[source.document]]", "http(s) URL"];
        with(&document(contract), true).1.fails(5, &words);
    }
    let workspace = Workspace::new();
    workspace.write("specs/codegen.toml", &document("swagger/v1/swagger.json"));
    workspace
        .run(&["regenerate", "--base-url", "http://127.0.0.1:1"])
        .fails(5, &["swagger/v1/swagger.json", "\"/swagger/v1/swagger.json\""]);
    workspace.run(&["regenerate", "--contract", "ftp://h/x.json"]).fails(5, &["not an http(s) URL"]);
}
