//! Operations that show a resource with a state.

use std::collections::{BTreeMap, BTreeSet};

use super::page;
use super::spelling::{is_one, is_word, plain};
use super::words::{CANCELLED, FAILED, OPERATIONS, PENDING, PROCESSES, STATE, SUCCEEDED};
use crate::StateMap;
use crate::bind::pages;
use crate::model::{EnumKind, Field, Kind, Model, Operation, Type};
use crate::pointer;

/// An operation that shows a resource with a state.
pub(super) struct Watchable<'m> {
    pub(super) operation: &'m Operation,
    /// The path without its last segment, and the parameter in that.
    pub(super) collection: &'m str,
    pub(super) parameter: &'m str,
    /// The parameters of the collection, and the name of what it has, without separators.
    pub(super) parameters: Vec<&'m str>,
    pub(super) subject: String,
    pub(super) answer: &'m Type,
    pub(super) state: String,
    pub(super) states: StateMap,
}

impl Watchable<'_> {
    /// Returns whether its path says that it shows operations.
    pub(super) fn shows_operations(&self) -> bool {
        OPERATIONS.contains(&self.subject.as_str())
    }
}

/// The operations that show a resource, by what an operation that one of them shows has in common with it: in a large
/// contract, most have nothing.
pub(super) struct Shelf<'m> {
    all: Vec<Watchable<'m>>,
    by_collection: BTreeMap<&'m str, Vec<usize>>,
    by_identifier: BTreeMap<String, Vec<usize>>,
    /// Those that show operations by the names of their paths, by their document.
    of_operations: BTreeMap<&'m str, Vec<usize>>,
}

impl<'m> Shelf<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        let all: Vec<_> = model.operations.iter().filter_map(|operation| watchable(model, operation)).collect();
        let (mut by_collection, mut by_identifier) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        let mut of_operations = BTreeMap::<_, Vec<_>>::new();
        for (index, one) in all.iter().enumerate() {
            by_collection.entry(one.collection).or_default().push(index);
            by_identifier.entry(format!("{}id", one.subject.trim_end_matches('s'))).or_default().push(index);
            by_identifier.entry(plain(one.parameter)).or_default().push(index);
            if one.shows_operations() {
                of_operations.entry(one.operation.document.as_str()).or_default().push(index);
            }
        }
        Self { all, by_collection, by_identifier, of_operations }
    }

    /// Those that lie below an operation.
    pub(super) fn below(&self, operation: &Operation) -> impl Iterator<Item = &Watchable<'m>> {
        let below = self.by_collection.get(operation.path.trim_end_matches('/')).into_iter().flatten();
        below.filter_map(|index| self.all.get(*index)).filter(|one| one.operation.document == operation.document)
    }

    /// Those of a document that show operations; `None`: too many for an answer.
    pub(super) fn of_operations(&self, document: &str) -> Option<Vec<&Watchable<'m>>> {
        let all = self.of_operations.get(document).map(Vec::as_slice).unwrap_or_default();
        (all.len() <= MOST).then(|| all.iter().filter_map(|index| self.all.get(*index)).collect())
    }

    /// Those that lie below an operation, or that a member of its result may identify, in the order of the contract.
    pub(super) fn near(&self, operation: &Operation, members: &[Field]) -> impl Iterator<Item = &Watchable<'m>> {
        let below = self.by_collection.get(operation.path.trim_end_matches('/'));
        // `id` says nothing about the resource: `identifier` does not take it for a name.
        let names = members.iter().map(|field| plain(&field.wire)).filter(|name| !GENERAL.contains(&name.as_str()));
        let named = names.filter_map(|name| self.by_identifier.get(&name));
        let indices: BTreeSet<usize> = below.into_iter().chain(named).flatten().copied().collect();
        indices.into_iter().filter_map(|index| self.all.get(index))
    }
}

/// The most operations that are compared for one address.
const MOST: usize = 200;

/// Names of the identifiers of all resources.
pub(super) const GENERAL: [&str; 7] = ["id", "sid", "guid", "uuid", "key", "name", "code"];

fn watchable<'m>(model: &'m Model, operation: &'m Operation) -> Option<Watchable<'m>> {
    if operation.method != "GET" {
        return None;
    }
    let (collection, last) = operation.path.rsplit_once('/')?;
    let parameter = last.strip_prefix('{')?.strip_suffix('}')?;
    let answer = pages(model, operation).next()?;
    let own = page::members(model, answer).iter().map(|field| (String::new(), field));
    // Azure has its states in `properties`.
    let within = page::members(model, answer).iter().filter(|field| is_word(&field.wire, "properties"));
    let within = within.flat_map(|outer| {
        let place = pointer::join("", &outer.wire);
        page::members(model, &outer.ty).iter().map(move |field| (place.clone(), field))
    });
    let mut members: Vec<(usize, String, StateMap)> = own
        .chain(within)
        .filter_map(|(place, field)| {
            Some((state_rank(&field.wire)?, pointer::join(&place, &field.wire), meanings(model, &field.ty)?))
        })
        .collect();
    members.sort_by_key(|(rank, ..)| *rank);
    let (_, state, states) = members.into_iter().next()?;
    let subject = plain(collection.rsplit('/').next().unwrap_or_default());
    let parameters = parameters(collection);
    Some(Watchable { operation, collection, parameter, parameters, subject, answer, state, states })
}

/// The place of a member among those that can have the state, if its name says that it has one.
fn state_rank(member: &str) -> Option<usize> {
    let name = plain(member);
    let process = name.strip_suffix("status").or_else(|| name.strip_suffix("state"));
    let of_process = || process.filter(|process| PROCESSES.contains(process)).map(|_| STATE.len());
    STATE.iter().position(|word| name == *word).or_else(of_process)
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

/// The parameters of a path.
pub(super) fn parameters(path: &str) -> Vec<&str> {
    path.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}
