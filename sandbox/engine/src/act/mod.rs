//! The actions: a checked request changes or reads the state, as the role of its operation says.

mod conditional;
mod files;
mod items;
mod kept;
mod keys;
mod list;
mod members;
pub(crate) mod merge;
#[cfg_attr(not(feature = "graphql"), allow(dead_code, reason = "only GraphQL asks for a part"))]
mod part;
mod snapshot;
mod tags;
#[cfg(test)]
mod tests;
mod values;
mod work;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use driftless_sandbox_control::clock::Clock;
use http::Method;
use serde_json::{Map, Value};

use crate::contract::{Contract, Location, Operation, SchemaRef};
use crate::fit::Fitter;
use crate::infer::{Collection, Plan, Planned, Role};
use crate::request::Read;
use crate::schema::Schemas;
use crate::seed::mix;
use crate::state::{Full, Keeper, Owner, State, StoredFile};

pub(crate) use conditional::Preconditions;
pub(crate) use kept::{ChangeRefused, Kept};
#[cfg(feature = "graphql")]
pub(crate) use list::DEFAULT_LIMIT;
pub(crate) use list::Listed;
pub(crate) use part::{Extent, ListPart};
#[cfg(feature = "graphql")]
pub(crate) use part::{Filter, member};
pub(crate) use snapshot::Snapshot;
pub use snapshot::{SavedFile, SavedSingle};
pub(crate) use tags::tag;

/// A contract with its plan and its state.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) contract: Contract,
    pub(crate) plan: Plan,
    pub(crate) schemas: Schemas,
    pub(crate) seed: u64,
    state: Mutex<State>,
    /// Saves each change before its request is answered.
    keeper: Option<Box<dyn Keeper>>,
    /// Held by a request that writes, from its first look at the state to its last change: two patches at once lose nothing.
    writer: Mutex<()>,
    timers: work::Timers,
}

/// A checked request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'c> {
    pub(crate) operation: &'c Operation,
    pub(crate) planned: &'c Planned,
    /// Values of the path's parameters, in the order of the path.
    pub(crate) path: &'c [(String, String)],
    /// The path without the base path, encoded in one way: the place of values that exist once.
    pub(crate) place: &'c str,
    /// The path before it.
    pub(crate) base: &'c str,
    /// Scheme and authority of the server.
    pub(crate) origin: &'c str,
    pub(crate) media_type: &'c str,
    pub(crate) read: &'c Read,
    pub(crate) preconditions: &'c Preconditions,
    /// The part of a list that is asked for, however long its pages are.
    pub(crate) part: Option<&'c ListPart>,
}

/// The result of an action, before it gets the form of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Item {
        value: Arc<Value>,
        id: String,
        is_created: bool,
        is_invented: bool,
    },
    List(Listed),
    Count(usize),
    /// A value that exists once. `None` if nobody has written it: the answer is sampled around the parameters of the path.
    Value(Option<Arc<Value>>),
    /// No state stands behind the answer.
    Invented,
    File(Arc<StoredFile>),
    Unknown(String),
    Conflict(String),
    /// A condition of the request is not met.
    Failed(String),
    /// The client has the item already: the one with this tag.
    NotModified(String),
    Full,
    /// The change cannot be saved, for this reason.
    Unsaved(String),
}

impl From<Full> for Outcome {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

impl Engine {
    pub(crate) fn new(contract: Contract, plan: Plan, seed: u64) -> Self {
        let schemas = Schemas::new(&contract);
        let (state, keeper, writer) = (Mutex::default(), None, Mutex::default());
        let timers = work::Timers::default();
        let engine = Self { contract, plan, schemas, seed, state, keeper, writer, timers };
        engine.state().watch(engine.timed());
        engine
    }

    /// The engine with a clock that drives asynchronous work.
    pub(crate) fn with_clock(self, clock: Clock) -> Self {
        Self { timers: work::Timers::new(clock), ..self }
    }

    /// The engine with a saved state, whose changes are saved.
    pub(crate) fn with_saved(self, mut state: State, keeper: Box<dyn Keeper>) -> Self {
        state.note_changes();
        state.watch(self.timed());
        Self { state: Mutex::new(state), keeper: Some(keeper), ..self }
    }

    pub(crate) fn fitter(&self) -> Fitter<'_> {
        Fitter { outlines: &self.plan.outlines, schemas: &self.schemas }
    }

    /// The outcome of a request, with the value whose tag its answer has.
    pub(crate) fn act(&self, call: &Call<'_>) -> (Outcome, Option<Arc<Value>>) {
        let reads = [Method::GET, Method::HEAD].contains(&call.operation.method) && !self.goes_on(call);
        if !reads {
            let _writing = self.writing();
            let (outcome, tagged) = self.perform(call);
            return (self.saved(outcome), tagged);
        }
        let (outcome, tagged) = self.perform(call);
        // A read can show, or begin, what is not saved yet. Half of the changes of another request are never saved.
        if self.state().is_changed() {
            let _writing = self.writing();
            return (self.saved(outcome), tagged);
        }
        (outcome, tagged)
    }

    /// Keeps others from writing.
    pub(crate) fn writing(&self) -> MutexGuard<'_, ()> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn saved(&self, outcome: Outcome) -> Outcome {
        let Some(keeper) = &self.keeper else { return outcome };
        self.state().save(keeper.as_ref()).map_or_else(Outcome::Unsaved, |()| outcome)
    }

    fn perform(&self, call: &Call<'_>) -> (Outcome, Option<Arc<Value>>) {
        if let Some(unknown) = self.unknown_owner(call) {
            return (unknown, None);
        }
        let collection = call.planned.collection.and_then(|index| Some((index, self.plan.collections.get(index)?)));
        let role = call.planned.role;
        if let Some((index, collection)) = collection
            && let Err(full) = self.settle(&self.owner(call, index, collection), collection)
        {
            return (full.into(), None);
        }
        match self.unmet(call, collection) {
            Ok(None) => {}
            Ok(Some(failed)) => return (failed, None),
            Err(full) => return (full.into(), None),
        }
        let outcome = match (role, collection) {
            (Role::List | Role::Search, Some((index, collection))) => Ok(self.list(call, index, collection)),
            (Role::Count, Some((index, collection))) => Ok(self.count(call, index, collection)),
            (Role::Create, Some((index, collection))) => self.create(call, index, collection),
            (Role::Read, Some((index, collection))) => self.read(call, index, collection),
            (Role::Replace, Some((index, collection))) => self.replace(call, index, collection),
            (Role::Patch, Some((index, collection))) => self.patch(call, index, collection),
            (Role::Delete, Some((index, collection))) => Ok(self.delete(call, index, collection)),
            (Role::Clear, Some((index, collection))) => Ok(self.clear(call, index, collection)),
            (Role::Act, Some((index, collection))) => Ok(self.on_item(call, index, collection)),
            (Role::SingleRead, Some((index, collection))) => self.first(call, index, collection),
            (Role::SingleRead | Role::Computed, _) => Ok(Outcome::Value(self.state().value(call.place).cloned())),
            (Role::SingleReplace | Role::SinglePatch, _) => self.write_value(call),
            (Role::SingleDelete, _) => Ok(self.reset_value(call)),
            (Role::Upload, _) => self.upload(call),
            (Role::Download, Some((index, collection))) => self.file_of_item(call, index, collection),
            (Role::Download, None) => Ok(self.download(call)),
            _ => Ok(Outcome::Invented),
        };
        let outcome = self.conditional(call, self.worked(call, outcome.unwrap_or_else(Outcome::from)));
        // The next request can change the item before this one is answered. A delete has removed it.
        let has_tag = call.planned.has_tag && role != Role::Delete;
        let tagged = has_tag.then(|| self.tagged(call, &outcome)).flatten();
        // Timers of new states begin now.
        match collection.map(|(index, collection)| self.settle(&self.owner(call, index, collection), collection)) {
            Some(Err(full)) => (full.into(), None),
            _ => (outcome, tagged),
        }
    }

    /// A panic of another request leaves the state as it was between two changes.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The collection's items below the parents that the path names.
    fn owner(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Owner {
        (index, call.path.iter().take(collection.parents.len()).map(|(_, value)| value.clone()).collect())
    }

    /// The identifier in the path.
    fn id<'c>(&self, call: &Call<'c>, collection: &Collection) -> Option<&'c str> {
        call.path.get(collection.parents.len()).map(|(_, value)| value.as_str())
    }

    /// The answer to a path that goes through an item which does not exist.
    fn unknown_owner(&self, call: &Call<'_>) -> Option<Outcome> {
        let values: Vec<String> = call.path.iter().map(|(_, value)| value.clone()).collect();
        self.unknown_parent(call.planned.owner, &values).map(Outcome::Unknown)
    }

    /// The sentence about the item that does not exist: one of these collections, or of those above it, with the values of a path.
    fn unknown_parent(&self, mut next: Option<usize>, values: &[String]) -> Option<String> {
        while let Some((index, collection)) = next.and_then(|index| Some((index, self.plan.collections.get(index)?))) {
            let (parents, behind) = values.split_at_checked(collection.parents.len())?;
            let (owner, id) = ((index, parents.to_vec()), behind.first()?);
            if !self.is_known(&owner, collection, &self.canonical(&owner, collection, id)) {
                return Some(unknown(collection, id));
            }
            next = collection.owner;
        }
        None
    }

    /// Returns whether an item exists, or can exist: if no operation names the identifiers, a program has them from elsewhere.
    fn is_known(&self, owner: &Owner, collection: &Collection, id: &str) -> bool {
        self.begin(owner, collection);
        let state = self.state();
        let Some(instance) = state.instance(owner) else { return true };
        instance.item(id).is_some() || !collection.names_identifiers && !instance.is_removed(id)
    }

    fn seed_for(&self, owner: &Owner, collection: &Collection, id: &str) -> u64 {
        let mut parts = vec![collection.path.as_str(), id];
        parts.extend(owner.1.iter().map(String::as_str));
        mix(self.seed, &parts)
    }
}

fn unknown(collection: &Collection, id: &str) -> String {
    format!("no item of {} has the identifier {id:?}", collection.path)
}

/// The members of the path's parameters, with the values of the path, for members of the same names.
pub(crate) fn of_path(call: &Call<'_>) -> Map<String, Value> {
    let declared = call.operation.parameters.iter().filter(|parameter| parameter.location == Location::Path);
    declared
        .filter_map(|parameter| {
            let value = call.read.path.get(&parameter.name)?;
            Some((parameter.name.clone(), value.clone()))
        })
        .collect()
}

/// The schema of the body of a request, by its media type.
pub(crate) fn body_schema<'c>(call: &Call<'c>) -> Option<&'c SchemaRef> {
    let content = &call.operation.body.as_ref()?.content;
    crate::infer::json(content)?.schema.as_ref()
}
