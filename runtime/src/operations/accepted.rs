//! The operation that an accepted response identifies.

use http::HeaderMap;
use url::Url;

use super::{Binding, Intent, OperationRef, address, binding::text};
use crate::{Error, Value, error::Kind};

/// Returns the reference to the operation: by the address in a header, or by the identifier in the body. `request` is the
/// address of the request, and `base` that of the client.
pub(super) fn reference(
    binding: &Binding,
    headers: &HeaderMap,
    body: &[u8],
    request: &Url,
    base: &Url,
    intent: &Intent,
) -> Result<OperationRef, Error> {
    if let Some((watched, header)) = binding.watch.and_then(|watched| Some((watched, watched.header?))) {
        return address::read_header(headers, header, &watched, request, base)?.reference(intent);
    }
    let id =
        serde_json::from_slice::<Value>(body).ok().and_then(|body| body.pointer(binding.identifier).and_then(text));
    let id = id.ok_or_else(|| {
        Error::with(Kind::Decode, format!("the accepted result has no identifier at `{}`", binding.identifier))
    })?;
    OperationRef::from_intent(intent, id)
}
