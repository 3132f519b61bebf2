//! Several documents: each has one server, and its operations are reached through that alone.

use driftless_codegen::{Config, Contract, Names, Output, Report, Setup, generate};

const MAIN: &str = r##"{"openapi":"3.0.4","paths":{
    "/api/things":{"get":{"tags":["Things"],"responses":{"200":{"description":"OK"}}}},
    "/api/frameworks":{"get":{"tags":["Frameworks"],"responses":{"200":{"description":"OK"}}}}}}"##;
const COMPLIANCE: &str = r##"{"openapi":"3.0.4","paths":{
    "/api/frameworks":{"get":{"tags":["Frameworks"],"responses":{"200":{"description":"OK"}}}},
    "/api/internal":{"get":{"tags":["Internal"],"responses":{"200":{"description":"OK"}}}}}}"##;

fn run(config: &str) -> Result<Output, Report> {
    let config: Config = toml::from_str(config).unwrap();
    let contracts = [("platform", MAIN), ("compliance", COMPLIANCE)];
    let contracts = contracts.map(|(name, text)| Contract { name, bytes: text.as_bytes() });
    generate(&contracts, &Setup::from(config), &Names::default())
}

const SERVER: &str = "[[server]]\nname = 'compliance'\ndocuments = ['compliance']\n";

#[test]
fn a_server_has_the_families_of_its_documents_and_no_other_has_them() {
    let output = run(SERVER).unwrap();
    let surface: Vec<&str> = output.surface.lines().collect();
    assert_eq!(
        surface,
        [
            "compliance_frameworks.list_frameworks  GET /api/frameworks  () -> ()  [200]  server compliance",
            "compliance_internal.get_internal  GET /api/internal  () -> ()  [200]  server compliance",
            "frameworks.list_frameworks  GET /api/frameworks  () -> ()  [200]",
            "things.list_things  GET /api/things  () -> ()  [200]",
        ]
    );
    let keys: Vec<&String> = output.names.operations.keys().collect();
    assert_eq!(
        keys,
        [
            "GET /api/frameworks",
            "GET /api/frameworks of compliance",
            "GET /api/internal of compliance",
            "GET /api/things"
        ]
    );
    let (servers, families) = (&output.files["servers.rs"], &output.files["families/mod.rs"]);
    for part in [
        "const SERVERS: &[driftless_runtime::codegen::DeclaredServer] =",
        "name: \"compliance\",\n        claim: None,",
        "impl<'a> Server<'a, Compliance> {",
        "pub fn frameworks(",
        "pub fn internal(",
        "pub fn compliance_server(&self) -> Result<ComplianceServer<'_>, Error>",
    ] {
        assert!(servers.contains(part), "{part}\n{servers}");
    }
    assert!(!servers.contains("pub fn things("));
    assert!(families.contains("pub fn frameworks(&self) -> frameworks::Frameworks<'_>"), "{families}");
    assert!(families.contains("pub mod compliance_internal;") && !families.contains("fn internal("), "{families}");
    assert!(!families.contains("fn compliance_"), "{families}");
    for line in [
        "Service::compliance_server fn (&self) -> Result<servers::ComplianceServer<'_>, Error>",
        "servers::ComplianceServer::frameworks fn (self) -> families::compliance_frameworks::ComplianceFrameworks<'a>",
    ] {
        assert!(output.api.index().lines().any(|item| item == line), "{line}\n{}", output.api.index());
    }
    let features: Vec<&str> = output.features.iter().map(|feature| feature.name.as_str()).collect();
    assert!(features.contains(&"compliance-frameworks") && features.contains(&"frameworks"), "{features:?}");
    assert!(output.unused.is_empty(), "{:?}", output.unused);
}

#[test]
fn families_rules_and_names_are_about_one_server_or_document() {
    let config = "exclude = ['compliance:/api/internal']\n[rename]\n'GET /api/frameworks of compliance' = 'all'\n";
    let family = "[[family]]\nname = 'rules'\nserver = 'compliance'\nprefixes = ['/api']\n";
    let output = run(&format!("{config}{SERVER}{family}")).unwrap();
    assert!(output.surface.contains("compliance_rules.all  GET /api/frameworks"), "{}", output.surface);
    assert!(output.surface.contains("\nframeworks.list_frameworks  "), "{}", output.surface);
    assert!(!output.surface.contains("internal"), "{}", output.surface);
    assert!(output.unused.is_empty(), "{:?}", output.unused);
}

#[test]
fn equal_operations_of_two_documents_of_one_server_are_said() {
    for config in ["", "[[server]]\nname = 'main'\ndocuments = ['compliance']\n"] {
        let output = run(config).unwrap();
        let sentences =
            output.ledger.entries().iter().map(|entry| format!("{} {}: {}", entry.document, entry.pointer, entry.what));
        let sentences: Vec<String> = sentences.collect();
        assert_eq!(
            sentences,
            ["compliance /paths/~1api~1frameworks/get: the document `platform` has `GET /api/frameworks` as well"]
        );
        assert!(!output.files["servers.rs"].contains("Server<"));
    }
}

#[test]
fn a_server_that_is_nobodys_is_a_problem_or_said() {
    let problem = |config: &str| run(config).unwrap_err().problems()[0].clone();
    for (config, pointer, words) in [
        ("[[server]]\nname = 'Com-pliance'", "/server/0/name", "snake case"),
        ("[[server]]\nname = 'a'\n[[server]]\nname = 'a'", "/server/1/name", "two [[server]]"),
        (
            "[[server]]\nname = 'a'\ndocuments = ['x']\n[[server]]\nname = 'b'\ndocuments = ['x']",
            "/server/1/documents/0",
            "that of the server \"a\" already",
        ),
        ("[[family]]\nname = 'x'\nserver = 'a'\nprefixes = ['/api']", "/family/0/server", "which no [[server]] names"),
    ] {
        let problem = problem(config);
        assert_eq!((problem.code, problem.pointer.as_deref()), ("configuration/server", Some(pointer)), "{config}");
        assert!(problem.message.contains(words), "{}", problem.message);
    }
    let output = run("[[server]]\nname = 'a'\ndocuments = ['nobody']").unwrap();
    assert_eq!(output.unused.len(), 1, "{:?}", output.unused);
    assert!(output.unused[0].what.contains("no contract has this name"));
}

const WITH_TYPES: &str = r##"{"openapi":"3.0.4","paths":{"/api/PATH":{"post":{"tags":["Things"],
    "requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}},
    "responses":{"202":{"description":"OK","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}}}}}},
    "components":{"schemas":{"Thing":{"type":"object","properties":{"id":{"type":"string","format":"uuid"}}}}}}"##;

fn with_types(config: &str, names: &Names) -> Result<Output, Report> {
    let config: Config = toml::from_str(config).unwrap();
    let (main, compliance) = (WITH_TYPES.replace("PATH", "things"), WITH_TYPES.replace("PATH", "frameworks"));
    let contracts = [("platform", &main), ("compliance", &compliance)];
    let contracts = contracts.map(|(name, text)| Contract { name, bytes: text.as_bytes() });
    let mut setup = Setup::from(config);
    setup
        .graphql
        .documents
        .insert("job.graphql".to_owned(), "query Job($id: ID!) { job(id: $id) { state } }".to_owned());
    generate(&contracts, &setup, names)
}

/// Each document changes without the other: types that are equal today are kept apart, by the name of the second
/// document.
#[test]
fn equal_schemas_of_two_documents_are_two_types() {
    for config in ["", SERVER] {
        let output = with_types(config, &Names::default()).unwrap();
        let types = &output.names.types;
        assert_eq!(types["platform#/components/schemas/Thing"], "Thing");
        assert_eq!(types["compliance#/components/schemas/Thing"], "ComplianceThing");
        assert!(output.surface.contains("POST /api/frameworks  (body: &ComplianceThing)"), "{}", output.surface);
        let sentences = |output: &Output| -> Vec<String> {
            output.ledger.entries().iter().map(|entry| format!("{} {}", entry.pointer, entry.what)).collect()
        };
        assert_eq!(
            sentences(&output),
            ["/components/schemas/Thing a separate type: the document `platform` has a schema of this name, too"]
        );
        // A second run says the same, with the names that were given.
        let again = with_types(config, &output.names).unwrap();
        assert_eq!((again.names.types.clone(), sentences(&again)), (types.clone(), sentences(&output)));
        // A name that was given stays, whichever document it is of.
        let mut names = Names::default();
        names.types.insert("compliance#/components/schemas/Thing".to_owned(), "Thing".to_owned());
        let other = with_types(config, &names).unwrap();
        assert_eq!(other.names.types["compliance#/components/schemas/Thing"], "Thing");
        assert_eq!(other.names.types["platform#/components/schemas/Thing"], "PlatformThing");
    }
}

#[test]
fn an_asynchronous_operation_is_one_of_the_main_server() {
    let operation = |submit: &str, cancel: &str| {
        format!(
            "[[operation]]\nname = 'job'\nsubmit = '{submit}'\nidentifier = '/id'\nquery = 'job.graphql'\nstate = '/job/state'\n\
             states = {{ pending = [], succeeded = ['DONE'], failed = [], cancelled = [] }}\n{cancel}"
        )
    };
    let problem = |text: &str| {
        let report = with_types(&format!("{SERVER}{text}"), &Names::default()).unwrap_err();
        report.problems()[0].clone()
    };
    let submit = problem(&operation("POST /api/frameworks", ""));
    assert_eq!((submit.code, submit.pointer.as_deref()), ("operation/server", Some("/operation/0/submit")));
    assert!(submit.message.contains("`POST /api/frameworks` is of the server `compliance`"), "{}", submit.message);
    let cancel = "cancel = { operation = 'POST /api/frameworks', parameter = 'id' }";
    let cancel = problem(&operation("POST /api/things", cancel));
    assert_eq!((cancel.code, cancel.pointer.as_deref()), ("operation/server", Some("/operation/0/cancel/operation")));
    assert!(with_types(&format!("{SERVER}{}", operation("POST /api/things", "")), &Names::default()).is_ok());
}

/// A first program has the client's base URL alone.
#[test]
fn the_first_program_calls_nothing_that_has_servers_of_its_own() {
    let first_path = |servers: &str| {
        let answer =
            r#""responses":{"200":{"description":"OK","content":{"application/json":{"schema":{"type":"string"}}}}}"#;
        let text = format!(
            r#"{{"openapi":"3.0.4","servers":[{{"url":"https://api.example"}}],"paths":{{
                "/a":{{"get":{{"operationId":"a",{servers}{answer}}}}},
                "/longer":{{"get":{{"operationId":"listLonger",{answer}}}}}}}}}"#
        );
        let contracts = [Contract { name: "platform", bytes: text.as_bytes() }];
        generate(&contracts, &Setup::default(), &Names::default()).unwrap().first_call.unwrap().path
    };
    assert_eq!(first_path(""), "/a");
    assert_eq!(first_path(r#""servers":[{"url":"https://other.example"}],"#), "/longer");
}
