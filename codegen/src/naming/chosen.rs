//! Names that people choose in the configuration.

use crate::text::Ident;
use crate::{Config, Problem, Report, pointer};

/// A chosen name stands in code as it is written, so it has to be one.
pub(crate) fn check(config: &Config) -> Result<(), Report> {
    let mut report = Report::default();
    for (key, name) in config.rename.iter().filter(|(_, name)| Ident::new(name).is_none()) {
        report.push(Problem {
            code: "configuration/rename",
            document: "specs/codegen.toml".to_owned(),
            pointer: Some(pointer::join("/rename", key)),
            position: None,
            message: format!("`{name}` cannot be the name of anything in Rust"),
            hint: "choose letters, digits and `_`, at most 120 of them, and no keyword".to_owned(),
        });
    }
    report.into_result(())
}
