//! Nothing of its own: the end-to-end tests of the workspace are in `tests/tests/workspace`.
//!
//! Tests that name operations of the platform are built where the pinned contract is the sandbox's (`build.rs`). The
//! others are built for every contract.

/// The examples of the guides are compiled, and run where they can be.
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
        Observability "observability.md"
        #[cfg(contract = "sandbox")]
        Graphql "graphql.md"
        #[cfg(contract = "sandbox")]
        Operations "operations.md"
        #[cfg(contract = "sandbox")]
        Testing "testing.md"
    }
}
