//! The example of each rule is its test, in both directions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use driftless_codegen::Contract;
use driftless_codegen::drift::{self, Drift, ExamplePart, RULES, Rule, Sides};
use serde_json::{Value, json};

use crate::common::merge::merge;

const TODAY: &str = "2026-01-01";

/// The contract that the examples change.
const BASE: &str = "
openapi: 3.1.0
info: {title: Jobs, version: 1.0.0}
paths:
  /jobs/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    post: {operationId: startJob, tags: [jobs], responses: {'200': {description: Started.}}}
  /things:
    post:
      operationId: saveThing
      requestBody: {required: true, content: {application/json: {schema: {}}}}
      responses: {'200': {description: Saved., content: {application/json: {schema: {}}}}}
components:
  schemas:
    A: {type: object, properties: {kind: {type: string}, sort: {type: string}}}
    B: {type: object, properties: {kind: {type: string}, sort: {type: string}, b: {type: string}}}
    C: {type: object, properties: {kind: {type: string}, sort: {type: string}, c: {type: string}}}
    Same: {type: object, properties: {kind: {type: string}, sort: {type: string}}}
    Size: {type: object, properties: {size: {type: integer}}}
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    login: {type: oauth2, flows: {implicit: {authorizationUrl: 'https://login.test', scopes: {read: Reads.}}}}
";

/// A document that the GraphQL schemas of examples are checked against.
const DOCUMENT: &str = "query Size { size }";

fn contract(part: ExamplePart, text: &str) -> String {
    let mut contract: Value = serde_yaml::from_str(BASE).unwrap();
    let value: Value = serde_yaml::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    match part {
        ExamplePart::Contract => merge(&mut contract, &value),
        ExamplePart::Operation => merge(&mut contract["paths"]["/jobs/{id}"]["post"], &value),
        ExamplePart::Schema => {
            let content = json!({"application/json": {"schema": value}});
            let operation = &mut contract["paths"]["/things"]["post"];
            operation["requestBody"]["content"] = content.clone();
            operation["responses"]["200"]["content"] = content;
        }
        ExamplePart::Graphql | ExamplePart::Document => {}
    }
    contract.to_string()
}

/// The rules of the findings between the two sides of an example.
fn rules(part: ExamplePart, before: &str, after: &str) -> BTreeSet<Rule> {
    let mut drift = Drift::default();
    match part {
        ExamplePart::Graphql => drift.with_schemas(Sides { before: Some(before), after: Some(after) }),
        ExamplePart::Document => {
            let documents = BTreeMap::from([("size.graphql".to_owned(), DOCUMENT.to_owned())]);
            drift.with_documents(&documents, Sides { before, after });
        }
        _ => {
            let [before, after] = [before, after].map(|text| contract(part, text));
            let [before, after] = [&before, &after].map(|text| [Contract { name: "contract", bytes: text.as_bytes() }]);
            drift = drift::compare(Sides { before: &before, after: &after }, TODAY).unwrap();
            assert!(drift.not_judged.is_empty(), "{:?}", drift.not_judged);
        }
    }
    drift.findings.iter().map(|finding| finding.rule).collect()
}

/// Rules that cannot be alone: a contract that declares a first credential declares its scheme.
const TOGETHER: [(Rule, Rule); 2] =
    [(Rule::SecurityDeclared, Rule::SchemeAdded), (Rule::SecurityUndeclared, Rule::SchemeRemoved)];

#[test]
fn the_example_of_each_rule_is_a_finding_of_it_and_of_no_other() {
    let mut wrong = Vec::new();
    for rule in RULES {
        let example = rule.example().unwrap_or_else(|| panic!("{} and its mirror have no example", rule.id()));
        let with = TOGETHER.iter().filter(|(one, _)| one == rule).map(|(_, with)| *with);
        let expected: BTreeSet<Rule> = with.chain([*rule]).collect();
        let reported = rules(example.part, example.before, example.after);
        if reported != expected {
            wrong.push(format!("{}: {reported:?}", rule.id()));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), RULES.len(), wrong.join("\n"));
}

/// The table of `docs/drift.md`. `INSTA_UPDATE=always` writes it.
#[test]
fn the_guide_lists_each_rule() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/drift.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (start, rest) = page.split_once("<!-- rules -->\n").unwrap();
    let (_, end) = rest.split_once("<!-- /rules -->\n").unwrap();
    let mut table = "| rule | change | request | response | the opposite |\n|---|---|---|---|---|\n".to_owned();
    for rule in RULES {
        let entry = rule.entry();
        let [request, response, contract] = [entry.request, entry.response, entry.contract].map(drift::Wire::as_str);
        let others = if contract == response { String::new() } else { format!("; others: {contract}") };
        let (sentence, mirror) = (entry.sentence(), entry.mirror.id());
        table += &format!("| `{}` | {sentence} | {request} | {response}{others} | `{mirror}` |\n", entry.id);
    }
    let written = format!("{start}<!-- rules -->\n{table}<!-- /rules -->\n{end}");
    if std::env::var("INSTA_UPDATE").as_deref() == Ok("always") {
        std::fs::write(path, &written).unwrap();
    } else {
        assert!(page == written, "docs/drift.md is stale: INSTA_UPDATE=always cargo test -p driftless-codegen rules::");
    }
}
