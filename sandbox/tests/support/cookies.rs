//! A browser at the pages of the issuer: it keeps its cookie, and returns redirects instead of following them.

use std::sync::Mutex;

use platform_sandbox::Sandbox;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response};

pub const REDIRECT: &str = "http://127.0.0.1:49999/callback";
pub const VERIFIER: &str = "a-verifier-of-forty-three-characters-or-more-1";

pub struct Browser<'a> {
    pub sandbox: &'a Sandbox,
    pub http: Client,
    cookie: Mutex<String>,
}

impl<'a> Browser<'a> {
    pub fn new(sandbox: &'a Sandbox) -> Self {
        let http = super::builder().redirect(Policy::none()).build().unwrap();
        Self { sandbox, http, cookie: Mutex::default() }
    }

    pub async fn send(&self, request: RequestBuilder) -> Response {
        let cookie = self.cookie.lock().unwrap().clone();
        let response = request.header("cookie", cookie).send().await.unwrap();
        if let Some(set) = response.headers().get("set-cookie") {
            *self.cookie.lock().unwrap() = set.to_str().unwrap().split(';').next().unwrap().to_owned();
        }
        response
    }

    pub fn endpoint(&self) -> String {
        format!("{}/connect/authorize", self.sandbox.auth_url())
    }

    /// Sends the form of the login page, which leads `back`.
    pub async fn enter(&self, user: &str, password: &str, back: &str) -> Response {
        let url = format!("{}/account/login", self.sandbox.auth_url());
        let fields = [("user", user), ("password", password), ("returnUrl", back)];
        self.send(self.http.post(url).form(&fields)).await
    }
}

/// The fields, with the changes replacing those of the same name.
pub fn changed<'a>(fields: &[(&'a str, &'a str)], changes: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let stays = |(name, _): &&(&str, &str)| changes.iter().all(|(changed, _)| changed != name);
    fields.iter().filter(stays).chain(changes).copied().collect()
}
