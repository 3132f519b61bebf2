//! The call of a first program, as a function of the client: it compiles where the values of its arguments have their types.

use std::collections::BTreeMap;

use driftless_codegen::FirstCall;

/// Adds the function to the root of a client.
pub(super) fn add(files: &mut BTreeMap<String, String>, call: Option<&FirstCall>) {
    let (Some(call), Some(root)) = (call, files.get_mut("mod.rs")) else { return };
    let client = root.split_once("\n    client ").and_then(|(_, rest)| Some(rest.split_once(';')?.0));
    // Without its name, the function does not compile, and the contract is reported.
    let client = client.unwrap_or("TheClientHasNoName");
    let values: Vec<String> = call
        .arguments
        .iter()
        .map(|(name, value)| if call.fields_of.is_some() { format!("{name}: {value}") } else { value.clone() })
        .collect();
    let list = values.join(", ");
    let (family, operation) = (&call.family, &call.operation);
    let list = match &call.fields_of {
        Some(name) => format!("crate::families::{family}::{name} {{ {list} }}"),
        None => list,
    };
    let uses: String = call.uses.iter().map(|item| format!("    use crate::{item};\n")).collect();
    let body = call.body.as_ref().map_or_else(String::new, |body| format!("    let body = {body};\n"));
    // A client with all features has the family, and all types.
    let function = format!(
        "#[cfg(feature = \"http2\")]\nasync fn first_program(client: &crate::{client}) -> Result<(), Box<dyn std::error::Error>> {{\n\
         {uses}{body}    let answer = client.{family}().{operation}({list}).await?;\n    println!(\"{{answer:?}}\");\n    Ok(())\n}}\n"
    );
    root.push_str(&function);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_is_that_of_the_client() {
        let call = FirstCall {
            family: "boards".to_owned(),
            operation: "get".to_owned(),
            marker: "Get".to_owned(),
            path: "/boards".to_owned(),
            body: Some("types::A::default()".to_owned()),
            arguments: vec![("id".to_owned(), "1".to_owned()), ("body".to_owned(), "&body".to_owned())],
            keys: Vec::new(),
            fields_of: Some("GetArguments".to_owned()),
            uses: vec!["types"],
            features: Vec::new(),
            deprecated: false,
            changes: false,
        };
        let mut files = BTreeMap::from([(
            "mod.rs".to_owned(),
            "// A client of it.\ngenerated! {\n    client Orders;\n}\n".to_owned(),
        )]);
        add(&mut files, Some(&call));
        let root = &files["mod.rs"];
        for part in [
            "(client: &crate::Orders)",
            "use crate::types;",
            "let body = types::A::default();",
            "client.boards().get(crate::families::boards::GetArguments { id: 1, body: &body }).await?",
        ] {
            assert!(root.contains(part), "{part}\n{root}");
        }
    }
}
