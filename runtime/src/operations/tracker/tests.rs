use std::time::{Duration, Instant};

use super::{Push, Tracker};
use crate::{
    Value,
    operations::{Binding, Events, OperationOutcome, OperationState, States, WatchOptions},
};

/// A JSON value.
macro_rules! json {
    ($($json:tt)+) => {
        Value::from(serde_json::json!($($json)+))
    };
}

static PLAIN: Binding = Binding {
    kind: "thing",
    state: "/thing/state",
    pushed_state: Some("/changed/state"),
    states: States { pending: &["A", "B"], succeeded: &["DONE"], failed: &["BAD"], cancelled: &["STOPPED"] },
    ..Binding::NONE
};

static WITH_EVENTS: Binding = Binding {
    events: Some(Events { list: "/thing/events", name: "/kind", pushed: Some("/changed/event"), required: &["ready"] }),
    ..PLAIN
};

fn tracker(binding: &'static Binding, now: Instant) -> Tracker {
    Tracker::new(binding, WatchOptions::new(), Duration::ZERO, now)
}

fn seen(state: &str) -> Value {
    json!({ "thing": { "state": state, "events": [] } })
}

fn pushed(state: &str) -> Value {
    json!({ "changed": { "state": state } })
}

#[test]
fn duplicates_are_dropped() {
    let now = Instant::now();
    let mut tracker = tracker(&PLAIN, now);
    assert_eq!(tracker.query(seen("A"), now).map(|seen| seen.state), Some(OperationState::Pending));
    assert_eq!(tracker.query(seen("A"), now), None);
    assert_eq!(tracker.push(pushed("A")), Push::Nothing);
    assert!(matches!(tracker.push(pushed("B")), Push::Report(_)));
    assert_eq!(tracker.query(seen("B"), now), None);
}

#[test]
fn a_push_that_comes_late_moves_nothing_back() {
    let now = Instant::now();
    let mut tracker = tracker(&PLAIN, now);
    tracker.query(seen("B"), now);
    assert_eq!(tracker.push(pushed("A")), Push::Nothing);
    tracker.query(seen("DONE"), now);
    for late in ["A", "B", "BAD", "ODD"] {
        assert_eq!(tracker.push(pushed(late)), Push::Nothing);
        assert_eq!(tracker.query(seen(late), now), None, "an old answer does not move it back either");
    }
    assert!(matches!(tracker.outcome(now), Some(OperationOutcome::Succeeded(_))));
}

#[test]
fn a_pushed_end_counts_only_when_a_query_confirms_it() {
    let now = Instant::now();
    for end in ["DONE", "BAD", "STOPPED", "ODD"] {
        let mut tracker = tracker(&PLAIN, now);
        tracker.query(seen("A"), now);
        assert_eq!(tracker.push(pushed(end)), Push::Confirm);
        assert!(tracker.outcome(now).is_none());
    }
    let mut tracker = tracker(&PLAIN, now);
    assert_eq!(tracker.push(json!({ "changed": null })), Push::Confirm);
    assert_eq!(tracker.push(Value::Null), Push::Confirm);
}

#[test]
fn an_unknown_state_is_reported_once_and_is_no_success() {
    let now = Instant::now();
    let mut tracker = tracker(&PLAIN, now);
    assert_eq!(tracker.query(seen("ODD"), now).map(|seen| seen.state), Some(OperationState::Unknown));
    assert_eq!(tracker.query(seen("ODD"), now), None);
    assert!(tracker.outcome(now).is_none());
    assert!(matches!(tracker.at_deadline(), OperationOutcome::UnknownState(_)));
    let later = now + WatchOptions::new().unknown;
    assert!(matches!(tracker.outcome(later), Some(OperationOutcome::UnknownState(_))));
    // A known state ends it.
    tracker.query(seen("B"), later);
    assert!(tracker.outcome(later + WatchOptions::new().unknown).is_none());
}

#[test]
fn states_that_look_like_others_are_unknown() {
    let now = Instant::now();
    for odd in ["done", "DONE ", "", "Done", "SUCCEEDED", "DONEDONE"] {
        let mut tracker = tracker(&PLAIN, now);
        assert_eq!(tracker.query(seen(odd), now).map(|seen| seen.state), Some(OperationState::Unknown), "{odd}");
        assert!(!tracker.outcome(now + Duration::from_secs(1000)).is_some_and(|outcome| outcome.is_success()));
    }
}

#[test]
fn a_success_needs_its_events() {
    let now = Instant::now();
    let mut tracker = tracker(&WITH_EVENTS, now);
    tracker.query(seen("DONE"), now);
    assert!(tracker.outcome(now).is_none());
    let late = now + WatchOptions::new().events;
    match tracker.outcome(late) {
        Some(OperationOutcome::EventsMissing { missing, .. }) => assert_eq!(missing, ["ready"]),
        other => panic!("{other:?}"),
    }
    let event = json!({ "changed": { "state": "DONE", "event": { "kind": "ready" } } });
    assert!(matches!(tracker.push(event.clone()), Push::Report(_)));
    assert_eq!(tracker.push(event), Push::Nothing);
    assert!(matches!(tracker.outcome(late), Some(OperationOutcome::Succeeded(_))));
}

#[test]
fn events_without_the_state_are_no_success() {
    let now = Instant::now();
    let mut tracker = tracker(&WITH_EVENTS, now);
    let data = json!({ "thing": { "state": "A", "events": [{ "kind": "other" }, { "kind": "ready" }, 1] } });
    assert!(tracker.query(data, now).is_some_and(|seen| seen.events.contains("ready")));
    assert!(tracker.outcome(now + Duration::from_secs(1000)).is_none());
    assert!(matches!(tracker.at_deadline(), OperationOutcome::StateMissing(_)));
}

#[test]
fn a_failure_waits_for_no_events() {
    let now = Instant::now();
    let mut tracker = tracker(&WITH_EVENTS, now);
    tracker.query(seen("BAD"), now);
    assert!(matches!(tracker.outcome(now), Some(OperationOutcome::Failed(_))));
}

#[test]
fn what_is_not_visible_yet_is_missing_after_its_time() {
    let now = Instant::now();
    let mut tracker = tracker(&PLAIN, now);
    let hidden = || json!({ "thing": null });
    assert_eq!(tracker.query(hidden(), now).map(|seen| seen.state), Some(OperationState::NotVisible));
    assert_eq!(tracker.query(hidden(), now), None);
    assert!(!tracker.is_missing(now));
    let late = now + WatchOptions::new().visibility;
    assert!(tracker.is_missing(late));
    tracker.query(seen("A"), late);
    assert!(!tracker.is_missing(late + Duration::from_secs(1000)));
    // It vanishes: the time begins anew.
    tracker.query(hidden(), late);
    assert!(!tracker.is_missing(late));
    assert!(tracker.is_missing(late + WatchOptions::new().visibility));
    let old = Tracker::new(&PLAIN, WatchOptions::new(), Duration::from_secs(3600), now);
    assert!(old.is_missing(now) || now.checked_sub(Duration::from_secs(3600)).is_none());
}

#[test]
fn a_gap_is_reported_with_the_next_observation() {
    let now = Instant::now();
    let mut tracker = tracker(&PLAIN, now);
    tracker.query(seen("A"), now);
    tracker.mark_gap();
    let after = tracker.query(seen("A"), now).map(|seen| seen.gap);
    assert_eq!(after, Some(true));
    assert_eq!(tracker.query(seen("B"), now).map(|seen| seen.gap), Some(false));
}
