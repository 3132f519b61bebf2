//! One schema with all schemas that it reaches, as a document of its own.

use std::collections::{HashMap, HashSet};

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value, json};

use super::convert::{Converter, Targets};
use super::in_place::{IN_PLACE, IN_PLACE_LISTS};
use super::kinds::Kinds;
use super::{Direction, Spelling};
use crate::contract::{Dialect, SchemaRef};

/// The name of the first definition: the schema itself.
const ROOT: &str = "0";

/// Subschemas of one schema that are looked at for its types.
const MOST_LOOKS: u32 = 2_000;

/// References in a row without a step into the value. Real contracts have less than ten.
const LONGEST_CHAIN: usize = 64;

/// Definitions that apply to one value at most, each counted as often as it is referred to. Real contracts have some hundreds.
const MOST_IN_PLACE: usize = 10_000;

pub(super) struct Bundle {
    /// `$ref` to the first of `$defs`. The names of the definitions are their indexes in `pointers`.
    pub(super) document: Value,
    /// The JSON pointers of the definitions in the contract. Empty for a schema that the reader made.
    pub(super) pointers: Vec<String>,
    pub(super) direction: Direction,
    /// True if a definition has members that are no part of this direction.
    pub(super) hides: bool,
    /// The spellings of texts outside of JSON.
    pub(super) spelling: Option<Spelling>,
}

impl Bundle {
    pub(super) fn new(document: &Value, dialect: Dialect, direction: Direction, schema: &SchemaRef) -> Self {
        let mut reached = Reached { document, names: HashMap::new(), pointers: Vec::new(), queue: Vec::new() };
        let missing = json!({});
        match schema {
            SchemaRef::Pointer(pointer) => {
                reached.name(pointer.to_string(), false);
            }
            SchemaRef::Inline(_) => reached.pointers.push(String::new()),
        }
        let mut definitions: Vec<(String, Value)> = Vec::new();
        if let SchemaRef::Inline(schema) = schema {
            let converted = Converter { dialect, direction, targets: &mut reached }.schema(schema, false);
            definitions.push((ROOT.to_owned(), converted));
        }
        while let Some((name, pointer, is_open)) = reached.queue.pop() {
            let raw = document.pointer(&pointer).unwrap_or(&missing);
            let converted = Converter { dialect, direction, targets: &mut reached }.schema(raw, is_open);
            definitions.push((name, converted));
        }
        let mut definitions: HashMap<String, Value> = definitions.into_iter().collect();
        cut_circles(&mut definitions, reached.pointers.len());
        let sorted: Map<String, Value> = (0..reached.pointers.len())
            .map(|index| index.to_string())
            .map(|name| (name.clone(), definitions.remove(&name).unwrap_or_else(|| json!({}))))
            .collect();
        let hides = sorted.values().any(|schema| has_hidden(schema, direction.hidden()));
        let document = json!({ "$ref": format!("#/$defs/{ROOT}"), "$defs": sorted });
        Self { document, pointers: reached.pointers, direction, hides, spelling: None }
    }

    pub(super) fn root(&self) -> &Value {
        self.definition(ROOT).unwrap_or(&Value::Null)
    }

    pub(super) fn definition(&self, name: &str) -> Option<&Value> {
        self.document.get("$defs")?.get(name)
    }

    /// The JSON pointer of a definition. A schema that occurs in an `allOf` and elsewhere has two definitions.
    pub(super) fn pointer(&self, name: &str) -> Option<&str> {
        self.pointers.get(name.parse::<usize>().ok()?).map(String::as_str)
    }

    /// The definition that a `$ref` of this document names, with its name.
    pub(super) fn target<'s>(&'s self, schema: &'s Value) -> Option<(&'s str, &'s Value)> {
        let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
        Some((name, self.definition(name)?))
    }

    /// The types that a schema allows by its keywords and by those of its alternatives.
    pub(super) fn kinds(&self, schema: &Value) -> Kinds {
        let mut looks = 0;
        self.look(schema, &mut looks)
    }

    fn look(&self, schema: &Value, looks: &mut u32) -> Kinds {
        *looks += 1;
        let Value::Object(keywords) = schema else {
            return if *schema == Value::Bool(false) { Kinds::NONE } else { Kinds::ANY };
        };
        if *looks > MOST_LOOKS {
            return Kinds::ANY;
        }
        let mut kinds = Kinds::of_keywords(keywords);
        if let Some((_, target)) = self.target(schema) {
            kinds = kinds.and(self.look(target, looks));
        }
        for part in keywords.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            kinds = kinds.and(self.look(part, looks));
        }
        for name in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = keywords.get(name) {
                let union = branches.iter().map(|branch| self.look(branch, looks)).fold(Kinds::NONE, Kinds::or);
                kinds = kinds.and(union);
            }
        }
        kinds
    }
}

struct Reached<'d> {
    document: &'d Value,
    names: HashMap<(String, bool), String>,
    pointers: Vec<String>,
    queue: Vec<(String, String, bool)>,
}

impl Reached<'_> {
    fn pointer(&self, reference: &str) -> Option<String> {
        let pointer = percent_decode_str(reference.strip_prefix('#')?).decode_utf8().ok()?;
        self.document.pointer(&pointer)?;
        Some(pointer.into_owned())
    }

    fn name(&mut self, pointer: String, is_open: bool) -> String {
        if let Some(name) = self.names.get(&(pointer.clone(), is_open)) {
            return name.clone();
        }
        let name = self.pointers.len().to_string();
        self.pointers.push(pointer.clone());
        self.queue.push((name.clone(), pointer.clone(), is_open));
        self.names.insert((pointer, is_open), name.clone());
        name
    }
}

impl Targets for Reached<'_> {
    fn target(&mut self, reference: &str, is_open: bool) -> Option<String> {
        let pointer = self.pointer(reference)?;
        Some(self.name(pointer, is_open))
    }

    fn value(&self, reference: &str) -> Option<&Value> {
        self.document.pointer(&self.pointer(reference)?)
    }
}

/// True if the keyword occurs anywhere in the schema. A member of that name counts as well: it only costs time.
fn has_hidden(schema: &Value, keyword: &str) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(name, value)| name == keyword || has_hidden(value, keyword)),
        Value::Array(items) => items.iter().any(|item| has_hidden(item, keyword)),
        _ => false,
    }
}

/// Removes the references that lead back to their own schema without a step into the value. A validator would follow them without
/// an end, and they say nothing. The same holds for the end of a chain of [`LONGEST_CHAIN`] references, which would need too much stack, and
/// of parts that double at each level: a schema that applies [`MOST_IN_PLACE`] definitions to one value.
fn cut_circles(definitions: &mut HashMap<String, Value>, count: usize) {
    let mut edges: HashMap<String, Vec<String>> = HashMap::new();
    for (name, schema) in &mut *definitions {
        let mut targets = Vec::new();
        in_place(schema, &mut |schema| {
            if let Some(target) =
                schema.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix("#/$defs/"))
            {
                targets.push(target.to_owned());
            }
        });
        edges.insert(name.clone(), targets);
    }
    // The longest chain that begins at a definition, and the definitions that apply with it.
    let mut finished: HashMap<&str, (usize, usize)> = HashMap::new();
    let mut back: HashSet<(&str, &str)> = HashSet::new();
    for start in (0..count).map(|index| index.to_string()) {
        let Some((start, _)) = edges.get_key_value(&start) else { continue };
        if finished.contains_key(start.as_str()) {
            continue;
        }
        let mut path: Vec<(&str, usize)> = vec![(start, 0)];
        let mut on_path: HashSet<&str> = HashSet::from([start.as_str()]);
        while let Some((name, next)) = path.last_mut() {
            let name = *name;
            let Some(target) = edges.get(name).and_then(|targets| targets.get(*next)) else {
                let targets = edges.get(name).into_iter().flatten();
                let below = |target: &String| finished.get(target.as_str()).copied().unwrap_or((0, 1));
                let mut longest = targets.clone().map(|target| below(target).0 + 1).max().unwrap_or(0);
                let mut count = targets.clone().map(|target| below(target).1).fold(1, usize::saturating_add);
                if longest > LONGEST_CHAIN || count > MOST_IN_PLACE {
                    back.extend(targets.map(|target| (name, target.as_str())));
                    (longest, count) = (0, 1);
                }
                finished.insert(name, (longest, count));
                on_path.remove(name);
                path.pop();
                continue;
            };
            *next += 1;
            if on_path.contains(target.as_str()) {
                back.insert((name, target));
            } else if !finished.contains_key(target.as_str()) {
                on_path.insert(target);
                path.push((target, 0));
            }
        }
    }
    for (name, target) in back {
        let reference = format!("#/$defs/{target}");
        if let Some(schema) = definitions.get_mut(name) {
            in_place(schema, &mut |schema| {
                if schema.get("$ref").is_some_and(|other| *other == reference) {
                    schema.remove("$ref");
                }
            });
        }
    }
}

/// Visits a schema and its subschemas that apply to the same value.
fn in_place(schema: &mut Value, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    let Value::Object(schema) = schema else { return };
    visit(schema);
    for name in IN_PLACE_LISTS {
        if let Some(Value::Array(list)) = schema.get_mut(name) {
            list.iter_mut().for_each(|schema| in_place(schema, visit));
        }
    }
    for name in IN_PLACE {
        if let Some(schema) = schema.get_mut(name) {
            in_place(schema, visit);
        }
    }
    if let Some(Value::Object(members)) = schema.get_mut("dependentSchemas") {
        members.values_mut().for_each(|schema| in_place(schema, visit));
    }
}
