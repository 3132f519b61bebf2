//! Fingerprints of deployments, references and submissions. They detect mistakes, and do not protect secrets.

use ring::digest::{Context, SHA256};
use url::Url;

/// Half of a SHA-256 over a list of parts. Different lists have different inputs.
pub(super) struct Fingerprint(Context);

impl Fingerprint {
    pub(super) fn new(purpose: &str) -> Self {
        let mut fingerprint = Self(Context::new(&SHA256));
        fingerprint.part(purpose);
        fingerprint
    }

    pub(super) fn part(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update(&(part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// A piece of a part of unknown length: the only part of its fingerprint.
    pub(super) fn piece(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// Returns the fingerprint in hexadecimal digits.
    pub(super) fn finish(self) -> String {
        self.0.finish().as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Returns the fingerprint of a list of texts.
pub(super) fn from_parts(purpose: &str, parts: &[&str]) -> String {
    let mut fingerprint = Fingerprint::new(purpose);
    parts.iter().for_each(|part| fingerprint.part(part));
    fingerprint.finish()
}

/// Returns the fingerprint of the deployment at a base address.
pub(super) fn deployment(base: &Url) -> String {
    from_parts("deployment", &[&base.origin().ascii_serialization(), base.path().trim_end_matches('/')])
}
