//! The runtime of work that outlives the call that began it.
//!
//! Such work belongs to no caller's runtime: a program may have several of them, stop driving one, or shut it down,
//! while callers on others wait for the result.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

use crate::error::{Error, Kind};

/// Two, so that a credential or a middleware that blocks its thread does not delay the sockets.
const THREADS: usize = 2;

/// Returns the runtime of this process, which is created on first use and then stays.
pub(crate) fn handle() -> Result<&'static Handle, Error> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let build = || {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("driftless").enable_all();
        builder.build().map_err(|cause| cause.to_string())
    };
    RUNTIME.get_or_init(build).as_ref().map(Runtime::handle).map_err(|cause| {
        Error::with(Kind::Configuration, format!("no thread can be started: {cause}"))
            .hint("raise the limit of threads of this process")
    })
}
