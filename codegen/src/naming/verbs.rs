//! Words of style 2: verbs, and the nouns and adjectives beside them.

use super::words::{self, actions, is_action, is_plural, is_task, singular};

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
    "link",
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
    "test",
    "vote",
];

/// Verbs of a DELETE, beside those that begin with `un`: the others would hide that something ends.
const ENDS: &[&str] = &[
    "abort",
    "cancel",
    "clean",
    "clear",
    "close",
    "deactivate",
    "destroy",
    "detach",
    "disable",
    "disconnect",
    "dismiss",
    "empty",
    "expire",
    "flush",
    "invalidate",
    "kill",
    "leave",
    "logoff",
    "logout",
    "purge",
    "reject",
    "remove",
    "reset",
    "revoke",
    "sign_out",
    "stop",
    "terminate",
    "withdraw",
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

/// Nouns that are spelled otherwise than their verb.
const DERIVED: &[(&str, &str)] =
    &[("publication", "publish"), ("registration", "register"), ("removal", "remove"), ("subscription", "subscribe")];

/// Plurals that are one thing.
const MASSES: &[&str] =
    &["defaults", "details", "metrics", "options", "preferences", "settings", "statistics", "stats"];

/// Adjectives of several things that paths have behind their noun: `/products/all`.
const ADJECTIVES: &[&str] = &["active", "all", "duplicate", "missing", "pending", "recent"];

/// Adjectives that pick one of them.
const PICKS: &[&str] = &["current", "latest"];

/// All verbs.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    MORE.iter().copied().chain(actions())
}

/// Returns whether a verb is only one in front of its object.
pub(super) fn is_doubtful(verb: &str) -> bool {
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

/// Returns whether a DELETE may be called by this verb.
pub(super) fn ends(verb: &str) -> bool {
    ENDS.contains(&verb) || verb.starts_with("un")
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
    is_singular_of(&singular(noun), verb)
}

/// As [`is_noun_of`], for a noun in the singular.
pub(super) fn is_singular_of(noun: &str, verb: &str) -> bool {
    let common = noun.bytes().zip(verb.bytes()).take_while(|(one, other)| one == other).count();
    let is_derived = ["al", "ance", "ing", "ion", "ment"].iter().any(|ending| noun.ends_with(ending));
    let is_done = noun.strip_prefix(verb).is_some_and(|rest| ["", "d", "ed"].contains(&rest));
    is_derived && common >= 5 && common + 1 >= verb.len() || is_done || DERIVED.contains(&(noun, verb))
}

#[cfg(test)]
mod tests {
    use super::is_noun_of;

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
        for (noun, verb) in [
            ("sensor", "send"),
            ("orders", "cancel"),
            ("invalidatecookie", "invalidate"),
            ("instance", "install"),
            ("setting", "set"),
        ] {
            assert!(!is_noun_of(noun, verb), "{noun}");
        }
    }
}
