//! Links in documentation: the names that prose has for schemas and operations are those of its document.

use driftless_codegen::{Contract, Names, Output, Setup, generate};
use serde_json::{Map, Value, json};

/// A contract with an operation at `/status`, whose prose is this, and with these schemas, each with one member that is its own.
fn contract(prose: &str, schemas: &[&str]) -> Value {
    let object = |index: usize| json!({"type": "object", "properties": {(format!("of_{index}")): {"type": "string"}}});
    let all: Map<String, Value> =
        schemas.iter().enumerate().map(|(index, name)| ((*name).to_owned(), object(index))).collect();
    let one_of: Vec<Value> =
        schemas.iter().map(|name| json!({"$ref": format!("#/components/schemas/{name}")})).collect();
    let content = json!({"application/json": {"schema": {"type": "array", "items": {"oneOf": one_of}}}});
    let get = json!({"description": prose, "responses": {"200": {"description": "", "content": content}}});
    json!({"openapi": "3.0.4", "paths": {"/status": {"get": get}}, "components": {"schemas": all}})
}

fn client(contracts: &[(&str, Value)], names: &Names) -> Output {
    let texts: Vec<(&str, String)> = contracts.iter().map(|(name, contract)| (*name, contract.to_string())).collect();
    let contracts: Vec<Contract<'_>> =
        texts.iter().map(|(name, text)| Contract { name, bytes: text.as_bytes() }).collect();
    generate(&contracts, &Setup::default(), names).unwrap_or_else(|report| panic!("{report}"))
}

fn has(output: &Output, text: &str) -> bool {
    output.files.values().any(|file| file.contains(text))
}

/// The name in Rust of the type with a member.
fn type_with(output: &Output, member: &str) -> String {
    let member = format!("::{member}");
    let field = output.api.items.iter().find(|item| item.kind == "field" && item.path.ends_with(&member)).unwrap();
    field.path.split("::").nth(1).unwrap().to_owned()
}

#[test]
fn a_name_of_the_contract_comes_before_one_of_rust() {
    let prose = "`Order`, `#/components/schemas/Order`, `#/components/schemas/-Order`, `GET /status`, `Orders`";
    // The schema that came first has the name.
    let first = client(&[("platform", contract(prose, &["-Order"]))], &Names::default());
    for schemas in [["Order", "-Order"], ["-Order", "Order"]] {
        let output = client(&[("platform", contract(prose, &schemas))], &first.names);
        let names = ["of_0", "of_1"].map(|member| type_with(&output, member));
        assert_eq!(names, schemas.map(|schema| if schema == "Order" { "Order2" } else { "Order" }));
        for link in [
            "[`Order`](crate::types::Order2)",
            "[`#/components/schemas/Order`](crate::types::Order2)",
            "[`#/components/schemas/-Order`](crate::types::Order)",
            "[`GET /status`](crate::families::",
        ] {
            assert!(has(&output, link), "{link}: {:?}", output.files);
        }
        assert!(!has(&output, "[`Orders`]"));
    }
}

#[test]
fn prose_names_the_items_of_its_own_document() {
    let (first, second) = ("The first: `GET /status` and `Problem`.", "The second: `GET /status` and `Problem`.");
    let contracts =
        [("platform", contract(first, &["Problem", "Other"])), ("side", contract(second, &["Problem", "Side"]))];
    let output = client(&contracts, &Names::default());
    let targets = |start: &str| -> Vec<String> {
        let line = output.files.values().flat_map(|file| file.lines()).find(|line| line.contains(start)).unwrap();
        line.split("](").skip(1).map(|rest| rest.split(')').next().unwrap().to_owned()).collect()
    };
    let (one, other) = (targets("The first:"), targets("The second:"));
    assert_eq!((one.len(), other.len()), (2, 2), "{one:?} {other:?}");
    assert!(one.iter().all(|target| !other.contains(target)), "{one:?} {other:?}");
}
