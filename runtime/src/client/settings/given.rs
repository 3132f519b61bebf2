//! Configured credentials, and their places in a request.

use std::{fmt, sync::Arc};

use http::{HeaderName, header};

use super::{table::key_variable, wrong};
use crate::{
    auth::{Credential, Key, KeyPlace, SecretSource},
    client::{ClientBuilder, GeneratedClient, ServerSettings},
    error::{Error, escape},
    protocol::Scheme,
};

/// Headers that cannot carry a key: the connection and the session set them.
const OWN_HEADERS: [HeaderName; 5] =
    [header::CONNECTION, header::CONTENT_LENGTH, header::COOKIE, header::HOST, header::TRANSFER_ENCODING];

/// All credentials of a client.
pub struct Credentials {
    pub(super) token: Option<Box<dyn Credential>>,
    pub(super) given: Vec<Given>,
    /// The prefix of the variables; empty if none is read.
    pub(super) variables: String,
}

/// An API key, or a user with a password.
pub(super) struct Given {
    pub(super) kind: GivenKind,
    pub(super) source: Arc<dyn SecretSource>,
    /// The settings that name its place or its user.
    pub(super) setting: String,
}

pub(super) enum GivenKind {
    Basic { user: String },
    Key { name: Option<String>, header: Option<String>, query: Option<String> },
}

impl Credentials {
    /// Returns whether nothing is configured.
    pub fn is_empty(&self) -> bool {
        self.token.is_none() && self.given.is_empty()
    }

    /// Returns whether a token is among them.
    pub fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Describes all of them, without secrets.
    pub fn describe(&self) -> String {
        let token = self.token.iter().map(|token| token.describe());
        let given = self.given.iter().map(|given| match &given.kind {
            GivenKind::Basic { user } => format!("the password of `{user}` from {}", given.source.describe()),
            GivenKind::Key { name: Some(name), .. } => format!("the key `{name}` from {}", given.source.describe()),
            GivenKind::Key { name: None, .. } => format!("the API key from {}", given.source.describe()),
        });
        token.chain(given).collect::<Vec<_>>().join(", and ")
    }

    /// Applies these credentials to the builder.
    ///
    /// # Errors
    ///
    /// The contract of the client does not use one of them, or does not name the place of a key.
    pub fn apply<P: GeneratedClient>(mut self, mut builder: ClientBuilder<P>) -> Result<ClientBuilder<P>, Error> {
        let keys = self.keys(P::SCHEMES)?;
        if let Some(token) = self.token {
            builder = builder.credential(token);
        }
        Ok(keys.into_iter().fold(builder, ClientBuilder::key))
    }

    /// The same for an additional server.
    pub(super) fn apply_to(mut self, mut server: ServerSettings, schemes: &[Scheme]) -> Result<ServerSettings, Error> {
        let keys = self.keys(schemes)?;
        if let Some(token) = self.token {
            server = server.credential(token);
        }
        Ok(keys.into_iter().fold(server, ServerSettings::key))
    }

    /// Returns the keys, each for its schemes or with its place.
    pub(super) fn keys(&mut self, schemes: &[Scheme]) -> Result<Vec<Key>, Error> {
        let given = std::mem::take(&mut self.given);
        let named: Vec<String> = given.iter().filter_map(|given| given.kind.name().map(str::to_owned)).collect();
        let mut keys = Vec::new();
        for given in given {
            match schemes {
                [] => keys.push(given.placed()?),
                _ => keys.extend(given.for_schemes(schemes, &named, &self.variables)?),
            }
        }
        let headers = keys.iter().filter(|key| key.wants_authorization()).count() + usize::from(self.token.is_some());
        if schemes.is_empty() && headers > 1 {
            let message = "several credentials want the header `Authorization`: a token, HTTP Basic, or a key";
            return Err(wrong(message, "keep one of them"));
        }
        Ok(keys)
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("describe", &self.describe()).finish_non_exhaustive()
    }
}

impl GivenKind {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Key { name, .. } => name.as_deref(),
            Self::Basic { .. } => None,
        }
    }
}

impl Given {
    /// Uses the place that the settings name, for contracts without one.
    fn placed(self) -> Result<Key, Error> {
        let Self { kind, source, setting } = self;
        Ok(match kind {
            GivenKind::Basic { user } => Key::new(String::new(), Some(user), source).at(KeyPlace::Authorization),
            GivenKind::Key { name, header, query } => {
                let name = name.unwrap_or_default();
                let place = match (header, query) {
                    (Some(header), _) => {
                        let known = HeaderName::try_from(header.trim()).ok().filter(|name| !OWN_HEADERS.contains(name));
                        let Some(header) = known else {
                            let message = format!("no key can stand in the header `{}` ({setting})", escape(&header));
                            return Err(wrong(&message, "write the name of a header, such as X-Api-Key"));
                        };
                        KeyPlace::Header(header.as_str().to_owned())
                    }
                    (None, Some(query)) => KeyPlace::Query(query),
                    (None, None) => {
                        let message = "an API key is configured, and no contract names its place in requests";
                        return Err(wrong(
                            message,
                            &format!("name the header, or the parameter of the query: {setting}"),
                        ));
                    }
                };
                Key::new(name, None, source).at(place)
            }
        })
    }

    /// Uses the security schemes of the contract that the key is for. `named`: schemes with a key of their own.
    fn for_schemes(self, schemes: &[Scheme], named: &[String], variables: &str) -> Result<Vec<Key>, Error> {
        let Self { kind, source, setting } = self;
        let is_key = |scheme: &&Scheme| !matches!(scheme, Scheme::Token | Scheme::Basic { .. });
        let known = |scheme: &Scheme| scheme.scheme().unwrap_or_default().to_owned();
        let list = |schemes: &[&Scheme]| {
            schemes.iter().map(|scheme| format!("`{}`", known(scheme))).collect::<Vec<_>>().join(", ")
        };
        match kind {
            GivenKind::Basic { user } => {
                let basic = schemes.iter().filter(|scheme| matches!(scheme, Scheme::Basic { .. }));
                let keys: Vec<Key> =
                    basic.map(|scheme| Key::new(known(scheme), Some(user.clone()), Arc::clone(&source))).collect();
                if keys.is_empty() {
                    let hint = format!("unset it; the contract has {}", list(&schemes.iter().collect::<Vec<_>>()));
                    return Err(wrong(&format!("{setting} would not be used: the contract has no HTTP Basic"), &hint));
                }
                Ok(keys)
            }
            GivenKind::Key { name, header, query } => {
                let fits = |scheme: &&Scheme| match (&name, scheme, &header, &query) {
                    (Some(name), ..) if scheme.scheme() != Some(name) => false,
                    (None, ..) if named.contains(&known(scheme)) => false,
                    (_, Scheme::Header { name, .. }, Some(header), _) => name.eq_ignore_ascii_case(header.trim()),
                    (_, Scheme::Query { name, .. }, None, Some(query)) => name == query,
                    (.., None, None) => true,
                    _ => false,
                };
                let all: Vec<&Scheme> = schemes.iter().filter(is_key).collect();
                let fitting: Vec<&Scheme> = all.iter().copied().filter(fits).collect();
                let is_one = fitting.len() == 1 || header.is_some() || query.is_some();
                if fitting.is_empty() {
                    let hint = match all.is_empty() {
                        true => "unset it: the contract asks for no API key".to_owned(),
                        false => format!("correct or unset it; the API keys of the contract are {}", list(&all)),
                    };
                    let message = format!(
                        "the API key would not be used: the contract has none of its place or name ({setting})"
                    );
                    return Err(wrong(&message, &hint));
                }
                if !is_one {
                    let variables: Vec<String> =
                        fitting.iter().map(|scheme| format!("{variables}{}", key_variable(&known(scheme)))).collect();
                    return Err(wrong(
                        &format!("the contract has several API keys, {}: which one is it?", list(&fitting)),
                        &format!("set {}, or name its place: {setting}", variables.join(", ")),
                    ));
                }
                Ok(fitting.iter().map(|scheme| Key::new(known(scheme), None, Arc::clone(&source))).collect())
            }
        }
    }
}
