//! The types of a document's selections.

use apollo_compiler::Node;
use apollo_compiler::ast::{OperationType, Type as SchemaType};
use apollo_compiler::executable::{Fragment, Operation, Selection, SelectionSet};
use apollo_compiler::schema::ExtendedType;

use super::lower::{Lower, Selected, TypePlace, bare, deprecation, described, field, wrapped};
use super::model::{FRAGMENTS, Shared};
use super::problem::{position, source};
use super::selection::{SelectedField, SelectedSet, TYPE_NAME, decided, has_type_name, inner, merge, place};
use crate::Problem;
use crate::model::{Deprecation, Kind, Presence, Tagging, TypeId, Uses, Variant, VariantContent};
use crate::naming::Scope;
use crate::naming::ident::{camel, member_name, type_name, variant_name};
use crate::naming::words::singular;
use crate::text::Ident;

/// The object type of a part of a document, besides the members of the union around it.
#[derive(Clone, Copy)]
struct Within<'t> {
    /// The member that names the type, which the union reads and writes.
    tag: &'t str,
}

impl<'a> Lower<'a> {
    /// The types of the data of an operation.
    pub(super) fn data(&mut self, module: &Ident, operation: &'a Operation) -> TypeId {
        let parts = [SelectedSet { set: &operation.selection_set, sure: true }];
        let place = TypePlace { module: module.clone(), path: String::new(), wish: "Data".to_owned() };
        let root = operation.selection_set.ty.as_str();
        let what = match operation.operation_type {
            OperationType::Query => "The data of the query.",
            OperationType::Mutation => "The data of the mutation.",
            OperationType::Subscription => "The data of each event of the subscription.",
        };
        self.object(&place, (root, root), &parts, None, Some(what))
    }

    /// The type of a value of the schema's type `ty`.
    fn value(&mut self, ty: &str, parts: &[SelectedSet<'a>], place: TypePlace) -> TypeId {
        if let Some(fragment) = self.whole(ty, parts, &place) {
            if let Some(id) = self.fragments.get(fragment.name.as_str()) {
                return *id;
            }
            let name = fragment.name.to_string();
            let place = TypePlace { module: Ident::fixed(FRAGMENTS), wish: type_name(&name), path: name.clone() };
            let own = fragment.selection_set.ty.as_str();
            let id = self.shape(&place, own, &[SelectedSet { set: &fragment.selection_set, sure: true }]);
            self.fragments.insert(name, id);
            return id;
        }
        if let Some(id) = self.known.get(&selected(ty, parts)) {
            return *id;
        }
        self.shape(&place, ty, parts)
    }

    /// The fragment that is all that is selected, where it is one for this very type, or one that gives the same members here as
    /// in its own type. A place that had a type of its own before keeps it.
    fn whole(&self, ty: &str, parts: &[SelectedSet<'a>], place: &TypePlace) -> Option<&'a Node<Fragment>> {
        let [SelectedSet { set, .. }] = parts else { return None };
        let [Selection::FragmentSpread(spread)] = set.selections.as_slice() else { return None };
        let fragment = self.document.fragments.get(&spread.fragment_name)?;
        let own = fragment.selection_set.ty.as_str();
        let fits = || {
            own == ty
                || self.style_two
                    && !self.names.is_pinned_type(&place.module, &place.path)
                    && self.is_same(own, ty, &fragment.selection_set)
        };
        (spread.directives.is_empty() && fits()).then_some(fragment)
    }

    /// Returns whether a selection for the abstract type `own` gives an object of the narrower type `ty` the same members, of the
    /// same types.
    fn is_same(&self, own: &str, ty: &str, set: &'a SelectionSet) -> bool {
        let part = [SelectedSet { set, sure: true }];
        let all = self.possible(own);
        if !self.applies(own, ty) || all.iter().any(|one| self.has_own(&part, &all, one)) {
            return false;
        }
        let one = all.first().map_or(own, String::as_str);
        self.collected(&part, one).iter().all(|selected| self.type_of(own, selected) == self.type_of(ty, selected))
    }

    fn shape(&mut self, place: &TypePlace, ty: &str, parts: &[SelectedSet<'a>]) -> TypeId {
        let all = self.possible(ty);
        let told_apart: Vec<String> = all.iter().filter(|one| self.has_own(parts, &all, one)).cloned().collect();
        if told_apart.is_empty() {
            // A part that applies to one object type applies to all of them.
            self.object(place, (ty, all.first().map_or(ty, String::as_str)), parts, None, None)
        } else {
            let others: Vec<String> = all.into_iter().filter(|one| !told_apart.contains(one)).collect();
            self.union(place, ty, parts, &told_apart, &others)
        }
    }

    /// The object types that a value of an abstract type may have.
    fn possible(&self, ty: &str) -> Vec<String> {
        self.possible.get(ty).cloned().unwrap_or_default()
    }

    /// Returns whether a field is selected for this object type that is not selected for every other one.
    fn has_own(&self, parts: &[SelectedSet<'a>], all: &[String], object: &str) -> bool {
        parts.iter().any(|part| {
            part.set.selections.iter().any(|selection| {
                let Some((condition, set)) = inner(self.document, selection) else { return false };
                let narrows = || !all.iter().all(|one| self.applies(condition, one));
                self.applies(condition, object)
                    && (narrows() || self.has_own(&[SelectedSet { set, sure: true }], all, object))
            })
        })
    }

    fn applies(&self, condition: &str, object: &str) -> bool {
        condition == object || self.schema.is_subtype(condition, object)
    }

    /// One of several objects of the abstract type `ty`, and of `others` for which nothing of their own is selected.
    fn union(
        &mut self,
        place: &TypePlace,
        ty: &str,
        parts: &[SelectedSet<'a>],
        objects: &[String],
        others: &[String],
    ) -> TypeId {
        let id = self.open(place);
        let other = others.first().map_or("", String::as_str);
        let mut all: Vec<Vec<SelectedField<'a>>> = Vec::new();
        for object in objects.iter().chain(others.first()) {
            all.push(self.collected(parts, object));
        }
        let Some(tag) = tag(&all) else {
            self.insert(parts, &all);
            return id;
        };
        let known = std::mem::take(&mut self.known);
        let mut typed: Vec<&str> = objects.iter().map(String::as_str).collect();
        typed.extend((!others.is_empty()).then_some(ty));
        self.alike(place, &typed, &all);
        let mut wishes: Vec<(&str, String)> =
            objects.iter().map(|object| (object.as_str(), variant_name(object))).collect();
        if !others.is_empty() {
            // No type of a schema has an empty name.
            wishes.push(("", "Other".to_owned()));
        }
        let key = format!("{}/{}", place.module, place.path);
        let names = self.names.members(Scope::with(["Unknown"]), &key, &wishes);
        let (mut variants, mut types) = (Vec::new(), Vec::new());
        for ((wire, wish), name) in wishes.iter().zip(names) {
            let inner = TypePlace {
                module: place.module.clone(),
                path: format!("{}@{wire}", place.path),
                wish: type_name(&match wire.is_empty() {
                    true => format!("{}{wish}", place.wish),
                    false => format!("{}{}", place.wish, camel(wire)),
                }),
            };
            // All that the others have is selected for every type; each of them says its name. One of them may promise more of
            // a field than the next: only the abstract type speaks for all.
            let (types_of, within, tags) = match wire.is_empty() {
                true => ((ty, other), None, others.to_vec()),
                false => ((*wire, *wire), Some(Within { tag: &tag }), vec![(*wire).to_owned()]),
            };
            let docs = wire.is_empty().then_some("An object of one of the other types.");
            let variant = self.object(&inner, types_of, parts, within, docs);
            types.push((name.clone(), variant));
            let content = VariantContent::Type(crate::model::Type::Named(variant), tags);
            variants.push(Variant { name, docs: String::new(), deprecated: Deprecation::No, content });
        }
        self.known = known;
        let shared = self.shared_by(&types);
        if !shared.is_empty() {
            self.shared.insert(id, shared);
        }
        let docs = format!("One of several types, which `{tag}` names.");
        self.fill(id, docs, Kind::Union(Tagging::Tag(tag), variants), false);
        id
    }

    /// Gives one type to the fields that are selected for all objects alike.
    fn alike(&mut self, place: &TypePlace, objects: &[&str], all: &[Vec<SelectedField<'a>>]) {
        let (Some((first, rest)), Some(object)) = (all.split_first(), objects.first()) else { return };
        for shared in first.iter().filter(|shared| !shared.field.selection_set.is_empty()) {
            let type_in = |object: &str| self.type_of(object, shared);
            let ty = type_in(object);
            let in_all = rest.iter().all(|other| other.iter().any(|other| same(shared, other)));
            let mut types = objects.iter().map(|object| type_in(object));
            if in_all && types.all(|other| other.inner_named_type() == ty.inner_named_type()) {
                let inner = ty.inner_named_type();
                let next = self.below(place, shared.field.response_key(), &ty);
                let id = self.value(inner, &shared.places, next);
                self.known.insert(selected(inner, &shared.places), id);
            }
        }
    }

    /// The members that all variants have in the same type.
    fn shared_by(&self, variants: &[(Ident, TypeId)]) -> Vec<Shared> {
        let Some(((_, first), rest)) = variants.split_first() else { return Vec::new() };
        let uses = Uses { response: true, ..Uses::default() };
        let optional = |field: &crate::model::Field| field.presence(uses) != Presence::Required;
        let alike = |field: &&crate::model::Field| {
            rest.iter().all(|(_, id)| {
                let mut others = self.fields(*id).iter();
                others
                    .any(|other| other.name == field.name && other.ty == field.ty && optional(other) == optional(field))
            })
        };
        let shared = self.fields(*first).iter().filter(alike).map(|field| Shared {
            name: field.name.clone(),
            docs: field.docs.clone(),
            ty: field.ty.clone(),
            optional: optional(field),
            variants: variants.iter().map(|(name, _)| name.clone()).collect(),
        });
        shared.collect()
    }

    /// Has the field inserted that names the type.
    fn insert(&mut self, parts: &[SelectedSet<'a>], all: &[Vec<SelectedField<'a>>]) {
        let problem = |span, message: String, hint: &str| Problem {
            code: "document/typename",
            document: source(&self.document.sources, span),
            pointer: None,
            position: position(&self.document.sources, span),
            message,
            hint: hint.to_owned(),
        };
        let taken =
            all.iter().flatten().find(|other| other.field.response_key() == TYPE_NAME && other.field.name != TYPE_NAME);
        if let Some(other) = taken {
            let message =
                format!("`{}` is selected as `{TYPE_NAME}`, which has to name the type here", other.field.name);
            let problem = problem(other.field.location(), message, "give it another alias");
            self.report.push(problem);
            return;
        }
        let sure: Vec<&SelectedSet<'a>> = parts.iter().filter(|part| part.sure).take(1).collect();
        let wanted = if sure.is_empty() { parts.iter().collect() } else { sure };
        let lacking: Vec<&SelectedSet<'a>> = wanted.into_iter().filter(|part| !has_type_name(part.set)).collect();
        // Each selection set gets it once, so it ends. One of these lacks it: otherwise every object would have it, under its name.
        for span in lacking.into_iter().filter_map(|part| place(part.set)) {
            self.insertions.insert((span.file_id(), span.offset()));
        }
    }

    /// The place of a member of an object.
    fn below(&self, place: &TypePlace, wire: &str, ty: &SchemaType) -> TypePlace {
        let noun = member_name(wire);
        let noun = camel(&if ty.is_list() { singular(&noun) } else { noun });
        let (path, wish) = match place.path.as_str() {
            "" => (wire.to_owned(), noun),
            path => (format!("{path}/{wire}"), format!("{}{noun}", place.wish)),
        };
        TypePlace { module: place.module.clone(), path, wish: type_name(&wish) }
    }

    /// The type of a selected field of the schema's type `ty`, which may promise more of it than the interface that a fragment
    /// names. A union has no fields of its own.
    fn type_of(&self, ty: &str, selected: &SelectedField<'a>) -> SchemaType {
        let own = self.schema.type_field(ty, &selected.field.name).ok().map(|own| own.ty.clone());
        own.unwrap_or_else(|| selected.field.ty().clone())
    }

    /// An object of the schema's type `ty`: an object type, or an abstract one. The same fields are selected for each
    /// object type that it represents; `one` of them gives the types of the fields.
    fn object(
        &mut self,
        place: &TypePlace,
        (ty, one): (&str, &str),
        parts: &[SelectedSet<'a>],
        within: Option<Within<'_>>,
        docs: Option<&str>,
    ) -> TypeId {
        let id = self.open(place);
        let description = self.schema.types.get(ty).and_then(ExtendedType::description);
        let docs = docs.map_or_else(|| described(description, ty), str::to_owned);
        let mut selections = self.collected(parts, one);
        selections
            .retain(|selection| within.is_none_or(|within| within.tag != selection.field.response_key().as_str()));
        let wires: Vec<String> =
            selections.iter().map(|selection| selection.field.response_key().to_string()).collect();
        let wishes: Vec<(&str, String)> = wires.iter().map(|wire| (wire.as_str(), member_name(wire))).collect();
        let key = format!("{}/{}", place.module, place.path);
        let names = self.names.members(Scope::default(), &key, &wishes);
        let (mut fields, mut selected_fields) = (Vec::new(), Vec::new());
        for ((selection, wire), name) in selections.into_iter().zip(&wires).zip(names) {
            let ty = self.type_of(ty, &selection);
            let SelectedField { field: selected, sure, places } = selection;
            let inner = ty.inner_named_type();
            let rust = if selected.selection_set.is_empty() {
                self.leaf(inner)
            } else {
                let next = self.below(place, wire, &ty);
                crate::model::Type::Named(self.value(inner, &places, next))
            };
            // A null in a member that should always be there is written back unchanged.
            let mut member = field(wire, name, bare(wrapped(&ty, rust)), sure, !ty.is_non_null());
            member.docs = selected.definition.description.as_ref().map(ToString::to_string).unwrap_or_default();
            member.deprecated = deprecation(selected.definition.directives.iter().map(AsRef::as_ref));
            fields.push(member);
            selected_fields.push(selected);
        }
        self.selections.insert(id, selected_fields);
        self.fill(id, docs, Kind::Struct(fields, None), false);
        id
    }

    /// The members of an object of a type. One that each part selects is there whenever the object is, because at least one part
    /// brought it.
    fn collected(&self, parts: &[SelectedSet<'a>], concrete: &str) -> Vec<SelectedField<'a>> {
        let mut fields = Vec::new();
        self.collect(parts, concrete, &mut fields);
        if parts.iter().any(|part| part.sure) || fields.iter().all(|member| member.sure) {
            return fields;
        }
        let each: Vec<Vec<SelectedField<'a>>> = parts
            .iter()
            .map(|part| {
                let mut own = Vec::new();
                self.collect(&[SelectedSet { set: part.set, sure: true }], concrete, &mut own);
                own
            })
            .collect();
        for member in fields.iter_mut().filter(|member| !member.sure) {
            let is_it = |own: &SelectedField<'_>| own.sure && own.field.response_key() == member.field.response_key();
            member.sure = each.iter().all(|part| part.iter().any(is_it));
        }
        fields
    }

    /// Every member that the selections bring to an object of a type (GraphQL, `CollectFields`).
    fn collect(&self, parts: &[SelectedSet<'a>], concrete: &str, fields: &mut Vec<SelectedField<'a>>) {
        for part in parts {
            for selection in &part.set.selections {
                let sure = part.sure && !decided(selection);
                if let Some((condition, set)) = inner(self.document, selection) {
                    if self.applies(condition, concrete) {
                        self.collect(&[SelectedSet { set, sure }], concrete, fields);
                    }
                } else if let Selection::Field(field) = selection {
                    merge(field, sure, fields);
                }
            }
        }
    }
}

/// The name of the member that names the type of each object, where all have one.
fn tag(all: &[Vec<SelectedField<'_>>]) -> Option<String> {
    let (first, rest) = all.split_first()?;
    let names = |field: &&SelectedField<'_>| field.field.name == TYPE_NAME && field.sure;
    let key = |field: &SelectedField<'_>| field.field.response_key().to_string();
    let mut keys = first.iter().filter(names).map(key);
    keys.find(|wanted| rest.iter().all(|fields| fields.iter().filter(names).any(|field| key(field) == *wanted)))
}

/// The selections of a type's members.
fn selected(ty: &str, parts: &[SelectedSet<'_>]) -> Selected {
    (ty.to_owned(), parts.iter().map(|part| (std::ptr::from_ref(part.set), part.sure)).collect())
}

/// Returns whether two members are selected at the same positions.
fn same(one: &SelectedField<'_>, other: &SelectedField<'_>) -> bool {
    let places = |field: &SelectedField<'_>| -> Vec<(*const SelectionSet, bool)> {
        field.places.iter().map(|part| (std::ptr::from_ref(part.set), part.sure)).collect()
    };
    one.field.response_key() == other.field.response_key()
        && one.field.name == other.field.name
        && places(one) == places(other)
}
