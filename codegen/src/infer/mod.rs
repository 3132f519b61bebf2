//! Parts of a configuration that a contract suggests: a pure function over the model. Each has its reason, and nothing is
//! generated from it before people write it into the configuration.

mod address;
mod input;
mod keys;
mod names;
mod operations;
mod page;
mod pages;
mod spelling;
mod start;
mod watchable;
mod words;

use crate::bind::Bindings;
use crate::model::{Document, Model};
use crate::output::Suggestions;
use crate::{Config, Names};

/// The entries that the contracts suggest beside those of the configuration. `given` are the names of the run.
pub(crate) fn suggest(
    model: &Model,
    documents: &[Document],
    bindings: &Bindings<'_>,
    config: &Config,
    given: &Names,
) -> Suggestions {
    let mut suggestions = pages::suggest(model, documents, &bindings.paged);
    let bound = bindings.bound.iter().map(|bound| bound.operation).collect();
    operations::suggest(model, documents, &bound, &mut suggestions);
    suggestions.names = names::suggest(model, config, given);
    suggestions
}

/// Refuses texts that a line of the configuration cannot have.
fn writable<'t>(texts: impl IntoIterator<Item = &'t String>) -> Result<(), String> {
    match texts.into_iter().any(|text| text.chars().any(char::is_control)) {
        true => Err("its names have control characters".to_owned()),
        false => Ok(()),
    }
}
