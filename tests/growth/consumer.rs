//! A program that uses everything that the index of a client lists, so that it compiles for as long as nothing is taken back.

use std::collections::BTreeMap;

use driftless_codegen::Output;

/// The source of the program.
pub(crate) fn program(index: &str) -> String {
    let mut text = "#![allow(deprecated, unused)]\nuse platform_client::*;\nuse std::collections::BTreeMap;\n\
         use platform_client as driftless_runtime;\n"
        .to_owned();
    // The kind that each operation returns: a call or a submission.
    let mut kinds: BTreeMap<String, &str> = BTreeMap::new();
    for line in index.lines() {
        if let Some((kind, marker)) = returned(line) {
            kinds.insert(marker, kind);
        }
    }
    for (number, line) in index.lines().enumerate() {
        if let Some(item) = item(line, &kinds) {
            text.push_str(&format!("pub fn use_{number}{item}\n"));
        }
    }
    text
}

/// The examples of a client's operations, as modules.
pub(crate) fn examples(client: &Output, name: &str) -> String {
    let mut text = format!("pub mod {name} {{\n#![allow(deprecated, unused)]\n");
    let (mut number, mut is_inside) = (0, false);
    for line in client.files.iter().filter(|(path, _)| path.starts_with("families/")).flat_map(|(_, file)| file.lines())
    {
        match line.trim_start() {
            "/// ```no_run" => {
                (number, is_inside) = (number + 1, true);
                text.push_str(&format!("mod e{number} {{\n"));
            }
            "/// ```" if is_inside => {
                is_inside = false;
                text.push_str("}\n");
            }
            line if is_inside => {
                let line = line.trim_start_matches("/// ");
                text.push_str(line.strip_prefix("# ").unwrap_or(line));
                text.push('\n');
            }
            _ => {}
        }
    }
    text.push_str("}\n");
    text
}

/// The kind and the operation of the return type of a family's method.
fn returned(line: &str) -> Option<(&'static str, String)> {
    let (path, rest) = line.split_once(" fn (self")?;
    let (family, _) = path.strip_prefix("families::")?.split_once("::")?;
    let kind = if rest.contains("-> Submission<") { "Submission" } else { "Call" };
    let (_, marker) = rest.rsplit_once("operations::")?;
    Some((kind, format!("families::{family}::operations::{}", marker.trim_end_matches('>'))))
}

/// One function that uses the item of a line.
fn item(line: &str, kinds: &BTreeMap<String, &str>) -> Option<String> {
    let mut parts = line.splitn(3, ' ');
    let (path, kind, signature) = (parts.next()?, parts.next()?, parts.next().unwrap_or_default());
    let (owner, name) = path.rsplit_once("::")?;
    Some(match (owner.split("::").next()?, kind) {
        ("Platform", "fn") => {
            format!("(platform: &Platform) -> {} {{ platform.{name}() }}", signature.rsplit_once("-> ")?.1)
        }
        ("families", "fn") if owner.contains("::operations::") => {
            let (list, names) = arguments(signature);
            let call = format!("{}<'a, (), {owner}>", kinds.get(owner)?);
            let result = signature.rsplit_once("-> ")?.1.replace("Self", &call);
            format!("<'a>(call: {call}, {list}) -> {result} {{ call.{name}({names}) }}")
        }
        ("families", "const") => {
            format!("() -> {} {{ {path} }}", signature.replace("crate::", "platform_client::"))
        }
        ("families", "header") => {
            format!("(headers: Declared<'_, {owner}>) -> {signature} {{ headers.{name}() }}")
        }
        ("families", "fn") => {
            let family = owner.split("::").nth(1)?;
            let (list, names) = arguments(signature);
            let result =
                signature.rsplit_once("-> ")?.1.replace("operations::", &format!("families::{family}::operations::"));
            format!("<'a>(family: {owner}<'a>, {list}) -> {result} {{ family.{name}({names}) }}")
        }
        ("families", "struct" | "enum") => format!("(_: Option<{}>) {{}}", lifetime(path)),
        ("types", "struct") if signature.contains("Default") => format!("() -> {path} {{ {path}::default() }}"),
        ("types", "field") => {
            format!("(it: &mut {owner}, value: {signature}) -> &{signature} {{ it.{name} = value; &it.{name} }}")
        }
        ("types", "from") => format!("(it: {signature}) -> {owner} {{ {owner}::from(it) }}"),
        ("types", "variant") if signature.is_empty() => format!("(it: {owner}) -> bool {{ matches!(it, {path}) }}"),
        ("types", "variant") => {
            format!(
                "(it: {owner}) -> Option<{signature}> {{ if let {path}(inner) = it {{ Some(inner) }} else {{ None }} }}"
            )
        }
        ("types", "fn") if name == "new" => {
            let (list, names) = arguments(signature);
            format!("({list}) -> {owner} {{ {owner}::new({names}) }}")
        }
        ("types", "fn") if signature.starts_with("(&self)") => {
            format!("(it: &{owner}) -> {} {{ it.{name}() }}", signature.rsplit_once("-> ")?.1)
        }
        ("types", "fn") => {
            let (list, names) = arguments(signature);
            format!("(it: {owner}, {list}) -> {owner} {{ it.{name}({names}) }}")
        }
        _ => return None,
    })
}

/// The handle of a family has a lifetime; the type that names an operation has none.
fn lifetime(path: &str) -> String {
    if path.contains("::operations::") { path.to_owned() } else { format!("{path}<'_>") }
}

/// The arguments of a signature without `self`: declared, and named.
fn arguments(signature: &str) -> (String, String) {
    let inner = signature.split_once('(').map_or("", |(_, rest)| rest);
    let (mut depth, mut list, mut start) = (0, Vec::new(), 0);
    for (position, letter) in inner.char_indices() {
        match letter {
            '(' | '<' | '[' => depth += 1,
            ')' if depth == 0 => {
                list.push(&inner[start..position]);
                break;
            }
            ')' | ']' => depth -= 1,
            '>' if !inner[..position].ends_with('-') => depth -= 1,
            ',' if depth == 0 => {
                list.push(&inner[start..position]);
                start = position + 1;
            }
            _ => {}
        }
    }
    let types = list.iter().filter_map(|argument| argument.split_once(": ")).map(|(_, ty)| ty);
    let (mut declared, mut named) = (Vec::new(), Vec::new());
    for (number, ty) in types.enumerate() {
        declared.push(format!("a{number}: {ty}"));
        named.push(format!("a{number}"));
    }
    (declared.join(", "), named.join(", "))
}
