//! Conditional requests (RFC 9110, section 13): the tags of items, and requests that depend on them.

use std::borrow::Cow;
use std::sync::Arc;

use http::header::{HeaderMap, IF_MATCH, IF_NONE_MATCH};
use http::{HeaderName, Method};
use serde_json::Value;

use super::tags::{digest, of_file, tag};
use super::{Call, Engine, Outcome};
use crate::infer::{Collection, Role};
use crate::request::Read;
use crate::state::{Full, Item};

/// The conditions of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Preconditions {
    if_match: Option<WantedTags>,
    if_none_match: Option<WantedTags>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum WantedTags {
    Any,
    Listed(Vec<EntityTag>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct EntityTag {
    is_weak: bool,
    text: String,
}

/// The item, or the value that exists once, that a request is about.
#[derive(Debug)]
enum Target {
    /// The value whose tag it has, and the one whose member `etag` is a tag, too.
    Present(Arc<Value>, Arc<Value>),
    /// The request would make it, or would be answered with 404.
    Missing { is_made: bool },
}

impl Preconditions {
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let read = |name: HeaderName| {
            // Bytes beyond ASCII are part of a tag, which no item has.
            let lines: Vec<Cow<'_, str>> =
                headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
            // Clients send an empty header for an empty argument. It sets no condition.
            Some(WantedTags::read(&lines.join(","))).filter(|tags| *tags != WantedTags::Listed(Vec::new()))
        };
        Self { if_match: read(IF_MATCH), if_none_match: read(IF_NONE_MATCH) }
    }

    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl WantedTags {
    /// The tags of a header. A text without quotes is one, too: contracts ask for the member `etag` as it is.
    fn read(text: &str) -> Self {
        let mut rest = text.trim();
        if rest == "*" {
            return Self::Any;
        }
        let mut tags = Vec::new();
        loop {
            rest = rest.trim_start_matches([',', ' ', '\t']);
            if rest.is_empty() {
                return Self::Listed(tags);
            }
            let weak = rest.strip_prefix("W/").filter(|behind| behind.starts_with('"'));
            let strong = weak.unwrap_or(rest);
            let (text, behind) = match strong.strip_prefix('"').and_then(|behind| behind.split_once('"')) {
                Some(parts) => parts,
                None => strong.split_once(',').unwrap_or((strong, "")),
            };
            tags.push(EntityTag { is_weak: weak.is_some(), text: text.trim().to_owned() });
            rest = behind;
        }
    }

    /// Returns whether one of the tags is that of the value, or of a member. A weak tag is not the strong one of a value, but a
    /// member can have a weak one.
    fn has(&self, value: &Value, member: Option<&str>, with_weak: bool) -> bool {
        let Self::Listed(tags) = self else { return true };
        let own = digest(value);
        tags.iter().any(|tag| tag.text == own && (with_weak || !tag.is_weak) || member == Some(tag.text.as_str()))
    }
}

impl Engine {
    /// The refusal of a request that writes, if its conditions are not met.
    pub(super) fn unmet(
        &self,
        call: &Call<'_>,
        collection: Option<(usize, &Collection)>,
    ) -> Result<Option<Outcome>, Full> {
        let wanted = call.preconditions;
        if wanted.is_empty() || is_read(call) {
            return Ok(None);
        }
        let Some(target) = self.target(call, collection)? else { return Ok(None) };
        let fails = match &target {
            Target::Present(value, item) => {
                let member = self.accepted_member(call, item);
                wanted.if_match.as_ref().is_some_and(|tags| !tags.has(value, member, false))
                    || wanted.if_none_match.as_ref().is_some_and(|tags| tags.has(value, member, true))
            }
            // A condition that a 404 answers already is not looked at.
            Target::Missing { is_made } => *is_made && wanted.if_match.is_some(),
        };
        Ok(fails.then(|| failed(matches!(target, Target::Present(..)))))
    }

    fn target(&self, call: &Call<'_>, collection: Option<(usize, &Collection)>) -> Result<Option<Target>, Full> {
        let is_written = match call.planned.role {
            Role::Replace | Role::Patch | Role::Delete | Role::Act | Role::Clear => true,
            Role::SingleReplace | Role::SinglePatch | Role::SingleDelete | Role::Upload => {
                return Ok(Some(self.single_target(call)));
            }
            _ => false,
        };
        let Some((index, collection)) = collection.filter(|_| is_written) else { return Ok(None) };
        if call.planned.role == Role::Clear {
            let list = self.whole_list(call, index, collection);
            return Ok(Some(Target::Present(Arc::clone(&list), list)));
        }
        let owner = self.owner(call, index, collection);
        let Some(id) = self.named(call, &owner, collection) else { return Ok(None) };
        let (item, is_made) = match call.planned.role {
            Role::Replace => {
                self.begin(&owner, collection);
                let item = self.state().instance(&owner).and_then(|instance| instance.item(&id).cloned());
                (item, self.is_made_by_put(call, collection))
            }
            role => {
                let is_made = role == Role::Patch && self.id(call, collection).is_none();
                (self.item(&owner, collection, &id)?, is_made)
            }
        };
        let present = |item: Item| {
            let tagged = self.tagged_item(call, &id, &item.value);
            Target::Present(tagged.unwrap_or_else(|| Arc::clone(&item.value)), item.value)
        };
        Ok(Some(item.map_or(Target::Missing { is_made }, present)))
    }

    /// The value or the file at the place of a request. A place that no operation reads as a value has none before the first write.
    fn single_target(&self, call: &Call<'_>) -> Target {
        let (value, file) = {
            let state = self.state();
            (state.value(call.place).cloned(), state.file(call.place).cloned())
        };
        let value = match (value, file) {
            (Some(value), _) => value,
            (None, Some(file)) => Arc::new(of_file(&file)),
            (None, None) if self.reader(call.place).is_some() => self.unwritten(call),
            (None, None) => return Target::Missing { is_made: true },
        };
        Target::Present(Arc::clone(&value), value)
    }

    /// The value with the tag of a list that is read without a query.
    fn whole_list(&self, call: &Call<'_>, index: usize, collection: &Collection) -> Arc<Value> {
        let all = self.contract.operations.iter().zip(&self.plan.operations);
        let lists = all.filter(|(operation, planned)| {
            operation.method == Method::GET && planned.role == Role::List && planned.collection == Some(index)
        });
        let list = lists.max_by_key(|(operation, _)| operation.template == call.operation.template);
        let Some((operation, planned)) = list else { return Arc::default() };
        let call = Call { operation, planned, read: &Read::default(), part: None, ..*call };
        self.tagged(&call, &self.list(&call, index, collection)).unwrap_or_default()
    }

    /// The outcome of a read, unless its conditions decide otherwise. They are compared with what the read has come to: it can take work further.
    pub(super) fn conditional(&self, call: &Call<'_>, outcome: Outcome) -> Outcome {
        let wanted = call.preconditions;
        if wanted.is_empty() || !is_read(call) {
            return outcome;
        }
        let Some(value) = self.tagged(call, &outcome) else { return outcome };
        let member = self.accepted_member(call, &value);
        if wanted.if_match.as_ref().is_some_and(|tags| !tags.has(&value, member, false)) {
            return failed(true);
        }
        match &wanted.if_none_match {
            Some(tags) if tags.has(&value, member, true) => Outcome::NotModified(tag(&value)),
            _ => outcome,
        }
    }
}

fn is_read(call: &Call<'_>) -> bool {
    [Method::GET, Method::HEAD].contains(&call.operation.method)
}

fn failed(exists: bool) -> Outcome {
    let detail = match exists {
        true => "the item is not in the state that the request asks for: read it again, and send its ETag in If-Match",
        false => "the request asks for an item that exists, and it does not",
    };
    Outcome::Failed(detail.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<(bool, String)> {
        match WantedTags::read(text) {
            WantedTags::Any => vec![(false, "*".to_owned())],
            WantedTags::Listed(tags) => tags.into_iter().map(|tag| (tag.is_weak, tag.text)).collect(),
        }
    }

    #[test]
    fn tags_are_read_with_and_without_quotes() {
        let strong = |text: &str| (false, text.to_owned());
        for (text, expected) in [
            (" * ", vec![strong("*")]),
            ("\"a\"", vec![strong("a")]),
            ("W/\"a\" , \"b,c\",,\"\"", vec![(true, "a".to_owned()), strong("b,c"), strong("")]),
            ("1, x y", vec![strong("1"), strong("x y")]),
            ("\"open", vec![strong("\"open")]),
            ("W/", vec![strong("W/")]),
            ("", vec![]),
        ] {
            assert_eq!(listed(text), expected, "{text}");
        }
    }
}
