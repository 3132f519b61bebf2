//! Headers of responses, as the contract declares them.

use std::borrow::Cow;

use http::{HeaderMap, header::SET_COOKIE};
use serde::de::DeserializeOwned;

use crate::{
    DateTime,
    error::{Error, Kind},
    json::{Value, lenient},
};

/// Returns a header with one value: its lines are joined with commas (RFC 9110, section 5.3).
///
/// # Errors
///
/// The value has another type.
pub fn one<T: DeserializeOwned>(headers: &HeaderMap, name: &'static str) -> Result<Option<T>, Error> {
    let Some(text) = text(headers, name)? else { return Ok(None) };
    scalar(&text).map(Some).ok_or_else(|| unfit(name))
}

/// Returns a date: in the format of RFC 3339, as in schemas, or of HTTP (RFC 9110, section 5.6.7).
///
/// # Errors
///
/// The value is not text.
pub fn date(headers: &HeaderMap, name: &'static str) -> Result<Option<DateTime>, Error> {
    let Some(text) = text(headers, name)? else { return Ok(None) };
    Ok(Some(httpdate::parse_http_date(&text).map_or_else(|_| DateTime::new(text), DateTime::from)))
}

/// Returns a header with a list of values. A cookie may contain commas, so each line of `Set-Cookie` is one value.
///
/// # Errors
///
/// One of the values has another type.
pub fn list<T: DeserializeOwned>(headers: &HeaderMap, name: &'static str) -> Result<Option<Vec<T>>, Error> {
    if !headers.contains_key(name) {
        return Ok(None);
    }
    let mut values = Vec::new();
    for line in headers.get_all(name) {
        let line = line_text(line.as_bytes(), name)?;
        let parts = if SET_COOKIE == name { vec![line] } else { elements(line) };
        for part in parts {
            values.push(scalar(part).ok_or_else(|| unfit(name))?);
        }
    }
    Ok(Some(values))
}

/// Returns a header whose value is JSON.
///
/// # Errors
///
/// The value is not JSON of the type.
pub fn json<T: DeserializeOwned>(headers: &HeaderMap, name: &'static str) -> Result<Option<T>, Error> {
    let Some(text) = text(headers, name)? else { return Ok(None) };
    lenient::from_str(&text).map(Some).map_err(|_| unfit(name))
}

/// Returns the value of a header.
fn text(headers: &HeaderMap, name: &'static str) -> Result<Option<String>, Error> {
    let lines: Vec<&str> =
        headers.get_all(name).iter().map(|line| line_text(line.as_bytes(), name)).collect::<Result<_, _>>()?;
    Ok((!lines.is_empty()).then(|| lines.join(", ")))
}

fn line_text<'h>(line: &'h [u8], name: &'static str) -> Result<&'h str, Error> {
    std::str::from_utf8(line).map(str::trim).map_err(|_| unfit(name))
}

/// Returns the elements between commas outside of quotes. Empty elements are left out (RFC 9110, section 5.6.1).
fn elements(line: &str) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    let parts = line.split(|letter: char| {
        let was_escaped = std::mem::take(&mut escaped);
        match letter {
            '"' if !was_escaped => quoted = !quoted,
            '\\' if quoted && !was_escaped => escaped = true,
            _ => {}
        }
        letter == ',' && !quoted
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Parses a text as the type: a text, a number, or a truth value.
fn scalar<T: DeserializeOwned>(text: &str) -> Option<T> {
    let quoted = Value::from(text).to_string();
    let is_flag = || ["true", "false"].into_iter().find(|flag| text.eq_ignore_ascii_case(flag));
    let read = |text: Cow<'_, str>| lenient::from_str(&text).ok();
    read(quoted.into()).or_else(|| read(is_flag()?.into()))
}

/// The error does not contain the value, which may be a secret.
fn unfit(name: &'static str) -> Error {
    Error::with(Kind::Decode, format!("the header `{name}` does not have the type that the contract declares"))
        .hint("the response does not match the contract: `headers()` has the value")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;
    use crate::Uuid;

    fn headers(lines: &[(&str, &[u8])]) -> HeaderMap {
        let line = |(name, value): &(&str, &[u8])| {
            (HeaderName::try_from(*name).unwrap(), HeaderValue::from_bytes(value).unwrap())
        };
        let mut headers = HeaderMap::new();
        for (name, value) in lines.iter().map(line) {
            headers.append(name, value);
        }
        headers
    }

    #[test]
    fn a_value_is_read_as_its_type() {
        let with = |value: &str| headers(&[("x-it", value.as_bytes())]);
        assert_eq!(one::<i64>(&with(" 7 "), "X-It").unwrap(), Some(7));
        assert_eq!(one::<u8>(&with("256"), "X-It").unwrap_err().kind(), Kind::Decode);
        assert_eq!(one::<f64>(&with("1.5"), "X-It").unwrap(), Some(1.5));
        assert_eq!(one::<bool>(&with("True"), "X-It").unwrap(), Some(true));
        assert!(one::<bool>(&with("yes"), "X-It").unwrap_err().is_decode());
        assert_eq!(one::<String>(&with("true"), "X-It").unwrap().as_deref(), Some("true"));
        assert_eq!(one::<String>(&with(r#"W/"a\b""#), "X-It").unwrap().as_deref(), Some(r#"W/"a\b""#));
        assert_eq!(one::<String>(&with(""), "X-It").unwrap().as_deref(), Some(""));
        let id = "00000000-0000-0000-0000-000000000007";
        assert_eq!(one::<Uuid>(&with(id), "X-It").unwrap(), Some(Uuid::from_u128(7)));
        assert!(one::<i32>(&HeaderMap::new(), "X-It").unwrap().is_none());
        assert_eq!(json::<Vec<i32>>(&with("[1, 2]"), "X-It").unwrap(), Some(vec![1, 2]));
        assert!(json::<Vec<i32>>(&with("[1,"), "X-It").is_err());
    }

    #[test]
    fn dates_are_those_of_schemas_and_those_of_http() {
        let expires = |value: &str| date(&headers(&[("expires", value.as_bytes())]), "Expires").unwrap().unwrap();
        assert_eq!(expires("2026-01-02T03:04:05Z").as_str(), "2026-01-02T03:04:05Z");
        let moment = std::time::SystemTime::try_from(&expires("Sun, 06 Nov 1994 08:49:37 GMT")).unwrap();
        assert_eq!(moment.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs(), 784_111_777);
        // Servers mark a stale response this way (RFC 9111, section 5.3).
        assert_eq!(expires("0").as_str(), "0");
    }

    #[test]
    fn lines_of_one_name_are_one_list() {
        let tags = headers(&[("x-tag", b"a, \"b,c\",,"), ("X-Other", b"no"), ("x-tag", b" d")]);
        assert_eq!(list::<String>(&tags, "X-Tag").unwrap().unwrap(), ["a", "\"b,c\"", "d"]);
        assert_eq!(one::<String>(&tags, "X-Tag").unwrap().unwrap(), "a, \"b,c\",,, d");
        assert_eq!(list::<i32>(&headers(&[("x-tag", b"1,2")]), "X-Tag").unwrap().unwrap(), [1, 2]);
        assert!(list::<i32>(&tags, "X-Tag").is_err());
        assert!(list::<i32>(&tags, "X-Gone").unwrap().is_none());
        assert!(list::<i32>(&headers(&[("x-tag", b"")]), "X-Tag").unwrap().unwrap().is_empty());
        let cookies = headers(&[("set-cookie", b"a=1; Expires=Sun, 06 Nov 1994"), ("set-cookie", b"b=2")]);
        let read = list::<String>(&cookies, "Set-Cookie").unwrap().unwrap();
        assert_eq!(read, ["a=1; Expires=Sun, 06 Nov 1994", "b=2"]);
    }

    #[test]
    fn an_error_does_not_show_the_value() {
        let error = one::<i32>(&headers(&[("x-it", b"secret")]), "X-It").unwrap_err();
        let printed = format!("{error} {error:?}");
        assert!(printed.contains("X-It") && !printed.contains("secret"), "{printed}");
        assert!(one::<String>(&headers(&[("x-it", b"\xff")]), "X-It").unwrap_err().is_decode());
    }
}
