//! The class and the text of each error.

use driftless_runtime::{
    Client, Method,
    testing::{Fake, FakeReply, REQUESTS},
};

use super::*;

fn facts(kind: ErrorKind) -> Facts {
    Facts {
        kind,
        unknown: false,
        unauthorized: false,
        not_found: false,
        refused: false,
        server: false,
        passing: false,
        sent: false,
    }
}

#[test]
fn every_kind_has_a_class() {
    use ErrorKind as Kind;

    for (kind, exit, when_sent) in [
        (Kind::Configuration, Exit::Usage, Exit::Usage),
        (Kind::Secret, Exit::Authentication, Exit::Authentication),
        (Kind::Token, Exit::Authentication, Exit::Authentication),
        (Kind::Request, Exit::Usage, Exit::Usage),
        (Kind::Connect, Exit::Unreachable, Exit::Unreachable),
        (Kind::Transport, Exit::Unreachable, Exit::Unreachable),
        (Kind::Timeout, Exit::Unreachable, Exit::Unreachable),
        (Kind::Status, Exit::Failed, Exit::Failed),
        (Kind::TooLarge, Exit::Failed, Exit::Failed),
        (Kind::Decode, Exit::Failed, Exit::Failed),
        (Kind::File, Exit::Usage, Exit::Failed),
        (Kind::Other, Exit::Failed, Exit::Failed),
        (Kind::Graphql, Exit::Failed, Exit::Failed),
        (Kind::Socket, Exit::Unreachable, Exit::Unreachable),
        (Kind::SubmissionUnknown, Exit::Unknown, Exit::Unknown),
        (Kind::Missing, Exit::NotFound, Exit::NotFound),
        (Kind::Reference, Exit::Usage, Exit::Usage),
        (Kind::Store, Exit::Failed, Exit::Failed),
        (Kind::LabelMismatch, Exit::Usage, Exit::Usage),
        (Kind::LeaseLost, Exit::Failed, Exit::Failed),
    ] {
        let mut facts = facts(kind);
        facts.unknown = kind == Kind::SubmissionUnknown;
        assert_eq!(facts.exit(), exit, "{kind:?}");
        facts.sent = true;
        assert_eq!(facts.exit(), when_sent, "{kind:?}, sent");
        facts.unknown = true;
        (facts.server, facts.not_found) = (true, true);
        assert_eq!(facts.exit(), Exit::Unknown, "{kind:?}: a lost attempt comes first");
        // The errors that programs make have the same class.
        if kind != Kind::SubmissionUnknown {
            assert_eq!(failure(&Error::new(kind, "text")).exit, exit, "{kind:?}");
        }
    }
    let mut passing = facts(Kind::Token);
    passing.passing = true;
    assert_eq!(passing.exit(), Exit::Unreachable, "an issuer that is away");
}

async fn refused(status: u16, body: &serde_json::Value) -> Failure {
    let fake = Fake::new();
    fake.on(REQUESTS).reply(FakeReply::status(status).json(body));
    let client: Client = fake.builder_of::<Client>().no_retry().build().unwrap();
    failure(&client.request(Method::Get, "/x").send().await.unwrap_err())
}

#[tokio::test]
async fn every_status_has_a_class() {
    for status in 300..600_u16 {
        let exit = match status {
            401 => Exit::Authentication,
            404 => Exit::NotFound,
            400..=499 => Exit::Refused,
            500..=599 => Exit::Unreachable,
            _ => Exit::Failed,
        };
        let failure = refused(status, &serde_json::json!({})).await;
        assert_eq!(failure.exit, exit, "{failure}");
        assert!(failure.message.contains(&status.to_string()), "{failure}");
    }
}

#[tokio::test]
async fn a_problem_is_one_line_without_escapes() {
    let problem = serde_json::json!({
        "title": "Bad\n\u{1b}[2Jtitle", "detail": "the name\u{202e} is taken", "errors": {"name": ["is\ttaken", "second"]}, "traceId": "t-1"
    });
    let failure = refused(409, &problem).await;
    assert_eq!(failure.exit, Exit::Refused);
    for says in ["409 Conflict", "title", "is taken", "name: is taken"] {
        assert!(failure.message.contains(says), "{says}: {failure}");
    }
    assert!(!failure.to_string().contains(['\u{1b}', '\u{202e}']) && !failure.message.contains('\n'), "{failure}");
    assert!(failure.hint.contains("read the resource again"), "{failure}");
    assert!(refused(500, &problem).await.message.ends_with("[t-1]"));
    let long = serde_json::json!({"detail": "x".repeat(60_000)});
    assert!(refused(400, &long).await.message.chars().count() <= LONGEST + 1);
}
