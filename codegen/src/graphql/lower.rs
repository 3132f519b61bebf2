//! Types of the schema and of documents on their way into definitions of the model.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use apollo_compiler::Node;
use apollo_compiler::ast::{Directive, Type as SchemaType};
use apollo_compiler::executable::{Field as SchemaField, SelectionSet};
use apollo_compiler::schema::ExtendedType;
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Schema};

use super::model::{DocumentTypes, Insertion, Shared};
use super::names::Namer;
use super::scalars::Scalars;
use crate::generate::boxes;
use crate::model::{Definition, Deprecation, Field, Kind, Provenance, Reach, Type, TypeId, Uses};
use crate::naming::Scope;
use crate::naming::ident::type_name;
use crate::text::Ident;
use crate::text::docs::Docs;
use crate::{Names, Report};

/// The place of a type: its module, the path to it there, and the name that it would like.
#[derive(Clone, Debug)]
pub(super) struct TypePlace {
    pub(super) module: Ident,
    pub(super) path: String,
    pub(super) wish: String,
}

/// The selections of the members of one type: the selection sets, and whether each is sure to apply.
pub(super) type Selected = (String, Vec<(*const SelectionSet, bool)>);

/// Definitions on the way.
pub(super) struct Lower<'a> {
    pub(super) schema: &'a Valid<Schema>,
    pub(super) document: &'a Valid<ExecutableDocument>,
    pub(super) scalars: &'a Scalars,
    pub(super) names: Namer<'a>,
    /// Style 2: a fragment has one type for all types that its interface represents.
    pub(super) style_two: bool,
    provenance: Provenance,
    definitions: Vec<Option<Definition>>,
    modules: Vec<Ident>,
    pub(super) shared: BTreeMap<TypeId, Vec<Shared>>,
    /// The selections of the members of each structure, in the order of its fields.
    pub(super) selections: BTreeMap<TypeId, Vec<&'a Node<SchemaField>>>,
    /// The object types of each abstract type.
    pub(super) possible: HashMap<String, Vec<String>>,
    /// Names for all enumerations and input objects of the schema, used or not.
    pub(super) wishes: BTreeMap<String, String>,
    /// Those that are used.
    pub(super) of_schema: BTreeMap<String, TypeId>,
    /// Fragments that are types.
    pub(super) fragments: BTreeMap<String, TypeId>,
    /// Types that all variants of the current union share.
    pub(super) known: HashMap<Selected, TypeId>,
    /// Positions at which `__typename` is missing.
    pub(super) insertions: BTreeSet<Insertion>,
    pub(super) report: Report,
}

impl<'a> Lower<'a> {
    pub(super) fn new(
        schema: &'a Valid<Schema>,
        document: &'a Valid<ExecutableDocument>,
        scalars: &'a Scalars,
        names: Namer<'a>,
        assumed: bool,
        style_two: bool,
    ) -> Self {
        Self {
            schema,
            document,
            scalars,
            names,
            style_two,
            provenance: if assumed { Provenance::Assumed } else { Provenance::Plain },
            definitions: Vec::new(),
            modules: Vec::new(),
            shared: BTreeMap::new(),
            selections: BTreeMap::new(),
            possible: possible(schema),
            wishes: wishes(schema, style_two),
            of_schema: BTreeMap::new(),
            fragments: BTreeMap::new(),
            known: HashMap::new(),
            insertions: BTreeSet::new(),
            report: Report::default(),
        }
    }

    /// Takes an identifier and a name for a definition.
    pub(super) fn open(&mut self, place: &TypePlace) -> TypeId {
        let name = match (place.wish.as_str(), place.path.as_str()) {
            // The two types that every document has, where it has them.
            ("Data", "") => Ident::fixed("Data"),
            ("Variables", "$") => Ident::fixed("Variables"),
            _ => self.names.of_type(&place.module, &place.path, &place.wish),
        };
        self.definitions.push(Some(Definition {
            name,
            document: String::new(),
            pointer: String::new(),
            docs: String::new(),
            deprecated: Deprecation::No,
            provenance: self.provenance,
            kind: Kind::Struct(Vec::new(), None),
            reach: Reach { documented: true, ..Reach::default() },
            uses: Uses::default(),
        }));
        self.modules.push(place.module.clone());
        TypeId(self.definitions.len() - 1)
    }

    /// Gives a definition its content.
    pub(super) fn fill(&mut self, id: TypeId, docs: String, kind: Kind, sent: bool) {
        if let Some(Some(definition)) = self.definitions.get_mut(id.0) {
            definition.docs = docs;
            definition.kind = kind;
            definition.reach.request = sent;
            definition.reach.response = !sent;
            definition.uses = Uses { request: sent, response: !sent };
        }
    }

    /// The content of a definition.
    pub(super) fn kind(&self, id: TypeId) -> Option<&Kind> {
        self.definitions.get(id.0).and_then(Option::as_ref).map(|definition| &definition.kind)
    }

    /// The members of a definition.
    pub(super) fn fields(&self, id: TypeId) -> &[Field] {
        match self.kind(id) {
            Some(Kind::Struct(fields, _)) => fields,
            _ => &[],
        }
    }

    /// The types, and the names that were given.
    pub(super) fn finish(mut self, pins: &Names) -> (DocumentTypes, Names, BTreeSet<Insertion>, Report) {
        if let Err(doubles) = self.names.doubles.check() {
            doubles.problems().iter().for_each(|problem| self.report.push(problem.clone()));
        }
        let definitions: Vec<Definition> = self.definitions.into_iter().flatten().collect();
        let (given, published) = (self.names.given, self.names.derived);
        let keys: HashMap<(&str, &str), &String> = given
            .iter()
            .filter(|(key, _)| !key.contains('.'))
            .filter_map(|(key, name)| Some(((key.split_once('/')?.0, name.as_str()), key)))
            .collect();
        let keys: Vec<_> = definitions
            .iter()
            .zip(&self.modules)
            .map(|(definition, module)| keys.get(&(&**module, &*definition.name)).copied())
            .collect();
        let mut uses = BTreeMap::new();
        let boxed = boxes(&definitions, &keys, pins, &mut uses);
        let types = DocumentTypes { boxed, definitions, modules: self.modules, shared: self.shared };
        (types, Names { graphql: given, uses, published, ..Names::default() }, self.insertions, self.report)
    }
}

/// A member without anything that needs more than its type.
pub(super) fn field(wire: &str, name: Ident, ty: Type, required: bool, nullable: bool) -> Field {
    Field {
        wire: wire.to_owned(),
        name,
        ty,
        required,
        nullable,
        read_only: false,
        write_only: false,
        tag: false,
        deprecated: Deprecation::No,
        pointer: String::new(),
        docs: String::new(),
        limits: Docs::default(),
    }
}

/// The type of a reference whose innermost type is `inner`, with an option wherever it may be null.
pub(super) fn wrapped(ty: &SchemaType, inner: Type) -> Type {
    match ty {
        SchemaType::NonNullNamed(_) => inner,
        SchemaType::Named(_) => Type::Optional(Box::new(inner)),
        SchemaType::NonNullList(element) => Type::List(Box::new(wrapped(element, inner))),
        SchemaType::List(element) => Type::Optional(Box::new(Type::List(Box::new(wrapped(element, inner))))),
    }
}

/// The type without the option around it.
pub(super) fn bare(ty: Type) -> Type {
    match ty {
        Type::Optional(inner) => *inner,
        ty => ty,
    }
}

/// The deprecation in a list of directives.
pub(super) fn deprecation<'d>(directives: impl IntoIterator<Item = &'d Directive>) -> Deprecation {
    let Some(directive) = directives.into_iter().find(|directive| directive.name == "deprecated") else {
        return Deprecation::No;
    };
    match directive.specified_argument_by_name("reason").and_then(|reason| reason.as_str()) {
        Some(reason) if !reason.trim().is_empty() => Deprecation::Because(reason.to_owned()),
        _ => Deprecation::Yes,
    }
}

/// The names that the enumerations and input objects of a schema would like, apart from each other. In style 2, a name that is
/// written as Rust writes it comes first: `User` is `User`, and `USER` is `User2`.
fn wishes(schema: &Schema, own_first: bool) -> BTreeMap<String, String> {
    let mut wanted: Vec<&str> = schema
        .types
        .iter()
        .filter(|(_, ty)| matches!(ty, ExtendedType::Enum(_) | ExtendedType::InputObject(_)))
        .map(|(name, _)| name.as_str())
        .collect();
    wanted.sort_unstable_by_key(|name| (own_first && type_name(name) != *name, *name));
    let mut scope = Scope::default();
    wanted.into_iter().map(|name| (name.to_owned(), scope.claim([type_name(name).as_str()]).to_string())).collect()
}

/// The object types of each abstract type, by name.
fn possible(schema: &Schema) -> HashMap<String, Vec<String>> {
    let mut all: HashMap<String, Vec<String>> = HashMap::new();
    for (name, ty) in &schema.types {
        match ty {
            ExtendedType::Object(object) => {
                for interface in &object.implements_interfaces {
                    all.entry(interface.name.to_string()).or_default().push(name.to_string());
                }
            }
            ExtendedType::Union(union) => {
                all.insert(name.to_string(), union.members.iter().map(|member| member.name.to_string()).collect());
            }
            _ => {}
        }
    }
    all.values_mut().for_each(|names| names.sort());
    all
}

/// The description in the schema, or an empty text.
pub(super) fn text(description: Option<&apollo_compiler::Node<str>>) -> String {
    description.map(ToString::to_string).unwrap_or_default()
}

/// The description of a type in the schema, or its name.
pub(super) fn described(description: Option<&apollo_compiler::Node<str>>, name: &str) -> String {
    match text(description) {
        description if description.trim().is_empty() => format!("`{name}` of the schema."),
        description => description,
    }
}
