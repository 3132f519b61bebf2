//! The member of an item that holds the value of its path parameter.

use super::names::{plain, singular};
use crate::contract::SchemaRef;
use crate::outline::{Outline, Outlines};

/// Names of members that identify an item under another name than the parameter's, the usual ones first.
const USUAL: &[&str] =
    &["id", "name", "uuid", "guid", "key", "slug", "sid", "gid", "code", "login", "username", "identifier", "number"];

/// Endings of parameters that say the same as the member named by them.
const ENDINGS: &[&str] =
    &["id", "uuid", "guid", "sid", "gid", "key", "name", "slug", "code", "number", "login", "identifier"];

/// The member for a parameter: of the same name, of the name without the collection's, or a usual one that fits the parameter.
pub(super) fn member(
    outlines: &Outlines,
    item: &Outline,
    parameter: &str,
    kind: &SchemaRef,
    collection: &str,
) -> Option<String> {
    let wanted = plain(parameter);
    let name = singular(&plain(collection));
    let kind = outlines.get(kind);
    let fits = |member: &str| {
        let shape = item.members.get(member).map(|member| outlines.get(&member.schema));
        shape.is_some_and(|shape| is_compatible(&kind, &shape))
    };
    let find =
        |plain_name: &str| item.members.keys().find(|member| plain(member) == plain_name && fits(member)).cloned();
    if let Some(exact) = find(&wanted) {
        return Some(exact);
    }
    // `projectId` of projects is `id`, `groupObjectId` is `objectId`.
    let is_suffix = |member: &&String| {
        let member = plain(member);
        member.len() > 1 && wanted.ends_with(&member)
    };
    let suffix = item.members.keys().filter(is_suffix).filter(|member| fits(member)).max_by_key(|member| member.len());
    if let Some(suffix) = suffix {
        return Some(suffix.clone());
    }
    // `id` of projects can be `projectId`.
    let ending = ENDINGS.iter().filter(|ending| wanted.ends_with(**ending)).max_by_key(|ending| ending.len());
    if let Some(member) = ending.and_then(|ending| find(&format!("{name}{ending}"))) {
        return Some(member);
    }
    if wanted.ends_with("uri") || wanted.ends_with("url") {
        return find("uri").or_else(|| find("url"));
    }
    let by_stem = USUAL.iter().find_map(|usual| find(&format!("{name}{usual}")));
    USUAL.iter().find_map(|usual| find(usual)).or(by_stem)
}

/// Returns whether a member of this name identifies an item of the collection.
pub(crate) fn is_identifying(member: &str, collection: &str) -> bool {
    let member = plain(member);
    USUAL.contains(&member.as_str()) || member == format!("{}id", singular(&plain(collection)))
}

/// Returns whether a value of a path can stand in the member: an integer member cannot hold a text with letters.
fn is_compatible(parameter: &Outline, member: &Outline) -> bool {
    if member.is_object() && !member.types.is_empty() || member.is_array() || member.allows("boolean") {
        return false;
    }
    let is_number = |shape: &Outline| shape.allows("integer") || shape.allows("number");
    let is_text = |shape: &Outline| shape.allows("string") || shape.types.is_empty();
    let is_guid = |shape: &Outline| shape.format.as_deref().is_some_and(|format| ["uuid", "guid"].contains(&format));
    let is_time = |shape: &Outline| shape.format.as_deref().is_some_and(|format| format.starts_with("date"));
    if is_time(member) && !is_time(parameter) {
        return false;
    }
    if is_guid(parameter) && is_number(member) {
        return false;
    }
    // Parameters are often declared as strings, whatever the member is.
    is_number(member) || is_text(member) && (is_text(parameter) || is_number(parameter) && !is_guid(member))
}
