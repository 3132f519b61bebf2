use super::*;

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

const SETTINGS: TaskSettings = TaskSettings {
    timeout: seconds(1000),
    turn: seconds(60),
    patience: seconds(120),
    retry: Backoff { first: seconds(1), longest: seconds(5) },
    max_attempts: 5,
};
const LEASE: Duration = seconds(30);

/// An event, the seconds since the claim, and texts of the verdict and of the action that follows it.
type Row = (fn(&mut TaskPlan, Instant) -> Verdict, u64, &'static str);

fn run(settings: TaskSettings, age: u64, rows: &[Row]) {
    let begin = Instant::now();
    let mut plan = TaskPlan::new(settings, 0, seconds(age), begin);
    for (number, (event, at, expected)) in rows.iter().enumerate() {
        let now = begin + seconds(*at);
        let verdict = event(&mut plan, now);
        let text = match plan.next(now) {
            _ if verdict != Verdict::Again => format!("{verdict:?}"),
            TaskAction::Query => "query".to_owned(),
            TaskAction::Watch(Until::NEVER) => "watch".to_owned(),
            TaskAction::Watch(until) => format!("watch until {}", until.left(begin).as_secs()),
            TaskAction::Pause(until) => format!("pause until {}", until.left(begin).as_secs_f64()),
        };
        assert_eq!(text, *expected, "row {number}");
    }
}

const NOTHING: Row = (|_, _| Verdict::Again, 0, "watch until 900");
const RUNS: fn(&mut TaskPlan, Instant) -> Verdict = |plan, now| plan.queried(Ok(false), now);
const HAS_ENDED: fn(&mut TaskPlan, Instant) -> Verdict = |plan, now| plan.queried(Ok(true), now);
const SERVICE_FAILS: fn(&mut TaskPlan, Instant) -> Verdict = |plan, now| plan.queried(Err(Failure::Service), now);
const STORE_FAILS: fn(&mut TaskPlan, Instant) -> Verdict =
    |plan, now| plan.watch_failed(Failure::Store, LEASE, now, 1.0);

#[test]
fn an_operation_whose_time_is_over_is_queried_once_and_given_up() {
    let due: Row = (|_, _| Verdict::Again, 900, "query");
    run(SETTINGS, 100, &[NOTHING, due, (RUNS, 900, "Overdue")]);
    // One that has ended is given the time in which its outcome may change.
    run(SETTINGS, 100, &[NOTHING, due, (HAS_ENDED, 900, "watch until 1020"), (HAS_ENDED, 1020, "Overdue")]);
    run(SETTINGS, 100, &[due, (|plan, now| plan.queried(Err(Failure::LeaseLost), now), 900, "Fenced")]);
    run(SETTINGS, 100, &[due, (|plan, now| plan.queried(Err(Failure::Missing), now), 900, "PutBack")]);
    run(SETTINGS, 2000, &[(|_, _| Verdict::Again, 0, "query"), (SERVICE_FAILS, 0, "Overdue")]);
    let endless = TaskSettings { timeout: Duration::MAX, ..SETTINGS };
    run(endless, 2000, &[(|_, _| Verdict::Again, 0, "watch"), (STORE_FAILS, 0, "pause until 0.1")]);
}

#[test]
fn a_service_that_does_not_tell_has_the_same_time_again_and_an_end_that_it_tells_then_its_patience() {
    let rows = &[
        (SERVICE_FAILS, 900, "watch until 960"),
        (|plan: &mut TaskPlan, now| plan.queried(Err(Failure::Store), now), 960, "watch until 961"),
        (HAS_ENDED, 961, "watch until 1081"),
        (SERVICE_FAILS, 1081, "watch until 1141"),
        (HAS_ENDED, 1141, "Overdue"),
    ];
    run(SETTINGS, 100, rows);
    run(SETTINGS, 100, &[(SERVICE_FAILS, 1899, "watch until 1959"), (SERVICE_FAILS, 1959, "Overdue")]);
}

#[test]
fn a_store_that_fails_is_asked_ever_more_rarely_and_at_least_once_a_lease() {
    let rows = &[
        (STORE_FAILS, 0, "pause until 0.1"),
        (STORE_FAILS, 1, "pause until 1.2"),
        (STORE_FAILS, 2, "pause until 2.4"),
        (|_: &mut TaskPlan, _| Verdict::Again, 3, "watch until 900"),
        (
            |plan, now| {
                (0..20).for_each(|_| assert!(!plan.store_failed(LEASE, now, 1.0).is_over(now)));
                Verdict::Again
            },
            4,
            "pause until 34",
        ),
        // The pause passes over the end of its time.
        (STORE_FAILS, 899, "pause until 929"),
        (|_, _| Verdict::Again, 929, "query"),
        (
            |plan, now| {
                plan.begin_step();
                plan.watch_failed(Failure::Store, seconds(0), now, 1.0)
            },
            930,
            "query",
        ),
        (|plan, now| plan.watch_failed(Failure::LeaseLost, LEASE, now, 1.0), 930, "Fenced"),
        (|plan, now| plan.watch_failed(Failure::Missing, LEASE, now, 1.0), 930, "PutBack"),
        (|plan, now| plan.watch_failed(Failure::Service, LEASE, now, 1.0), 930, "PutBack"),
    ];
    run(SETTINGS, 100, rows);
}

#[test]
fn an_operation_is_tried_as_often_as_the_settings_say() {
    let mut plan = TaskPlan::new(SETTINGS, 0, Duration::ZERO, Instant::now());
    let pauses: Vec<_> = std::iter::from_fn(|| plan.fail(1.0)).collect();
    assert_eq!((pauses, plan.failures()), (vec![seconds(1), seconds(2), seconds(4), seconds(5)], 5));
}
