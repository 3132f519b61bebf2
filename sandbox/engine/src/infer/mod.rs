//! The inference: each operation of a contract gets a role, with the reasons for it. A pure function of the contract.

mod answer;
mod collections;
mod condition;
mod corrected;
mod envelope;
mod identifier;
mod names;
mod pages;
mod roles;
mod tagged;

use std::collections::HashSet;
use std::fmt;

use serde_json::Value;

use crate::behaviour::Behaviour;
use crate::contract::{Contract, SchemaRef, Segment};
use crate::error::{Error, printable};
use crate::outline::Outlines;

pub(crate) use answer::{is_json, json, success};
pub(crate) use condition::{Condition, FixedAnswer, RequestPart, Work};
pub(crate) use envelope::ELEMENT;
pub(crate) use identifier::is_identifying;
pub(crate) use names::{BACK, COUNT, MORE, NEXT, PAGES, TOTAL, is_one, plain, singular};
pub(crate) use pages::Pages;

/// The roles of all operations, in the order of the contract.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) operations: Vec<Planned>,
    pub(crate) collections: Vec<Collection>,
    pub(crate) outlines: Outlines,
}

/// The role of one operation.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) role: Role,
    /// Index into [`Plan::collections`].
    pub(crate) collection: Option<usize>,
    /// The members that lead from the answer to the item, or to the elements of the list. Empty if the answer is the item or the
    /// array itself.
    pub(crate) within: Vec<String>,
    /// The members that lead from the body of the request to the item.
    pub(crate) within_body: Vec<String>,
    pub(crate) pages: Pages,
    /// The collection of the last item that the path goes through, behind the operation's own item.
    pub(crate) owner: Option<usize>,
    /// The answer is the item, also of an action on it.
    pub(crate) answers_with_item: bool,
    pub(crate) reason: String,
    /// Statuses under conditions, of the behaviour file.
    pub(crate) answers: Vec<FixedAnswer>,
    /// The work that the operation begins.
    pub(crate) work: Option<Work>,
    /// Its answers have the tag of their item: the contract mentions conditional requests for it.
    pub(crate) has_tag: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    List,
    Search,
    Count,
    Create,
    Read,
    Replace,
    Patch,
    Delete,
    /// Deletes all items of a collection.
    Clear,
    /// An action on one item.
    Act,
    /// A value that exists once for its path: `/me`, `/config/host`, `/projects/{id}/settings`.
    SingleRead,
    SingleReplace,
    SinglePatch,
    SingleDelete,
    /// A read of a value that no operation writes.
    Computed,
    Upload,
    Download,
    Other,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::List => "list",
            Self::Search => "search",
            Self::Count => "count",
            Self::Create => "create",
            Self::Read => "read",
            Self::Replace => "replace",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::Clear => "delete all",
            Self::Act => "act on an item",
            Self::SingleRead => "read a singleton",
            Self::SingleReplace => "replace a singleton",
            Self::SinglePatch => "patch a singleton",
            Self::SingleDelete => "reset a singleton",
            Self::Computed => "computed read",
            Self::Upload => "upload",
            Self::Download => "download",
            Self::Other => "other",
        })
    }
}

/// Items of one kind, below the same path.
#[derive(Clone, Debug)]
pub(crate) struct Collection {
    /// The last literal segment of its path.
    pub(crate) name: String,
    /// The template of its path.
    pub(crate) path: String,
    /// The names of the path parameters before the items.
    pub(crate) parents: Vec<String>,
    /// The path parameter that identifies an item.
    pub(crate) parameter: Option<Key>,
    /// The member of an item that holds its identifier.
    pub(crate) identifier: Option<String>,
    /// The schema of an item as an answer has it.
    pub(crate) item: Option<SchemaRef>,
    /// The identity of that schema: two collections with one identity have items of one kind.
    pub(crate) identity: Option<String>,
    /// A list or a create names the identifiers, so a program can know them: others are unknown.
    pub(crate) is_listed: bool,
    /// A read at the path of an item answers with a file.
    pub(crate) reads_files: bool,
    /// The paths that end with the identifier of an item: the places of its file.
    pub(crate) item_paths: Vec<Vec<Segment>>,
    /// The items are texts or numbers, which are their own identifiers.
    pub(crate) holds_scalars: bool,
    pub(crate) has_create: bool,
    /// A program can know the identifiers from lists and creates. Others do not exist.
    pub(crate) names_identifiers: bool,
    /// The collection whose items have this collection below them.
    pub(crate) owner: Option<usize>,
    /// Members whose values no two items share.
    pub(crate) unique: Vec<String>,
    /// The items that it begins with, instead of two that are made up.
    pub(crate) seeds: Option<Vec<corrected::Seed>>,
    /// The work of its items, which each read takes a state further.
    pub(crate) works: Vec<Work>,
}

impl Collection {
    /// Returns whether the item holds its identifier as a number.
    pub(crate) fn is_numeric(&self, outlines: &Outlines) -> bool {
        let shape = self.item.as_ref().map(|item| outlines.get(item)).unwrap_or_default();
        let member = self.identifier.as_ref().and_then(|name| shape.members.get(name));
        let shape = member.map(|member| outlines.get(&member.schema)).unwrap_or_default();
        (shape.allows("integer") || shape.allows("number")) && !shape.allows("string")
    }
}

/// The path parameter of an item.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) schema: SchemaRef,
    /// The plain names that other operations give it.
    pub(crate) other_names: Vec<String>,
    /// A value that the contract gives as an example.
    pub(crate) example: Option<Value>,
}

/// Infers the roles of contracts, corrected by the behaviour file.
pub(crate) fn plans(contracts: &[Contract], behaviour: &Behaviour) -> Result<Vec<Plan>, Error> {
    let mut used = HashSet::new();
    let plans = contracts.iter().map(|contract| plan(contract, behaviour, &mut used)).collect::<Result<_, _>>()?;
    behaviour.all_used(&used)?;
    Ok(plans)
}

fn plan(contract: &Contract, behaviour: &Behaviour, used: &mut HashSet<usize>) -> Result<Plan, Error> {
    let outlines = Outlines::new(&contract.document);
    let (mut collections, places) = collections::collect(contract, &outlines);
    let sources = roles::Sources { contract, outlines: &outlines, places: &places };
    let mut corrector = corrected::Corrector { sources, behaviour, used };
    corrector.collections(&mut collections)?;
    let mut operations = roles::assign(sources, &collections);
    corrector.operations(&mut operations, &mut collections)?;
    mark_item_paths(contract, &operations, &mut collections);
    tagged::mark(contract, &mut operations);
    Ok(Plan { operations, collections, outlines })
}

/// Gives each collection the paths of its items, and marks those whose items are read as files there.
fn mark_item_paths(contract: &Contract, operations: &[Planned], collections: &mut [Collection]) {
    const AT_ITEM: [Role; 5] = [Role::Read, Role::Download, Role::Replace, Role::Patch, Role::Delete];
    for (operation, planned) in contract.operations.iter().zip(operations) {
        let is_at_item = operation.segments.last().is_some_and(|last| last.parameters().next().is_some());
        if AT_ITEM.contains(&planned.role)
            && is_at_item
            && let Some(collection) = planned.collection.and_then(|index| collections.get_mut(index))
        {
            collection.reads_files |= planned.role == Role::Download;
            if !collection.item_paths.contains(&operation.segments) {
                collection.item_paths.push(operation.segments.clone());
            }
        }
    }
}

/// The plan as a table: operation, role, reason.
pub(crate) fn explain(contract: &Contract, plan: &Plan) -> String {
    let name = |index: usize| {
        contract.operations.get(index).map(|operation| format!("{} {}", operation.method, operation.template))
    };
    let rows: Vec<(String, String, &str)> = plan
        .operations
        .iter()
        .enumerate()
        .filter_map(|(index, planned)| {
            let role = match planned.collection.and_then(|index| plan.collections.get(index)) {
                Some(collection) => format!("{}: {}", planned.role, collection.name),
                None => planned.role.to_string(),
            };
            Some((name(index)?, role, planned.reason.as_str()))
        })
        .collect();
    let width = |texts: &mut dyn Iterator<Item = usize>, most: usize| texts.max().unwrap_or(0).min(most);
    let first = width(&mut rows.iter().map(|row| row.0.chars().count()), 60);
    let second = width(&mut rows.iter().map(|row| row.1.chars().count()), 40);
    let mut text = format!("{:<first$}  {:<second$}  why\n", "operation", "taken for");
    for (operation, role, reason) in &rows {
        let row = format!("{operation:<first$}  {role:<second$}  {reason}");
        text.extend(row.chars().map(printable).chain(['\n']));
    }
    text
}

#[cfg(test)]
mod tests;
