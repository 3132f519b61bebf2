//! No module above about 400 lines, its tests apart.

use super::{File, Finding, product_lines};

const LIMIT: usize = 400;

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    let long = files.iter().filter(|file| file.is_product_code()).filter_map(|file| {
        let lines = product_lines(file.text()?).count();
        (lines > LIMIT).then(|| Finding {
            file: file.path.clone(),
            line: LIMIT + 1,
            rule: "module-length",
            what: format!("{lines} lines, of at most {LIMIT}"),
            fix: "split it by the things that it owns; one thing a file",
        })
    });
    long.collect()
}
