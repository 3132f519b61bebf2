//! The operations that the fields of a schema stand for, by the names of types and fields. A pure function of schema and contracts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use apollo_compiler::Schema;
use apollo_compiler::ast::{FieldDefinition, OperationType, Type};
use apollo_compiler::schema::ObjectType;

use crate::contract::Operation;
use crate::infer::{Pages, Planned, Role, plain, singular};
use crate::serve::ServedContract;

const CREATES: &[&str] = &["create", "add", "new", "insert", "register"];
const CHANGES: &[&str] = &["update", "edit", "modify", "patch", "change", "replace", "save", "set"];
const DELETES: &[&str] = &["delete", "remove", "destroy"];

/// Endings of schemas that say no more than that they are schemas.
const ENDINGS: &[&str] = &["dto", "resource", "model", "response", "read", "view", "output"];

/// An operation of a contract.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) part: usize,
    operation: usize,
}

/// A type whose objects are the items of a collection.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    part: usize,
    collection: usize,
    /// The path parameter that identifies an item.
    pub(super) key: String,
    /// The member of an item that holds its identifier.
    pub(super) identifier: Option<String>,
    pub(super) list: Option<Way>,
    pub(super) read: Option<Way>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    List,
    Read,
    Create,
    Patch,
    /// The members that are not sent stay: the item is read before.
    Replace,
    Delete,
}

/// A field of a root type.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) action: Action,
    pub(super) way: Way,
    /// The name of the type of its items.
    pub(super) kind: String,
    /// The argument that identifies the item.
    pub(super) key: Option<String>,
}

#[derive(Debug)]
pub(super) struct FieldPlan {
    pub(super) kinds: BTreeMap<String, Kind>,
    pub(super) queries: BTreeMap<String, Field>,
    pub(super) mutations: BTreeMap<String, Field>,
}

impl Way {
    pub(super) fn operation<'p>(&self, parts: &'p [ServedContract]) -> Option<&'p Operation> {
        parts.get(self.part)?.engine.contract.operations.get(self.operation)
    }

    pub(super) fn planned<'p>(&self, parts: &'p [ServedContract]) -> Option<&'p Planned> {
        parts.get(self.part)?.engine.plan.operations.get(self.operation)
    }

    pub(super) fn pages(&self, parts: &[ServedContract]) -> Pages {
        self.planned(parts).map(|planned| planned.pages.clone()).unwrap_or_default()
    }

    /// The members that lead from the answer to the item or to the elements.
    pub(super) fn within<'p>(&self, parts: &'p [ServedContract]) -> &'p [String] {
        self.planned(parts).map_or(&[], |planned| &planned.within)
    }

    /// The members that lead from the body to the item.
    pub(super) fn within_body<'p>(&self, parts: &'p [ServedContract]) -> &'p [String] {
        self.planned(parts).map_or(&[], |planned| &planned.within_body)
    }
}

impl Kind {
    /// The shortest path to an operation of the collection with this role.
    fn way(&self, parts: &[ServedContract], role: Role) -> Option<Way> {
        way(parts, self.part, self.collection, role)
    }
}

fn way(parts: &[ServedContract], part: usize, collection: usize, role: Role) -> Option<Way> {
    let engine = &parts.get(part)?.engine;
    let operations = engine.plan.operations.iter().zip(&engine.contract.operations).enumerate();
    let fitting = operations.filter(|(_, (planned, _))| planned.role == role && planned.collection == Some(collection));
    let shortest = fitting.min_by_key(|(_, (_, operation))| operation.segments.len());
    shortest.map(|(operation, _)| Way { part, operation })
}

impl FieldPlan {
    pub(super) fn new(schema: &Schema, parts: &[ServedContract]) -> Self {
        let roots = [OperationType::Query, OperationType::Mutation, OperationType::Subscription];
        let is_root =
            |name: &str| roots.iter().any(|root| schema.root_operation(*root).is_some_and(|root| root == name));
        let names = schema.types.keys().map(|name| name.as_str());
        let objects =
            names.filter(|name| !name.starts_with("__") && !is_root(name) && schema.get_object(name).is_some());
        let kinds = objects.filter_map(|name| Some((name.to_owned(), kind(name, parts)?))).collect();
        let mut plan = Self { kinds, queries: BTreeMap::new(), mutations: BTreeMap::new() };
        let fields = |root: OperationType| {
            let object = schema.root_operation(root).and_then(|name| schema.get_object(name));
            object.into_iter().flat_map(|object| object.fields.values())
        };
        let named = |field: &FieldDefinition, planned: Field| (field.name.to_string(), planned);
        let queries = fields(OperationType::Query);
        plan.queries = queries.filter_map(|field| Some(named(field, plan.query(schema, parts, field)?))).collect();
        let mutations = fields(OperationType::Mutation);
        plan.mutations =
            mutations.filter_map(|field| Some(named(field, plan.mutation(schema, parts, field)?))).collect();
        plan
    }

    fn query(&self, schema: &Schema, parts: &[ServedContract], field: &FieldDefinition) -> Option<Field> {
        let inner = field.ty.inner_named_type().as_str();
        let list = |name: &str| {
            let way = self.kinds.get(name)?.list?;
            has_all(way, parts, field, None).then(|| Field {
                action: Action::List,
                way,
                kind: name.to_owned(),
                key: None,
            })
        };
        match self.kinds.get(inner) {
            Some(_) if field.ty.is_list() => list(inner),
            Some(kind) => {
                let key = key(kind, inner, field)?;
                let way = kind.read?;
                let planned = Field { action: Action::Read, way, kind: inner.to_owned(), key: Some(key) };
                has_all(way, parts, field, Some(&kind.key)).then_some(planned)
            }
            None if field.ty.is_list() => None,
            None => list(self.listed(schema, schema.get_object(inner)?)?),
        }
    }

    /// The kind of the items that an object around a list has: `{ nodes }`, `{ items, total }`, `{ edges { node } }`.
    fn listed<'s>(&self, schema: &'s Schema, object: &'s ObjectType) -> Option<&'s str> {
        let lists = || object.fields.values().filter(|field| field.ty.is_list());
        let direct =
            lists().map(|field| field.ty.inner_named_type().as_str()).find(|name| self.kinds.contains_key(*name));
        direct
            .or_else(|| lists().find_map(|field| node(schema, &field.ty).filter(|name| self.kinds.contains_key(*name))))
    }

    fn mutation(&self, schema: &Schema, parts: &[ServedContract], field: &FieldDefinition) -> Option<Field> {
        let name = plain(&field.name);
        let find = |verbs: &[&str]| {
            let rest = |verb: &&str| name.strip_prefix(*verb).or_else(|| name.strip_suffix(*verb)).map(str::to_owned);
            verbs.iter().find_map(rest)
        };
        let (roles, rest): (&[(Role, Action)], String) = if let Some(rest) = find(CREATES) {
            (&[(Role::Create, Action::Create)], rest)
        } else if let Some(rest) = find(DELETES) {
            (&[(Role::Delete, Action::Delete)], rest)
        } else {
            (&[(Role::Patch, Action::Patch), (Role::Replace, Action::Replace)], find(CHANGES)?)
        };
        let by_name = self.kinds.iter().find(|(name, _)| [&rest, &singular(&rest)].contains(&&plain(name)));
        let answers = || {
            let inner = field.ty.inner_named_type().as_str();
            let within = || {
                let mut members = schema.get_object(inner)?.fields.values();
                members.find_map(|member| self.kinds.get_key_value(member.ty.inner_named_type().as_str()))
            };
            self.kinds.get_key_value(inner).or_else(within)
        };
        let (kind_name, kind) = by_name.or_else(answers)?;
        let (way, action) = roles.iter().find_map(|(role, action)| Some((kind.way(parts, *role)?, *action)))?;
        if action == Action::Create {
            let planned = Field { action, way, kind: kind_name.clone(), key: None };
            return has_all(way, parts, field, None).then_some(planned);
        }
        let key = key(kind, kind_name, field);
        // The identifier can be a member of the input.
        let key = key.or_else(|| {
            let mut inputs =
                field.arguments.iter().filter_map(|input| schema.get_input_object(input.ty.inner_named_type()));
            inputs.find_map(|input| {
                input.fields.keys().find(|name| is_key(kind, kind_name, name)).map(|name| name.to_string())
            })
        })?;
        let planned = Field { action, way, kind: kind_name.clone(), key: Some(key) };
        has_all(way, parts, field, Some(&kind.key)).then_some(planned)
    }

    pub(super) fn explained(&self, schema: &Schema, parts: &[ServedContract]) -> String {
        let mut text = String::new();
        for (root, planned) in [(OperationType::Query, &self.queries), (OperationType::Mutation, &self.mutations)] {
            let Some(object) = schema.root_operation(root).and_then(|name| schema.get_object(name)) else { continue };
            for name in object.fields.keys() {
                let way = planned.get(name.as_str()).and_then(|field| field.way.operation(parts));
                let way =
                    way.map_or("made up by its type".to_owned(), |way| format!("{} {}", way.method, way.template));
                let _ = writeln!(text, "{}.{name}: {way}", object.name);
            }
        }
        text
    }
}

/// The type behind `edges { node }`.
pub(super) fn node<'s>(schema: &'s Schema, edges: &Type) -> Option<&'s str> {
    let edge = schema.get_object(edges.inner_named_type())?;
    edge.fields.get("node").map(|field| field.ty.inner_named_type().as_str())
}

/// The collection whose items the objects of a type are: by the name of the schema, or of the collection.
fn kind(name: &str, parts: &[ServedContract]) -> Option<Kind> {
    let wanted = plain(name);
    let mut candidates: Vec<((usize, bool, usize), Kind)> = Vec::new();
    for (part, served) in parts.iter().enumerate() {
        for (index, collection) in served.engine.plan.collections.iter().enumerate() {
            let schema = collection.identity.as_deref().and_then(|pointer| pointer.rsplit('/').next()).map(plain);
            let is_short = |schema: &str| ENDINGS.iter().any(|end| schema.strip_suffix(end) == Some(wanted.as_str()));
            let rank = match schema {
                Some(schema) if schema == wanted => 0,
                Some(schema) if is_short(&schema) => 1,
                _ if singular(&plain(&collection.name)) == wanted => 2,
                _ => continue,
            };
            let (list, read) = (way(parts, part, index, Role::List), way(parts, part, index, Role::Read));
            let key = collection.parameter.as_ref().map_or_else(|| "id".to_owned(), |key| key.name.clone());
            let identifier = collection.identifier.clone();
            let order = (rank, list.is_none(), collection.parents.len());
            candidates.push((order, Kind { part, collection: index, key, identifier, list, read }));
        }
    }
    candidates.into_iter().min_by_key(|(order, _)| *order).map(|(_, kind)| kind)
}

/// Returns whether an argument names an item.
pub(super) fn is_key(kind: &Kind, kind_name: &str, argument: &str) -> bool {
    let name = plain(argument);
    let own = format!("{}id", plain(kind_name));
    name == plain(&kind.key)
        || name == "id"
        || name == own
        || kind.identifier.as_ref().is_some_and(|id| plain(id) == name)
}

fn key(kind: &Kind, kind_name: &str, field: &FieldDefinition) -> Option<String> {
    let mut names = field.arguments.iter().map(|argument| argument.name.as_str());
    names.find(|name| is_key(kind, kind_name, name)).map(str::to_owned)
}

/// Returns whether the arguments have the parameters of the path, apart from the key of the item.
fn has_all(way: Way, parts: &[ServedContract], field: &FieldDefinition, key: Option<&str>) -> bool {
    let Some(operation) = way.operation(parts) else { return false };
    let mut parameters = operation.segments.iter().flat_map(|segment| segment.parameters());
    let has = |name: &str| field.arguments.iter().any(|argument| plain(&argument.name) == plain(name));
    parameters.all(|name| key == Some(name) || has(name))
}
