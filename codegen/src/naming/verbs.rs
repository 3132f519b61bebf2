//! Verbs of style 2: those that the documentation of an operation begins with, and those that a path has.

use super::words::{self, Meaning, actions, is_action, is_plural, is_task, meaning, singular};

/// Verbs that names of style 1 do not know.
const MORE: &[&str] = &[
    "abort",
    "adjust",
    "append",
    "calculate",
    "compact",
    "compute",
    "configure",
    "decode",
    "decrypt",
    "dequeue",
    "dispose",
    "encode",
    "encrypt",
    "enqueue",
    "enrich",
    "expire",
    "follow",
    "gc",
    "impersonate",
    "insert",
    "instantiate",
    "keep",
    "logoff",
    "next",
    "notify",
    "parse",
    "perform",
    "ping",
    "predict",
    "process",
    "reassign",
    "recalculate",
    "recover",
    "redeem",
    "redeliver",
    "redo",
    "refund",
    "reindex",
    "render",
    "reply",
    "requeue",
    "rerequest",
    "rerun",
    "reschedule",
    "respond",
    "rewind",
    "simulate",
    "skip",
    "summarize",
    "touch",
    "transcribe",
    "translate",
    "undo",
    "unfollow",
    "unstar",
    "unsuspend",
    "upsert",
    "write",
];

/// Verbs that are mainly nouns: "Plan details", "Release of a version".
const NOUNS: &[&str] = &[
    "block",
    "build",
    "change",
    "claim",
    "commit",
    "filter",
    "grant",
    "heartbeat",
    "list",
    "plan",
    "poll",
    "power",
    "process",
    "query",
    "release",
    "report",
    "request",
    "review",
    "scale",
    "schedule",
    "vote",
];

/// Verbs that are as often adjectives, or begin a name: "Clean Air Act".
const ADJECTIVE_VERBS: &[&str] =
    &["bulk", "clean", "clear", "close", "complete", "count", "duplicate", "empty", "next", "open", "set"];

/// Verbs that a GET says although it should only read. They stand for nothing else.
const EFFECTS: &[&str] = &[
    "activate",
    "approve",
    "authenticate",
    "authorize",
    "cancel",
    "confirm",
    "deactivate",
    "delete",
    "disable",
    "disconnect",
    "enable",
    "execute",
    "flush",
    "gc",
    "generate",
    "invalidate",
    "logoff",
    "logout",
    "parse",
    "reboot",
    "refresh",
    "reload",
    "restart",
    "revoke",
    "shutdown",
    "subscribe",
    "unsubscribe",
    "validate",
    "verify",
];

/// Verbs whose object may be a plural within one segment: `/removeFollowers`. Others are nouns there: `/upload-sessions`.
const BEFORE_PLURALS: &[&str] = &[
    "add",
    "append",
    "approve",
    "assign",
    "attach",
    "cancel",
    "create",
    "delete",
    "detach",
    "disable",
    "enable",
    "insert",
    "invalidate",
    "mark",
    "remove",
    "resend",
    "revoke",
    "send",
    "set",
    "start",
    "stop",
    "submit",
    "terminate",
    "unassign",
    "unlink",
    "validate",
    "verify",
];

/// Verbs before their object: `/lookup/person/{id}`.
const FINDERS: &[&str] = &["find", "lookup", "validate", "verify"];

/// Verbs that only ask, and are a part of a name before a plural: `/check-runs`.
const BESIDE_NOUNS: &[&str] =
    &["check", "compare", "count", "download", "export", "inspect", "ping", "poll", "preview", "query", "read"];

/// Verbs before the text that they look for: `/search/{query}`.
const SEARCHES: &[&str] = &["autocomplete", "compare", "find", "lookup", "search", "suggest", "validate", "verify"];

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

/// Nouns that are spelled otherwise than their verb.
const DERIVED: &[(&str, &str)] =
    &[("publication", "publish"), ("registration", "register"), ("removal", "remove"), ("subscription", "subscribe")];

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

/// Plurals that are one thing.
const MASSES: &[&str] =
    &["defaults", "details", "metrics", "options", "preferences", "settings", "statistics", "stats"];

/// Adjectives of several things that paths have behind their noun: `/products/all`.
const ADJECTIVES: &[&str] = &["active", "all", "duplicate", "missing", "pending", "recent"];

/// Adjectives that pick one of them.
const PICKS: &[&str] = &["current", "latest"];

/// The beginning of the documentation of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prose<'a> {
    /// The first word, if others follow.
    first: &'a str,
    /// `true` if the next one shows that it is a verb.
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
        let is_hump = |c: char| c.is_uppercase() && !text.contains(char::is_whitespace);
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
            // "Adds a member to a team" creates no member.
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
        let is_sure = words.get(1).is_some_and(|next| DETERMINERS.contains(next));
        Self { first, is_sure, effect, verb, nominal, is_many: has_list || has_all, is_one: is_one && !has_list }
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

    /// Reads the first text, or a later one if only that says an effect: descriptions begin with a step as often as with the task.
    pub(crate) fn of(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = texts.into_iter().filter(|text| !text.trim().is_empty()).map(Self::read);
        let first = all.next().unwrap_or_else(|| Self::read(""));
        let is_known = first.effect != Meaning::Unknown || first.verb.is_some();
        let is_effect = |prose: &Self| !matches!(prose.effect, Meaning::Unknown | Meaning::Deletes);
        let said = all.find(|prose| !is_known && is_effect(prose)).unwrap_or(first);
        Self { first: first.first, is_sure: first.is_sure, ..said }
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
    let table = |stem: &String| MORE.iter().copied().chain(actions()).find(|verb| verb == stem);
    let verb = stems.iter().find_map(table)?;
    let is_sure = !is_doubtful(verb) || DETERMINERS.contains(&next) || verb == "set" && next != "of";
    is_sure.then_some(verb)
}

/// The verb that a noun stands for: `cancel` for `cancellation`.
fn nominal(noun: &str) -> Option<&'static str> {
    let verbs = MORE.iter().copied().chain(actions()).filter(|verb| !is_doubtful(verb));
    verbs
        .filter(|verb| is_noun_of(noun, verb) && noun != *verb)
        .min_by_key(|verb| noun.len() - verb.len().min(noun.len()))
}

/// Returns whether a verb is only one in front of its object.
fn is_doubtful(verb: &str) -> bool {
    NOUNS.contains(&verb) || ADJECTIVE_VERBS.contains(&verb)
}

/// Returns whether a segment of a path is a verb, unless it is known to be a thing.
pub(super) fn is_verb(segment: &str) -> bool {
    let first = segment.split('_').next().unwrap_or_default();
    let is_known = is_action(segment) || is_task(segment) || MORE.contains(&first);
    let is_all = segment.split('_').nth(1) == Some("all");
    is_known && (!is_plural(segment) || first != segment && (is_all || BEFORE_PLURALS.contains(&first)))
}

/// Returns whether a segment asks: `get_progress`, `search`, and not the things `check_runs`.
pub(super) fn asks(segment: &str) -> bool {
    let first = segment.split('_').next().unwrap_or_default();
    let is_thing = first != segment && is_plural(segment) && BESIDE_NOUNS.contains(&first);
    words::asks(segment) && !is_thing
}

/// Returns whether a verb is mainly a noun: `/release` can be created.
pub(super) fn is_noun(segment: &str) -> bool {
    NOUNS.contains(&segment)
}

/// Returns whether a segment begins or ends a session, whatever else its path has: `GET /login` is a page.
pub(super) fn is_session(segment: &str) -> bool {
    ["login", "logoff", "logout", "sign_in", "sign_out", "sign_up", "signin", "signout", "signup"].contains(&segment)
}

/// Returns whether a GET at this segment does more than read: `logout`, `set_language`, `keep_alive`.
pub(super) fn is_effect(segment: &str) -> bool {
    let does = |first: &str| ["delete", "keep", "remove", "set"].contains(&first);
    EFFECTS.contains(&segment) || segment.split_once('_').is_some_and(|(first, _)| does(first))
}

pub(super) fn is_finder(segment: &str) -> bool {
    FINDERS.contains(&segment)
}

pub(super) fn is_search(segment: &str) -> bool {
    SEARCHES.contains(&segment)
}

pub(super) fn is_adjective(segment: &str) -> bool {
    ADJECTIVES.contains(&segment) || PICKS.contains(&segment)
}

/// Returns whether this is an adjective of several things: `all`, and not `current`.
pub(super) fn is_adjective_of_many(segment: &str) -> bool {
    ADJECTIVES.contains(&segment)
}

/// Returns whether a segment names several things: `orders`, and not `settings`.
pub(super) fn is_many(segment: &str) -> bool {
    is_plural(segment) && !MASSES.iter().any(|mass| segment.ends_with(mass))
}

/// Returns whether a noun says its verb: `cancellation` for `cancel`.
pub(super) fn is_noun_of(noun: &str, verb: &str) -> bool {
    let noun = singular(noun);
    let common = noun.bytes().zip(verb.bytes()).take_while(|(one, other)| one == other).count();
    let is_derived = ["al", "ance", "ing", "ion", "ment"].iter().any(|ending| noun.ends_with(ending));
    let is_done = noun.strip_prefix(verb).is_some_and(|rest| ["", "d", "ed"].contains(&rest));
    is_derived && common >= 5 && common + 1 >= verb.len() || is_done || DERIVED.contains(&(noun.as_str(), verb))
}

#[cfg(test)]
mod tests {
    use super::{Meaning, Prose, is_noun_of};

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
            ("Adds a member to the team", Some("add")),
            ("Remove a member from the team", Some("remove")),
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
        assert_eq!(Prose::of(["Order", "Returns the order"]).effect, Meaning::Reads);
        assert_eq!(Prose::of(["Cancels the order", "Returns it"]).verb, Some("cancel"));
        assert_eq!(Prose::of([" ", "Cancels the order"]).verb, Some("cancel"));
        assert_eq!(Prose::of(["Search", "Validates the filter"]).verb, Some("search"));
        assert_eq!(Prose::of(["Map of orders", "Validates the filter"]).verb, None);
    }

    #[test]
    fn a_noun_says_its_verb() {
        for (noun, verb) in [
            ("cancellation", "cancel"),
            ("subscription", "subscribe"),
            ("imports", "import"),
            ("approval", "approve"),
            ("suspended", "suspend"),
        ] {
            assert!(is_noun_of(noun, verb), "{noun}");
        }
        for (noun, verb) in
            [("sensor", "send"), ("orders", "cancel"), ("invalidatecookie", "invalidate"), ("instance", "install")]
        {
            assert!(!is_noun_of(noun, verb), "{noun}");
        }
    }
}
