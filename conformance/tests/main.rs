//! The judge is judged: each change of a client has to be noticed.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "a test fails by panicking")]

mod against;
mod changes;
mod cli;
mod ids;
mod sandbox;
mod second;
mod unreadable;
