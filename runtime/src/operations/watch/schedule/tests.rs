//! Tables of the schedule, and whole watches over it: random orders of answers, pushes, gaps, ends and failures.

use serde_json::json;

use super::*;
use crate::operations::{Binding, Events, States};

static PUSHED: Binding = Binding {
    state: "/thing/state",
    pushed_state: Some("/changed/state"),
    states: States { pending: &["A", "B"], succeeded: &["DONE"], failed: &[], cancelled: &[] },
    ..Binding::NONE
};
static READY: Binding = Binding {
    events: Some(Events { list: "/thing/events", name: "/kind", pushed: None, required: &["ready"] }),
    ..PUSHED
};

const fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn schedule(binding: &'static Binding, options: WatchOptions, has_subscription: bool, now: Instant) -> Schedule {
    Schedule::new(Tracker::new(binding, options, Duration::ZERO, now), options, has_subscription, now)
}

/// An event, the milliseconds since the begin, and a text of the action that follows it.
type Row = (fn(&mut Schedule, Instant), u64, &'static str);

fn run(mut schedule: Schedule, begin: Instant, rows: &[Row]) -> Schedule {
    for (number, (event, at, expected)) in rows.iter().enumerate() {
        let now = begin + millis(*at);
        event(&mut schedule, now);
        let text = match schedule.next(now) {
            Action::End => "end".to_owned(),
            Action::Missing => "missing".to_owned(),
            Action::Subscribe => "subscribe".to_owned(),
            Action::Query => "query".to_owned(),
            Action::Wait(Until::NEVER) => "wait".to_owned(),
            Action::Wait(until) => format!("wait until {}", until.left(begin).as_millis()),
        };
        assert_eq!(text, *expected, "row {number}");
    }
    schedule
}

fn nothing(_: &mut Schedule, _: Instant) {}
fn answer(schedule: &mut Schedule, state: &str, now: Instant) -> bool {
    schedule.answered(json!({ "thing": { "state": state } }).into(), now, 1.0).is_some()
}
fn news_a(schedule: &mut Schedule, now: Instant) {
    assert!(answer(schedule, "A", now));
}
fn still_a(schedule: &mut Schedule, now: Instant) {
    assert!(!answer(schedule, "A", now));
}
fn done(schedule: &mut Schedule, now: Instant) {
    assert!(answer(schedule, "DONE", now));
}
fn still_done(schedule: &mut Schedule, now: Instant) {
    assert!(!answer(schedule, "DONE", now));
}
fn hidden(schedule: &mut Schedule, now: Instant) {
    schedule.answered(json!({ "thing": null }).into(), now, 1.0);
}
fn push_done(schedule: &mut Schedule, now: Instant) {
    assert!(schedule.pushed(json!({ "changed": { "state": "DONE" } }).into(), now).is_none());
}
fn push_b(schedule: &mut Schedule, now: Instant) {
    assert!(schedule.pushed(json!({ "changed": { "state": "B" } }).into(), now).is_some());
}
fn missed(schedule: &mut Schedule, now: Instant) {
    schedule.missed(now);
}
fn unsubscribed(schedule: &mut Schedule, now: Instant) {
    schedule.unsubscribed(now, 1.0);
}
fn passes(schedule: &mut Schedule, now: Instant) {
    assert!(schedule.failed(Trouble::Passes, None, now, 1.0));
}

#[test]
fn pushes_are_trusted_between_rare_queries_and_an_end_is_confirmed() {
    let begin = Instant::now();
    let rows: &[Row] = &[
        (nothing, 0, "subscribe"),
        (nothing, 0, "query"),
        // The subscription may have begun after a change.
        (news_a, 0, "wait until 1000"),
        (nothing, 1000, "query"),
        (still_a, 1000, "wait until 31000"),
        (push_done, 2000, "query"),
        // Queries may be behind pushes: a series of them, then a doubling interval.
        (still_a, 2000, "wait until 3000"),
        (still_a, 3000, "wait until 5000"),
        (still_a, 5000, "wait until 9000"),
        (still_a, 9000, "wait until 17000"),
        (still_a, 17_000, "wait until 33000"),
        (still_a, 33_000, "wait until 63000"),
        (still_a, 63_000, "wait until 65000"),
        (still_a, 65_000, "wait until 69000"),
        (push_b, 66_000, "wait until 69000"),
        (done, 69_000, "end"),
    ];
    run(schedule(&PUSHED, WatchOptions::new(), true, begin), begin, rows);
}

#[test]
fn queries_without_news_come_ever_more_rarely() {
    let begin = Instant::now();
    let rows: &[Row] = &[
        (nothing, 0, "query"),
        (news_a, 0, "wait until 2000"),
        (nothing, 1999, "wait until 2000"),
        (nothing, 2000, "query"),
        (still_a, 2000, "wait until 6000"),
        (still_a, 6000, "wait until 14000"),
        (still_a, 14_000, "wait until 30000"),
        (still_a, 30_000, "wait until 60000"),
        (still_a, 60_000, "wait until 90000"),
        (done, 90_000, "end"),
    ];
    run(schedule(&PUSHED, WatchOptions::new(), false, begin), begin, rows);
}

#[test]
fn every_gap_leads_to_a_query_and_the_subscription_begins_again() {
    let begin = Instant::now();
    let rows: &[Row] = &[
        (nothing, 0, "subscribe"),
        (nothing, 0, "query"),
        (news_a, 0, "wait until 1000"),
        (missed, 500, "query"),
        (news_a, 500, "wait until 30500"),
        (unsubscribed, 600, "query"),
        (news_a, 600, "wait until 1100"),
        (nothing, 1100, "subscribe"),
        (nothing, 1100, "query"),
        (still_a, 1100, "wait until 2100"),
        (unsubscribed, 1200, "query"),
        (news_a, 1200, "wait until 2200"),
        (nothing, 2200, "subscribe"),
        // One that delivers counts anew.
        (push_b, 2200, "query"),
        (news_a, 2200, "wait until 3200"),
        (unsubscribed, 2300, "query"),
        (news_a, 2300, "wait until 2800"),
    ];
    run(schedule(&PUSHED, WatchOptions::new(), true, begin), begin, rows);
}

#[test]
fn nothing_shortens_the_pause_after_a_failure_and_a_service_lengthens_it() {
    let begin = Instant::now();
    let rows: &[Row] = &[
        (nothing, 0, "subscribe"),
        (news_a, 0, "wait until 1000"),
        (passes, 1000, "wait until 3000"),
        (missed, 1100, "wait until 3000"),
        (push_done, 1100, "wait until 3000"),
        (unsubscribed, 1100, "wait until 1600"),
        (nothing, 1600, "subscribe"),
        (nothing, 1600, "wait until 3000"),
        (passes, 3000, "wait until 7000"),
        (|schedule, now| fails(schedule, Trouble::Passes, 1, now), 7000, "wait until 15000"),
        (|schedule, now| fails(schedule, Trouble::Passes, 99_000, now), 15_000, "wait until 114000"),
        (|schedule, now| fails(schedule, Trouble::Passes, u64::MAX, now), 114_000, "wait until 414000"),
        (news_a, 414_000, "wait until 415000"),
        (passes, 415_000, "wait until 417000"),
        (|schedule, now| fails(schedule, Trouble::Doubtful, 0, now), 417_000, "wait until 421000"),
    ];
    let mut schedule = run(schedule(&PUSHED, WatchOptions::new(), true, begin), begin, rows);
    assert!(!schedule.failed(Trouble::Doubtful, None, begin, 1.0), "the third in a row stays");
    assert!(!schedule.failed(Trouble::Stays, None, begin, 1.0));
}

fn fails(schedule: &mut Schedule, trouble: Trouble, asked: u64, now: Instant) {
    assert!(schedule.failed(trouble, Some(millis(asked)), now, 1.0));
}

#[test]
fn a_change_by_time_alone_is_decided_after_one_more_query() {
    let begin = Instant::now();
    let rows: &[Row] = &[
        (nothing, 0, "query"),
        (done, 0, "wait until 2000"),
        (still_done, 55_000, "wait until 59000"),
        (still_done, 59_000, "wait until 60000"),
        (nothing, 60_000, "query"),
        (passes, 60_000, "wait until 62000"),
        (nothing, 62_000, "query"),
        (still_done, 62_000, "end"),
    ];
    let ended = run(schedule(&READY, WatchOptions::new(), false, begin), begin, rows);
    let outcome = ended.outcome(begin + millis(62_000));
    assert!(matches!(outcome, Some(OperationOutcome::EventsMissing { .. })), "{outcome:?}");
    let rows: &[Row] = &[
        (nothing, 0, "query"),
        (hidden, 0, "wait until 2000"),
        (hidden, 29_000, "wait until 30000"),
        (nothing, 30_000, "query"),
        (hidden, 30_000, "missing"),
    ];
    run(schedule(&PUSHED, WatchOptions::new(), false, begin), begin, rows);
}

#[test]
fn no_event_leads_to_a_query_right_after_another() {
    let begin = Instant::now();
    let rows: &[Row] = &[
        (nothing, 0, "subscribe"),
        (news_a, 0, "wait until 5"),
        (missed, 1, "wait until 5"),
        (push_done, 1, "wait until 5"),
        (unsubscribed, 1, "wait until 5"),
        (nothing, 5, "query"),
    ];
    run(schedule(&PUSHED, WatchOptions::new().settle(Duration::ZERO), true, begin), begin, rows);
}

struct Dice(u64);

impl Dice {
    /// A number below this, after Knuth.
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn time(&mut self) -> Duration {
        let times = [Duration::ZERO, Duration::from_nanos(1), millis(5), millis(1000), millis(20_000), Duration::MAX];
        times[usize::try_from(self.roll(6)).unwrap()]
    }
}

/// Whatever the options are, and whatever the service, its pushes and the network do: the watch neither spins nor
/// floods the service, it never ends before the operation, and it ends soon after it unless it may wait for ever.
#[test]
fn a_watch_neither_spins_floods_nor_misses_the_end_in_any_order_of_events() {
    let mut ended = 0;
    for seed in 0..500 {
        let (mut dice, begin) = (Dice(seed), Instant::now());
        let (safety, has_subscription) = (dice.time(), dice.roll(2) == 0);
        let options = WatchOptions::new().settle(dice.time()).safety(safety).interval(dice.time());
        let options = options.reconnect(dice.time()).visibility(dice.time()).events(dice.time()).unknown(dice.time());
        let mut schedule = schedule(&PUSHED, options, has_subscription, begin);
        // Trouble ends after a while, and so does the operation.
        let (trouble, end) = (begin + millis(60_000), begin + millis(dice.roll(120_000)));
        let (mut now, mut queried, mut steps) = (begin, None, 0);
        let context = |schedule: &Schedule| format!("seed {seed}: {schedule:#?}");
        let last = loop {
            steps += 1;
            let change = schedule.tracker.next_change();
            match schedule.next(now) {
                Action::End => break Some(now),
                Action::Missing => panic!("it was never hidden: {}", context(&schedule)),
                Action::Subscribe => assert!(has_subscription, "{}", context(&schedule)),
                Action::Query => {
                    let by_time = change.is_over(now) && queried.is_some_and(|at| !change.is_over(at));
                    let is_apart = queried.is_none_or(|at| now >= at + LEAST);
                    assert!(is_apart || by_time, "two at once: {}", context(&schedule));
                    let state = if now >= end { "DONE" } else { ["A", "B"][usize::try_from(dice.roll(2)).unwrap()] };
                    now += millis(dice.roll(300));
                    queried = Some(now);
                    if now < trouble && dice.roll(3) == 0 {
                        passes(&mut schedule, now);
                    } else {
                        answer(&mut schedule, state, now);
                    }
                }
                Action::Wait(until) => {
                    assert!(!until.is_over(now), "no pause: {}", context(&schedule));
                    let span = until.left(now).min(millis(600_000));
                    if now >= trouble || !schedule.is_subscribed || dice.roll(3) == 0 {
                        now += span;
                    } else {
                        now += span.mul_f64(f64::from(u32::try_from(dice.roll(1000)).unwrap()) / 1000.0);
                        match dice.roll(4) {
                            0 => schedule.unsubscribed(now, 1.0),
                            1 => schedule.missed(now),
                            2 if now >= end => push_done(&mut schedule, now),
                            _ => drop(schedule.pushed(json!({ "changed": { "state": "B" } }).into(), now)),
                        }
                    }
                    if until == Until::NEVER && now >= trouble {
                        break None;
                    }
                }
            }
            assert!(steps < 100_000, "{}", context(&schedule));
        };
        let Some(last) = last else {
            assert!(safety == Duration::MAX, "{}", context(&schedule));
            continue;
        };
        ended += 1;
        assert!(last >= end && schedule.outcome(last).is_some_and(|outcome| outcome.is_success()));
        assert!(safety == Duration::MAX || last <= end.max(trouble) + millis(100_000), "{}", context(&schedule));
    }
    assert!(ended > 350, "{ended}");
}
