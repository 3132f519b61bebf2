//! Which types are compiled with which features: one file per group.

use std::collections::BTreeMap;

use crate::model::{Model, TypeId};
use crate::{Config, Unreferenced};

/// A set of types that are compiled together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// Used by several families.
    Shared { assumed: bool },
    /// Used by one family, which has this name and feature.
    Family { name: String, feature: String, assumed: bool },
    /// Used by no operation.
    Unreferenced,
}

impl Group {
    /// Name of the module that holds the group. Neither name can be a family's: those end in no underscore.
    pub(crate) fn file(&self) -> String {
        match self {
            Self::Shared { assumed: false } => "shared_".to_owned(),
            Self::Shared { assumed: true } => "shared_assumed_".to_owned(),
            Self::Family { name, assumed: false, .. } => name.clone(),
            Self::Family { name, assumed: true, .. } => format!("{name}_assumed_"),
            Self::Unreferenced => "unreferenced_".to_owned(),
        }
    }

    /// The condition under which it is compiled, if there is one.
    pub(crate) fn condition(&self) -> Option<String> {
        match self {
            Self::Shared { assumed: false } => None,
            Self::Shared { assumed: true } => Some("feature = \"assumed\"".to_owned()),
            Self::Family { feature, assumed: false, .. } => Some(format!("feature = \"{feature}\"")),
            Self::Family { feature, assumed: true, .. } => {
                Some(format!("all(feature = \"{feature}\", feature = \"assumed\")"))
            }
            Self::Unreferenced => Some("feature = \"unreferenced\"".to_owned()),
        }
    }
}

/// All types by group, each group in the order of names.
pub(crate) fn groups(model: &Model, config: &Config) -> BTreeMap<Group, Vec<TypeId>> {
    let mut groups: BTreeMap<Group, Vec<TypeId>> = BTreeMap::new();
    for (index, definition) in model.types.iter().enumerate() {
        let reach = &definition.reach;
        let assumed = !reach.documented;
        let mut families = reach.families.iter();
        let group = match (families.next(), families.next()) {
            (None, _) if config.unreferenced == Unreferenced::Omit => continue,
            (None, _) => Group::Unreferenced,
            (Some(name), None) => {
                let feature =
                    model.families.iter().find(|family| family.name == *name).map(|family| family.feature.clone());
                Group::Family { name: name.clone(), feature: feature.unwrap_or_default(), assumed }
            }
            (Some(_), Some(_)) => Group::Shared { assumed },
        };
        groups.entry(group).or_default().push(TypeId(index));
    }
    for ids in groups.values_mut() {
        ids.sort_by(|one, other| model.definition(*one).name.cmp(&model.definition(*other).name));
    }
    groups
}
