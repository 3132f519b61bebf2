//! Documents against the schema, and places in the data against the documents.

use std::collections::BTreeMap;

use apollo_compiler::ast::OperationType;
use apollo_compiler::executable::{Selection, SelectionSet};
use apollo_compiler::response::GraphQLError;
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{ExecutableDocument, Schema};
use platform_codegen::AsyncOperation;

use crate::failure::{Exit, Failure};
use crate::workspace::{CONFIGURATION, GRAPHQL, SCHEMA};

/// Everything that does not fit, in one failure.
pub(super) fn check(
    schema: &str,
    documents: &BTreeMap<&str, &str>,
    operations: &[&AsyncOperation],
) -> Result<(), Failure> {
    let schema = Schema::parse_and_validate(schema, SCHEMA).map_err(|invalid| {
        Failure::new(
            Exit::Contract,
            "schema/invalid",
            format!("the GraphQL schema is not valid:\n{}", lines(SCHEMA, &invalid.errors)),
            "the pinned schema and the client are untouched",
        )
    })?;
    let mut problems = Vec::new();
    let mut checked: BTreeMap<&str, Valid<ExecutableDocument>> = BTreeMap::new();
    for (file, text) in documents {
        match ExecutableDocument::parse_and_validate(&schema, *text, format!("{GRAPHQL}/{file}")) {
            Ok(document) => drop(checked.insert(file, document)),
            Err(invalid) => problems.push(lines(&format!("{GRAPHQL}/{file}"), &invalid.errors)),
        }
    }
    for operation in operations {
        problems.extend(places(&schema, &checked, operation));
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(Failure::configuration(
        "configuration/graphql",
        format!("GraphQL documents or [[operation]] entries do not fit the schema {SCHEMA}:\n{}", problems.join("\n")),
        "nothing was written; mend the documents in specs/graphql, and the entries in specs/codegen.toml",
    ))
}

/// One line for each diagnostic: file, line, column, message.
fn lines(file: &str, errors: &DiagnosticList) -> String {
    let line = |json: GraphQLError| {
        let place = json.locations.first().map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
        format!("{file}{place}: {}", json.message)
    };
    errors.iter().map(|diagnostic| line(diagnostic.to_json())).collect::<Vec<_>>().join("\n")
}

/// What the entry of an operation names in the data of its documents.
fn places(
    schema: &Valid<Schema>,
    documents: &BTreeMap<&str, Valid<ExecutableDocument>>,
    operation: &AsyncOperation,
) -> Vec<String> {
    let mut problems = Vec::new();
    let events = operation.events.as_ref();
    let list = events.map(|events| ("events.list", format!("{}/0{}", events.list, events.name)));
    let pushed =
        events.and_then(|events| Some(("events.pushed", format!("{}{}", events.pushed.as_ref()?, events.name))));
    let asked: Vec<(&str, String)> = [Some(("state", operation.state.clone())), list].into_iter().flatten().collect();
    let told: Vec<(&str, String)> =
        [operation.pushed_state.clone().map(|place| ("pushed_state", place)), pushed].into_iter().flatten().collect();
    let query = (Some(&operation.query), OperationType::Query, asked);
    let subscription = (operation.subscription.as_ref(), OperationType::Subscription, told);
    for (file, kind, pointers) in [query, subscription] {
        let Some((file, document)) = file.and_then(|file| Some((file, documents.get(file.as_str())?))) else {
            continue;
        };
        let mut say = |what: String| {
            problems.push(format!("{CONFIGURATION}: the asynchronous operation `{}`: {what}", operation.name));
        };
        let Ok(found) = document.operations.get(None) else {
            say(format!("{GRAPHQL}/{file} has to hold exactly one operation"));
            continue;
        };
        if found.operation_type != kind {
            say(format!("{GRAPHQL}/{file} is no {kind}"));
            continue;
        }
        if !found.variables.iter().any(|variable| variable.name == operation.variable.as_str()) {
            say(format!("{GRAPHQL}/{file} has no variable ${}", operation.variable));
        }
        for (name, pointer) in pointers {
            let steps: Vec<&str> = pointer.split('/').skip(1).collect();
            match leaf(document, &found.selection_set, &steps) {
                Err(reason) => say(format!("{name} = {pointer:?} is not in the data of {GRAPHQL}/{file}: {reason}")),
                Ok(ty) if name == "state" || name == "pushed_state" => {
                    if let Some(ExtendedType::Enum(values)) = schema.types.get(ty.as_str()) {
                        let states = &operation.states;
                        let all = [&states.pending, &states.succeeded, &states.failed, &states.cancelled];
                        let strange =
                            all.into_iter().flatten().filter(|state| !values.values.contains_key(state.as_str()));
                        for state in strange {
                            say(format!("{ty} has no state `{state}`"));
                        }
                    }
                }
                Ok(_) => {}
            }
        }
    }
    problems
}

/// The name of the type at a place of the data.
fn leaf(document: &ExecutableDocument, set: &SelectionSet, steps: &[&str]) -> Result<String, String> {
    let Some((step, mut rest)) = steps.split_first() else { return Err("it is an object".to_owned()) };
    let Some(field) = field(document, set, step) else {
        return Err(format!("no field of {} is selected as `{step}`", set.ty));
    };
    let mut ty = field.ty();
    loop {
        use apollo_compiler::ast::Type;
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

fn field<'a>(
    document: &'a ExecutableDocument,
    set: &'a SelectionSet,
    key: &str,
) -> Option<&'a apollo_compiler::executable::Field> {
    set.selections.iter().find_map(|selection| match selection {
        Selection::Field(field) if field.response_key() == key => Some(field.as_ref()),
        Selection::Field(_) => None,
        Selection::InlineFragment(inline) => self::field(document, &inline.selection_set, key),
        Selection::FragmentSpread(spread) => {
            self::field(document, &document.fragments.get(&spread.fragment_name)?.selection_set, key)
        }
    })
}
