//! Integers of 64 bits, and the formats of integers.

use serde_json::{Value, json};

use super::{inline, sample, schemas};
use crate::schema::Direction;

/// Limits that `f64` has no room for.
#[test]
fn integers_near_the_limits_of_64_bits_are_sampled_within_them() {
    let schemas = schemas("3.1.0", &json!({}));
    let (low, high, huge) = (i64::MIN, i64::MAX, u64::MAX);
    for (schema, expected) in [
        (json!({ "minimum": high }), json!(high)),
        (json!({ "maximum": low }), json!(low)),
        (json!({ "minimum": high - 1, "exclusiveMaximum": high }), json!(high - 1)),
        (json!({ "exclusiveMinimum": low, "maximum": low + 1 }), json!(low + 1)),
        (json!({ "minimum": huge }), json!(huge)),
        (json!({ "minimum": huge - 1, "maximum": huge - 1 }), json!(huge - 1)),
        (
            json!({ "minimum": 9_007_199_254_740_993_i64, "maximum": 9_007_199_254_740_993_i64 }),
            json!(9_007_199_254_740_993_i64),
        ),
    ] {
        let mut schema = schema;
        schema["type"] = json!("integer");
        for seed in 0..5 {
            assert_eq!(
                sample(&schemas, &inline(schema.clone()), Direction::Response, seed),
                Ok(expected.clone()),
                "{schema}"
            );
        }
    }
    for (least, most) in [(high - 3, high), (low, low + 3)] {
        let schema = json!({ "type": "integer", "minimum": least, "maximum": most });
        let all = (0..40)
            .map(|seed| sample(&schemas, &inline(schema.clone()), Direction::Response, seed).unwrap().to_string());
        assert_eq!(all.collect::<std::collections::BTreeSet<_>>().len(), 4, "{least} to {most}");
    }
    let schema = json!({ "type": "integer", "minimum": 1e30 });
    assert_eq!(
        sample(&schemas, &inline(schema), Direction::Response, 1).unwrap().as_f64().map(|value| value >= 1e30),
        Some(true)
    );
}

/// Catches an integer that no client of the contract can have.
#[test]
fn an_integer_has_the_width_of_its_format() {
    let schemas = schemas("3.1.0", &json!({}));
    let is_valid = |schema: &Value, value: &str| {
        schemas
            .violations(&inline(schema.clone()), &serde_json::from_str(value).unwrap(), Direction::Request)
            .is_empty()
    };
    for (format, least, most) in [
        ("int8", "-128", "127"),
        ("int16", "-32768", "32767"),
        ("int32", "-2147483648", "2147483647"),
        ("int64", "-9223372036854775808", "9223372036854775807"),
        ("uint8", "0", "255"),
        ("uint16", "0", "65535"),
        ("uint32", "0", "4294967295"),
        ("uint64", "0", "18446744073709551615"),
    ] {
        for kind in [json!("integer"), json!(["string", "integer"])] {
            let schema = json!({ "type": kind, "format": format });
            assert!(is_valid(&schema, least) && is_valid(&schema, most), "{schema}");
            let beyond = |limit: &str| limit.parse::<i128>().map(|it| if it <= 0 { it - 1 } else { it + 1 }).unwrap();
            for limit in [least, most] {
                assert!(!is_valid(&schema, &beyond(limit).to_string()), "{schema}: {}", beyond(limit));
            }
            assert!(is_valid(&json!({ "type": "string", "format": format }), "\"any\""), "{format}");
        }
        let own = json!({ "type": "integer", "format": format, "maximum": 5, "exclusiveMinimum": 2 });
        assert!(is_valid(&own, "3") && !is_valid(&own, "2") && !is_valid(&own, "6"), "{own}");
    }
}

/// A reader of JSON makes one double of it and of integers below it.
#[test]
fn the_least_integer_with_a_point_is_refused_and_the_message_says_so() {
    let schemas = schemas("3.1.0", &json!({}));
    let schema = inline(json!({ "type": "integer", "format": "int64" }));
    let messages = |text: &str| {
        let violations = schemas.violations(&schema, &serde_json::from_str(text).unwrap(), Direction::Request);
        violations.into_iter().map(|violation| violation.message).collect::<Vec<_>>()
    };
    assert_eq!(messages("-9223372036854775808"), Vec::<String>::new());
    for text in ["-9223372036854775808.0", "-9223372036854775809"] {
        let message = "value is less than the minimum of -9223372036854775808, or is this minimum written with a point";
        assert_eq!(messages(text), [message], "{text}");
    }
}
