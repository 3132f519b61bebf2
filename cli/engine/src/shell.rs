//! Help beside `--help`: completions for shells, pages for `man`, and the documentation of an operation.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, ValueHint};
use clap_complete::env::Shells;
use serde_json::Value as Schema;

use crate::Program;
use crate::answer::written;
use crate::command::{Words, families, root};
use crate::context::Context;
use crate::failure::{Exit, Failure};
use crate::names::{kebab, operations};
use crate::table::Table;
use crate::terminal::plain;

/// `completions`, `docs` and `man`.
pub(crate) fn commands() -> Vec<Command> {
    let shells = ["bash", "elvish", "fish", "powershell", "zsh"];
    vec![
        Command::new("completions")
            .about("Prints the script that completes commands in a shell")
            .arg(Arg::new("shell").required(true).value_name("SHELL").value_parser(shells)),
        Command::new("docs")
            .about("Prints the documentation of an operation, with its types as JSON Schema")
            .arg(Arg::new("family").required(true).value_name("FAMILY"))
            .arg(Arg::new("operation").required(true).value_name("OPERATION")),
        Command::new("man")
            .about("Writes pages for `man` to a folder")
            .arg(Arg::new("folder").required(true).value_name("FOLDER").value_hint(ValueHint::DirPath)),
    ]
}

/// Runs one of the commands.
pub(crate) fn run(context: &Context, own: Vec<Command>, name: &str, matches: &ArgMatches) -> Result<(), Failure> {
    let word = |name: &str| matches.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    match name {
        "completions" => completions(&context.program, word("shell")),
        "man" => man(context, own, &PathBuf::from(word("folder"))),
        _ => docs(context, word("family"), word("operation")),
    }
}

/// The variable by which a script asks for completions.
const VARIABLE: &str = "COMPLETE";

/// Answers the script of a shell, if it is one that asks.
pub(crate) fn complete(program: &Program, table: Table, assumed: bool) -> Result<bool, Failure> {
    if std::env::var_os(VARIABLE).is_none() {
        return Ok(false);
    }
    // The words to complete follow `--`.
    let words = std::env::args_os().skip_while(|word| word != "--").skip(1);
    let words = Words::new(words.filter_map(|word| word.into_string().ok()));
    let tree = root(program, table, &words, assumed, crate::own())?;
    let completer = clap_complete::CompleteEnv::with_factory(|| tree.clone()).var(VARIABLE);
    let here = std::env::current_dir().ok();
    let done = completer.try_complete(std::env::args_os(), here.as_deref());
    done.map_err(|error| Failure::new(Exit::Failed, format!("completion failed: {error}"), ""))
}

fn completions(program: &Program, shell: &str) -> Result<(), Failure> {
    let shells = Shells::builtins();
    let Some(completer) = shells.completer(shell) else {
        return Err(Failure::usage(format!("no completions exist for {shell:?}"), "name another shell"));
    };
    let mut script = Vec::new();
    let name = program.name;
    written(completer.write_registration(VARIABLE, name, name, name, &mut script))?;
    written(std::io::stdout().write_all(&script))
}

fn man(context: &Context, own: Vec<Command>, folder: &std::path::Path) -> Result<(), Failure> {
    // Every family and every operation is among the words, so that the tree is whole.
    let mut words = Vec::new();
    for entry in families(context.table)? {
        let names = context.table.names(entry.family.name);
        words.extend(operations(entry.family.name, &names).into_iter().map(|(_, command)| command));
        words.push(entry.command);
    }
    let tree = root(&context.program, context.table, &Words::new(words), context.assumed, own)?;
    std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(tree, folder)).map_err(|error| {
        Failure::new(Exit::Failed, format!("{} cannot be written: {error}", folder.display()), "name another folder")
    })
}

fn docs(context: &Context, family: &str, wanted: &str) -> Result<(), Failure> {
    let families = families(context.table)?;
    let Some(entry) =
        families.iter().find(|entry| entry.command == family || kebab(entry.family.name) == kebab(family))
    else {
        let names: Vec<&str> = families.iter().map(|entry| entry.command.as_str()).collect();
        return Err(Failure::usage(
            format!("no family {family:?} exists"),
            format!("the families are {}", names.join(", ")),
        ));
    };
    let names = context.table.names(entry.family.name);
    let operations = operations(entry.family.name, &names);
    let fits = |(name, command): &&(&str, String)| command == wanted || kebab(name) == kebab(wanted);
    let Some((name, command)) = operations.iter().find(fits) else {
        let hint = format!("`{} {} --help` lists the operations", context.program.name, entry.command);
        return Err(Failure::usage(format!("the family has no operation {wanted:?}"), hint));
    };
    let line = context.table.operation(entry.family.name, name)?;
    let mut text = format!("# {} {} {command}\n\n{} {}\n", context.program.name, entry.command, line.method, line.path);
    let mut section = |title: &str, body: &str| {
        if !body.trim().is_empty() {
            text.push_str(&format!("\n{title}{}\n", body.trim()));
        }
    };
    section("", &line.docs);
    let mut schemas = Vec::new();
    for parameter in &line.parameters {
        let place = format!("{:?}", parameter.place).to_lowercase();
        schemas.push((format!("Parameter `{}` ({place})", parameter.wire), &parameter.schema));
    }
    if let Some(body) = &line.body {
        for part in &body.parts {
            schemas.push((format!("Part `{}`", part.wire), &part.schema));
        }
        schemas.extend(body.schema.as_ref().map(|schema| (format!("Body ({})", body.media_type), schema)));
    }
    schemas.extend(line.result.schema.as_ref().map(|schema| ("Answer".to_owned(), schema)));
    let mut named = Vec::new();
    for (title, schema) in schemas {
        section(&format!("## {title}\n\n"), &format!("```json\n{schema:#}\n```"));
        named.extend(references(schema));
    }
    let mut printed = BTreeSet::new();
    while !named.is_empty() {
        let name = named.remove(0);
        if !printed.insert(name.clone()) {
            continue;
        }
        let schema = context.table.definition(&name).and_then(|text| serde_json::from_str::<Schema>(text).ok());
        if let Some(schema) = schema {
            section(&format!("## Type {name}\n\n"), &format!("```json\n{schema:#}\n```"));
            named.extend(references(&schema));
        }
    }
    written(writeln!(std::io::stdout(), "{}", plain(text.trim_end())))
}

/// The names of the types that a schema refers to.
pub(crate) fn references(schema: &Schema) -> Vec<String> {
    match schema {
        Schema::Object(members) => {
            let path = members.get("$ref").and_then(Schema::as_str);
            let name = path.and_then(|path| path.strip_prefix("#/$defs/")).map(str::to_owned);
            name.into_iter().chain(members.values().flat_map(references)).collect()
        }
        Schema::Array(elements) => elements.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
