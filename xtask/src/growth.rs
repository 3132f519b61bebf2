//! `cargo xtask growth`: measures time and memory of a generation as the contract grows, as a table and a plot.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use crate::console::{progress, result};
use crate::corpus;
use crate::failure::Failure;
use crate::flags::Growth;
use crate::interrupt::Interrupt;
use crate::workspace::Workspace;

/// Columns of the longest bar.
const WIDTH: f64 = 40.0;

/// Time and memory of one size.
#[derive(Clone, Copy, Debug)]
struct Point {
    operations: usize,
    seconds: f64,
    megabytes: Option<f64>,
}

pub(crate) fn run(workspace: &Workspace, flags: &Growth) -> Result<ExitCode, Failure> {
    let (_runtime, interrupt) = Interrupt::start()?;
    if cfg!(debug_assertions) {
        progress("built without optimisation: for figures of speed use `cargo run --release -p xtask -- growth`");
    }
    let folder =
        tempfile::tempdir().map_err(|error| Failure::file("create", Path::new("a temporary folder"), &error))?;
    let path = folder.path().join("contract.json");
    result(&format!(
        "{:>10}  {:>9}  {:>9}  {:>14}  {:>13}",
        "operations", "seconds", "peak MB", "ms/operation", "KB/operation"
    ));
    let mut points = Vec::new();
    for operations in sizes(flags.most) {
        fs::write(&path, contract(operations).to_string()).map_err(|error| Failure::file("write", &path, &error))?;
        let (seconds, megabytes) = corpus::cost(workspace, &path, flags.repeat, &interrupt)?;
        let point = Point { operations, seconds, megabytes };
        result(&line(&point));
        points.push(point);
    }
    for (what, plot) in
        [("seconds", bars(&points, |point| Some(point.seconds))), ("peak MB", bars(&points, |point| point.megabytes))]
    {
        result("");
        result(what);
        plot.lines().for_each(result);
    }
    Ok(ExitCode::SUCCESS)
}

/// 10, 30, 100, 300 and so on, up to `most`.
fn sizes(most: usize) -> Vec<usize> {
    let steps =
        (1..).flat_map(|power| [10_usize.saturating_pow(power), 10_usize.saturating_pow(power).saturating_mul(3)]);
    steps.take_while(|size| *size <= most).collect()
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn line(point: &Point) -> String {
    let operations = point.operations as f64;
    let (all, each) = point.megabytes.map_or(("-".to_owned(), "-".to_owned()), |megabytes| {
        (format!("{megabytes:.1}"), format!("{:.1}", megabytes * 1024.0 / operations))
    });
    let milliseconds = point.seconds * 1000.0 / operations;
    format!("{:>10}  {:>9.3}  {all:>9}  {milliseconds:>14.3}  {each:>13}", point.operations, point.seconds)
}

/// One bar a size, on logarithmic scales: a cost that grows with the contract gives a straight line.
fn bars(points: &[Point], figure: impl Fn(&Point) -> Option<f64>) -> String {
    let known: Vec<(usize, f64)> =
        points.iter().filter_map(|point| Some((point.operations, figure(point)?.max(1e-6).log10()))).collect();
    let least = known.iter().map(|(_, figure)| *figure).fold(f64::INFINITY, f64::min);
    let most = known.iter().map(|(_, figure)| *figure).fold(f64::NEG_INFINITY, f64::max);
    let scale = (most - least).max(1e-6);
    let mut text = String::new();
    for (operations, figure) in known {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the width")]
        let columns = ((figure - least) / scale * WIDTH).round() as usize;
        // Writing to a string does not fail.
        let _ = writeln!(text, "{operations:>10}  {}* {:.3}", " ".repeat(columns), 10_f64.powf(figure));
    }
    text
}

/// A contract in which every operation has parameters, a body, answers and a schema of its own that refers to another.
fn contract(operations: usize) -> Value {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    for index in 0..operations {
        let reference = |index: usize| json!({"$ref": format!("#/components/schemas/Thing{index}")});
        let content = json!({"application/json": {"schema": reference(index)}});
        let schema = json!({
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": {"type": "string", "format": "uuid"},
                "name": {"type": "string", "description": "What people call it."},
                "count": {"type": "integer", "format": "int32"},
                "state": {"type": "string", "enum": ["new", "used", "gone"]},
                "parent": reference(index / 2),
            },
        });
        schemas.insert(format!("Thing{index}"), schema);
        let family = index % 20;
        let operation = json!({
            "tags": [format!("family{family}")],
            "operationId": format!("changeThing{index}"),
            "parameters": [
                {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
                {"name": "page", "in": "query", "schema": {"type": "integer"}},
            ],
            "requestBody": {"content": content},
            "responses": {"200": {"description": "OK", "content": content}, "404": {"description": "There is none."}},
        });
        paths.insert(format!("/api/family{family}/things{index}/{{id}}"), json!({"put": operation}));
    }
    json!({
        "openapi": "3.0.3",
        "info": {"title": "Growth", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    })
}

#[cfg(test)]
mod tests {
    use super::{Point, bars, contract, sizes};

    #[test]
    fn sizes_grow_up_to_the_most() {
        assert_eq!(sizes(1_000), [10, 30, 100, 300, 1_000]);
        assert_eq!(contract(30)["paths"].as_object().map(serde_json::Map::len), Some(30));
    }

    #[test]
    fn what_grows_evenly_is_a_straight_line() {
        let points = [1_u32, 10, 100].map(|size| Point {
            operations: usize::try_from(size).unwrap_or_default(),
            seconds: f64::from(size),
            megabytes: None,
        });
        let plot = bars(&points, |point| Some(point.seconds));
        let columns: Vec<usize> = plot.lines().filter_map(|line| line.find('*')).collect();
        assert_eq!(columns, [12, 32, 52]);
        assert_eq!(bars(&points, |point| point.megabytes), "");
    }
}
