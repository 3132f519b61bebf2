//! Figures of one program on one contract, and the tables of them.

use std::fmt::Write as _;

use serde::Serialize;

use super::measure::Usage;

/// All runs of one program for one part and contract.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Figure {
    pub(super) part: &'static str,
    pub(super) contract: String,
    pub(super) program: String,
    /// Size of the result, with its unit.
    pub(super) size: Option<(u64, &'static str)>,
    pub(super) runs: Vec<Usage>,
    /// The reason that there are no figures, in one line.
    pub(super) error: Option<String>,
}

impl Figure {
    pub(super) fn new(part: &'static str, contract: &str, program: &str) -> Self {
        Self {
            part,
            contract: contract.to_owned(),
            program: program.to_owned(),
            size: None,
            runs: Vec::new(),
            error: None,
        }
    }

    /// Adds a run. After a failure, the figure is its reason alone.
    pub(super) fn add(&mut self, run: Result<Usage, String>) {
        match run {
            // A later run does not undo the failure.
            _ if self.error.is_some() => {}
            Ok(usage) => self.runs.push(usage),
            Err(reason) => {
                self.error = Some(reason);
                self.runs.clear();
            }
        }
    }

    fn spread(&self, value: fn(&Usage) -> f64) -> Option<Spread> {
        Spread::new(self.runs.iter().map(value).collect())
    }
}

/// The middle of several runs, the least and the most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) middle: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Spread {
    /// Of an even number of values, the middle is the lower of the two.
    pub(super) fn new(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let middle = *values.get(values.len().saturating_sub(1) / 2)?;
        Some(Self { middle, least: *values.first()?, most: *values.last()? })
    }
}

/// Three significant digits, and no more than two decimals.
pub(super) fn number(value: f64) -> String {
    match value.abs() {
        large if large >= 100.0 => format!("{value:.0}"),
        middle if middle >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// The second value divided by the first; nothing, if the first is 0.
pub(super) fn ratio(ours: f64, theirs: f64) -> Option<f64> {
    let ratio = theirs / ours;
    ratio.is_finite().then_some(ratio)
}

/// A table in Markdown for each part and contract. The ratios are to the first row of a table.
pub(super) fn tables(figures: &[Figure]) -> String {
    let mut text = String::new();
    let same = |one: &Figure, other: &Figure| (one.part, &one.contract) == (other.part, &other.contract);
    for group in figures.chunk_by(same) {
        let Some(first) = group.first() else { continue };
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "\n**{}: {}**\n\n| | wall s | user s | × | peak MiB | × | result |",
            first.part, first.contract
        );
        let _ = writeln!(text, "|---|---|---|---|---|---|---|");
        for figure in group {
            let _ = writeln!(text, "| {} |{} |", figure.program, cells(figure, first));
        }
    }
    text
}

fn cells(figure: &Figure, first: &Figure) -> String {
    let values: [fn(&Usage) -> f64; 3] = [|run| run.wall, |run| run.user, |run| run.peak_mb];
    let mut text = String::new();
    for (index, value) in values.into_iter().enumerate() {
        let spread = figure.spread(value);
        let _ = match spread {
            Some(Spread { middle, least, most }) if figure.runs.len() > 1 => {
                write!(text, " {} ({}–{}) |", number(middle), number(least), number(most))
            }
            Some(Spread { middle, .. }) => write!(text, " {} |", number(middle)),
            None => write!(text, " – |"),
        };
        // A ratio of clocks says more about other programs than about this one.
        if index > 0 {
            let times = first.spread(value).zip(spread).and_then(|(ours, theirs)| ratio(ours.middle, theirs.middle));
            let _ = write!(text, " {} |", times.map_or_else(|| "–".to_owned(), number));
        }
    }
    match (&figure.error, figure.size) {
        (Some(error), _) => text + " " + error,
        (None, Some((size, unit))) => text + &format!(" {size} {unit}"),
        (None, None) => text + " ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(user: f64) -> Usage {
        Usage { wall: user * 2.0, user, peak_mb: user * 100.0 }
    }

    #[test]
    fn the_middle_of_runs_has_its_spread() {
        assert_eq!(Spread::new(vec![]), None);
        assert_eq!(Spread::new(vec![4.0, 1.0, 3.0, 2.0]), Some(Spread { middle: 2.0, least: 1.0, most: 4.0 }));
        assert_eq!((ratio(0.5, 2.0), ratio(0.0, 2.0)), (Some(4.0), None));
        assert_eq!([0.123, 9.999, 12.34, 1234.5].map(number), ["0.12", "10.00", "12.3", "1234"]);
    }

    #[test]
    fn a_table_has_ratios_to_its_first_row_and_reasons() {
        let mut ours = Figure::new("check", "Radarr", "driftless");
        [2.0, 1.0, 3.0].into_iter().for_each(|user| ours.add(Ok(usage(user))));
        ours.size = Some((238, "operations"));
        let mut theirs = Figure::new("check", "Radarr", "peer 1");
        theirs.add(Ok(usage(8.0)));
        let mut refused = Figure::new("check", "Radarr", "peer 2");
        refused.add(Ok(usage(8.0)));
        refused.add(Err("no 3.0".to_owned()));
        refused.add(Ok(usage(8.0)));
        let other = Figure { contract: "GitHub".to_owned(), ..ours.clone() };
        let text = tables(&[ours, theirs, refused, other]);
        assert!(text.contains("**check: Radarr**\n") && text.contains("**check: GitHub**\n"), "{text}");
        assert!(
            text.contains(
                "| driftless | 4.00 (2.00–6.00) | 2.00 (1.00–3.00) | 1.00 | 200 (100–300) | 1.00 | 238 operations |"
            ),
            "{text}"
        );
        assert!(text.contains("| peer 1 | 16.0 | 8.00 | 4.00 | 800 | 4.00 |  |"), "{text}");
        assert!(text.contains("| peer 2 | – | – | – | – | – | no 3.0 |"), "{text}");
    }
}
