//! Names of types and members: chosen by hand, pinned, or derived; each given once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::keys::key;
use super::naming::Shortener;
use super::operation_names::OPERATIONS;
use super::status::StatusKey;
use super::tree::{Document, Node};
use crate::ledger::{Ledger, Loss};
use crate::naming::ident::{camel, type_name};
use crate::naming::setter::{self, reader_name, setter_name};
use crate::naming::{Doubles, Scope, published};
use crate::pointer;
use crate::text::Ident;
use crate::{Config, Names, StyleVersion};

/// The key of [`Names::styles`] for types, and for the names of values.
pub(crate) const TYPES: &str = "types";

/// The key of [`Names::styles`] for the arguments that operations list.
pub(super) const ARGUMENTS: &str = "arguments";

/// The beginning of the word for an argument in the line of an operation: `argument:query:sort-by`.
const ARGUMENT: &str = "argument:";

/// The pointer prefix of named schemas.
const COMPONENTS: &str = "/components/schemas/";

/// Names, and who has them.
#[derive(Debug)]
pub(super) struct Claims<'a> {
    pins: &'a Names,
    renames: &'a BTreeMap<String, String>,
    style: StyleVersion,
    /// Names of types that are given, or that a pin keeps for its type.
    scope: Scope,
    /// Pinned names of types that are renamed. Only a type that is renamed, too, can take one: programs still have them.
    left: BTreeSet<&'a str>,
    /// Pinned names that were given.
    honoured: BTreeSet<&'a str>,
    /// Whose a name is: name of a type → document.
    owners: HashMap<String, String>,
    /// Schemas that are a part of a shared type: key → the key that the members of the type are pinned by.
    keepers: HashMap<&'a str, &'a str>,
    /// Types whose key another type had already: name → key.
    repeated: HashMap<String, String>,
    /// (document, pointer) of a named schema → its name.
    components: HashMap<(String, String), Ident>,
    pub(super) doubles: Doubles,
    /// Names that were given: types by key, and members that needed more than their wire name.
    pub(super) given: Names,
}

impl<'a> Claims<'a> {
    /// Named schemas take their names before inline ones do.
    pub(super) fn new(documents: &[Document], pins: &'a Names, config: &'a Config, ledger: &mut Ledger) -> Self {
        let renames = &config.rename;
        // Programs know an identifier by its name, so a schema that comes later gets another one.
        let is_known = |name: &&str| pins.ids.values().any(|known| known == name);
        let ids = config.ids.iter().map(|rule| rule.name.as_str()).filter(is_known);
        let is_left = |(key, name): &(&String, &String)| renames.get(*key).is_some_and(|chosen| chosen != *name);
        let left = pins.types.iter().filter(is_left).map(|(_, name)| name.as_str());
        let mut claims = Self {
            pins,
            renames,
            style: config.style.version,
            scope: Scope::with(pins.types.values().map(String::as_str).chain(ids)),
            left: left.collect(),
            honoured: BTreeSet::new(),
            owners: pins.types.iter().map(|(key, name)| (name.clone(), document_of(key).to_owned())).collect(),
            keepers: keepers(pins),
            repeated: HashMap::new(),
            components: HashMap::new(),
            doubles: Doubles::default(),
            given: Names::default(),
        };
        let mut wanted = Vec::new();
        for (index, document) in documents.iter().enumerate() {
            let root = Node::root(document);
            let schemas = root.get("components").and_then(|components| components.get("schemas"));
            let shortener = Shortener::new(schemas.iter().flat_map(Node::members).map(|(name, _)| name));
            for (name, node) in schemas.iter().flat_map(|schemas| schemas.members().collect::<Vec<_>>()) {
                let earlier = documents.iter().take(index).find(|earlier| has_schema(earlier, name));
                if let Some(earlier) = earlier {
                    let what =
                        format!("a separate type: the document `{}` has a schema of this name, too", earlier.name);
                    node.note(ledger, "model/type", what, Loss::Nothing);
                }
                wanted.push((index, key(&node), node.pointer.clone(), shortener.short(name)));
            }
        }
        // Chosen names come first. Then one document after the other, and within it first the names in the form of Rust
        // types: of `order` and `Order`, the second is `Order`.
        wanted.sort_by_cached_key(|(index, key, _, wish)| {
            (!renames.contains_key(key), *index, pointer::last(key) != *wish, key.clone())
        });
        for (index, key, pointer, wish) in wanted {
            let name = claims.claim(&key, &wish);
            if let Some(document) = documents.get(index) {
                claims.components.insert((document.name.clone(), pointer), name);
            }
        }
        claims
    }

    /// The name for a new type: chosen by hand, pinned, or the first free form of `wish`. A newcomer never takes the name of
    /// a type that was there before.
    pub(super) fn claim(&mut self, key: &str, wish: &str) -> Ident {
        let mut key = key.to_owned();
        // Two alternatives may have one title.
        while self.given.types.contains_key(&key) {
            key.push('+');
        }
        let chosen = self.renames.get(&key).map(String::as_str);
        let pinned = self.pins.types.get(&key).map(String::as_str);
        let pinned = pinned.filter(|pinned| chosen.is_none_or(|chosen| chosen == *pinned));
        if let Some(name) = chosen.or(pinned) {
            self.doubles.note("type", "", &key, name, chosen.is_some());
        }
        let reserved = pinned.or(chosen.filter(|chosen| self.left.contains(*chosen)));
        let name = match reserved.and_then(|name| Some((name, Ident::new(name)?))) {
            Some((reserved, name)) if self.honoured.insert(reserved) => name,
            _ => self.unpinned(&key, chosen, wish),
        };
        self.owners.insert(name.to_string(), document_of(&key).to_owned());
        if key.ends_with('+') {
            self.repeated.insert(name.to_string(), key.clone());
        }
        self.given.types.insert(key, name.to_string());
        name
    }

    /// The owner of the members of a type: alternatives with one place in the contract are several.
    pub(super) fn member_owner(&self, name: &str, key: String) -> String {
        self.repeated.get(name).cloned().unwrap_or(key)
    }

    /// The pinned name of a member. All schemas of a shared type have the names of the type.
    fn pinned_member(&self, owner: &str, key: &str) -> Option<&'a String> {
        let shared =
            self.keepers.get(owner).zip(key.strip_prefix(owner)).map(|(keeper, wire)| format!("{keeper}{wire}"));
        self.pins.members.get(shared.as_deref().unwrap_or(key))
    }

    /// The first free form of the wished name. Types of two documents are two types, equal or not: each document
    /// changes without the other. Of one name, the second has its document in front.
    fn unpinned(&mut self, key: &str, chosen: Option<&str>, wish: &str) -> Ident {
        let first = chosen.unwrap_or(wish);
        let document = document_of(key);
        match self.owners.get(&camel(first)).filter(|owner| *owner != document) {
            Some(_) => self.scope.claim([first, wish, &format!("{}{first}", camel(document))]),
            None => self.scope.claim([first, wish]),
        }
    }

    /// Returns whether an enumeration, and its values, get the names that extensions of several tools have. One that programs of
    /// another style know keeps its own.
    pub(super) fn names_values(&self, owner: &str) -> bool {
        self.style > StyleVersion::One && !self.keeps_values(owner)
    }

    /// Returns whether programs of another style know an enumeration.
    pub(super) fn keeps_values(&self, owner: &str) -> bool {
        let is_other = self.style > StyleVersion::One && !self.pins.styles.contains_key(TYPES);
        is_other && self.pins.types.contains_key(owner)
    }

    /// Pins names that would follow from something else the next time.
    pub(super) fn pin_members<'n>(&mut self, owner: &str, members: impl Iterator<Item = (&'n str, &'n Ident)>) {
        self.given.members.extend(members.map(|(wire, name)| ([owner, ".", wire].concat(), name.to_string())));
        self.given.published.remove(owner);
    }

    /// The names of the members of one owner, given as wire name and wish. Pinned names come first, then those of published
    /// members, then wire names that are written as Rust writes them, then the rest: of `$type` and `type`, the second is `type_`.
    pub(super) fn members(&mut self, scope: &mut Scope, owner: &str, members: &[(&str, String)]) -> Vec<Ident> {
        let known = published::read(&self.pins.published, self.keepers.get(owner).unwrap_or(&owner));
        published::note(&mut self.doubles, "member", owner, members, &known, self.renames);
        let rank = |(wire, wish): &(&str, String)| {
            let is_plain = wire.chars().all(|c| c.is_alphanumeric() || c == '_');
            let pinned = self.is_pinned(owner, &[owner, ".", wire].concat());
            (!pinned, !known.contains(*wire), wire != wish, !is_plain)
        };
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_cached_key(|index| members.get(*index).map(rank));
        let mut names: Vec<(usize, Ident)> = Vec::with_capacity(members.len());
        for index in order {
            if let Some((wire, wish)) = members.get(index) {
                names.push((index, self.member(scope, owner, wire, wish)));
            }
        }
        names.sort_by_key(|(index, _)| *index);
        let names: Vec<Ident> = names.into_iter().map(|(_, name)| name).collect();
        let derived = members.iter().zip(&names).filter(|((_, wish), name)| ***name == **wish);
        published::add(&mut self.given.published, owner, derived.map(|((wire, _), _)| *wire).collect());
        names
    }

    /// The names of the setters of an operation's optional parameters, given as place and wire name. Those of the query that are
    /// written as Rust writes them are words of a line for the operation, as members are; all others are pinned.
    pub(super) fn setters(&mut self, operation: &str, parameters: Vec<(&'static str, &str)>) -> Vec<Ident> {
        if parameters.is_empty() {
            return Vec::new();
        }
        let mut scope = Scope::with(setter::METHODS.iter().copied());
        let known = published::read(&self.pins.published, operation);
        let placed: Vec<String> = parameters.iter().map(|(place, wire)| format!("{place}:{wire}")).collect();
        let wished: Vec<(&str, String)> =
            placed.iter().zip(&parameters).map(|(placed, (_, wire))| (placed.as_str(), setter_name(wire))).collect();
        published::note(&mut self.doubles, "member", operation, &wished, &known, self.renames);
        let mut named: Vec<(bool, bool, bool, usize, &str, &str)> = Vec::with_capacity(parameters.len());
        for (index, ((place, wire), (placed, wish))) in parameters.iter().zip(&wished).enumerate() {
            let pinned = self.is_pinned(operation, &format!("{operation}.{placed}"));
            let is_plain = *place == "query" && wish == wire;
            named.push((!pinned, !known.contains(*placed), !is_plain, index, placed, wish));
        }
        named.sort_unstable();
        let (mut names, mut plain) = (Vec::with_capacity(named.len()), Vec::new());
        for (_, _, derived, index, placed, wish) in named {
            let key = format!("{operation}.{placed}");
            let chosen = self.settled(operation, &key);
            let place = placed.split(':').next().unwrap_or_default();
            let longer = format!("{}_{place}", wish.trim_end_matches('_'));
            let name = scope.claim([chosen.unwrap_or(wish), wish, &longer]);
            if derived || *name != *wish {
                self.given.members.insert(key, name.to_string());
            } else {
                plain.push(placed);
            }
            names.push((index, name));
        }
        published::add(&mut self.given.published, operation, plain);
        names.sort_by_key(|(index, _)| *index);
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// Returns whether the default of a parameter is also that of the schema which it refers to.
    pub(super) fn reads_defaults(&self) -> bool {
        self.style > StyleVersion::One
    }

    /// Returns whether a required parameter with a default is set on the call. If programs know the operation, one that they pass as
    /// an argument stays an argument, in whichever place the contract has it now.
    pub(super) fn may_be_left_out(&self, operation: &str, place: &str, wire: &str) -> bool {
        let placed = format!("{place}:{wire}");
        let is_known = self.pins.styles.contains_key(OPERATIONS) && self.pins.operations.contains_key(operation);
        let words = published::read(&self.pins.published, operation);
        let was_set = || self.pins.members.contains_key(&format!("{operation}.{placed}")) || words.contains(&placed);
        let is_passed = |word: &String| {
            word.strip_prefix(ARGUMENT).and_then(|word| word.split_once(':')).is_some_and(|(before, name)| match before
            {
                // Names of headers are the same in any case (RFC 9110, section 5.1).
                "header" => name.eq_ignore_ascii_case(wire),
                _ => name == wire,
            })
        };
        let was_passed = || words.iter().any(is_passed);
        self.style > StyleVersion::One && (!is_known || was_set() || !was_passed())
    }

    /// Notes the required parameters that calls of an operation pass as arguments, given as place and wire name: one that gets a
    /// default stays an argument. A path parameter is one in any case.
    pub(super) fn arguments<'n>(&mut self, operation: &str, parameters: impl Iterator<Item = (&'static str, &'n str)>) {
        if self.style > StyleVersion::One {
            let words: Vec<String> = parameters.map(|(place, wire)| format!("{ARGUMENT}{place}:{wire}")).collect();
            published::add(&mut self.given.published, operation, words.iter().map(String::as_str).collect());
        }
    }

    /// The status whose response gave a header of an operation its type.
    pub(super) fn header(&self, operation: &str, wire: &str) -> Option<StatusKey> {
        let pin = self.pins.headers.get(&header_key(operation, wire))?;
        StatusKey::read(pin.rsplit_once(FROM)?.1)
    }

    /// The names of the methods that read the headers of an operation's responses, given as name in lower case and as the
    /// status whose response gives it its type. All are pinned.
    pub(super) fn headers(&mut self, operation: &str, headers: &[(String, StatusKey)]) -> Vec<Ident> {
        let mut scope = Scope::default();
        let pin = |wire: &str| self.pins.headers.get(&header_key(operation, wire))?.rsplit_once(FROM).map(|pin| pin.0);
        let mut named: Vec<(bool, bool, usize)> = Vec::with_capacity(headers.len());
        for (index, (wire, _)) in headers.iter().enumerate() {
            let chosen = self.renames.get(&header_key(operation, wire));
            let is_pinned = pin(wire).is_some_and(|pinned| chosen.is_none_or(|chosen| chosen == pinned));
            named.push((!is_pinned, !wire.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), index));
        }
        named.sort_unstable();
        let mut names = Vec::with_capacity(named.len());
        for (_, _, index) in named {
            let Some((wire, status)) = headers.get(index) else { continue };
            let key = header_key(operation, wire);
            let wish = reader_name(wire);
            let chosen = self.renames.get(&key).map(String::as_str);
            let settled = chosen.or_else(|| pin(wire));
            if let Some(name) = settled {
                self.doubles.note("header", operation, &key, name, chosen.is_some());
            }
            let name = scope.claim([settled.unwrap_or(&wish), &wish]);
            self.given.headers.insert(key, format!("{name}{FROM}{status}"));
            names.push((index, name));
        }
        names.sort_by_key(|(index, _)| *index);
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// The name of a member: pinned, or the first free form of `wish`. It is pinned where it needed more than its wire name.
    fn member(&mut self, scope: &mut Scope, owner: &str, wire: &str, wish: &str) -> Ident {
        let key = [owner, ".", wire].concat();
        let chosen = self.settled(owner, &key);
        let name = scope.claim([chosen.unwrap_or(wish), wish]);
        if *name != *wish {
            self.given.members.insert(key, name.to_string());
        }
        name
    }

    /// Returns whether a member keeps the name of its pin: a member that is renamed to a name of others takes it from
    /// none of them.
    fn is_pinned(&self, owner: &str, key: &str) -> bool {
        let pinned = self.pinned_member(owner, key);
        pinned.is_some_and(|pinned| self.renames.get(key).is_none_or(|chosen| chosen == pinned))
    }

    /// The name of a member that is chosen by hand, or pinned.
    fn settled(&mut self, owner: &str, key: &str) -> Option<&'a str> {
        let chosen = self.renames.get(key);
        let name = chosen.or_else(|| self.pinned_member(owner, key))?;
        self.doubles.note("member", owner, key, name, chosen.is_some());
        Some(name)
    }

    /// The names that were given, and those that no other type can get.
    pub(super) fn finish(self) -> (Names, Scope) {
        (self.given, self.scope)
    }

    /// The response of an operation, as it was first given a type.
    pub(super) fn answer(&self, operation: &str) -> Option<&'a str> {
        self.pins.answers.get(operation).map(String::as_str)
    }

    /// The body of an operation, as it was first given a name.
    pub(super) fn body(&self, operation: &str) -> Option<&'a str> {
        self.pins.bodies.get(operation).map(String::as_str)
    }

    /// The name of the named schema at a place.
    pub(super) fn component(&self, place: &(String, String)) -> Option<&Ident> {
        self.components.get(place)
    }

    /// The name of the named schema that a place lies in.
    pub(super) fn owner(&self, node: &Node<'_>) -> Option<&str> {
        let component = node.pointer.strip_prefix(COMPONENTS)?.split('/').next()?;
        self.component(&(node.document.name.clone(), format!("{COMPONENTS}{component}"))).map(|name| &**name)
    }
}

fn has_schema(document: &Document, name: &str) -> bool {
    document.tree.pointer(COMPONENTS.trim_end_matches('/')).is_some_and(|schemas| schemas.get(name).is_some())
}

/// The schemas of shared types, each with the key of its type.
fn keepers(pins: &Names) -> HashMap<&str, &str> {
    let keys: HashMap<&str, &str> = pins.types.iter().map(|(key, name)| (name.as_str(), key.as_str())).collect();
    pins.shared.iter().filter_map(|(key, name)| Some((key.as_str(), *keys.get(name.as_str())?))).collect()
}

/// The document of the key of a type.
fn document_of(key: &str) -> &str {
    key.split('#').next().unwrap_or_default()
}

/// The key of a header of an operation's responses in the lock: `GET /orders.retry-after`. Its value: `retry_after of 429`.
fn header_key(operation: &str, wire: &str) -> String {
    format!("{operation}.{wire}")
}

/// Separates the name of a header's method from the status whose response gives it its type.
const FROM: &str = " of ";

/// A name for the inline schema of a component that operations share, such as `NotFoundResponse`; `None`: it is not a component.
pub(super) fn shared_name(pointer: &str, suffix: &str) -> Option<String> {
    let shared = pointer.starts_with("/components/") && pointer.matches('/').count() == 3;
    let name = shared.then(|| type_name(&pointer::last(pointer)))?;
    Some(if name.ends_with(suffix) { name } else { format!("{name}{suffix}") })
}
