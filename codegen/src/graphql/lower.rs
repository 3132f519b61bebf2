//! Types of the schema and of documents on their way into definitions of the model.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use apollo_compiler::ast::{Directive, Type as SchemaType};
use apollo_compiler::executable::SelectionSet;
use apollo_compiler::parser::FileId;
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Schema};

use super::model::{Shared, Types};
use super::names::Namer;
use super::scalars::Scalars;
use crate::Report;
use crate::generate::boxes;
use crate::model::{Definition, Deprecation, Field, Kind, Provenance, Reach, Type, TypeId};
use crate::text::Ident;
use crate::text::docs::Docs;

/// A place in a file before which a field has to be inserted.
pub(super) type Insertion = (FileId, usize);

/// The place of a type: its module, the path to it there, and the name that it would like.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) module: Ident,
    pub(super) path: String,
    pub(super) wish: String,
}

/// What selects the members of one type: the selection sets, and whether each is sure to apply.
pub(super) type Selected = (String, Vec<(*const SelectionSet, bool)>);

/// Definitions on the way.
pub(super) struct Lower<'a> {
    pub(super) schema: &'a Valid<Schema>,
    pub(super) document: &'a Valid<ExecutableDocument>,
    pub(super) scalars: &'a Scalars,
    pub(super) names: Namer<'a>,
    provenance: Provenance,
    definitions: Vec<Option<Definition>>,
    modules: Vec<Ident>,
    pub(super) shared: BTreeMap<TypeId, Vec<Shared>>,
    /// The object types of each abstract type.
    pub(super) possible: HashMap<String, Vec<String>>,
    /// Names for all enumerations and input objects of the schema, used or not.
    pub(super) wishes: BTreeMap<String, String>,
    /// Those that are used.
    pub(super) of_schema: BTreeMap<String, TypeId>,
    /// Fragments that are types.
    pub(super) fragments: BTreeMap<String, TypeId>,
    /// What all variants of the union under way have: one type each.
    pub(super) known: HashMap<Selected, TypeId>,
    /// Where `__typename` is missing.
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
    ) -> Self {
        let mut lower = Self {
            schema,
            document,
            scalars,
            names,
            provenance: if assumed { Provenance::Assumed } else { Provenance::Plain },
            definitions: Vec::new(),
            modules: Vec::new(),
            shared: BTreeMap::new(),
            possible: super::select::possible(schema),
            wishes: BTreeMap::new(),
            of_schema: BTreeMap::new(),
            fragments: BTreeMap::new(),
            known: HashMap::new(),
            insertions: BTreeSet::new(),
            report: Report::default(),
        };
        lower.wishes = super::inputs::wishes(schema);
        lower
    }

    /// Takes an identifier and a name for a definition.
    pub(super) fn open(&mut self, place: &Place) -> TypeId {
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
        }
    }

    /// The members of a definition.
    pub(super) fn fields(&self, id: TypeId) -> &[Field] {
        match self.definitions.get(id.0).and_then(Option::as_ref).map(|definition| &definition.kind) {
            Some(Kind::Struct(fields, _)) => fields,
            _ => &[],
        }
    }

    /// The types, and the names that were given.
    pub(super) fn finish(self) -> (Types, BTreeMap<String, String>, BTreeSet<Insertion>, Report) {
        let definitions: Vec<Definition> = self.definitions.into_iter().flatten().collect();
        let types = Types { boxed: boxes(&definitions), definitions, modules: self.modules, shared: self.shared };
        (types, self.names.given, self.insertions, self.report)
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

/// What the directives of something say of its deprecation.
pub(super) fn deprecation<'d>(directives: impl IntoIterator<Item = &'d Directive>) -> Deprecation {
    let Some(directive) = directives.into_iter().find(|directive| directive.name == "deprecated") else {
        return Deprecation::No;
    };
    match directive.specified_argument_by_name("reason").and_then(|reason| reason.as_str()) {
        Some(reason) if !reason.trim().is_empty() => Deprecation::Because(reason.to_owned()),
        _ => Deprecation::Yes,
    }
}
