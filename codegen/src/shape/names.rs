//! Names of types: the thing that they end in, and the name of a shared one.

use heck::ToSnakeCase as _;

use super::Fact;
use super::form::value_names;
use crate::model::{Definition, Kind};
use crate::naming::Scope;
use crate::naming::ident::type_name;
use crate::naming::words::singular;
use crate::text::Ident;

/// Words at the end of a name that say what a type is for, not which thing it is.
const VAGUE: &[&str] = &[
    "array",
    "base",
    "body",
    "command",
    "compact",
    "content",
    "data",
    "default",
    "detail",
    "details",
    "dto",
    "entity",
    "entry",
    "error",
    "event",
    "exception",
    "extra",
    "form",
    "info",
    "input",
    "item",
    "list",
    "model",
    "object",
    "output",
    "param",
    "parameter",
    "parameters",
    "params",
    "payload",
    "properties",
    "query",
    "request",
    "resource",
    "response",
    "result",
    "results",
    "schema",
    "value",
    "values",
    "variant",
    "view",
];

/// The type that stands for all: one that programs know, else one whose values have names, else one that the contract names,
/// and of these the one with the shortest name.
pub(super) fn first(types: &[Definition], facts: &[Fact], members: &[usize]) -> Option<usize> {
    members.iter().copied().min_by_key(|index| {
        let (definition, fact) = (types.get(*index), facts.get(*index));
        let has_names = definition.is_some_and(|definition| match &definition.kind {
            Kind::Enum(kind, values) => !value_names(*kind, values).is_empty(),
            _ => false,
        });
        let is_owner = fact.is_some_and(|fact| {
            fact.is_pinned
                && fact.anchor.as_deref().is_none_or(|anchor| definition.is_some_and(|own| *own.name == *anchor))
        });
        let is_component = fact.is_some_and(|fact| fact.is_component);
        let name = definition.map(|definition| &*definition.name).unwrap_or_default();
        (!is_owner, !has_names, !is_component, words(name).len(), name.len(), name)
    })
}

/// The name of a type that programs do not know yet: the words that the names of all end in, if no other type has that name.
pub(super) fn common(types: &[Definition], members: &[usize], own: &Ident, scope: &mut Scope) -> Ident {
    let mut common = words(own);
    for definition in members.iter().filter_map(|index| types.get(*index)) {
        let other = words(&definition.name);
        let same = common.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
        common.drain(..common.len() - same);
    }
    let name = type_name(&common.join("_"));
    if !common.is_empty() && !is_vague(&common) && name != **own && scope.take(&name) {
        return Ident::new(&name).unwrap_or_else(|| own.clone());
    }
    own.clone()
}

/// The words of a name of Rust, without a number that told it from others.
pub(super) fn words(name: &str) -> Vec<String> {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).to_snake_case().split('_').map(str::to_owned).collect()
}

/// The thing that a name ends in: `Tag` of `CreateTagRequest`.
pub(super) fn thing(name: &str) -> String {
    let words = words(name);
    let last = words.iter().rev().find(|word| !VAGUE.contains(&word.as_str()));
    last.map_or_else(|| name.to_owned(), |word| singular(word))
}

/// Returns whether words name no thing.
fn is_vague(words: &[String]) -> bool {
    words.iter().all(|word| VAGUE.contains(&word.as_str()))
}
