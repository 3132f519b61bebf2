use serde_json::{Value, json};

use super::{Fault, FaultKind, check, definitions, mask};

fn faults(value: &Value, schema: &Value) -> Vec<String> {
    check(value, schema, &definitions(schema), 10).iter().map(ToString::to_string).collect()
}

fn kinds(value: &Value, schema: &Value) -> Vec<FaultKind> {
    check(value, schema, &definitions(schema), 10).iter().map(|fault| fault.kind).collect()
}

fn order() -> Value {
    json!({
        "type": "object",
        "required": ["name", "id"],
        "properties": {
            "id": {"type": "string", "format": "uuid", "readOnly": true},
            "name": {"type": "string"},
            "size": {"$ref": "#/$defs/Size"},
            "count": {"type": ["integer", "null"], "minimum": 1, "maximum": 5},
            "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        },
        "$defs": {
            "Size": {"type": "string", "enum": ["small", "large"]},
            "Line": {
                "type": "object", "additionalProperties": false, "required": ["a/b"],
                "properties": {"a/b": {"type": "integer", "format": "int32"}, "part": {"$ref": "#/$defs/Line"}},
            },
        },
    })
}

#[test]
fn errors_name_place_and_expectation() {
    assert_eq!(faults(&json!({"name": "a"}), &order()), Vec::<String>::new());
    let value = json!({"count": 9, "size": 4, "lines": [{"a/b": 1}, {"a/b": "1", "c": 1, "part": {}}]});
    let mut texts = faults(&value, &order());
    // The order of members depends on a feature of serde_json.
    texts.sort();
    assert_eq!(
        texts,
        [
            "/count is more than the maximum, 5",
            "/lines/1/a~1b is a string, where an integer is expected",
            "/lines/1/c is not a member of the schema, which has a/b, part",
            r#"/lines/1/part lacks the member "a/b""#,
            "/size is a number, where a string is expected",
            r#"the value lacks the member "name""#,
        ]
    );
    assert_eq!(faults(&json!([]), &order()), ["the value is an array, where an object is expected"]);
}

#[test]
fn a_message_contains_no_value() {
    let value = json!({"name": 1, "id": "hunter2", "size": "hunter2", "count": "hunter2", "lines": "hunter2"});
    let texts = faults(&value, &order());
    assert!(texts.len() >= 4 && texts.iter().all(|text| !text.contains("hunter2")), "{texts:?}");
}

#[test]
fn values_that_a_newer_service_may_know_are_warnings() {
    assert_eq!(kinds(&json!({"name": "a", "size": "medium"}), &order()), [FaultKind::UnknownValue]);
    assert_eq!(kinds(&json!({"name": "a", "colour": "red"}), &order()), [FaultKind::UnknownMember]);
    assert_eq!(kinds(&json!({"name": "a", "id": "1"}), &order()), [FaultKind::ReadOnly]);
    assert!(
        !FaultKind::UnknownValue.is_error() && !FaultKind::UnknownMember.is_error() && !FaultKind::ReadOnly.is_error()
    );
    let overlap = json!({"oneOf": [{"type": "integer"}, {"type": "number"}]});
    assert_eq!(kinds(&json!(1), &overlap), [FaultKind::SeveralAlternatives]);
}

#[test]
fn members_of_all_schemas_of_a_value_are_known() {
    let schema = json!({
        "allOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/B"}], "anyOf": [{"properties": {"c": {}}}],
        "$defs": {"B": {"properties": {"b": {"anyOf": [{"properties": {"d": {}}}, {"type": "null"}]}}}},
    });
    assert_eq!(kinds(&json!({"a": 1, "b": {"d": 1}, "c": 1}), &schema), []);
    assert_eq!(faults(&json!({"a": 1, "b": {"e": 1}}), &schema), ["/b/e is not a member that the contract names"]);
    let open = json!({"properties": {"a": {}}, "additionalProperties": true});
    assert_eq!(kinds(&json!({"b": 1}), &open), []);
    assert_eq!(kinds(&json!({"b": 1}), &json!({"type": "object"})), []);
}

#[test]
fn the_nearest_alternative_is_explained() {
    let schema = json!({"oneOf": [
        {"type": "object", "required": ["kind", "side"], "properties": {"kind": {"const": "square"}, "side": {"type": "number"}}},
        {"type": "object", "required": ["kind", "radius"], "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}},
    ]});
    assert_eq!(
        faults(&json!({"kind": "circle", "radius": "2"}), &schema),
        [
            "the value fits none of the 2 alternatives; the faults of the nearest one:",
            "/radius is a string, where a number is expected"
        ]
    );
}

#[test]
fn schemas_that_never_end_are_left_unchecked() {
    let own = json!({"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}]}}});
    let all: Vec<FaultKind> = kinds(&json!({"a": 1}), &own);
    assert!(all.iter().all(|kind| !kind.is_error()), "{all:?}");
    let doubled = json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": "array", "items": {
        "oneOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"}, {"type": "null"}]}}}});
    let mut deep = json!([]);
    for _ in 0..60 {
        deep = json!([deep]);
    }
    check(&deep, &doubled, &definitions(&doubled), 10);
    assert!(mask(&deep, &doubled, &definitions(&doubled)).to_string().contains("hidden"));
}

#[test]
fn the_number_of_faults_is_bounded() {
    let schema = json!({"type": "array", "items": {"type": "string"}});
    let many = Value::Array(vec![json!(1); 5_000]);
    assert_eq!(check(&many, &schema, &definitions(&schema), 3).len(), 3);
    let named = json!({"properties": {"a": {}}});
    let wide: Value = (0..5_000).map(|index| (format!("m{index}"), json!(1))).collect::<serde_json::Map<_, _>>().into();
    assert_eq!(check(&wide, &named, &definitions(&named), 3).len(), 3);
}

#[test]
fn secrets_are_masked_in_every_form_of_schema() {
    let schema = json!({
        "properties": {
            "pin": {"format": "password", "type": "string"},
            "seed": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Seed"}]},
            "list": {"items": {"allOf": [{"properties": {"word": {"writeOnly": true}}}]}},
            "free": {"additionalProperties": {"format": "password"}},
            "user": {"type": "string"},
        },
        "$defs": {"Seed": {"type": "string", "writeOnly": true}},
    });
    let value = json!({"pin": "s1", "seed": "s2", "list": [{"word": "s3", "x": 1}], "free": {"y": "s4"}, "user": "ann",
        "client_secret": "s5", "apiKey": ["s6"], "with": {"Proxy-Authorization": "s7"}});
    let expected = json!({"pin": "(hidden)", "seed": "(hidden)", "list": [{"word": "(hidden)", "x": 1}], "free": {"y": "(hidden)"}, "user": "ann",
        "client_secret": "(hidden)", "apiKey": "(hidden)", "with": {"Proxy-Authorization": "(hidden)"}});
    assert_eq!(mask(&value, &schema, &definitions(&schema)), expected);
}

#[test]
fn formats() {
    let cases = [
        (
            "uuid",
            vec!["2f1b6e0c-7a63-4f5e-9d0c-3b1e8a7d5c42"],
            vec!["", "2f1b6e0c7a634f5e9d0c3b1e8a7d5c42", "2f1b6e0c-7a63-4f5e-9d0c-3b1e8a7d5c4g"],
        ),
        (
            "date-time",
            vec!["2030-01-31T12:00:00Z", "2030-01-31t12:00:00.5+01:00", "2016-12-31T23:59:60Z"],
            vec![
                "2030-01-31",
                "2030-01-31 12:00:00Z",
                "2030-02-30T12:00:00Z",
                "2030-01-31T12:00:00",
                "2016-12-31T22:59:60Z",
            ],
        ),
        ("date", vec!["2028-02-29"], vec!["2030-02-29", "2030-2-9", "30-02-09"]),
        (
            "time",
            vec!["12:00:00Z", "12:00:00.25-05:30"],
            vec!["12:00", "12:00:00", "24:00:00Z", "12:00:00.Z", "1é:00:00Z"],
        ),
        (
            "duration",
            vec!["PT15M", "P1Y2M3D", "P2W", "P1DT1H"],
            vec!["P", "PT", "15M", "P1W1D", "P1M1Y", "P1é", "PT0.5S"],
        ),
        ("byte", vec!["", "aGk="], vec!["a", "aGk", "%%%%"]),
        ("password", vec!["anything"], vec![]),
    ];
    for (format, valid, invalid) in cases {
        let schema = json!({"format": format});
        for text in valid {
            assert_eq!(faults(&json!(text), &schema), Vec::<String>::new(), "{format} {text}");
        }
        for text in invalid {
            let kind = match format {
                "date-time" | "time" | "duration" => FaultKind::Spelling,
                _ => FaultKind::Invalid,
            };
            assert_eq!(kinds(&json!(text), &schema), [kind], "{format} {text}");
        }
    }
    assert_eq!(kinds(&json!(2_147_483_648_u64), &json!({"format": "int32"})), [FaultKind::Invalid]);
    assert_eq!(kinds(&json!(-2_147_483_648_i64), &json!({"format": "int32"})), []);
    assert_eq!(kinds(&json!(u64::MAX), &json!({"format": "int64"})), [FaultKind::Invalid]);
    assert_eq!(kinds(&json!(u64::MAX), &json!({"maximum": 18_446_744_073_709_551_614_u64})), [FaultKind::Invalid]);
}

#[test]
fn the_judge_agrees_about_formats() {
    let texts = [
        "P1Y1D",
        "PT1H1S",
        "P1W",
        "P1W2D",
        "p1d",
        "P1D",
        "P0D",
        "PT36H",
        "P1YT1S",
        "P1Y2M",
        "P1DT",
        "P",
        "PT",
        "PT1.5S",
        "P-1D",
        "1D",
        "12:00:60Z",
        "23:59:60Z",
        "22:59:60-01:00",
        "23:59:60+01:00",
        "12:00:00z",
        "12:00:00.123456789012Z",
        "12:00:00+24:00",
        "12:00:00+0100",
        "12:60:00Z",
        "1:00:00Z",
        "12:00:00Z ",
        "2016-12-31T23:59:60Z",
        "2016-12-31T23:59:61Z",
        "2030-01-31t12:00:00z",
        "2030-01-31 12:00:00Z",
        "2030-01-31T12:00Z",
        "2030-13-01",
        "2030-00-01",
        "2030-01-32",
        "1900-02-29",
        "2000-02-29",
        "0000-01-01",
        "+2030-01-01",
        "2030-1-1",
        "2F1B6E0C-7A63-4F5E-9D0C-3B1E8A7D5C42",
        "{2f1b6e0c-7a63-4f5e-9d0c-3b1e8a7d5c42}",
        "2f1b6e0c-7a63-4f5e-9d0c-3b1e8a7d5c4",
        "",
        "é",
    ];
    for format in ["uuid", "date-time", "date", "time", "duration"] {
        let schema = json!({"format": format});
        let judge = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .build(&schema)
            .unwrap();
        for text in texts {
            assert_eq!(kinds(&json!(text), &schema).is_empty(), judge.is_valid(&json!(text)), "{format} {text}");
        }
    }
}

/// A generator of numbers: the same seed gives the same schemas and values.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

const NAMES: [&str; 3] = ["a", "b", "c"];
const TEXTS: [&str; 8] =
    ["x", "y", "2030-01-31", "2030-01-31T12:00:00Z", "12:00:00Z", "PT15M", "2f1b6e0c-7a63-4f5e-9d0c-3b1e8a7d5c42", ""];

fn value(random: &mut Random, depth: u64) -> Value {
    match random.below(if depth == 0 { 6 } else { 9 }) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!(random.below(4) as i64 - 1),
        3 => json!(random.pick(&[0.5, 1.0, 2.0, -3.25])),
        4 | 5 => json!(random.pick(&TEXTS)),
        6 => (0..random.below(3)).map(|_| value(random, depth - 1)).collect(),
        _ => (0..random.below(4))
            .map(|_| (random.pick(&NAMES).to_owned(), value(random, depth - 1)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

fn schema(random: &mut Random, depth: u64) -> Value {
    if random.below(12) == 0 {
        return json!(random.below(3) != 0);
    }
    let mut keywords = serde_json::Map::new();
    let types = ["null", "boolean", "integer", "number", "string", "array", "object", "object"];
    let mut add = |name: &str, value: Value| keywords.insert(name.to_owned(), value);
    match random.below(4) {
        0 | 1 => drop(add("type", json!(random.pick(&types)))),
        2 => drop(add("type", json!(["null", types[2 + random.below(5) as usize]]))),
        _ => {}
    }
    for _ in 0..=random.below(3) {
        match random.below(if depth == 0 { 5 } else { 13 }) {
            0 => drop(add("enum", (0..=random.below(3)).map(|_| value(random, 1)).collect())),
            1 => drop(add("const", value(random, 1))),
            2 => drop(add("format", json!(random.pick(&["uuid", "date-time", "date", "time", "duration"])))),
            3 => drop(add("minimum", json!(random.pick(&[-1.0, 0.0, 0.75])))),
            4 => drop(add("maximum", json!(random.pick(&[2, 1, 0])))),
            5 | 6 => {
                let members: serde_json::Map<_, _> = NAMES
                    .iter()
                    .take(1 + random.below(3) as usize)
                    .map(|name| ((*name).to_owned(), schema(random, depth - 1)))
                    .collect();
                add("properties", members.into());
            }
            7 => drop(add("required", (0..=random.below(1)).map(|_| json!(random.pick(&NAMES))).collect())),
            8 => drop(add("additionalProperties", schema(random, 0))),
            9 => drop(add("items", schema(random, depth - 1))),
            10 => drop(add("$ref", json!(random.pick(&["#/$defs/Tree", "#/$defs/Leaf"])))),
            11 => drop(add(
                random.pick(&["anyOf", "oneOf"]),
                (0..=random.below(3)).map(|_| schema(random, depth - 1)).collect(),
            )),
            _ => drop(add("allOf", (0..=random.below(2)).map(|_| schema(random, depth - 1)).collect())),
        }
    }
    keywords.into()
}

/// `jsonschema` and this module agree about every value, apart from the documented warnings.
#[test]
fn the_judge_agrees() {
    let mut random = Random(7);
    let (mut valid, mut invalid) = (0, 0);
    for _ in 0..1_500 {
        let mut schema = schema(&mut random, 3);
        if let Value::Object(keywords) = &mut schema {
            keywords.insert("$defs".to_owned(), json!({
                "Leaf": {"type": ["integer", "string"], "enum": [1, 2, "x"]},
                "Tree": {"type": "object", "properties": {"a": {"$ref": "#/$defs/Leaf"}, "b": {"$ref": "#/$defs/Tree"}}, "additionalProperties": false},
            }));
        }
        let judge = jsonschema::options()
            .with_draft(jsonschema::Draft::Draft202012)
            .should_validate_formats(true)
            .build(&schema)
            .unwrap();
        for _ in 0..40 {
            let value = value(&mut random, 3);
            let faults: Vec<Fault> = check(&value, &schema, &definitions(&schema), 50);
            let is_valid = !faults.iter().any(|fault| fault.kind.is_strict());
            assert_eq!(judge.is_valid(&value), is_valid, "{schema}\n{value}\n{faults:#?}");
            if is_valid { valid += 1 } else { invalid += 1 }
        }
    }
    // The generator has to make both kinds.
    assert!(valid > 5_000 && invalid > 5_000, "{valid} valid, {invalid} invalid");
}
