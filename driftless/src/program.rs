//! The command that started the tool: `cargo xtask` in a workspace, or `cargo driftless` if it is installed. Help and hints name it.
//!
//! Files that the tool writes name `cargo xtask` in any case: their content does not depend on who wrote them, and the workspace has it.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::OnceLock;

use clap::{Arg, Command};

/// The name in all texts of the tool.
const XTASK: &str = "cargo xtask";
const DRIFTLESS: &str = "cargo driftless";

static STARTED_AS: OnceLock<&'static str> = OnceLock::new();

/// Remembers the command, by the file of the program.
pub(crate) fn start(file: Option<&OsStr>) {
    let _ = STARTED_AS.set(by_file(file));
}

fn by_file(file: Option<&OsStr>) -> &'static str {
    let stem = file.and_then(|file| Path::new(file).file_stem());
    if stem.is_some_and(|stem| stem == "cargo-driftless") { DRIFTLESS } else { XTASK }
}

/// A text for the person who started the tool: the commands in it are those that the person has.
pub(crate) fn named(text: &str) -> String {
    in_the_name_of(STARTED_AS.get().unwrap_or(&XTASK), text)
}

fn in_the_name_of(program: &str, text: &str) -> String {
    text.replace(XTASK, program)
}

/// The command line with its texts in that name.
pub(crate) fn renamed(command: Command) -> Command {
    let command = match STARTED_AS.get() {
        Some(program) => command.name(*program).bin_name(*program),
        None => command,
    };
    with_texts(command)
}

fn with_texts(mut command: Command) -> Command {
    let text = |text: Option<&clap::builder::StyledStr>| text.map(|text| named(&text.to_string()));
    if let Some(about) = text(command.get_about()) {
        command = command.about(about);
    }
    if let Some(about) = text(command.get_long_about()) {
        command = command.long_about(about);
    }
    if let Some(after) = text(command.get_after_help()) {
        command = command.after_help(after);
    }
    let of_argument = move |mut argument: Arg| {
        if let Some(help) = text(argument.get_help()) {
            argument = argument.help(help);
        }
        if let Some(help) = text(argument.get_long_help()) {
            argument = argument.long_help(help);
        }
        argument
    };
    command.mut_args(of_argument).mut_subcommands(with_texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_the_program_says_how_it_was_started() {
        for (file, program) in [
            (Some("bin/cargo-driftless"), DRIFTLESS),
            (Some("cargo-driftless.exe"), DRIFTLESS),
            (Some("target/debug/xtask"), XTASK),
            (None, XTASK),
        ] {
            assert_eq!(by_file(file.map(OsStr::new)), program, "{file:?}");
        }
        let hint = "pin one: cargo xtask regenerate\nor `cargo xtask sandbox`";
        assert_eq!(
            in_the_name_of(DRIFTLESS, hint),
            "pin one: cargo driftless regenerate\nor `cargo driftless sandbox`"
        );
        assert_eq!(in_the_name_of(XTASK, hint), hint);
    }
}
