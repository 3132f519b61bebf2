//! Operations that the service accepts and completes later, and that another operation of the contract shows.

use std::collections::BTreeSet;

use super::address::{self, AddressHeader};
use super::keys::Keys;
use super::spelling::{is_word, plain};
use super::watchable::{GENERAL, Shelf, Watchable, parameters};
use super::{page, writable};
use crate::bind::{check_operation, pages};
use crate::model::{Content, Document, Field, Model, Operation, StatusKey, Type, TypeId};
use crate::output::{SuggestedOperation, Suggestions};
use crate::pointer;
use crate::{AsyncOperation, WatchOperation};

/// Entries for the operations that are completed later and have none.
pub(super) fn suggest(model: &Model, documents: &[Document], bound: &BTreeSet<usize>, suggestions: &mut Suggestions) {
    let shelf = Shelf::new(model);
    let (mut names, keys) = (BTreeSet::new(), Keys::new(model));
    for (index, operation) in model.operations.iter().enumerate() {
        let document = documents.iter().find(|document| document.name == operation.document);
        let header = address::header(document, operation);
        let Some(sign) = sign(document, operation, header.as_ref()) else { continue };
        suggestions.long_running += 1;
        if bound.contains(&index) {
            continue;
        }
        let name = format!("{}.{}", operation.family, operation.name);
        let mut outcome = entry(model, operation, &shelf, &keys).or_else(|reason| match &header {
            Some(header) => by_address(operation, header, &shelf, &keys),
            None => Err(reason),
        });
        if let Ok(entry) = &mut outcome {
            entry.0.name = binding_name(operation, &mut names);
            entry.0.submit = keys.key(operation);
        }
        let checked = outcome.and_then(|(entry, reason)| {
            let states = &entry.states;
            let lists = [&states.pending, &states.succeeded, &states.failed, &states.cancelled];
            let names = [&entry.submit, &entry.state].into_iter().chain(&entry.identifier);
            writable(names.chain(lists.into_iter().flatten()))?;
            check_operation(model, &entry, index)?;
            Ok((entry, reason))
        });
        match checked {
            Ok((entry, reason)) => {
                let reason = format!("{sign}; {reason}");
                suggestions.operations.push(SuggestedOperation { name, entry, reason });
            }
            Err(reason) => suggestions.without.push((name, format!("{sign}; {reason}"))),
        }
    }
}

/// The sign in the contract that an operation is completed later.
fn sign(document: Option<&Document>, operation: &Operation, header: Option<&AddressHeader>) -> Option<&'static str> {
    let is_marked =
        document.and_then(|document| document.published.member(&operation.pointer, "x-ms-long-running-operation"));
    if is_marked.and_then(|mark| mark.as_bool()) == Some(true) {
        return Some("`x-ms-long-running-operation` says that it is completed later");
    }
    let accepts = operation.statuses.iter().any(|status| status.status == StatusKey::Code(202));
    let is_change = operation.method != "GET" && operation.method != "HEAD";
    if is_change && accepts {
        return Some("202 says that it is completed later");
    }
    let is_told = header.is_some_and(|header| header.is_about_operations());
    (is_change && is_told).then_some("a header of its answer says that it is completed later")
}

/// The entry without its name, with the reasons.
fn entry(
    model: &Model,
    operation: &Operation,
    shelf: &Shelf<'_>,
    keys: &Keys,
) -> Result<(AsyncOperation, String), String> {
    let accepted =
        accepted(model, operation).ok_or("its accepted result is not JSON, so that nothing identifies it")?;
    let known = parameters(&operation.path);
    let fits =
        |one: &&Watchable<'_>| one.operation.family == operation.family || one.operation.document == operation.document;
    let mut candidates: Vec<(u8, &Watchable<'_>, String)> = shelf
        .near(operation, page::members(model, accepted))
        .filter(fits)
        .filter(|one| one.parameters.iter().all(|name| known.contains(name)))
        .filter_map(|one| {
            let (identifier, is_named) = identifier(model, accepted, one)?;
            let is_same = page::bare(model, accepted) == page::bare(model, one.answer)
                && matches!(page::bare(model, accepted), Type::Named(TypeId(_)));
            let is_below = one.collection == operation.path.trim_end_matches('/');
            // An identifier of any name says nothing, and a change that returns the changed resource is not a job.
            let rank = u8::from(is_same) + u8::from(is_below) + u8::from(is_named);
            (is_below || is_named).then_some((rank, one, identifier))
        })
        .collect();
    candidates.sort_by_key(|(rank, ..)| std::cmp::Reverse(*rank));
    let (rank, watch, identifier) =
        candidates.first().ok_or("no GET with the state of one resource fits its accepted result")?;
    if candidates.get(1).is_some_and(|(other, ..)| other == rank) {
        return Err("several operations can show it".to_owned());
    }
    let target = format!("GET {}", watch.operation.target());
    let reason = format!(
        "`{target}` shows the state at `{}`, whose values have usual names; `{identifier}` of the accepted result identifies it",
        watch.state
    );
    Ok((watched_by(watch, Some(identifier.clone()), None, keys), reason))
}

/// The entry for an operation whose address a header has, with the reasons.
fn by_address(
    operation: &Operation,
    header: &AddressHeader,
    shelf: &Shelf<'_>,
    keys: &Keys,
) -> Result<(AsyncOperation, String), String> {
    let watch = address::watch(operation, header, shelf)?;
    let reason = format!(
        "{}, the address of its state; `GET {}` shows a state at `{}`, whose values have usual names",
        header.reason,
        watch.operation.target(),
        watch.state
    );
    Ok((watched_by(watch, None, Some(header.name.clone()), keys), reason))
}

/// The entry without its name and its key.
fn watched_by(
    watch: &Watchable<'_>,
    identifier: Option<String>,
    header: Option<String>,
    keys: &Keys,
) -> AsyncOperation {
    let target = keys.key(watch.operation);
    AsyncOperation {
        name: String::new(),
        submit: String::new(),
        identifier,
        query: None,
        watch: Some(WatchOperation { operation: target, parameter: watch.parameter.to_owned(), header }),
        subscription: None,
        variable: "id".to_owned(),
        state: watch.state.clone(),
        pushed_state: None,
        idempotency: None,
        states: watch.states.clone(),
        events: None,
        cancel: None,
    }
}

/// The type of the accepted result.
fn accepted<'m>(model: &'m Model, operation: &'m Operation) -> Option<&'m Type> {
    let at_202 = operation.statuses.iter().find(|status| status.status == StatusKey::Code(202));
    let own = at_202.and_then(|status| match &status.content {
        Content::Json(ty) | Content::OptionalJson(ty) => Some(ty),
        _ => None,
    });
    own.or_else(|| pages(model, operation).next())
}

/// The pointer to the identifier of what an operation shows, and whether its name says so.
fn identifier(model: &Model, accepted: &Type, watchable: &Watchable<'_>) -> Option<(String, bool)> {
    let members = page::members(model, accepted);
    let value = |field: &&Field| page::is_text(model, &field.ty) || page::is_integer(model, &field.ty);
    let parameter = plain(watchable.parameter);
    let singular = watchable.subject.trim_end_matches('s');
    let is_general = GENERAL.contains(&parameter.as_str());
    let has = |wish: &str| members.iter().filter(value).find(|field| is_word(&field.wire, wish));
    let named = has(&format!("{singular}id")).or_else(|| has(&parameter).filter(|_| !is_general));
    let field = named.or_else(|| has(&parameter)).or_else(|| has("id"))?;
    Some((pointer::join("", &field.wire), named.is_some()))
}

/// A name in snake case that no other entry has.
fn binding_name(operation: &Operation, names: &mut BTreeSet<String>) -> String {
    let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let wish: String = format!("{}_{}", operation.family, operation.name).chars().filter(|c| plain(*c)).collect();
    let wish = wish.trim_start_matches(|letter: char| !letter.is_ascii_lowercase()).to_owned();
    let wish = if wish.is_empty() { "operation".to_owned() } else { wish };
    let mut numbers = (2..).map(|number: u32| format!("{wish}_{number}"));
    let name = if names.contains(&wish) { numbers.find(|name| !names.contains(name)) } else { None };
    let name = name.unwrap_or(wish);
    names.insert(name.clone());
    name
}
