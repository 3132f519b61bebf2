use std::collections::{BTreeMap, HashMap};

use serde_json::{from_str, json, to_value};

use crate::codegen::prelude::*;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Circle {
    pub(crate) radius: f64,
}
record!(Circle { radius: required "radius" });

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Square {
    kind: Option<String>,
    side: f64,
    label: Option<String>,
}
record!(Square { kind: optional "kind", side: required "side", label: optional "label" });

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Circle(Box<Circle>),
    Square(Box<Square>),
    Unknown(Value),
}
tagged_union!(Shape, "kind" { Circle(Box<Circle>) = "circle", Square(Box<Square>) = "square" | "sq" });

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Either {
    Circle(Box<Circle>),
    Square(Box<Square>),
    Status(Status),
    Text(String),
    Number(f64),
    Unknown(Value),
}
untagged_union!(Either { Circle(Box<Circle>), Square(Box<Square>), Status(Status), Text(String), Number(f64) });

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Status {
    Active,
    OnHold,
    Unknown(String),
}
string_enum!(Status { Active = "active", OnHold = "on-hold" });

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Level {
    Low,
    High,
    Unknown(i32),
}
integer_enum!(Level: i32 { Low = 0, High = 1 });

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Whole {
    good: i64,
    bad: Option<i64>,
}
record!(Whole { good: required "good", bad: optional "bad" });

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NumberOrText {
    Integer(i64),
    Text(String),
    Unknown(Value),
}
untagged_union!(NumberOrText { Integer(i64), Text(String) });

#[derive(Clone, Debug, PartialEq)]
struct Everything {
    id: i64,
    name: Option<String>,
    note: Option<String>,
    tri: Maybe<i32>,
    shape: Option<Shape>,
    r#type: Option<Level>,
    extra: BTreeMap<String, Value>,
}
record!(Everything {
    id: required "id",
    name: optional "name",
    note: nullable "a note",
    tri: maybe "tri",
    shape: optional "shape",
    r#type: optional "type",
    extra: extra,
});

#[test]
fn a_record_goes_round() {
    let text = r#"{"tri":null,"id":7,"more":[1],"name":null,"type":1,"shape":{"kind":"circle","radius":2}}"#;
    let read: Everything = from_str(text).unwrap();
    assert_eq!(read.tri, Maybe::Null);
    assert_eq!(read.r#type, Some(Level::High));
    assert_eq!(read.shape, Some(Shape::Circle(Box::new(Circle { radius: 2.0 }))));
    assert_eq!(read.extra, BTreeMap::from([("more".to_owned(), json!([1]).into())]));
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(
        written,
        r#"{"id":7,"a note":null,"tri":null,"shape":{"kind":"circle","radius":2},"type":1,"more":[1]}"#
    );
    assert_eq!(from_str::<Everything>(&written).unwrap(), read);
}

#[test]
fn absent_members_stay_absent() {
    let read: Everything = from_str(r#"{"id":7}"#).unwrap();
    assert!(read.tri.is_absent());
    assert_eq!(serde_json::to_string(&read).unwrap(), r#"{"id":7,"a note":null}"#);
}

#[test]
fn unknown_members_are_skipped_and_the_last_duplicate_wins() {
    let read: Circle = from_str(r#"{"x":{"y":[{}]},"radius":1,"radius":2,"z":null}"#).unwrap();
    assert_eq!(read, Circle { radius: 2.0 });
}

#[test]
fn errors_name_field_and_type() {
    let missing = from_str::<Circle>("{}").unwrap_err().to_string();
    assert!(missing.starts_with("field `radius` of `Circle` is missing"), "{missing}");
    let nested = from_str::<Everything>(r#"{"id":1,"shape":{"kind":"circle","radius":[]}}"#).unwrap_err().to_string();
    assert!(nested.contains("field `shape` of `Everything`: `Shape`: field `radius` of `Circle`: "), "{nested}");
    let list = from_str::<Circle>("[]").unwrap_err().to_string();
    assert!(list.contains("expected an object (`Circle`)"), "{list}");
}

#[test]
fn an_open_enumeration_is_used_like_its_text() {
    let parsed: Status = "on-hold".parse().unwrap();
    assert_eq!(parsed, Status::OnHold);
    assert_eq!(parsed, "on-hold");
    assert_eq!(parsed.as_ref().len(), 7);
    assert_eq!(String::from(Status::Unknown("odd".to_owned())), "odd");
    assert_eq!((String::from(Status::Active), i32::from(Level::High)), ("active".to_owned(), 1));
}

#[test]
fn methods_are_those_of_http() {
    for method in [Get, Put, Post, Delete, Options, Head, Patch, Trace] {
        let http = http::Method::try_from(method).unwrap();
        assert_eq!((http.as_str(), Method::try_from(&http).unwrap()), (method.to_string().as_str(), method));
    }
    assert_eq!(http::Method::try_from(Method::Other("PURGE")).unwrap().as_str(), "PURGE");
    for odd in ["", "G T", "G\r\nT"] {
        assert!(http::Method::try_from(Method::Other(odd)).unwrap_err().is_request(), "{odd:?}");
    }
    let other = http::Method::from_bytes(b"PURGE").unwrap();
    assert!(Method::try_from(&other).unwrap_err().to_string().contains("Method::Other"));
}

#[test]
fn unknown_enum_values_are_kept() {
    assert_eq!(from_str::<Status>(r#""on-hold""#).unwrap(), Status::OnHold);
    let kept: Status = from_str(r#""paused""#).unwrap();
    assert_eq!(kept, Status::Unknown("paused".to_owned()));
    assert_eq!(to_value(&kept).unwrap(), json!("paused"));
    assert_eq!(Status::from("active").to_string(), "active");
    let map: HashMap<Status, i32> = from_str(r#"{"active":1,"paused":2}"#).unwrap();
    assert_eq!(map.get(&Status::Active), Some(&1));
    assert_eq!(to_value(&map).unwrap(), json!({"active": 1, "paused": 2}));
}

#[test]
fn unknown_enum_numbers_are_kept() {
    assert_eq!(from_str::<Level>("0").unwrap(), Level::Low);
    assert_eq!(from_str::<Level>("9").unwrap(), Level::Unknown(9));
    assert_eq!(from_str::<Level>("1.0").unwrap(), Level::High);
    assert_eq!(from_str::<Level>("\"1\"").unwrap(), Level::High);
    assert_eq!(to_value(Level::Unknown(9)).unwrap(), json!(9));
    assert!(from_str::<Level>("1.5").is_err());
    assert!(from_str::<Level>("99999999999").is_err());
    assert!(from_str::<Level>("1e300").is_err());
}

#[test]
fn a_tag_picks_the_variant() {
    let square: Shape = from_str(r#"{"side":1,"kind":"sq"}"#).unwrap();
    // A tag that the variant writes stays as it is.
    assert_eq!(to_value(&square).unwrap(), json!({"kind": "sq", "side": 1}));
    let made = Shape::Square(Box::new(Square { kind: None, side: 1.0, label: None }));
    assert_eq!(serde_json::to_string(&made).unwrap(), r#"{"kind":"square","side":1}"#);
    for unknown in [json!({"kind": "hexagon", "n": 6}), json!({"n": 1}), json!({"kind": 5}), json!("text"), json!(null)]
    {
        let kept: Shape = serde_json::from_value(unknown.clone()).unwrap();
        assert_eq!(kept, Shape::Unknown(unknown.clone().into()));
        assert_eq!(to_value(&kept).unwrap(), unknown);
    }
    assert!(from_str::<Shape>(r#"{"kind":"circle"}"#).is_err());
}

#[test]
fn the_best_fit_is_picked() {
    let pick = |value: serde_json::Value| serde_json::from_value::<Either>(value).unwrap();
    assert!(matches!(pick(json!({"radius": 1})), Either::Circle(_)));
    assert!(matches!(pick(json!({"side": 1})), Either::Square(_)));
    assert!(matches!(pick(json!({"side": 1, "label": "x", "radius": 1})), Either::Square(_)));
    assert!(matches!(pick(json!("active")), Either::Status(Status::Active)));
    assert!(matches!(pick(json!("anything")), Either::Text(_)));
    assert!(matches!(pick(json!(1.5)), Either::Number(_)));
    assert_eq!(pick(json!([1])), Either::Unknown(json!([1]).into()));
}

#[test]
fn nesting_without_end_is_an_error() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(from_str::<Either>(&deep).is_err());
    assert!(from_str::<Everything>(&format!(r#"{{"id":1,"x":{deep}}}"#)).is_err());
    // Skipping needs no stack.
    assert!(from_str::<Circle>(&format!(r#"{{"x":{deep},"radius":1}}"#)).is_ok());
}

#[derive(Clone, Debug, PartialEq)]
struct Dog {
    kind: Option<String>,
    bark: Option<i64>,
    free: Option<Value>,
    undeclared_: crate::codegen::Undeclared,
}
record!(Dog { kind: optional "kind", bark: optional "bark", free: any "free", undeclared_: rest });

#[derive(Clone, Debug, PartialEq)]
struct Cat {
    kind: Option<String>,
    meow: i64,
    bark: Option<i64>,
    free: Option<Value>,
    undeclared_: crate::codegen::Undeclared,
}
record!(Cat { kind: optional "kind", meow: required "meow", bark: optional "bark", free: any "free", undeclared_: rest });

#[derive(Clone, Debug, PartialEq)]
enum Pet {
    Dog(Box<Dog>),
    Cat(Box<Cat>),
    Unknown(Value),
}
tagged_union!(Pet, "kind" { Dog(Box<Dog>) = "dog", Cat(Box<Cat>) = "cat" });

/// Every object that can be made from a list of choices for each member, including absent ones.
fn objects(members: &[(&str, &[serde_json::Value])]) -> Vec<serde_json::Map<String, serde_json::Value>> {
    let mut all = vec![serde_json::Map::new()];
    for (name, values) in members {
        let with = |object: &serde_json::Map<String, serde_json::Value>, value: &serde_json::Value| {
            let mut object = object.clone();
            object.insert((*name).to_owned(), value.clone());
            object
        };
        let more: Vec<_> = all.iter().flat_map(|object| values.iter().map(|value| with(object, value))).collect();
        all.extend(more);
    }
    all
}

#[test]
fn a_value_without_its_tag_is_the_one_variant_that_fits_and_nothing_of_it_is_lost() {
    let free = [json!(null), json!(1.10), json!({"a": null}), json!([null]), json!("")];
    let all = objects(&[
        ("kind", &[json!("dog"), json!("cat"), json!("bird"), json!(null), json!(true)]),
        ("meow", &[json!(1)]),
        ("bark", &[json!(2)]),
        ("free", &free),
        ("more", &[json!(null), json!(3)]),
    ]);
    let mut seen = [0; 3];
    for object in all {
        let has = |name: &str| object.contains_key(name);
        // A dog has two declared members besides the tag, a cat three, one of which is required.
        let expected = match object.get("kind") {
            Some(serde_json::Value::String(kind)) if kind == "dog" => Some("dog"),
            Some(serde_json::Value::String(kind)) if kind == "cat" && !has("meow") => None,
            Some(serde_json::Value::String(kind)) if kind == "cat" => Some("cat"),
            None | Some(serde_json::Value::Null) => Some(if has("meow") { "cat" } else { "dog" }),
            Some(_) => Some("unknown"),
        };
        let text = serde_json::to_string(&object).unwrap();
        let read = from_str::<Pet>(&text);
        let Some(expected) = expected else {
            assert!(read.is_err(), "{text}");
            continue;
        };
        let read = read.unwrap();
        let (index, name) = match &read {
            Pet::Dog(_) => (0, "dog"),
            Pet::Cat(_) => (1, "cat"),
            Pet::Unknown(_) => (2, "unknown"),
        };
        seen[index] += 1;
        assert_eq!(name, expected, "{text}");
        // A missing tag is written; everything else is unchanged.
        let mut written = object.clone();
        if index < 2 && !matches!(object.get("kind"), Some(serde_json::Value::String(_))) {
            written.insert("kind".to_owned(), json!(name));
        }
        assert_eq!(to_value(&read).unwrap(), serde_json::Value::Object(written), "{text}");
    }
    assert!(seen.iter().all(|count| *count > 20), "{seen:?}");
}

#[test]
fn a_value_without_its_tag_that_several_variants_fit_is_kept_as_it_is() {
    #[derive(Clone, Debug, PartialEq)]
    struct Left {
        a: Option<i64>,
        b: Option<i64>,
    }
    record!(Left { a: optional "a", b: optional "b" });
    #[derive(Clone, Debug, PartialEq)]
    struct Right {
        b: Option<i64>,
        c: Option<i64>,
    }
    record!(Right { b: optional "b", c: optional "c" });
    #[derive(Clone, Debug, PartialEq)]
    enum Side {
        Left(Box<Left>),
        Right(Box<Right>),
        Unknown(Value),
    }
    tagged_union!(Side, "side" { Left(Box<Left>) = "left", Right(Box<Right>) = "right" });
    for object in objects(&[("a", &[json!(1)]), ("b", &[json!(2)]), ("c", &[json!(3)])]) {
        let read: Side = from_str(&serde_json::to_string(&object).unwrap()).unwrap();
        match (object.contains_key("a"), object.contains_key("c")) {
            (true, false) => assert!(matches!(read, Side::Left(_)), "{object:?}"),
            (false, true) => assert!(matches!(read, Side::Right(_)), "{object:?}"),
            _ => assert_eq!(read, Side::Unknown(serde_json::Value::Object(object).into())),
        }
    }
}
