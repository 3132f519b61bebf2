//! The styles of parameters: text to its parts.

use indexmap::IndexMap;

use crate::contract::Style;
use crate::schema::{Form, Text};

use super::query::{Pair, decode, steps};

/// The text of a parameter in a path, a header or a cookie, which is decoded already. `None` if it does not begin as its style does.
pub(super) fn split(name: &str, text: &str, style: Style, explode: bool, form: Form) -> Option<Text> {
    // The text, the delimiter of its parts, and the beginning that each part repeats.
    let (text, delimiter, prefix) = match style {
        Style::Label => (text.strip_prefix('.')?, if explode { '.' } else { ',' }, String::new()),
        Style::Matrix => {
            let text = text.strip_prefix(';')?;
            let prefix = format!("{name}=");
            match (explode, form) {
                (true, Form::List) => (text, ';', prefix),
                (true, Form::Members) => (text, ';', String::new()),
                // A name alone stands for an empty value.
                _ => (text.strip_prefix(&prefix).or_else(|| text.strip_prefix(name))?, ',', String::new()),
            }
        }
        Style::Space => (text, ' ', String::new()),
        Style::Pipe => (text, '|', String::new()),
        Style::Tab => (text, '\t', String::new()),
        Style::Simple | Style::Form | Style::DeepObject => (text, ',', String::new()),
    };
    // One value of the label style can contain the delimiter of its lists.
    if form == Form::One {
        return Some(Text::One(text.to_owned()));
    }
    let parts = || text.split(delimiter).map(|part| part.strip_prefix(&prefix).unwrap_or(part).trim().to_owned());
    Some(parts_to_text(text, parts().collect(), explode, form))
}

/// The parameter of a query. `None` if the query does not have it.
pub(super) fn query(
    name: &str,
    pairs: &[Pair<'_>],
    style: Style,
    explode: bool,
    form: Form,
    members: &[String],
) -> Option<Text> {
    let own = || pairs.iter().filter(|pair| pair.name == name || (form == Form::List && is_list(&pair.name, name)));
    match (style, form) {
        (Style::DeepObject, Form::Members) => return tree(name, pairs),
        (_, Form::One) => return own().next_back().map(|pair| Text::One(decode(pair.raw))),
        (Style::Form, Form::Members) if explode => {
            // The members are pairs of their own. A dictionary takes all pairs.
            let own = pairs.iter().filter(|pair| members.is_empty() || members.contains(&pair.name));
            let members: IndexMap<String, Text> =
                own.map(|pair| (pair.name.clone(), Text::One(decode(pair.raw)))).collect();
            return (!members.is_empty()).then_some(Text::Members(members));
        }
        (_, Form::List) if explode => {
            let items: Vec<Text> = own().map(|pair| Text::One(decode(pair.raw))).collect();
            return (!items.is_empty()).then_some(Text::List(items));
        }
        _ => {}
    }
    let raw = own().next_back()?.raw;
    // A delimiter that a browser encodes is one nevertheless, the comma apart: a value can contain it.
    let delimited = match style {
        Style::Space => raw.replace("%20", " ").replace('+', " "),
        Style::Pipe => raw.replace("%7C", "|").replace("%7c", "|"),
        Style::Tab => raw.replace("%09", "\t"),
        _ => raw.to_owned(),
    };
    let delimiter = match style {
        Style::Space => ' ',
        Style::Pipe => '|',
        Style::Tab => '\t',
        _ => ',',
    };
    let parts: Vec<String> = delimited.split(delimiter).map(decode).collect();
    // With every comma encoded, the text is a list that a client encoded as a whole.
    let parts = match parts.as_slice() {
        [only] if delimiter == ',' && form == Form::List => only.split(',').map(str::to_owned).collect(),
        _ => parts,
    };
    Some(parts_to_text(raw, parts, false, form))
}

/// `ids[]=1&ids[]=2`, as PHP and Ruby write lists.
fn is_list(written: &str, name: &str) -> bool {
    written.strip_prefix(name) == Some("[]")
}

fn parts_to_text(text: &str, parts: Vec<String>, explode: bool, form: Form) -> Text {
    if text.is_empty() {
        return if form == Form::List { Text::List(Vec::new()) } else { Text::Members(IndexMap::new()) };
    }
    if form == Form::List {
        return Text::List(parts.into_iter().map(Text::One).collect());
    }
    if explode {
        let member = |part: String| match part.split_once('=') {
            Some((name, value)) => (name.to_owned(), Text::One(value.to_owned())),
            None => (part, Text::One(String::new())),
        };
        return Text::Members(parts.into_iter().map(member).collect());
    }
    let mut parts = parts.into_iter();
    let mut members = IndexMap::new();
    while let Some(name) = parts.next() {
        members.insert(name, Text::One(parts.next().unwrap_or_default()));
    }
    Text::Members(members)
}

/// The object of all pairs that begin with a name and a bracket: `filter[name]=a&filter[tags][]=b`.
pub(super) fn tree(name: &str, pairs: &[Pair<'_>]) -> Option<Text> {
    let mut root = Text::Members(IndexMap::new());
    let mut is_present = false;
    for pair in pairs {
        let Some(steps) = steps(&pair.name).filter(|steps| steps.first() == Some(&name)) else { continue };
        is_present = true;
        insert(&mut root, steps.get(1..).unwrap_or_default(), decode(pair.raw));
    }
    is_present.then_some(root)
}

/// Inserts a value at the end of its steps. A second value makes a list of the first.
fn insert(at: &mut Text, steps: &[&str], value: String) {
    let Some((step, rest)) = steps.split_first() else {
        match at {
            Text::List(list) => list.push(Text::One(value)),
            Text::Members(members) if members.is_empty() => *at = Text::One(value),
            Text::One(first) => *at = Text::List(vec![Text::One(std::mem::take(first)), Text::One(value)]),
            Text::Members(_) | Text::Read(_) => {}
        }
        return;
    };
    // Numbers count the items of a list: `items[0][id]=1`.
    let is_index = step.is_empty() || step.bytes().all(|digit| digit.is_ascii_digit());
    if is_index && matches!(at, Text::Members(members) if members.is_empty()) {
        *at = Text::List(Vec::new());
    }
    match at {
        Text::List(list) => {
            let index = step.parse::<usize>().unwrap_or(list.len()).min(list.len());
            if index == list.len() {
                list.push(Text::Members(IndexMap::new()));
            }
            if let Some(item) = list.get_mut(index) {
                insert(item, rest, value);
            }
        }
        Text::Members(members) => {
            let member = members.entry((*step).to_owned()).or_insert_with(|| Text::Members(IndexMap::new()));
            insert(member, rest, value);
        }
        Text::One(_) | Text::Read(_) => {}
    }
}
