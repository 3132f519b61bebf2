//! Fingerprints of deployments and references. They tell mistakes, and keep nothing secret.

use ring::digest::{Context, SHA256};
use url::Url;

/// Half of a SHA-256 over the parts, in hexadecimal digits. No two lists of parts are read as one.
pub(super) fn of(purpose: &str, parts: &[&str]) -> String {
    let mut context = Context::new(&SHA256);
    for part in std::iter::once(&purpose).chain(parts) {
        context.update(&(part.len() as u64).to_be_bytes());
        context.update(part.as_bytes());
    }
    context.finish().as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The fingerprint of the deployment at a base address.
pub(super) fn deployment(base: &Url) -> String {
    of("deployment", &[&base.origin().ascii_serialization(), base.path().trim_end_matches('/')])
}
