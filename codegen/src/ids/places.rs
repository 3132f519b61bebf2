//! The places of a model that entries name.

use std::collections::HashMap;

use super::address::{Address, is_member};
use super::judge::Judge;
use crate::model::{Kind, Model, Operation, Parameter, PartKind, Type};
use crate::rules::problem;
use crate::{Config, IdRule, Names, pointer};

/// A type in the model: of a parameter of an operation, of a field of a struct, of a part of a form.
#[derive(Clone, Copy, Debug)]
pub(super) enum PlaceIndex {
    Parameter(usize, usize),
    Member(usize, usize),
}

/// A place that one entry names.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) rule: usize,
    pub(super) spot: PlaceIndex,
    /// In `specs/names.lock`.
    pub(super) key: String,
    /// The address in the configuration that names it.
    pub(super) pointer: String,
}

/// The places of all entries. An entry without a place, and a place of two entries, are problems.
pub(super) fn find(model: &Model, config: &Config, given: &Names, judge: &mut Judge<'_>) -> Vec<Place> {
    let mut search = Search { config, rules: config.ids.iter().map(Rule::new).collect(), places: Vec::new(), judge };
    let keys: HashMap<&str, &String> = given.operations.iter().map(|(key, name)| (name.as_str(), key)).collect();
    for (index, operation) in model.operations.iter().enumerate() {
        let Some(owner) = keys.get(format!("{}.{}", operation.family, operation.name).as_str()) else { continue };
        for (position, parameter) in operation.parameters.iter().enumerate() {
            let key = format!("{owner}.{}:{}", parameter.location.word(), parameter.wire);
            search.take(PlaceIndex::Parameter(index, position), key, &Asked::Parameter(operation, parameter));
        }
    }
    let keys: HashMap<&str, &String> = given.types.iter().map(|(key, name)| (name.as_str(), key)).collect();
    for (index, definition) in model.types.iter().enumerate() {
        let Some(owner) = keys.get(&*definition.name) else { continue };
        let schema = pointer::schema(&definition.pointer);
        let wires: Vec<(usize, &str)> = match &definition.kind {
            Kind::Struct(fields, _) => fields.iter().map(|field| field.wire.as_str()).enumerate().collect(),
            Kind::Multipart(parts) => {
                let parts = parts.iter().enumerate();
                parts.filter(|(_, part)| of_part(&part.kind).is_some()).map(|(at, part)| (at, &*part.wire)).collect()
            }
            _ => continue,
        };
        for (position, wire) in wires {
            let asked = Asked::Member(schema.as_deref(), owner, wire);
            search.take(PlaceIndex::Member(index, position), format!("{owner}.{wire}"), &asked);
        }
    }
    search.finish()
}

/// The type at a place.
pub(super) fn ty(model: &Model, spot: PlaceIndex) -> &Type {
    const NONE: &Type = &Type::Any;
    let ty = match spot {
        PlaceIndex::Parameter(index, at) => {
            model.operations.get(index).and_then(|own| own.parameters.get(at)).map(|own| &own.ty)
        }
        PlaceIndex::Member(index, at) => match model.types.get(index).map(|definition| &definition.kind) {
            Some(Kind::Struct(fields, _)) => fields.get(at).map(|field| &field.ty),
            Some(Kind::Multipart(parts)) => parts.get(at).and_then(|part| of_part(&part.kind)),
            _ => None,
        },
    };
    ty.unwrap_or(NONE)
}

/// Changes the type at a place.
pub(super) fn change(model: &mut Model, spot: PlaceIndex, with: impl FnOnce(&mut Type)) {
    let ty = match spot {
        PlaceIndex::Parameter(index, at) => {
            model.operations.get_mut(index).and_then(|own| own.parameters.get_mut(at)).map(|own| &mut own.ty)
        }
        PlaceIndex::Member(index, at) => match model.types.get_mut(index).map(|definition| &mut definition.kind) {
            Some(Kind::Struct(fields, _)) => fields.get_mut(at).map(|field| &mut field.ty),
            Some(Kind::Multipart(parts)) => parts.get_mut(at).and_then(|part| match &mut part.kind {
                PartKind::File | PartKind::Files => None,
                PartKind::Text(ty)
                | PartKind::Texts(ty)
                | PartKind::Json(ty)
                | PartKind::Jsons(ty)
                | PartKind::Styled(ty, ..) => Some(ty),
            }),
            _ => None,
        },
    };
    if let Some(ty) = ty {
        with(ty);
    }
}

fn of_part(kind: &PartKind) -> Option<&Type> {
    match kind {
        PartKind::File | PartKind::Files => None,
        PartKind::Text(ty)
        | PartKind::Texts(ty)
        | PartKind::Json(ty)
        | PartKind::Jsons(ty)
        | PartKind::Styled(ty, ..) => Some(ty),
    }
}

/// The thing that addresses are compared with.
enum Asked<'m> {
    Parameter(&'m Operation, &'m Parameter),
    /// The schema by its name and by its key, and the name of the member.
    Member(Option<&'m str>, &'m str, &'m str),
}

/// An entry, and the addresses of it that name something.
struct Rule<'c> {
    parameters: Vec<(Option<Address<'c>>, bool)>,
    members: Vec<(&'c str, bool)>,
    except: Vec<(&'c str, Option<Address<'c>>, bool)>,
}

impl<'c> Rule<'c> {
    fn new(rule: &'c IdRule) -> Self {
        let read = |text: &'c String| Address::read(text).ok();
        Self {
            parameters: rule.parameters.iter().map(|text| (read(text), false)).collect(),
            members: rule.members.iter().map(|text| (text.as_str(), false)).collect(),
            except: rule.except.iter().map(|text| (text.as_str(), read(text), false)).collect(),
        }
    }

    /// The address that names it, as a pointer into the entry.
    fn names(&mut self, asked: &Asked<'_>) -> Option<String> {
        let mut first = None;
        match asked {
            Asked::Parameter(operation, parameter) => {
                for (number, (address, is_used)) in self.parameters.iter_mut().enumerate() {
                    if address.as_ref().is_some_and(|address| address.is_of(operation, parameter)) {
                        *is_used = true;
                        first.get_or_insert_with(|| format!("parameters/{number}"));
                    }
                }
            }
            Asked::Member(schema, key, wire) => {
                for (number, (address, is_used)) in self.members.iter_mut().enumerate() {
                    if is_member(address, *schema, key, wire) {
                        *is_used = true;
                        first.get_or_insert_with(|| format!("members/{number}"));
                    }
                }
            }
        }
        first.filter(|_| !self.excepts(asked))
    }

    fn excepts(&mut self, asked: &Asked<'_>) -> bool {
        let mut is_excepted = false;
        for (text, address, is_used) in &mut self.except {
            let is_it = match asked {
                Asked::Parameter(operation, parameter) => {
                    address.as_ref().is_some_and(|address| address.is_of(operation, parameter))
                }
                Asked::Member(schema, key, wire) => is_member(text, *schema, key, wire),
            };
            *is_used |= is_it;
            is_excepted |= is_it;
        }
        is_excepted
    }
}

struct Search<'c, 'j, 'p> {
    config: &'c Config,
    rules: Vec<Rule<'c>>,
    places: Vec<Place>,
    judge: &'j mut Judge<'p>,
}

impl Search<'_, '_, '_> {
    fn take(&mut self, spot: PlaceIndex, key: String, asked: &Asked<'_>) {
        let rules = self.rules.iter_mut().enumerate();
        let named: Vec<(usize, String)> = rules.filter_map(|(index, rule)| Some((index, rule.names(asked)?))).collect();
        match named.as_slice() {
            [] => {}
            [(rule, address)] => {
                self.places.push(Place { rule: *rule, spot, key, pointer: format!("/id/{rule}/{address}") });
            }
            [.., (other, address)] => {
                let rules: Vec<&IdRule> = named.iter().filter_map(|(rule, _)| self.config.ids.get(*rule)).collect();
                let twice = problem(
                    "id/twice",
                    format!("/id/{other}/{address}"),
                    format!("two [[id]] name `{key}`"),
                    "name it in `except` of one of them",
                );
                self.judge.refuse(&rules, twice);
            }
        }
    }

    fn finish(self) -> Vec<Place> {
        for (index, (rule, entry)) in self.rules.iter().zip(&self.config.ids).enumerate() {
            let name = &entry.name;
            if !self.places.iter().any(|place| place.rule == index) {
                let unmatched = problem(
                    "id/unmatched",
                    format!("/id/{index}"),
                    format!("the identifier `{name}`: the contract has none of its parameters and members"),
                    "correct the addresses by the keys of specs/names.lock, or remove the [[id]]",
                );
                self.judge.refuse(&[entry], unmatched);
                continue;
            }
            let parameters = rule.parameters.iter().map(|(_, is_used)| *is_used);
            let members = rule.members.iter().map(|(_, is_used)| *is_used);
            let except = rule.except.iter().map(|(.., is_used)| *is_used);
            let lists = [
                ("parameters", "parameter", &entry.parameters, parameters.collect::<Vec<_>>()),
                ("members", "member", &entry.members, members.collect()),
                ("except", "parameter or member", &entry.except, except.collect()),
            ];
            for (list, thing, addresses, used) in lists {
                let idle = addresses.iter().zip(used).enumerate().filter(|(_, (_, is_used))| !is_used);
                for (number, (address, _)) in idle {
                    let what = format!("identifier `{name}`: the contract has no {thing} {address:?}");
                    self.judge.say(format!("/id/{index}/{list}/{number}"), what);
                }
            }
        }
        self.places
    }
}
