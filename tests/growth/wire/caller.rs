//! A program built from the contract before: it performs the operation that a line names, with the arguments of the line, and
//! prints the result as a line.

use std::collections::BTreeMap;

use driftless_codegen::{Item, Output};

const MAIN: &str = r#"#![allow(deprecated, unused)]
use std::collections::BTreeMap;
use std::future::Future;
use std::io::{BufRead as _, Write as _};
use std::pin::Pin;

use platform_client::*;

type Arguments = serde_json::Map<String, serde_json::Value>;
type Outcome = Result<serde_json::Value, Failed>;

enum Failed {
    Argument(String),
    /// A stream of events that has none.
    End,
    Call(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

/// A type of arguments.
struct Taken<T>(std::marker::PhantomData<T>);

trait Readable<T> {
    fn take(&self, arguments: &Arguments, name: &str) -> Result<T, Failed>;
}

impl<T: serde::de::DeserializeOwned> Readable<T> for Taken<T> {
    fn take(&self, arguments: &Arguments, name: &str) -> Result<T, Failed> {
        let value = arguments.get(name).cloned().unwrap_or_default();
        serde_json::from_value(value).map_err(|error| Failed::Argument(format!("{name}: {error}")))
    }
}

trait Unreadable<T> {
    fn take(&self, arguments: &Arguments, name: &str) -> Result<T, Failed>;
}

/// The compiler takes this one where the other does not fit: files, and forms that hold them.
impl<T> Unreadable<T> for &Taken<T> {
    fn take(&self, _: &Arguments, _: &str) -> Result<T, Failed> {
        Err(Failed::Argument(String::new()))
    }
}

/// The result of an operation, as JSON if it can be written.
struct Returned<T>(T);

trait Written {
    fn written(&self) -> Outcome;
}

impl<T: serde::Serialize> Written for Returned<T> {
    fn written(&self) -> Outcome {
        serde_json::to_value(&self.0).map_err(|error| Failed::Argument(error.to_string()))
    }
}

trait Unwritten {
    fn written(&self) -> Outcome;
}

/// The compiler takes this one where the other does not fit.
impl<T> Unwritten for &Returned<T> {
    fn written(&self) -> Outcome {
        Ok(serde_json::Value::Null)
    }
}

fn main() {
    let address = std::env::args().nth(1).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let platform = Platform::builder(&address).no_retry().build().unwrap();
        for line in std::io::stdin().lock().lines() {
            let line: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
            let arguments = line["arguments"].as_object().unwrap();
            let outcome = match perform(&platform, line["operation"].as_str().unwrap(), arguments).await {
                Ok(value) => serde_json::json!({"read": value}),
                Err(Failed::Argument(text)) => serde_json::json!({"argument": text}),
                Err(Failed::End) => serde_json::json!({"error": "end"}),
                Err(Failed::Call(error)) => serde_json::json!({"error": error.code(), "text": format!("{error:#}")}),
            };
            let mut out = std::io::stdout().lock();
            writeln!(out, "{outcome}").unwrap();
            out.flush().unwrap();
        }
    });
}
"#;

/// The program: its source, and the names of each operation's arguments on the wire.
pub(super) struct Caller {
    pub(super) source: String,
    pub(super) operations: BTreeMap<String, Arguments>,
}

/// Names on the wire, each with whether no call goes without it.
pub(super) type Arguments = BTreeMap<String, bool>;

/// The key of the body among the arguments.
pub(super) const BODY: &str = "(body)";

impl Caller {
    /// `parameters`: the names of an operation's parameters in the contract.
    pub(super) fn new(client: &Output, parameters: impl Fn(&str) -> Vec<String>) -> Self {
        let items = &client.api.items;
        let accessors: BTreeMap<&str, &str> = items
            .iter()
            .filter(|item| item.parent() == "Platform")
            .filter_map(|item| Some((result(&item.signature).strip_suffix("<'_>")?, name(item))))
            .collect();
        let mut caller = Self { source: MAIN.to_owned(), operations: BTreeMap::new() };
        let mut arms = String::new();
        let methods = items.iter().filter(|item| item.kind == "fn" && result(&item.signature).starts_with("Call<"));
        for (number, method) in methods.enumerate() {
            let Some(accessor) = accessors.get(method.parent()) else { continue };
            let key = method.origin.operation.as_str();
            let marker = result(&method.signature).rsplit_once("operations::").map_or("", |(_, rest)| rest);
            let module = method.parent().rsplit_once("::").map_or("", |(module, _)| module);
            let owner = format!("{module}::operations::{}", marker.trim_end_matches('>'));
            let setters: Vec<&Item> = items.iter().filter(|item| item.kind == "fn" && item.parent() == owner).collect();
            let declared = parameters(key);
            let wire = |argument: &str| {
                let is_it = |name: &&String| plain(name) == plain(argument);
                match declared.iter().find(is_it) {
                    Some(name) => name.clone(),
                    None if argument == "body" => BODY.to_owned(),
                    None => panic!("{key} has no parameter {argument}"),
                }
            };
            let mut known = Arguments::new();
            let mut list = Vec::new();
            for (argument, ty) in arguments(&method.signature) {
                list.push(taken(&wire(argument), ty));
                known.insert(wire(argument), true);
            }
            let mut text = format!(
                "async fn perform_{number}(platform: &Platform, arguments: &Arguments) -> Outcome {{\n    \
                 let call = platform.{accessor}().{}({});\n",
                name(method),
                list.join(", ")
            );
            for setter in setters {
                let wire = match setter.wire.as_str() {
                    "" if name(setter) == "body" => BODY.to_owned(),
                    // Setters that the configuration adds to an operation are not on the wire.
                    "" => continue,
                    name => name.to_owned(),
                };
                let Some((_, ty)) = arguments(&setter.signature).pop() else { continue };
                text.push_str(&format!(
                    "    let call = if arguments.contains_key({wire:?}) {{ call.{}({}) }} else {{ call }};\n",
                    name(setter),
                    taken(&wire, ty)
                ));
                known.insert(wire, false);
            }
            text.push_str(match result(&method.signature).contains("EventStream") {
                true => "    let event = call.await?.next().await.ok_or(Failed::End)??;\n    Ok(serde_json::json!({\"data\": event.data}))\n}\n",
                false => "    (&Returned(call.await?)).written()\n}\n",
            });
            caller.source.push_str(&text);
            arms.push_str(&format!("        {key:?} => Box::pin(perform_{number}(platform, arguments)),\n"));
            caller.operations.insert(key.to_owned(), known);
        }
        caller.source.push_str(&format!(
            "fn perform<'a>(platform: &'a Platform, operation: &str, arguments: &'a Arguments) \
             -> Pin<Box<dyn Future<Output = Outcome> + 'a>> {{\n    match operation {{\n{arms}        \
             other => panic!(\"{{other}}\"),\n    }}\n}}\n"
        ));
        caller
    }
}

/// The expression of an argument.
fn taken(wire: &str, ty: &str) -> String {
    let (borrow, owned) = match ty.strip_prefix('&') {
        Some("str") => ("&", "String".to_owned()),
        Some(list) if list.starts_with('[') => ("&", format!("Vec<{}>", list.trim_matches(['[', ']']))),
        Some(other) => ("&", other.to_owned()),
        None => ("", ty.to_owned()),
    };
    format!("{borrow}(&Taken::<{owned}>(std::marker::PhantomData)).take(arguments, {wire:?})?")
}

fn name(item: &Item) -> &str {
    item.path.rsplit_once("::").map_or(&item.path, |(_, name)| name)
}

fn result(signature: &str) -> &str {
    signature.rsplit_once("-> ").map_or("", |(_, result)| result)
}

/// Names and types of the arguments, without `self`.
fn arguments(signature: &str) -> Vec<(&str, &str)> {
    let inner = signature.split_once("(self").map_or("", |(_, rest)| rest);
    let inner = inner.rsplit_once(") ->").map_or(inner, |(inner, _)| inner);
    let (mut depth, mut start, mut list) = (0, 0, Vec::new());
    for (position, letter) in inner.char_indices() {
        match letter {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                list.push(&inner[start..position]);
                start = position + 1;
            }
            _ => {}
        }
    }
    list.push(&inner[start..]);
    list.into_iter().filter_map(|argument| argument.trim().split_once(": ")).collect()
}

/// A name without punctuation and case, which Rust and contracts write differently.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
