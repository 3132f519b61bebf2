//! Groups of types by the features that they are compiled with: one file per group.

use std::collections::BTreeMap;

use super::client;
use crate::model::{Model, TypeId};
use crate::pieces::Piece;
use crate::text::code::{code, one_of};
use crate::text::docs::{docs, module_comment};
use crate::text::{Code, Ident, literal};
use crate::{Config, Unreferenced};

/// A set of types that are compiled together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    /// Used by several families.
    Shared { assumed: bool },
    /// Used by one family, which has this name and feature.
    Family { name: Ident, feature: String, assumed: bool },
    /// Used by no operation.
    Unreferenced,
}

impl Group {
    /// Name of the module that holds the group. None is that of another group: names of families end in no underscore, and have no two
    /// in a row.
    pub(crate) fn file(&self) -> Ident {
        match self {
            Self::Shared { assumed: false } => Ident::fixed("shared_"),
            Self::Shared { assumed: true } => Ident::fixed("shared_assumed_"),
            Self::Family { name, assumed: false, .. } => name.clone(),
            Self::Family { name, assumed: true, .. } if **name == *"shared" => Ident::fixed("shared__assumed_"),
            Self::Family { name, assumed: true, .. } => name.followed_by("_assumed_"),
            Self::Unreferenced => Ident::fixed("unreferenced_"),
        }
    }

    /// The family that alone uses it, if there is one.
    pub(crate) fn family(&self) -> &str {
        match self {
            Self::Family { name, .. } => name,
            Self::Shared { .. } | Self::Unreferenced => "",
        }
    }

    /// The cargo features that have to be on.
    pub(crate) fn features(&self) -> Vec<String> {
        let assumed = |assumed: bool| assumed.then(|| "assumed".to_owned());
        match self {
            Self::Shared { assumed: is_assumed } => assumed(*is_assumed).into_iter().collect(),
            Self::Family { feature, assumed: is_assumed, .. } => {
                std::iter::once(feature.clone()).chain(assumed(*is_assumed)).collect()
            }
            Self::Unreferenced => vec!["unreferenced".to_owned()],
        }
    }

    /// The condition under which it is compiled, if there is one.
    pub(crate) fn condition(&self) -> Option<Code> {
        match self {
            Self::Shared { assumed: false } => None,
            Self::Shared { assumed: true } => Some(code!["feature = \"assumed\""]),
            Self::Family { feature, assumed: false, .. } => Some(code!["feature = ", literal(feature)]),
            Self::Family { feature, assumed: true, .. } => {
                Some(code!["all(feature = ", literal(feature), ", feature = \"assumed\")"])
            }
            Self::Unreferenced => Some(code!["feature = \"unreferenced\""]),
        }
    }
}

/// The head of a file of types.
pub(crate) fn opening(group: &Group) -> Vec<Piece> {
    let about = match group {
        Group::Shared { assumed: false } => {
            docs!["Types that several families use: each is compiled with any of these."]
        }
        Group::Shared { assumed: true } => {
            docs!["Types that several families use, assumed: each is compiled with any of these."]
        }
        Group::Family { name, assumed: false, .. } => docs!["Types of the family `", name, "`."],
        Group::Family { name, assumed: true, .. } => {
            docs!["Types of the family `", name, "`, assumed."]
        }
        Group::Unreferenced => docs!["Types that no operation uses."],
    };
    vec![Piece::Code(code![module_comment(&about), "\n", client::PRELUDE])]
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

/// The features of a type that several families use, but not all of them: one has to be on. Empty for other types.
pub(super) fn alternatives(model: &Model, id: TypeId) -> Vec<&str> {
    let families = &model.definition(id).reach.families;
    if families.len() < 2 || families.len() == model.families.len() {
        return Vec::new();
    }
    let used = model.families.iter().filter(|family| families.contains(&family.name));
    used.map(|family| family.feature.as_str()).collect()
}

/// The attribute of such a type; empty for other types.
pub(super) fn condition(model: &Model, id: TypeId) -> Code {
    match alternatives(model, id).as_slice() {
        [] => Code::default(),
        features => one_of(features),
    }
}
