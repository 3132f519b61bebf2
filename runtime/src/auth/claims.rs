//! The claims of an access token.

use std::{
    collections::BTreeMap,
    fmt,
    time::{Duration, SystemTime},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

/// The longest token that is decoded, in bytes.
const LONGEST: usize = 64 * 1024;

/// The claims of an access token, read without verification: for diagnostics, never for a decision
/// about access. Every claim is optional, and a token that is not a JWT has none.
///
/// ```
/// use driftless_runtime::auth::Claims;
///
/// assert_eq!(Claims::read("an opaque token"), None);
/// // {"alg":"none"} . {"sub":"service","roles":"reader"} .
/// let claims = Claims::read("eyJhbGciOiJub25lIn0.eyJzdWIiOiJzZXJ2aWNlIiwicm9sZXMiOiJyZWFkZXIifQ.").unwrap();
/// assert_eq!(claims.subject.as_deref(), Some("service"));
/// assert_eq!(claims.roles, ["reader"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claims {
    /// `sub`: a user or a service account.
    pub subject: Option<String>,
    /// `iss`: the issuer of the token.
    pub issuer: Option<String>,
    /// `exp`: the time at which it expires.
    pub expires_at: Option<SystemTime>,
    /// `iat`: the time at which it was issued.
    pub issued_at: Option<SystemTime>,
    /// `scope`: the scopes that were granted; one string with spaces, or a list.
    pub scope: Vec<String>,
    /// `roles`: one string, or a list.
    pub roles: Vec<String>,
    texts: Texts,
}

/// Every claim that is a string. `Debug` prints the names alone: the issuer may put anything into a token.
#[derive(Clone, Default, PartialEq, Eq)]
struct Texts(BTreeMap<String, String>);

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Claims {
    /// Reads the claims of a token. Returns `None` if it is not a JWT; leaves out claims of unexpected types.
    pub fn read(token: &str) -> Option<Self> {
        let claims = Self::members(token)?;
        Some(Self {
            subject: text(&claims, "sub"),
            issuer: text(&claims, "iss"),
            expires_at: time(&claims, "exp"),
            issued_at: time(&claims, "iat"),
            scope: list(&claims, "scope").iter().flat_map(|text| text.split_whitespace()).map(str::to_owned).collect(),
            roles: list(&claims, "roles"),
            texts: Texts(claims.keys().filter_map(|name| Some((name.clone(), text(&claims, name)?))).collect()),
        })
    }

    /// Reads the claims of a token as the members of a JSON object.
    pub(crate) fn members(token: &str) -> Option<Map<String, Value>> {
        if token.len() > LONGEST {
            return None;
        }
        let mut parts = token.split('.');
        let (_, payload, _, rest) = (parts.next()?, parts.next()?, parts.next()?, parts.next());
        if rest.is_some() {
            return None;
        }
        let payload = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
        serde_json::from_slice(&payload).ok()
    }

    /// Returns the claim of this name, if it is a string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.texts.0.get(name).map(String::as_str)
    }
}

fn text(claims: &Map<String, Value>, name: &str) -> Option<String> {
    claims.get(name)?.as_str().map(str::to_owned)
}

fn list(claims: &Map<String, Value>, name: &str) -> Vec<String> {
    match claims.get(name) {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Seconds since 1970, whole or not. Times beyond the clock's range are left out.
fn time(claims: &Map<String, Value>, name: &str) -> Option<SystemTime> {
    let seconds = claims.get(name)?.as_f64()?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::try_from_secs_f64(seconds).ok()?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn token(payload: &str) -> String {
        format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(payload))
    }

    #[test]
    fn malformed_tokens_have_no_claims() {
        let deep = token(&("[".repeat(30_000) + &"]".repeat(30_000)));
        let long = token(&format!(r#"{{"sub":"{}"}}"#, "x".repeat(LONGEST)));
        let list = token("[1]");
        for text in
            ["", ".", "..", "...", "a.b", "a.b.c", "a.!!.c", "e30.e30", "e30.e30.e30.e30", &deep, &long, &list, "é.é.é"]
        {
            assert_eq!(Claims::read(text), None, "{}", text.chars().take(20).collect::<String>());
        }
        assert_eq!(Claims::read("a.e30.c"), Some(Claims::default()), "the head and the signature are not looked at");
    }

    #[test]
    fn claims_of_any_type_are_safe() {
        let odd = r#"{"sub":5,"exp":"soon","iat":-1,"scope":{"a":1},"roles":[1,"a",null],"list":[],"tenant":"x"}"#;
        let claims = Claims::read(&token(odd)).unwrap();
        assert_eq!((claims.subject.as_ref(), claims.expires_at, claims.issued_at), (None, None, None));
        assert_eq!((claims.scope.len(), claims.roles.as_slice()), (0, &["a".to_owned()][..]));
        assert_eq!((claims.text("list"), claims.text("tenant"), claims.text("none")), (None, Some("x"), None));
        assert!(format!("{claims:?}").contains("{\"exp\", \"tenant\"}"), "{claims:?}");
        for exp in ["1e300", "-1e300", "1.5"] {
            let claims = Claims::read(&token(&format!(r#"{{"exp":{exp}}}"#))).unwrap();
            assert_eq!(claims.expires_at.is_some(), exp == "1.5");
        }
        let claims = Claims::read(&token(r#"{"scope":"a b","roles":"r"}"#)).unwrap();
        assert_eq!((claims.scope, claims.roles), (vec!["a".to_owned(), "b".to_owned()], vec!["r".to_owned()]));
        let claims = Claims::read(&token(r#"{"scope":["a b","c"]}"#)).unwrap();
        assert_eq!(claims.scope, ["a", "b", "c"]);
    }
}
