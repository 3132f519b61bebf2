//! Identifiers with a type of their own: between the model, in which they are scalars, and `shape`.
//!
//! Nothing on the wire depends on them. A place is a parameter, or a member of an object or a form; it keeps its lists, maps and
//! options, and the scalar in them gets another type in Rust.

mod address;
mod check;
mod judge;
mod places;

use std::collections::BTreeMap;

pub(crate) use check::check;
use judge::Judge;
use places::{Place, PlaceIndex};

use crate::model::{Definition, Format, Identifier, Kind, Model, Provenance, Reach, Type, TypeId, Uses};
use crate::naming::Scope;
use crate::output::Unused;
use crate::rules::problem;
use crate::shape::ALIAS;
use crate::text::Ident;
use crate::{Config, IdRule, Names, Report};

/// Gives the places of each entry its type, and returns the parts of entries without effect. `given` gets a line for each place, and `scope`
/// the names.
///
/// # Errors
///
/// Entries without a place, and places that cannot have the type of their entry, unless `pins` has the identifier.
pub(crate) fn apply(
    model: &mut Model,
    config: &Config,
    pins: &Names,
    given: &mut Names,
    scope: &mut Scope,
) -> Result<Vec<Unused>, Report> {
    if config.ids.is_empty() {
        return Ok(Vec::new());
    }
    let mut judge = Judge::new(pins);
    let places = places::find(model, config, given, &mut judge);
    let mut typed: BTreeMap<usize, Vec<Scalar<'_>>> = BTreeMap::new();
    for place in &places {
        let rule = &config.ids[place.rule];
        match scalar(places::ty(model, place.spot)) {
            Ok(scalar) => typed.entry(place.rule).or_default().push((place, scalar.clone())),
            Err(form) => judge.refuse(
                &[rule],
                problem(
                    "id/type",
                    place.pointer.clone(),
                    format!("the identifier `{}`: `{}` is {form}", rule.name, place.key),
                    "an identifier is text, an integer or a UUID: name the place in `except`, or remove the address",
                ),
            ),
        }
    }
    let mut kept: Vec<(usize, PlaceIndex)> = Vec::new();
    let mut scalars: BTreeMap<usize, &Type> = BTreeMap::new();
    for (index, places) in &typed {
        let rule = &config.ids[*index];
        let Some(most) = of_most(places, |place| pins.ids.get(&place.key) == Some(&rule.name)) else { continue };
        scalars.insert(*index, &most.1);
        for (place, scalar) in places {
            if *scalar == most.1 {
                kept.push((*index, place.spot));
                given.ids.insert(place.key.clone(), rule.name.clone());
            } else {
                judge.refuse(&[rule], differs(rule, (most.0, &most.1), (place, scalar)));
            }
        }
    }
    let mut ids = BTreeMap::new();
    for (index, scalar) in scalars {
        let Some(rule) = config.ids.get(index) else { continue };
        // Other names of a shared type are given later, as programs know them.
        let aliases = pins.types.iter().filter(|(key, _)| key.ends_with(ALIAS));
        if let Some((key, _)) = given.types.iter().chain(aliases).find(|(_, name)| **name == rule.name) {
            judge.push(problem(
                "id/taken",
                format!("/id/{index}/name"),
                format!("`{}` is the name of the schema `{key}`", rule.name),
                "choose another name, or give the schema one in [rename]",
            ));
        }
        scope.take(&rule.name);
        ids.insert(index, TypeId(model.types.len()));
        model.types.push(definition(rule, scalar.clone()));
    }
    for (rule, spot) in kept {
        if let Some(id) = ids.get(&rule) {
            places::change(model, spot, |ty| put(ty, *id));
        }
    }
    judge.finish()
}

/// A place, and its scalar.
type Scalar<'p> = (&'p Place, Type);

/// The first place with the scalar of most places: of those that programs know, if there are some, so that a new place changes no other.
fn of_most<'t, 'p>(places: &'t [Scalar<'p>], is_known: impl Fn(&Place) -> bool) -> Option<&'t Scalar<'p>> {
    let mut firsts: Vec<&Scalar<'_>> = Vec::new();
    let mut counts: Vec<(usize, usize)> = Vec::new();
    for place in places {
        let index = firsts.iter().position(|first| first.1 == place.1).unwrap_or(firsts.len());
        if index == firsts.len() {
            firsts.push(place);
            counts.push((0, 0));
        }
        if let Some((of_known, all)) = counts.get_mut(index) {
            *of_known += usize::from(is_known(place.0));
            *all += 1;
        }
    }
    firsts.into_iter().zip(counts).rev().max_by_key(|(_, count)| *count).map(|(first, _)| first)
}

/// The scalar in lists, maps and options; the form of the type if it has none that can be an identifier.
fn scalar(ty: &Type) -> Result<&Type, &'static str> {
    match ty {
        Type::List(inner) | Type::Map(inner) | Type::Optional(inner) => scalar(inner),
        Type::Integer(_) | Type::String(Format::Text | Format::Uuid) => Ok(ty),
        Type::Any => Err("any JSON value"),
        Type::Object | Type::Named(_) => Err("an object, an enumeration or a union"),
        Type::String(_) => Err("text with a format of its own"),
        Type::Boolean => Err("a truth value"),
        Type::Float | Type::Double | Type::Decimal | Type::Custom(_) => Err("a number with a fraction"),
    }
}

/// Puts a type in place of the scalar.
fn put(ty: &mut Type, id: TypeId) {
    match ty {
        Type::List(inner) | Type::Map(inner) | Type::Optional(inner) => put(inner, id),
        other => *other = Type::Named(id),
    }
}

fn differs(rule: &IdRule, (first, one): (&Place, &Type), (place, other): (&Place, &Type)) -> crate::Problem {
    problem(
        "id/scalars",
        place.pointer.clone(),
        format!(
            "the identifier `{}` is {} at `{}`, and {} at `{}`",
            rule.name,
            word(one),
            first.key,
            word(other),
            place.key
        ),
        "name one of them in `except`, give it an [[id]] of its own, or correct the contract with a [[correction]]",
    )
}

fn word(scalar: &Type) -> &'static str {
    match scalar {
        Type::Integer(name) => name,
        Type::String(Format::Uuid) => "a UUID",
        _ => "text",
    }
}

fn definition(rule: &IdRule, scalar: Type) -> Definition {
    let places = rule.parameters.iter().chain(&rule.members).cloned().collect();
    Definition {
        name: Ident::derived(&rule.name, crate::naming::ident::camel),
        document: String::new(),
        pointer: String::new(),
        docs: String::new(),
        deprecated: false.into(),
        provenance: Provenance::Plain,
        kind: Kind::Id(Identifier { scalar, places }),
        reach: Reach::default(),
        uses: Uses::default(),
    }
}
