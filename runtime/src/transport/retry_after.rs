//! The header `Retry-After`.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, header};

/// `Retry-After`, in seconds or as one of the three forms of dates of RFC 9110. An invalid value counts as absent; a
/// date in the past is not a time.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Duration::from_secs);
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    /// RFC 9110 §5.6.7: three forms of one date, all of which a recipient accepts.
    #[test]
    fn retry_after_is_understood_in_every_form() {
        let date = UNIX_EPOCH + Duration::from_secs(784_111_777);
        let wait = |text: &str, now| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RETRY_AFTER, http::HeaderValue::from_str(text).unwrap());
            retry_after(&headers, now)
        };
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(wait(text, date - Duration::from_secs(90)), Some(Duration::from_secs(90)), "{text}");
            assert_eq!(wait(text, date + Duration::from_secs(90)), Some(Duration::ZERO), "{text}: it is over");
        }
        for (text, expected) in [
            ("0", Some(Duration::ZERO)),
            (" 7 ", Some(Duration::from_secs(7))),
            ("18446744073709551615", Some(Duration::from_secs(u64::MAX))),
            ("18446744073709551616", None),
            ("-1", None),
            ("+1", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
            ("Sun, 06 Nov 1994", None),
            ("Sun, 99 Nov 9999999 08:49:37 GMT", None),
        ] {
            assert_eq!(wait(text, date), expected, "{text}");
        }
    }
}
