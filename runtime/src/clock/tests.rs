//! Every time that a caller can set is a limit, or none.

use std::future::{pending, ready};

use super::*;

/// A wait longer than this means that the test hangs.
const WATCHDOG: Duration = Duration::from_secs(60);

const LONG: [Duration; 6] = [
    Duration::MAX,
    Duration::from_secs(u64::MAX),
    Duration::from_secs(i64::MAX as u64),
    Duration::from_secs(i64::MAX as u64 - 100_000_000),
    Duration::from_millis(1 << 36),
    Duration::from_secs(366 * 24 * 60 * 60),
];

const SHORT: [Duration; 3] = [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(2)];

/// The farthest point of the clock.
fn farthest() -> Instant {
    let (mut end, mut step) = (Instant::now(), Duration::MAX);
    while !step.is_zero() {
        end = end.checked_add(step).unwrap_or(end);
        step /= 2;
    }
    end
}

#[tokio::test]
async fn a_long_time_ends_nothing_and_a_short_one_does() {
    for time in LONG {
        let until = Until::after(time);
        assert!(until == Until::NEVER && !until.is_over(farthest()), "{time:?}");
        assert_eq!(until.left(Instant::now()), Duration::MAX);
        assert_eq!(until.limit(ready(1)).await, Ok(1));
        let both = limit(Duration::from_millis(5), until.sleep()).await;
        assert_eq!(both, Err(Over), "{time:?}: it does not fire, and the other one does");
        assert_eq!(limit(Duration::from_millis(5), limit(time, pending::<()>())).await, Err(Over));
    }
    for time in SHORT {
        assert_eq!(limit(WATCHDOG, limit(time, pending::<()>())).await, Ok(Err(Over)), "{time:?}");
        assert_eq!(limit(WATCHDOG, sleep(time)).await, Ok(()));
        assert_eq!(limit(time, ready(1)).await, Ok(1), "what is done at once needs no time");
    }
}

#[tokio::test]
async fn a_limit_fires_as_soon_as_the_work_is_not_covered() {
    let mark = AtomicBool::new(false);
    let short = || Until::after(Duration::from_millis(5));
    assert_eq!(short().limit_uncovered(&mark, pin!(pending::<()>())).await, Err(Over));
    assert_eq!(Until::NEVER.limit_uncovered(&mark, pin!(ready(1))).await, Ok(1));
    let past = Until::after(Duration::ZERO);
    let covered = async {
        let _covered = Covered::set(&mark, true);
        sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(past.limit_uncovered(&mark, pin!(covered)).await, Ok(()), "the work has its own limit");
    let after = async {
        // The covered part is dropped before its end.
        let covered = async {
            let _covered = Covered::set(&mark, true);
            pending::<()>().await;
        };
        assert_eq!(limit(Duration::from_millis(5), covered).await, Err(Over));
        pending::<()>().await;
    };
    assert_eq!(limit(WATCHDOG, short().limit_uncovered(&mark, pin!(after))).await, Ok(Err(Over)));
}

#[tokio::test]
async fn a_point_at_the_end_of_the_clock_is_no_timer() {
    let end = Until::at(farthest());
    assert!(end != Until::NEVER && end.left(Instant::now()) > LONGEST);
    assert_eq!(end.limit(ready(1)).await, Ok(1));
    assert_eq!(limit(Duration::from_millis(5), end.sleep()).await, Err(Over));
    let now = Instant::now();
    assert!(Until::at(now).is_over(now), "a point is over when it is reached");
    assert_eq!(Until::from(farthest(), Duration::from_secs(1)), Until::NEVER);
}

#[test]
fn never_is_later_than_every_point() {
    let now = Instant::now();
    let points = [Until::at(now), Until::from(now, LONGEST), Until::at(farthest()), Until::NEVER];
    assert!(points.is_sorted() && points.windows(2).all(|pair| pair.first() != pair.get(1)));
    assert_eq!(points.iter().min(), Some(&Until::at(now)));
    assert_eq!(Until::NEVER.max(Until::at(now)), Until::NEVER);
    assert_eq!(Until::from(now, Duration::from_secs(3)).left(now), Duration::from_secs(3));
    assert_eq!(Until::at(now).left(farthest()), Duration::ZERO);
}
