//! Each rule, by times that are given.

use super::*;

const OVERLAP: Duration = Duration::from_secs(2);
const IDLE: Duration = Duration::from_secs(5);

/// Seconds after the beginning.
struct Times(Instant);

impl Times {
    fn at(&self, seconds: u64) -> Instant {
        self.0 + Duration::from_secs(seconds)
    }

    fn next(&self, schedule: &Schedule) -> Option<(u64, Due)> {
        let (at, due) = schedule.next();
        at.instant().map(|at| ((at - self.0).as_secs(), due))
    }
}

fn renewal(now: Instant, seconds: u64) -> Renewal {
    Renewal::new(now, Some(Duration::from_secs(seconds)), OVERLAP)
}

#[test]
fn a_connection_is_replaced_before_its_token_expires_and_overlaps_with_the_next() {
    let times = Times(Instant::now());
    let mut schedule = Schedule::new();
    assert_eq!(times.next(&schedule), None);
    assert_eq!(schedule.open(), Duration::ZERO);
    assert!(!schedule.opened(times.at(1), renewal(times.at(1), 600)));
    assert_eq!(times.next(&schedule), Some((601, Due::Renew)));
    assert_eq!(schedule.open(), Duration::ZERO);
    // While the next one is opened, it is not opened again.
    assert_eq!(times.next(&schedule), None);
    assert!(schedule.opened(times.at(602), renewal(times.at(602), 600)));
    assert_eq!(times.next(&schedule), Some((604, Due::Retire)));
    schedule.retired();
    assert_eq!(times.next(&schedule), Some((1202, Due::Renew)));
}

#[test]
fn the_lifetime_of_a_token_limits_overlap_and_interval() {
    let times = Times(Instant::now());
    // (lifetime in seconds, end of the replaced connection in milliseconds after its replacement, next renewal in seconds)
    for (lifetime, overlap, interval) in [(600, 2000, 600), (20, 1000, 20), (1, 50, 1), (0, 0, 1)] {
        let mut schedule = Schedule::new();
        schedule.opened(times.at(0), renewal(times.at(0), lifetime));
        assert_eq!(times.next(&schedule), Some((interval, Due::Renew)), "{lifetime}");
        schedule.opened(times.at(0), renewal(times.at(0), 600));
        let (at, due) = schedule.next();
        assert_eq!((at.left(times.at(0)), due), (Duration::from_millis(overlap), Due::Retire), "{lifetime}");
    }
    for lifetime in [None, Some(Duration::MAX)] {
        let mut schedule = Schedule::new();
        schedule.opened(times.at(0), Renewal::new(times.at(0), lifetime, Duration::MAX));
        schedule.opened(times.at(0), Renewal::new(times.at(0), lifetime, Duration::MAX));
        assert_eq!(times.next(&schedule), None);
    }
}

#[test]
fn a_refused_replacement_is_tried_again_with_growing_pauses_until_one_succeeds() {
    let times = Times(Instant::now());
    let mut schedule = Schedule::new();
    schedule.opened(times.at(0), renewal(times.at(0), 600));
    for (turn, span) in [0, 250, 500, 1000].into_iter().map(Duration::from_millis).enumerate() {
        let pause = schedule.open();
        assert!(pause <= span && pause >= span / 2, "{turn}: {pause:?}");
        schedule.refused(times.at(600));
        assert_eq!(times.next(&schedule), Some((600, Due::Renew)), "{turn}");
    }
    schedule.open();
    schedule.opened(times.at(610), renewal(times.at(610), 600));
    assert_eq!(schedule.open(), Duration::ZERO);
}

#[test]
fn only_an_end_soon_after_the_beginning_delays_the_next_connection() {
    let times = Times(Instant::now());
    for (lived, is_delayed) in [(0, true), (9, true), (10, false), (600, false)] {
        let mut schedule = Schedule::new();
        schedule.refused(times.at(0));
        schedule.opened(times.at(0), renewal(times.at(0), 6000));
        schedule.ended(times.at(lived));
        assert_eq!(times.next(&schedule), None, "{lived}");
        assert_eq!(schedule.open() > Duration::ZERO, is_delayed, "{lived}");
    }
    // A clock that was set back does not panic.
    let mut schedule = Schedule::new();
    schedule.opened(times.at(100), renewal(times.at(100), 600));
    schedule.ended(times.at(0));
    assert!(schedule.open() > Duration::ZERO);
}

#[test]
fn a_first_connection_that_replaces_nothing_keeps_the_failures_before_it() {
    let times = Times(Instant::now());
    let mut schedule = Schedule::new();
    schedule.open();
    schedule.refused(times.at(0));
    schedule.opened(times.at(1), renewal(times.at(1), 600));
    assert!(schedule.open() > Duration::ZERO);
}

#[test]
fn a_kind_of_connection_that_the_service_does_not_have_is_not_a_failure() {
    let mut schedule = Schedule::new();
    schedule.open();
    schedule.unsupported();
    assert_eq!(schedule.open(), Duration::ZERO);
}

#[test]
fn the_idle_time_begins_once_and_ends_with_the_next_subscription() {
    let times = Times(Instant::now());
    let mut schedule = Schedule::new();
    schedule.opened(times.at(0), renewal(times.at(0), 600));
    schedule.used(times.at(1), true, IDLE);
    assert_eq!(times.next(&schedule), Some((600, Due::Renew)));
    schedule.used(times.at(2), false, IDLE);
    schedule.used(times.at(4), false, IDLE);
    assert_eq!(times.next(&schedule), Some((7, Due::Idle)));
    schedule.used(times.at(5), true, IDLE);
    assert_eq!(times.next(&schedule), Some((600, Due::Renew)));
    schedule.used(times.at(6), false, Duration::MAX);
    assert_eq!(times.next(&schedule), Some((600, Due::Renew)));
}
