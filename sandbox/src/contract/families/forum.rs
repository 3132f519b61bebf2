//! `/api/forum/v1`: threads, replies, comments, votes. All assumed.

use http::Method;

use super::Family;
use crate::contract::behaviour::Handler;
use crate::contract::declare::Controller;
use crate::contract::operation::Operation;
use crate::contract::schema::{Schema, boolean, date_time, int, list, numbers, object, string, text, uuid};

const THREADS: &str = "/api/forum/v1/threads";

pub(super) fn family() -> Family {
    let mut operations = threads();
    operations.extend(replies());
    operations.extend(votes());
    Family { operations, schemas: schemas() }
}

fn threads() -> Vec<Operation> {
    let threads = Controller::new("ForumThreads", THREADS);
    vec![
        threads
            .list("", "Lists the threads.")
            .query("tags", list(string()))
            .query("skip", int())
            .query("take", int())
            .ok("ForumThreadPagedResult"),
        threads.create("", "Opens a thread.").body("SaveForumThread").created("ForumThread"),
        threads.get("/{threadId}", "Gets one thread.").ok("ForumThread"),
        threads.change("/{threadId}", "Changes a thread.").body("ChangeForumThread").ok("ForumThread"),
        threads.remove("/{threadId}", "Deletes a thread.").no_content(),
    ]
}

fn replies() -> Vec<Operation> {
    let replies = Controller::new("ForumReplies", format!("{THREADS}/{{threadId}}/replies"));
    let comments = Controller::new("ForumComments", format!("{THREADS}/{{threadId}}/replies/{{replyId}}/comments"));
    vec![
        replies.list("", "Lists the replies to a thread.").ok(list("ForumReply")),
        replies.create("", "Replies to a thread.").body("SaveForumText").created("ForumReply"),
        replies.get("/{replyId}", "Gets one reply.").ok("ForumReply"),
        comments.list("", "Lists the comments on a reply.").ok(list("ForumComment")),
        comments.create("", "Comments on a reply.").body("SaveForumText").created("ForumComment"),
    ]
}

fn votes() -> Vec<Operation> {
    let votes = Controller::new("ForumVotes", format!("{THREADS}/{{threadId}}/vote"));
    vec![
        votes.singleton("", "Gets the caller's vote, if there is one.").per_caller().ok("ForumVote").no_content(),
        votes
            .operation(Method::PUT, "", "Votes on a thread.", Handler::PutSingleton)
            .per_caller()
            .form("application/x-www-form-urlencoded", object([("value", "VoteValue".into()), ("comment", string())]))
            .ok("ForumVote"),
        votes
            .operation(Method::DELETE, "", "Withdraws the caller's vote.", Handler::RemoveSingleton)
            .per_caller()
            .no_content(),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        (
            "ForumThread",
            object([
                ("id", uuid().read_only()),
                ("title", text()),
                ("body", text()),
                ("tags", list(string()).nullable()),
                ("isLocked", boolean()),
                ("isHidden", boolean()),
                ("createdAt", date_time()),
                ("lastReply", Schema { all_of: vec!["ForumReply".into()], ..Schema::default() }.nullable()),
            ]),
        ),
        (
            "ForumThreadPagedResult",
            object([
                ("items", list("ForumThread").nullable()),
                ("totalCount", int()),
                ("skip", int()),
                ("take", int()),
            ]),
        ),
        (
            "SaveForumThread",
            object([("title", string().min_length(1)), ("body", text()), ("tags", list(string()).nullable())])
                .required(&["title"]),
        ),
        ("ChangeForumThread", object([("title", text()), ("body", text()), ("tags", list(string()).nullable())])),
        (
            "ForumReply",
            object([("id", uuid().read_only()), ("threadId", uuid()), ("body", text()), ("createdAt", date_time())]),
        ),
        (
            "ForumComment",
            object([("id", uuid().read_only()), ("replyId", uuid()), ("body", text()), ("createdAt", date_time())]),
        ),
        ("SaveForumText", object([("body", string().min_length(1))]).required(&["body"])),
        ("VoteValue", numbers(&[-1, 1]).varnames(&["Down", "Up"])),
        ("ForumVote", object([("value", "VoteValue".into()), ("comment", text())])),
    ]
}
