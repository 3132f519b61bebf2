//! The Rust form of each type, and the members that are behind a box.

mod boxes;
mod rust;

use std::collections::HashMap;

use crate::Names;
use crate::model::Model;

pub(crate) use boxes::{Boxed, boxes};
pub use boxes::{LARGEST_NEW, LARGEST_PUBLISHED};
pub(crate) use rust::Rust;

/// The members of a model that need a box. `given` are the names that `pins` led to.
pub(crate) fn generate(model: &Model, pins: &Names, given: &mut Names) -> Boxed {
    let keys: HashMap<&str, &String> = given.types.iter().map(|(key, name)| (name.as_str(), key)).collect();
    let keys: Vec<_> = model.types.iter().map(|definition| keys.get(&*definition.name).copied()).collect();
    boxes(&model.types, &keys, pins, &mut given.uses)
}
