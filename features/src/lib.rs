//! No code: a list of the features that the programs of this workspace share.
//!
//! Cargo unites features for one command only. `cargo xtask` starts the sandbox by a command of its own, and `cargo test` is a
//! third. Where two of them ask for other features of one library, it is compiled twice, and so is everything that stands on
//! it. `xtask` and the sandbox depend on this package, so both get the features that any of them asks for, and what the
//! tests ask for wherever that brings no further library.
//!
//! `cargo test -p xtask --test xtask features` says what is missing here.
