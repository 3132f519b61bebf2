//! The configuration and the token of programs for a terminal, which sign their users in and write profiles. Not part of
//! the public interface; it has the version of those programs.

use std::{io, path::Path, time::Duration};

use secrecy::{ExposeSecret as _, SecretString};

pub use crate::client::{ClientSource, Lookup, builder_from_lookup, source};
use crate::client::{GeneratedClient, current_token};
#[cfg(feature = "profiles")]
pub use crate::client::{builder_from_text, profiles_path};
use crate::{
    Client, ClientBuilder, Error,
    auth::{self, Claims, Credential, Token},
};

/// Returns an access token of the client, a new one if it has none.
pub async fn access_token(client: &Client, time: Duration) -> Result<SecretString, Error> {
    Ok(current_token(client, time).await?.secret.clone())
}

/// Returns whether the client has a credential for tokens, an API key or a password.
pub fn has_credential(client: &Client) -> bool {
    let session = &client.session;
    session.credential.is_some() || !session.keys.is_empty() || !session.placed.is_empty()
}

/// Returns the description of the client's credential for tokens, without its secret.
pub fn credential(client: &Client) -> Option<String> {
    client.session.credential.as_ref().map(|cache| cache.credential().describe())
}

/// Wraps the credentials of a builder that give tokens: that of the client, and those of its servers, by their names.
pub fn wrap_credentials<P: GeneratedClient>(
    builder: ClientBuilder<P>,
    wrap: impl FnMut(Option<&str>, Box<dyn Credential>) -> Box<dyn Credential>,
) -> ClientBuilder<P> {
    builder.wrap(wrap)
}

/// Returns the text of a token, and the lifetime that its issuer gave it.
pub fn token_parts(token: &Token) -> (&SecretString, Option<Duration>) {
    (&token.secret, token.lifetime)
}

/// Returns all claims of a token that is a JWT. They are not verified.
pub fn claims(token: &SecretString) -> Option<serde_json::Map<String, serde_json::Value>> {
    Claims::members(token.expose_secret())
}

/// Opens the address in the system's browser. Returns `false` if none can be started.
pub fn open_browser(address: &str) -> bool {
    auth::open_browser(address)
}

/// Writes `folder/name`, readable by its owner only, in place of what is there: after a crash at any instant, the file
/// has its old or its new contents.
pub fn replace(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    auth::replace(folder, name, bytes)
}
