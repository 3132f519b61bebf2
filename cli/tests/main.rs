//! Sessions at the shell: the program, run against a sandbox on loopback.
#![cfg(unix)]

mod account;
mod asynchronous;
mod failing;
mod families;
mod help;
mod output;
mod raw;
mod support;
mod tools;
