//! Names of types: the thing that they end in, and the name of a shared one.

use heck::ToSnakeCase as _;

use super::Fact;
use super::form::value_names;
use crate::model::{Definition, Kind, Reach};
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
    "create",
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
    "mini",
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
    "summary",
    "update",
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

/// The name of a type that programs do not know yet: the words that the names of all end in, else the names of its members, if the
/// contract gives it none. No other type has that name.
pub(super) fn common(types: &[Definition], facts: &[Fact], members: &[usize], own: &Ident, scope: &mut Scope) -> Ident {
    let mut common = words(own);
    for definition in members.iter().filter_map(|index| types.get(*index)) {
        let other = words(&definition.name);
        let same = common.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
        common.drain(..common.len() - same);
    }
    let name = type_name(&common.join("_"));
    let mut take = |name: &str| scope.take(name).then(|| Ident::new(name)).flatten();
    let is_named = members.iter().any(|index| facts.get(*index).is_some_and(|fact| fact.is_component));
    let first = members.first().filter(|_| !is_named).and_then(|first| types.get(*first));
    let from_members = first.and_then(from_members);
    // `Emails` says more than `UserRequest`, which is what the names of two operations end in.
    let is_place = common.last().is_some_and(|last| VAGUE.contains(&last.as_str())) && from_members.is_some();
    if is_error(&common) || !is_vague(&common) && !is_place {
        return if name == **own { None } else { take(&name) }.unwrap_or_else(|| own.clone());
    }
    from_members.and_then(|name| take(&name)).unwrap_or_else(|| own.clone())
}

/// The name of a struct with one member or two after these: `Labels`, `NameAndValue`, and `DataResponse` where they say nothing.
pub(super) fn from_members(definition: &Definition) -> Option<String> {
    let Kind::Struct(fields, None) = &definition.kind else { return None };
    let mut names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
    names.sort_unstable();
    if !(1..=2).contains(&names.len()) {
        return None;
    }
    let is_vague = names.iter().all(|name| is_vague(&words(name)));
    let end = match definition.reach {
        _ if !is_vague => "",
        Reach { request: true, response: false, .. } => "_request",
        Reach { request: false, response: true, .. } => "_response",
        _ => return None,
    };
    Some(type_name(&(names.join("_and_") + end)))
}

/// The words of a name of Rust, without a number that told it from others.
pub(super) fn words(name: &str) -> Vec<String> {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).to_snake_case().split('_').map(str::to_owned).collect()
}

/// The thing that a name ends in: `Tag` of `CreateTagRequest`. Errors are one thing, whatever they are about.
pub(super) fn thing(name: &str) -> String {
    let mut words = words(name);
    if is_error(&words) {
        return words.pop().unwrap_or_default();
    }
    let last = words.iter().rev().find(|word| !VAGUE.contains(&word.as_str()));
    last.map_or_else(|| name.to_owned(), |word| singular(word))
}

fn is_error(words: &[String]) -> bool {
    words.last().is_some_and(|last| matches!(last.as_str(), "error" | "exception" | "fault"))
}

/// Returns whether words name no thing.
fn is_vague(words: &[String]) -> bool {
    words.iter().all(|word| VAGUE.contains(&word.as_str()))
}
