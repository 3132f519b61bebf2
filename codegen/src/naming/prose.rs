//! The beginning of the documentation of an operation: its verb, and the number of its things.

use super::verbs;
use super::words::{Meaning, is_plural, meaning, singular};

/// The words after a verb that make it one, even if it is also that of the path: "Star a gist", and not "User to update".
const ARTICLES: &[&str] = &["a", "an", "the", "these", "this", "your"];

/// The words after a noun that is spelled as a verb: "Link details".
const AFTER_NOUNS: &[&str] = &["detail", "info", "information", "of", "removal"];

/// The words after a thing: "Profile that belongs to a user".
const BEHIND_THINGS: &[&str] = &["for", "of", "that", "to", "which"];

/// The words after a verb that show that it is one: "Plan a trip".
const DETERMINERS: &[&str] = &[
    "a",
    "all",
    "an",
    "any",
    "each",
    "every",
    "existing",
    "given",
    "its",
    "multiple",
    "my",
    "new",
    "one",
    "several",
    "some",
    "specified",
    "that",
    "the",
    "these",
    "this",
    "those",
    "to",
    "your",
];

/// Verbs for a relation between two things, and the word before the second one.
const RELATIONS: &[(&str, &str)] = &[("add", "to"), ("remove", "from")];

/// Verbs of two words, and their name.
const PAIRS: &[(&str, &str, &str)] = &[
    ("check", "in", "check_in"),
    ("check", "out", "check_out"),
    ("log", "in", "login"),
    ("log", "off", "logoff"),
    ("log", "out", "logout"),
    ("look", "up", "lookup"),
    ("roll", "back", "rollback"),
    ("set", "up", "set_up"),
    ("shut", "down", "shutdown"),
    ("sign", "in", "sign_in"),
    ("sign", "out", "sign_out"),
    ("sign", "up", "sign_up"),
];

/// The beginning of the documentation of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prose<'a> {
    text: &'a str,
    /// The first word, if others follow and it may be a verb.
    first: &'a str,
    /// `true` if an article follows: it is a verb.
    is_sure: bool,
    pub(crate) effect: Meaning,
    /// A verb of the tables, if the effect is unknown.
    pub(crate) verb: Option<&'static str>,
    /// A verb of the tables that the last word stands for, if the first one says nothing: "Order cancellation".
    pub(crate) nominal: Option<&'static str>,
    /// `true` if it names several things: "Returns a list of orders", "Gets all orders".
    pub(crate) is_many: bool,
    /// `true` if it names one thing: "Submits an order".
    pub(crate) is_one: bool,
}

impl<'a> Prose<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        // `addCardLabel()`
        let trimmed = text.trim();
        let is_one_word = !trimmed.contains(char::is_whitespace) && trimmed.chars().take(100).any(char::is_lowercase);
        let is_hump = |c: char| c.is_uppercase() && is_one_word;
        let is_word = |c: char| c.is_alphanumeric() || c == '\'' || c == '-';
        let humps: String =
            text.chars().take(100).flat_map(|c| [is_hump(c).then_some(' '), Some(c)]).flatten().collect();
        let words: Vec<String> = humps
            .split(|c: char| !is_word(c))
            .filter(|word| !word.is_empty())
            .take(8)
            .map(|word| word.chars().take(20).collect::<String>().to_lowercase())
            .collect();
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        // "Bulk update orders"
        if words.len() > 1 && ["batch", "bulk"].contains(&words[0]) {
            words.remove(0);
        }
        let effect = words.first().map_or(Meaning::Unknown, |first| meaning(first));
        let verb = match effect {
            Meaning::Unknown => verb(&words),
            // "Adds a member to a group" creates no member.
            _ => RELATIONS
                .iter()
                .find(|(verb, word)| is_form(&words, verb) && words.contains(word))
                .map(|(verb, _)| *verb),
        };
        let is_open = effect == Meaning::Unknown && verb.is_none() && (2..=4).contains(&words.len());
        let nominal = words.last().filter(|_| is_open).and_then(|last| nominal(last));
        let object = words.iter().skip(1).position(|word| *word == "of").map_or(&[] as &[_], |at| &words[1..=at]);
        let has_list = object.len() <= 3 && object.contains(&"list");
        let has_all = words.get(1) == Some(&"all") && words.iter().skip(2).take(3).any(|word| is_plural(word));
        let is_one = words.get(1).is_some_and(|word| ["a", "an", "new", "one"].contains(word));
        let first =
            text.trim_start().split(|c: char| !is_word(c)).next().filter(|_| words.len() > 1).unwrap_or_default();
        // "Connect to a session", and not "User to update"
        let object = if words.get(1) == Some(&"to") { words.get(2) } else { words.get(1) };
        let is_sure = object.is_some_and(|next| ARTICLES.contains(next));
        let is_thing = !is_sure && words.get(1).is_some_and(|next| BEHIND_THINGS.contains(next));
        let first = if is_thing { "" } else { first };
        Self { text, first, is_sure, effect, verb, nominal, is_many: has_list || has_all, is_one: is_one && !has_list }
    }

    /// Returns whether this is one of the words, in the singular or in the plural.
    pub(super) fn has_word(&self, word: &str) -> bool {
        let words = self.text.split(|c: char| !c.is_alphanumeric()).take(12);
        words.map(str::to_lowercase).any(|own| singular(&own) == singular(word))
    }

    /// Returns whether the first word is also that of a segment, and surely a verb: "Star a gist" at `/star`.
    pub(super) fn surely_begins(&self, segment: &str) -> bool {
        self.is_sure && self.begins(segment)
    }

    /// Returns whether the first word is also that of a segment: "Compact session" at `/compact`.
    pub(super) fn begins(&self, segment: &str) -> bool {
        let first: String = self.first.chars().filter(|c| *c != '-').collect();
        !segment.is_empty() && segment.split('_').next().is_some_and(|word| first.eq_ignore_ascii_case(word))
    }

    /// Reads the first text, or a later one if only that says an effect, in the third person: other descriptions address their reader.
    pub(crate) fn from_texts(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = texts.into_iter().filter(|text| !text.trim().is_empty()).map(Self::read);
        let first = all.next().unwrap_or_else(|| Self::read(""));
        let is_known = first.effect != Meaning::Unknown || first.verb.is_some();
        let is_effect =
            |prose: &Self| !matches!(prose.effect, Meaning::Unknown | Meaning::Deletes) && prose.first.ends_with('s');
        let later = all.find(|prose| !is_known && is_effect(prose)).unwrap_or(first);
        Self { first: first.first, is_sure: first.is_sure, ..later }
    }
}

/// Returns whether the first word is this verb, or its third person.
fn is_form(words: &[&str], verb: &str) -> bool {
    words.first().is_some_and(|first| first.strip_suffix('s').unwrap_or(first) == verb)
}

/// The verb at the beginning of these words, if it is in the tables: no text of a contract becomes a name.
fn verb(words: &[&str]) -> Option<&'static str> {
    let (first, next) = (*words.first()?, words.get(1).copied().unwrap_or_default());
    let stems = [Some(first.to_owned()), first.strip_suffix('s').map(str::to_owned)];
    let more = [first.strip_suffix("es").map(str::to_owned), first.strip_suffix("ies").map(|stem| format!("{stem}y"))];
    let stems: Vec<String> = stems.into_iter().chain(more).flatten().collect();
    if let Some((_, _, name)) = PAIRS.iter().find(|(one, two, _)| *two == next && stems.iter().any(|stem| stem == one))
    {
        return Some(name);
    }
    let table = |stem: &String| verbs::all().find(|verb| verb == stem);
    let verb = stems.iter().find_map(table)?;
    let is_noun = AFTER_NOUNS.contains(&&*singular(next)) || nominal(next).is_some();
    let is_plain = !verbs::is_doubtful(verb) && !is_noun || verb == "set" && next != "of";
    let is_sure = is_plain || DETERMINERS.contains(&next);
    is_sure.then_some(verb)
}

/// The verb that a noun stands for: `cancel` for `cancellation`.
fn nominal(noun: &str) -> Option<&'static str> {
    let one = singular(noun);
    verbs::all()
        .filter(|verb| verbs::is_singular_of(&one, verb) && !verbs::is_doubtful(verb) && noun != *verb)
        .min_by_key(|verb| noun.len() - verb.len().min(noun.len()))
}

#[cfg(test)]
mod tests {
    use super::{Meaning, Prose};

    #[test]
    fn documentation_begins_with_a_verb_of_the_table() {
        let cases = [
            ("Stops the job", Some("stop")),
            ("Stop session", Some("stop")),
            ("Cancels an order", Some("cancel")),
            ("Applies a patch", Some("apply")),
            ("Pushes the image", Some("push")),
            ("Log in", Some("login")),
            ("Logs out the user", Some("logout")),
            ("Sets a set of tags", Some("set")),
            ("Bulk cancel orders", Some("cancel")),
            ("Plan a trip", Some("plan")),
            // Nouns and adjectives.
            ("Plan details", None),
            ("Clean Air Act Map Service", None),
            ("Reports", None),
            ("POST /orders/cancel", None),
            ("Frobnicates the order", None),
            ("", None),
            ("Adds a member to the group", Some("add")),
            ("Remove a member from the group", Some("remove")),
            // These are effects.
            ("Adds a member", None),
            ("addMember()", None),
            ("Creates an order", None),
            ("Returns all orders", None),
        ];
        for (text, verb) in cases {
            assert_eq!(Prose::read(text).verb, verb, "{text}");
        }
        assert_eq!(Prose::read("Bulk update orders").effect, Meaning::Updates);
        assert_eq!(Prose::read("addCardLabel()").effect, Meaning::Creates);
    }

    #[test]
    fn the_last_word_can_stand_for_a_verb() {
        for (text, verb) in [
            ("Order cancellation", Some("cancel")),
            ("String validation", Some("validate")),
            ("Approval of the user registration", None),
            ("User registration", Some("register")),
            ("Registration", None),
            ("Team building", None),
            ("Opening hours", None),
            ("Creates a cancellation", None),
        ] {
            assert_eq!(Prose::read(text).nominal, verb, "{text}");
        }
    }

    #[test]
    fn documentation_says_how_many() {
        for text in ["Returns a list of orders", "Gets the list of orders", "Get all orders", "Get all open orders"] {
            assert!(Prose::read(text).is_many, "{text}");
        }
        for text in ["Returns an order", "Gets all data of a form", "Returns the state of the list", ""] {
            assert!(!Prose::read(text).is_many, "{text}");
        }
        assert!(Prose::read("Submits an order").is_one && !Prose::read("Submits orders").is_one);
    }

    #[test]
    fn the_description_is_read_if_only_it_says_an_effect() {
        assert_eq!(Prose::from_texts(["Order", "Returns the order"]).effect, Meaning::Reads);
        assert_eq!(Prose::from_texts(["Cancels the order", "Returns it"]).verb, Some("cancel"));
        assert_eq!(Prose::from_texts([" ", "Cancels the order"]).verb, Some("cancel"));
        // A description that addresses the reader says no effect.
        assert_eq!(Prose::from_texts(["Payment", "Read our guide before you call this."]).effect, Meaning::Unknown);
        assert_eq!(Prose::read("STOP THE JOB").verb, Some("stop"));
        assert_eq!(Prose::read("STOP").verb, Some("stop"));
        assert_eq!(Prose::from_texts(["Search", "Validates the filter"]).verb, Some("search"));
        assert_eq!(Prose::from_texts(["Map of orders", "Validates the filter"]).verb, None);
    }
}
