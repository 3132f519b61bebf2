//! Digests as names of stored tokens, so that the state contains no token.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

/// The SHA-256 of a text in Base64url: the name of a stored token, and the challenge of PKCE's method S256.
pub(super) fn sha256(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}
