//! The search for operations: words in names, summaries and paths, ranked by BM25. The order is the same on every run.

use std::collections::HashMap;

use super::operations::OperationEntry;

/// Weights of the parts of an operation.
const NAME: f64 = 3.0;
const FAMILY: f64 = 2.0;
const SUMMARY: f64 = 1.5;
const PATH: f64 = 1.0;
/// A word that only begins like the searched one.
const PREFIX: f64 = 0.5;
/// The parameters of BM25 in their usual values: saturation of repeated words, and the effect of the length.
const SATURATION: f64 = 1.2;
const LENGTH: f64 = 0.75;
/// Words of a query; others are ignored.
const WORDS: usize = 32;

/// An index of operations.
#[derive(Debug)]
pub(super) struct SearchIndex {
    /// Weights of the words, by operation.
    operations: Vec<HashMap<String, f64>>,
    lengths: Vec<f64>,
    average: f64,
}

impl SearchIndex {
    pub(super) fn new(entries: &[OperationEntry]) -> Self {
        let mut operations = Vec::with_capacity(entries.len());
        let mut lengths = Vec::with_capacity(entries.len());
        for entry in entries {
            let mut weights: HashMap<String, f64> = HashMap::new();
            let parts = [
                (&entry.name, NAME),
                (&entry.family, FAMILY),
                (&entry.summary, SUMMARY),
                (&entry.path, PATH),
                (&entry.method, PATH),
            ];
            for (text, weight) in parts {
                for word in words(text) {
                    *weights.entry(word).or_default() += weight;
                }
            }
            lengths.push(weights.values().sum());
            operations.push(weights);
        }
        let average = (lengths.iter().sum::<f64>() / lengths.len().max(1) as f64).max(1.0);
        Self { operations, lengths, average }
    }

    /// The operations with any of the words, best first; equal ones in the order of the table.
    pub(super) fn rank(&self, query: &str) -> Vec<usize> {
        let mut scores = vec![0.0; self.operations.len()];
        let mut terms = words(query);
        terms.truncate(WORDS);
        terms.sort_unstable();
        terms.dedup();
        for term in &terms {
            let weights: Vec<f64> = self.operations.iter().map(|weights| weight(weights, term)).collect();
            let matches = weights.iter().filter(|weight| **weight > 0.0).count() as f64;
            let rarity = (1.0 + (self.operations.len() as f64 - matches + 0.5) / (matches + 0.5)).ln();
            for ((score, weight), length) in scores.iter_mut().zip(&weights).zip(&self.lengths) {
                let normal = SATURATION * (1.0 - LENGTH + LENGTH * length / self.average);
                *score += rarity * weight * (SATURATION + 1.0) / (weight + normal);
            }
        }
        let mut ranked: Vec<usize> =
            (0..scores.len()).filter(|index| scores.get(*index).is_some_and(|score| *score > 0.0)).collect();
        let score = |index: &usize| scores.get(*index).copied().unwrap_or_default();
        ranked.sort_by(|left, right| score(right).total_cmp(&score(left)).then(left.cmp(right)));
        ranked
    }
}

fn weight(weights: &HashMap<String, f64>, term: &str) -> f64 {
    if let Some(weight) = weights.get(term) {
        return *weight;
    }
    let longer =
        weights.iter().filter(|(word, _)| term.len() >= 3 && word.starts_with(term)).map(|(_, weight)| weight * PREFIX);
    longer.fold(0.0, f64::max)
}

/// The words of a text in lower case: `listProjects` has two. A plural is its singular.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut last_is_lower = false;
    for character in text.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && last_is_lower) {
            words.push(std::mem::take(&mut word));
        }
        last_is_lower = character.is_lowercase() || character.is_numeric();
        if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words.iter().map(|word| singular(word)).collect()
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y");
    }
    match word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s')) {
        Some(stem) => stem.to_owned(),
        None => word.to_owned(),
    }
}
