//! Conditional requests (RFC 9110, section 13): the tags of items, and requests that depend on them.

use std::fmt::Write as _;
use std::sync::Arc;

use http::header::{HeaderMap, IF_MATCH, IF_NONE_MATCH};
use http::{HeaderName, Method};
use serde_json::Value;

use super::{Call, Engine, Outcome};
use crate::infer::{Collection, Role, plain};
use crate::seed::mix;
use crate::state::Full;

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
    /// Without a value, nobody has written it: its answer is sampled.
    Present(Option<Arc<Value>>),
    /// The request would make it, or would be answered with 404.
    Missing { is_made: bool },
}

impl Preconditions {
    pub(crate) fn read(headers: &HeaderMap) -> Self {
        let read = |name: HeaderName| {
            let lines: Vec<_> = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default()).collect();
            // A header without a tag is none: a client sends an argument that is empty.
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

    /// Returns whether one of the tags is that of the value, or stands in its member `etag`. A weak tag is not the strong one of a value, but a
    /// member can have a weak one.
    fn has(&self, value: Option<&Value>, with_weak: bool) -> bool {
        let Self::Listed(tags) = self else { return true };
        let own = digest(value.unwrap_or(&Value::Null));
        let member = value.and_then(member_tag).map(|(_, text)| text.trim_start_matches("W/").trim_matches('"'));
        tags.iter().any(|tag| tag.text == own && (with_weak || !tag.is_weak) || member == Some(tag.text.as_str()))
    }
}

/// The strong tag of a value. The order of members does not matter.
pub(crate) fn tag(value: &Value) -> String {
    format!("\"{}\"", digest(value))
}

fn digest(value: &Value) -> String {
    let mut text = String::new();
    write_sorted(value, &mut text);
    format!("{:016x}{:016x}", mix(1, &[&text]), mix(2, &[&text]))
}

fn write_sorted(value: &Value, text: &mut String) {
    match value {
        Value::Array(elements) => {
            text.push('[');
            for element in elements {
                write_sorted(element, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in members {
                // A text can be written to always.
                let _ = write!(text, "{name:?}:");
                write_sorted(value, text);
                text.push(',');
            }
            text.push('}');
        }
        // The text of a scalar as JSON cannot be taken for another one.
        scalar => {
            let _ = write!(text, "{scalar}");
        }
    }
}

/// The text for a value that follows one with another text.
fn mix_tag(before: &str, value: &Value) -> Value {
    format!("{:016x}", mix(3, &[before, &digest(value)])).into()
}

/// The name and the text of the member `etag`.
pub(super) fn member_tag(value: &Value) -> Option<(&String, &str)> {
    let (name, tag) = value.as_object()?.iter().find(|(name, _)| plain(name) == "etag")?;
    Some((name, tag.as_str().filter(|text| !text.is_empty())?))
}

impl Engine {
    /// Gives the member `etag` of a changed item another text, unless the request has sent one.
    pub(super) fn renew_tag(&self, collection: &Collection, before: &Value, sent: Option<&str>, value: &mut Value) {
        let before = member_tag(before).map(|(_, text)| text).unwrap_or_default();
        let Some((name, _)) = member_tag(value).filter(|_| sent.is_none_or(|sent| sent == before)) else { return };
        let name = name.clone();
        // Of the text before, too: the same content that is sent again is another change.
        let tag = mix_tag(before, value);
        let shape = collection.item.as_ref().map(|item| self.plan.outlines.get(item)).unwrap_or_default();
        let fits = shape.members.get(&name).is_none_or(|member| self.fitter().is_valid(&member.schema, &tag));
        if let Some(members) = value.as_object_mut().filter(|_| fits) {
            members.insert(name, tag);
        }
    }

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
            Target::Present(value) => {
                let value = value.as_deref();
                wanted.if_match.as_ref().is_some_and(|tags| !tags.has(value, false))
                    || wanted.if_none_match.as_ref().is_some_and(|tags| tags.has(value, true))
            }
            // A condition that a 404 answers already is not looked at, except the one for any item at all.
            Target::Missing { is_made } => match &wanted.if_match {
                Some(WantedTags::Any) => true,
                Some(WantedTags::Listed(_)) => *is_made,
                None => false,
            },
        };
        Ok(fails.then(|| failed(matches!(target, Target::Present(_)))))
    }

    fn target(&self, call: &Call<'_>, collection: Option<(usize, &Collection)>) -> Result<Option<Target>, Full> {
        let is_written = match call.planned.role {
            Role::Replace | Role::Patch | Role::Delete | Role::Act => true,
            Role::SingleReplace | Role::SinglePatch | Role::SingleDelete => {
                return Ok(Some(Target::Present(self.state().value(call.place))));
            }
            _ => false,
        };
        let Some((index, collection)) = collection.filter(|_| is_written) else { return Ok(None) };
        let owner = self.owner(call, index, collection);
        let Some(id) = self.named(call, &owner, collection) else { return Ok(None) };
        let is_in_path = self.id(call, collection).is_some();
        let (item, is_made) = match call.planned.role {
            Role::Replace => {
                self.begin(&owner, collection);
                let item = self.state().instance(&owner).and_then(|instance| instance.item(&id).cloned());
                (item, !(is_in_path && collection.has_create && collection.names_identifiers))
            }
            role => (self.item(&owner, collection, &id)?, role == Role::Patch && !is_in_path),
        };
        Ok(Some(item.map_or(Target::Missing { is_made }, |item| Target::Present(Some(item.value)))))
    }

    /// The outcome of a read, unless its conditions decide otherwise. They are compared with what the read has come to: it can take work further.
    pub(super) fn conditional(&self, call: &Call<'_>, outcome: Outcome) -> Outcome {
        let wanted = call.preconditions;
        if wanted.is_empty() || !is_read(call) {
            return outcome;
        }
        if matches!(outcome, Outcome::Unknown(_)) && wanted.if_match == Some(WantedTags::Any) {
            return failed(false);
        }
        let Some(value) = tagged(&outcome) else { return outcome };
        if wanted.if_match.as_ref().is_some_and(|tags| !tags.has(Some(&value), false)) {
            return failed(true);
        }
        match &wanted.if_none_match {
            Some(tags) if tags.has(Some(&value), true) => Outcome::NotModified(tag(&value)),
            _ => outcome,
        }
    }
}

/// The value whose tag an outcome has.
pub(crate) fn tagged(outcome: &Outcome) -> Option<Arc<Value>> {
    match outcome {
        Outcome::Item { value, .. } | Outcome::Value(Some(value)) => Some(Arc::clone(value)),
        Outcome::Value(None) => Some(Arc::default()),
        Outcome::List(listed) => {
            let page = listed.page.iter().map(|value| Value::String(digest(value)));
            Some(Arc::new(page.chain([listed.total.into()]).collect()))
        }
        _ => None,
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
    use serde_json::json;

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

    #[test]
    fn a_tag_is_of_the_value_and_not_of_its_order() {
        assert_eq!(
            tag(&json!({ "a": 1, "b": { "c": [1], "d": null } })),
            tag(&json!({ "b": { "d": null, "c": [1] }, "a": 1 }))
        );
        let all = [
            json!(null),
            json!("null"),
            json!([[1], 2]),
            json!([[1, 2]]),
            json!([2, [1]]),
            json!({ "a": 1 }),
            json!({ "a": "1" }),
            json!({ "a\":1,\"b": 1 }),
            json!({ "a": 1, "b": 1 }),
        ];
        let tags: std::collections::BTreeSet<_> = all.iter().map(tag).collect();
        assert_eq!(tags.len(), all.len());
    }
}
