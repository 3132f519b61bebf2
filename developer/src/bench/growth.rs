//! Time and memory of generation, check, build and drift, from 10 to 10,000 operations.

use super::clients::{emptied, touch};
use super::figures::Figure;
use super::programs::GENERATORS;
use super::{Bench, measure, plot, synthetic};
use crate::failure::Failure;
use crate::flags;

const STEPS: [&str; 4] = ["generation", "cargo check", "cargo build --release", "drift"];

pub(super) fn run(bench: &mut Bench<'_>, flags: &flags::BenchFlags) -> Result<(), Failure> {
    let folder = emptied(&bench.folder.join("growth"))?;
    let (before, after) = (folder.join("before.json"), folder.join("after.json"));
    let [own, ..] = &GENERATORS;
    let program = bench.programs.own.clone();
    let runs = usize::try_from(bench.runs).unwrap_or_default();
    let mut figures: Vec<Figure> = Vec::new();
    for operations in sizes(flags.most) {
        for (path, is_next) in [(&before, false), (&after, true)] {
            synthetic::write(path, operations, is_next).map_err(|error| Failure::file("write", path, &error))?;
        }
        let mut row = STEPS.map(|step| Figure::new("growth", step, &format!("{operations} operations")));
        let [generation, check, build, drift] = &mut row;
        let client = folder.join("client");
        // The first run of the smallest contract compiles the dependencies, and does not count.
        for run in usize::from(!figures.is_empty())..=runs {
            let add = |figure: &mut Figure, outcome: Result<_, String>| {
                if run > 0 || outcome.is_err() {
                    figure.add(outcome);
                }
            };
            emptied(&client)?;
            add(generation, measure::run(&mut own.generation(&program, &before, &client), bench.interrupt)?);
            let mut compare = std::process::Command::new(&program);
            compare
                .arg("drift")
                .args([&before, &after])
                .args(["--fail-on", "none", "--output"])
                .arg(folder.join("drift.txt"));
            compare.current_dir(bench.workspace.root());
            add(drift, measure::run(&mut compare, bench.interrupt)?);
            if operations > flags.compiled || generation.error.is_some() {
                continue;
            }
            own.complete(&client, bench.workspace.root())
                .map_err(|error| Failure::file("complete", &client, &error))?;
            let library = own.client(&client);
            for (figure, command) in
                [(&mut *check, &["check", "--quiet"][..]), (&mut *build, &["build", "--release", "--quiet"])]
            {
                touch(&library.join("src/lib.rs"))?;
                add(figure, measure::run(bench.cargo(&library).args(command), bench.interrupt)?);
            }
        }
        for figure in row.iter_mut().filter(|figure| figure.runs.is_empty() && figure.error.is_none()) {
            figure.error = Some(format!("left out: compiled up to {} operations", flags.compiled));
        }
        figures.extend(row);
    }
    // One table for each step.
    figures.sort_by_key(|figure| STEPS.iter().position(|step| *step == figure.contract));
    if let Some(path) = &flags.picture {
        std::fs::write(path, plot::svg(&figures)).map_err(|error| Failure::file("write", path, &error))?;
    }
    bench.report(figures);
    Ok(())
}

/// 10, 30, 100, 300 and so on, up to `most`.
fn sizes(most: usize) -> Vec<usize> {
    let steps =
        (1..).flat_map(|power| [10_usize.saturating_pow(power), 10_usize.saturating_pow(power).saturating_mul(3)]);
    steps.take_while(|size| *size <= most).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn sizes_grow_up_to_the_most() {
        assert_eq!(super::sizes(1_000), [10, 30, 100, 300, 1_000]);
        assert_eq!(super::sizes(9), [0; 0]);
    }
}
