//! The Rust form of each type, as progenitor translates it.
//!
//! Every distinct shape of a type is shown to progenitor once, with one placeholder for all named types: a list of
//! orders and a list of users are one shape. So its work does not grow with the contract, and no name of a contract can
//! collide, be re-cased or be refused. Names, options and boxes are put back here.

mod boxes;
mod progenitor;
mod rust;
mod shapes;

use std::collections::{HashMap, HashSet};

use crate::model::{Model, Type, TypeId};
use crate::{Names, Problem, Report};

pub(crate) use boxes::boxes;
pub use boxes::{LARGEST_NEW, LARGEST_PUBLISHED};
pub(crate) use rust::Rust;

/// Rust types, as progenitor resolved them.
#[derive(Debug, Default)]
pub(crate) struct Resolved {
    shapes: HashMap<Type, Rust>,
    /// Members behind a box: definition and position.
    boxes: HashSet<(TypeId, usize)>,
}

impl Resolved {
    /// The type at a place of use.
    pub(crate) fn rust(&self, ty: &Type) -> Rust {
        match self.shapes.get(&shapes::shape(ty)) {
            Some(rust) => rust.clone().filled(ty),
            None => Rust::name("Value"),
        }
    }

    /// The type of a member of a definition.
    pub(crate) fn member(&self, id: TypeId, position: usize, ty: &Type) -> Rust {
        let rust = self.rust(ty);
        if self.boxes.contains(&(id, position)) { rust.boxed() } else { rust }
    }
}

/// Resolves all types of a model. `given` are the names that `pins` led to.
pub(crate) fn generate(model: &Model, pins: &Names, given: &mut Names) -> Result<Resolved, Report> {
    let distinct = shapes::distinct(model);
    let resolved = progenitor::resolve(&distinct).map_err(|error| internal(&error))?;
    let keys: HashMap<&str, &String> = given.types.iter().map(|(key, name)| (name.as_str(), key)).collect();
    let keys: Vec<_> = model.types.iter().map(|definition| keys.get(&*definition.name).copied()).collect();
    let boxes = boxes(&model.types, &keys, pins, &mut given.uses);
    Ok(Resolved { shapes: distinct.into_iter().zip(resolved).collect(), boxes })
}

fn internal(error: &str) -> Report {
    Report::from(Problem {
        code: "generate/failed",
        document: "contract".to_owned(),
        pointer: None,
        position: None,
        message: format!("the types could not be resolved: {error}"),
        hint: "this is a defect of the generator: please report it with the contract".to_owned(),
    })
}
