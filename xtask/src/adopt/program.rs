//! The first program of a new service: one call, of an operation that needs nothing.

use std::collections::BTreeMap;

use crate::workspace::{CLIENT, GENERATED};

/// Where it is written.
pub(super) const PROGRAM: &str = "generated-client/examples/first.rs";
/// The variable that it reads an API key from.
pub(super) const KEY: &str = "PLATFORM_API_KEY";

/// One call.
pub(super) struct Program {
    family: String,
    operation: String,
    /// The name of the scheme that wants an API key, as a literal of the generated code.
    scheme: Option<String>,
}

impl Program {
    /// The shortest call that needs no argument, of the generated files; `None` where each needs one.
    pub(super) fn of(files: &BTreeMap<String, String>) -> Option<Self> {
        let surface = files.get(CLIENT)?;
        let source = |family: &str| {
            files.get(&format!("{GENERATED}/families/{family}.rs")).map(String::as_str).unwrap_or_default()
        };
        let (family, operation) = simple_call(surface, source)?;
        let security = files.get(&format!("{GENERATED}/security.rs")).map(String::as_str).unwrap_or_default();
        let scheme = key(own(source(family), operation), security).map(str::to_owned);
        Some(Self { family: family.to_owned(), operation: operation.to_owned(), scheme })
    }

    /// Whether it gives an API key.
    pub(super) fn needs_key(&self) -> bool {
        self.scheme.is_some()
    }

    /// Its lines, as `cargo fmt` has them.
    pub(super) fn text(&self) -> String {
        let Self { family, operation, .. } = self;
        let call = format!("let answer = service.{family}().{operation}().await?;");
        let call = match call.len() {
            ..=116 => call,
            _ => format!("let family = service.{family}();\n    let answer = family.{operation}().await?;"),
        };
        let (variables, uses, service) = match &self.scheme {
            None => {
                (String::new(), "use platform_client::Platform;", "let service = Platform::from_env()?;".to_owned())
            }
            Some(scheme) => {
                let service = format!("let service = PlatformBuilder::from_env()?.api_key({scheme}, key).build()?;");
                let service = match service.len() {
                    ..=116 => service,
                    _ => format!(
                        "let scheme = {scheme};\n    \
                         let service = PlatformBuilder::from_env()?.api_key(scheme, key).build()?;"
                    ),
                };
                (
                    format!(" and `{KEY}`"),
                    "use platform_client::PlatformBuilder;\nuse platform_client::auth::SecretEnv;",
                    format!("let key = SecretEnv::new(\"{KEY}\");\n    {service}"),
                )
            }
        };
        format!(
            "//! A first call of the service, with the variables of `Platform::from_env`{variables}.\n\
             #![allow(clippy::print_stdout, reason = \"a program for a terminal\")]\n\n\
             {uses}\n\n\
             #[tokio::main]\n\
             async fn main() -> Result<(), Box<dyn std::error::Error>> {{\n    \
                 {service}\n    \
                 {call}\n    \
                 println!(\"{{answer:?}}\");\n    \
                 Ok(())\n\
             }}\n"
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

/// The code of an operation.
fn own<'a>(source: &'a str, operation: &str) -> &'a str {
    let own = source.split(&format!("pub fn {operation}(")).nth(1).unwrap_or_default();
    own.split("\n    }\n").next().unwrap_or_default()
}

/// The first scheme of an operation, as it says itself or as all do, where it is an API key and no token will do instead.
fn key<'a>(operation: &'a str, all: &'a str) -> Option<&'a str> {
    let of_all = all.split("const SECURITY:").nth(1).and_then(|text| text.split(';').next()).unwrap_or_default();
    let says = if operation.contains("security:") { operation } else { of_all };
    if says.contains("Scheme::Token") {
        return None;
    }
    let first = says.split("Scheme::").nth(1)?;
    let is_key = ["Header", "Query", "Cookie"].iter().any(|kind| first.starts_with(kind));
    let scheme = first.split("scheme: ").nth(1)?.lines().next()?.trim_end().trim_end_matches(',');
    is_key.then_some(scheme)
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
        let literal = format!("\"{}\"", "k".repeat(60));
        for (family, operation, scheme) in
            [("b", "seven", None), (&*f, &*s, None), ("b", "seven", Some("\"X-Api-Key\"")), (&*f, &*s, Some(&*literal))]
        {
            let [family, operation] = [family, operation].map(str::to_owned);
            let scheme = scheme.map(str::to_owned);
            let text = Program { family, operation: operation.clone(), scheme: scheme.clone() }.text();
            assert!(text.lines().all(|line| line.len() <= 120), "{text}");
            assert!(text.contains(&format!("{operation}().await?;\n")), "{text}");
            assert_eq!(scheme.is_some_and(|scheme| text.contains(&scheme)), text.contains(KEY), "{text}");
        }
    }

    #[test]
    fn an_api_key_is_given_where_the_operation_wants_one_and_no_token_will_do() {
        let header = "&[Scheme::Header {\n    scheme: \"X \\\"Key\",\n    name: \"X-Key\",\n}]";
        let all = |what: &str| {
            format!("pub(crate) const SECURITY: Security = {what};\nconst SCHEMES: &[Scheme] = {header};\n")
        };
        let any = |what: &str| format!("Security::Any(&[{what}])");
        let own = |what: &str| format!("static OPERATION: Operation = Operation {{ security: {what} }};");
        let token = "&[Scheme::Token]";
        let basic = "&[Scheme::Basic {\n    scheme: \"login\",\n}]";
        let literal = Some("\"X \\\"Key\"");
        for (operation, security, wanted) in [
            (String::new(), any(header), literal),
            (String::new(), any(&format!("{header}, {token}")), None),
            (String::new(), any(&format!("{header}, {basic}")), literal),
            (String::new(), any(basic), None),
            (String::new(), "Security::Token".to_owned(), None),
            (own(&any(header)), "Security::Token".to_owned(), literal),
            (own("Security::None"), any(header), None),
        ] {
            assert_eq!(key(&operation, &all(&security)), wanted, "{operation} {security}");
        }
    }
}
