//! The signing key, and JSON Web Tokens in ES256 (RFC 7515, RFC 7518 §3.4).

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::error::IssuerError;

/// A P-256 key.
pub(crate) struct SigningKey {
    pair: EcdsaKeyPair,
    random: SystemRandom,
    id: String,
}

#[derive(Serialize, Deserialize)]
struct Header {
    alg: String,
    kid: String,
    typ: String,
}

impl SigningKey {
    /// Generates a key, and returns it with the PKCS #8 document that [`SigningKey::from_pkcs8`] reads, in Base64.
    pub(crate) fn generate(random: SystemRandom) -> Result<(Self, String), IssuerError> {
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).map_err(|_unspecified| IssuerError::Random)?;
        let document = URL_SAFE_NO_PAD.encode(document.as_ref());
        Ok((Self::from_pkcs8(document.as_bytes(), random)?, document))
    }

    pub(crate) fn from_pkcs8(document: &[u8], random: SystemRandom) -> Result<Self, IssuerError> {
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = URL_SAFE_NO_PAD.decode(document).map_err(|_damaged| IssuerError::Random)?;
        let pair = EcdsaKeyPair::from_pkcs8(algorithm, &document, &random).map_err(|_rejected| IssuerError::Random)?;
        let id = URL_SAFE_NO_PAD.encode(Sha256::digest(pair.public_key().as_ref()));
        Ok(Self { pair, random, id })
    }

    /// The `kid`: a digest of the public half.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The public half as a JSON Web Key. The point is uncompressed: a byte 4, then both coordinates.
    pub(crate) fn public(&self) -> Value {
        let point = self.pair.public_key().as_ref().get(1..).unwrap_or_default();
        let (x, y) = point.split_at(point.len() / 2);
        json!({
            "kty": "EC",
            "use": "sig",
            "alg": "ES256",
            "crv": "P-256",
            "kid": self.id,
            "x": URL_SAFE_NO_PAD.encode(x),
            "y": URL_SAFE_NO_PAD.encode(y),
        })
    }

    /// A signed token with these claims. `kind` is its `typ`.
    pub(crate) fn sign(&self, kind: &str, claims: &Value) -> Result<String, IssuerError> {
        let header = json!({ "alg": "ES256", "kid": self.id, "typ": kind });
        let encode = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let message = format!("{}.{}", encode(&header), encode(claims));
        let signature = self.pair.sign(&self.random, message.as_bytes()).map_err(|_unspecified| IssuerError::Random)?;
        Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// The `typ` and the claims of a token that this key has signed.
    pub(crate) fn verify(&self, token: &str) -> Option<(String, Value)> {
        let (message, signature) = token.rsplit_once('.')?;
        let (header, claims) = message.split_once('.')?;
        let header: Header = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(header).ok()?).ok()?;
        if header.alg != "ES256" || header.kid != self.id {
            return None;
        }
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, self.pair.public_key().as_ref());
        key.verify(message.as_bytes(), &signature).ok()?;
        let claims = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
        Some((header.typ, claims))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SigningKey").field("id", &self.id).finish_non_exhaustive()
    }
}
