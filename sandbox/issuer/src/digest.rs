//! Random texts, and digests as names of stored tokens, so that the state contains no token.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SecureRandom;
use sha2::{Digest, Sha256};

use crate::error::IssuerError;

/// The SHA-256 of a text in Base64url: the name of a stored token, and the challenge of PKCE's method S256.
pub fn sha256(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}

/// A random text of 256 bits, safe in addresses and forms.
///
/// # Errors
///
/// Fails if the operating system returns no random bytes.
pub fn random_text(random: &dyn SecureRandom) -> Result<String, IssuerError> {
    let mut bytes = [0; 32];
    random.fill(&mut bytes).map_err(|_unspecified| IssuerError::Random)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
