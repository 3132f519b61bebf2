//! The statuses of a response.

use std::fmt;

/// A key of `responses` (OpenAPI, "Responses Object"): there are no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum StatusKey {
    /// `200`.
    Code(u16),
    /// `2XX`, by its first digit.
    Range(u8),
    /// All that nothing else is said of.
    Default,
}

impl StatusKey {
    /// Reads a key; contracts write ranges and `default` in either case. `None`: it names no status.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case("default") {
            return Some(Self::Default);
        }
        let [class @ b'1'..=b'5', rest @ ..] = text.as_bytes() else { return None };
        let class = class - b'0';
        match rest {
            [b'x' | b'X', b'x' | b'X'] => Some(Self::Range(class)),
            [b'0'..=b'9', b'0'..=b'9'] => text.parse().ok().map(Self::Code),
            _ => None,
        }
    }

    /// Returns whether it represents redirections only.
    pub(crate) fn is_redirect(self) -> bool {
        matches!(self, Self::Code(300..=399) | Self::Range(3))
    }

    /// The redirections that it stands for. 304 is not one of them: it answers a condition that only the caller can have set.
    pub(crate) fn redirects(self) -> &'static [u16] {
        match self {
            Self::Code(300) => &[300],
            Self::Code(301) => &[301],
            Self::Code(302) => &[302],
            Self::Code(303) => &[303],
            Self::Code(307) => &[307],
            Self::Code(308) => &[308],
            Self::Range(3) => &[300, 301, 302, 303, 307, 308],
            _ => &[],
        }
    }

    /// True if an answer with it has no content, whatever the contract says (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5).
    pub(crate) fn is_bodiless(self) -> bool {
        matches!(self, Self::Code(100..=199 | 204 | 205 | 304) | Self::Range(1))
    }

    /// Returns whether it represents successes only.
    pub(crate) fn is_success(self) -> bool {
        matches!(self, Self::Code(200..=299) | Self::Range(2))
    }

    /// The reason phrase of a status (RFC 9110), as the name of a variant.
    pub(crate) fn variant(self) -> String {
        let code = match self {
            Self::Code(code) => code,
            Self::Range(class) => return format!("Status{class}xx"),
            Self::Default => return "Default".to_owned(),
        };
        let name = match code {
            200 => "Ok",
            201 => "Created",
            202 => "Accepted",
            203 => "NonAuthoritative",
            204 => "NoContent",
            205 => "ResetContent",
            206 => "PartialContent",
            207 => "MultiStatus",
            300 => "MultipleChoices",
            301 => "MovedPermanently",
            302 => "Found",
            303 => "SeeOther",
            307 => "TemporaryRedirect",
            308 => "PermanentRedirect",
            400 => "BadRequest",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "NotFound",
            409 => "Conflict",
            410 => "Gone",
            422 => "UnprocessableContent",
            429 => "TooManyRequests",
            500 => "InternalServerError",
            503 => "ServiceUnavailable",
            other => return format!("Status{other}"),
        };
        name.to_owned()
    }
}

impl fmt::Display for StatusKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "{code}"),
            Self::Range(class) => write!(f, "{class}XX"),
            Self::Default => f.write_str("default"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StatusKey;

    #[test]
    fn a_key_is_a_status_a_range_or_the_default() {
        for (text, key) in [
            ("200", StatusKey::Code(200)),
            ("599", StatusKey::Code(599)),
            ("4xX", StatusKey::Range(4)),
            ("Default", StatusKey::Default),
        ] {
            assert_eq!(StatusKey::read(text), Some(key), "{text}");
        }
        for text in
            ["", "2", "20", "2000", "0", "099", "600", "6XX", "2X", "2X0", "+20", "٢٠٠", "201 => x() })", " 200"]
        {
            assert_eq!(StatusKey::read(text), None, "{text}");
        }
    }
}
