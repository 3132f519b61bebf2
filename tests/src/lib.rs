//! Nothing of its own: the end-to-end tests of the workspace are in `tests/tests/workspace`.
//!
//! Tests that name operations of the platform are built where the pinned contract is the sandbox's (`build.rs`). The
//! others are built for every contract.
