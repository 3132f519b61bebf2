//! Authorization codes (RFC 6749 §4.1.2): short-lived, for one use, bound to client, redirect address and PKCE challenge.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ring::rand::SystemRandom;
use uuid::Uuid;

use crate::digest::{self, random_text};
use crate::error::IssuerError;
use crate::refusal::Refusal;

/// The lifetime of a code in seconds.
const LIFETIME: i64 = 60;
/// The maximum number of codes. Above it, those are forgotten that expire first.
const KEPT: usize = 1_000;
/// The maximum number of access tokens that one code remembers. Above it, the first one is forgotten.
const TOKENS: usize = 1_000;

/// The grant of a code.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) client_id: String,
    pub(crate) redirect_uri: String,
    /// The PKCE challenge. A confidential client may send a nonce instead.
    pub(crate) challenge: Option<String>,
    pub(crate) nonce: Option<String>,
    /// The time of the user's login.
    pub(crate) auth_time: i64,
    pub(crate) scope: String,
    pub(crate) user: String,
    /// The chain of refresh tokens that begins with the code.
    pub(crate) chain: Uuid,
}

#[derive(Debug)]
struct Entry {
    code: Code,
    expires: i64,
    used: bool,
    /// The access tokens that it led to: `jti` and expiry.
    tokens: Vec<(String, i64)>,
}

/// The unused codes, and those that were used within their lifetime.
#[derive(Debug)]
pub(crate) struct Codes {
    random: SystemRandom,
    entries: Mutex<HashMap<String, Entry>>,
}

/// The reason for which a code was refused.
#[derive(Debug)]
pub(crate) enum Rejected {
    With(Refusal),
    /// It was used before: its chain of refresh tokens and its access tokens have to be revoked (RFC 6749 §4.1.2).
    UsedBefore(Uuid, Vec<(String, i64)>),
}

impl Codes {
    pub(crate) fn new(random: SystemRandom) -> Self {
        Self { random, entries: Mutex::default() }
    }

    pub(crate) fn issue(&self, code: Code, now: i64) -> Result<String, IssuerError> {
        let text = random_text(&self.random)?;
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, entry| entry.expires > now);
        if entries.len() >= KEPT {
            // In batches, so that only few calls pay for it.
            let mut by_expiry: Vec<(i64, String)> =
                entries.iter().map(|(name, entry)| (entry.expires, name.clone())).collect();
            by_expiry.sort_unstable();
            for (_, name) in by_expiry.into_iter().take(KEPT / 10) {
                entries.remove(&name);
            }
        }
        let expires = now.saturating_add(LIFETIME);
        entries.insert(digest::sha256(&text), Entry { code, expires, used: false, tokens: Vec::new() });
        Ok(text)
    }

    /// Records an access token of the login that began with a code.
    pub(crate) fn record_token(&self, chain: Uuid, id: &str, expires: i64) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.values_mut().find(|entry| entry.code.chain == chain) {
            if entry.tokens.len() >= TOKENS {
                entry.tokens.remove(0);
            }
            entry.tokens.push((id.to_owned(), expires));
        }
    }

    pub(crate) fn clear(&self) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) fn redeem(
        &self,
        text: &str,
        client_id: &str,
        redirect_uri: Option<&str>,
        verifier: Option<&str>,
        now: i64,
    ) -> Result<Code, Rejected> {
        let refuse = |message| Err(Rejected::With(Refusal("invalid_grant", message)));
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(entry) = entries.get_mut(&digest::sha256(text)).filter(|entry| entry.code.client_id == client_id)
        else {
            return refuse("the code is unknown or belongs to another client");
        };
        if entry.used {
            return Err(Rejected::UsedBefore(entry.code.chain, std::mem::take(&mut entry.tokens)));
        }
        entry.used = true;
        if entry.expires <= now {
            return refuse("the code has expired");
        }
        if redirect_uri != Some(&entry.code.redirect_uri) {
            return refuse("redirect_uri differs from the one of the authorization request");
        }
        match (verifier, &entry.code.challenge) {
            (Some(verifier), Some(challenge)) if is_verifier(verifier) && digest::sha256(verifier) == *challenge => {
                Ok(entry.code.clone())
            }
            // RFC 9700 §2.1.1: a verifier without a challenge is a sign of an attack.
            (None, None) => Ok(entry.code.clone()),
            _ => refuse("code_verifier is missing or does not fit the challenge"),
        }
    }
}

/// RFC 7636 §4.1.
fn is_verifier(text: &str) -> bool {
    (43..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn codes_and_their_tokens_are_bounded_by_their_number() {
        let codes = Codes::new(SystemRandom::new());
        let code = || Code {
            client_id: "api".to_owned(),
            redirect_uri: "http://127.0.0.1/".to_owned(),
            challenge: None,
            nonce: None,
            auth_time: 0,
            scope: String::new(),
            user: "ada".to_owned(),
            chain: Uuid::new_v4(),
        };
        let first = codes.issue(code(), 0).unwrap();
        for _ in 1..KEPT {
            codes.issue(code(), 1).unwrap();
        }
        let (own, count) = (code(), || codes.entries.lock().unwrap().len());
        assert_eq!(count(), KEPT);
        codes.issue(own.clone(), 1).unwrap();
        assert_eq!(count(), KEPT - KEPT / 10 + 1);
        let redeemed = codes.redeem(&first, "api", Some("http://127.0.0.1/"), None, 1);
        assert!(matches!(redeemed, Err(Rejected::With(_))), "{redeemed:?}");
        for index in 0..TOKENS + 2 {
            codes.record_token(own.chain, &index.to_string(), 9);
        }
        let entries = codes.entries.lock().unwrap();
        let tokens = &entries.values().find(|entry| entry.code.chain == own.chain).unwrap().tokens;
        assert_eq!((tokens.len(), tokens.first().unwrap().0.as_str()), (TOKENS, "2"));
    }
}
