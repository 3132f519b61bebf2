//! The input of one execution: a function of the seed, the number of the execution, and the contracts.

use std::fs;
use std::path::Path;

use driftless_codegen::{NameStyle, Setup, StyleVersion};

use super::seeds::Seed;
use super::{mutate, words};
use crate::failure::Failure;
use crate::random::Random;

/// A contract to generate from, and its configuration.
#[derive(Debug)]
pub(super) struct Input<'s> {
    pub(super) seed: &'s Seed,
    pub(super) bytes: Vec<u8>,
    pub(super) setup: Setup,
    /// Generates twice and compares the output.
    pub(super) twice: bool,
}

/// The input of an execution.
pub(super) fn input(seeds: &[Seed], seed: u64, index: u64) -> Option<Input<'_>> {
    let mut random = Random::new(seed, index);
    // The smaller of two: more executions in the same time, and large ones still occur.
    let (one, other) = (random.pick(seeds)?, random.pick(seeds)?);
    let (chosen, donor) = if one.bytes.len() <= other.bytes.len() { (one, other) } else { (other, one) };
    let mut setup = chosen.setup.clone();
    let graphql = !setup.graphql.documents.is_empty() && random.below(4) > 0;
    if graphql {
        if random.once_in(2) {
            setup.graphql.schema = setup.graphql.schema.map(|text| words::garbled(&text, &mut random));
        } else {
            setup.graphql.documents.values_mut().for_each(|text| *text = words::garbled(text, &mut random));
        }
    }
    let bytes = if !graphql && random.once_in(12) {
        let mut bytes = chosen.bytes.clone();
        words::damaged(&mut bytes, &mut random);
        bytes
    } else {
        let mut tree = chosen.tree.clone();
        let mutations = match random.below(10) {
            _ if graphql => 0,
            0 => 30,
            1 => 0,
            _ => 1 + random.below(7),
        };
        for _ in 0..mutations {
            mutate::mutate(&mut tree, &donor.tree, &mut random);
            // Positions do not depend on the order that this build of serde_json keeps.
            tree.sort_all_objects();
        }
        let mut bytes = serde_json::to_vec(&tree).unwrap_or_default();
        if !graphql && random.once_in(30) {
            words::damaged(&mut bytes, &mut random);
        }
        bytes
    };
    let twice = random.once_in(8);
    // Drawn last, so that earlier seeds still produce the same contracts.
    let is_free = setup.config.style == NameStyle::default();
    if is_free && random.once_in(2) {
        setup.config.style = NameStyle { version: StyleVersion::Two };
    }
    Some(Input { seed: chosen, bytes, setup, twice })
}

impl Input<'_> {
    /// Writes the input into a folder that `cargo xtask corpus` takes.
    pub(super) fn save(&self, folder: &Path) -> Result<(), Failure> {
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            let parent = path.parent().unwrap_or(folder);
            fs::create_dir_all(parent).map_err(|error| Failure::file("create", parent, &error))?;
            fs::write(&path, bytes).map_err(|error| Failure::file("write", &path, &error))
        };
        write("contract.json", &self.bytes)?;
        let is_chosen = self.setup.config.style != self.seed.setup.config.style;
        let style = if is_chosen { "\n[style]\nversion = 2\n" } else { "" };
        write("codegen.toml", format!("{}{style}", self.seed.configuration).as_bytes())?;
        for (name, text) in &self.setup.graphql.documents {
            write(&format!("graphql/{name}"), text.as_bytes())?;
        }
        self.setup.graphql.schema.iter().try_for_each(|text| write("graphql/schema.graphql", text.as_bytes()))
    }
}
