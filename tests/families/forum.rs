//! The forum: threads, replies, comments, votes and moderation.

use platform_client::types::{
    ChangeForumThread, CreateForumReport, ForumThread, HideForumThread, ReportState, SaveForumText, SaveForumThread,
    UpdateThreadVoteRequest, VoteValue,
};
use platform_client::{Maybe, Platform, Uuid};

use super::text;
use crate::support::{client, sandbox};

async fn thread(platform: &Platform, title: &str, tag: &str) -> ForumThread {
    let tags = Maybe::from(vec![tag.to_owned()]);
    let body = SaveForumThread::new(title.to_owned()).body(text("Hello")).tags(tags);
    platform.forum().create_thread(&body).await.unwrap()
}

#[tokio::test]
async fn threads_are_opened_found_changed_and_deleted() {
    let (sandbox, secrets, platform) = sandbox().await;
    let forum = platform.forum();
    let (first, second) = (thread(&platform, "One", "a").await, thread(&platform, "Two", "b").await);
    let id = first.id.unwrap();
    assert_eq!((first.title.as_deref(), first.body.as_deref()), (Some("One"), Some("Hello")));
    assert_eq!(forum.get_thread(id).await.unwrap(), first);
    assert_eq!(forum.list_threads().tags(&["b".to_owned()]).await.unwrap().items, Some(vec![second]));
    let page = forum.list_threads().skip(1).take(1).await.unwrap();
    assert_eq!((page.items.map(|items| items.len()), page.total_count), (Some(1), Some(2)));

    let change = ChangeForumThread::default().title(text("Three"));
    let changed = forum.patch_thread(id, &change).await.unwrap();
    assert_eq!((changed.id, changed.title.as_deref(), &changed.body), (Some(id), Some("Three"), &first.body));
    assert_eq!(forum.get_thread(id).await.unwrap(), changed);
    let stranger = client(&sandbox, secrets.path(), 1);
    assert!(stranger.forum().delete_thread(id).await.unwrap_err().is_not_found());
    forum.delete_thread(id).await.unwrap();
    assert!(forum.get_thread(id).await.unwrap_err().is_not_found());
    assert!(forum.patch_thread(id, &change).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn replies_and_comments() {
    let (_sandbox, _secrets, platform) = sandbox().await;
    let forum = platform.forum();
    let id = thread(&platform, "One", "a").await.id.unwrap();
    assert_eq!(forum.list_thread_replies(id).await.unwrap(), []);
    let text = |body: &str| SaveForumText::new(body.to_owned());
    let reply = forum.create_thread_reply(id, &text("Welcome")).await.unwrap();
    assert_eq!((reply.thread_id, reply.body.as_deref()), (Some(id), Some("Welcome")));
    let reply_id = reply.id.unwrap();
    assert_eq!(forum.get_thread_reply(id, reply_id).await.unwrap(), reply);
    assert_eq!(forum.list_thread_replies(id).await.unwrap(), [reply]);
    let comment = forum.create_thread_reply_comment(id, reply_id, &text("Thanks")).await.unwrap();
    assert_eq!((comment.reply_id, comment.body.as_deref()), (Some(reply_id), Some("Thanks")));
    assert_eq!(forum.list_thread_reply_comments(id, reply_id).await.unwrap(), [comment]);

    let missing = Uuid::from_u128(1);
    assert!(forum.create_thread_reply(id, &text("")).await.unwrap_err().is_bad_request());
    assert!(forum.get_thread_reply(id, missing).await.unwrap_err().is_not_found());
    assert!(forum.create_thread_reply_comment(id, missing, &text("x")).await.unwrap_err().is_not_found());
    assert!(forum.list_thread_reply_comments(id, missing).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn a_vote_is_given_and_withdrawn() {
    let (_sandbox, _secrets, platform) = sandbox().await;
    let forum = platform.forum();
    let id = thread(&platform, "One", "a").await.id.unwrap();
    let vote = UpdateThreadVoteRequest::default().comment("yes").value(VoteValue::Up);
    let stored = forum.update_thread_vote(id, &vote).await.unwrap();
    assert_eq!((stored.value, stored.comment.as_deref()), (Some(VoteValue::Up), Some("yes")));
    assert_eq!(forum.get_thread_vote(id).await.unwrap(), Some(stored));
    forum.delete_thread_vote(id).await.unwrap();
    assert_eq!(forum.get_thread_vote(id).await.unwrap(), None);
    assert!(forum.delete_thread_vote(Uuid::from_u128(1)).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn moderators_lock_hide_and_resolve() {
    let (_sandbox, _secrets, platform) = sandbox().await;
    let forum = platform.forum();
    let id = thread(&platform, "One", "a").await.id.unwrap();
    let flags = async || {
        let thread = forum.get_thread(id).await.unwrap();
        (thread.is_locked, thread.is_hidden)
    };
    assert_eq!(flags().await, (Some(false), Some(false)));
    forum.lock_thread(id).await.unwrap();
    assert_eq!(flags().await, (Some(true), Some(false)));
    forum.hide_thread(id, &HideForumThread::default().reason(text("spam"))).await.unwrap();
    assert_eq!(flags().await, (Some(true), Some(true)));

    let body = CreateForumReport::new(id).reason("spam");
    let report = forum.create_moderation_report(&body).await.unwrap();
    assert_eq!((report.thread_id, report.state), (Some(id), Some(ReportState::Value0)));
    let in_state = async |state| forum.list_moderation_reports().state(state).await.unwrap();
    assert_eq!(in_state(ReportState::Value0).await, std::slice::from_ref(&report));
    let resolved = forum.resolve_moderation_report(report.id.unwrap()).await.unwrap();
    assert_eq!((resolved.id, resolved.state), (report.id, Some(ReportState::Value1)));
    assert_eq!((in_state(ReportState::Value0).await, in_state(ReportState::Value1).await), (vec![], vec![resolved]));
    assert!(forum.resolve_moderation_report(id).await.unwrap_err().is_not_found());
}
