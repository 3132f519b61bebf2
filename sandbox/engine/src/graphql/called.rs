//! The value of a field by the operation that it stands for.

use apollo_compiler::ast::Type;
use serde_json::{Map, Value, json};

use super::page::{OF_CONNECTIONS, Window};
use super::plan::{Action, Field, Kind, is_key, node};
use super::rest::{Listing, Refused, Run, argument};
use super::{Graph, leaf};
use crate::act::Filter;
use crate::infer::plain;

/// Arguments whose members are those of the item.
const INPUTS: &[&str] =
    &["input", "data", "body", "values", "value", "patch", "set", "object", "attributes", "changes"];

impl Graph {
    /// The value of a field by its operation.
    pub(super) fn called(
        &self,
        run: &Run<'_>,
        field: &Field,
        arguments: &Map<String, Value>,
        ty: &Type,
    ) -> Result<Value, Refused> {
        let Some(kind) = self.plan.kinds.get(&field.kind) else { return Ok(Value::Null) };
        if field.action == Action::List {
            return self.listed(run, field, arguments, ty);
        }
        let (members, id) = self.sent(kind, field, arguments);
        let mut path = arguments.clone();
        if let Some(id) = &id {
            path.insert(kind.key.clone(), id.clone());
        }
        let read = || kind.read.map(|way| run.call(&way, &path, None)).transpose();
        let value = match field.action {
            Action::List | Action::Read => return run.call(&field.way, &path, None),
            Action::Create | Action::Patch => run.call(&field.way, &path, Some(&self.named(run, field, members)))?,
            Action::Replace => {
                let before = read()?.and_then(|before| before.as_object().cloned()).unwrap_or_default();
                let mut all = self.named(run, field, before);
                all.extend(self.named(run, field, members));
                run.call(&field.way, &path, Some(&all))?
            }
            Action::Delete => {
                let before = read()?;
                run.call(&field.way, &path, None)?;
                before.unwrap_or_default()
            }
        };
        let id = id.or_else(|| value.get(kind.identifier.as_ref()?).cloned()).unwrap_or_default();
        Ok(self.answered(field, ty, value, id))
    }

    pub(super) fn item(&self, run: &Run<'_>, kind: &Kind, id: &Value) -> Result<Option<Value>, Refused> {
        let Some(way) = kind.read else { return Ok(None) };
        match run.call(&way, &Map::from_iter([(kind.key.clone(), id.clone())]), None) {
            Ok(value) => Ok(Some(value)),
            Err(Refused { status: 404, .. }) => Ok(Some(Value::Null)),
            Err(refused) => Err(refused),
        }
    }

    /// The members of the item that the arguments have, and its identifier.
    fn sent(&self, kind: &Kind, field: &Field, arguments: &Map<String, Value>) -> (Map<String, Value>, Option<Value>) {
        let mut members = Map::new();
        for (name, value) in arguments {
            let is_input = INPUTS.contains(&plain(name).as_str()) || plain(name).starts_with(&plain(&field.kind));
            match value {
                Value::Object(inner) if is_input => members.extend(inner.clone()),
                value => drop(members.insert(name.clone(), value.clone())),
            }
        }
        let id = field.key.as_ref().and_then(|key| argument(&members, key)).cloned();
        if field.action != Action::Create {
            members.retain(|name, _| !is_key(kind, &field.kind, name));
        }
        (members, id)
    }

    /// The members under the names that the body of the operation has. Others are left out: they were meant for the path.
    fn named(&self, run: &Run<'_>, field: &Field, members: Map<String, Value>) -> Map<String, Value> {
        let known = run.body_members(&field.way);
        if known.is_empty() {
            return members;
        }
        let rename = |(name, value): (String, Value)| {
            let same = known.iter().find(|other| **other == name);
            let same = same.or_else(|| known.iter().find(|other| plain(other) == plain(&name)))?;
            Some((same.clone(), value))
        };
        members.into_iter().filter_map(rename).collect()
    }

    /// A list, in the object around it if the field has one.
    fn listed(
        &self,
        run: &Run<'_>,
        field: &Field,
        arguments: &Map<String, Value>,
        ty: &Type,
    ) -> Result<Value, Refused> {
        let object = self.schema.get_object(ty.inner_named_type()).filter(|_| !ty.is_list());
        let is_edge = |ty: &Type| ty.is_list() && node(&self.schema, ty) == Some(field.kind.as_str());
        let is_connection = object.is_some_and(|object| object.fields.values().any(|declared| is_edge(&declared.ty)));
        let declared = run.query_names(&field.way);
        // An argument that the operation does not know filters by the member of its name.
        let is_known = |name: &String| {
            declared.iter().any(|other| plain(other) == plain(name))
                || is_connection && OF_CONNECTIONS.contains(&name.as_str())
        };
        let others = arguments.iter().filter(|(name, wanted)| !wanted.is_null() && !is_known(name));
        let filter =
            |(name, wanted): (&String, &Value)| Filter { name: name.clone(), wanted: wanted.clone(), is_exact: false };
        let filters: Vec<Filter> = others.map(filter).collect();
        let pages = field.way.pages(run.parts());
        let window = match is_connection {
            true => {
                // The last elements are known by their number.
                let total = match arguments.get("last") {
                    None | Some(Value::Null) => usize::MAX,
                    Some(_) => run.listed(&field.way, arguments, Window::EMPTY.part(filters.clone()))?.total,
                };
                Window::of_connection(arguments, &pages, total).map_err(|name| Refused {
                    status: 400,
                    detail: format!("the argument `{name}` takes a cursor of an edge, or a number from 0"),
                })?
            }
            false => Window::new(arguments, &pages),
        };
        let Listing { elements, total, .. } = run.listed(&field.way, arguments, window.part(filters))?;
        let start = window.start.min(total);
        let has_more = total - start > window.limit;
        if ty.is_list() {
            return Ok(Value::Array(elements));
        }
        let Some(object) = object else { return Ok(Value::Null) };
        let cursor = |index: usize| json!((start + index).to_string());
        let mut around = Map::new();
        for declared in object.fields.values() {
            let name = plain(&declared.name);
            let inner = declared.ty.inner_named_type().as_str();
            let value = if declared.ty.is_list() && inner == field.kind {
                Value::Array(elements.clone())
            } else if is_edge(&declared.ty) {
                let edge = |(index, element): (usize, &Value)| json!({ "node": element, "cursor": cursor(index) });
                elements.iter().enumerate().map(edge).collect()
            } else if name == "pageinfo" {
                let ends = elements.len().checked_sub(1).map(|last| (cursor(0), cursor(last)));
                let (first, last) = ends.unwrap_or_default();
                json!({ "hasNextPage": has_more, "hasPreviousPage": start > 0, "startCursor": first, "endCursor": last })
            } else if name.contains("count") || name.contains("total") {
                json!(total)
            } else if name.starts_with("has") {
                json!(has_more)
            } else {
                continue;
            };
            if self.is_fit(&declared.ty, &value) {
                around.insert(declared.name.to_string(), value);
            }
        }
        Ok(Value::Object(around))
    }

    /// The answer of a mutation in the form of its type: the item, its identifier, or an object with the item in it.
    fn answered(&self, field: &Field, ty: &Type, value: Value, id: Value) -> Value {
        let inner = ty.inner_named_type().as_str();
        if inner == field.kind {
            return value;
        }
        let simple = |name: &str| match name {
            "Boolean" => json!(true),
            "Int" | "Float" => json!(1),
            _ => id.clone(),
        };
        let Some(object) = self.schema.get_object(inner) else {
            return Some(simple(inner)).filter(|value| self.is_fit(ty, value)).unwrap_or_default();
        };
        let mut around = Map::new();
        for declared in object.fields.values() {
            let name = plain(&declared.name);
            let value = if declared.ty.inner_named_type().as_str() == field.kind {
                value.clone()
            } else if declared.ty.is_list() && name.ends_with("errors") {
                json!([])
            } else if name.ends_with("id") && id != Value::Null {
                id.clone()
            } else if declared.ty.inner_named_type() == "Boolean" {
                json!(true)
            } else {
                continue;
            };
            if self.is_fit(&declared.ty, &value) {
                around.insert(declared.name.to_string(), value);
            }
        }
        Value::Object(around)
    }

    /// Returns whether a value that a name of the schema suggests has its type, too: `status` of a deletion can be an enum.
    fn is_fit(&self, ty: &Type, value: &Value) -> bool {
        let kind = self.schema.types.get(ty.inner_named_type());
        !kind.is_some_and(|kind| kind.is_leaf() && !ty.is_list() && leaf::fitted(kind, value).is_none())
    }
}
