//! The counts of several reports.

use super::{Report, answers, shortened};

/// The counts of all contracts, one a line, and their sum.
#[must_use]
pub fn table(reports: &[&Report]) -> String {
    if reports.iter().any(|report| report.answers.is_some()) {
        return answers::table(reports);
    }
    const CLASSES: [&str; 6] = ["right", "fault", "mismatch", "disputed", "contradiction", "limit"];
    let mut sum = [0; CLASSES.len()];
    let mut text = format!(
        "{:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  contract\n",
        "right", "faults", "mismatch", "disputed", "contrad.", "limits"
    );
    let mut add = |counts: [usize; CLASSES.len()], name: &str| {
        counts.iter().for_each(|count| text.push_str(&format!("{count:>9} ")));
        text.push_str(&format!(" {}\n", shortened(name)));
    };
    for report in reports {
        let counts = CLASSES.map(|class| report.count(class));
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
