//! The client-credentials grant.

use std::{fmt, time::Duration};

use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::sync::OnceCell;
use url::Url;

use super::{Credential, SecretSource, Token, TokenFuture, TokenRequest, discovery};
use crate::{
    address,
    error::{Error, Kind, scrub_text},
    session::Reply,
};

/// Gets tokens with the client-credentials grant (platform document §4.5).
///
/// ```
/// use platform_client::auth::{ClientCredentials, SecretFile};
///
/// let credential = ClientCredentials::new(
///     "https://issuer.example",
///     "my-service",
///     SecretFile::new("/run/secrets/platform"),
/// )
/// .scope("api");
/// # let _ = credential;
/// ```
pub struct ClientCredentials {
    issuer: String,
    client: String,
    secret: Box<dyn SecretSource>,
    scope: String,
    configured: Option<String>,
    endpoint: OnceCell<Url>,
}

impl ClientCredentials {
    /// The client `client_id`, registered with `issuer`. The scope is `api` unless another is set.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>, secret: impl SecretSource) -> Self {
        Self {
            issuer: issuer.into(),
            client: client_id.into(),
            secret: Box::new(secret),
            scope: "api".to_owned(),
            configured: None,
            endpoint: OnceCell::new(),
        }
    }

    /// Sets the scopes to ask for, separated by spaces. Empty: none are asked for.
    #[must_use]
    pub fn scope(mut self, scope: impl Into<String>) -> Self {
        self.scope = scope.into();
        self
    }

    /// Sets the token endpoint. Without one, the issuer's discovery document names it, and an issuer without such a
    /// document is asked at `{issuer}/connect/token`.
    #[must_use]
    pub fn token_endpoint(mut self, url: impl Into<String>) -> Self {
        self.configured = Some(url.into());
        self
    }

    async fn request(&self, request: TokenRequest<'_>) -> Result<Token, Error> {
        let endpoint = match &self.configured {
            Some(url) => &address::server("the token endpoint", url)?,
            None => {
                let issuer = address::server("the issuer", &self.issuer)?;
                let find = || discovery::token_endpoint(&issuer, request.transport, request.deadline);
                self.endpoint.get_or_try_init(find).await?
            }
        };
        let secret = self.secret.read()?;
        let body = self.form(&secret);
        let reply = request.transport.post_form(endpoint, body, request.deadline).await?;
        if reply.status.is_success() { self.token(&reply) } else { Err(self.refused(&reply, &secret)) }
    }

    /// The fields of the document, in its order.
    fn form(&self, secret: &SecretString) -> SecretString {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials")
            .append_pair("client_id", &self.client)
            .append_pair("client_secret", secret.expose_secret());
        if !self.scope.is_empty() {
            form.append_pair("scope", &self.scope);
        }
        form.finish().into()
    }

    fn token(&self, reply: &Reply) -> Result<Token, Error> {
        let refuse = |rule: &str| {
            Error::new(Kind::Token, format!("the token endpoint {rule}"))
                .hint("check the issuer's address and its registration")
        };
        let Ok(Value::Object(mut members)) = serde_json::from_slice(&reply.body) else {
            return Err(refuse("answered with something that is not JSON"));
        };
        if let Some(kind) = members.get("token_type").and_then(Value::as_str)
            && !kind.eq_ignore_ascii_case("bearer")
        {
            return Err(refuse("gave a token that is not of type `Bearer`"));
        }
        let Some(Value::String(secret)) = members.remove("access_token") else {
            return Err(refuse("gave no `access_token`"));
        };
        let token = Token::new(secret);
        Ok(match members.get("expires_in").and_then(lifetime) {
            Some(lifetime) => token.expires_in(lifetime),
            // RFC 6749 §5.1 only recommends the member. An hour is asked for again soon enough, and 401 mends the rest.
            None => token.expires_in(Duration::from_secs(3_600)),
        })
    }

    fn refused(&self, reply: &Reply, secret: &SecretString) -> Error {
        let document: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let said = |name: &str| {
            document.get(name).and_then(Value::as_str).map(|text| scrub_text(text, secret.expose_secret()))
        };
        let code = said("error").unwrap_or_default();
        let mut what =
            format!("the token endpoint refused client `{}` with status {}", self.client, reply.status.as_u16());
        for text in [said("error"), said("error_description")].into_iter().flatten() {
            what += ": ";
            what += &text;
        }
        let hint = match code.as_str() {
            "invalid_client" => format!("check the client's name and the secret in {}", self.secret.describe()),
            "unauthorized_client" => "enable the client-credentials grant in the client's registration".to_owned(),
            "invalid_scope" => {
                format!("the scope `{}` is not granted to this client: set another with `scope`", self.scope)
            }
            _ => "check the issuer's address and the client's registration".to_owned(),
        };
        Error::new(Kind::Token, what).hint(hint).passing(matches!(reply.status.as_u16(), 408 | 429 | 500..=599))
    }
}

/// Seconds, as a number or as text; what is negative or no number counts as expired.
fn lifetime(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Null => return None,
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let seconds = seconds.filter(|seconds| *seconds > 0.0).unwrap_or(0.0);
    Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

impl Credential for ClientCredentials {
    fn token<'a>(&'a self, request: TokenRequest<'a>) -> TokenFuture<'a> {
        Box::pin(self.request(request))
    }

    fn describe(&self) -> String {
        format!("client `{}` of {}", self.client, self.issuer)
    }

    fn check(&self) -> Result<(), Error> {
        address::server("the issuer", &self.issuer)?;
        self.configured.as_ref().map_or(Ok(()), |url| address::server("the token endpoint", url).map(drop))
    }
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCredentials")
            .field("issuer", &self.issuer)
            .field("client_id", &self.client)
            .field("secret", &self.secret.describe())
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}
