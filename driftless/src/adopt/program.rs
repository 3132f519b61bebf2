//! The first program of a new service: one call, of an operation that needs nothing.

use std::collections::BTreeMap;

use driftless_codegen::Credentials;

use super::VARIABLES;
use crate::asked;
use crate::workspace::{CLIENT, GENERATED};

/// Where it is written.
pub(super) const PROGRAM: &str = "generated-client/examples/first.rs";

/// One call.
pub(super) struct Program {
    family: String,
    operation: String,
    /// The ends of the variables that give the credentials of the call.
    variables: Vec<String>,
}

impl Program {
    /// The shortest call that needs no argument, of the generated files; `None` where each needs one.
    pub(super) fn from_client(files: &BTreeMap<String, String>, credentials: &Credentials) -> Option<Self> {
        let surface = files.get(CLIENT)?;
        let source = |family: &str| {
            files.get(&format!("{GENERATED}/families/{family}.rs")).map(String::as_str).unwrap_or_default()
        };
        let (family, operation) = simple_call(surface, source)?;
        let together = asked::easiest(credentials, &format!("{family}.{operation}"));
        let variables = asked::variables(together, &credentials.schemes);
        Some(Self { family: family.to_owned(), operation: operation.to_owned(), variables })
    }

    /// The ends of the variables that it needs beside the base URL.
    pub(super) fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The lines that call, as `cargo fmt` has them.
    pub(super) fn call(&self) -> String {
        let Self { family, operation, .. } = self;
        let call = format!("let answer = service.{family}().{operation}().await?;");
        match call.len() {
            ..=116 => call,
            _ => format!("let family = service.{family}();\n    let answer = family.{operation}().await?;"),
        }
    }

    /// Its lines, as `cargo fmt` has them.
    pub(super) fn text(&self) -> String {
        let variables = ["BASE_URL"].into_iter().chain(self.variables.iter().map(String::as_str));
        let variables: Vec<String> = variables.map(|end| format!("//! - `{VARIABLES}{end}`\n")).collect();
        format!(
            "//! A first call of the service. `Platform::from_env` reads these variables:\n\
             //!\n\
             {}\
             #![allow(clippy::print_stdout, reason = \"a program for a terminal\")]\n\n\
             {}",
            variables.concat(),
            self.body()
        )
    }

    /// The program without its documentation.
    pub(super) fn body(&self) -> String {
        format!(
            "use platform_client::Platform;\n\n\
             #[tokio::main]\n\
             async fn main() -> Result<(), Box<dyn std::error::Error>> {{\n    \
                 let service = Platform::from_env()?;\n    \
                 {}\n    \
                 println!(\"{{answer:?}}\");\n    \
                 Ok(())\n\
             }}\n",
            self.call()
        )
    }
}

/// Family and name of the shortest operation that reads something, needs no argument and answers with something. `source` is
/// the code of a family: it says which operations are deprecated, or need a feature.
fn simple_call<'a>(surface: &'a str, source: impl Fn(&str) -> &'a str) -> Option<(&'a str, &'a str)> {
    let simple = |line: &&str| line.contains("  GET ") && line.contains("  () -> ") && !line.contains("  () -> ()");
    let calls = surface.lines().filter(simple).filter_map(|line| line.split("  ").next()?.split_once('.'));
    let mut calls: Vec<(&str, &str)> = calls.collect();
    calls.sort_by_key(|(family, operation)| (family.len() + operation.len(), *family, *operation));
    calls.into_iter().find(|(family, operation)| {
        let source = source(family);
        let before = source.split(&format!("pub fn {operation}(")).next().unwrap_or_default();
        let own =
            before.lines().rev().take_while(|line| line.trim_start().starts_with(['#', '/']) || line.trim().is_empty());
        !own.map(str::trim_start).any(|line| line.starts_with("#[deprecated") || line.starts_with("#[cfg"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_call_is_the_shortest_that_needs_nothing() {
        let surface = "a.one  GET /a/{id}  (id: i32) -> A  [200]\na.two  POST /a  () -> A  [200]\na.three  GET /a  () -> ()  [200]\n\
                       aa.fourth  GET /b  () -> Vec<A>  [200]\na.five  GET /c  () -> A  [200]\nb.seven  GET /c  () -> A  [200]\n";
        let source = |family: &str| match family {
            "a" => "    /// Five.\n    #[deprecated]\n    pub fn five(self) {}\n",
            _ => "    #[deprecated]\n    pub fn other(self) {}\n    /// Seven.\n    pub fn seven(self) {}\n",
        };
        assert_eq!(simple_call(surface, source), Some(("b", "seven")));
        assert_eq!(simple_call("a.one  GET /a/{id}  (id: i32) -> A  [200]\n", source), None);
    }

    #[test]
    fn its_lines_are_as_rustfmt_has_them_whatever_the_names() {
        let (f, s) = ("f".repeat(40), "s".repeat(70));
        for (family, operation) in [("b", "seven"), (&*f, &*s)] {
            let [family, operation] = [family, operation].map(str::to_owned);
            let program = Program { family, operation: operation.clone(), variables: vec!["TOKEN".to_owned()] };
            let text = program.text();
            assert!(text.lines().all(|line| line.len() <= 120), "{text}");
            assert!(text.contains(&format!("{operation}().await?;\n")), "{text}");
            assert!(text.contains("//! - `PLATFORM_BASE_URL`\n//! - `PLATFORM_TOKEN`\n"), "{text}");
        }
    }
}
