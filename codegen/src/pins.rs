//! Rust names, and forms of types, that were given once and do not move.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// The names of `specs/names.lock`: contract key → Rust name.
///
/// A key is `METHOD /path` for an operation, the document and a JSON pointer for a type (with names in place of the
/// positions of parameters and alternatives, and media types without parameters), and a type's key with `.wire_name` for a
/// field or variant whose name cannot be derived from the wire name alone. The others are named in one line for each type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Names {
    /// Operations: `GET /api/projects/v1/projects` → `projects.list_projects`.
    pub operations: BTreeMap<String, String>,
    /// Types: `service#/components/schemas/Project` → `Project`.
    pub types: BTreeMap<String, String>,
    /// Fields and variants that needed more than their wire name.
    pub members: BTreeMap<String, String>,
    /// Types, also of GraphQL documents, and the wire names of those of their members whose names are derived from them, as
    /// words: `service#/components/schemas/Project` → `id ownerId`. No later member takes a name of theirs. Also operations, and
    /// the query parameters that are written as their setters are: `GET /orders` → `query:limit`. In style 2, also the parameters
    /// that calls pass as arguments, except for those of the path: `GET /orders` → `argument:query:sort-by`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub published: BTreeMap<String, String>,
    /// Responses of calls: the statuses of a success, and the media types of their bodies, abbreviated if common.
    /// `GET /orders` → `200:json 204:none`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub answers: BTreeMap<String, String>,
    /// Bodies of requests: the media type, and whether the body is set on the call. `POST /orders` → `json`,
    /// `PATCH /orders` → `application/merge-patch+json optional`, `DELETE /orders` → `none`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bodies: BTreeMap<String, String>,
    /// Headers of responses: the method that reads one, and the status whose response gives it its type.
    /// `GET /orders.retry-after` → `retry_after of 429`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Types whose members are present as in a type that is only read, only sent, or neither: key of the type → `read`,
    /// `sent`, `neither`; members that name the variant of the union that their type is sent in: `….kind` → `variant`; and
    /// members that are behind a box, of GraphQL documents too: `….parent` → `boxed`, or `variant boxed`.
    /// Also who says the version of the interface: `service#api-version` → `client`, or `argument`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub uses: BTreeMap<String, String>,
    /// The versions of the style that gave the names, unless 1: `operations` → `2`, `types` → `2`; and `arguments` → `2` if operations
    /// list their arguments.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub styles: BTreeMap<String, String>,
    /// Types that another one stands for, because they were equal to it: key of the type → name of the other one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub shared: BTreeMap<String, String>,
    /// Parameters and members with the type of an identifier: `GET /projects/{id}.path:id` → `ProjectId`,
    /// `service#/components/schemas/Project.id` → `ProjectId`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<String, String>,
    /// Types of GraphQL documents: `things/thing/owner` → `ThingOwner`; and their members that needed more.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub graphql: BTreeMap<String, String>,
}

impl Names {
    /// Drops the pins that hold a name which `renames` chooses for another key, if the contract no longer has the
    /// object of the pin. Returns `None` if there is nothing to drop. `given` are the names that resulted from these
    /// pins.
    pub(crate) fn freed(&self, renames: &BTreeMap<String, String>, given: &Self) -> Option<Self> {
        let mut freed = self.clone();
        for (pins, given) in [(&mut freed.types, &given.types), (&mut freed.graphql, &given.graphql)] {
            let refused: BTreeSet<&str> = renames
                .iter()
                .filter(|(key, chosen)| given.get(*key).is_some_and(|name| name != *chosen))
                .map(|(_, chosen)| chosen.as_str())
                .collect();
            pins.retain(|key, name| given.contains_key(key) || !refused.contains(name.as_str()));
        }
        (freed != *self).then_some(freed)
    }
}
