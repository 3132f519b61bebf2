//! The little English that names of operations need.

/// Path segments that name an action rather than its object.
const VERBS: &[&str] = &[
    "accept",
    "acknowledge",
    "activate",
    "add",
    "allocate",
    "analyze",
    "apply",
    "approve",
    "archive",
    "assign",
    "attach",
    "authenticate",
    "authorize",
    "ban",
    "block",
    "build",
    "bulk",
    "cancel",
    "change",
    "check",
    "claim",
    "clean",
    "clear",
    "clone",
    "close",
    "commit",
    "compare",
    "complete",
    "confirm",
    "connect",
    "convert",
    "copy",
    "count",
    "deactivate",
    "decline",
    "delete",
    "deploy",
    "destroy",
    "detach",
    "disable",
    "disconnect",
    "dismiss",
    "dispatch",
    "download",
    "downvote",
    "duplicate",
    "edit",
    "enable",
    "evaluate",
    "execute",
    "export",
    "extend",
    "fail",
    "fetch",
    "filter",
    "find",
    "finish",
    "flush",
    "fork",
    "generate",
    "grant",
    "heartbeat",
    "hide",
    "import",
    "initialize",
    "inspect",
    "install",
    "invite",
    "invoke",
    "join",
    "kill",
    "leave",
    "link",
    "list",
    "lock",
    "login",
    "logout",
    "lookup",
    "mark",
    "merge",
    "migrate",
    "moderate",
    "move",
    "mute",
    "open",
    "pause",
    "pin",
    "plan",
    "poll",
    "power",
    "preview",
    "promote",
    "provision",
    "publish",
    "pull",
    "purge",
    "push",
    "query",
    "read",
    "reboot",
    "rebuild",
    "refresh",
    "regenerate",
    "register",
    "reject",
    "release",
    "reload",
    "remove",
    "rename",
    "renew",
    "reopen",
    "reorder",
    "replace",
    "report",
    "request",
    "resend",
    "reset",
    "resize",
    "resolve",
    "restart",
    "restore",
    "resume",
    "retry",
    "revert",
    "review",
    "revoke",
    "rollback",
    "rotate",
    "run",
    "save",
    "scale",
    "schedule",
    "search",
    "send",
    "set",
    "shutdown",
    "sign",
    "start",
    "stop",
    "submit",
    "subscribe",
    "suspend",
    "swap",
    "switch",
    "sync",
    "synchronize",
    "terminate",
    "test",
    "toggle",
    "transfer",
    "trigger",
    "unarchive",
    "unassign",
    "unban",
    "unblock",
    "uninstall",
    "unlink",
    "unlock",
    "unmute",
    "unpin",
    "unpublish",
    "unregister",
    "unsubscribe",
    "update",
    "upgrade",
    "upload",
    "upvote",
    "validate",
    "verify",
    "vote",
    "withdraw",
];

/// Plurals that no rule below gets right.
const IRREGULAR: &[(&str, &str)] = &[
    ("children", "child"),
    ("people", "person"),
    ("movies", "movie"),
    ("cookies", "cookie"),
    ("calories", "calorie"),
    ("indices", "index"),
    ("vertices", "vertex"),
    ("matrices", "matrix"),
    ("series", "series"),
    ("analyses", "analysis"),
    ("news", "news"),
    ("statuses", "status"),
    ("aliases", "alias"),
    ("buses", "bus"),
    ("caches", "cache"),
    ("lenses", "lens"),
    ("metadata", "metadata"),
    ("media", "media"),
    ("data", "data"),
    ("dns", "dns"),
    ("aws", "aws"),
    ("sms", "sms"),
    ("ids", "id"),
    ("canvas", "canvas"),
    ("https", "https"),
    ("kubernetes", "kubernetes"),
    ("gas", "gas"),
];

/// Verbs that a GET can mean.
const QUESTIONS: &[&str] = &[
    "autocomplete",
    "check",
    "compare",
    "count",
    "download",
    "export",
    "fetch",
    "find",
    "inspect",
    "lookup",
    "ping",
    "poll",
    "preview",
    "query",
    "read",
    "search",
    "suggest",
    "validate",
    "verify",
];

/// Returns whether the first word of a snake-case segment is a verb that only reads.
pub(crate) fn is_question(segment: &str) -> bool {
    segment.split('_').next().is_some_and(|first| QUESTIONS.contains(&first))
}

/// Returns whether the first word of a snake-case segment says that the operation reads: `get_progress`, `search`.
pub(crate) fn asks(segment: &str) -> bool {
    let first = segment.split('_').next().unwrap_or_default();
    is_question(segment) || ["get", "has", "is", "list"].contains(&first)
}

/// Returns whether the first word of a name says that the operation reads, whatever its method: `describe_fleets`.
pub(crate) fn reads(name: &str) -> bool {
    asks(name) || name.split('_').next() == Some("describe")
}

/// The first words of a phrase that stands for things, and needs no verb: `on_deck`.
const PREPOSITIONS: &[&str] = &["by", "for", "from", "in", "inside", "near", "on", "to", "with", "without"];

pub(crate) fn is_preposition(word: &str) -> bool {
    PREPOSITIONS.contains(&word)
}

/// Verbs that names of style 1 do not know.
const TASKS: &[&str] = &["create", "empty", "grab", "invalidate", "scan"];

/// Returns whether the first word of a segment is a verb that names of style 1 do not know.
pub(crate) fn is_task(segment: &str) -> bool {
    TASKS.contains(&segment.split('_').next().unwrap_or_default())
}

/// Returns whether a segment names things by what was done to them, or by where they are: `recently_added`, `on_deck`.
pub(crate) fn is_aside(segment: &str) -> bool {
    let mut words = segment.split('_');
    words.clone().next().is_some_and(is_preposition) || words.next_back().is_some_and(is_outcome)
}

/// The effect of an operation as its documentation says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Reads,
    Creates,
    Updates,
    Deletes,
    Unknown,
}

/// The effect that the first word of a text says: "Returns all orders".
pub(crate) fn meaning(prose: &str) -> Meaning {
    let first: String = prose.trim_start().chars().take_while(|c| c.is_alphabetic()).take(20).collect();
    let word = first.to_lowercase();
    let stem = word.strip_suffix('s').unwrap_or(&word);
    match stem {
        "get" | "fetche" | "fetch" | "find" | "list" | "read" | "retrieve" | "return" | "show" => Meaning::Reads,
        "add" | "create" | "insert" => Meaning::Creates,
        "change" | "edit" | "modifie" | "modify" | "replace" | "update" => Meaning::Updates,
        "delete" | "remove" => Meaning::Deletes,
        _ => Meaning::Unknown,
    }
}

/// Returns whether a segment names an event of the past: `started`, `completed`.
pub(crate) fn is_outcome(segment: &str) -> bool {
    segment.len() > 4 && segment.ends_with("ed") && !segment.ends_with("eed")
}

/// The verbs of all names.
pub(crate) fn actions() -> impl Iterator<Item = &'static str> {
    VERBS.iter().chain(TASKS).copied()
}

/// Returns whether the first word of a snake-case segment is a verb.
pub(crate) fn is_action(segment: &str) -> bool {
    segment.split('_').next().is_some_and(|first| VERBS.contains(&first))
}

/// Returns whether the last word of a snake-case segment is a plural.
pub(crate) fn is_plural(segment: &str) -> bool {
    singular(segment) != segment
}

/// The segment with its last word in the singular.
pub(crate) fn singular(segment: &str) -> String {
    let (head, word) = match segment.rfind('_') {
        Some(at) => segment.split_at(at + 1),
        None => ("", segment),
    };
    let (stem, ending) = singular_word(word);
    [head, stem, ending].concat()
}

/// A stem and its ending.
fn singular_word(word: &str) -> (&str, &'static str) {
    if let Some((_, one)) = IRREGULAR.iter().find(|(many, _)| *many == word) {
        return ("", one);
    }
    if word.len() <= 3 || !word.ends_with('s') || ["ss", "us", "is", "os"].iter().any(|keep| word.ends_with(keep)) {
        return (word, "");
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return (stem, "y");
    }
    let is_longer = ["sses", "xes", "ches", "shes", "zzes"].iter().any(|ending| word.ends_with(ending));
    (&word[..word.len() - if is_longer { 2 } else { 1 }], "")
}

#[cfg(test)]
mod tests {
    use super::{is_plural, singular};

    #[test]
    fn singular_of_common_path_segments() {
        let cases = [
            ("projects", "project"),
            ("registries", "registry"),
            ("virtual_machines", "virtual_machine"),
            ("statuses", "status"),
            ("status", "status"),
            ("branches", "branch"),
            ("databases", "database"),
            ("movies", "movie"),
            ("access", "access"),
            ("dns", "dns"),
        ];
        for (many, one) in cases {
            assert_eq!(singular(many), one);
        }
        assert!(is_plural("projects") && !is_plural("status"));
    }
}
