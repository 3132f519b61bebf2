//! Schemas to types.

use std::collections::HashMap;

use serde_json::Value;

use super::admits::Admitted;
use super::budget::{self, Budget};
use super::claims::Claims;
use super::hierarchy::Subtypes;
use super::keys::key;
use super::object_like::ObjectLike;
use super::scalars::scalar;
use super::shape::Shape;
use super::tree::{Document, Node};
use super::types::{Definition, Kind, Reach, Type, TypeId, Uses};
use super::xml::{Xml, XmlShapes};
use super::{Provenance, enums};
use crate::ledger::{Ledger, Loss};
use crate::members::Members as _;
use crate::naming::Scope;
use crate::naming::ident::type_name;
use crate::text::Ident;
use crate::{Config, Names, Report};

/// A type, and whether `null` may stand in its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Typed {
    pub(super) ty: Type,
    pub(super) nullable: bool,
}

impl Typed {
    pub(super) fn plain(ty: Type) -> Self {
        Self { ty, nullable: false }
    }
}

/// State of the work on a named schema.
#[derive(Clone, Debug)]
enum Resolution {
    /// Being built; with its type if that is known already.
    Building(Option<TypeId>),
    Done(Typed),
}

/// Builds types and gives them names.
#[derive(Debug)]
pub(super) struct Types<'a> {
    pub(super) ledger: &'a mut Ledger,
    pub(super) claims: Claims<'a>,
    definitions: Vec<Option<Definition>>,
    /// Name of each definition, also while it is being built.
    names: Vec<Ident>,
    states: HashMap<(String, String), Resolution>,
    pub(super) multiparts: HashMap<(String, String), TypeId>,
    pub(super) subtypes: Subtypes,
    pub(super) objects: ObjectLike,
    pub(super) admitted: Admitted<'a>,
    pub(super) xml: XmlShapes,
    pub(super) budget: Budget,
    /// Number of schemas that are being built within each other.
    depth: usize,
    /// Definitions that wait until fewer are.
    deferred: Vec<Deferred<'a>>,
}

/// A definition that has its name, and not its content yet.
#[derive(Debug)]
struct Deferred<'a> {
    id: TypeId,
    node: Node<'a>,
    shape: Shape<'a>,
    name: Ident,
}

impl<'a> Types<'a> {
    pub(super) fn new(documents: &'a [Document], pins: &'a Names, config: &'a Config, ledger: &'a mut Ledger) -> Self {
        let subtypes = Subtypes::from_documents(documents);
        let claims = Claims::new(documents, pins, config, ledger);
        Self {
            ledger,
            claims,
            definitions: Vec::new(),
            names: Vec::new(),
            states: HashMap::new(),
            multiparts: HashMap::new(),
            subtypes,
            objects: ObjectLike::default(),
            admitted: Admitted::default(),
            budget: Budget::default(),
            depth: 0,
            deferred: Vec::new(),
            xml: XmlShapes::default(),
        }
    }

    /// The type of a schema; `hint` names it when it needs a name of its own.
    pub(super) fn schema_type(&mut self, node: &Node<'a>, hint: &str) -> Typed {
        if node.value.get("$ref").is_some() {
            let Some(target) = node.resolve() else {
                return self.degrade(node, node.unresolved());
            };
            let mut typed = self.named(&target, hint);
            typed.nullable |= node.flag("nullable");
            return typed;
        }
        // A schema that stands by itself may be one that a reference named before, or that was asked for before.
        if self.states.contains_key(&place(node)) {
            return self.named(node, hint);
        }
        let typed = self.build(node, hint, None);
        self.states.insert(place(node), Resolution::Done(typed.clone()));
        typed
    }

    /// The type of a schema that references name: built once.
    pub(super) fn named(&mut self, node: &Node<'a>, hint: &str) -> Typed {
        match self.states.get(&place(node)) {
            Some(Resolution::Done(typed)) => return typed.clone(),
            Some(Resolution::Building(Some(id))) => return Typed::plain(Type::Named(*id)),
            Some(Resolution::Building(None)) => {
                return self.degrade(node, "it holds nothing but itself, which only a type with a name can".to_owned());
            }
            None => {}
        }
        self.states.insert(place(node), Resolution::Building(None));
        let typed = self.build(node, hint, Some(place(node)));
        self.states.insert(place(node), Resolution::Done(typed.clone()));
        typed
    }

    fn build(&mut self, node: &Node<'a>, hint: &str, named: Option<(String, String)>) -> Typed {
        if self.depth >= budget::LINKS {
            let cause = format!("it is the end of a chain of more than {} schemas", budget::LINKS);
            return self.degrade(node, cause);
        }
        self.depth += 1;
        let mut nullable = node.flag("nullable");
        let shape = self.shape(node, &mut nullable);
        if !matches!(shape, Shape::Enum | Shape::Values(_)) {
            enums::unlisted(self.ledger, node);
        }
        if matches!(shape, Shape::Any) {
            self.unsaid(node);
        }
        let typed = self.made(node, shape, nullable, hint, named);
        self.depth -= 1;
        typed
    }

    /// The type of a schema whose shape is known.
    pub(super) fn made(
        &mut self,
        node: &Node<'a>,
        shape: Shape<'a>,
        mut nullable: bool,
        hint: &str,
        named: Option<(String, String)>,
    ) -> Typed {
        let component = named.as_ref().and_then(|place| self.claims.component(place)).cloned();
        let name = component.as_ref().map_or_else(|| type_name(hint), ToString::to_string);
        let ty = match shape {
            Shape::Any => Type::Any,
            Shape::Scalar(ty) => ty,
            Shape::Degraded(cause) => self.degrade(node, cause).ty,
            Shape::Same(other) => {
                let typed = self.schema_type(&other, hint);
                nullable |= typed.nullable;
                typed.ty
            }
            Shape::List(items) => {
                let item =
                    items.map_or(Typed::plain(Type::Any), |items| self.schema_type(&items, &format!("{name}Item")));
                match or_null(item) {
                    item if item.depth() >= budget::NESTING => self.degrade(node, too_deep()).ty,
                    item => Type::List(Box::new(item)),
                }
            }
            Shape::Map(values) => {
                let value =
                    values.map_or(Typed::plain(Type::Any), |values| self.schema_type(&values, &format!("{name}Value")));
                match or_null(value) {
                    Type::Any => Type::Object,
                    value if value.depth() >= budget::NESTING => self.degrade(node, too_deep()).ty,
                    value => Type::Map(Box::new(value)),
                }
            }
            Shape::Struct | Shape::Enum | Shape::Values(_) | Shape::Union(_) | Shape::Base => {
                return Typed { ty: Type::Named(self.define(node, shape, &name, component, named)), nullable };
            }
        };
        let Some(name) = component else { return Typed { ty, nullable } };
        let is_open = ty == Type::Object;
        let id = self.push(node, name, Kind::Alias(ty.clone()));
        // An object without declared members keeps its name: it may get members in the next contract.
        Typed { ty: if is_open { Type::Named(id) } else { ty }, nullable }
    }

    /// A definition for a schema that needs one.
    fn define(
        &mut self,
        node: &Node<'a>,
        shape: Shape<'a>,
        wish: &str,
        component: Option<Ident>,
        named: Option<(String, String)>,
    ) -> TypeId {
        let name = component.unwrap_or_else(|| {
            let own = key(node);
            let named = match shape {
                Shape::Enum if self.claims.names_values(&own) => enums::name(node).map(type_name),
                _ => None,
            };
            self.claims.claim(&own, named.as_deref().unwrap_or(wish))
        });
        let id = TypeId(self.definitions.len());
        self.definitions.push(None);
        self.names.push(name.clone());
        if let Some(place) = named {
            self.states.insert(place, Resolution::Building(Some(id)));
        }
        let deferred = Deferred { id, node: node.clone(), shape, name };
        // An enumeration goes no deeper, and others ask whether it is one.
        if self.depth > budget::NESTED && !matches!(deferred.shape, Shape::Enum | Shape::Values(_)) {
            self.deferred.push(deferred);
        } else {
            self.fill(deferred);
        }
        id
    }

    /// Makes the content of a definition.
    fn fill(&mut self, Deferred { id, node, shape, name }: Deferred<'a>) {
        let node = &node;
        let kind = match shape {
            Shape::Enum => enums::kind(&mut self.claims, self.ledger, node, &enums::listed(node), &name),
            Shape::Values(values) => enums::kind(&mut self.claims, self.ledger, node, &values, &name),
            Shape::Union(branches) => self.union(node, &branches, &name),
            Shape::Base => self.base(node, &name),
            _ => self.structure(node, &name),
        };
        self.definitions[id.0] = Some(definition(node, name, kind));
    }

    /// Makes the content of the definitions that wait for it.
    pub(super) fn settle(&mut self) {
        while let Some(deferred) = self.deferred.pop() {
            self.fill(deferred);
        }
    }

    /// Adds a definition that needs no place in the contract of its own.
    pub(super) fn add(
        &mut self,
        node: &Node<'a>,
        suffix: &str,
        wish: &str,
        kind: impl FnOnce(&mut Self, &str) -> Kind,
    ) -> TypeId {
        let name = self.claims.claim(&format!("{}{suffix}", key(node)), wish);
        let kind = kind(self, &name);
        self.push(node, name, kind)
    }

    fn push(&mut self, node: &Node<'a>, name: Ident, kind: Kind) -> TypeId {
        self.names.push(name.clone());
        self.definitions.push(Some(definition(node, name, kind)));
        TypeId(self.definitions.len() - 1)
    }

    /// The Rust name of a definition.
    pub(super) fn name_of(&self, id: TypeId) -> &str {
        self.names.get(id.0).map_or("", |name| name)
    }

    /// The kind of a definition; `None` while it is being built.
    pub(super) fn kind_of(&self, id: TypeId) -> Option<&Kind> {
        self.definitions.get(id.0)?.as_ref().map(|definition| &definition.kind)
    }

    /// # Errors
    ///
    /// Pinned names that two types, members or setters have.
    pub(super) fn check(&mut self) -> Result<(), Report> {
        self.claims.doubles.check()
    }

    /// The types, each in its place, the XML form of values, and the names that are given or kept.
    pub(super) fn finish(self) -> (Vec<Definition>, Xml, Names, Scope) {
        let (given, scope) = self.claims.finish();
        (self.definitions.into_iter().flatten().collect(), self.xml.finish(), given, scope)
    }

    /// The shape of a schema. `nullable` becomes true if one of its branches is `null`.
    pub(super) fn shape(&mut self, node: &Node<'a>, nullable: &mut bool) -> Shape<'a> {
        let Some(schema) = node.object() else {
            return match node.value {
                Value::Bool(_) => Shape::Any,
                _ => Shape::Degraded("the schema is not an object".to_owned()),
            };
        };
        if schema.member("$ref").is_some() {
            return Shape::Same(node.clone());
        }
        if let Some(shape) = self.all_of(node, nullable) {
            return shape;
        }
        if let Some(values) = schema.member("enum").and_then(Value::as_array) {
            *nullable |= values.contains(&Value::Null);
            if let Some(shape) = enums::shape(node, values) {
                return shape;
            }
        }
        if self.subtypes.is_base(node) {
            return Shape::Base;
        }
        if let Some(shape) = self.alternatives(node, nullable) {
            return shape;
        }
        let filled =
            |key: &str| schema.member(key).and_then(Value::as_object).is_some_and(|members| !members.is_empty());
        match node.text("type") {
            "object" | "" if filled("properties") => Shape::Struct,
            "object" => Shape::Map(node.get("additionalProperties").filter(|values| values.value.is_object())),
            "array" => Shape::List(node.get("items").filter(|items| items.value.is_object())),
            "" => Shape::Any,
            "null" => {
                *nullable = true;
                Shape::Any
            }
            name => match scalar(name, node.text("format")) {
                Some(ty) => Shape::Scalar(ty),
                None => Shape::Degraded(format!("`{name}` is not a type of JSON")),
            },
        }
    }

    /// Records that a keyword gives no type: it only restricts values of one type.
    fn unsaid(&mut self, node: &Node<'a>) {
        for (keyword, what) in
            [("additionalProperties", "objects"), ("items", "arrays"), ("format", "texts and numbers")]
        {
            if node.text("type").is_empty() && node.value.get(keyword).is_some_and(|value| !value.is_boolean()) {
                let what = format!("any value: without a type, `{keyword}` restricts {what} only");
                node.note(self.ledger, "model/any", what, Loss::Documentation(format!("the keyword `{keyword}`")));
            }
        }
    }

    /// Degrades a schema to an untyped value, on the record.
    pub(super) fn degrade(&mut self, node: &Node<'a>, cause: String) -> Typed {
        self.lose(node, "read and written as any JSON value", cause);
        Typed::plain(Type::Any)
    }

    /// Records a degraded part; `what` describes the part.
    pub(super) fn lose(&mut self, node: &Node<'a>, what: &str, cause: String) {
        node.note(self.ledger, "model/untyped", what, Loss::Degraded(cause));
    }
}

/// The type of an element: optional where null may stand in its place.
pub(super) fn or_null(typed: Typed) -> Type {
    if typed.nullable && typed.ty != Type::Any { Type::Optional(Box::new(typed.ty)) } else { typed.ty }
}

fn definition(node: &Node<'_>, name: Ident, kind: Kind) -> Definition {
    let docs = match (node.text("title").trim(), node.text("description").trim()) {
        (title, "") => title.to_owned(),
        (_, description) => description.to_owned(),
    };
    Definition {
        name,
        document: node.document.name.clone(),
        pointer: node.source(),
        docs,
        deprecated: node.flag("deprecated").into(),
        provenance: Provenance::from_node(node),
        kind,
        reach: Reach::default(),
        uses: Uses::default(),
    }
}

fn too_deep() -> String {
    format!("lists and maps in each other, more than {} deep", budget::NESTING)
}

fn place(node: &Node<'_>) -> (String, String) {
    (node.document.name.clone(), node.pointer.clone())
}
