//! Sessions of logged-in users, in memory: a restart logs everyone out.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use http::header::COOKIE;
use http::{HeaderMap, HeaderValue};
use ring::rand::SystemRandom;
use uuid::Uuid;

use super::digest;
use crate::directory::random_text;
use crate::error::Error;

const COOKIE_NAME: &str = "sandbox-session";

/// Sessions by the digests of their cookies.
#[derive(Debug)]
pub(crate) struct Sessions {
    random: SystemRandom,
    sessions: Mutex<HashMap<String, Session>>,
}

/// A user who has logged in.
#[derive(Clone, Debug)]
pub(super) struct Session {
    /// The identifier of the login. It reveals nothing of the cookie.
    pub(super) id: Uuid,
    pub(super) user: Uuid,
    /// The time of the login, in seconds since the epoch.
    pub(super) since: i64,
}

impl Sessions {
    pub(super) fn new(random: SystemRandom) -> Self {
        Self { random, sessions: Mutex::default() }
    }

    /// A new session, as the value of `Set-Cookie`.
    pub(super) fn begin(&self, user: Uuid, now: i64) -> Result<HeaderValue, Error> {
        let text = random_text(&self.random)?;
        let session = Session { id: Uuid::new_v4(), user, since: now };
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).insert(digest::sha256(&text), session);
        cookie(&text, "")
    }

    pub(super) fn end(&self, headers: &HeaderMap) -> Result<HeaderValue, Error> {
        if let Some(text) = sent(headers) {
            self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&digest::sha256(text));
        }
        cookie("", "; Max-Age=0")
    }

    pub(super) fn clear(&self) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The session of a request.
    pub(super) fn find(&self, headers: &HeaderMap) -> Option<Session> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(&digest::sha256(sent(headers)?)).cloned()
    }

    /// The user of a request's session.
    pub(super) fn user(&self, headers: &HeaderMap) -> Option<Uuid> {
        self.find(headers).map(|session| session.user)
    }
}

fn cookie(text: &str, more: &str) -> Result<HeaderValue, Error> {
    let value = format!("{COOKIE_NAME}={text}; Path=/identity; HttpOnly; SameSite=Lax{more}");
    HeaderValue::try_from(value).map_err(|_impossible| Error::Random)
}

fn sent(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == COOKIE_NAME).map(|(_, text)| text)
}
