//! No code: a list of the features that the programs of this workspace share.
//!
//! Cargo unifies features within one command only. `cargo xtask` starts the sandbox by a command of its own, and `cargo test` is
//! a third. If two of them enable different features of one library, it is compiled twice, and so are all crates that depend on
//! it. `xtask` and the sandbox depend on this package, so both get the features that any of them enables, and those of the tests
//! if they add no further library.
//!
//! The feature `tests` has those that do. All packages have it as a dev-dependency, so that `cargo test -p PACKAGE --all-features`
//! compiles nothing that `cargo test --workspace --all-features` has compiled, and the other way round.
//!
//! `cargo test -p developer --test developer features` prints the missing features.
