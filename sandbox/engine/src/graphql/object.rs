//! Objects of an answer: their members come from an item, from another operation, or are made up.

use apollo_compiler::ast::Type;
use apollo_compiler::resolvers::{FieldError, ObjectValue, ResolveInfo, ResolvedValue};
use apollo_compiler::response::JsonValue;
use apollo_compiler::schema::ExtendedType;
use serde_json::{Map, Value};

use super::page::Window;
use super::plan::Kind;
use super::rest::{Refused, Run};
use super::{Graph, leaf};
use crate::act::{Filter, member};
use crate::infer::plain;
use crate::seed::mix;

/// Elements of a list that is made up.
const MADE_UP: usize = 2;

/// The query, or the mutation.
#[derive(Clone, Copy)]
pub(super) struct Root<'g> {
    pub(super) graph: &'g Graph,
    pub(super) run: &'g Run<'g>,
    pub(super) is_mutation: bool,
}

struct Object<'g> {
    graph: &'g Graph,
    run: &'g Run<'g>,
    type_name: String,
    value: Value,
    seed: u64,
}

impl ObjectValue for Root<'_> {
    fn type_name(&self) -> &str {
        use apollo_compiler::ast::OperationType::{Mutation, Query};
        let root = self.graph.schema.root_operation(if self.is_mutation { Mutation } else { Query });
        root.map_or("", |name| name.as_str())
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        let Root { graph, run, is_mutation } = *self;
        begin(run)?;
        let fields = if is_mutation { &graph.plan.mutations } else { &graph.plan.queries };
        let (name, ty) = (info.field_name(), &info.field_definition().ty);
        let known = match fields.get(name) {
            Some(field) => match graph.called(run, field, &arguments(info), ty) {
                Ok(value) => Some(value).filter(|value| !value.is_null() || !ty.is_non_null()),
                // An item that does not exist is not an error of a query.
                Err(Refused { status: 404, .. }) if !is_mutation && !ty.is_non_null() => Some(Value::Null),
                Err(refused) => return Err(error(run, refused)),
            },
            None => None,
        };
        Ok(graph.completed(run, ty, known, name, mix(graph.seed, &[name])))
    }
}

impl ObjectValue for Object<'_> {
    fn type_name(&self) -> &str {
        &self.type_name
    }

    fn resolve_field<'a>(&'a self, info: &'a ResolveInfo<'a>) -> Result<ResolvedValue<'a>, FieldError> {
        begin(self.run)?;
        let (name, ty) = (info.field_name(), &info.field_definition().ty);
        let known = match member(&self.value, name) {
            Some(value) => Some(value.clone()),
            None => self.related(name, ty, &arguments(info)).map_err(|refused| error(self.run, refused))?,
        };
        Ok(self.graph.completed(self.run, ty, known, name, mix(self.seed, &[name])))
    }
}

fn begin(run: &Run<'_>) -> Result<(), FieldError> {
    run.count_field();
    run.exceeded().map_or(Ok(()), |message| Err(FieldError { message }))
}

fn error(run: &Run<'_>, refused: Refused) -> FieldError {
    run.note(&refused.detail, refused.status);
    FieldError { message: refused.detail }
}

fn arguments(info: &ResolveInfo<'_>) -> Map<String, Value> {
    match serde_json::to_value(info.arguments()) {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    }
}

impl Object<'_> {
    /// Items that belong to this one, and the item that a member names.
    fn related(&self, name: &str, ty: &Type, arguments: &Map<String, Value>) -> Result<Option<Value>, Refused> {
        let graph = self.graph;
        let inner = ty.inner_named_type().as_str();
        let Some(kind) = graph.plan.kinds.get(inner) else { return Ok(None) };
        if !ty.is_list() {
            let id = member(&self.value, &format!("{name}Id")).filter(|id| !id.is_null());
            return id.map_or(Ok(None), |id| graph.item(self.run, kind, id));
        }
        let own = graph.plan.kinds.get(&self.type_name);
        let id = own.and_then(|own| self.value.get(own.identifier.as_ref()?));
        let (Some(own), Some(id), Some(way)) = (own, id, kind.list) else { return Ok(None) };
        let parts = self.run.parts();
        let own_id = format!("{}Id", self.type_name);
        let Some(operation) = way.operation(parts) else { return Ok(None) };
        // The path has this item, a parameter filters by it, or the others name it.
        let names = |name: &str| plain(name) == plain(&own_id) || plain(name) == plain(&own.key) && plain(name) != "id";
        let mut path = operation.segments.iter().flat_map(|segment| segment.parameters());
        let (Some(parent), None) = (path.next(), path.next()) else {
            if operation.segments.iter().any(|segment| segment.parameters().next().is_some()) {
                return Ok(None);
            }
            let filters = vec![Filter { name: own_id, wanted: id.clone(), is_exact: true }];
            let part = Window::new(arguments, &way.pages(parts)).part(filters);
            let listed = self.run.listed(&way, arguments, part)?;
            return Ok((listed.filters > 0).then_some(Value::Array(listed.elements)));
        };
        let is_own = names(parent) || kind_of_owner(self.run, kind, &own.key);
        if !is_own {
            return Ok(None);
        }
        let mut arguments = arguments.clone();
        arguments.insert(parent.to_owned(), id.clone());
        let part = Window::new(&arguments, &way.pages(parts)).part(Vec::new());
        Ok(Some(Value::Array(self.run.listed(&way, &arguments, part)?.elements)))
    }
}

/// Returns whether the items of a kind lie below those that this path parameter identifies.
fn kind_of_owner(run: &Run<'_>, kind: &Kind, key: &str) -> bool {
    let operation = kind.list.and_then(|way| way.operation(run.parts()));
    let mut parameters =
        operation.into_iter().flat_map(|operation| &operation.segments).flat_map(|segment| segment.parameters());
    parameters.any(|name| name == key)
}

impl Graph {
    /// A value in the form of its type. Missing parts are made up.
    fn completed<'a>(
        &'a self,
        run: &'a Run<'a>,
        ty: &'a Type,
        known: Option<Value>,
        field: &'a str,
        seed: u64,
    ) -> ResolvedValue<'a> {
        // A null in a field that has none is an error of the field, as any other value that does not fit.
        if known == Some(Value::Null) {
            return ResolvedValue::null();
        }
        if ty.is_list() {
            let elements = match known {
                Some(Value::Array(elements)) => elements.into_iter().map(Some).collect(),
                Some(value) => vec![Some(value)],
                None => vec![None; MADE_UP],
            };
            let elements = elements.into_iter().enumerate().map_while(move |(index, element)| {
                let element = || self.completed(run, ty.item_type(), element, field, mix(seed, &[&index.to_string()]));
                run.exceeded().is_none().then(|| Ok(element()))
            });
            return ResolvedValue::List(Box::new(elements));
        }
        let name = ty.inner_named_type();
        let Some(kind) = self.schema.types.get(name) else { return ResolvedValue::null() };
        if kind.is_leaf() {
            // Another value in place of a stored one would say what the contract does not.
            let value = match known {
                Some(value) => leaf::fitted(kind, &value).unwrap_or_else(|| leaf::unfit(kind, &value)),
                None => leaf::made_up(kind, field, seed),
            };
            return ResolvedValue::Leaf(serde_json::from_value(value).unwrap_or(JsonValue::Null));
        }
        let type_name = self.concrete(kind, known.as_ref(), seed);
        // The identifier of another item.
        let known = match known {
            Some(id) if !id.is_object() => {
                let read = self.plan.kinds.get(&type_name).map(|kind| self.item(run, kind, &id));
                match read {
                    Some(Ok(Some(Value::Null))) if !ty.is_non_null() => return ResolvedValue::null(),
                    Some(Ok(value)) => value,
                    _ => None,
                }
            }
            known => known,
        };
        ResolvedValue::object(Object { graph: self, run, type_name, value: known.unwrap_or_default(), seed })
    }

    /// The object type of a value: of an interface or a union, the one that the value names, or one of those that are resources.
    fn concrete(&self, kind: &ExtendedType, value: Option<&Value>, seed: u64) -> String {
        let mut names: Vec<&str> = match kind {
            ExtendedType::Union(union) => union.members.iter().map(|member| member.as_str()).collect(),
            ExtendedType::Interface(interface) => {
                let objects = self.schema.types.iter().filter_map(|(name, other)| match other {
                    ExtendedType::Object(object) => {
                        object.implements_interfaces.contains(&interface.name).then_some(name.as_str())
                    }
                    _ => None,
                });
                objects.collect()
            }
            other => return other.name().to_string(),
        };
        names.sort_unstable();
        let named = value.and_then(|value| value.get("__typename")?.as_str());
        if let Some(named) = named.filter(|named| names.contains(named)) {
            return named.to_owned();
        }
        if names.iter().any(|name| self.plan.kinds.contains_key(*name)) {
            names.retain(|name| self.plan.kinds.contains_key(*name));
        }
        let index = usize::try_from(seed % names.len().max(1) as u64).unwrap_or(0);
        names.get(index).map(|name| (*name).to_owned()).unwrap_or_default()
    }
}
