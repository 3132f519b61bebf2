//! Names of types: the thing that they end in, and the name of a shared one.

use std::collections::BTreeSet;

use super::Fact;
use super::form::value_names;
use crate::model::{Definition, Kind, Uses};
use crate::naming::Scope;
use crate::naming::case::snake;
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

/// Verbs that names of operations begin with.
const CALLS: &[&str] =
    &["add", "create", "delete", "fetch", "get", "list", "patch", "post", "put", "query", "replace", "set", "update"];

/// Words in the middle of the name of a place.
const PLACES: &[&str] = &["item", "request", "response", "value", "variant"];

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
        let is_pinned = fact.is_some_and(|fact| fact.is_pinned);
        (!is_owner, !is_pinned, !has_names, !is_component, words(name).len(), name.len(), name)
    })
}

/// The name of a type that programs do not know yet: the words that the names of all end in, else the names of its members, if the
/// contract gives it none. No other type has that name.
pub(super) fn common(types: &[Definition], facts: &[Fact], members: &[usize], own: &Ident, scope: &mut Scope) -> Ident {
    let is_named = members.iter().any(|index| facts.get(*index).is_some_and(|fact| fact.is_component));
    let all = || members.iter().filter_map(|index| types.get(*index));
    let uses = all().fold(Uses::default(), |uses, own| Uses {
        request: uses.request || own.reach.request,
        response: uses.response || own.reach.response,
    });
    // A type that is sent and returned is neither a request nor a response, and no operation's.
    let stem = |name: &str| {
        let mut words = words(name);
        if !is_named && uses == Uses::BOTH {
            words.pop_if(|last| matches!(last.as_str(), "request" | "response"));
            if words.len() > 1 && words.first().is_some_and(|first| CALLS.contains(&first.as_str())) {
                words.remove(0);
            }
        }
        words
    };
    let mut common = stem(own);
    let stem_of_own = type_name(&common.join("_"));
    for definition in all() {
        let other = stem(&definition.name);
        let same = common.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
        common.drain(..common.len() - same);
    }
    if are_errors(types, facts, members) {
        common.drain(..common.len().saturating_sub(1));
    }
    let name = type_name(&common.join("_"));
    if are_errors(types, facts, members) && name != **own {
        return scope.claim([name.as_str()]);
    }
    let after_members = all().next().filter(|_| !is_named).and_then(|first| from_members(first, uses));
    // `Emails` says more than `UserRequest`, which is what the names of two operations end in.
    let is_place = common.last().is_some_and(|last| VAGUE.contains(&last.as_str())) && after_members.is_some();
    let is_telling = is_error(&common) || !is_vague(&common) && !is_place;
    // `Title` of `OpenIssueRequestTitle` and `ChangeTicketRequestTitle`: the rest of a place says nothing.
    let rest = common.iter().take_while(|word| PLACES.contains(&word.as_str())).count();
    let short = common
        .get(rest..)
        .filter(|short| rest > 0 && !is_named && !is_vague(short))
        .map(|short| type_name(&short.join("_")));
    let chosen = if is_telling { vec![short, Some(name)] } else { vec![after_members] };
    let chosen = chosen.into_iter().flatten().find(|name| *name != **own && scope.take(name));
    match chosen.and_then(|name| Ident::new(&name)) {
        Some(name) => name,
        None if stem(own) == words(own) => own.clone(),
        None => scope.claim([stem_of_own.as_str()]),
    }
}

/// Returns whether a type stands for errors that are about several things: it is called after none of them, as no error is another name
/// of another one.
pub(super) fn are_errors(types: &[Definition], facts: &[Fact], members: &[usize]) -> bool {
    let names: BTreeSet<_> = members.iter().filter_map(|index| Some(words(&types.get(*index)?.name))).collect();
    let is_named = members.iter().any(|index| facts.get(*index).is_some_and(|fact| fact.is_component));
    is_named && names.len() > 1 && names.iter().all(|words| is_error(words))
}

/// Returns whether a type is called after its members if it is inline and shared.
pub(super) fn has_few_members(definition: &Definition) -> bool {
    matches!(&definition.kind, Kind::Struct(fields, None) if (1..=2).contains(&fields.len()))
}

/// The name of a struct with one member or two after these: `Labels`, `NameAndValue`, and `DataResponse` where they say nothing.
fn from_members(definition: &Definition, uses: Uses) -> Option<String> {
    let Kind::Struct(fields, _) = &definition.kind else { return None };
    let mut names: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
    names.sort_unstable();
    let is_vague = names.iter().all(|name| is_vague(&words(name)));
    let end = match uses {
        _ if !has_few_members(definition) => return None,
        _ if !is_vague => "",
        Uses { request: true, response: false } => "_request",
        Uses { request: false, response: true } => "_response",
        _ => return None,
    };
    Some(type_name(&(names.join("_and_") + end)))
}

/// The words of a name of Rust, without a number that told it from others.
pub(super) fn words(name: &str) -> Vec<String> {
    snake(name.trim_end_matches(|c: char| c.is_ascii_digit())).split('_').map(str::to_owned).collect()
}

/// The thing that a name ends in: `Tag` of `CreateTagRequest`. Errors are one thing, whatever they are about, but for one that programs
/// know as itself.
pub(super) fn thing(name: &str, is_known: bool) -> String {
    let mut words = words(name);
    if is_error(&words) {
        return if is_known { words.join("_") } else { words.pop().unwrap_or_default() };
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
