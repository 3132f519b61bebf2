//! Required parameters that have a default: in style 2 they are set on the call, which sends the default unless they are.

use std::collections::BTreeSet;

use driftless_codegen::drift::Sides;
use driftless_codegen::{Contract, NameStyle, Names, Output, Setup, StyleVersion, drift};
use serde_json::{Value, json};

use crate::common::Case;

fn case(style: StyleVersion) -> Case {
    let mut setup = Setup::default();
    setup.config.style = NameStyle { version: style };
    Case { name: "defaults".to_owned(), bytes: Vec::new(), setup }
}

/// The items and the names of the client in style 2.
fn outline(contract: &Value, names: &Names) -> Output {
    let outline = case(StyleVersion::Two).outline(contract.to_string().as_bytes(), names);
    outline.unwrap_or_else(|report| panic!("{report}\n{contract}"))
}

fn generate(style: StyleVersion, contract: &Value, names: &Names) -> Output {
    case(style).with(contract.to_string().as_bytes(), names).unwrap_or_else(|report| panic!("{report}\n{contract}"))
}

fn contract(parameters: &Value) -> Value {
    let get = json!({"operationId": "find", "tags": ["orders"], "parameters": parameters, "responses": {"204": {"description": ""}}});
    json!({"openapi": "3.0.4", "paths": {"/orders": {"get": get}}, "components": {"schemas": {
        "Color": {"type": "string", "enum": ["red", "blue"]},
        "Limit": {"type": "integer", "default": 20},
    }}})
}

fn parameter(name: &str, place: &str, required: bool, schema: &Value) -> Value {
    json!({"name": name, "in": place, "required": required, "schema": schema})
}

fn signature(output: &Output) -> String {
    let find = output.api.items.iter().find(|item| item.path.ends_with("::find")).unwrap();
    find.signature.split(" -> ").next().unwrap().to_owned()
}

/// The text of the file of the operations, without blanks.
fn text(output: &Output) -> String {
    let file = output.files.iter().find(|(path, _)| path.ends_with("families/orders.rs")).unwrap();
    file.1.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The default stands in the place of the argument if the type has it, and if it is text in the style of the parameter.
#[test]
fn the_call_sends_the_default_of_what_is_not_set() {
    let integer = || json!({"type": "integer", "format": "int32", "default": 50});
    let sent = [
        ("query", integer(), "\"50\""),
        ("header", integer(), "\"50\""),
        ("cookie", integer(), "\"50\""),
        ("query", json!({"type": "integer", "format": "int64", "default": -5_000_000_000_i64}), "\"-5000000000\""),
        ("query", json!({"type": "boolean", "default": false}), "\"false\""),
        ("query", json!({"type": "integer", "format": "uint64", "default": u64::MAX}), "\"18446744073709551615\""),
        ("query", json!({"type": "integer", "format": "uint8", "default": 255}), "\"255\""),
        ("query", json!({"type": "number", "default": 1.5}), "\"1.5\""),
        ("query", json!({"type": "number", "default": 0}), "\"0\""),
        ("query", json!({"type": "string", "default": "a \"b\" ü"}), "\"a \\\"b\\\" ü\""),
        ("query", json!({"type": "string", "default": ""}), "\"\""),
        ("query", json!({"type": "string", "default": "5"}), "\"5\""),
        ("query", json!({"type": "string", "enum": ["up", "down"], "default": "up"}), "\"up\""),
        ("query", json!({"allOf": [{"$ref": "#/components/schemas/Color"}], "default": "blue"}), "\"blue\""),
        ("query", json!({"type": "integer", "nullable": true, "default": 3}), "\"3\""),
        ("query", json!({"$ref": "#/components/schemas/Limit"}), "\"20\""),
    ];
    for (place, schema, value) in sent {
        let output =
            generate(StyleVersion::Two, &contract(&json!([parameter("X", place, true, &schema)])), &Names::default());
        assert_eq!(signature(&output), "(self)", "{schema}");
        let text = text(&output);
        assert!(text.contains(&format!("&OPERATION, &[&{value}], Payload::None")), "{schema}: {text}");
        assert!(text.contains("self.set(0, &x)"), "{schema}: {text}");
        // The setter says it, and the operation, whose documentation lists the setter.
        assert_eq!(text.matches("Unless it is set, the call sends its default.").count(), 2, "{schema}: {text}");
    }
    let passed = [
        ("query", json!({"type": "integer"})),
        ("query", json!({"type": "integer", "default": "many"})),
        ("query", json!({"type": "integer", "default": 1.5})),
        ("query", json!({"type": "integer", "format": "int32", "default": 3_000_000_000_i64})),
        ("query", json!({"type": "integer", "format": "uint8", "default": 256})),
        ("query", json!({"type": "integer", "format": "uint32", "default": -1})),
        ("query", json!({"type": "integer", "default": u64::MAX})),
        ("query", json!({"type": "string", "format": "date", "default": "2026-01-01"})),
        ("query", json!({"type": "string", "format": "uuid", "default": "00000000-0000-0000-0000-000000000000"})),
        ("query", json!({"type": "string", "default": 1})),
        ("query", json!({"type": "string", "enum": ["up", "down"], "default": "left"})),
        ("query", json!({"type": "array", "items": {"type": "string"}, "default": ["a"]})),
        ("query", json!({"type": "string", "default": "a\nb"})),
        ("header", json!({"type": "string", "default": "ü"})),
        ("header", json!({"type": "string", "default": ""})),
        ("query", json!({"type": "string", "default": null})),
    ];
    for (place, schema) in passed {
        let output =
            generate(StyleVersion::Two, &contract(&json!([parameter("X", place, true, &schema)])), &Names::default());
        assert_ne!(signature(&output), "(self)", "{schema}");
    }
    // Its media type gives a value the form of its text.
    let content = json!({"text/plain": {"schema": {"type": "string", "default": "a"}}});
    let content = contract(&json!([{"name": "X", "in": "query", "required": true, "content": content}]));
    assert_ne!(signature(&generate(StyleVersion::Two, &content, &Names::default())), "(self)");
    // In style 1, a schema that is referred to gives no default.
    let limit = parameter("X", "query", true, &json!({"$ref": "#/components/schemas/Limit"}));
    assert!(!text(&generate(StyleVersion::One, &contract(&json!([limit])), &Names::default())).contains("default"));
    let path = json!([parameter("id", "path", true, &integer())]);
    let mut contract = contract(&path);
    contract["paths"] = json!({"/orders/{id}": contract["paths"]["/orders"]});
    assert_eq!(signature(&generate(StyleVersion::Two, &contract, &Names::default())), "(self, id: i32)");
}

/// Defaults stand behind the arguments, in the order of the parameters.
#[test]
fn defaults_stand_behind_arguments() {
    let text_with = |default: &str| json!({"type": "string", "default": default});
    let parameters = json!([
        parameter("a", "query", true, &text_with("1")),
        parameter("b", "query", false, &text_with("2")),
        parameter("c", "query", true, &json!({"type": "string"})),
        parameter("d", "header", true, &text_with("4")),
    ]);
    let output = generate(StyleVersion::Two, &contract(&parameters), &Names::default());
    assert_eq!(signature(&output), "(self, c: &str)");
    let (bytes, mut setup) = (contract(&parameters).to_string(), Setup::default());
    setup.config.style = NameStyle { version: StyleVersion::Two };
    let bytes = [Contract { name: "platform", bytes: bytes.as_bytes() }];
    let catalog = driftless_codegen::catalog(&bytes, &setup, &Names::default()).unwrap();
    let inputs = catalog.operations[0].inputs.iter();
    let inputs: Vec<_> = inputs.map(|input| (input.name.as_str(), input.is_argument, input.required)).collect();
    assert_eq!(inputs, [("c", true, true), ("a", false, true), ("d", false, true), ("b", false, false)]);
    let text = text(&output);
    for part in ["&[&c, &\"1\", &\"4\"], Payload::None", "self.set(1, &a)", "self.set(2, &d)", "self.set(3, &b)"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// A client keeps its calls: an argument stays one if it gets a default, and an optional parameter stays set if it becomes required.
#[test]
fn calls_that_programs_know_stay() {
    let plain = json!({"type": "string"});
    let with_default = json!({"type": "string", "default": "x"});
    let sorted = |required: bool, schema: &Value| contract(&json!([parameter("sort-by", "query", required, schema)]));
    let items =
        |output: &Output| -> BTreeSet<String> { output.api.items.iter().map(driftless_codegen::Item::line).collect() };
    let two = StyleVersion::Two;
    for (first, second, expected) in [
        (sorted(true, &plain), sorted(true, &with_default), "(self, sort_by: &str)"),
        (sorted(false, &plain), sorted(true, &with_default), "(self)"),
        (sorted(true, &with_default), sorted(false, &plain), "(self)"),
    ] {
        let before = generate(two, &first, &Names::default());
        let after = generate(two, &second, &before.names);
        assert_eq!(signature(&after), expected);
        assert_eq!(items(&after), items(&before));
        assert_eq!(generate(two, &second, &after.names).names, after.names);
    }
    // Without a default it is an argument again. The drift report explains each item that changes.
    let contracts = [sorted(true, &with_default), sorted(true, &plain)];
    let before = generate(two, &contracts[0], &Names::default());
    let after = generate(two, &contracts[1], &before.names);
    assert_eq!(signature(&after), "(self, sort_by: &str)");
    let texts = contracts.map(|contract| contract.to_string());
    let [old, new] = texts.each_ref().map(|text| [Contract { name: "platform", bytes: text.as_bytes() }]);
    let mut drift = drift::compare(Sides { before: &old, after: &new }, "2026-01-01").unwrap();
    drift.with_items(Sides { before: &before.api, after: &after.api });
    let unexplained: Vec<String> = drift.unexplained.iter().flatten().map(drift::ItemChange::says).collect();
    assert_eq!(unexplained, Vec::<String>::new(), "{:#?}", drift.findings);
    // In style 1 it is an argument, until the style changes.
    let contract = sorted(true, &with_default);
    let one = generate(StyleVersion::One, &contract, &Names::default());
    assert_eq!(signature(&one), "(self, sort_by: &str)");
    assert_eq!(signature(&generate(two, &contract, &one.names)), "(self)");
}

/// The kinds of a parameter in a contract.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Declared {
    Absent,
    Optional,
    Required,
    WithDefault,
}

const DECLARED: [Declared; 4] = [Declared::Absent, Declared::Optional, Declared::Required, Declared::WithDefault];

/// Contracts one after another, with random parameters, and the calls that follow from them: a parameter is an argument if it is required
/// and has no default, or was an argument in the client before. So a call of the client before compiles after each change that the
/// wire allows without another value.
#[test]
fn calls_of_the_client_before_compile_whenever_the_wire_allows_it() {
    calls_compile(25);
}

#[test]
#[ignore = "longer: .ci/run --all runs it"]
fn calls_of_the_client_before_compile_in_more_rounds() {
    calls_compile(240);
}

fn calls_compile(rounds: usize) {
    // Of three types, so that no call takes a struct of arguments.
    let places = [
        ("a", "query", json!({"type": "string"}), json!("x"), "&str"),
        ("b-c", "query", json!({"type": "integer", "format": "int32"}), json!(5), "i32"),
        ("d", "header", json!({"type": "boolean"}), json!(true), "bool"),
    ];
    let mut random: u64 = 17;
    for round in 0..rounds {
        let mut names = Names::default();
        let mut arguments: Vec<&str> = Vec::new();
        let mut before: Option<(String, BTreeSet<String>)> = None;
        for step in 0..5 {
            let declared = places.each_ref().map(|_| {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                DECLARED[usize::try_from(random >> 60).unwrap() % 4]
            });
            let parameters: Vec<Value> = places
                .iter()
                .zip(declared)
                .filter(|(_, declared)| *declared != Declared::Absent)
                .map(|((name, place, schema, default, _), declared)| {
                    let mut schema = schema.clone();
                    if declared == Declared::WithDefault {
                        schema["default"] = default.clone();
                    }
                    let required = matches!(declared, Declared::Required | Declared::WithDefault);
                    // The name of a header is the same in any case.
                    random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    match *place == "header" && random >> 63 == 1 {
                        true => parameter(&name.to_uppercase(), place, required, &schema),
                        false => parameter(name, place, required, &schema),
                    }
                })
                .collect();
            let output = outline(&contract(&json!(parameters)), &names);
            let is_passed = |(name, declared): &(&str, Declared)| match declared {
                Declared::Required => true,
                Declared::WithDefault => arguments.contains(name),
                Declared::Absent | Declared::Optional => false,
            };
            let each: Vec<(&str, Declared)> = places.iter().map(|(name, ..)| *name).zip(declared).collect();
            let passed: Vec<&str> = each.iter().filter(|one| is_passed(one)).map(|(name, _)| *name).collect();
            let taken = places.iter().filter(|(name, ..)| passed.contains(name));
            let expected: String = taken.map(|(name, .., ty)| format!(", {}: {ty}", name.replace('-', "_"))).collect();
            let case = format!("{round}/{step}: {each:?} after {arguments:?}");
            assert_eq!(signature(&output), format!("(self{expected})"), "{case}");
            let setters: BTreeSet<String> = output
                .api
                .items
                .iter()
                .filter(|item| item.path.contains("::operations::Find::") && item.kind == "fn" && !item.wire.is_empty())
                .map(|item| item.path.clone())
                .collect();
            // Each parameter that is not passed is set.
            assert_eq!(setters.len() + passed.len(), parameters.len(), "{case}: {setters:?}");
            if let Some((call, known)) = before {
                let allowed = each.iter().all(|(name, declared)| match declared {
                    Declared::Required | Declared::Optional => {
                        arguments.contains(name) == (*declared == Declared::Required)
                    }
                    Declared::WithDefault => true,
                    Declared::Absent => {
                        !arguments.contains(name)
                            && !known.iter().any(|setter| setter.ends_with(&name.replace('-', "_")))
                    }
                });
                let compiles = signature(&output) == call && known.is_subset(&setters);
                assert!(compiles || !allowed, "{case}");
            }
            // The lock says all of it: another run with it changes nothing.
            assert_eq!(outline(&contract(&json!(parameters)), &output.names).names, output.names);
            before = Some((signature(&output), setters));
            arguments = passed;
            names = output.names;
        }
    }
}

/// An argument that moves to another place of the request stays one, although it has a default there.
#[test]
fn an_argument_that_moves_stays_an_argument() {
    let with_default = json!({"type": "string", "default": "x"});
    let before = contract(&json!([parameter("mode", "query", true, &json!({"type": "string"}))]));
    let before = generate(StyleVersion::Two, &before, &Names::default());
    let after = contract(&json!([parameter("mode", "header", true, &with_default)]));
    assert_eq!(signature(&generate(StyleVersion::Two, &after, &before.names)), "(self, mode: &str)");
}
