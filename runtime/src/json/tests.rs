use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{from_str, json, to_string};

use super::{Decimal, Object, Value, raw};

struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        raw(deserializer).map(Self)
    }
}

#[test]
fn a_value_is_the_text_it_was_read_from() {
    for text in [
        "null",
        "true",
        "1.10",
        "7.0",
        "1e3",
        "-0",
        "-0.0",
        "1E+400",
        "12345678901234567890.12345",
        "18446744073709551616",
        "-9223372036854775809",
        "-12345678901234567890.123456789e-400",
        r#""a\"\\\u0000{[""#,
        r#"{"a":[1.10,{"b":[]},"x,y"],"":{}}"#,
        r#"{"z":1,"a":1.0,"m":[-1.50]}"#,
    ] {
        assert_eq!(Value::read(text).map(|value| value.to_string()).as_deref(), Ok(text), "{text}");
        let value: Value = from_str(text).unwrap();
        assert_eq!(to_string(&value).unwrap(), text);
        assert_eq!(Value::from_serialize(&value).unwrap(), value);
        assert_eq!(value.to::<Value>().unwrap(), value);
        assert_eq!(from_str::<Text>(text).unwrap().0, text);
    }
    let spaced: Value = from_str(" { \"a\" : [ 1 , 2 ] } ").unwrap();
    assert_eq!(spaced.to_string(), r#"{"a":[1,2]}"#);
    let twice: Value = from_str(r#"{"a":1,"b":2,"a":3}"#).unwrap();
    assert_eq!(twice.to_string(), r#"{"a":3,"b":2}"#, "the last of a name stays");
    for odd in ["", "{", "[1", "[1,]", "{\"a\"}", "\"a", "\"a\\", "x", "1 2", "{a:1}", "01", "+1", "1.", "\"\n\""] {
        assert!(Value::read(odd).is_err(), "{odd}");
        assert!(from_str::<Value>(odd).is_err(), "{odd}");
    }
}

#[test]
fn what_cannot_be_held_is_named() {
    let nested = |count: usize| format!("{}1.10{}", "[".repeat(count), "]".repeat(count));
    let deep: Value = from_str(&nested(128)).unwrap();
    assert_eq!(to_string(&deep).unwrap(), nested(128));
    for count in [129, 1_000_000] {
        let error = from_str::<Value>(&nested(count)).unwrap_err().to_string();
        assert!(error.contains("more than 128 deep"), "{error}");
    }
    let error = from_str::<Value>(r#"["\ud800"]"#).unwrap_err().to_string();
    assert!(error.contains("half of a surrogate pair"), "{error}");
}

#[test]
fn other_formats_give_their_values() {
    assert_eq!(Text::deserialize(json!({ "a": [1, 2.5] })).unwrap().0, r#"{"a":[1,2.5]}"#);
    #[derive(Deserialize)]
    struct Flat {
        #[serde(flatten)]
        rest: BTreeMap<String, Value>,
    }
    let flat: Flat = from_str(r#"{"a":{"b":[1.5,null]},"c":7,"d":"x"}"#).unwrap();
    assert_eq!(flat.rest["a"], json!({ "b": [1.5, null] }));
    assert_eq!((&flat.rest["c"], &flat.rest["d"]), (&Value::from(7), &Value::from("x")));
    // A format without newtypes.
    let pairs =
        serde::de::value::MapDeserializer::<_, serde::de::value::Error>::new([("a", 1_u8), ("b", 2)].into_iter());
    assert_eq!(Value::deserialize(pairs).unwrap(), json!({ "a": 1, "b": 2 }));
    // Into another one: a primitive value is not wrapped.
    assert_eq!(serde_json::to_value(Value::from([1, 2])).unwrap(), json!([1, 2]));
    assert_eq!(serde_json::to_value(from_str::<Value>("[1.5,-7]").unwrap()).unwrap(), json!([1.5, -7]));
}

#[test]
fn values_are_made_compared_and_reached() {
    let value = Value::from(json!({ "a": [1, 2.5, "x", null, true], "~/": { "": u64::MAX } }));
    assert_eq!(value, json!({ "~/": { "": u64::MAX }, "a": [1, 2.5, "x", null, true] }), "in any order");
    assert_ne!(value, json!({ "a": [1, 2.5, "x", null, true] }));
    assert_eq!(json!([1]), Value::from([1]));
    assert_eq!(value["a"][0], 1);
    assert_eq!(value["a"][1], 2.5);
    assert_eq!(value["a"][2], "x");
    assert_eq!(value["a"][4], true);
    assert_eq!(value["a"][9]["b"], Value::Null);
    assert_eq!(value.pointer("/~0~1/").and_then(Value::as_u64), Some(u64::MAX));
    assert_eq!(value.pointer("/~0~1/").and_then(Value::as_i64), None);
    for (pointer, exists) in
        [("/a/0", true), ("/a/00", false), ("/a/+1", false), ("/a/-", false), ("/a/9", false), ("a", false)]
    {
        assert_eq!(value.pointer(pointer).is_some(), exists, "{pointer}");
    }
    let whole: Value = from_str("[1.0,1e2,1.5,-1]").unwrap();
    let whole: Vec<_> = whole.as_array().unwrap().iter().map(Value::as_i64).collect();
    assert_eq!(whole, [Some(1), Some(100), None, Some(-1)]);
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let values = [Value::from(number), Value::from(number as f32), Value::from(vec![Some(number)])];
        assert!(values.iter().all(|value| serde_json::to_string(value).is_err()), "{values:?}");
        assert!(Value::from_serialize(&(1, Some(number))).is_err(), "{number}");
    }
    assert_eq!(Value::from(Some(0.1_f32)).to_string(), "0.1");
    assert_eq!(Value::from(u128::MAX).to_string(), u128::MAX.to_string());
    let mut taken = value;
    let inner = taken.as_object_mut().and_then(|members| members.value_mut("a")).map(Value::take);
    assert_eq!((inner.map(|list| list.as_array().map(Vec::len)), taken["a"].is_null()), (Some(Some(5)), true));
}

#[test]
fn a_value_is_read_as_a_type_with_every_digit() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Order {
        total: Decimal,
        count: u32,
    }
    let value: Value = from_str(r#"{"total":12345678901234567890.12345,"count":7.0}"#).unwrap();
    let order: Order = value.to().unwrap();
    assert_eq!((order.total.as_str(), order.count), ("12345678901234567890.12345", 7));
    assert_eq!(Value::from_serialize(&order).unwrap()["total"].to_string(), "12345678901234567890.12345");
    let error = value.to::<Vec<u8>>().unwrap_err();
    assert!(error.is_decode() && error.to_string().contains("another type"), "{error}");
    let object: Object = from_str(r#"{"total":1.10}"#).unwrap();
    assert_eq!(object.get::<Decimal>("total").unwrap().unwrap().as_str(), "1.10");
    assert!(Value::from_serialize(&BTreeMap::from([((1, 2), 3)])).unwrap_err().to_string().contains("JSON"));
}

#[test]
fn integers_of_any_width_are_told_apart() {
    let integer = |text: &str| Decimal::new(text).unwrap();
    for (text, signed, unsigned) in [
        ("0", Some(0), Some(0)),
        ("-0", Some(0), None),
        ("-1", Some(-1), None),
        ("9223372036854775807", Some(i64::MAX), Some(9_223_372_036_854_775_807)),
        ("9223372036854775808", None, Some(9_223_372_036_854_775_808)),
        ("-9223372036854775808", Some(i64::MIN), None),
        ("-9223372036854775809", None, None),
        ("18446744073709551615", None, Some(u64::MAX)),
        ("18446744073709551616", None, None),
        ("1.8446744073709551615e19", None, Some(u64::MAX)),
        ("1.5", None, None),
        ("1e400", None, None),
    ] {
        assert_eq!(integer(text).to_integer::<i64>(), signed, "{text}");
        assert_eq!(integer(text).to_integer::<u64>(), unsigned, "{text}");
    }
}

#[test]
fn objects_keep_everything_in_order() {
    let text = r#"{"z":1,"a":null,"m":{"y":[1.50,"x"]},"":true}"#;
    let mut object: Object = from_str(text).unwrap();
    assert_eq!(to_string(&object).unwrap(), text);
    assert_eq!(object.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["z", "a", "m", ""]);
    assert_eq!(object.get::<i64>("a").unwrap(), None);
    assert_eq!(object.value("a"), Some(&Value::Null));
    let error = object.get::<i64>("m").unwrap_err();
    assert!(error.is_decode() && error.to_string().contains("`m`"), "{error}");
    assert_eq!(object.set("z", 2), Some(Value::from(1)));
    assert_eq!(object.get::<i64>("z").unwrap(), Some(2));
    assert_eq!(object.remove("z"), Some(Value::from(2)));
    assert_eq!((object.len(), object.is_empty()), (3, false));
    assert!(from_str::<Object>("[]").is_err());
}
