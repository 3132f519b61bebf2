//! Changes of public Rust items, and the sentences of the report about them.

use std::collections::BTreeSet;

use serde::Serialize;

use super::arguments::shortened;
use super::sides::Sides;
use crate::api::Item;

/// The effect of a change of items on a program that is compiled again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// It compiles as before.
    #[default]
    None,
    /// It compiles; there is something new, or a new warning.
    Minor,
    /// It does not compile where it uses the item.
    Major,
}

impl Source {
    /// As reports write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }
}

/// Features of generated items that are off by default. All others are those of route families, which are on.
pub(super) const OFF: [&str; 3] = ["assumed", "unreferenced", "graphql"];

/// An item on one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemState {
    /// Path in the crate.
    pub path: String,
    /// `fn`, `struct`, `enum`, `field`, `variant`, `header`, `type`, `const` or `static`.
    pub kind: &'static str,
    /// Arguments and result, type, or derives.
    pub signature: String,
    /// Cargo features that have to be on, all of them.
    pub features: Vec<String>,
    /// Cargo features of which one has to be on; empty: none of them.
    pub any_feature: Vec<String>,
    /// `true` if it is `#[deprecated]`.
    pub deprecated: bool,
}

/// A public item of the client that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemChange {
    /// `None`: it is new.
    pub before: Option<ItemState>,
    /// `None`: it is gone.
    pub after: Option<ItemState>,
    /// The effect on a program that uses it.
    pub source: Source,
    /// Number of the members that went the same way with their type.
    pub with: usize,
}

impl ItemChange {
    /// Path as it was, else as it is.
    #[must_use]
    pub fn path(&self) -> &str {
        self.before.as_ref().or(self.after.as_ref()).map_or("", |state| &state.path)
    }

    /// The kind of item before, else after.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.before.as_ref().or(self.after.as_ref()).map_or("", |state| state.kind)
    }

    /// Cargo features without which nobody has the item, before and after.
    #[must_use]
    pub fn features(&self) -> BTreeSet<&str> {
        let sides = [&self.before, &self.after].map(|state| {
            state.as_ref().map(|state| state.features.iter().map(String::as_str).collect::<BTreeSet<&str>>())
        });
        match sides {
            [Some(one), Some(other)] => one.intersection(&other).copied().collect(),
            [one, other] => one.or(other).unwrap_or_default(),
        }
    }

    /// A sentence about the change, with code between backticks.
    #[must_use]
    pub fn says(&self) -> String {
        let with = match self.with {
            0 => String::new(),
            1 => ", with 1 member".to_owned(),
            with => format!(", with {with} members"),
        };
        match (&self.before, &self.after) {
            (None, Some(after)) if self.is_new_maker() => format!("`{}` is new", maker(after)),
            (None, Some(after)) => format!("`{}` is new{with}", self.short_path(after)),
            (Some(before), None) => format!("`{}` is gone{with}", self.short_path(before)),
            (Some(before), Some(after)) => format!("{}{with}", self.changed(Sides { before, after })),
            (None, None) => String::new(),
        }
    }

    /// Returns whether it is the method of an operation.
    pub(super) fn is_method(&self) -> bool {
        is_method(self.kind(), self.path())
    }

    /// True for a function `new` that a type has now: code that made it of its default has to call it.
    pub(super) fn is_new_maker(&self) -> bool {
        self.before.is_none()
            && self.kind() == "fn"
            && self.path().ends_with("::new")
            && self.path().starts_with("types::")
    }

    /// The item as code between backticks.
    pub(super) fn name(&self) -> String {
        self.after
            .as_ref()
            .or(self.before.as_ref())
            .map_or_else(String::new, |state| format!("`{}`", self.short_path(state)))
    }

    /// The path without parts that a reader knows. Functions have parentheses: a field may have the same name.
    fn short_path(&self, state: &ItemState) -> String {
        format!("{}{}", short(&state.path), if matches!(state.kind, "fn" | "header") { "()" } else { "" })
    }

    fn changed(&self, Sides { before, after }: Sides<&ItemState>) -> String {
        let path = self.short_path(after);
        let was = self.short_path(before);
        if was != path {
            let types = match after.kind == "field" && before.signature != after.signature {
                true => format!(": `{}` → `{}`", before.signature, after.signature),
                false => String::new(),
            };
            let kind = match (before.kind, after.kind) {
                ("type", "struct" | "enum") => format!(", and was another name of `{}`", before.signature),
                ("struct" | "enum", "type") => format!(", and is another name of `{}`", after.signature),
                _ => String::new(),
            };
            return format!("`{was}` is called `{path}` now{kind}{types}");
        }
        match (before.kind, after.kind) {
            ("type", "struct" | "enum") => {
                return format!("`{path}` was another name of `{}`, and is a type of its own now", before.signature);
            }
            ("struct" | "enum", "type") => {
                return format!("`{path}` was a type of its own, and is another name of `{}` now", after.signature);
            }
            _ => {}
        }
        if before.kind != after.kind {
            return format!("`{path}` is a `{}` → a `{}`", before.kind, after.kind);
        }
        if matches!(after.kind, "struct" | "enum") && before.signature != after.signature {
            let derives =
                |state: &ItemState| state.signature.split(' ').map(str::to_owned).collect::<BTreeSet<String>>();
            let (old, new) = (derives(before), derives(after));
            let list =
                |traits: Vec<&String>| traits.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let lost = list(old.difference(&new).collect());
            return match lost.is_empty() {
                true => format!("`{path}` is {} now", list(new.difference(&old).collect())),
                false => format!("`{path}` is not {lost} any more"),
            };
        }
        if before.signature != after.signature {
            let [(takes, gives), (takes_now, gives_now)] = [before, after].map(|state| parts(&state.signature));
            return match after.kind {
                "fn" if takes == takes_now => format!("`{path}` returns `{gives}` → `{gives_now}`"),
                "fn" if gives == gives_now => {
                    let Sides { before, after } = shortened(Sides { before: &takes, after: &takes_now });
                    format!("`{path}` takes `{before}` → `{after}`")
                }
                "fn" => format!("`{path}`: `{takes} -> {gives}` → `{takes_now} -> {gives_now}`"),
                _ => format!("`{path}`: `{}` → `{}`", before.signature, after.signature),
            };
        }
        if before.deprecated != after.deprecated {
            return format!("`{path}` is {}deprecated", if after.deprecated { "" } else { "not " });
        }
        let features = |state: &ItemState| {
            let features = |list: &[String], word: &str| {
                list.iter().map(|feature| format!("`{feature}`")).collect::<Vec<_>>().join(word)
            };
            let (all, any) = (features(&state.features, " and "), features(&state.any_feature, " or "));
            match (all.is_empty(), any.is_empty()) {
                (true, true) => "no feature".to_owned(),
                (_, true) => all,
                (true, false) => any,
                (false, false) => format!("{all} and one of {any}"),
            }
        };
        format!("`{path}` needs {} → {}", features(before), features(after))
    }
}

/// Items without those that another one implies: a variant has a `From` of its own, and the constant for fakes has the types of its
/// method.
pub(super) fn once(items: Vec<&ItemChange>) -> Vec<&ItemChange> {
    let variants: BTreeSet<&str> =
        items.iter().filter(|change| change.kind() == "variant").map(|change| change.path()).collect();
    let is_altered = |change: &ItemChange| change.before.is_some() && change.after.is_some();
    let has_methods = items.iter().any(|change| change.is_method() && is_altered(change));
    let is_said = |change: &ItemChange| match change.kind() {
        "from" => variants.contains(change.path()),
        "const" => has_methods && is_altered(change),
        _ => false,
    };
    items.iter().copied().filter(|change| !is_said(change)).collect()
}

/// True if an item is the method of an operation.
pub(super) fn is_method(kind: &str, path: &str) -> bool {
    kind == "fn" && path.starts_with("families::") && !path.contains("::operations::")
}

/// A method as people call it: its type, its name, its arguments, and its result.
pub(super) fn call(path: &str, signature: &str) -> String {
    let (takes, gives) = parts(signature);
    let gives = if gives == "()" { String::new() } else { format!(" -> {gives}") };
    format!("{}{takes}{gives}", short(path))
}

/// A function that makes a type, as people call it.
fn maker(state: &ItemState) -> String {
    format!("{}{}", short(&state.path), parts(&state.signature).0)
}

/// A path without parts that a reader knows.
fn short(path: &str) -> &str {
    match path.strip_prefix("families::").and_then(|rest| rest.split_once("::")) {
        Some((_, rest)) => rest,
        None => path,
    }
}

/// Arguments and result of a function, without the parts that every operation has.
fn parts(signature: &str) -> (String, String) {
    let (takes, gives) = signature.split_once(" -> ").unwrap_or((signature, "()"));
    let takes = takes.replacen("(self, ", "(", 1).replacen("(mut self, ", "(", 1).replacen("(self)", "()", 1);
    let call = ["Call<'a, ", "Submission<'a, "].into_iter().find_map(|name| gives.strip_prefix(name));
    let inner = call.and_then(|inner| inner.rsplit_once(", operations::")).map(|(inner, _)| inner);
    (takes, inner.unwrap_or(gives).to_owned())
}

/// The arguments of an operation that changed, and whether its result did.
pub(super) fn changed_parts(Sides { before, after }: Sides<&Item>) -> (Vec<String>, bool) {
    let list = |signature: &str| -> Vec<String> {
        let inner = signature.trim_matches(['(', ')']);
        let inner = inner.split_once(" { ").map_or(inner, |(_, fields)| fields.trim_end_matches(" }"));
        inner.split(", ").map(str::to_owned).collect()
    };
    let [(takes, gives), (takes_now, gives_now)] = [before, after].map(|item| parts(&item.signature));
    let (old, new) = (list(&takes), list(&takes_now));
    let differs = |one: &[String], other: &[String]| -> Vec<String> {
        let one = one.iter().filter(|argument| !other.contains(argument));
        one.filter_map(|argument| Some(argument.split_once(": ")?.0.to_owned())).collect()
    };
    ([differs(&old, &new), differs(&new, &old)].concat(), gives != gives_now)
}
