//! LF at the end of every line.

use super::{File, Finding};

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let crlf = files.iter().filter(|file| !is_exact(file)).filter_map(|file| {
        let line = file.text()?.split_inclusive('\n').position(|line| line.ends_with("\r\n"))?;
        Some(Finding {
            file: file.path.clone(),
            line: line + 1,
            rule: "line-end",
            what: "CRLF at the end of a line".to_owned(),
            fix: "git add --renormalize . (.gitattributes asks for LF)",
        })
    });
    crlf.collect()
}

/// Inputs of tests are kept as they are.
fn is_exact(file: &File) -> bool {
    file.is_test() && !file.path.ends_with(".rs")
}
