//! The configuration and the token of programs for a terminal, which sign their users in and write profiles. Not part of
//! the public interface; it has the version of those programs.

use std::{io, path::Path, time::Duration};

use secrecy::{ExposeSecret as _, SecretString};

use crate::client::current_token;
pub use crate::client::{ClientSource, Lookup, builder_from_lookup, source};
#[cfg(feature = "profiles")]
pub use crate::client::{builder_from_text, profiles_path};
use crate::{
    Client, Error,
    auth::{self, Claims},
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
