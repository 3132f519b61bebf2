//! Connections in the data of a document (GraphQL Cursor Connections Specification).

use std::collections::HashSet;

use apollo_compiler::Node;
use apollo_compiler::ast::{OperationType, Value};
use apollo_compiler::executable::{Field as SelectedField, Operation};

use super::lower::Lower;
use super::model::Connection;
use crate::model::{Field, Kind, Type, TypeId, VariantContent};

/// The names that a direction has in the specification.
struct Direction {
    backward: bool,
    argument: &'static str,
    more: &'static str,
    cursor: &'static str,
}

const DIRECTIONS: [Direction; 2] = [
    Direction { backward: false, argument: "after", more: "hasNextPage", cursor: "endCursor" },
    Direction { backward: true, argument: "before", more: "hasPreviousPage", cursor: "startCursor" },
];

/// The connections on the way through the data.
struct Search<'l, 'a> {
    lower: &'l Lower<'a>,
    operation: &'l Operation,
    root: TypeId,
    /// Types at their places, so that a type that several variants share is visited once.
    visited: HashSet<(TypeId, String)>,
    /// Types that lead to no connection.
    barren: HashSet<TypeId>,
    connections: Vec<Connection>,
    /// The fields that select them, by their places in memory: a variant of an object has a field of its own.
    fields: HashSet<*const SelectedField>,
    /// The reason why the first of the others is not one.
    lacks: Option<String>,
}

impl<'a> Lower<'a> {
    /// The connection that a query selects, if it selects exactly one that can be read page by page, outside of lists. An
    /// error says what a connection lacks.
    pub(super) fn connection(
        &self,
        root: TypeId,
        operation: &Operation,
        text: &str,
    ) -> Result<Option<Connection>, String> {
        if operation.operation_type != OperationType::Query {
            return Ok(None);
        }
        let mut search = Search {
            lower: self,
            operation,
            root,
            visited: HashSet::new(),
            barren: HashSet::new(),
            connections: Vec::new(),
            fields: HashSet::new(),
            lacks: None,
        };
        search.visit(root, "");
        match (search.connections.pop(), search.connections.pop(), search.lacks) {
            // Its definition, and a use for each field.
            (Some(only), None, _) if mentions(text, &only.variable) > search.fields.len() + 1 => Err(format!(
                "`${}` is the cursor of the connection at `{}`, and has another use",
                only.variable, only.connection
            )),
            (Some(only), None, _) => Ok(Some(only)),
            (Some(one), Some(other), _) if one.connection == other.connection => {
                Err(format!("the connection at `{}` differs by the type of its object", one.connection))
            }
            (Some(one), Some(other), _) => Err(format!(
                "it selects several connections (`{}` and `{}`), each with a cursor of its own",
                other.connection, one.connection
            )),
            (None, _, Some(lacks)) => Err(lacks),
            (None, ..) => Ok(None),
        }
    }

    /// The members of a structure, each with its selection.
    fn selected_members(&self, id: TypeId) -> impl Iterator<Item = (&Field, &'a Node<SelectedField>)> {
        let selections = self.selections.get(&id).map(Vec::as_slice).unwrap_or_default();
        self.fields(id).iter().zip(selections.iter().copied())
    }

    /// The member that selects a field of the schema in every object.
    fn selected(&self, id: TypeId, field: &str) -> Option<(&Field, &'a Node<SelectedField>)> {
        self.selected_members(id).find(|(member, selected)| member.required && selected.name == field)
    }
}

impl Search<'_, '_> {
    /// Looks for connections below a type, and returns whether there is one. A type that leads to none is visited once, and the search
    /// ends with the second connection, so its work grows with the number of types.
    fn visit(&mut self, id: TypeId, at: &str) -> bool {
        if self.connections.len() > 1 || !self.visited.insert((id, at.to_owned())) {
            return true;
        }
        if self.barren.contains(&id) {
            return false;
        }
        let mut leads = false;
        for variant in self.lower.variants(id) {
            leads |= self.visit(variant, at);
        }
        for (member, selected) in self.lower.selected_members(id) {
            let Some(next) = named(&member.ty) else { continue };
            let at = format!("{at}/{}", member.wire);
            match self.connection(next, selected, &at) {
                Some(Ok(connection)) => {
                    leads = true;
                    self.fields.insert(std::ptr::from_ref(&**selected));
                    if !self.connections.contains(&connection) {
                        self.connections.push(connection);
                    }
                }
                Some(Err(lacks)) => {
                    self.lacks.get_or_insert(format!("the connection at `{at}` {lacks}"));
                }
                None => leads |= self.visit(next, &at),
            }
        }
        if !leads {
            self.barren.insert(id);
        }
        leads
    }

    /// The connection that a field selects. `None`: it selects no flag with a cursor. An error says what it lacks.
    fn connection(&self, id: TypeId, field: &SelectedField, at: &str) -> Option<Result<Connection, String>> {
        let lower = self.lower;
        let (info, _) = lower.selected(id, "pageInfo")?;
        let infos = named(&info.ty)?;
        let given = |direction: &Direction| {
            lower.selected(infos, direction.more).is_some() && self.variable(field, direction.argument).is_ok()
        };
        if DIRECTIONS.iter().all(given) {
            return Some(Err("takes its cursor from `after` and from `before`: select one direction".to_owned()));
        }
        let mut lacks = None;
        for direction in &DIRECTIONS {
            let (Some((more, _)), Some((cursor, _))) =
                (lower.selected(infos, direction.more), lower.selected(infos, direction.cursor))
            else {
                continue;
            };
            let variable = match self.variable(field, direction.argument) {
                Ok(variable) => variable,
                Err(reason) => {
                    lacks.get_or_insert(reason);
                    continue;
                }
            };
            let Some((item, list, node)) = self.list(id) else {
                lacks.get_or_insert("selects neither `nodes` nor `edges { node }` in every case".to_owned());
                continue;
            };
            return Some(Ok(Connection {
                root: self.root,
                item,
                variable,
                backward: direction.backward,
                connection: at.to_owned(),
                list,
                node,
                more: format!("/{}/{}", info.wire, more.wire),
                cursor: format!("/{}/{}", info.wire, cursor.wire),
            }));
        }
        lacks.map(Err)
    }

    /// The variable of the cursor. The first page has none, so it may be null.
    fn variable(&self, field: &SelectedField, argument: &str) -> Result<String, String> {
        let mut arguments = field.arguments.iter();
        let value = arguments.find(|given| given.name == argument).map(|given| given.value.as_ref());
        let Some(Value::Variable(name)) = value else {
            return Err(format!("has no variable for its argument `{argument}`"));
        };
        match self.operation.variables.iter().find(|variable| variable.name == *name) {
            Some(variable) if !variable.ty.is_non_null() => Ok(name.to_string()),
            _ => {
                Err(format!("takes its cursor from `${name}`, which has to be nullable: the first page has no cursor"))
            }
        }
    }

    /// The type of the nodes, the way to their list, and from an element of it to its node.
    fn list(&self, id: TypeId) -> Option<(Type, String, String)> {
        if let Some((nodes, _)) = self.lower.selected(id, "nodes")
            && let Some(item) = element(&nodes.ty)
        {
            return Some((item.clone(), format!("/{}", nodes.wire), String::new()));
        }
        let (edges, _) = self.lower.selected(id, "edges")?;
        let (node, _) = self.lower.selected(named(element(&edges.ty)?)?, "node")?;
        let is_list = matches!(node.ty, Type::List(_));
        (!is_list).then(|| (node.ty.clone(), format!("/{}", edges.wire), format!("/{}", node.wire)))
    }
}

impl Lower<'_> {
    /// The types of the variants of a union.
    fn variants(&self, id: TypeId) -> Vec<TypeId> {
        let Some(Kind::Union(_, variants)) = self.kind(id) else { return Vec::new() };
        let named = variants.iter().filter_map(|variant| match &variant.content {
            VariantContent::Type(ty, _) => named(ty),
            VariantContent::Value => None,
        });
        named.collect()
    }
}

/// The number of times that a text mentions a variable.
fn mentions(text: &str, variable: &str) -> usize {
    let is_whole = |rest: &str| {
        let rest = rest.strip_prefix(variable)?;
        (!rest.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')).then_some(())
    };
    text.split('$').skip(1).filter_map(is_whole).count()
}

/// The named type of a value that is not a list.
fn named(ty: &Type) -> Option<TypeId> {
    match ty {
        Type::Named(id) => Some(*id),
        Type::Optional(inner) => named(inner),
        _ => None,
    }
}

/// The type of the elements of a list, if they are not lists.
fn element(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Optional(inner) => element(inner),
        Type::List(inner) => match inner.as_ref() {
            Type::Optional(inner) if !matches!(inner.as_ref(), Type::List(_)) => Some(inner),
            Type::Optional(_) | Type::List(_) => None,
            inner => Some(inner),
        },
        _ => None,
    }
}
