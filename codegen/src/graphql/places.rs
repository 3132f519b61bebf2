//! The places that a binding names in the data of its documents.

use apollo_compiler::ast::{OperationType, Type};
use apollo_compiler::executable::{Field, Selection, SelectionSet};
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Schema};

use super::model::{TypedDocument, split};
use super::problem::FOLDER;
use crate::bind::problem;
use crate::{AsyncOperation, Report};

/// Checks one binding. Returns the states of the schema that it does not name.
pub(super) fn check(
    schema: &Valid<Schema>,
    document: &Valid<ExecutableDocument>,
    texts: &[TypedDocument],
    operation: &AsyncOperation,
    index: usize,
    report: &mut Report,
) -> Vec<String> {
    let mut unnamed = Vec::new();
    let events = operation.events.as_ref();
    let list = events.map(|events| ("events/list", format!("{}/0{}", events.list, events.name)));
    let pushed =
        events.and_then(|events| Some(("events/pushed", format!("{}/0{}", events.pushed.as_ref()?, events.name))));
    let asked: Vec<(&str, String)> = [Some(("state", operation.state.clone())), list].into_iter().flatten().collect();
    let pushed_states: Vec<(&str, String)> =
        [operation.pushed_state.clone().map(|place| ("pushed_state", place)), pushed].into_iter().flatten().collect();
    let query = ("query", operation.query.as_ref(), OperationType::Query, asked);
    let subscription = ("subscription", operation.subscription.as_ref(), OperationType::Subscription, pushed_states);
    for (key, file, kind, pointers) in [query, subscription] {
        let Some(named) = file else { continue };
        let (file, operation_name) = split(named);
        let mut fitting = texts
            .iter()
            .filter(|document| document.file == file && operation_name.is_none_or(|name| document.name == name));
        let (first, another) = (fitting.next(), fitting.next());
        let mut say = |code, place: &str, message: String, hint: &str| {
            let problem = problem(operation, index, code, place, message, hint);
            if !report.problems().contains(&problem) {
                report.push(problem);
            }
        };
        let Some(first) = first else {
            if operation_name.is_some() && texts.iter().any(|document| document.file == file) {
                let message = format!("{FOLDER}/{file} holds no operation `{}`", operation_name.unwrap_or_default());
                say("operation/document", key, message, "name an operation of the file, or the file alone");
            }
            continue;
        };
        if another.is_some() {
            let message = format!("{FOLDER}/{file} holds several operations");
            say("operation/document", key, message, "say which: `file.graphql#Operation`");
            continue;
        }
        let Ok(definition) = document.operations.get(Some(&first.name)) else { continue };
        if definition.operation_type != kind {
            say("operation/document", key, format!("{FOLDER}/{file} is not a {kind}"), "name another document");
            continue;
        }
        if !definition.variables.iter().any(|variable| variable.name == operation.variable.as_str()) {
            let message = format!("{FOLDER}/{file} has no variable `${}`", operation.variable);
            say("operation/document", "variable", message, "name the variable that takes the identifier");
        }
        for (place, pointer) in pointers {
            let steps: Vec<&str> = pointer.split('/').skip(1).collect();
            match leaf(document, &definition.selection_set, &steps) {
                Err(reason) => {
                    let message = format!("`{pointer}` is not in the data of {FOLDER}/{file}: {reason}");
                    say("operation/pointer", place, message, "select it in the document, or fix the pointer");
                }
                Ok(ty) if place.ends_with("state") => {
                    let Some(ExtendedType::Enum(values)) = schema.types.get(ty.as_str()) else { continue };
                    let states = &operation.states;
                    let named: Vec<&String> = [&states.pending, &states.succeeded, &states.failed, &states.cancelled]
                        .into_iter()
                        .flatten()
                        .collect();
                    for state in named.iter().filter(|state| !values.values.contains_key(state.as_str())) {
                        let message = format!("`{ty}` has no state `{state}`");
                        say("operation/states", "states", message, "write the states as the schema has them");
                    }
                    let all = values.values.keys().map(|state| state.to_string());
                    unnamed.extend(all.filter(|state| !named.contains(&state)));
                }
                Ok(_) => {}
            }
        }
    }
    unnamed.sort();
    unnamed.dedup();
    unnamed
}

/// The name of the type at a place of the data.
fn leaf(document: &ExecutableDocument, set: &SelectionSet, steps: &[&str]) -> Result<String, String> {
    let Some((step, mut rest)) = steps.split_first() else { return Err("it is an object".to_owned()) };
    let Some(field) = field(document, set, step) else {
        return Err(format!("no field of `{}` is selected as `{step}`", set.ty));
    };
    let mut ty = field.ty();
    loop {
        let is_index = rest.first().is_some_and(|step| step.parse::<usize>().is_ok());
        match ty {
            Type::List(inner) | Type::NonNullList(inner) if is_index => {
                ty = inner;
                rest = rest.get(1..).unwrap_or_default();
            }
            Type::List(_) | Type::NonNullList(_) => return Err(format!("`{step}` is a list")),
            Type::Named(_) | Type::NonNullNamed(_) if is_index && !rest.is_empty() => {
                // A single event stands for a list of one.
                rest = rest.get(1..).unwrap_or_default();
            }
            Type::Named(name) | Type::NonNullNamed(name) => {
                return match (rest.is_empty(), field.selection_set.selections.is_empty()) {
                    (true, true) => Ok(name.to_string()),
                    (true, false) => Err(format!("`{step}` is an object")),
                    (false, _) => leaf(document, &field.selection_set, rest),
                };
            }
        }
    }
}

fn field<'a>(document: &'a ExecutableDocument, set: &'a SelectionSet, key: &str) -> Option<&'a Field> {
    set.selections.iter().find_map(|selection| match selection {
        Selection::Field(field) if field.response_key() == key => Some(field.as_ref()),
        Selection::Field(_) => None,
        Selection::InlineFragment(inline) => self::field(document, &inline.selection_set, key),
        Selection::FragmentSpread(spread) => {
            self::field(document, &document.fragments.get(&spread.fragment_name)?.selection_set, key)
        }
    })
}
