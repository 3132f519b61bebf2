//! One input and one expected file per case: `cases/NAME.json` and `cases/NAME.snap`.

use std::path::Path;

use super::{json, print, printer};
use crate::output::Format;
use crate::terminal::Terminal;
use clap::ValueEnum as _;

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/output/tests/cases");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut names: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|end| end == "json"));
    names.sort();
    assert!(names.len() >= 10);
    for path in names {
        let case = json(&std::fs::read_to_string(&path).unwrap());
        let format = Format::from_str(case["format"].as_str().unwrap(), false).unwrap();
        let terminal = case["columns"].as_u64().map_or(Terminal::FILE, |width| Terminal {
            is_terminal: true,
            width: usize::try_from(width).unwrap(),
            height: 24,
            colours: case["colours"] == true,
        });
        let (out, err) = print(&printer(format, case["fields"].as_str(), terminal), &case["answer"]);
        let err = if err.is_empty() { err } else { format!("--- standard error\n{err}") };
        let name = path.file_stem().unwrap().to_str().unwrap();
        settings.bind(|| insta::assert_snapshot!(name, format!("{out}{err}").replace('\u{1b}', "␛")));
    }
}
