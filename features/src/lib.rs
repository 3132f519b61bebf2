//! No code: a list of the features that the programs of this workspace share.
//!
//! Cargo unites features for one command only. `cargo xtask` starts the sandbox by a command of its own, and `cargo test`
//! is a third. If two of them ask for different features of one library, it is compiled twice, and so is
//! everything that depends on it. `xtask` and the sandbox depend on this package, so both get the features that any of
//! them asks for, and the features of the tests if these add no library.
//!
//! `cargo test -p xtask --test xtask features` lists the missing features.
