//! Names of tools: letters, digits, `_` and `-`, at most 64, as hosts accept them.

use std::collections::{BTreeMap, BTreeSet};

use super::allow::full_name;
use super::operations::OperationEntry;

/// The length that hosts accept.
const LONGEST: usize = 64;

/// The names of the operations as tools.
#[derive(Debug)]
pub(super) struct ToolNames {
    /// By the index of the operation.
    names: Vec<String>,
    indices: BTreeMap<String, usize>,
}

impl ToolNames {
    /// Gives each operation a name of its own, none of them in `reserved`.
    pub(super) fn new(entries: &[OperationEntry], reserved: &[&str]) -> Self {
        let mut taken: BTreeSet<String> = reserved.iter().map(|name| (*name).to_owned()).collect();
        let mut names = Vec::with_capacity(entries.len());
        let mut indices = BTreeMap::new();
        for (index, entry) in entries.iter().enumerate() {
            let base = safe(&format!("{}_{}", entry.family, entry.name));
            let mut name: String = base.chars().take(LONGEST).collect();
            let mut count = 1;
            while !taken.insert(name.clone()) {
                count += 1;
                let end = format!("_{count}");
                name = base.chars().take(LONGEST - end.len()).collect();
                name.push_str(&end);
            }
            // `search_operations` shows the name with a point, so it is accepted, too.
            indices.entry(full_name(entry)).or_insert(index);
            indices.insert(name.clone(), index);
            names.push(name);
        }
        Self { names, indices }
    }

    /// The name of the tool.
    pub(super) fn name(&self, index: usize) -> &str {
        self.names.get(index).map_or("", String::as_str)
    }

    /// The operation with a name, in either form.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.indices.get(name).copied()
    }
}

fn safe(name: &str) -> String {
    name.chars()
        .map(|character| match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => character,
            _ => '_',
        })
        .collect()
}
