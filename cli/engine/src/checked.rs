//! The check of an operation's values against the schemas of the contract, before anything is sent.

use std::collections::BTreeMap;
use std::io::Write as _;

use clap::ArgMatches;
use driftless_runtime::Value;
use serde_json::Value as Schema;

use crate::arguments::body::Content;
use crate::arguments::{Flag, Flags};
use crate::failure::{Failure, one_line};
use crate::schema::{Fault, check};
use crate::table::{Described, Table};

/// Faults that one check collects: warnings must not hide an error that comes later.
const COLLECTED: usize = 100;
/// Faults in a message, and lines of warnings.
const NAMED: usize = 5;

/// The faults of the values that a command line gives, each as a sentence with its place.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl Checked {
    /// Checks the parameters and the body.
    pub(crate) fn new(
        table: Table,
        line: &Described,
        flags: &Flags,
        values: &[Option<Value>],
        content: &Content,
        matches: &ArgMatches,
    ) -> Result<Self, Failure> {
        let types = types(table, line);
        let mut checked = Self::default();
        for flag in &flags.parameters {
            let value = values.get(flag.index).and_then(Option::as_ref);
            if let (Some(parameter), Some(value)) = (line.parameters.get(flag.index), value) {
                checked.check(value, &parameter.schema, &types, |pointer| place(flag, pointer));
            }
        }
        let Some(body) = &line.body else { return Ok(checked) };
        if let (Some(schema), Content::Value(value)) = (&body.schema, content) {
            let given: Vec<&Flag> = flags.members.iter().filter(|flag| flag.words(matches).is_some()).collect();
            checked.check(value, schema, &types, |pointer| in_body(&given, pointer));
        }
        for (flag, part) in flags.members.iter().zip(&body.parts) {
            if !flag.is_file
                && let Some(value) = flag.value(matches)?
            {
                checked.check(&value, &part.schema, &types, |pointer| place(flag, pointer));
            }
        }
        Ok(checked)
    }

    fn check(
        &mut self,
        value: &Value,
        schema: &Schema,
        types: &BTreeMap<String, Schema>,
        place: impl Fn(&str) -> String,
    ) {
        // A number that has no place in this type of JSON values is left to the service.
        let Ok(value) = serde_json::to_value(value) else { return };
        for Fault { pointer, message, kind } in check(&value, schema, &|name: &str| types.get(name), COLLECTED) {
            let list = if kind.is_error() { &mut self.errors } else { &mut self.warnings };
            list.push(format!("{} {message}", place(&pointer)));
        }
    }

    /// Prints the warnings, and fails if a value must not be sent. `docs` is the command that prints the types.
    pub(crate) fn finish(self, docs: &str) -> Result<(), Failure> {
        let named = |list: &[String]| list.iter().take(NAMED).map(|text| one_line(text)).collect::<Vec<_>>();
        let more = |list: &[String]| match list.len() {
            COLLECTED.. => Some("there are many more".to_owned()),
            length if length > NAMED => Some(format!("there are {} more", length - NAMED)),
            _ => None,
        };
        if !self.errors.is_empty() {
            let sentences: Vec<String> = named(&self.errors).into_iter().chain(more(&self.errors)).collect();
            return Err(Failure::usage(
                one_line(&sentences.join("; ")),
                format!("nothing was sent; `{docs}` prints the types"),
            ));
        }
        for warning in named(&self.warnings).into_iter().chain(more(&self.warnings)) {
            // Nothing is left to do if nobody reads standard error.
            let _ = writeln!(std::io::stderr(), "warning: {warning}");
        }
        Ok(())
    }
}

/// The place of a fault in the value of a flag.
fn place(flag: &Flag, pointer: &str) -> String {
    match pointer.is_empty() {
        true => flag.label(),
        false => format!("{} {pointer}", flag.label()),
    }
}

/// The place of a fault in a body: the flag that has set the member, else a pointer.
fn in_body(given: &[&Flag], pointer: &str) -> String {
    let below = |flag: &Flag| {
        let member = format!("/{}", flag.wire.replace('~', "~0").replace('/', "~1"));
        let rest = pointer.strip_prefix(&member)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| place(flag, rest))
    };
    let flag = given.iter().find_map(|flag| below(flag));
    flag.unwrap_or_else(|| if pointer.is_empty() { "the body".to_owned() } else { format!("the body's {pointer}") })
}

/// The named types that the schemas of the operation refer to.
fn types(table: Table, line: &Described) -> BTreeMap<String, Schema> {
    let mut schemas: Vec<&Schema> = line.parameters.iter().map(|parameter| &parameter.schema).collect();
    if let Some(body) = &line.body {
        schemas.extend(&body.schema);
        schemas.extend(body.parts.iter().map(|part| &part.schema));
    }
    let mut next: Vec<String> = schemas.into_iter().flat_map(crate::shell::references).collect();
    let mut types = BTreeMap::new();
    while let Some(name) = next.pop() {
        if types.contains_key(&name) {
            continue;
        }
        let text = table.definition(&name).unwrap_or("true");
        let schema = serde_json::from_str(text).unwrap_or(Schema::Bool(true));
        next.extend(crate::shell::references(&schema));
        types.insert(name, schema);
    }
    types
}
