//! Operations that the service accepts and completes later, and that another operation of the contract shows.

use std::collections::{BTreeMap, BTreeSet};

use super::words::{CANCELLED, FAILED, PENDING, STATE, SUCCEEDED, is_one, plain};
use super::{page, writable};
use crate::bind::{check_operation, pages};
use crate::model::{Content, Document, EnumKind, Field, Kind, Model, Operation, StatusKey, Type, TypeId};
use crate::output::{SuggestedOperation, Suggestions};
use crate::pointer;
use crate::{AsyncOperation, StateMap, WatchOperation};

/// Entries for the operations that are completed later and have none.
pub(super) fn suggest(model: &Model, documents: &[Document], bound: &BTreeSet<usize>, suggestions: &mut Suggestions) {
    let shelf = Shelf::new(model.operations.iter().filter_map(|operation| watchable(model, operation)).collect());
    let mut names = BTreeSet::new();
    for (index, operation) in model.operations.iter().enumerate() {
        let document = documents.iter().find(|document| document.name == operation.document);
        let Some(sign) = sign(document, operation) else { continue };
        suggestions.long_running += 1;
        if bound.contains(&index) {
            continue;
        }
        let name = format!("{}.{}", operation.family, operation.name);
        let mut outcome = entry(model, operation, &shelf);
        if let Ok(entry) = &mut outcome {
            entry.0.name = binding_name(operation, &mut names);
        }
        let checked = outcome.and_then(|(entry, reason)| {
            let states = &entry.states;
            let lists = [&states.pending, &states.succeeded, &states.failed, &states.cancelled];
            writable([&entry.submit, &entry.identifier, &entry.state].into_iter().chain(lists.into_iter().flatten()))?;
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
fn sign(document: Option<&Document>, operation: &Operation) -> Option<&'static str> {
    let is_marked =
        document.and_then(|document| document.published.member(&operation.pointer, "x-ms-long-running-operation"));
    if is_marked.and_then(|mark| mark.as_bool()) == Some(true) {
        return Some("`x-ms-long-running-operation` says that it is completed later");
    }
    let accepts = operation.statuses.iter().any(|status| status.status == StatusKey::Code(202));
    (operation.method != "GET" && operation.method != "HEAD" && accepts)
        .then_some("202 says that it is completed later")
}

/// An operation that shows a resource with a state.
struct Watchable<'m> {
    operation: &'m Operation,
    /// The path without its last segment, and the parameter in that.
    collection: &'m str,
    parameter: &'m str,
    /// The parameters of the collection, and the name of what it has, without separators.
    parameters: Vec<&'m str>,
    subject: String,
    answer: &'m Type,
    state: String,
    states: StateMap,
}

/// The operations that show a resource, by what an operation that one of them shows has in common with it: in a large
/// contract, most have nothing.
struct Shelf<'m> {
    all: Vec<Watchable<'m>>,
    by_collection: BTreeMap<&'m str, Vec<usize>>,
    by_identifier: BTreeMap<String, Vec<usize>>,
}

impl<'m> Shelf<'m> {
    fn new(all: Vec<Watchable<'m>>) -> Self {
        let (mut by_collection, mut by_identifier) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for (index, one) in all.iter().enumerate() {
            by_collection.entry(one.collection).or_default().push(index);
            by_identifier.entry(format!("{}id", one.subject.trim_end_matches('s'))).or_default().push(index);
            by_identifier.entry(plain(one.parameter)).or_default().push(index);
        }
        Self { all, by_collection, by_identifier }
    }

    /// Those that lie below an operation, or that a member of its result may identify, in the order of the contract.
    fn near(&self, operation: &Operation, members: &[Field]) -> impl Iterator<Item = &Watchable<'m>> {
        let below = self.by_collection.get(operation.path.trim_end_matches('/'));
        // `id` says nothing about the resource: `identifier` does not take it for a name.
        let names = members.iter().map(|field| plain(&field.wire)).filter(|name| !GENERAL.contains(&name.as_str()));
        let named = names.filter_map(|name| self.by_identifier.get(&name));
        let indices: BTreeSet<usize> = below.into_iter().chain(named).flatten().copied().collect();
        indices.into_iter().filter_map(|index| self.all.get(index))
    }
}

/// Names of the identifiers of all resources.
const GENERAL: [&str; 7] = ["id", "sid", "guid", "uuid", "key", "name", "code"];

fn watchable<'m>(model: &'m Model, operation: &'m Operation) -> Option<Watchable<'m>> {
    if operation.method != "GET" {
        return None;
    }
    let (collection, last) = operation.path.rsplit_once('/')?;
    let parameter = last.strip_prefix('{')?.strip_suffix('}')?;
    let answer = pages(model, operation).next()?;
    let own = page::members(model, answer).iter().map(|field| (String::new(), field));
    // Azure has its states in `properties`.
    let within = page::members(model, answer).iter().filter(|field| plain(&field.wire) == "properties");
    let within = within.flat_map(|outer| {
        let place = pointer::join("", &outer.wire);
        page::members(model, &outer.ty).iter().map(move |field| (place.clone(), field))
    });
    let named = |field: &Field| STATE.iter().position(|word| plain(&field.wire) == *word);
    let mut members: Vec<(usize, String, StateMap)> = own
        .chain(within)
        .filter_map(|(place, field)| {
            Some((named(field)?, pointer::join(&place, &field.wire), meanings(model, &field.ty)?))
        })
        .collect();
    members.sort_by_key(|(rank, ..)| *rank);
    let (_, state, states) = members.into_iter().next()?;
    let subject = plain(collection.rsplit('/').next().unwrap_or_default());
    let parameters = parameters(collection);
    Some(Watchable { operation, collection, parameter, parameters, subject, answer, state, states })
}

/// The meanings of the values of an enumeration, if each has one, and there is one for a success and one on the way.
fn meanings(model: &Model, ty: &Type) -> Option<StateMap> {
    let Type::Named(id) = page::bare(model, ty) else { return None };
    let Kind::Enum(EnumKind::String, values) = &model.definition(*id).kind else { return None };
    let mut states = StateMap::default();
    for (value, _) in values {
        let lists = [
            (SUCCEEDED, &mut states.succeeded),
            (FAILED, &mut states.failed),
            (CANCELLED, &mut states.cancelled),
            (PENDING, &mut states.pending),
        ];
        let list = lists.into_iter().find(|(words, _)| is_one(value, words))?;
        list.1.push(value.clone());
    }
    (!states.succeeded.is_empty() && !states.pending.is_empty()).then_some(states)
}

/// The entry without its name, with the reasons.
fn entry(model: &Model, operation: &Operation, shelf: &Shelf<'_>) -> Result<(AsyncOperation, String), String> {
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
    let entry = AsyncOperation {
        name: String::new(),
        submit: format!("{} {}", operation.method, operation.target()),
        identifier: identifier.clone(),
        query: None,
        watch: Some(WatchOperation { operation: target, parameter: watch.parameter.to_owned() }),
        subscription: None,
        variable: "id".to_owned(),
        state: watch.state.clone(),
        pushed_state: None,
        idempotency: None,
        states: watch.states.clone(),
        events: None,
        cancel: None,
    };
    Ok((entry, reason))
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
    let has = |wish: &str| members.iter().filter(value).find(|field| plain(&field.wire) == wish);
    let named = has(&format!("{singular}id")).or_else(|| has(&parameter).filter(|_| !is_general));
    let field = named.or_else(|| has(&parameter)).or_else(|| has("id"))?;
    Some((pointer::join("", &field.wire), named.is_some()))
}

fn parameters(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
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
