//! Values that are the same, whatever their spelling.

use serde_json::Value;

use super::answer::{Answer, BodyForm, Flaw};
use super::xml::plain;
use super::{Verdict, fault};

/// The first place at which two values differ: its pointer, and both values. Numbers are compared digit by digit: `10` and `1e1` are
/// the same.
pub fn difference(expected: &Value, actual: &Value) -> Option<(String, String, String)> {
    match (expected, actual) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let differing = match (one.get(name), other.get(name)) {
                    (Some(one), Some(other)) => difference(one, other),
                    (Some(one), None) => Some((String::new(), one.to_string(), "nothing".to_owned())),
                    (None, other) => {
                        Some((String::new(), "nothing".to_owned(), other.map(Value::to_string).unwrap_or_default()))
                    }
                };
                differing.map(|(at, one, other)| (format!("/{}{at}", crate::contract::escape(name)), one, other))
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let mut pairs = one.iter().zip(other).enumerate();
            pairs.find_map(|(index, (one, other))| {
                difference(one, other).map(|(at, one, other)| (format!("/{index}{at}"), one, other))
            })
        }
        (Value::Number(one), Value::Number(other)) if is_same_number(&one.to_string(), &other.to_string()) => None,
        (one, other) if one == other => None,
        (one, other) => Some((String::new(), one.to_string(), other.to_string())),
    }
}

/// Compares numbers digit by digit: `10`, `10.0` and `1e1` are the same.
fn is_same_number(one: &str, other: &str) -> bool {
    digits(one).is_some_and(|one| digits(other) == Some(one))
}

/// Sign, digits without zeros at either end, and the power of ten behind them.
fn digits(text: &str) -> Option<(bool, String, i64)> {
    let (text, is_negative) = text.strip_prefix('-').map_or((text, false), |text| (text, true));
    let (number, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let power = power.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let power = power.checked_add(i64::try_from(all.len() - digits.len()).ok()?)?;
    match digits.trim_start_matches('0') {
        "" => Some((false, String::new(), 0)),
        digits => Some((is_negative, digits.to_owned(), power)),
    }
}

/// The verdict on the result of a call: the value that the client read, or the status of its error.
pub(super) fn answer(answer: &Answer, result: &Result<Value, Option<u16>>) -> Verdict {
    let expected = match answer.form {
        BodyForm::Empty => "nothing".to_owned(),
        _ if answer.flaw.hides_value() => "an error".to_owned(),
        _ => answer.value.to_string(),
    };
    let wrong = |place: &str, actual: &str| fault(place, "Responses Object", &expected, actual);
    match result {
        Ok(_) if answer.status >= 400 => {
            wrong("answer", &format!("a result, although the status is {}", answer.status))
        }
        Err(Some(status)) if answer.status >= 400 && *status == answer.status => Verdict::Right,
        Err(_) if answer.flaw != Flaw::None => Verdict::Right,
        Err(status) => wrong("answer", &format!("an error of status {status:?}, although it is {}", answer.status)),
        Ok(read) if answer.flaw.hides_value() && !(answer.flaw == Flaw::Nothing && read.is_null()) => {
            wrong("answer", &format!("{read}, although the answer has no value"))
        }
        Ok(_) if answer.flaw == Flaw::Nothing => Verdict::Right,
        Ok(read) => match answer.form {
            BodyForm::Text if text(&answer.value) == text(read) => Verdict::Right,
            BodyForm::Xml if difference(&plain(&answer.value), &plain(read)).is_none() => Verdict::Right,
            BodyForm::Json | BodyForm::Text | BodyForm::Xml => {
                match difference(&without_null(&answer.value), &without_null(read)) {
                    Some((at, expected, actual)) => fault(&format!("answer {at}"), "Schema Object", &expected, &actual),
                    None => Verdict::Right,
                }
            }
            BodyForm::Empty | BodyForm::Unknown => Verdict::Right,
        },
    }
}

/// The text of a value: a body that is text can be read as a number.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A member that is null reads as one that is missing.
fn without_null(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            members.map(|(name, value)| (name.clone(), without_null(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_null).collect(),
        other => other.clone(),
    }
}

/// Writes whole numbers without a fraction: `1.0` and `1` are the same number, and the path of a request has one text.
pub(super) fn whole(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let float = number.as_f64().unwrap_or_default();
            match float.fract() == 0.0 && float.abs() < 1e15 {
                true => Value::from(float as i64),
                false => Value::Number(number),
            }
        }
        Value::Array(items) => items.into_iter().map(whole).collect(),
        Value::Object(members) => members.into_iter().map(|(name, value)| (name, whole(value))).collect(),
        other => other,
    }
}
