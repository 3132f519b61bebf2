//! The opinions of the second judge, for people.

use std::collections::BTreeSet;

use driftless_codegen::line;

use super::{Report, shortened};
use crate::second::Opinion;

pub(super) fn sentence(opinion: &Opinion) -> String {
    match opinion {
        Opinion::Same => "sends the same".to_owned(),
        Opinion::Spelling { theirs, .. } => format!("sends the same, spelled {theirs}"),
        Opinion::Other { place, theirs, .. } => format!("sends another {place}: {theirs}"),
        Opinion::Nothing { reason } => format!("sends nothing: {reason}"),
    }
}

/// The reasons of other judges that did not compare all requests, and the counts of a report with a second judge. `all` also names the requests that it cannot make.
pub(super) fn text(report: &Report, all: bool) -> String {
    let opinions = || report.rows.iter().filter_map(|row| Some((row, row.progenitor.as_ref()?)));
    let reasons = report.unheard.iter();
    let mut text: String =
        reasons.map(|(name, reason)| format!("{}: not all compared: {}\n", line(name), shortened(reason))).collect();
    for row in report.rows.iter().filter(|row| row.class == "disputed" && row.rule == "progenitor") {
        text.push_str(&format!(
            "disputed: {}\n  {} of {}: right by the contract\n  progenitor  {}\n  client      {}\n",
            shortened(&row.case),
            shortened(&row.place),
            line(&row.operation),
            shortened(&row.expected),
            shortened(&row.actual)
        ));
        row.call.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        text.push_str(&format!(
            "  repeat    --progenitor --seed {} --case {}\n\n",
            report.seed,
            line(&format!("{:?}", row.case))
        ));
    }
    for (row, opinion) in opinions().filter(|(_, opinion)| all && matches!(opinion, Opinion::Nothing { .. })) {
        text.push_str(&format!("not compared: {}: {}\n", shortened(&row.case), shortened(&sentence(opinion))));
    }
    let is_compared = |opinion: &Opinion| !matches!(opinion, Opinion::Nothing { .. });
    let operations = |which: &dyn Fn(&Opinion) -> bool| -> BTreeSet<&str> {
        opinions().filter(|(_, opinion)| which(opinion)).map(|(row, _)| row.operation.as_str()).collect()
    };
    let count = |which: fn(&Opinion) -> bool| opinions().filter(|(_, opinion)| which(opinion)).count();
    let compared = operations(&is_compared);
    let others = operations(&|opinion| !is_compared(opinion)).difference(&compared).count();
    if compared.is_empty() && others == 0 {
        return text;
    }
    text + &format!(
        "progenitor: {} operations compared, {} not; requests: {} the same, {} spelled differently, {} different\n",
        compared.len(),
        others,
        count(|opinion| matches!(opinion, Opinion::Same)),
        count(|opinion| matches!(opinion, Opinion::Spelling { .. })),
        count(|opinion| matches!(opinion, Opinion::Other { .. })),
    )
}
