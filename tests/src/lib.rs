//! No code: the end-to-end tests of the workspace are in `main.rs` beside this folder.
//!
//! A file of tests that names operations of the platform is built if the pinned contract has them (`build.rs`). The others are
//! built for every contract.

/// The examples of the guides are compiled, and run if possible.
#[cfg(doctest)]
mod guides {
    macro_rules! guides {
        ($($(#[$condition:meta])* $name:ident $page:literal)*) => {
            $($(#[$condition])* #[doc = include_str!(concat!("../../docs/", $page))] struct $name;)*
        };
    }

    guides! {
        Authentication "authentication.md"
        ErrorsAndRetries "errors-and-retries.md"
        Fleet "fleet.md"
        Network "network.md"
        Observability "observability.md"
        #[cfg(has = "docs/graphql")]
        Graphql "graphql.md"
        #[cfg(has = "docs/operations")]
        Operations "operations.md"
        #[cfg(has = "docs/testing")]
        Testing "testing.md"
    }
}
