//! The commands: those of this crate, a command for each family, and in it one for each operation.
//!
//! A command is filled when its name is among the words of the command line, so that `--help` of a large contract reads no operation.

use std::collections::BTreeSet;

use clap::{Arg, ArgAction, Command};

use crate::Program;
use crate::arguments::{Flags, possible};
use crate::failure::Failure;
use crate::names::{kebab, operations, unique};
use crate::table::{Described, Family, Form, Head, Table};
use crate::terminal::for_help;

/// Commands that no family can have.
const OWN: [&str; 13] = [
    "api",
    "completions",
    "docs",
    "graphql",
    "help",
    "login",
    "logout",
    "man",
    "mcp",
    "operations",
    "profiles",
    "token",
    "whoami",
];

/// Returns whether this crate has the command.
pub(crate) fn is_own(name: &str) -> bool {
    OWN.contains(&name)
}

/// The words of the command line, without the name of the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words(BTreeSet<String>);

impl Words {
    pub(crate) fn new(words: impl IntoIterator<Item = String>) -> Self {
        Self(words.into_iter().collect())
    }

    fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// A family, and the command that it has.
#[derive(Clone, Debug)]
pub(crate) struct FamilyCommand {
    pub(crate) family: Family,
    pub(crate) command: String,
}

/// The families with their commands.
pub(crate) fn families(table: Table) -> Result<Vec<FamilyCommand>, Failure> {
    let mut taken: BTreeSet<String> = OWN.map(str::to_owned).into();
    let families = table.families()?.into_iter();
    Ok(families
        .map(|family| FamilyCommand { command: unique(kebab(family.name), "-family", &mut taken), family })
        .collect())
}

/// The whole tree, as far as these words need it.
pub(crate) fn root(
    program: &Program,
    table: Table,
    words: &Words,
    assumed: bool,
    own: Vec<Command>,
) -> Result<Command, Failure> {
    let assumed = assumed || words.has("--assumed");
    let mut root = Command::new(program.name)
        .version(program.version)
        .about(program.about)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .max_term_width(120)
        .args(general())
        .subcommands(own);
    for FamilyCommand { family, command } in families(table)? {
        let about = for_help(&family.covers);
        let about = if about.is_empty() { format!("Operations of the family {}", family.name) } else { about };
        let mut filled =
            Command::new(command.clone()).about(about).subcommand_required(true).arg_required_else_help(true);
        filled = filled.disable_help_subcommand(true);
        if words.has(&command) {
            filled = filled.subcommands(self::family(table, &family, words, assumed)?);
        }
        root = root.subcommand(filled);
    }
    Ok(root)
}

/// The flags of every command.
fn general() -> Vec<Arg> {
    let heading = "General options";
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).help(help).action(ArgAction::SetTrue).global(true).help_heading(heading)
    };
    let value = |name: &'static str, placeholder: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(placeholder).help(help).global(true).help_heading(heading)
    };
    vec![
        value("profile", "NAME", "Profile to use, instead of the variables or the default profile"),
        value(
            "format",
            "FORMAT",
            "Form of the answer: table, json, ndjson, yaml or csv; table on a terminal, else json",
        )
        .short('o')
        .value_parser(clap::value_parser!(crate::output::Format))
        .hide_possible_values(true),
        value("fields", "FIELDS", "Members to print, such as id,owner.name"),
        value("output", "FILE", "Write the body of the answer as it is: to a file, or `-` for standard output"),
        value("timeout", "SECONDS", "End the call after this time")
            .value_parser(clap::value_parser!(u64).range(1..=31_536_000)),
        flag("no-pager", "Print long tables without a pager"),
        flag("dry-run", "Print the request as a command of curl, without credentials, and send nothing"),
        flag("verbose", "Print each attempt to standard error"),
        flag("assumed", "Allow operations whose shape no deployment has shown yet"),
    ]
}

fn family(table: Table, family: &Family, words: &Words, assumed: bool) -> Result<Vec<Command>, Failure> {
    let heads = table.heads(family.name)?;
    let commands = operations(family.name, &heads.iter().map(|head| head.name).collect::<Vec<_>>());
    let mut list = Vec::new();
    for (head, (name, command)) in heads.iter().zip(commands) {
        let whole = kebab(name);
        let is_named = words.has(&command) || words.has(&whole);
        let mut filled = Command::new(command.clone()).about(about(head)).hide(head.is_assumed() && !assumed);
        if whole != command {
            filled = filled.alias(whole);
        }
        if is_named {
            filled = operation(table, &table.operation(family.name, name)?, filled, words.has("--body-template"));
        }
        list.push(filled);
    }
    Ok(list)
}

fn about(head: &Head) -> String {
    let mut text = for_help(&head.summary());
    if head.deprecated {
        text.push_str(" (deprecated)");
    }
    if head.is_assumed() {
        text.push_str(" (assumed)");
    }
    text
}

/// Fills the command of one operation.
fn operation(table: Table, operation: &Described, command: Command, is_template: bool) -> Command {
    let flags = Flags::new(table, operation);
    let mut command =
        command.long_about(long(operation)).after_help(for_help(&format!("{} {}", operation.method, operation.path)));
    let described: Vec<_> = flags.parameters.iter().chain(&flags.members).collect();
    for (arg, flag) in flags.arguments(is_template).zip(described) {
        command = command.arg(match possible(flag) {
            Some(values) => arg.value_parser(Open(values)).hide_possible_values(true),
            None => arg,
        });
    }
    let option = |name: &'static str, help: &'static str| Arg::new(name).long(name).help(help);
    if flags.whole {
        let help =
            "Body of the request: a file, `-` for standard input, or JSON text. Flags of members replace its members";
        command = command.arg(
            option("body", help).value_name("FILE").value_hint(clap::ValueHint::FilePath).allow_hyphen_values(true),
        );
    }
    if operation.has_template() {
        let help = "Print a body to fill in, and send nothing";
        command = command.arg(option("body-template", help).action(ArgAction::SetTrue));
    }
    if let Some(version) = &operation.api_version {
        let help = match &version.default {
            Some(default) => format!("Version of the interface, instead of {}", for_help(default)),
            None => "Version of the interface".to_owned(),
        };
        command = command.arg(Arg::new("api-version").long("api-version").help(help).value_name("VERSION"));
    }
    if operation.paging.is_some() {
        command = command.arg(option("all", "Read all pages").action(ArgAction::SetTrue)).arg(
            option("limit", "Read pages up to this number of items")
                .value_name("NUMBER")
                .value_parser(clap::value_parser!(u64)),
        );
    }
    if cfg!(feature = "operations") && operation.binding.is_some() {
        command = command
            .arg(option("wait", "Wait until the operation has ended").action(ArgAction::SetTrue))
            .arg(option("label", "Name of the work: the same label submits it once").value_name("LABEL"));
    }
    command
}

/// The documentation for `--help`.
fn long(operation: &Described) -> String {
    let mut text = for_help(operation.docs.trim());
    if operation.provenance == "assumed" {
        text.push_str("\n\nAssumed: no deployment has shown this operation yet. It may change.");
    }
    if operation.deprecated {
        text.push_str("\n\nDeprecated.");
    }
    let statuses = operation.statuses.iter().map(|(status, description)| {
        format!("  {status:<7} {}", for_help(&description.split_whitespace().collect::<Vec<_>>().join(" ")))
    });
    let statuses: Vec<String> = statuses.collect();
    if !statuses.is_empty() {
        text.push_str("\n\nAnswers:\n");
        text.push_str(&statuses.join("\n"));
    }
    match operation.result.form {
        Form::Stream => text.push_str("\n\nThe answer is written to --output, or to standard output."),
        Form::Events => text.push_str("\n\nEach event is printed as a line of JSON."),
        _ => {}
    }
    text
}

/// A parser that takes every text, and completes the values that the contract names: a service may have more.
#[derive(Clone)]
struct Open(clap::builder::PossibleValuesParser);

impl clap::builder::TypedValueParser for Open {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Self::Value, clap::Error> {
        clap::builder::StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        self.0.possible_values()
    }
}
