//! `cargo xtask corpus --style --sample`: some operations without an operationId, with the facts by which a reader judges their names.

use std::path::PathBuf;

use driftless::develop::{self, DEFAULT_NAME};
use driftless_codegen::load::load;
use driftless_codegen::{Contract, NameStyle, Names, Setup, StyleVersion, api, line};
use serde_json::Value;

use super::style::unnamed;
use crate::bounded::read_bounded;
use crate::console::{progress, result};
use crate::failure::Failure;
use crate::random::Random;
use crate::workspace::Workspace;

/// Characters of a summary: enough for its verb and its object.
const SUMMARY: usize = 100;

/// Prints `count` operations of these contracts: contract, operation, name in style 2, summary, answer. The same seed draws the same ones.
pub(super) fn run(
    workspace: &Workspace,
    contracts: &[(String, PathBuf)],
    (count, seed): (usize, u64),
) -> Result<(), Failure> {
    let reserved = develop::reserved(workspace)?;
    let mut lines = Vec::new();
    let mut failed = 0;
    for (name, path) in contracts {
        let bytes = read_bounded(path).map_err(|error| Failure::file("read", path, &error))?;
        let mut setup = Setup { reserved: reserved.clone(), ..Setup::default() };
        setup.config.style = NameStyle { version: StyleVersion::Two };
        let contract = Contract { name: DEFAULT_NAME, bytes: &bytes };
        let Ok(loaded) = load(DEFAULT_NAME, &bytes) else {
            failed += 1;
            continue;
        };
        let unnamed = unnamed(&loaded.tree);
        if unnamed.is_empty() {
            continue;
        }
        let Ok((_, names)) = api(&[contract], &setup, &Names::default()) else {
            failed += 1;
            continue;
        };
        for (key, given) in names.operations.iter().filter(|(key, _)| unnamed.contains(*key)) {
            let facts = key
                .split_once(' ')
                .and_then(|(method, path)| loaded.tree.get("paths")?.get(path)?.get(method.to_lowercase()));
            let facts = facts.map_or_else(String::new, |operation| {
                format!("{} | {}", summary(operation), answer(&loaded.tree, operation))
            });
            lines.push(format!("{} | {} | {given} | {facts}", line(name), line(key)));
        }
    }
    if failed > 0 {
        progress(&format!("{failed} contracts have no client: `cargo xtask corpus` says why"));
    }
    draw(lines, count, seed).iter().for_each(|drawn| result(drawn));
    Ok(())
}

/// Some of the lines, in their order.
fn draw(lines: Vec<String>, count: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed, 0);
    let mut numbers: Vec<usize> = (0..lines.len()).collect();
    let count = count.min(numbers.len());
    for index in 0..count {
        let other = index + random.below(numbers.len() - index);
        numbers.swap(index, other);
    }
    numbers.truncate(count);
    numbers.sort_unstable();
    let mut numbers = numbers.into_iter().peekable();
    let lines = lines.into_iter().enumerate();
    lines.filter(|(index, _)| numbers.next_if_eq(index).is_some()).map(|(_, text)| text).collect()
}

/// The beginning of the summary, or of the description.
fn summary(operation: &Value) -> String {
    let text = |key: &str| operation.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let text = text("summary").or_else(|| text("description")).unwrap_or("-").trim();
    line(&text.chars().take(SUMMARY).collect::<String>()).into_owned()
}

/// The status of the first success, and the type of its JSON: `200 array`.
fn answer(tree: &Value, operation: &Value) -> String {
    let responses = operation.get("responses").and_then(Value::as_object).into_iter().flatten();
    let success = responses.into_iter().find(|(status, _)| status.starts_with('2') || *status == "default");
    let Some((status, response)) = success else { return "no success".to_owned() };
    let response = resolve(tree, response);
    let media = response.get("content").and_then(Value::as_object);
    let schema = media.and_then(|media| media.iter().find(|(name, _)| name.contains("json")).map(|(_, media)| media));
    let schema = schema.and_then(|media| media.get("schema")).or_else(|| response.get("schema"));
    let schema = schema.map(|schema| resolve(tree, schema));
    let kind = match (schema, media) {
        (Some(schema), _) => schema.get("type").and_then(Value::as_str).unwrap_or("of no type"),
        (None, Some(_)) => "not JSON",
        (None, None) => "without a body",
    };
    line(&format!("{status} {kind}")).into_owned()
}

/// Follows one reference within the contract.
fn resolve<'v>(tree: &'v Value, value: &'v Value) -> &'v Value {
    let pointer = value.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| tree.pointer(pointer)).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{answer, draw, summary};

    #[test]
    fn the_same_seed_draws_the_same_lines_once_each_in_their_order() {
        let lines = || (10..90).map(|number| number.to_string()).collect::<Vec<_>>();
        let drawn = draw(lines(), 30, 28);
        assert_eq!(drawn, draw(lines(), 30, 28));
        assert_ne!(drawn, draw(lines(), 30, 29));
        assert!(drawn.len() == 30 && drawn.is_sorted_by(|one, other| one < other), "{drawn:?}");
        assert_eq!(draw(lines(), 500, 1), lines());
        assert!(draw(Vec::new(), 3, 1).is_empty());
    }

    #[test]
    fn the_facts_of_an_operation_are_one_line() {
        let tree = json!({"components": {"schemas": {"Orders": {"type": "array"}}}});
        let schema = json!({"schema": {"$ref": "#/components/schemas/Orders"}});
        let operation = json!({"summary": " ", "description": "Returns\nall", "responses":
            {"400": {}, "200": {"content": {"application/json": schema}}}});
        assert_eq!((summary(&operation).as_str(), answer(&tree, &operation).as_str()), ("Returns\\nall", "200 array"));
        let operation = json!({"responses": {"204": {}}});
        assert_eq!((summary(&operation).as_str(), answer(&tree, &operation).as_str()), ("-", "204 without a body"));
    }
}
