//! The errors of the compiler that belong to a finding: at its own items, and at other items of its calls.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::finding::{Finding, Met};
use super::item_change::Source;
use super::items::{ItemPair, mentions, owner};
use super::rule::Wire;
use super::sides::Sides;
use crate::api::{Api, Item};

/// The places that no longer compile.
pub(super) struct Broken<'a> {
    /// Documents and places of schemas, before and after.
    schemas: Sides<HashSet<(&'a str, &'a str)>>,
    /// `true` if an operation, or a type that it names, has such an item.
    operations: HashMap<&'a str, bool>,
    met: &'a BTreeMap<String, Met>,
}

impl<'a> Broken<'a> {
    pub(super) fn new(pairs: &[ItemPair<'a>], clients: Sides<&'a Api>, met: &'a BTreeMap<String, Met>) -> Self {
        let mut schemas: Sides<HashSet<(&str, &str)>> = Sides::default();
        let mut broken: HashSet<&str> = HashSet::new();
        for pair in pairs.iter().filter(|pair| pair.source == Source::Major) {
            for (side, item) in pair.items {
                let Some(item) = item else { continue };
                let document = item.origin.document.as_str();
                schemas[side].extend([(document, item.origin.pointer.as_str()), (document, item.place())]);
                broken.extend([owner(item), item.origin.operation.as_str()]);
            }
        }
        broken.remove("");
        let mut operations: HashMap<&str, bool> = HashMap::new();
        for item in clients.into_iter().flat_map(|(_, client)| &client.items) {
            let Item { signature, origin, .. } = item;
            if !origin.operation.is_empty() {
                let is_broken =
                    broken.contains(origin.operation.as_str()) || mentions(signature).any(|path| broken.contains(path));
                *operations.entry(&origin.operation).or_default() |= is_broken;
            }
        }
        Self { schemas, operations, met }
    }

    /// True if running programs notice a finding, and nothing that does not compile leads to all of its calls.
    pub(super) fn is_silent(&self, finding: &Finding) -> bool {
        if finding.client < Wire::Risk || finding.source == Source::Major {
            return false;
        }
        let document = finding.places.document.as_str();
        let met = self.met.get(document).map(|met| met.schemas.as_slice()).unwrap_or_default();
        let places = finding.places.schemas.iter().filter_map(|pair| met.get(*pair)).map(|(places, _)| places);
        let is_at_schema = places
            .flat_map(|places| places.as_ref().zip(self.schemas.as_ref()))
            .any(|(_, (place, broken))| broken.contains(&(document, place.as_str())));
        let is_broken = |operation: &String| self.operations.get(operation.as_str()) == Some(&true);
        !is_at_schema && (finding.operations.is_empty() || !finding.operations.iter().all(is_broken))
    }
}
