//! The tests of this crate are one program: it is linked once, and they run beside one another.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking, and says what it leaves out"
)]

mod addresses;
mod aliases;
mod body_pages;
mod cases;
mod catalog;
mod close_names;
mod common;
mod defaults;
mod determinism;
mod drift;
mod drift_contracts;
mod drift_documents;
mod drift_forms;
mod drift_security;
mod effort;
mod first_calls;
mod graphql;
mod graphql_shapes;
mod grown;
mod hostile;
mod hostile_together;
mod ids;
mod links;
mod load;
mod moved_names;
mod name_guesses;
mod names;
mod pages;
mod read_names;
mod roles;
mod rules;
mod servers;
mod shared;
mod suggestions;
mod table;
mod upgrade;
mod upgrade_corpus;
