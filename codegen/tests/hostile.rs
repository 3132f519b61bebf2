//! No text of a contract becomes code, a doctest, a path or a line of a report: every string of a contract, keys
//! included, is put in place by hostile ones, and the client has to be made of the same things as with a harmless one.

use std::collections::BTreeMap;
use std::path::Path;

use driftless_codegen::{
    AsyncOperation, Config, Contract, Correction, FamilyRule, GraphqlFiles, NameStyle, Names, Output, Setup,
    StyleVersion, generate, line, pointer,
};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use quote::ToTokens as _;
use serde_json::{Map, Value};

/// A text that can do no harm, and that no place has a meaning for.
pub(crate) const HARMLESS: &str = "zq";

/// Texts that would do harm where they were written as they are. Each holds the letters of the harmless one, so that a
/// name can be made of it. `cargo xtask fuzz` uses the same texts.
pub(crate) fn hostile() -> Vec<String> {
    let mut texts: Vec<String> = serde_json::from_str(include_str!("hostile/texts.json")).unwrap();
    texts.push(format!("zq {}", "long\"` ".repeat(1_500)));
    texts
}

/// A string of a document: where it lies, and whether it is a key.
#[derive(Clone, Debug)]
struct Place {
    pointer: String,
    is_key: bool,
}

fn places(value: &Value, pointer: &str, all: &mut Vec<Place>) {
    match value {
        Value::String(_) => all.push(Place { pointer: pointer.to_owned(), is_key: false }),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| places(item, &format!("{pointer}/{index}"), all));
        }
        Value::Object(members) => {
            for (key, value) in members {
                let pointer = pointer::join(pointer, key);
                all.push(Place { pointer: pointer.clone(), is_key: true });
                places(value, &pointer, all);
            }
        }
        _ => {}
    }
}

/// The document with a text at a place.
fn with(document: &Value, place: &Place, text: &str) -> Value {
    let mut document = document.clone();
    if !place.is_key {
        *document.pointer_mut(&place.pointer).unwrap() = Value::String(text.to_owned());
        return document;
    }
    let (parent, key) = pointer::split_last(&place.pointer).unwrap();
    let members = document.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    let renamed: Map<String, Value> = std::mem::take(members)
        .into_iter()
        .map(|(name, value)| (if name == key { text.to_owned() } else { name }, value))
        .collect();
    *members = renamed;
    document
}

/// The tokens of code: the number of each sign, keyword, attribute and macro. Names and literals count as equal.
pub(crate) fn made_of(output: &Output) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for (path, text) in &output.files {
        assert!(text.starts_with(driftless_codegen::HEADER), "{path}");
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
        count(tokens, &mut counts);
        let file = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}\n{text}"));
        documentation(&file, &mut counts);
        assert!(
            file.items
                .iter()
                .all(|item| !matches!(item, syn::Item::Trait(_) | syn::Item::Fn(_) | syn::Item::ExternCrate(_))),
            "{path}"
        );
    }
    counts
}

const KEYWORDS: [&str; 18] = [
    "fn",
    "struct",
    "enum",
    "impl",
    "trait",
    "mod",
    "use",
    "static",
    "const",
    "type",
    "unsafe",
    "extern",
    "pub",
    "derive",
    "cfg",
    "macro_rules",
    "crate",
    "let",
];

fn count(tokens: TokenStream, counts: &mut BTreeMap<String, usize>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let what = match token {
            // Documentation is looked at on its own.
            TokenTree::Punct(sign) if sign.as_char() == '#' => {
                if let Some(TokenTree::Punct(inner)) = tokens.peek()
                    && inner.as_char() == '!'
                {
                    tokens.next();
                }
                match tokens.next() {
                    Some(TokenTree::Group(group)) if group.to_string().replace(' ', "").starts_with("[doc=") => {
                        continue;
                    }
                    Some(TokenTree::Group(group)) => {
                        count(group.stream(), counts);
                        "#".to_owned()
                    }
                    _ => panic!("an attribute without one"),
                }
            }
            // Their number depends on line breaks.
            TokenTree::Punct(sign) if sign.as_char() == ',' => continue,
            TokenTree::Punct(sign) => sign.to_string(),
            TokenTree::Group(group) => {
                count(group.stream(), counts);
                match group.delimiter() {
                    Delimiter::Brace => "{}".to_owned(),
                    Delimiter::Bracket => "[]".to_owned(),
                    _ => "()".to_owned(),
                }
            }
            TokenTree::Literal(_) => "literal".to_owned(),
            TokenTree::Ident(name) => {
                let name = name.to_string();
                let is_macro = matches!(tokens.peek(), Some(TokenTree::Punct(sign)) if sign.as_char() == '!');
                if is_macro || KEYWORDS.contains(&name.as_str()) { name } else { "name".to_owned() }
            }
        };
        *counts.entry(what).or_default() += 1;
    }
}

/// Nothing in the documentation runs but the generator's own examples, which are made of the same things as with a harmless text.
fn documentation(file: &syn::File, counts: &mut BTreeMap<String, usize>) {
    let mut all = vec![file.attrs.as_slice()];
    for item in &file.items {
        match item {
            syn::Item::Struct(item) => {
                all.push(&item.attrs);
                all.extend(item.fields.iter().map(|field| field.attrs.as_slice()));
            }
            syn::Item::Enum(item) => {
                all.push(&item.attrs);
                all.extend(item.variants.iter().map(|variant| variant.attrs.as_slice()));
            }
            syn::Item::Impl(item) => all.extend(item.items.iter().map(|item| match item {
                syn::ImplItem::Fn(function) => function.attrs.as_slice(),
                _ => &[],
            })),
            syn::Item::Type(item) => all.push(&item.attrs),
            syn::Item::Const(item) => all.push(&item.attrs),
            syn::Item::Static(item) => all.push(&item.attrs),
            syn::Item::Mod(item) => all.push(&item.attrs),
            _ => {}
        }
    }
    for attributes in all {
        let mut text = String::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
            let value = &attribute.meta.require_name_value().unwrap().value;
            let written: syn::LitStr = syn::parse2(value.to_token_stream()).unwrap();
            text.push_str(&written.value());
            text.push('\n');
        }
        // `rustdoc` takes the blank behind the slashes off.
        let text: String = text.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect();
        assert!(text.split('\n').all(|part| line(part) == part), "{text:?}");
        for options in [Options::empty(), Options::all()] {
            let mut is_example = false;
            for event in Parser::new_ext(&text, options) {
                match event {
                    Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if &*language == "text" => {}
                    Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) if &*language == "no_run" => {
                        is_example = true;
                    }
                    Event::Text(code) if is_example => {
                        let example: String =
                            code.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).collect();
                        let mut made = BTreeMap::new();
                        count(example.parse().unwrap_or_else(|error| panic!("{error}: {code}")), &mut made);
                        made.into_iter().for_each(|(sign, times)| {
                            *counts.entry(format!("example {sign}")).or_default() += times;
                        });
                    }
                    Event::End(TagEnd::CodeBlock) => is_example = false,
                    Event::Start(Tag::CodeBlock(_)) | Event::Html(_) | Event::InlineHtml(_) => panic!("alive: {text}"),
                    _ => {}
                }
            }
        }
    }
}

/// File names and reports are of the right form, whatever the contract says.
pub(crate) fn sound(what: &str, output: &Output) {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    for path in output.files.keys() {
        let stem = path.strip_suffix(".rs").unwrap_or_else(|| panic!("{what}: {path}"));
        let parts: Vec<&str> = stem.split('/').collect();
        let fits = |part: &&str| !part.is_empty() && part.len() <= 100 && part.chars().all(plain);
        assert!(parts.len() <= 2 && parts.iter().all(fits), "{what}: {path}");
    }
    for text in [&output.surface, &output.api.index()] {
        assert!(text.split('\n').all(|part| line(part) == part), "{what}: {text}");
    }
    // An operation that cannot be sent is not there.
    assert!(output.surface.lines().count() <= output.stats.operations, "{what}: {}", output.surface);
    for feature in &output.features {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(feature.name.chars().all(fits), "{what}: {}", feature.name);
    }
}

pub(crate) fn run(document: &Value, setup: &Setup) -> Option<Output> {
    let bytes = document.to_string();
    match generate(&[Contract { name: "platform", bytes: bytes.as_bytes() }], setup, &Names::default()) {
        Ok(output) => Some(output),
        Err(report) => {
            let text = report.to_string();
            assert!(text.split('\n').all(|part| line(part) == part), "{text}");
            assert!(report.problems().iter().all(|problem| problem.code != "emit/not-rust"), "{text}");
            assert!(text.lines().count() <= 2 * report.problems().len(), "{text}");
            None
        }
    }
}

pub(crate) fn contract() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/contract.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// Places in which signs have a meaning: a brace in a path is a parameter, a segment of it a word of a name, and a media type says
/// how a body is read.
fn has_meaning(place: &Place) -> bool {
    let parts: Vec<&str> = place.pointer.split('/').collect();
    let parent = parts.iter().rev().nth(1);
    place.is_key && (parts.get(1) == Some(&"paths") && parts.len() == 3 || parent == Some(&"content"))
}

/// Places whose text is sent in a header. Texts that a header cannot carry are left out, as are empty ones.
fn is_of_a_header(place: &Place) -> bool {
    let parts: Vec<&str> = place.pointer.split('/').collect();
    match place.is_key {
        true => parts.iter().rev().nth(1) == Some(&"headers"),
        false => {
            parts.get(2) == Some(&"securitySchemes") && parts.last() == Some(&"name")
                || place.pointer.ends_with("/parameters/1/name")
                || place.pointer.ends_with("/encoding/note/contentType")
        }
    }
}

#[test]
#[ignore = "a client for each text at each place: .ci/run --all runs it"]
fn no_string_of_a_contract_adds_anything() {
    each_string_alone(&Setup::default());
}

/// Types that become one, names of calls and their arguments, and the values of enumerations have names by other rules.
#[test]
#[ignore = "minutes, for a change of names: .ci/run has all texts together"]
fn no_string_of_a_contract_adds_anything_in_style_2() {
    each_string_alone(&in_style_2());
}

pub(crate) fn in_style_2() -> Setup {
    Setup::from(Config { style: NameStyle { version: StyleVersion::Two }, ..Config::default() })
}

fn each_string_alone(config: &Setup) {
    let document = contract();
    let mut all = Vec::new();
    places(&document, "", &mut all);
    assert!(all.len() > 250, "{}", all.len());
    let texts = hostile();
    let mut differing = Vec::new();
    for (index, place) in all.iter().enumerate() {
        let plain = run(&with(&document, place, HARMLESS), config);
        let noted = plain.as_ref().map_or(0, |output| output.ledger.entries().len());
        let harmless = plain.map(|output| made_of(&output));
        let is_of_a_header = is_of_a_header(place);
        let without = is_of_a_header.then(|| run(&with(&document, place, ""), config)).flatten();
        let left_out = without.map(|output| made_of(&output));
        // Each place meets one of the texts, and the next place the one after it.
        for text in texts.iter().skip(index % texts.len()).take(1) {
            let what = format!("{} of {place:?}", line(&text.chars().take(40).collect::<String>()));
            let output = run(&with(&document, place, text), config);
            if output.is_some() != harmless.is_some() {
                differing.push(format!("{what}: refused, or not"));
            }
            let Some(output) = output else { continue };
            sound(&what, &output);
            let signs = made_of(&output);
            if !has_meaning(place) {
                let is_left_out = is_of_a_header && signs != harmless.clone().unwrap_or_default();
                if is_left_out && output.ledger.entries().len() <= noted {
                    differing.push(format!("{what}: left out in silence"));
                }
                let expected = if is_left_out { &left_out } else { &harmless }.clone().unwrap_or_default();
                let other: Vec<String> = expected
                    .iter()
                    .filter(|(sign, count)| signs.get(*sign) != Some(count))
                    .map(|(sign, count)| format!("{sign} {count} {:?}", signs.get(sign)))
                    .collect();
                if !other.is_empty() || signs.len() != expected.len() {
                    differing.push(format!("{what}: {other:?}"));
                }
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn no_text_of_a_graphql_schema_or_of_the_configuration_adds_anything() {
    let made = |text: &str| {
        let quoted = Value::String(text.to_owned()).to_string();
        let schema = format!(
            "{quoted}\nenum State {{ {quoted}\nWAITING DONE @deprecated(reason: {quoted}) }}\n{quoted}\ninput By {{ {quoted}\nkey: ID! \
             {quoted}\ntext: String = {quoted} }}\n{quoted}\ntype Job {{ {quoted}\nstate: State! @deprecated(reason: {quoted}) }}\n\
             {quoted}\ntype Query {{ {quoted}\njob({quoted}\nby: By): Job text({quoted}\na: String): String }}"
        );
        let family = FamilyRule {
            name: "orders".to_owned(),
            prefixes: vec!["/orders".to_owned(), format!("/{text}")],
            covers: text.to_owned(),
            ..FamilyRule::default()
        };
        let correction = Correction {
            document: None,
            pointer: "/info/title".into(),
            value: Some(quoted.clone()),
            reason: text.into(),
        };
        let document = format!("# {}\nquery Job($by: By) {{ job(by: $by) {{ state }} text(a: {quoted}) }}", line(text));
        let mut operation: AsyncOperation = toml::from_str(
            "name = 'order'\nsubmit = 'POST /orders'\nidentifier = '/species'\nquery = 'job.graphql'\nvariable = 'by'\n\
             state = '/job/state'\nstates = { succeeded = ['DONE'] }",
        )
        .unwrap();
        operation.states.pending.push(text.to_owned());
        operation.idempotency = Some(text.to_owned());
        let documents = BTreeMap::from([("job.graphql".to_owned(), document)]);
        let config = Config {
            families: vec![family],
            corrections: vec![correction],
            operations: vec![operation],
            ..Config::default()
        };
        let mut setup = Setup::from(config);
        setup.graphql = GraphqlFiles { documents, schema: Some(schema) };
        // A prefix that no path begins with is refused.
        let as_prefix = run(&contract(), &setup);
        if as_prefix.is_none() {
            setup.config.families.iter_mut().for_each(|family| family.prefixes.truncate(1));
        }
        let output = as_prefix.or_else(|| run(&contract(), &setup)).or_else(|| {
            setup.config.operations.clear();
            run(&contract(), &setup)
        });
        let output = output.unwrap_or_else(|| panic!("not generated: {text:?}"));
        sound(text, &output);
        made_of(&output)
    };
    let harmless = made(HARMLESS);
    assert!(harmless.contains_key("string_enum"));
    for text in hostile() {
        assert_eq!(made(&text), harmless, "{text:?}");
    }
}
