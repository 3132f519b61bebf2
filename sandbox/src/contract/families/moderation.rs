//! `/api/forum/v1`: moderation. All assumed.

use super::Family;
use crate::contract::declare::Controller;
use crate::contract::operation::Operation;
use crate::contract::schema::{Schema, date_time, list, numbers, object, string, text, uuid};
use crate::directory::Role;

pub(super) fn family() -> Family {
    Family { operations: operations(), schemas: schemas() }
}

fn operations() -> Vec<Operation> {
    let threads = Controller::new("ForumModeration", "/api/forum/v1/threads/{threadId}").writers(Role::Admin);
    let reports = Controller::new("ForumModeration", "/api/forum/v1/moderation/reports").writers(Role::Admin);
    vec![
        threads.action("/lock", "Closes a thread to new replies.").no_content().sets("isLocked", true),
        threads.action("/hide", "Hides a thread.").body("HideForumThread").no_content().sets("isHidden", true),
        reports
            .list("", "Lists the reports to moderators.")
            .query("state", "ReportState".into())
            .ok(list("ForumReport")),
        reports.create("", "Reports a thread to the moderators.").body("CreateForumReport").created("ForumReport"),
        reports.action("/{reportId}/resolve", "Closes a report.").ok("ForumReport").sets("state", 1),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("HideForumThread", object([("reason", text())])),
        ("ReportState", numbers(&[0, 1])),
        (
            "ForumReport",
            object([
                ("id", uuid().read_only()),
                ("threadId", uuid()),
                ("reason", text()),
                ("state", "ReportState".into()),
                ("createdAt", date_time()),
            ]),
        ),
        ("CreateForumReport", object([("threadId", uuid()), ("reason", string())]).required(&["threadId"])),
    ]
}
