//! The table of services in the page of a workspace.

const HEADER: &str = "| service | crate | variables | first program |\n|---|---|---|---|\n";

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
    format!("{HEADER}{}", row(service, "at the top"))
}

/// The page with another service: in its table, or in a new one at its end.
pub(super) fn with_service(page: &str, service: &ServiceRow<'_>, folder: &str) -> String {
    let row = row(service, &format!("`{folder}`"));
    match page.split_once(HEADER) {
        Some((before, rest)) => {
            let rows: usize = rest.split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
            let (rows, after) = rest.split_at(rows);
            let end = if rows.is_empty() || rows.ends_with('\n') { "" } else { "\n" };
            format!("{before}{HEADER}{rows}{end}{row}{after}")
        }
        None => format!("{}\n\n## Services\n\n{HEADER}{row}", page.trim_end()),
    }
}

fn row(service: &ServiceRow<'_>, name: &str) -> String {
    let ServiceRow { package, variables, has_program } = service;
    let run = if *has_program { format!("`cargo run -p {package} --example first`") } else { String::new() };
    format!("| {name} | `{package}` | {variables} | {run} |\n")
}
