//! Names of types and members of documents: chosen by hand, pinned, or derived; each given once.

use std::collections::{BTreeMap, BTreeSet};

use crate::naming::{Doubles, Scope, published};
use crate::text::Ident;
use crate::{Config, Names};

/// Names, and who has them. A key is `module/place` for a type, and that of its type with `.wire_name` for a member.
#[derive(Debug)]
pub(super) struct Namer<'a> {
    pins: &'a BTreeMap<String, String>,
    published: &'a BTreeMap<String, String>,
    renames: &'a BTreeMap<String, String>,
    /// Names of types that are given, by module.
    scopes: BTreeMap<String, Scope>,
    honoured: BTreeSet<String>,
    pub(super) doubles: Doubles,
    pub(super) given: BTreeMap<String, String>,
    /// The members whose names are derived, by the key of their type.
    pub(super) derived: BTreeMap<String, String>,
}

impl<'a> Namer<'a> {
    pub(super) fn new(pins: &'a Names, config: &'a Config) -> Self {
        Self {
            pins: &pins.graphql,
            published: &pins.published,
            renames: &config.rename,
            scopes: BTreeMap::new(),
            honoured: BTreeSet::new(),
            doubles: Doubles::default(),
            given: BTreeMap::new(),
            derived: BTreeMap::new(),
        }
    }

    /// The name of a type: chosen, pinned, or the first free form of `wish`. A newcomer never takes the name of a type that
    /// was there before.
    pub(super) fn of_type(&mut self, module: &str, place: &str, wish: &str) -> Ident {
        let key = format!("{module}/{place}");
        let chosen = self.renames.get(&key).map(String::as_str);
        let pinned = self.pins.get(&key).and_then(|name| Ident::new(name));
        let pinned = pinned.filter(|name| chosen.is_none_or(|chosen| *chosen == **name));
        let reserved = pinned.clone().or(chosen.filter(|chosen| self.is_left(module, chosen)).and_then(Ident::new));
        let scope = self.scopes.entry(module.to_owned()).or_insert_with(|| {
            let start = format!("{module}/");
            let of_module = |(key, _): &(&String, &String)| key.starts_with(&start) && !key.contains('.');
            let pinned = self.pins.iter().filter(of_module).map(|(_, name)| name.as_str());
            Scope::with(pinned.chain(["Data", "Variables"]))
        });
        if let Some(name) = chosen.or(pinned.as_deref()) {
            self.doubles.note("graphql", module, &key, name, chosen.is_some());
        }
        let name = match reserved {
            Some(reserved) if self.honoured.insert(format!("{module}/{reserved}")) => reserved,
            _ => scope.claim([chosen.unwrap_or(wish), wish]),
        };
        self.given.insert(key, name.to_string());
        name
    }

    /// Returns whether a place has a type of its own in the lock.
    pub(super) fn is_pinned_type(&self, module: &str, place: &str) -> bool {
        self.pins.contains_key(&format!("{module}/{place}"))
    }

    /// The names of the members of one owner, given as wire name and wish. Pinned names come first, then those of
    /// published members, then wire names that are written as Rust writes them, then the rest.
    pub(super) fn members(&mut self, mut scope: Scope, owner: &str, members: &[(&str, String)]) -> Vec<Ident> {
        let key = |wire: &str| format!("{owner}.{wire}");
        let known = published::read(self.published, owner);
        published::note(&mut self.doubles, "graphql", owner, members, &known, self.renames);
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_cached_key(|index| {
            members
                .get(*index)
                .map(|(wire, wish)| (!self.is_pinned(&key(wire)), !known.contains(*wire), wire != wish, *wire))
        });
        let mut names = vec![Ident::fixed("unnamed"); members.len()];
        for index in order {
            let (Some((wire, wish)), Some(name)) = (members.get(index), names.get_mut(index)) else { continue };
            let chosen = self.renames.get(&key(wire));
            let settled = chosen.or_else(|| self.pins.get(&key(wire)));
            if let Some(name) = settled {
                self.doubles.note("graphql", owner, &key(wire), name, chosen.is_some());
            }
            *name = scope.claim([settled.unwrap_or(wish).as_str(), wish]);
            if **name != **wish {
                self.given.insert(key(wire), name.to_string());
            }
        }
        let derived = members.iter().zip(&names).filter(|((_, wish), name)| ***name == **wish);
        published::add(&mut self.derived, owner, derived.map(|((wire, _), _)| *wire).collect());
        names
    }

    /// Returns whether a pinned name belongs to a type of the module that is renamed. Only a type that is renamed, too,
    /// can take it.
    fn is_left(&self, module: &str, name: &str) -> bool {
        self.pins.iter().any(|(key, pinned)| {
            let is_type = key.split_once('/').is_some_and(|(owner, rest)| owner == module && !rest.contains('.'));
            is_type && pinned == name && self.renames.get(key).is_some_and(|chosen| chosen != name)
        })
    }

    /// Returns whether a member keeps the name of its pin: a member that is renamed to a name of others takes it from
    /// none of them.
    fn is_pinned(&self, key: &str) -> bool {
        self.pins.get(key).is_some_and(|pinned| self.renames.get(key).is_none_or(|chosen| chosen == pinned))
    }
}
