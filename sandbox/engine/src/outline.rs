//! The outline of a schema: its types, members and elements, behind references and compositions. It is a view for the inference and
//! for projections; validity is the concern of `schema`.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indexmap::IndexMap;
use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::contract::{SchemaRef, at, escape};

/// Compositions and references that lie deeper are not looked at.
const MOST_LEVELS: usize = 24;

/// More members than any schema has.
const MOST_MEMBERS: usize = 4_000;

#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) schema: SchemaRef,
    pub(crate) required: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// The names of the types that the schema allows, `null` apart. Empty if it says nothing.
    pub(crate) types: Vec<String>,
    pub(crate) members: IndexMap<String, Member>,
    pub(crate) items: Option<SchemaRef>,
    /// The schema describes further members, or allows them expressly.
    pub(crate) is_open: bool,
    pub(crate) format: Option<String>,
    pub(crate) has_choices: bool,
    /// The pointer of the last reference before the schema: two schemas with one identity are the same.
    pub(crate) identity: Option<String>,
}

/// Outlines that are kept have so many members together at most: schemas of a contract can share all of theirs.
const MOST_KEPT: usize = 400_000;

/// The outlines of the schemas of a document, each read once.
#[derive(Debug)]
pub(crate) struct Outlines {
    document: Arc<Value>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    outlines: HashMap<Arc<str>, Arc<Outline>>,
    members: usize,
}

impl Outlines {
    pub(crate) fn new(document: &Arc<Value>) -> Self {
        Self { document: Arc::clone(document), known: Mutex::default() }
    }

    pub(crate) fn get(&self, schema: &SchemaRef) -> Arc<Outline> {
        let read = || Arc::new(Outline::read(&self.document, schema));
        let SchemaRef::Pointer(pointer) = schema else { return read() };
        if let Some(known) = self.known().outlines.get(pointer) {
            return Arc::clone(known);
        }
        let outline = read();
        let mut known = self.known();
        known.members += 1 + outline.members.len();
        if known.members > MOST_KEPT {
            *known = Known::default();
        }
        known.outlines.insert(Arc::clone(pointer), Arc::clone(&outline));
        outline
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Outline {
    fn read(document: &Value, schema: &SchemaRef) -> Self {
        let mut reader = Reader { document, shape: Self::default(), required: HashSet::new(), seen: HashSet::new() };
        match schema {
            SchemaRef::Pointer(pointer) => reader.add(pointer, Part::Whole, 0),
            SchemaRef::Inline(schema) => reader.add_value(schema, None, Part::Whole, 0),
        }
        let Reader { mut shape, required, .. } = reader;
        for (name, member) in &mut shape.members {
            member.required = required.contains(name);
        }
        shape
    }

    pub(crate) fn is_object(&self) -> bool {
        self.allows("object") || (self.types.is_empty() && !self.members.is_empty())
    }

    pub(crate) fn is_array(&self) -> bool {
        self.allows("array") || (self.types.is_empty() && self.items.is_some())
    }

    pub(crate) fn is_scalar(&self) -> bool {
        !self.is_object() && !self.is_array() && !self.types.is_empty()
    }

    pub(crate) fn allows(&self, name: &str) -> bool {
        self.types.iter().any(|allowed| allowed == name)
    }
}

/// The part of the schema that a subschema is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All of it, behind references.
    Whole,
    /// One of several that apply together.
    Fragment,
    /// One of several of which some apply: its required members are not required.
    Choice,
}

struct Reader<'d> {
    document: &'d Value,
    shape: Outline,
    required: HashSet<String>,
    seen: HashSet<String>,
}

impl<'d> Reader<'d> {
    fn add(&mut self, pointer: &str, part: Part, level: usize) {
        if let Some(value) = at(self.document, pointer) {
            self.add_at(pointer, value, part, level);
        }
    }

    fn add_at(&mut self, pointer: &str, value: &Value, part: Part, level: usize) {
        if level <= MOST_LEVELS && self.seen.insert(pointer.to_owned()) {
            self.add_value(value, Some(pointer), part, level);
        }
    }

    fn add_value(&mut self, value: &Value, pointer: Option<&str>, part: Part, level: usize) {
        let Some(schema) = value.as_object() else { return };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target =
                target.strip_prefix('#').map(|target| percent_decode_str(target).decode_utf8_lossy().into_owned());
            if let Some(target) = target {
                if part == Part::Whole {
                    self.shape.identity = Some(target.clone());
                }
                self.add(&target, part, level + 1);
            }
        }
        let child = |key: &str| {
            let token = format!("/{key}");
            match pointer {
                Some(pointer) => SchemaRef::pointer(format!("{pointer}{token}")),
                None => SchemaRef::Inline(Arc::new(value.pointer(&token).cloned().unwrap_or_default())),
            }
        };
        let types = match schema.get("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        for name in types.into_iter().filter(|name| *name != "null") {
            if !self.shape.allows(name) {
                self.shape.types.push(name.to_owned());
            }
        }
        if let Some(format) = schema.get("format").and_then(Value::as_str) {
            self.shape.format.get_or_insert_with(|| format.to_owned());
        }
        for name in schema.get("properties").and_then(Value::as_object).into_iter().flat_map(|members| members.keys()) {
            if self.shape.members.len() < MOST_MEMBERS && !self.shape.members.contains_key(name) {
                let schema = child(&format!("properties/{}", escape(name)));
                self.shape.members.insert(name.clone(), Member { schema, required: false });
            }
        }
        if part != Part::Choice {
            let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            self.required.extend(names.filter_map(|name| name.as_str().map(str::to_owned)));
        }
        if schema.contains_key("items") && self.shape.items.is_none() {
            self.shape.items = Some(child("items"));
        }
        match schema.get("additionalProperties") {
            None | Some(Value::Bool(false)) => {}
            Some(_) => self.shape.is_open = true,
        }
        for keyword in ["allOf", "oneOf", "anyOf"] {
            let branches = schema.get(keyword).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let is_null = |branch: &Value| branch.get("type").and_then(Value::as_str) == Some("null");
            let count = branches.iter().filter(|branch| !is_null(branch)).count();
            self.shape.has_choices |= keyword != "allOf" && count > 1;
            for (index, branch) in branches.iter().enumerate().filter(|(_, branch)| !is_null(branch)) {
                let part = match (keyword, count, part) {
                    (_, _, Part::Choice) => Part::Choice,
                    (_, 1, part) => part,
                    ("allOf", _, _) => Part::Fragment,
                    _ => Part::Choice,
                };
                match pointer {
                    Some(pointer) => self.add_at(&format!("{pointer}/{keyword}/{index}"), branch, part, level + 1),
                    None if level < MOST_LEVELS => self.add_value(branch, None, part, level + 1),
                    None => {}
                }
            }
        }
    }
}
