//! The arguments of an operation: flags from its parameters and from the first level of its body, and their values.

pub(crate) mod body;
pub(crate) mod shape;

use std::collections::BTreeSet;

use clap::{Arg, ArgAction, ArgMatches, ValueHint, builder::PossibleValuesParser};
use driftless_runtime::Value;
use serde_json::Value as Schema;

use self::shape::{Shape, resolved};
use crate::failure::Failure;
use crate::names::{kebab, unique};
use crate::table::{Described, ParameterPlace, PartKind, Table};
use crate::terminal::{for_help, plain};

/// Flags of every operation, which no parameter can have.
const OWN: [&str; 11] = [
    "help", "version", "profile", "format", "fields", "output", "no-pager", "dry-run", "verbose", "timeout", "assumed",
];

/// The most values of an enumeration in a line of help.
const LISTED: usize = 20;

/// A flag, or an argument by position.
#[derive(Clone, Debug)]
pub(crate) struct Flag {
    /// Its name, which also identifies it in the matches.
    pub(crate) name: String,
    /// The name on the wire.
    pub(crate) wire: String,
    /// Position in the list that it comes from: parameters, members or parts.
    pub(crate) index: usize,
    pub(crate) shape: Shape,
    /// `None`: a member or a part of the body.
    place: Option<ParameterPlace>,
    /// Its words are names of files.
    pub(crate) is_file: bool,
    required: bool,
    help: String,
    /// The values that the contract names; others are sent, too.
    values: Vec<String>,
}

/// The flags of an operation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flags {
    pub(crate) parameters: Vec<Flag>,
    /// Members of a body that is an object, or parts of a multipart body.
    pub(crate) members: Vec<Flag>,
    /// `true` if the body can be given as a whole.
    pub(crate) whole: bool,
}

impl Flags {
    /// The flags of an operation: each has a name of its own.
    pub(crate) fn new(table: Table, operation: &Described) -> Self {
        let mut taken: BTreeSet<String> = OWN.map(str::to_owned).into();
        let mut take = |names: &[&str]| taken.extend(names.iter().map(|name| (*name).to_owned()));
        let whole = operation.body.as_ref().is_some_and(|body| body.form != "multipart");
        if operation.body.is_some() {
            take(&["body", "body-template"]);
        }
        if operation.api_version.is_some() {
            take(&["api-version"]);
        }
        if operation.paging.is_some() {
            take(&["all", "limit"]);
        }
        if cfg!(feature = "operations") && operation.binding.is_some() {
            take(&["wait", "label"]);
        }
        let mut named = |name: &str, prefix: &str| {
            let name = kebab(name);
            let name = if taken.contains(&name) { format!("{prefix}-{name}") } else { name };
            unique(name, "-2", &mut taken)
        };
        let is_key = table.submission_key(operation);
        let parameters = operation.parameters.iter().enumerate().filter(|(_, parameter)| !is_key(parameter));
        let parameters = parameters.map(|(index, parameter)| Flag {
            name: named(&parameter.name, "param"),
            wire: parameter.wire.clone(),
            index,
            shape: Shape::from_schema(table, &parameter.schema),
            place: Some(parameter.place),
            is_file: false,
            required: parameter.required,
            help: help(&parameter.schema),
            values: values(table, &parameter.schema),
        });
        let mut parameters: Vec<Flag> = parameters.collect();
        // They stand in the order of the path, whatever the order of the contract is.
        parameters.sort_by_key(|flag| (!flag.is_path(), operation.path.find(&format!("{{{}}}", flag.wire))));
        let mut members = Vec::new();
        for (index, (wire, schema)) in body::members(table, operation).into_iter().enumerate() {
            members.push(Flag {
                name: named(&wire, "body"),
                index,
                shape: Shape::from_schema(table, &schema),
                place: None,
                is_file: false,
                // A whole body may have it.
                required: false,
                help: help(&schema),
                values: values(table, &schema),
                wire,
            });
        }
        for (index, part) in operation.body.iter().flat_map(|body| &body.parts).enumerate() {
            let shape = match part.kind {
                PartKind::File => Shape::Text,
                PartKind::Files => Shape::List(Box::new(Shape::Text)),
                _ => Shape::from_schema(table, &part.schema),
            };
            members.push(Flag {
                name: named(&part.name, "body"),
                wire: part.wire.clone(),
                index,
                shape,
                place: None,
                is_file: matches!(part.kind, PartKind::File | PartKind::Files),
                required: part.required,
                help: help(&part.schema),
                values: values(table, &part.schema),
            });
        }
        Self { parameters, members, whole }
    }

    /// As clap takes them. A template of the body needs no other argument.
    pub(crate) fn arguments(&self, is_template: bool) -> impl Iterator<Item = Arg> {
        let parameters = self.parameters.iter().map(|flag| (flag, "Parameters"));
        let members = self.members.iter().map(|flag| (flag, "Members of the body"));
        parameters
            .chain(members)
            .map(move |(flag, heading)| flag.argument(heading).required(flag.required && !is_template))
    }
}

impl Flag {
    fn is_path(&self) -> bool {
        self.place == Some(ParameterPlace::Path)
    }

    fn argument(&self, heading: &'static str) -> Arg {
        let is_list = matches!(self.shape, Shape::List(_));
        let arg = Arg::new(self.name.clone());
        let mut arg = arg.help(if self.help.is_empty() { self.type_in_words() } else { self.help.clone() });
        // A list is joined on the wire in a path: its elements are separated here.
        if self.is_path() {
            // Other words that begin with `-` need `--` before them.
            let is_number = matches!(self.shape, Shape::Integer | Shape::Number);
            return arg.allow_negative_numbers(is_number).value_name(self.name.to_uppercase().replace('-', "_"));
        }
        arg = arg.long(self.name.clone()).help_heading(heading).value_name(self.value_name());
        arg = arg.action(if is_list { ArgAction::Append } else { ArgAction::Set });
        if self.is_file {
            arg = arg.value_hint(ValueHint::FilePath);
        }
        // `-1` is a number, and `-` standard input.
        arg = arg.allow_hyphen_values(true);
        if self.shape == Shape::Boolean {
            arg = arg.num_args(0..=1).require_equals(true).default_missing_value("true").hide_possible_values(true);
        }
        arg
    }

    /// Returns whether it is missing although the operation needs it.
    pub(crate) fn is_missing(&self, matches: &ArgMatches) -> bool {
        self.required && !matches.contains_id(&self.name)
    }

    /// The help of a flag that the contract does not describe: its type, or its values, and for a parameter its place.
    fn type_in_words(&self) -> String {
        let (shape, is_list) = match &self.shape {
            Shape::List(element) => (&**element, true),
            shape => (shape, false),
        };
        let words = match shape {
            _ if self.is_file => "File, or `-` for standard input",
            _ if !self.values.is_empty() => {
                let more = if self.values.len() > LISTED { ", …" } else { "" };
                let listed: Vec<&str> = self.values.iter().take(LISTED).map(String::as_str).collect();
                &format!("One of {}{more}", for_help(&listed.join(", ")))
            }
            Shape::Boolean => "`true` or `false`",
            Shape::Integer => "Whole number",
            Shape::Number => "Number",
            Shape::Text => "Text",
            Shape::Formatted("DATE-TIME") => "Time, such as 2026-01-31T12:00:00Z",
            Shape::Formatted("DATE") => "Date, such as 2026-01-31",
            Shape::Formatted("TIME") => "Time of the day, such as 12:00:00Z",
            Shape::Formatted("DURATION") => "Duration",
            Shape::Formatted(name) => name,
            Shape::List(_) | Shape::Json => "JSON",
            Shape::Any => "JSON, or else a text",
        };
        let several = match (is_list, self.place) {
            (false, _) => "",
            (true, Some(ParameterPlace::Path)) => ", or several with `,` between them",
            (true, _) => "; give the flag once for each",
        };
        let place = match self.place {
            Some(ParameterPlace::Path) => "; in the path",
            Some(ParameterPlace::Query) => "; in the query",
            Some(ParameterPlace::Header) => "; in a header",
            Some(ParameterPlace::Cookie) => "; in a cookie",
            None => "",
        };
        format!("{words}{several}{place}")
    }

    fn value_name(&self) -> String {
        let shape = match &self.shape {
            Shape::List(element) => element,
            shape => shape,
        };
        match shape {
            _ if self.is_file => "FILE".to_owned(),
            _ if !self.values.is_empty() => {
                let mut values = self.values.iter().take(6).cloned().collect::<Vec<_>>().join("|");
                if self.values.len() > 6 {
                    values.push_str("|…");
                }
                values
            }
            Shape::Boolean => "true|false".to_owned(),
            Shape::Integer => "INTEGER".to_owned(),
            Shape::Number => "NUMBER".to_owned(),
            Shape::Text => "TEXT".to_owned(),
            Shape::Formatted(name) => (*name).to_owned(),
            Shape::List(_) | Shape::Json | Shape::Any => "JSON".to_owned(),
        }
    }

    /// The value that was given, if any.
    pub(crate) fn value(&self, matches: &ArgMatches) -> Result<Option<Value>, Failure> {
        let Some(given) = self.words(matches) else { return Ok(None) };
        let is_list = self.is_path() && matches!(self.shape, Shape::List(_));
        // An element that contains a comma needs JSON.
        let whole = given.first().filter(|word| is_list && word.starts_with('['));
        let words = match (&self.shape, self.is_path()) {
            (Shape::List(_), true) => given.iter().flat_map(|word| word.split(',')).map(str::to_owned).collect(),
            _ => given.clone(),
        };
        let value = match whole {
            Some(list) => shape::json(list),
            None => self.shape.value(&words),
        };
        match value {
            Ok(value) => Ok(Some(value)),
            Err(message) => {
                let hint = "nothing was sent; `--help` shows the type of each value";
                Err(Failure::usage(format!("{}: {message}", self.label()), hint))
            }
        }
    }

    /// The words that were given.
    pub(crate) fn words(&self, matches: &ArgMatches) -> Option<Vec<String>> {
        matches.get_many::<String>(&self.name).map(|words| words.cloned().collect())
    }

    /// Its name in messages.
    pub(crate) fn label(&self) -> String {
        if self.is_path() { self.name.to_uppercase().replace('-', "_") } else { format!("--{}", self.name) }
    }
}

fn help(schema: &Schema) -> String {
    let text = schema.get("description").and_then(Schema::as_str).unwrap_or_default();
    for_help(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The values of an enumeration, or of a list of them.
fn values(table: Table, schema: &Schema) -> Vec<String> {
    let schema = resolved(table, schema);
    let element = schema.get("items").map(|items| resolved(table, items));
    let values = schema.get("enum").or_else(|| element.as_ref()?.get("enum")).and_then(Schema::as_array);
    let text = |value: &Schema| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.into_iter().flatten().map(text).map(|value| plain(&value).into_owned()).collect()
}

/// Completions of values; a value that the contract does not name is accepted, too.
pub(crate) fn possible(flag: &Flag) -> Option<PossibleValuesParser> {
    (!flag.values.is_empty()).then(|| PossibleValuesParser::new(flag.values.clone()))
}
