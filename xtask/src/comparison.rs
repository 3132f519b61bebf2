//! Two states of the contracts, compared as of today.

use platform_codegen::Contract;
use platform_codegen::drift::{self, Drift};
use time::OffsetDateTime;

use crate::failure::{Exit, Failure};

/// One document of a state.
#[derive(Debug)]
pub(crate) struct ComparedDocument {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// Compares documents by their names. `today` is the day by which announced ends are over, where it is not today.
pub(crate) fn compare(
    before: &[ComparedDocument],
    after: &[ComparedDocument],
    today: Option<&str>,
) -> Result<Drift, Failure> {
    let now = || OffsetDateTime::now_utc().date().to_string();
    let today = today.map_or_else(now, str::to_owned);
    let [before, after] = [before, after].map(|documents| {
        documents.iter().map(|ComparedDocument { name, bytes }| Contract { name, bytes }).collect::<Vec<_>>()
    });
    drift::compare(&before, &after, &today).map_err(|report| {
        let hint = "check the two sources: nothing was compared";
        Failure::new(Exit::Contract, "drift/not-a-contract", report.to_string(), hint)
    })
}
