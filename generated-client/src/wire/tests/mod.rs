//! Generated code, written by hand, against what it must do.

#![allow(unreachable_pub, reason = "the macros make methods for public types")]

mod types;
