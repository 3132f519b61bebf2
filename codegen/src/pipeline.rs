//! The stages, in order.

use crate::ledger::Ledger;
use crate::model::Document;
use crate::{Config, Contract, Names, Output, Report};

pub(crate) fn run(contracts: &[Contract<'_>], config: &Config, pins: &Names) -> Result<Output, Report> {
    let mut report = Report::default();
    let mut ledger = Ledger::default();
    let mut documents = Vec::new();
    for contract in contracts {
        match crate::load::load(contract.name, contract.bytes) {
            Ok(loaded) => documents.push(Document { name: contract.name.to_owned(), tree: loaded.tree }),
            Err(problem) => report.push(problem),
        }
    }
    let documents = report.into_result(documents)?;
    let (model, names) = crate::model::build(&documents, config, pins, &mut ledger);
    let mut model = model;
    let resolved = crate::generate::generate(&mut model, &mut ledger)?;
    let parts = crate::refine::refine(&model, &resolved, config);
    let files = crate::emit::emit(&parts)?;
    ledger.settle();
    let stats = crate::stats::count(&model, &ledger);
    Ok(Output {
        files,
        features: parts.features,
        names,
        ledger,
        surface: parts.surface,
        api_index: parts.api_index,
        stats,
    })
}
