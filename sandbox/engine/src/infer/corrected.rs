//! The entries of the behaviour file, applied to a plan. An entry that names what the contract does not have is an error.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};
use toml::Spanned;

use super::{Collection, Condition, FixedAnswer, Planned, RequestPart, Role, Work, roles};
use crate::behaviour::{Behaviour, OperationEntry, StatusEntry, WorkEntry, json};
use crate::contract::{Location, Operation, SchemaRef, Status, unescape};
use crate::error::Error;
use crate::fit::Fitter;
use crate::outline::Outline;
use crate::schema::Schemas;

/// Roles by their names in the file.
const ROLES: [(&str, Role); 18] = [
    ("list", Role::List),
    ("search", Role::Search),
    ("count", Role::Count),
    ("create", Role::Create),
    ("read", Role::Read),
    ("replace", Role::Replace),
    ("patch", Role::Patch),
    ("delete", Role::Delete),
    ("delete-all", Role::Clear),
    ("act", Role::Act),
    ("read-singleton", Role::SingleRead),
    ("replace-singleton", Role::SingleReplace),
    ("patch-singleton", Role::SinglePatch),
    ("reset-singleton", Role::SingleDelete),
    ("computed", Role::Computed),
    ("upload", Role::Upload),
    ("download", Role::Download),
    ("other", Role::Other),
];

/// The last role that belongs to a collection, in the order of the roles.
const LAST_OF_COLLECTIONS: Role = Role::Act;

pub(super) struct Corrector<'c> {
    pub(super) sources: roles::Sources<'c>,
    pub(super) behaviour: &'c Behaviour,
    /// Places of the entries that name something of a contract.
    pub(super) used: &'c mut HashSet<usize>,
}

impl Corrector<'_> {
    fn operation(&mut self, name: &Spanned<String>) -> Option<(usize, Operation)> {
        let (method, path) = name.get_ref().trim().split_once(' ')?;
        let is_named = |operation: &&Operation| operation.method == method && operation.template == path.trim();
        let index = self.sources.contract.operations.iter().position(|operation| is_named(&operation))?;
        self.used.insert(name.span().start);
        Some((index, self.sources.contract.operations.get(index)?.clone()))
    }

    fn error<T>(&self, span: Range<usize>, key: &str, problem: &str) -> Result<T, Error> {
        Err(self.behaviour.error(span, key, problem))
    }

    fn members(&self, collection: &Collection) -> Arc<Outline> {
        let item = collection.item.as_ref();
        item.map(|item| self.sources.outlines.get(item)).unwrap_or_default()
    }

    /// A member that the items of a collection have.
    fn member(&self, collection: &Collection, key: &str, name: &Spanned<String>) -> Result<SchemaRef, Error> {
        match self.members(collection).members.get(name.get_ref()) {
            Some(member) => Ok(member.schema.clone()),
            None => {
                let problem =
                    format!("names {:?}, and the items of {} have no such member", name.get_ref(), collection.path);
                self.error(name.span(), key, &problem)
            }
        }
    }

    pub(super) fn collections(&mut self, collections: &mut [Collection]) -> Result<(), Error> {
        let schemas = Schemas::new(self.sources.contract);
        let fitter = Fitter { outlines: self.sources.outlines, schemas: &schemas };
        for entry in &self.behaviour.entries.collections {
            let Some(collection) = collections.iter_mut().find(|known| known.path == *entry.path.get_ref()) else {
                continue;
            };
            self.used.insert(entry.path.span().start);
            if let Some(identifier) = &entry.identifier {
                self.member(collection, "collection.identifier", identifier)?;
                collection.identifier = Some(identifier.get_ref().clone());
            }
            for name in &entry.unique {
                self.member(collection, "collection.unique", name)?;
                collection.unique.push(name.get_ref().clone());
            }
            let Some(seeds) = &entry.seeds else { continue };
            let mut members = Vec::new();
            for seed in seeds {
                let Value::Object(seed_members) = json(&toml::Value::Table(seed.get_ref().clone())) else { continue };
                let outline = self.members(collection);
                for (name, value) in &seed_members {
                    let problem = match outline.members.get(name) {
                        Some(member) => {
                            fitter.violation(&member.schema, value).map(|reason| format!("has {name:?}, {reason}"))
                        }
                        None if outline.is_open || outline.members.is_empty() => None,
                        None => Some(format!("has {name:?}, and the items of {} have no such member", collection.path)),
                    };
                    if let Some(problem) = problem {
                        return self.error(seed.span(), "collection.seeds", &problem);
                    }
                }
                members.push(seed_members);
            }
            collection.seeds = Some(members);
        }
        Ok(())
    }

    pub(super) fn operations(&mut self, planned: &mut [Planned], collections: &mut [Collection]) -> Result<(), Error> {
        let behaviour = self.behaviour;
        for entry in &behaviour.entries.operations {
            let Some((index, _)) = self.operation(&entry.operation) else { continue };
            let Some(inferred) = planned.get(index) else { continue };
            let corrected = self.role(entry, index, inferred, collections)?;
            if let Some(place) = planned.get_mut(index) {
                *place = corrected;
            }
        }
        for entry in &behaviour.entries.statuses {
            let Some((index, operation)) = self.operation(&entry.operation) else { continue };
            let answer = self.status(entry, &operation)?;
            if let Some(planned) = planned.get_mut(index) {
                let place = behaviour.place(&entry.operation.span());
                planned.reason.push_str(&format!("; {} ({place})", answer.describe()));
                planned.answers.push(answer);
            }
        }
        for entry in &behaviour.entries.works {
            let Some((index, _)) = self.operation(&entry.operation) else { continue };
            let Some(planned) = planned.get_mut(index) else { continue };
            let work = self.work(entry, planned, collections)?;
            let place = behaviour.place(&entry.operation.span());
            let pace = work.milliseconds.map(|milliseconds| format!(", {milliseconds} ms each")).unwrap_or_default();
            planned.reason.push_str(&format!(
                "; `{}` goes through {}{pace} ({place})",
                work.member,
                work.states.join(", ")
            ));
            if let Some(collection) = planned.collection.and_then(|index| collections.get_mut(index)) {
                collection.works.push(work.clone());
            }
            planned.work = Some(work);
        }
        for entry in &behaviour.entries.collections {
            let place = behaviour.place(&entry.path.span());
            for planned in planned.iter_mut() {
                let collection = planned.collection.and_then(|index| collections.get(index));
                if collection.is_none_or(|collection| collection.path != *entry.path.get_ref()) {
                    continue;
                }
                if planned.role == Role::List
                    && let Some(seeds) = &entry.seeds
                {
                    planned.reason.push_str(&format!("; begins with {} items ({place})", seeds.len()));
                }
                let unique: Vec<String> = entry.unique.iter().map(|name| format!("`{}`", name.get_ref())).collect();
                if [Role::Create, Role::Replace, Role::Patch].contains(&planned.role) && !unique.is_empty() {
                    planned.reason.push_str(&format!("; unique: {} ({place})", unique.join(", ")));
                }
            }
        }
        Ok(())
    }

    fn role(
        &self,
        entry: &OperationEntry,
        index: usize,
        inferred: &Planned,
        collections: &[Collection],
    ) -> Result<Planned, Error> {
        let known = ROLES.iter().find(|(name, _)| name == entry.role.get_ref());
        let Some((_, role)) = known else {
            let names: Vec<&str> = ROLES.iter().map(|(name, _)| *name).collect();
            let problem = format!("{:?} is not one of {}", entry.role.get_ref(), names.join(", "));
            return self.error(entry.role.span(), "operation.role", &problem);
        };
        let named = entry.collection.as_ref().map(|name| {
            let position = collections.iter().position(|collection| collection.path == *name.get_ref());
            let problem = format!("names {:?}, and the contract has no such collection", name.get_ref());
            position.map_or_else(|| self.error(name.span(), "operation.collection", &problem), Ok)
        });
        let collection = named.transpose()?.or(inferred.collection);
        if *role <= LAST_OF_COLLECTIONS && collection.is_none() {
            return self.error(entry.role.span(), "operation.role", "belongs to a collection: name it in `collection`");
        }
        let collection = collection.filter(|_| *role <= LAST_OF_COLLECTIONS || entry.collection.is_some());
        let reason = format!("{} says so", self.behaviour.place(&entry.operation.span()));
        let corrected = roles::corrected(self.sources, collections, index, *role, collection, &reason);
        corrected.map_or_else(
            || {
                self.error(
                    entry.role.span(),
                    "operation.role",
                    "is for an answer with a list, and the operation has none",
                )
            },
            Ok,
        )
    }

    fn status(&self, entry: &StatusEntry, operation: &Operation) -> Result<FixedAnswer, Error> {
        let status = *entry.status.get_ref();
        // A range or a default says too little of a success.
        let is_exact = || operation.responses.iter().any(|response| response.status == Status::Exact(status));
        let is_declared = if status < 400 { is_exact() } else { operation.declares(status) };
        if !(200..600).contains(&status) || !is_declared {
            let problem = format!("is {status}, and the operation declares no such response");
            return self.error(entry.status.span(), "status.status", &problem);
        }
        let parts = [
            (RequestPart::Path, "status.path", &entry.path),
            (RequestPart::Query, "status.query", &entry.query),
            (RequestPart::Header, "status.header", &entry.header),
            (RequestPart::Body, "status.body", &entry.body),
        ];
        let mut given = parts.into_iter().filter_map(|(part, key, name)| Some((part, key, name.as_ref()?)));
        let condition = given.next();
        if let Some((_, key, name)) = given.next() {
            return self.error(
                name.span(),
                key,
                "is a second condition: write one of `path`, `query`, `header`, `body`",
            );
        }
        let Some((part, key, name)) = condition else {
            return match &entry.equals {
                Some(value) => {
                    self.error(value.span(), "status.equals", "needs one of `path`, `query`, `header`, `body`")
                }
                None => Ok(FixedAnswer { status, condition: None }),
            };
        };
        let location = match part {
            RequestPart::Path => Some(Location::Path),
            RequestPart::Query => Some(Location::Query),
            RequestPart::Header => Some(Location::Header),
            RequestPart::Body => None,
        };
        let is_declared = match location {
            Some(location) => operation
                .parameters
                .iter()
                .any(|parameter| parameter.location == location && parameter.name.eq_ignore_ascii_case(name.get_ref())),
            None => self.has_place(operation, name.get_ref()),
        };
        if !is_declared {
            let problem = format!("names {:?}, which the operation does not declare", name.get_ref());
            return self.error(name.span(), key, &problem);
        }
        let equals = entry.equals.as_ref().map(|value| json(value.get_ref()));
        Ok(FixedAnswer { status, condition: Some(Condition { part, name: name.get_ref().clone(), equals }) })
    }

    /// Returns whether the body of an operation can have a value at a pointer.
    fn has_place(&self, operation: &Operation, pointer: &str) -> bool {
        let contents = operation.body.iter().flat_map(|body| &body.content);
        contents.filter_map(|content| content.schema.as_ref()).any(|schema| {
            let mut schema = schema.clone();
            for name in pointer.split('/').skip(1) {
                let outline = self.sources.outlines.get(&schema);
                let member = outline.members.get(&unescape(name));
                let inner = member.map(|member| &member.schema).or(outline.items.as_ref());
                match inner {
                    Some(inner) => schema = inner.clone(),
                    None => return outline.is_open,
                }
            }
            pointer.is_empty() || pointer.starts_with('/')
        })
    }

    fn work(&self, entry: &WorkEntry, planned: &Planned, collections: &[Collection]) -> Result<Work, Error> {
        let collection = planned.collection.and_then(|index| collections.get(index));
        let begins = [Role::Create, Role::Replace, Role::Patch, Role::Act].contains(&planned.role);
        let Some(collection) = collection.filter(|_| begins) else {
            let problem = format!(
                "names an operation that was taken for {:?}: work begins with the role create, replace, patch or act",
                planned.role.to_string()
            );
            return self.error(entry.operation.span(), "work.operation", &problem);
        };
        let schema = self.member(collection, "work.member", &entry.member)?;
        let schemas = Schemas::new(self.sources.contract);
        let fitter = Fitter { outlines: self.sources.outlines, schemas: &schemas };
        let states = entry.states.get_ref();
        let wrong =
            states.iter().find_map(|state| Some((state, fitter.violation(&schema, &Value::from(state.as_str()))?)));
        if let Some((state, reason)) = wrong {
            return self.error(entry.states.span(), "work.states", &format!("has {state:?}, {reason}"));
        }
        if states.is_empty() {
            return self.error(entry.states.span(), "work.states", "is empty");
        }
        let milliseconds = entry.milliseconds.as_ref().map(|milliseconds| *milliseconds.get_ref());
        if let Some((0, milliseconds)) = milliseconds.zip(entry.milliseconds.as_ref()) {
            return self.error(
                milliseconds.span(),
                "work.milliseconds",
                "is 0: leave it out, or write how long each state lasts",
            );
        }
        Ok(Work { member: entry.member.get_ref().clone(), states: states.clone(), milliseconds })
    }
}

/// Members of an item that the sandbox begins with.
pub(crate) type Seed = Map<String, Value>;
