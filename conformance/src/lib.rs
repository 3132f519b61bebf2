//! Calls every operation of a generated client, and compares the bytes with the contract.
//!
//! The client is generated into `target/conformance`, with a program that calls it. The judge is `driftless_sandbox::conformance`: it
//! reads the contract by itself, and shares no code with the generator or the client. The client of progenitor is a second judge.
#![deny(missing_docs)]

mod against;
pub mod junit;
mod names;
mod prism;
mod process;
mod program;
mod report;
mod run;
mod sandboxed;
pub mod sarif;
mod second;
mod shell;

pub use against::{Ask, observe};
pub use report::{AnswerKind, Answers, AtShell, Report, Row, Traffic, table};
pub use run::{Change, Options, check};
pub use sandboxed::{CallBounds, Exercise, Served, exercise};
pub use second::{GENERATE, Opinion, generate};
pub use shell::{TableChange, check_cli};
