//! The file of profiles as a text whose other parts stay as they are.

use std::path::Path;

use driftless_runtime::download::CredentialSettings;
use toml_edit::{DocumentMut, InlineTable, Item, RawString, Table, TableLike, Value};

use crate::Failure;

/// Keys of the API keys and passwords of a profile. A sign-in does not touch them.
const OTHER_SECRETS: [&str; 3] = ["key", "api_key_", "basic_"];

/// Rules of protected files, which apply to all files of a profile.
const FILE_RULES: [&str; 2] = ["secret_file_mounted", "follow_links"];

/// The most pairs of lines that are compared.
const MOST_PAIRS: usize = 4_000_000;

/// The keys of a profile that name a token, or the client that gets tokens.
pub(super) fn sign_in_keys() -> impl Iterator<Item = &'static str> {
    let is_other = |key: &str| OTHER_SECRETS.iter().any(|other| key.starts_with(other)) || FILE_RULES.contains(&key);
    CredentialSettings::table_keys().filter(move |key| !is_other(key))
}

/// The file of profiles. A change keeps comments, order and spelling of everything else.
#[derive(Clone)]
pub(super) struct ProfileDocument {
    document: DocumentMut,
    /// The text of the file, and as it is without a change.
    original: String,
    unchanged: String,
    carriage_returns: bool,
}

impl ProfileDocument {
    /// Parses the text of the file.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, Failure> {
        let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
        let document: DocumentMut = bare.parse().map_err(|cause: toml_edit::TomlError| {
            let start = cause.span().map_or(0, |span| span.start);
            let line = bare.get(..start).unwrap_or_default().matches('\n').count() + 1;
            // The message only: the line that the parser would print may contain a secret.
            let message = cause.message().split('\n').next().unwrap_or_default().to_owned();
            Failure::usage(format!("`{}`, line {line}: {message}", path.display()), "correct the file")
        })?;
        let breaks = bare.matches('\n').count();
        let carriage_returns = breaks > 0 && bare.matches("\r\n").count() == breaks;
        let unchanged = document.to_string();
        let parsed = Self { document, original: text.to_owned(), unchanged, carriage_returns };
        let is_table = |item: Option<&Item>| item.is_none_or(Item::is_table_like);
        let profiles = parsed.document.get("profile");
        let tables =
            profiles.and_then(Item::as_table_like).map(|table| table.iter().all(|(_, item)| item.is_table_like()));
        if !is_table(profiles) || tables == Some(false) {
            let message = format!("`{}`: `profile` is not a table of profiles", path.display());
            return Err(Failure::usage(message, "write each profile as [profile.NAME]"));
        }
        Ok(parsed)
    }

    /// Returns the text of the file.
    pub(super) fn text(&self) -> String {
        let changed = self.document.to_string();
        if changed == self.unchanged {
            return self.original.clone();
        }
        let bare = self.original.strip_prefix('\u{feff}');
        let original = bare.unwrap_or(&self.original);
        let mut text = match self.unchanged == original {
            true => changed,
            false => spelled(original, &self.unchanged, &changed),
        };
        if self.carriage_returns {
            text = text.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        if bare.is_some() {
            text.insert(0, '\u{feff}');
        }
        text
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.profiles().into_iter().flat_map(|table| table.iter()).map(|(name, _)| name).collect()
    }

    pub(super) fn default(&self) -> Option<&str> {
        self.document.get("default")?.as_str()
    }

    pub(super) fn profile(&self, name: &str) -> Option<&dyn TableLike> {
        self.profiles()?.get(name)?.as_table_like()
    }

    /// The text of a key of a profile.
    pub(super) fn value(&self, name: &str, key: &str) -> Option<&str> {
        self.profile(name)?.get(key)?.as_str()
    }

    /// All settings of a profile, without their comments.
    pub(super) fn settings(&self, name: &str) -> Option<serde_json::Value> {
        Some(settings(self.profiles()?.get(name)?))
    }

    /// The texts of a list of a profile.
    pub(super) fn list(&self, name: &str, key: &str) -> Vec<String> {
        let list = self.profile(name).and_then(|table| table.get(key)).and_then(Item::as_array);
        list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn profiles(&self) -> Option<&dyn TableLike> {
        self.document.get("profile")?.as_table_like()
    }

    fn profiles_mut(&mut self) -> Option<&mut dyn TableLike> {
        self.document.get_mut("profile")?.as_table_like_mut()
    }

    fn profile_mut(&mut self, name: &str) -> Option<&mut dyn TableLike> {
        self.profiles_mut()?.get_mut(name)?.as_table_like_mut()
    }

    /// Sets the address and the sign-in of a profile, which is created if it does not exist. Other keys of a sign-in are
    /// removed. The first profile becomes the default.
    pub(super) fn sign_in(&mut self, name: &str, base_url: &str, entries: &[(&'static str, String)]) {
        let is_first = self.names().is_empty() || self.default().is_none_or(|default| self.profile(default).is_none());
        if is_first {
            self.set_default(name);
        }
        self.create(name);
        if let Some(table) = self.profile_mut(name) {
            set(table, "base_url", base_url);
            for (key, text) in entries {
                set(table, key, text);
            }
            for key in sign_in_keys().filter(|key| !entries.iter().any(|(entry, _)| entry == key)) {
                remove(table, key);
            }
            remove_file_rules(table);
        }
    }

    /// Removes the keys of a profile's sign-in. Returns those that it had.
    pub(super) fn sign_out(&mut self, name: &str) -> Vec<&'static str> {
        let Some(table) = self.profile_mut(name) else { return Vec::new() };
        let keys: Vec<_> = sign_in_keys().filter(|key| table.contains_key(key)).collect();
        for key in &keys {
            remove(table, key);
        }
        remove_file_rules(table);
        keys
    }

    /// Removes a profile. If it was the default, no profile is the default.
    pub(super) fn remove(&mut self, name: &str) {
        if let Some(profiles) = self.profiles_mut() {
            profiles.remove(name);
        }
        if self.default() == Some(name) {
            remove(self.document.as_table_mut(), "default");
        }
    }

    pub(super) fn set_default(&mut self, name: &str) {
        set(self.document.as_table_mut(), "default", name);
    }

    fn create(&mut self, name: &str) {
        if self.profiles().is_none() {
            let mut profiles = Table::new();
            profiles.set_implicit(true);
            self.document.insert("profile", Item::Table(profiles));
        }
        let is_empty = self.document.to_string().trim().is_empty();
        let is_inline = self.document.get("profile").is_some_and(Item::is_inline_table);
        if self.profile(name).is_none()
            && let Some(profiles) = self.profiles_mut()
        {
            let new = match is_inline {
                true => Item::Value(Value::InlineTable(InlineTable::new())),
                false => {
                    let mut table = Table::new();
                    table.decor_mut().set_prefix(if is_empty { "" } else { "\n" });
                    Item::Table(table)
                }
            };
            profiles.insert(name, new);
        }
    }
}

fn settings(item: &Item) -> serde_json::Value {
    match (item.as_table_like(), item.as_str()) {
        (Some(table), _) => table.iter().map(|(key, item)| (key.to_owned(), settings(item))).collect(),
        (None, Some(text)) => text.into(),
        (None, None) => match item.as_value() {
            Some(value) => value.clone().decorated("", "").to_string().into(),
            None => item.to_string().trim().into(),
        },
    }
}

/// Returns a changed text with the lines of the original for all that are unchanged: the editor writes line ends and the
/// headers of tables in a spelling of its own.
fn spelled(original: &str, unchanged: &str, changed: &str) -> String {
    let lines = |text: &str| text.split_inclusive('\n').map(str::to_owned).collect::<Vec<_>>();
    let (original, before, after) = (lines(original), lines(unchanged), lines(changed));
    if original.len() != before.len() {
        return changed.to_owned();
    }
    let mut start = 0;
    while start < before.len() && before.get(start) == after.get(start) {
        start += 1;
    }
    // For each pair of remaining lines, the number of lines that both have in the same order from there on.
    let (left, right) = (before.get(start..).unwrap_or_default(), after.get(start..).unwrap_or_default());
    if left.len().saturating_mul(right.len()) > MOST_PAIRS {
        return changed.to_owned();
    }
    let width = right.len() + 1;
    let mut common = vec![0_u32; (left.len() + 1) * width];
    let at = |common: &[u32], row: usize, column: usize| common.get(row * width + column).copied().unwrap_or_default();
    for row in (0..left.len()).rev() {
        for column in (0..right.len()).rev() {
            let longest = match left.get(row) == right.get(column) {
                true => at(&common, row + 1, column + 1) + 1,
                false => at(&common, row + 1, column).max(at(&common, row, column + 1)),
            };
            if let Some(cell) = common.get_mut(row * width + column) {
                *cell = longest;
            }
        }
    }
    let mut text = original.get(..start).unwrap_or_default().concat();
    let mut row = 0;
    for (column, line) in right.iter().enumerate() {
        while row < left.len()
            && left.get(row) != Some(line)
            && at(&common, row + 1, column) >= at(&common, row, column + 1)
        {
            row += 1;
        }
        match left.get(row) == Some(line) {
            true => {
                text += original.get(start + row).unwrap_or(line);
                row += 1;
            }
            false => text += line,
        }
    }
    text
}

/// Sets a value. The comments and spaces around it stay.
fn set(table: &mut dyn TableLike, key: &str, text: &str) {
    match table.get_mut(key) {
        Some(item) if item.as_str() == Some(text) => {}
        Some(item) => {
            let mut value = Value::from(text);
            if let Some(old) = item.as_value() {
                *value.decor_mut() = old.decor().clone();
            }
            *item = Item::Value(value);
        }
        None => {
            table.insert(key, toml_edit::value(text));
        }
    }
}

/// Removes a key. The comments above it stay: they may be about more than the key.
fn remove(table: &mut dyn TableLike, key: &str) {
    let prefix = table.key(key).and_then(|key| key.leaf_decor().prefix()?.as_str()).unwrap_or_default().to_owned();
    let keys: Vec<String> = table.iter().filter(|(_, item)| item.is_value()).map(|(key, _)| key.to_owned()).collect();
    let Some(position) = keys.iter().position(|other| other == key) else {
        table.remove(key);
        return;
    };
    let (before, after) = (position.checked_sub(1).and_then(|before| keys.get(before)), keys.get(position + 1));
    table.remove(key);
    if !prefix.contains('#') {
        return;
    }
    let text = |raw: Option<&RawString>| raw.and_then(RawString::as_str).unwrap_or_default().to_owned();
    if let Some(mut next) = after.and_then(|after| table.key_mut(after)) {
        let decor = next.leaf_decor_mut();
        let own = text(decor.prefix());
        decor.set_prefix(prefix + &own);
    } else if let Some(value) = before.and_then(|before| table.get_mut(before)).and_then(Item::as_value_mut) {
        let decor = value.decor_mut();
        let own = text(decor.suffix());
        decor.set_suffix(format!("{own}\n{}", prefix.trim_end_matches(['\n', '\r'])));
    }
}

/// Removes the rules of protected files if the profile names no file any more: a rule without effect is an error.
fn remove_file_rules(table: &mut dyn TableLike) {
    let names_file = table.iter().any(|(key, _)| key == "key" || (key.ends_with("_file") && key != "ca_file"));
    if !names_file {
        for rule in FILE_RULES {
            remove(table, rule);
        }
    }
}
