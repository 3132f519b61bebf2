//! The table of services in the page of a workspace.

const COLUMNS: [&str; 4] = ["service", "crate", "variables", "first program"];

/// A service, as its row has it.
#[derive(Debug)]
pub(super) struct ServiceRow<'a> {
    pub(super) package: &'a str,
    /// Its variables, as a list in prose.
    pub(super) variables: String,
    pub(super) has_program: bool,
}

/// The table with one service.
pub(super) fn table(service: &ServiceRow<'_>) -> String {
    with_header(&row(service, "at the top"))
}

/// The row of a service in a folder of its own.
pub(super) fn added(service: &ServiceRow<'_>, folder: &str) -> String {
    row(service, &format!("`{folder}`"))
}

/// The page with another row: in its table, or in a new one at its end.
pub(super) fn with_row(page: &str, row: &str) -> String {
    let lines: Vec<&str> = page.split_inclusive('\n').collect();
    let Some(header) = lines.iter().position(|line| is_header(line)) else {
        return format!("{}\n\n## Services\n\n{}", page.trim_end(), with_header(row));
    };
    let rows = lines.iter().skip(header).take_while(|line| line.trim_start().starts_with('|')).count();
    let (before, after) = lines.split_at(header + rows);
    let before = before.concat();
    let end = if before.ends_with('\n') { "" } else { "\n" };
    format!("{before}{end}{row}{}", after.concat())
}

/// A formatter can have aligned the columns.
fn is_header(line: &str) -> bool {
    let cells = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    cells.is_some_and(|cells| cells.split('|').map(str::trim).eq(COLUMNS))
}

fn with_header(row: &str) -> String {
    format!("| {} |\n{}|\n{row}", COLUMNS.join(" | "), "|---".repeat(COLUMNS.len()))
}

fn row(service: &ServiceRow<'_>, name: &str) -> String {
    let ServiceRow { package, variables, has_program } = service;
    let run = if *has_program { format!("`cargo run -p {package} --example first`") } else { String::new() };
    format!("| {name} | `{package}` | {variables} | {run} |\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_goes_into_the_table_whichever_way_it_is_laid_out() {
        let row = "| `b` | `b-client` | `B_BASE_URL` |  |\n";
        let aligned = "# Ours\n\n| service    | crate      | variables    | first program |\n| ---------- | :--------- | ------------ | ------------- |\n\
                       | at the top | `a-client` | `A_BASE_URL` |               |\n";
        let returns = "| service | crate | variables | first program |\r\n|---|---|---|---|\r\n| at the top |\r\n";
        for (table, after) in [
            (aligned, "\n## Next\n"),
            (aligned, ""),
            ("|service|crate|variables|first program|\n|-|-|-|-|\n", "Text\n"),
            (returns, "\r\nText\r\n"),
        ] {
            assert_eq!(with_row(&format!("{table}{after}"), row), format!("{table}{row}{after}"));
        }
        assert_eq!(with_row(aligned.trim_end(), row), format!("{aligned}{row}"));
        // Another table is not this one.
        let other = "| service | crate | variables |\n|---|---|---|\n";
        let header = "| service | crate | variables | first program |\n|---|---|---|---|\n";
        assert_eq!(with_row(other, row), format!("{other}\n## Services\n\n{header}{row}"));
    }
}
