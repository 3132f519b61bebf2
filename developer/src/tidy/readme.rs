//! Commands that the documentation names exist.

use clap::CommandFactory as _;

use super::{File, Finding};
use crate::flags::Flags;

const PAGES: [&str; 4] = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", ".ci/run"];

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let command = Flags::command();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| PAGES.contains(&file.path.as_str())) {
        for (index, line) in file.text().unwrap_or_default().lines().enumerate() {
            for (at, start) in line.match_indices("cargo xtask ") {
                let words: Vec<&str> = line
                    .get(at + start.len()..)
                    .unwrap_or_default()
                    .split_whitespace()
                    .take_while(|word| !word.starts_with(['#', '|', '&', ';']))
                    .collect();
                if let Some(what) = unknown(&command, &words) {
                    findings.push(Finding {
                        file: file.path.clone(),
                        line: index + 1,
                        rule: "documented-command",
                        what,
                        fix: "write the command as `cargo xtask --help` lists it",
                    });
                }
            }
        }
    }
    findings
}

fn unknown(command: &clap::Command, words: &[&str]) -> Option<String> {
    let plain =
        |word: &str| word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').to_owned();
    let name = plain(words.first()?);
    if name.is_empty() || name.starts_with('-') {
        return None;
    }
    let Some(known) = command.find_subcommand(&name).filter(|known| !known.is_hide_set()) else {
        return Some(format!("`cargo xtask {name}` does not exist"));
    };
    if known.get_arguments().any(clap::Arg::is_trailing_var_arg_set) {
        // Its flags belong to another program.
        return None;
    }
    // A closing backtick ends the command inside a sentence.
    let ended = words.first().is_some_and(|word| word.contains('`'));
    let flags = words.iter().skip(1).take(if ended { 0 } else { words.len() });
    for word in flags {
        let flag = plain(word);
        let flag = flag.split('=').next().unwrap_or_default();
        let long = flag.strip_prefix("--").filter(|long| !long.is_empty());
        if let Some(long) =
            long.filter(|long| *long != "help" && known.get_arguments().all(|it| it.get_long() != Some(*long)))
        {
            return Some(format!("`cargo xtask {name}` has no flag --{long}"));
        }
        if word.contains('`') {
            break;
        }
    }
    None
}
