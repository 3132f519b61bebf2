//! The types of a document: its variables, and what its selections bring.

use std::collections::BTreeMap;

use apollo_compiler::executable::{Field, Fragment, Operation, Selection, SelectionSet};
use apollo_compiler::validation::Valid;
use apollo_compiler::{ExecutableDocument, Node};

use super::inputs::{Inputs, bare, deprecated};
use super::model::{Item, Member, Need, Shape, Typed};
use super::problem;
use crate::Report;
use crate::naming::Scope;
use crate::naming::ident::{camel, member_name, type_name, variant_name};
use crate::naming::words::singular;
use crate::text::code::code;
use crate::text::{Code, Ident};

/// The types of a document.
pub(super) fn typed(
    inputs: &mut Inputs<'_>,
    file: &str,
    document: &Valid<ExecutableDocument>,
) -> Result<Typed, Report> {
    let Some(operation) = document.operations.iter().next() else {
        return Ok(Typed { variables: false, items: Vec::new() });
    };
    let variables = variables(inputs, operation);
    let has_variables = variables.is_some();
    let (scope, report) = (Scope::with(["Variables", "Data"]), Report::default());
    let mut select = Select { inputs, document, file, scope, fragments: BTreeMap::new(), items: Vec::new(), report };
    let sets = [Part { set: &operation.selection_set, sure: true }];
    let root = operation.selection_set.ty.as_str();
    select.object(Ident::fixed("Data"), root, &sets, None);
    let items = variables.into_iter().chain(select.items).collect();
    select.report.into_result(Typed { variables: has_variables, items })
}

fn variables(inputs: &mut Inputs<'_>, operation: &Operation) -> Option<Item> {
    let mut scope = Scope::default();
    let mut members = Vec::new();
    for variable in &operation.variables {
        let mut member = inputs.member(&variable.name, &variable.ty, variable.default_value.is_some());
        member.name = scope.claim([&*member.name]);
        member.docs = format!("`${}`", variable.name);
        members.push(member);
    }
    let docs = "What the document takes.".to_owned();
    (!members.is_empty()).then(|| Item { name: Ident::fixed("Variables"), docs, shape: Shape::Input(members) })
}

/// A selection set that contributes to an object.
#[derive(Clone, Copy)]
struct Part<'d> {
    set: &'d SelectionSet,
    /// Whether what it selects is always there: no `@skip` or `@include` decides it.
    sure: bool,
}

/// A member of an object, with every place that selects it.
struct Found<'d> {
    field: &'d Node<Field>,
    sure: bool,
    places: Vec<Part<'d>>,
}

struct Select<'d, 'i, 's> {
    inputs: &'i mut Inputs<'s>,
    document: &'d Valid<ExecutableDocument>,
    file: &'d str,
    scope: Scope,
    /// Fragments that became a type of their own.
    fragments: BTreeMap<&'d str, Ident>,
    items: Vec<Item>,
    report: Report,
}

impl<'d> Select<'d, '_, '_> {
    /// The type of a value of the schema's type `ty`.
    fn value(&mut self, ty: &str, parts: &[Part<'d>], wish: &str) -> Ident {
        if let Some(fragment) = self.whole(ty, parts) {
            if let Some(known) = self.fragments.get(fragment.name.as_str()) {
                return known.clone();
            }
            let name = self.scope.claim([type_name(&fragment.name).as_str()]);
            self.fragments.insert(fragment.name.as_str(), name.clone());
            self.shape(name.clone(), ty, &[Part { set: &fragment.selection_set, sure: true }]);
            return name;
        }
        let name = self.scope.claim([type_name(wish).as_str()]);
        self.shape(name.clone(), ty, parts);
        name
    }

    /// The fragment that is all that is selected, where it is one for this very type.
    fn whole(&self, ty: &str, parts: &[Part<'d>]) -> Option<&'d Node<Fragment>> {
        let [Part { set, .. }] = parts else { return None };
        let [Selection::FragmentSpread(spread)] = set.selections.as_slice() else { return None };
        let fragment = self.document.fragments.get(&spread.fragment_name)?;
        (spread.directives.is_empty() && fragment.selection_set.ty == ty).then_some(fragment)
    }

    fn shape(&mut self, name: Ident, ty: &str, parts: &[Part<'d>]) {
        let mut told_apart: Vec<String> =
            self.possible(ty).into_iter().filter(|one| self.has_own(parts, ty, one)).collect();
        told_apart.sort();
        if told_apart.is_empty() {
            self.object(name, ty, parts, None);
        } else {
            self.union(name, parts, &told_apart);
        }
    }

    /// The object types that a value may have.
    fn possible(&self, ty: &str) -> Vec<String> {
        let objects = self.inputs.schema.types.iter().filter(|(_, ty)| ty.is_object());
        let fits = |name: &str| name != ty && self.inputs.schema.is_subtype(ty, name);
        objects.map(|(name, _)| name.to_string()).filter(|name| fits(name)).collect()
    }

    /// Whether something is selected for an object type that is not selected for every other one.
    fn has_own(&self, parts: &[Part<'d>], ty: &str, object: &str) -> bool {
        parts.iter().any(|part| {
            part.set.selections.iter().any(|selection| {
                let Some((condition, set)) = self.inner(selection) else { return false };
                let narrows = || !self.possible(ty).iter().all(|one| self.applies(condition, one));
                self.applies(condition, object) && (narrows() || self.has_own(&[Part { set, sure: true }], ty, object))
            })
        })
    }

    /// The type condition and the selections of a fragment.
    fn inner(&self, selection: &'d Selection) -> Option<(&'d str, &'d SelectionSet)> {
        match selection {
            Selection::Field(_) => None,
            Selection::InlineFragment(inline) => Some((inline.selection_set.ty.as_str(), &inline.selection_set)),
            Selection::FragmentSpread(spread) => {
                let set = &self.document.fragments.get(&spread.fragment_name)?.selection_set;
                Some((set.ty.as_str(), set))
            }
        }
    }

    fn applies(&self, condition: &str, object: &str) -> bool {
        condition == object || self.inputs.schema.is_subtype(condition, object)
    }

    /// One of several objects.
    fn union(&mut self, name: Ident, parts: &[Part<'d>], objects: &[String]) {
        let mut tag: Option<String> = None;
        for object in objects {
            let mut found = Vec::new();
            self.collect(parts, object, &mut found);
            let own = found.iter().find(|found| found.field.name == "__typename" && found.sure);
            let key = own.map(|found| found.field.response_key().to_string());
            if key.is_none() || tag.is_some() && tag != key {
                return self.no_tag(parts, object);
            }
            tag = key;
        }
        let tag = tag.unwrap_or_default();
        let place = self.items.len();
        let docs = format!("One of several types, which `{tag}` names.");
        self.items.push(Item { name: name.clone(), docs, shape: Shape::Union(tag.clone(), Vec::new()) });
        let mut variants = Vec::new();
        let mut scope = Scope::with(["Unknown"]);
        for object in objects {
            let ty = self.scope.claim([type_name(&format!("{name}{}", camel(object))).as_str()]);
            self.object(ty.clone(), object, parts, Some(&tag));
            variants.push((object.clone(), scope.claim([variant_name(object).as_str()]), ty));
        }
        if let Some(Item { shape: Shape::Union(_, list), .. }) = self.items.get_mut(place) {
            *list = variants;
        }
    }

    fn no_tag(&mut self, parts: &[Part<'d>], object: &str) {
        let field = parts.iter().flat_map(|part| &part.set.selections).find_map(|selection| match selection {
            Selection::Field(field) => field.location(),
            Selection::InlineFragment(inline) => inline.location(),
            Selection::FragmentSpread(spread) => spread.location(),
        });
        let position = field.and_then(|span| span.line_column(&self.document.sources)).map(|at| (at.line, at.column));
        let message = format!("what is selected differs by type, and nothing here names the type (`{object}` is one)");
        let hint = "select `__typename` here, outside of the fragments";
        self.report.push(problem("document/typename", self.file, position, message, hint));
    }

    /// An object of the schema's type `ty`: an object type, or an abstract one for all of whose object types the same is
    /// selected. The member `tag` is left to the union around it.
    fn object(&mut self, name: Ident, ty: &str, parts: &[Part<'d>], tag: Option<&str>) {
        let place = self.items.len();
        let described = self.inputs.schema.types.get(ty).and_then(|ty| ty.description().cloned());
        let docs = described.map_or_else(|| format!("`{ty}` of the schema."), |text| text.to_string());
        let docs = if &*name == "Data" { "What the document answers.".to_owned() } else { docs };
        self.items.push(Item { name: name.clone(), docs, shape: Shape::Data(Vec::new()) });
        let mut found = Vec::new();
        // What applies to one object type applies to all of them here.
        let one = self.possible(ty).into_iter().next().unwrap_or_else(|| ty.to_owned());
        self.collect(parts, &one, &mut found);
        let mut scope = Scope::default();
        let mut members = Vec::new();
        for Found { field, sure, places } in found {
            let wire = field.response_key().to_string();
            if tag == Some(wire.as_str()) {
                continue;
            }
            // An object type may promise more of a field than the interface that a fragment names.
            let own = self.inputs.schema.type_field(ty, &field.name).ok().map(|own| &own.ty);
            let ty = own.unwrap_or_else(|| field.ty());
            let inner = ty.inner_named_type();
            let rust: Code = if field.selection_set.selections.is_empty() {
                self.inputs.leaf(inner)
            } else {
                let noun = member_name(&wire);
                let noun = camel(&if ty.is_list() { singular(&noun) } else { noun });
                let wish = if &*name == "Data" { noun } else { format!("{name}{noun}") };
                code![self.value(inner, &places, &wish)]
            };
            let need = if ty.is_non_null() && sure { Need::Required } else { Need::Optional };
            let docs = field.definition.description.as_ref().map(|text| text.to_string()).unwrap_or_default();
            members.push(Member {
                name: scope.claim([member_name(&wire).as_str()]),
                wire,
                ty: bare(ty, rust),
                need,
                docs,
                deprecated: deprecated(&field.definition.directives.0),
            });
        }
        if let Some(Item { shape: Shape::Data(list), .. }) = self.items.get_mut(place) {
            *list = members;
        }
    }

    /// Every member that the selections bring to an object of a type (GraphQL, `CollectFields`).
    fn collect(&self, parts: &[Part<'d>], concrete: &str, found: &mut Vec<Found<'d>>) {
        for part in parts {
            for selection in &part.set.selections {
                let sure = part.sure && !decided(selection);
                if let Some((condition, set)) = self.inner(selection) {
                    if self.applies(condition, concrete) {
                        self.collect(&[Part { set, sure }], concrete, found);
                    }
                } else if let Selection::Field(field) = selection {
                    merge(field, sure, found);
                }
            }
        }
    }
}

/// Adds a place that selects a field. What only an unsure place selects is there when that place is.
fn merge<'d>(field: &'d Node<Field>, sure: bool, found: &mut Vec<Found<'d>>) {
    let set = &field.selection_set;
    match found.iter_mut().find(|known| known.field.response_key() == field.response_key()) {
        None => found.push(Found { field, sure, places: vec![Part { set, sure: true }] }),
        Some(known) => {
            let only_one_so_far = known.places.len() == 1;
            if only_one_so_far && let Some(first) = known.places.first_mut() {
                first.sure = known.sure;
            }
            known.places.push(Part { set, sure });
            known.sure |= sure;
        }
    }
}

/// Whether `@skip` or `@include` decides a selection.
fn decided(selection: &Selection) -> bool {
    selection.directives().has("skip") || selection.directives().has("include")
}
