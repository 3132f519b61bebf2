//! Sessions of logged-in users, in memory: a restart logs everyone out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};
use ring::rand::SystemRandom;
use uuid::Uuid;

use crate::digest::{self, random_text};
use crate::error::IssuerError;

const COOKIE_NAME: &str = "sandbox-session";

/// The maximum number of sessions. Above it, the oldest ones end.
const KEPT: usize = 10_000;

/// Sessions by the digests of their cookies.
#[derive(Debug)]
pub(crate) struct Sessions {
    random: SystemRandom,
    cookie_path: String,
    sessions: Mutex<HashMap<String, Session>>,
}

/// A user who has logged in.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    /// The identifier of the login. It reveals nothing of the cookie.
    pub(crate) id: Uuid,
    pub(crate) user: String,
    /// The time of the login, in seconds since the epoch.
    pub(crate) since: i64,
}

impl Sessions {
    pub(crate) fn new(random: SystemRandom, cookie_path: &str) -> Self {
        Self { random, cookie_path: cookie_path.to_owned(), sessions: Mutex::default() }
    }

    /// A new session, as the value of `Set-Cookie`.
    pub(crate) fn begin(&self, user: &str, now: i64) -> Result<HeaderValue, IssuerError> {
        let text = random_text(&self.random)?;
        let session = Session { id: Uuid::new_v4(), user: user.to_owned(), since: now };
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() >= KEPT {
            // In batches, so that only few calls pay for it.
            let mut by_age: Vec<(i64, String)> =
                sessions.iter().map(|(name, session)| (session.since, name.clone())).collect();
            by_age.sort_unstable();
            for (_, name) in by_age.into_iter().take(KEPT / 10) {
                sessions.remove(&name);
            }
        }
        sessions.insert(digest::sha256(&text), session);
        drop(sessions);
        self.cookie(&text, "")
    }

    pub(crate) fn end(&self, headers: &HeaderMap) -> Result<HeaderValue, IssuerError> {
        if let Some(text) = sent(headers) {
            self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&digest::sha256(text));
        }
        self.cookie("", "; Max-Age=0")
    }

    pub(crate) fn clear(&self) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The session of a request.
    pub(crate) fn find(&self, headers: &HeaderMap) -> Option<Session> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(&digest::sha256(sent(headers)?)).cloned()
    }

    fn cookie(&self, text: &str, more: &str) -> Result<HeaderValue, IssuerError> {
        let value = format!("{COOKIE_NAME}={text}; Path={}; HttpOnly; SameSite=Lax{more}", self.cookie_path);
        HeaderValue::try_from(value).map_err(|_impossible| IssuerError::Random)
    }
}

fn sent(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE_NAME).map(|(_, text)| text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_of_too_many_sessions_end() {
        let sessions = Sessions::new(SystemRandom::new(), "/");
        let begin = |now: i64| {
            let set = sessions.begin("ada", now).unwrap();
            let cookie = set.to_str().unwrap().split(';').next().unwrap().to_owned();
            HeaderMap::from_iter([(COOKIE, HeaderValue::try_from(cookie).unwrap())])
        };
        let (first, second) = (begin(0), begin(2));
        for _ in 2..KEPT {
            begin(1);
        }
        assert!(sessions.find(&first).is_some());
        let last = begin(0);
        assert!(sessions.find(&first).is_none());
        assert!(sessions.find(&second).is_some() && sessions.find(&last).is_some());
    }
}
