//! Commands and flags of an operation, by the rules in the README of `driftless-cli`. This is a second implementation of them: it shares no code
//! with `driftless-cli`.

use std::collections::{BTreeMap, BTreeSet};

use driftless_codegen::{Catalog, CatalogForm, CatalogInput, CatalogOperation, CatalogType, CatalogValue};

/// Flags that every command has.
const GENERAL: [&str; 11] = [
    "assumed", "dry-run", "fields", "format", "help", "no-pager", "output", "profile", "timeout", "verbose", "version",
];

/// Commands that every program has.
const COMMANDS: [&str; 13] = [
    "api",
    "completions",
    "docs",
    "graphql",
    "help",
    "login",
    "logout",
    "man",
    "mcp",
    "operations",
    "profiles",
    "token",
    "whoami",
];

/// The form of the words of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    Boolean,
    Number,
    /// A word for each element.
    List(Box<Form>),
    Json,
    /// JSON, or a text that is none.
    Any,
    File,
    Files,
}

/// A flag, or an argument by position.
#[derive(Clone, Debug)]
pub(super) struct Flag {
    pub(super) name: String,
    /// Place and name in the contract; members of a body are at the place `body`.
    pub(super) place: &'static str,
    pub(super) wire: String,
    pub(super) form: Form,
    /// No call goes without the parameter, or no body without the member.
    pub(super) required: bool,
}

/// The words that call an operation, without values.
#[derive(Clone, Debug)]
pub(super) struct CommandLine {
    pub(super) family: String,
    pub(super) operation: String,
    /// Positions first, in their order.
    pub(super) flags: Vec<Flag>,
    /// The parts of a form have flags, and the form cannot be given as a whole.
    pub(super) has_parts: bool,
    /// The client sets the version of the interface, and the contract states none.
    pub(super) needs_version: bool,
    /// The header with the key of an asynchronous operation, in small letters: the program makes its value.
    pub(super) key: Option<String>,
    /// The body is JSON in its file, and not the bytes that are sent.
    pub(super) is_json: bool,
}

/// The names that depend on other operations, and the types by name.
pub(super) struct Commands<'c> {
    types: BTreeMap<&'c str, &'c CatalogType>,
    families: BTreeMap<&'c str, String>,
    /// The names that operations of a family have, or would get.
    names: BTreeMap<(&'c str, String), usize>,
}

impl<'c> Commands<'c> {
    pub(super) fn new(catalog: &'c Catalog) -> Self {
        let types = catalog.types.iter().map(|ty| (ty.name.as_str(), ty)).collect();
        let mut commands = Self { types, families: BTreeMap::new(), names: BTreeMap::new() };
        let mut taken: BTreeSet<String> = COMMANDS.map(str::to_owned).into();
        for operation in &catalog.operations {
            let family = operation.family.as_str();
            commands.families.entry(family).or_insert_with(|| {
                let mut name = words(family);
                while !taken.insert(name.clone()) {
                    name += "-family";
                }
                name
            });
            for name in BTreeSet::from([words(&operation.name), short(family, &operation.name)]) {
                *commands.names.entry((family, name)).or_default() += 1;
            }
        }
        commands
    }

    /// The command of an operation in its family.
    fn operation(&self, operation: &'c CatalogOperation) -> String {
        let short = short(&operation.family, &operation.name);
        let is_free = self.names.get(&(operation.family.as_str(), short.clone())) == Some(&1);
        if is_free { short } else { words(&operation.name) }
    }
}

impl CommandLine {
    pub(super) fn new<'c>(commands: &Commands<'c>, operation: &'c CatalogOperation, key: Option<String>) -> Self {
        let mut taken: BTreeSet<String> = GENERAL.map(str::to_owned).into();
        let mut take =
            |is_there: bool, names: [&str; 2]| taken.extend(names.iter().filter(|_| is_there).map(ToString::to_string));
        take(operation.body.is_some(), ["body", "body-template"]);
        take(operation.api_version.is_some(), ["api-version"; 2]);
        take(operation.items.is_some(), ["all", "limit"]);
        take(operation.binding.is_some(), ["wait", "label"]);
        let mut named = |name: &str, prefix: &str| {
            let mut name = words(name);
            if taken.contains(&name) {
                name = format!("{prefix}-{name}");
            }
            while !taken.insert(name.clone()) {
                name += "-2";
            }
            name
        };
        let is_key = |input: &CatalogInput| {
            input.place == "header" && key.as_ref().is_some_and(|key| input.wire.eq_ignore_ascii_case(key))
        };
        let inputs = operation.inputs.iter().filter(|input| !is_key(input)).map(|input| Flag {
            name: named(&input.name, "param"),
            place: input.place,
            wire: input.wire.clone(),
            form: form(commands, &input.ty),
            required: input.required,
        });
        let mut flags: Vec<Flag> = inputs.collect();
        let position = |flag: &Flag| operation.path.find(&format!("{{{}}}", flag.wire));
        flags.sort_by_key(|flag| (flag.place != "path", position(flag).filter(|_| flag.place == "path")));
        let mut has_parts = false;
        let body = operation.body.iter().filter_map(|body| members(commands, body.ty.as_ref(), &body.rust));
        for ty in body {
            let (members, are_parts) = match &ty.form {
                CatalogForm::Object(members, _) => (members, false),
                CatalogForm::Multipart(members) => (members, true),
                _ => continue,
            };
            has_parts = are_parts;
            for member in members.iter().filter(|member| !member.read_only) {
                let form = match &member.ty {
                    Some(ty) => form(commands, ty),
                    None if member.rust.starts_with("Vec<") => Form::Files,
                    None => Form::File,
                };
                let name = if are_parts { &member.name } else { &member.wire };
                let (name, wire) = (named(name, "body"), member.wire.clone());
                let required = member.presence == "required";
                flags.push(Flag { name, place: "body", wire, form, required });
            }
        }
        Self {
            family: commands.families.get(operation.family.as_str()).cloned().unwrap_or_default(),
            operation: commands.operation(operation),
            flags,
            has_parts,
            key,
            needs_version: operation.api_version.as_ref().is_some_and(|version| version.default.is_none()),
            is_json: operation.body.as_ref().is_some_and(|body| ["json", "form"].contains(&body.form)),
        }
    }
}

/// The name of an operation without the words of its family behind the verb.
fn short(family: &str, name: &str) -> String {
    let (family, name) = (words(family), words(name));
    let (family, name): (Vec<&str>, Vec<&str>) = (family.split('-').collect(), name.split('-').collect());
    let single = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    let [verb, rest @ ..] = name.as_slice() else { return name.join("-") };
    let begins =
        rest.len() >= family.len() && rest.iter().zip(&family).all(|(one, other)| single(one) == single(other));
    let rest = if begins { rest.get(family.len()..).unwrap_or_default() } else { rest };
    [&[*verb], rest].concat().join("-")
}

/// A name in small words, with `-` between them.
pub(super) fn words(name: &str) -> String {
    let letters: Vec<char> = name.trim_start_matches("r#").chars().collect();
    let mut words = vec![String::new()];
    // The last letter of the word; digits are none.
    let mut before: Option<char> = None;
    for (index, letter) in letters.iter().enumerate() {
        if !letter.is_ascii_alphanumeric() {
            words.push(String::new());
            before = None;
            continue;
        }
        let next_is_small = letters.get(index + 1).is_some_and(char::is_ascii_lowercase);
        let begins =
            letter.is_ascii_uppercase() && before.is_some_and(|before| before.is_ascii_lowercase() || next_is_small);
        if begins {
            words.push(String::new());
        }
        words.last_mut().into_iter().for_each(|word| word.push(letter.to_ascii_lowercase()));
        if letter.is_ascii_alphabetic() {
            before = Some(*letter);
        }
    }
    words.retain(|word| !word.is_empty());
    if words.is_empty() { "unnamed".to_owned() } else { words.join("-") }
}

/// The type of a body that is an object, or that has parts.
fn members<'c>(commands: &Commands<'c>, ty: Option<&CatalogValue>, rust: &str) -> Option<&'c CatalogType> {
    let name = match ty {
        Some(CatalogValue::Named(name)) => name.as_str(),
        Some(CatalogValue::Optional(inner)) => return members(commands, Some(inner), rust),
        Some(_) => return None,
        None => rust.strip_prefix("types::")?,
    };
    let ty = *commands.types.get(name)?;
    match &ty.form {
        CatalogForm::Alias(other) => members(commands, None, inner(other, "Option").unwrap_or(other)),
        _ => Some(ty),
    }
}

/// The form of a value, by its type.
fn form(commands: &Commands<'_>, ty: &CatalogValue) -> Form {
    match ty {
        CatalogValue::Any => Form::Any,
        CatalogValue::Boolean => Form::Boolean,
        CatalogValue::Integer(_) | CatalogValue::Number(_) => Form::Number,
        CatalogValue::Text(_) => Form::Text,
        CatalogValue::Object | CatalogValue::Map(_) => Form::Json,
        CatalogValue::List(element) => list(form(commands, element)),
        CatalogValue::Optional(inner) => form(commands, inner),
        CatalogValue::Named(name) => match commands.types.get(name.as_str()).map(|ty| &ty.form) {
            Some(CatalogForm::Object(..) | CatalogForm::Multipart(_)) => Form::Json,
            Some(CatalogForm::Alias(rust) | CatalogForm::Identifier(rust)) => alias(commands, rust),
            Some(CatalogForm::Enumeration(true, _)) => Form::Number,
            Some(CatalogForm::Enumeration(false, _)) => Form::Text,
            Some(CatalogForm::Union(..) | CatalogForm::ByStatus(_)) | None => Form::Any,
        },
    }
}

fn list(element: Form) -> Form {
    match element {
        Form::Text | Form::Boolean | Form::Number => Form::List(Box::new(element)),
        _ => Form::Json,
    }
}

/// The form of a Rust type that has another name.
fn alias(commands: &Commands<'_>, rust: &str) -> Form {
    if let Some(inner) = inner(rust, "Option").or_else(|| inner(rust, "Box")) {
        return alias(commands, inner);
    }
    if let Some(element) = inner(rust, "Vec") {
        return list(alias(commands, element));
    }
    if let Some(name) = rust.strip_prefix("types::") {
        return form(commands, &CatalogValue::Named(name.to_owned()));
    }
    match rust {
        "bool" => Form::Boolean,
        "Decimal" | "f32" | "f64" => Form::Number,
        "Object" => Form::Json,
        "Value" => Form::Any,
        rust if rust.starts_with("BTreeMap<") => Form::Json,
        rust if rust.starts_with(['i', 'u']) => Form::Number,
        _ => Form::Text,
    }
}

fn inner<'t>(rust: &'t str, name: &str) -> Option<&'t str> {
    rust.strip_prefix(name)?.strip_prefix('<')?.strip_suffix('>')
}
