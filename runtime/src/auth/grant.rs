//! Requests to a token endpoint (RFC 6749), and their answers.

use std::{sync::Arc, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use super::{RefreshKey, SecretSource, Token, TokenRequest, echo, endpoint::Endpoints, refusal::GrantRefusals};
use crate::{
    error::{Error, Kind, is_passing_status_of_issuer},
    transport::Reply,
};

/// The form fields that may be printed. The values of all others are blanked out if an issuer repeats them: a grant
/// that is added keeps its secrets by default.
const SHOWN: [&str; 4] = ["grant_type", "scope", "audience", "redirect_uri"];

/// The name of the device authorization grant in messages, and its type in a request (RFC 8628 §3.4).
pub(super) const DEVICE_CODE: &str = "device_code";
const DEVICE_CODE_TYPE: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// The error codes of token endpoints: RFC 6749 §5.2, RFC 8628 §3.5, RFC 8707, OpenID Connect, and those that servers send when they
/// fail.
const CODES: [&str; 15] = [
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
    "invalid_target",
    "access_denied",
    "authorization_pending",
    "slow_down",
    "expired_token",
    "interaction_required",
    "login_required",
    "server_error",
    "temporarily_unavailable",
];

/// Client authentication at the token endpoint (RFC 6749, section 2.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientAuthentication {
    /// `client_id` and `client_secret` in the form, the usual way (`client_secret_post`).
    Form,
    /// In the header `Authorization`, by HTTP Basic (`client_secret_basic`).
    Basic,
}

/// The registration of a client at an issuer.
pub(crate) struct Registration {
    pub(crate) endpoints: Endpoints,
    pub(super) client: String,
    pub(crate) secret: Option<Arc<dyn SecretSource>>,
    pub(crate) scope: String,
    pub(crate) audience: Option<String>,
    pub(crate) authentication: Option<ClientAuthentication>,
    pub(super) refusals: GrantRefusals,
}

/// Defines the options of a registration on a credential that has it in this field.
macro_rules! options {
    ($credential:ident, $registration:tt) => {
        impl $credential {
            /// Sets the scopes to ask for, separated by spaces. If empty, none are asked for.
            #[must_use]
            pub fn scope(mut self, scope: impl Into<String>) -> Self {
                self.$registration.scope = scope.into();
                self
            }

            /// Sets the `audience` to ask for, if the issuer takes one. The document does not mention it.
            #[must_use]
            pub fn audience(mut self, audience: impl Into<String>) -> Self {
                self.$registration.audience = Some(audience.into());
                self
            }

            /// Sets the client authentication. Unless set, the form is used, or HTTP Basic if the issuer's discovery
            /// document offers that and not the form (`token_endpoint_auth_methods_supported`).
            #[must_use]
            pub fn client_authentication(mut self, how: crate::auth::ClientAuthentication) -> Self {
                self.$registration.authentication = Some(how);
                self
            }

            /// Sets the token endpoint. Without one, the issuer's discovery document names it; an issuer without that
            /// document is asked at `{issuer}/connect/token`.
            #[must_use]
            pub fn token_endpoint(mut self, url: impl Into<String>) -> Self {
                self.$registration.endpoints.token = Some(url.into());
                self
            }

            /// Allows `http` for the endpoints of the issuer on these hosts, such as one inside a cluster. **The
            /// client's secret and its tokens go over the network in clear text**: anyone who sees the connection can
            /// use them.
            #[must_use]
            pub fn danger_allow_http_to(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
                self.$registration.endpoints.plain = hosts.into_iter().map(Into::into).collect();
                self
            }
        }
    };
    // The secret of a client is optional: programs on a user's machine can keep none.
    ($credential:ident, $registration:tt, optional secret) => {
        options!($credential, $registration);

        impl $credential {
            /// Sets the client's secret, for clients that have one.
            #[must_use]
            pub fn secret(mut self, source: impl crate::auth::SecretSource) -> Self {
                self.$registration.secret = Some(std::sync::Arc::new(source));
                self
            }
        }
    };
}
pub(super) use options;

/// The response of a token endpoint.
pub(super) struct Granted {
    pub(super) token: Token,
    pub(super) refresh: Option<SecretString>,
}

/// A response of an issuer that is an error, and its error code.
pub(super) struct GrantRefusal {
    pub(super) code: String,
    pub(super) error: Error,
}

impl Registration {
    pub(crate) fn new(issuer: String, client: String, secret: Option<Arc<dyn SecretSource>>) -> Self {
        let refusals = GrantRefusals::default();
        Self {
            endpoints: Endpoints::new(issuer),
            client,
            secret,
            scope: "api".to_owned(),
            audience: None,
            authentication: None,
            refusals,
        }
    }

    pub(super) fn describe(&self) -> String {
        format!("client `{}` of {}", self.client, self.endpoints.issuer)
    }

    /// The key of the refresh token, which no two clients or tenants share.
    pub(super) fn refresh_key(&self) -> RefreshKey {
        RefreshKey {
            issuer: self.endpoints.issuer.trim_end_matches('/').to_owned(),
            client_id: self.client.clone(),
            scope: self.scope.clone(),
            audience: self.audience.clone().unwrap_or_default(),
        }
    }

    pub(super) fn secret_place(&self) -> String {
        self.secret.as_ref().map_or_else(|| "its configuration".to_owned(), |secret| secret.describe())
    }

    /// Reads the client's secret outside the threads that calls run on: a command or a mounted file may be slow.
    pub(super) async fn secret(&self) -> Result<Option<SecretString>, Error> {
        match &self.secret {
            Some(source) => super::secret::read(source).await.map(Some),
            None => Ok(None),
        }
    }

    /// Requests a token with these form fields and those of the client.
    pub(super) async fn exchange(
        &self,
        request: TokenRequest<'_>,
        grant: &str,
        fields: &[(&str, &str)],
        secret: Option<&SecretString>,
    ) -> Result<Granted, Error> {
        self.ask(request, grant, fields, secret).await?.map_err(|refused| refused.error)
    }

    /// The same, with the error code of a response that is a refusal.
    pub(super) async fn ask(
        &self,
        request: TokenRequest<'_>,
        grant: &str,
        fields: &[(&str, &str)],
        secret: Option<&SecretString>,
    ) -> Result<Result<Granted, GrantRefusal>, Error> {
        let endpoint = self.endpoints.token(request.transport, request.deadline).await?;
        let grant_type = if grant == DEVICE_CODE { DEVICE_CODE_TYPE } else { grant };
        let all: Vec<_> = [("grant_type", grant_type)].into_iter().chain(fields.iter().copied()).collect();
        let (reply, hidden) = self.post(request, &endpoint, &all, secret).await?;
        if reply.status.is_success() {
            return granted(&reply).map(Ok);
        }
        if matches!(reply.status.as_u16(), 404 | 405 | 410) {
            self.endpoints.doubt();
        }
        Ok(Err(self.refused(&reply, grant, &hidden)))
    }

    /// Asks for a device code (RFC 8628 §3.1).
    pub(super) async fn device_code(
        &self,
        request: TokenRequest<'_>,
        secret: Option<&SecretString>,
    ) -> Result<Reply, Error> {
        let endpoint = self.endpoints.device(request.transport, request.deadline).await?;
        let (reply, hidden) = self.post(request, &endpoint, &self.range(), secret).await?;
        match reply.status.is_success() {
            true => Ok(reply),
            false => Err(self.refused(&reply, DEVICE_CODE, &hidden).error),
        }
    }

    /// Posts a form with the fields of the client. Returns also the texts of the form that no message may repeat.
    async fn post(
        &self,
        request: TokenRequest<'_>,
        endpoint: &Url,
        fields: &[(&str, &str)],
        secret: Option<&SecretString>,
    ) -> Result<(Reply, Vec<String>), Error> {
        let basic = match self.authentication {
            Some(how) => how == ClientAuthentication::Basic,
            None => self.endpoints.wants_basic(),
        };
        let basic = secret.filter(|_| basic).map(|secret| self.basic(secret));
        let form = self.form(fields, secret, basic.is_some());
        let reply = request
            .transport
            .post_form(endpoint, &self.endpoints.plain()?, form, basic.as_ref(), request.deadline)
            .await?;
        let secrets = fields.iter().filter(|(name, _)| !SHOWN.contains(name)).map(|(_, value)| *value);
        let secrets = secrets.chain(secret.map(ExposeSecret::expose_secret));
        let mut hidden: Vec<String> = secrets.map(str::to_owned).collect();
        hidden.extend(basic.iter().map(|header| header.expose_secret().trim_start_matches("Basic ").to_owned()));
        Ok((reply, hidden))
    }

    /// The value of `Authorization`: identifier and secret are form-encoded first.
    fn basic(&self, secret: &SecretString) -> SecretString {
        let encoded = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(&self.client), encoded(secret.expose_secret()));
        format!("Basic {}", STANDARD.encode(pair)).into()
    }

    /// The form fields, in the order of the document's example: the type of the grant, the client, the others.
    fn form(&self, fields: &[(&str, &str)], secret: Option<&SecretString>, basic: bool) -> SecretString {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        let (first, others) = match fields.split_first() {
            Some((first, others)) if first.0 == "grant_type" => (Some(first), others),
            _ => (None, fields),
        };
        form.extend_pairs(first);
        // A request authenticates the client only once.
        if !basic {
            form.append_pair("client_id", &self.client);
            if let Some(secret) = secret {
                form.append_pair("client_secret", secret.expose_secret());
            }
        }
        form.extend_pairs(others).finish().into()
    }

    /// Scope and audience, if set.
    pub(super) fn range(&self) -> Vec<(&str, &str)> {
        let mut fields = Vec::new();
        if !self.scope.is_empty() {
            fields.push(("scope", self.scope.as_str()));
        }
        if let Some(audience) = &self.audience {
            fields.push(("audience", audience.as_str()));
        }
        fields
    }

    fn refused(&self, reply: &Reply, grant: &str, hidden: &[String]) -> GrantRefusal {
        let document: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
        let member = |name: &str| {
            let text = document.get(name)?.as_str()?;
            // An error code is one of a list, whatever a secret looks like.
            if name == "error" && CODES.contains(&text) {
                return Some(text.to_owned());
            }
            Some(echo::without(text, hidden))
        };
        let code = member("error").unwrap_or_default();
        let mut message =
            format!("the token endpoint refused client `{}` with status {}", self.client, reply.status.as_u16());
        for text in [member("error"), member("error_description")].into_iter().flatten() {
            message += ": ";
            message += &text;
        }
        let hint = match code.as_str() {
            "invalid_client" => {
                // Discovery tells how an issuer authenticates clients; an endpoint that is set explicitly comes without
                // it.
                let unknown = self.authentication.is_none() && self.endpoints.token.is_some();
                let other = match unknown {
                    true => format!(
                        "; where the issuer takes HTTP Basic, set {} to `basic`",
                        self.endpoints.setting("client_authentication")
                    ),
                    false => String::new(),
                };
                format!("check the client's name and the secret in {}{other}", self.secret_place())
            }
            "unauthorized_client" => {
                format!("enable the {} grant in the client's registration", grant.replace('_', "-"))
            }
            "invalid_grant" => "the grant has expired, was used or was revoked: sign in again".to_owned(),
            "expired_token" => "the code was not used in time: sign in again".to_owned(),
            "access_denied" => "the sign-in was refused: sign in again".to_owned(),
            "invalid_scope" => {
                let setting = self.endpoints.setting("scope");
                format!("the scope `{}` is not granted to this client: set another with {setting}", self.scope)
            }
            _ => "check the issuer's address and the client's registration".to_owned(),
        };
        let refusal = matches!(code.as_str(), "invalid_client" | "invalid_grant" | "unauthorized_client");
        let error = Error::with(Kind::Token, message)
            .because("token/refused")
            .hint(hint)
            .refusal(refusal)
            .passing(is_passing_status_of_issuer(reply.status.as_u16()))
            .with_retry_after(reply.retry_after);
        GrantRefusal { code, error }
    }
}

fn granted(reply: &Reply) -> Result<Granted, Error> {
    let refuse = |rule: &str| {
        Error::with(Kind::Token, format!("the token endpoint {rule}"))
            .because("token/response")
            .hint("check the issuer's address and its registration")
    };
    let Ok(Value::Object(mut members)) = serde_json::from_slice(&reply.body) else {
        return Err(refuse("answered with something that is not JSON"));
    };
    if let Some(kind) = members.get("token_type").and_then(Value::as_str)
        && !kind.eq_ignore_ascii_case("bearer")
    {
        return Err(refuse("returned a token that is not of type `Bearer`"));
    }
    let Some(Value::String(secret)) = members.remove("access_token") else {
        return Err(refuse("returned no `access_token`"));
    };
    let token = Token::new(secret);
    let token = match members.get("expires_in").and_then(lifetime) {
        Some(lifetime) => token.expires_in(lifetime),
        // RFC 6749 §5.1 only recommends the member. An hour is a safe lifetime, and a 401 covers the rest.
        None => token.expires_in(Duration::from_secs(3_600)),
    };
    let refresh = match members.remove("refresh_token") {
        Some(Value::String(secret)) if !secret.is_empty() => Some(secret.into()),
        _ => None,
    };
    Ok(Granted { token, refresh })
}

/// Seconds, as a number or as text; negative values and other texts count as expired.
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
