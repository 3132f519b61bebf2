//! The counts of several reports.

use super::{Report, answers, shortened};

/// The counts of all contracts, one a line, and their sum.
#[must_use]
pub fn table(reports: &[&Report]) -> String {
    if reports.iter().any(|report| report.answers.is_some()) {
        return counted(reports, 10, answers::HEADS, |report| report.answers.unwrap_or_default().counts());
    }
    const CLASSES: [&str; 6] = ["right", "fault", "mismatch", "disputed", "contradiction", "limit"];
    let heads = ["right", "faults", "mismatch", "disputed", "contrad.", "limits"];
    counted(reports, 9, heads, |report| CLASSES.map(|class| report.count(class)))
}

/// A line of counts for each contract, and their sum, in columns of this width.
fn counted<const N: usize>(
    reports: &[&Report],
    width: usize,
    heads: [&str; N],
    counts: impl Fn(&Report) -> [usize; N],
) -> String {
    let mut text: String = heads.iter().map(|head| format!("{head:>width$} ")).collect();
    text.push_str(" contract\n");
    let mut sum = [0; N];
    let mut add = |counts: [usize; N], name: &str| {
        counts.iter().for_each(|count| text.push_str(&format!("{count:>width$} ")));
        text.push_str(&format!(" {}\n", shortened(name)));
    };
    for report in reports {
        let counts = counts(report);
        sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        match &report.failed {
            Some(failed) => add(counts, &format!("{}: {failed}", report.contract)),
            None => add(counts, &report.contract),
        }
    }
    let failed = reports.iter().filter(|report| report.failed.is_some()).count();
    add(sum, &format!("{} contracts, of which {failed} could not be judged", reports.len()));
    text
}
