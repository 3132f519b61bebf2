//! The role of each operation.

use http::Method;

use super::answer::{is_file, is_json, schema, success};
use super::collections::{Place, Places, is_list, is_word, owner};
use super::envelope::{elements, item};
use super::{Collection, Pages, Planned, Role, identifier};
use crate::contract::{Content, Contract, Location, Operation, SchemaRef};
use crate::outline::{Outline, Outlines};

const COUNTS: &[&str] = &["count", "counts", "total"];
const SEARCHES: &[&str] = &["search", "query", "find", "filter", "lookup"];
const UPLOADS: &[&str] = &["upload", "import"];

/// The parts of a plan that roles are read from.
#[derive(Clone, Copy)]
pub(super) struct Sources<'c> {
    pub(super) contract: &'c Contract,
    pub(super) outlines: &'c Outlines,
    pub(super) places: &'c Places,
}

impl<'c> Sources<'c> {
    fn assigner(self, collections: &'c [Collection], index: usize) -> Option<Assigner<'c>> {
        let Self { contract, outlines, places } = self;
        let (operation, place) = (contract.operations.get(index)?, places.places.get(index)?);
        Some(Assigner { contract, outlines, collections, places, index, operation, place })
    }
}

pub(super) fn assign(sources: Sources<'_>, collections: &[Collection]) -> Vec<Planned> {
    let indices = 0..sources.contract.operations.len();
    indices.filter_map(|index| Some(sources.assigner(collections, index)?.planned())).collect()
}

/// The plan of an operation whose role is known. `None` if it is to answer with a list, and has none.
pub(super) fn corrected(
    sources: Sources<'_>,
    collections: &[Collection],
    index: usize,
    role: Role,
    collection: Option<usize>,
    reason: &str,
) -> Option<Planned> {
    let assigner = sources.assigner(collections, index)?;
    let listed = collection.filter(|_| [Role::List, Role::Search].contains(&role));
    let planned = match listed.and_then(|index| Some((index, collections.get(index)?))) {
        Some((index, known)) => {
            let shape = known.item.as_ref().map(|schema| sources.outlines.get(schema));
            assigner.list(index, known, &shape.unwrap_or_default(), role)?
        }
        None => assigner.planned_as(role, collection, reason),
    };
    Some(Planned { reason: reason.to_owned(), ..planned })
}

struct Assigner<'c> {
    contract: &'c Contract,
    outlines: &'c Outlines,
    collections: &'c [Collection],
    places: &'c Places,
    index: usize,
    operation: &'c Operation,
    place: &'c Place,
}

impl Assigner<'_> {
    fn planned(&self) -> Planned {
        let method = &self.operation.method;
        let collection = |path: &[String]| self.places.collections.get(path).copied();
        if let Some((path, parameter)) = &self.place.key
            && let Some(index) = collection(path)
            && !is_list(self.contract, self.outlines, &self.places.places, &self.places.by_path, self.index)
        {
            return self.of_item(index, parameter);
        }
        if let Some(index) = collection(&self.place.path)
            && !self.searches(index)
            && let Some(planned) = self.of_collection(index)
        {
            return planned;
        }
        match *method {
            Method::GET | Method::HEAD => self.read(),
            _ => self.write(),
        }
    }

    fn planned_as(&self, role: Role, collection: Option<usize>, reason: impl Into<String>) -> Planned {
        let (mut within, mut within_body, mut answers_with_item) = (Vec::new(), Vec::new(), false);
        if let Some(collection) = collection.and_then(|index| self.collections.get(index)) {
            let is_item = self.is_item(collection);
            if let Some(answer) = self.answer() {
                let (way, schema) = item(self.outlines, &answer, &collection.name, &is_item);
                let identity = self.outlines.get(&schema).identity.clone();
                (within, answers_with_item) = (way, identity.is_some() && identity == collection.identity);
            }
            // The body of a request often has no identifier. It is wrapped the same way as an answer.
            within_body = self.body().map(|schema| self.same_way(&schema, &within)).unwrap_or_default();
        }
        let before = self.place.path.split_last().map_or(&[][..], |(_, before)| before);
        Planned {
            owner: owner(&self.places.collections, self.collections, before, &self.place.names),
            pages: Pages::default(),
            answers: Vec::new(),
            work: None,
            has_tag: false,
            reason: reason.into(),
            answers_with_item,
            collection,
            within,
            within_body,
            role,
        }
    }

    fn answer(&self) -> Option<SchemaRef> {
        let preferred: &[u16] = if self.operation.method == Method::POST { &[201, 200] } else { &[200, 201] };
        schema(self.operation, preferred)
    }

    fn body(&self) -> Option<SchemaRef> {
        let content = &self.operation.body.as_ref()?.content;
        content.iter().find(|content| is_json(&content.media_type)).or(content.first())?.schema.clone()
    }

    /// The way through a body, if it is wrapped like the answer or in a member of such a name alone.
    fn same_way(&self, body: &SchemaRef, within: &[String]) -> Vec<String> {
        let shape = self.outlines.get(body);
        let Some((member, declared)) = shape.members.first().filter(|_| shape.members.len() == 1) else {
            return Vec::new();
        };
        let is_object = self.outlines.get(&declared.schema).is_object();
        let is_wrapper = within.first() == Some(member) || super::names::is_one(member, super::names::WRAPPERS);
        if is_object && is_wrapper { vec![member.clone()] } else { Vec::new() }
    }

    fn is_item<'s>(&'s self, collection: &'s Collection) -> impl Fn(&Outline) -> bool + 's {
        let identity = collection.identity.clone();
        move |shape: &Outline| {
            let has_identifier = || match (&collection.parameter, &collection.identifier) {
                (_, Some(member)) if shape.members.contains_key(member) => true,
                (Some(key), _) => {
                    identifier::member(self.outlines, shape, &key.name, &key.schema, &collection.name).is_some()
                }
                _ => false,
            };
            (identity.is_some() && shape.identity == identity) || has_identifier()
        }
    }

    fn of_item(&self, index: usize, parameter: &str) -> Planned {
        let method = &self.operation.method;
        let Some(collection) = self.collections.get(index) else { return self.write() };
        let siblings = self.places.by_path.get(&self.place.path).map_or(&[][..], Vec::as_slice);
        let has = |wanted: Method| {
            siblings
                .iter()
                .any(|index| self.contract.operations.get(*index).is_some_and(|other| other.method == wanted))
        };
        let key = match &collection.identifier {
            Some(member) => format!("`{parameter}` is the item's member `{member}`"),
            None => format!("`{parameter}` is in no member of the item"),
        };
        let role = match *method {
            Method::GET if is_file(self.operation, self.outlines) || self.is_written_text(siblings) => Role::Download,
            Method::GET | Method::HEAD => {
                let is_written = has(Method::PUT) || has(Method::PATCH) || has(Method::POST) || has(Method::DELETE);
                if !collection.is_listed && !collection.has_create && !is_written {
                    let reason =
                        format!("read by `{parameter}`, and no operation lists, creates or changes such items");
                    return self.planned_as(Role::Computed, None, reason);
                }
                Role::Read
            }
            Method::PUT => Role::Replace,
            Method::PATCH => Role::Patch,
            Method::DELETE => Role::Delete,
            Method::POST if !has(Method::PUT) && !has(Method::PATCH) && self.body().is_some() => Role::Patch,
            _ => Role::Act,
        };
        self.planned_as(role, Some(index), format!("{method} of an item of {}; {key}", collection.path))
    }

    /// The operations of a collection's own path. `None` if the operation has nothing to do with its items.
    fn of_collection(&self, index: usize) -> Option<Planned> {
        let collection = self.collections.get(index)?;
        let shape = collection.item.as_ref().map(|schema| self.outlines.get(schema)).unwrap_or_default();
        match self.operation.method {
            Method::GET | Method::HEAD => self.list(index, collection, &shape, Role::List).or_else(|| {
                let identity = self.outlines.get(&self.answer()?).identity.clone();
                let reason = format!("answers with the one item of {}", collection.path);
                let is_item = identity.is_some() && identity == shape.identity;
                is_item.then(|| self.planned_as(Role::SingleRead, Some(index), reason))
            }),
            Method::POST if !collection.has_create => None,
            Method::POST => {
                let reason = format!("POST to the path of {}", self.kind(collection));
                Some(self.planned_as(Role::Create, Some(index), reason))
            }
            // The key is in the body: `PUT /pet`.
            Method::PUT | Method::PATCH => {
                let body = self.outlines.get(&self.body()?);
                let member = collection.identifier.as_ref().filter(|_| collection.parameter.is_some())?;
                if !body.is_object() || !body.members.contains_key(member) {
                    return None;
                }
                let role = if self.operation.method == Method::PUT { Role::Replace } else { Role::Patch };
                let reason = format!("the body names the item of {} in `{member}`", collection.path);
                Some(self.planned_as(role, Some(index), reason))
            }
            Method::DELETE => {
                let is_selective =
                    self.operation.parameters.iter().any(|parameter| parameter.location == Location::Query);
                if is_selective || self.operation.body.is_some() {
                    return None;
                }
                Some(self.planned_as(
                    Role::Clear,
                    Some(index),
                    format!("DELETE of the whole path of {}", self.kind(collection)),
                ))
            }
            _ => None,
        }
    }

    /// Returns whether a list is a search in the collection one segment before: `/pets/findByStatus`, `/movie/lookup`.
    fn searches(&self, index: usize) -> bool {
        let Some(collection) = self.collections.get(index) else { return false };
        let before = self.place.path.split_last().and_then(|(_, path)| self.places.collections.get(path));
        let owner = before.and_then(|index| self.collections.get(*index)).filter(|owner| owner.parameter.is_some());
        let is_same = owner.is_some_and(|owner| owner.identity.is_some() && owner.identity == collection.identity);
        collection.parameter.is_none() && !collection.has_create && is_same && self.operation.method == Method::GET
    }

    fn kind(&self, collection: &Collection) -> &'static str {
        if collection.parameter.is_some() { "a collection with items" } else { "a list" }
    }

    fn list(&self, index: usize, collection: &Collection, shape: &Outline, role: Role) -> Option<Planned> {
        let elements = elements(self.outlines, &self.answer()?, &collection.name, shape.identity.as_deref())?;
        if !elements.is_certain && collection.parameter.is_none() {
            return None;
        }
        let pages = Pages::read(self.operation, Some(shape));
        let form = match elements.within.join(".") {
            within if within.is_empty() => "an array".to_owned(),
            within => format!("an array in `{within}`"),
        };
        let described = pages.describe();
        let described = if described.is_empty() { described } else { format!("; {described}") };
        let reason = format!("answers with {form} of {}{described}", collection.name);
        Some(Planned { within: elements.within, pages, ..self.planned_as(role, Some(index), reason) })
    }

    /// Returns whether a read answers with the text that a PUT at its path takes.
    fn is_written_text(&self, siblings: &[usize]) -> bool {
        let is_text = |content: &Content| content.media_type.starts_with("text/") && !is_json(&content.media_type);
        let all = siblings.iter().filter_map(|index| self.contract.operations.get(*index));
        let put = all.filter(|other| other.method == Method::PUT).find_map(|put| put.body.as_ref());
        let answer = success(self.operation, &[200]).map(|(_, response)| &response.content);
        let are_texts = |contents: &Vec<Content>| !contents.is_empty() && contents.iter().all(is_text);
        answer.is_some_and(are_texts) && put.is_some_and(|body| are_texts(&body.content))
    }

    /// The collection with items of a kind, or the one whose path begins the operation's.
    fn related(&self, identity: Option<&str>) -> Option<usize> {
        let same = |collection: &Collection| {
            identity.is_some() && collection.identity.as_deref() == identity && collection.parents.is_empty()
        };
        let before = self.place.path.split_last().map(|(_, path)| path);
        let own = before.and_then(|path| self.places.collections.get(path)).copied();
        let is_same = |index: &usize| self.collections.get(*index).is_some_and(&same);
        own.filter(|index| is_same(index) || identity.is_none())
            .or_else(|| self.collections.iter().position(|collection| collection.is_listed && same(collection)))
    }

    fn read(&self) -> Planned {
        if is_file(self.operation, self.outlines) {
            return self.planned_as(Role::Download, None, "answers with a file");
        }
        let answer = self.answer();
        if is_word(&self.place.path, COUNTS)
            && let Some(index) = self.related(None)
        {
            return self.planned_as(Role::Count, Some(index), "the last word of the path is a count");
        }
        let found_list = answer.as_ref().and_then(|schema| elements(self.outlines, schema, "", None));
        if let Some(list) = found_list.filter(|list| list.is_certain || is_word(&self.place.path, SEARCHES))
            && let Some(index) = self.related(list.identity.as_deref())
            && let Some(collection) = self.collections.get(index)
        {
            let shape = collection.item.as_ref().map(|schema| self.outlines.get(schema)).unwrap_or_default();
            if let Some(planned) = self.list(index, collection, &shape, Role::Search) {
                return planned;
            }
        }
        let siblings = self.places.by_path.get(&self.place.path).map_or(&[][..], Vec::as_slice);
        let is_written = siblings.iter().any(|index| {
            let method = self.contract.operations.get(*index).map(|operation| &operation.method);
            method.is_some_and(|method| [Method::PUT, Method::PATCH, Method::POST, Method::DELETE].contains(method))
        });
        if is_written {
            return self.planned_as(Role::SingleRead, None, "one value at this path, which other operations change");
        }
        self.planned_as(Role::Computed, None, "one value at this path, and no operation changes it")
    }

    fn write(&self) -> Planned {
        let siblings = self.places.by_path.get(&self.place.path).map_or(&[][..], Vec::as_slice);
        let is_read = siblings
            .iter()
            .any(|index| self.contract.operations.get(*index).is_some_and(|other| other.method == Method::GET));
        let is_keyed = self.place.key.is_some();
        let single = match self.operation.method {
            Method::PUT => Some(Role::SingleReplace),
            Method::PATCH | Method::POST => Some(Role::SinglePatch),
            Method::DELETE => Some(Role::SingleDelete),
            _ => None,
        };
        if let Some(role) = single.filter(|_| is_read && !is_keyed) {
            return self.planned_as(role, None, "changes the one value at this path");
        }
        if is_word(&self.place.path, SEARCHES) && self.operation.method == Method::POST {
            let list = self.answer().and_then(|schema| elements(self.outlines, &schema, "", None));
            if let Some(index) = list.and_then(|list| self.related(list.identity.as_deref()))
                && let Some(collection) = self.collections.get(index)
            {
                let shape = collection.item.as_ref().map(|schema| self.outlines.get(schema)).unwrap_or_default();
                if let Some(planned) = self.list(index, collection, &shape, Role::Search) {
                    return planned;
                }
            }
        }
        let takes_file = self.operation.body.as_ref().is_some_and(|body| {
            body.content
                .iter()
                .all(|content| !is_json(&content.media_type) && !content.media_type.contains("urlencoded"))
        });
        if takes_file || is_word(&self.place.path, UPLOADS) {
            return self.planned_as(Role::Upload, None, "takes a file");
        }
        // `POST /projects/{id}/archive`
        let before = self.place.path.split_last().map_or(&[][..], |(_, before)| before);
        let owner = owner(&self.places.collections, self.collections, before, &self.place.names);
        if let Some((index, collection)) = owner.and_then(|index| Some((index, self.collections.get(index)?))) {
            return self.planned_as(Role::Act, Some(index), format!("below an item of {}", collection.path));
        }
        self.planned_as(Role::Other, None, "no collection, item or value of the contract has its path")
    }
}
