//! The page of the client in a registry.

use super::program::Program;

/// The page, with an operation that is there, or with none.
pub(super) fn text(program: Option<&Program>) -> String {
    let example = program.map(|program| format!("```rust\n{}```\n\n", program.body())).unwrap_or_default();
    format!(
        "# platform-client\n\nA typed client, generated from the contract of its service.\n\n{example}\
         `Platform::from_env()` reads where the service is, and the places of its credentials. Each route family of the contract is a\n\
         method of `Platform` and a cargo feature. The documentation of the crate lists the other features.\n\n\
         Licensed under MIT or Apache-2.0, at your choice.\n"
    )
}
