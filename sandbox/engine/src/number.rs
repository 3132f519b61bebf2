//! Numbers of JSON, compared and read without loss: `f64` has no room for each integer of 64 bits.

use std::cmp::Ordering;

use serde_json::Number;

/// The order of two numbers by their exact values.
pub(crate) fn order(one: &Number, other: &Number) -> Ordering {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one.cmp(&other),
        (Some(one), None) => against(one, other),
        (None, Some(other)) => against(other, one).reverse(),
        (None, None) => float(one).total_cmp(&float(other)),
    }
}

/// The integer of 64 bits that a text writes, as an identifier in a path.
pub(crate) fn of_text(text: &str) -> Option<Number> {
    text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok()
}

/// The value of a number that is written as an integer of 64 bits.
pub(crate) fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

/// The order of an integer and a number of another form.
fn against(integer: i128, other: &Number) -> Ordering {
    let other = float(other);
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, far beyond 64 bits")]
    let floor = other.floor() as i128;
    integer.cmp(&floor).then(if other > other.floor() { Ordering::Less } else { Ordering::Equal })
}

/// JSON has neither infinities nor NaN. Both zeros are one number.
fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_default() + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_the_order_of_their_exact_values() {
        let ascending = [
            "-1e300",
            "-9223372036854775809.0",
            "-9223372036854775807",
            "-0.5",
            "0",
            "0.5",
            "1",
            "9007199254740992",
            "9007199254740993",
            "9007199254740994.0",
            "9223372036854775806",
            "9223372036854775807",
            "9223372036854775808.0",
            "18446744073709551614",
            "18446744073709551615",
            "18446744073709551616",
            "1e300",
        ];
        let numbers: Vec<Number> = ascending.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        for (at, one) in numbers.iter().enumerate() {
            for (other_at, other) in numbers.iter().enumerate() {
                assert_eq!(order(one, other), at.cmp(&other_at), "{one} and {other}");
            }
        }
        let number = |text: &str| serde_json::from_str::<Number>(text).unwrap();
        for (one, other) in
            [("5", "5.0"), ("-0.0", "0"), ("-0.0", "0.0"), ("18446744073709551616", "18446744073709551616.0")]
        {
            assert_eq!(order(&number(one), &number(other)), Ordering::Equal, "{one} and {other}");
        }
    }

    #[test]
    fn an_identifier_has_the_integers_of_64_bits() {
        for (text, number) in [
            ("-9223372036854775808", Some("-9223372036854775808")),
            ("9223372036854775807", Some("9223372036854775807")),
            ("18446744073709551615", Some("18446744073709551615")),
            ("18446744073709551616", None),
            ("1.5", None),
            ("a", None),
            ("", None),
        ] {
            assert_eq!(of_text(text).map(|number| number.to_string()).as_deref(), number, "{text}");
        }
    }
}
