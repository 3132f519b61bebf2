use crate::Client;
use crate::{codegen::prelude::*, json::lenient::from_slice};

fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    from_slice(text.as_bytes())
}

#[derive(Clone, Debug, PartialEq)]
struct Numbers {
    id: i64,
    small: Option<u8>,
    list: Vec<Option<i32>>,
    maybe: Maybe<f64>,
    exact: Decimal,
    name: String,
    any: Value,
    extra: BTreeMap<String, f32>,
}
record!(Numbers {
    id: required "id",
    small: nullable "small",
    list: required "list",
    maybe: maybe "maybe",
    exact: required "exact",
    name: required "name",
    any: required "any",
    extra: extra,
});

#[test]
fn numbers_come_whole_with_a_fraction_or_as_text() {
    let plain: Numbers =
        read(r#"{"id":7,"small":1,"list":[1,null],"maybe":2,"exact":7.00,"name":"7","any":"7","more":3}"#).unwrap();
    let other: Numbers = read(
        r#"{"id":"7","small":1.0,"list":["1",null],"maybe":"2.0","exact":"7.00","name":"7","any":"7","more":"3e0"}"#,
    )
    .unwrap();
    assert_eq!(plain, other);
    assert_eq!((plain.name.as_str(), &plain.any), ("7", &Value::from("7")), "a text stays a text");
    assert_eq!(read::<(i64, u64)>(r#"["-9223372036854775808","18446744073709551615"]"#).unwrap(), (i64::MIN, u64::MAX));
    assert_eq!(read::<Vec<i32>>(r#"[-1.0, 1e3, "2.0"]"#).unwrap(), [-1, 1000, 2]);
    assert!(read::<f64>(r#""NaN""#).unwrap().is_nan());
    assert_eq!(read::<[f64; 2]>(r#"["Infinity","-Infinity"]"#).unwrap(), [f64::INFINITY, f64::NEG_INFINITY]);
}

#[test]
fn what_is_no_such_number_is_an_error() {
    for text in [
        "1.5", "1e300", "\"1.5\"", "\"\"", "\" 7\"", "\"+7\"", "\"7a\"", "\"NaN\"", "\"0x7\"", "true", "null", "[7]",
        "{}",
    ] {
        assert!(read::<i64>(text).is_err(), "{text}");
    }
    for text in ["\"inf\"", "\"nan\"", "\"1e999\"", "\"-\"", "\"infinity\"", "false"] {
        assert!(read::<f64>(text).is_err(), "{text}");
    }
    for text in ["256", "-1", "\"256\"", "256.0", "-1.0"] {
        assert!(read::<u8>(text).is_err(), "{text}");
    }
    assert!(read::<String>("7").is_err(), "a number is not text");
    assert!(read::<i64>("7 8").is_err(), "one text is one value");
}

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    Circle(Box<Circle>),
    Unknown(Value),
}
tagged_union!(Shape, "kind" { Circle(Box<Circle>) = "circle" });

#[derive(Clone, Debug, PartialEq)]
struct Circle {
    radius: i32,
}
record!(Circle { radius: required "radius" });

#[derive(Clone, Debug, PartialEq)]
enum Either {
    Number(i32),
    Text(String),
    Unknown(Value),
}
untagged_union!(Either { Number(i32), Text(String) });

#[test]
fn a_tag_makes_no_difference_and_a_union_keeps_texts() {
    let shape: Shape = read(r#"{"kind":"circle","radius":"3"}"#).unwrap();
    assert_eq!(shape, Shape::Circle(Box::new(Circle { radius: 3 })));
    let either: Vec<Either> = read(r#"[7,"7"]"#).unwrap();
    assert_eq!(either, [Either::Number(7), Either::Text("7".to_owned())]);
}

#[tokio::test]
async fn responses_are_read_leniently() {
    let server = super::support::Server::always(super::support::Reply::json(200, r#"[1.0,"2"]"#)).await;
    let platform = Client::builder(&server.url).build().unwrap();
    static OPERATION: Operation = Operation { name: "probe", path: "/x", ..Operation::family("test") };
    let read = platform.call::<Vec<i64>>(&OPERATION, &[], Payload::None, decode::json).await.unwrap();
    assert_eq!(read, [1, 2]);
}
