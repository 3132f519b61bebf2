//! The bearer token for the download: a fixed one, or one from the client-credentials grant.

use std::env;
use std::path::PathBuf;

use serde::Deserialize;
use url::Url;
use url::form_urlencoded::Serializer;

use super::address::shown;
use super::http::{Answer, Http, clip, first_line};
use super::secret::{self, Rules, Secret};
use crate::console::SHORTEST;
use crate::failure::{Exit, Failure};
use crate::settings::TokenSource;

/// Where a token comes from.
#[derive(Debug)]
pub(crate) enum Credential {
    /// Nothing is configured, or nothing that is configured is set.
    None,
    Fixed(Secret),
    Client(Client),
}

/// The client-credentials grant.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) issuer: Url,
    pub(crate) client_id: String,
    pub(crate) secret: Secret,
    pub(crate) scope: Option<String>,
}

#[derive(Deserialize)]
struct Discovery {
    issuer: String,
    token_endpoint: String,
}

#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    token_type: String,
}

#[derive(Deserialize)]
struct TokenError {
    error: String,
    error_description: Option<String>,
}

impl Credential {
    /// Looks at the places that the configuration names.
    pub(crate) fn resolve(source: &TokenSource) -> Result<Self, Failure> {
        if let Some(token) = from_env(source.env.as_deref())? {
            return Ok(Self::Fixed(Secret::from_environment(&token)));
        }
        let issuer = value(source.issuer_env.as_deref(), source.issuer.as_deref())?;
        let client_id = value(source.client_id_env.as_deref(), source.client_id.as_deref())?;
        let secret_file = value(source.secret_file_env.as_deref(), source.secret_file.as_deref())?;
        match (issuer, client_id, secret_file) {
            (Some(issuer), Some(client_id), Some(secret_file)) => Ok(Self::Client(Client {
                issuer: super::base_url(&issuer, "the issuer")?,
                client_id,
                secret: secret::read(&PathBuf::from(secret_file), &rules(source)?)?,
                scope: source.scope.clone(),
            })),
            (issuer, client_id, secret_file) => {
                let parts = [
                    ("issuer", issuer.is_some(), &source.issuer_env),
                    ("client_id", client_id.is_some(), &source.client_id_env),
                    ("secret_file", secret_file.is_some(), &source.secret_file_env),
                ];
                // A fixed issuer or client in the configuration is not an intent to use them on this machine.
                let intended = from_env(source.secret_file_env.as_deref())?.is_some()
                    || from_env(source.client_id_env.as_deref())?.is_some()
                    || source.secret_file.is_some();
                if !intended {
                    return Ok(Self::None);
                }
                let missing = parts.iter().filter(|(_, set, _)| !set);
                let hints: Vec<String> = missing
                    .map(|(key, _, variable)| match variable {
                        Some(variable) => format!("set {variable}, or `{key}` in [source.token] of specs/codegen.toml"),
                        None => format!("set `{key}` or `{key}_env` in [source.token] of specs/codegen.toml"),
                    })
                    .collect();
                Err(Failure::configuration(
                    "token/incomplete",
                    "the client credentials for the download are set in part",
                    hints.join("\n"),
                ))
            }
        }
    }

    /// The token, asked for where that is needed.
    pub(crate) async fn token(&self, http: &Http) -> Result<Option<Secret>, Failure> {
        match self {
            Self::None => Ok(None),
            Self::Fixed(secret) => Ok(Some(Secret::from_environment(secret.expose()))),
            Self::Client(client) => client.token(http).await.map(Some),
        }
    }
}

impl Client {
    async fn token(&self, http: &Http) -> Result<Secret, Failure> {
        let endpoint = self.endpoint(http).await?;
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials")
            .append_pair("client_id", &self.client_id)
            .append_pair("client_secret", self.secret.expose());
        if let Some(scope) = &self.scope {
            form.append_pair("scope", scope);
        }
        let answer = http.post_form(&endpoint, form.finish()).await.map_err(|failure| at_issuer(&failure))?;
        if !answer.status.is_success() {
            return Err(self.refused(&answer));
        }
        match serde_json::from_slice::<TokenResponse>(&answer.body) {
            Ok(token) if token.token_type.eq_ignore_ascii_case("bearer") && !token.access_token.is_empty() => {
                Ok(Secret::from_environment(&token.access_token))
            }
            // The body may hold a token, so it is not shown.
            _ => Err(Failure::new(
                Exit::Download,
                "token/response",
                format!("{} answered {} without a bearer token", shown(&endpoint), answer.status),
                "check that the issuer is the platform's identity issuer",
            )),
        }
    }

    /// The token endpoint that the issuer names, else the documented one (platform document §4.5).
    async fn endpoint(&self, http: &Http) -> Result<Url, Failure> {
        let documented = super::below(&self.issuer, "/connect/token")?;
        let place = super::below(&self.issuer, "/.well-known/openid-configuration")?;
        let answer = http.get(&place, None, &mut |_| {}).await.map_err(|failure| at_issuer(&failure))?;
        if answer.status == reqwest::StatusCode::NOT_FOUND {
            return Ok(documented);
        }
        let refuse = |reason: String| {
            Failure::new(Exit::Download, "token/discovery", reason, "check the issuer's address, and that it is up")
        };
        if !answer.status.is_success() {
            return Err(refuse(format!("{} answered {}", shown(&place), answer.status)));
        }
        let discovery: Discovery = serde_json::from_slice(&answer.body)
            .map_err(|_| refuse(format!("{}: no discovery document", answer.described())))?;
        if discovery.issuer.trim_end_matches('/') != self.issuer.as_str().trim_end_matches('/') {
            let named = Url::parse(&discovery.issuer).map_or_else(|_| "something else".to_owned(), |url| shown(&url));
            return Err(refuse(format!("{} says that the issuer is {named}", shown(&place))));
        }
        let endpoint = Url::parse(&discovery.token_endpoint).ok();
        let endpoint = endpoint.filter(|endpoint| endpoint.origin() == self.issuer.origin());
        endpoint.ok_or_else(|| refuse(format!("{} names a token endpoint outside the issuer's origin", shown(&place))))
    }

    fn refused(&self, answer: &Answer) -> Failure {
        let said = match serde_json::from_slice::<TokenError>(&answer.body) {
            Ok(TokenError { error, error_description: Some(text) }) => {
                format!("{}: {}", self.said(&error), self.said(&text))
            }
            Ok(TokenError { error, error_description: None }) => self.said(&error),
            Err(_) if self.secret.expose().len() < SHORTEST => answer.status.to_string(),
            Err(_) => first_line(&answer.body),
        };
        Failure::new(
            Exit::Download,
            "token/refused",
            format!("{} answered {}: {said}", shown(&answer.url), answer.status),
            format!(
                "check the secret file, and that client {:?} may use the client-credentials grant\n\
                 or work from the pinned contracts: `cargo xtask regenerate --offline`",
                self.client_id
            ),
        )
    }

    /// What the issuer says, unless a secret that is too short to be looked for could be a part of it.
    fn said(&self, text: &str) -> String {
        let code = text.len() <= 60 && text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
        let short = self.secret.expose().len() < SHORTEST;
        if short && (!code || text == self.secret.expose()) { "…".to_owned() } else { clip(text) }
    }
}

fn at_issuer(failure: &Failure) -> Failure {
    Failure {
        code: failure.code,
        message: format!("the identity issuer gives no token: {}", failure.message),
        hint: failure.hint.clone(),
        exit: failure.exit,
    }
}

/// The rules of the secret file, and how the user says that a container mounts it.
fn rules(source: &TokenSource) -> Result<Rules, Failure> {
    let key = "`secret_file_mounted = true` in [source.token] of specs/codegen.toml";
    let Some(variable) = source.secret_file_mounted_env.as_deref() else {
        return Ok(Rules { mounted: source.secret_file_mounted, how: format!("set {key}") });
    };
    let mounted = match from_env(Some(variable))?.as_deref() {
        Some("1") => true,
        Some("0") => false,
        None => source.secret_file_mounted,
        Some(_) => {
            return Err(Failure::configuration(
                "configuration/environment",
                format!("the environment variable {variable} is neither 0 nor 1"),
                format!("set {variable} to 1, or not at all"),
            ));
        }
    };
    Ok(Rules { mounted, how: format!("set {variable}=1, or {key}") })
}

fn value(variable: Option<&str>, fixed: Option<&str>) -> Result<Option<String>, Failure> {
    Ok(from_env(variable)?.or_else(|| fixed.map(str::to_owned)))
}

/// The value of a variable; an empty one counts as not set.
pub(super) fn from_env(variable: Option<&str>) -> Result<Option<String>, Failure> {
    let Some(variable) = variable else { return Ok(None) };
    match env::var(variable) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(Failure::configuration(
            "configuration/environment",
            format!("the environment variable {variable} is not UTF-8"),
            format!("set {variable} anew"),
        )),
    }
}
