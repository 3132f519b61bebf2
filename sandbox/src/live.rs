//! The end of responses without an end of their own.

use std::time::Duration;

use tokio::time::sleep;

use crate::caller::Caller;
use crate::fault::Rules;
use crate::issuer::Issuer;

/// Completes when the caller's token expires, when sockets are ended, or when the sandbox stops.
pub(crate) fn end(issuer: &Issuer, faults: &Rules, caller: &Caller) -> impl Future<Output = ()> + Send + use<> {
    let mut ends = faults.socket_ends();
    let left = caller.expires.map(|expires| expires.saturating_sub(issuer.now()));
    async move {
        let expiry = async {
            match left.and_then(|left| u64::try_from(left).ok()) {
                Some(left) => sleep(Duration::from_secs(left)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = expiry => {}
            // An error means that the sender is gone.
            _ = ends.changed() => {}
        }
    }
}
