//! Retries of calls, by the rules of the guide on errors and retries: retried are failures before anything was sent (every
//! call), temporary failures of calls that may be repeated, and refusals with `Retry-After`.

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use http::StatusCode;

use crate::{
    clock::{Backoff, Until},
    error::{Error, is_passing_status},
};

/// The number of attempts and their time limits: for all calls by
/// [`ClientBuilder::retries`](crate::ClientBuilder::retries), for one by `with_retries`. The retried failures
/// depend on the call: see [`ClientBuilder::retry_put_and_delete`](crate::ClientBuilder::retry_put_and_delete) and
/// `idempotent`.
///
/// ```
/// use std::time::Duration;
/// use driftless_runtime::{Client, RetryPolicy};
///
/// let patient = RetryPolicy::default().max_attempts(6).max_backoff(Duration::from_secs(60));
/// let builder = Client::builder("https://service.example").retries(patient);
/// # let _ = builder;
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "give it to `ClientBuilder::retries`, or to `with_retries` of a call"]
pub struct RetryPolicy {
    pub(crate) attempts: u32,
    pub(crate) backoff: Backoff,
    pub(crate) attempt_timeout: Duration,
    /// Retries need no budget.
    pub(crate) is_free: bool,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        let backoff = Backoff { first: Duration::from_millis(200), longest: Duration::from_secs(20) };
        Self { attempts: 3, backoff, attempt_timeout: Duration::MAX, is_free: false }
    }
}

impl RetryPolicy {
    /// Creates a policy that sends each call once.
    pub fn never() -> Self {
        Self::default().max_attempts(1)
    }

    /// Sets the most attempts of a call, including the first; 3 unless set, and at least 1.
    pub fn max_attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts.max(1);
        self
    }

    /// Sets the pause before the second attempt; 200 ms unless set. Each further pause is twice as long, minus a random
    /// part of up to one half. A longer `Retry-After` is honoured.
    pub fn initial_backoff(mut self, pause: Duration) -> Self {
        self.backoff.first = pause;
        self
    }

    /// Sets the longest pause between two attempts; 20 s unless set.
    pub fn max_backoff(mut self, pause: Duration) -> Self {
        self.backoff.longest = pause;
        self
    }

    /// Sets the time limit of one attempt, up to the end of its body, or up to its head if the body is streamed. There
    /// is no limit unless it is set. An attempt that exceeds it counts as one without a response: it is retried if the
    /// call may be; otherwise, the error of a call that changes something is a submission unknown.
    pub fn attempt_timeout(mut self, time: Duration) -> Self {
        self.attempt_timeout = time;
        self
    }

    /// Retries calls without the [budget](crate::ClientBuilder::retry_budget) that the calls to a server share: for the few that
    /// have to arrive when many others fail.
    pub fn without_budget(mut self) -> Self {
        self.is_free = true;
        self
    }
}

/// The failures after which a call may be retried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeats {
    /// Sending it twice has the same effect as sending it once.
    pub(crate) repeatable: bool,
    /// A refusal with `Retry-After` may be retried.
    pub(crate) when_asked: bool,
    /// The body can be sent twice.
    pub(crate) replayable: bool,
}

impl Repeats {
    /// Returns whether the call may be retried after this error, the `failures`th of status 500 among its errors.
    fn allows(self, error: &Error, failures: u32) -> bool {
        if error.is_connect() || (error.is_token() && error.is_retryable()) {
            return true;
        }
        let status = error.status().map_or(0, |status| status.as_u16());
        if self.repeatable {
            return error.is_broken()
                || error.is_timeout()
                || is_passing_status(status)
                || (status == 500 && failures <= 1);
        }
        self.when_asked && matches!(status, 429 | 503) && error.retry_after().is_some()
    }
}

/// The decision after an attempt that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryDecision {
    /// The call is sent again after this pause.
    Continue(Duration),
    /// Another attempt is not allowed, or would change nothing.
    Permanent,
    /// Another attempt would be allowed, but this limit is reached.
    Exhausted(&'static str),
}

/// The attempts of one call.
pub(crate) struct Attempts<'a> {
    pub(crate) policy: RetryPolicy,
    pub(crate) repeats: Repeats,
    pub(crate) budget: &'a Budget,
    pub(crate) deadline: Until,
    /// The number of attempts that have begun.
    pub(crate) count: u32,
    /// The number of attempts that ended with status 500.
    pub(crate) failures: u32,
}

impl Attempts<'_> {
    /// Decides after an attempt that failed.
    pub(crate) fn after(&mut self, error: &Error) -> RetryDecision {
        self.failures += u32::from(error.status() == Some(StatusCode::INTERNAL_SERVER_ERROR));
        // Waiting for the issuer costs the service nothing.
        self.decide(error, self.repeats.allows(error, self.failures), error.is_token())
    }

    /// Decides after a 401 if the token could not be refreshed for this cause. The service did not process the request.
    pub(crate) fn after_refusal(&self, cause: &Error) -> RetryDecision {
        self.decide(cause, cause.is_retryable(), true)
    }

    /// A call is sent again if
    ///
    /// 1. its body can be sent twice, and the failure may be retried;
    /// 2. the policy's number of attempts is not reached;
    /// 3. the pause ends before its deadline;
    /// 4. the budget of the client pays for it, unless it is free.
    fn decide(&self, error: &Error, is_allowed: bool, is_free: bool) -> RetryDecision {
        if !(self.repeats.replayable && is_allowed) {
            return RetryDecision::Permanent;
        }
        if self.count >= self.policy.attempts {
            return RetryDecision::Exhausted("attempts");
        }
        let pause = self.policy.backoff.pause_asked(self.count, error.retry_after());
        if Until::after(pause) >= self.deadline {
            return RetryDecision::Exhausted("deadline");
        }
        if !(is_free || self.policy.is_free || self.budget.take()) {
            return RetryDecision::Exhausted("budget");
        }
        RetryDecision::Continue(pause)
    }
}

/// The budget for retries of all calls of a client, so that a service in trouble is not flooded with them.
#[derive(Debug)]
pub(crate) struct Budget {
    full: u32,
    left: AtomicU32,
}

impl Budget {
    /// The budget's retries, unless configured.
    pub(crate) const ATTEMPTS: u32 = 100;
    const PRICE: u32 = 5;

    pub(crate) const fn new(attempts: u32) -> Self {
        let full = attempts.saturating_mul(Self::PRICE);
        Self { full, left: AtomicU32::new(full) }
    }

    /// Pays for one more attempt. Returns `false` if the budget is used up.
    pub(crate) fn take(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(Self::PRICE)).is_ok()
    }

    /// Adds a fifth of an attempt, for a call that succeeded at once.
    pub(crate) fn earn(&self) {
        let more = |left: u32| Some(left.saturating_add(1).min(self.full));
        if self.left.load(Ordering::Relaxed) < self.full {
            let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
mod tests {
    use super::*;

    use crate::error::Kind;

    fn attempts(policy: RetryPolicy, repeats: Repeats, budget: &Budget, deadline: Until) -> Attempts<'_> {
        Attempts { policy, repeats, budget, deadline, count: 0, failures: 0 }
    }

    const ALL: Repeats = Repeats { repeatable: true, when_asked: true, replayable: true };

    fn status(code: u16) -> Error {
        Error::with(Kind::Status, "no").with_status(StatusCode::from_u16(code).unwrap())
    }

    #[test]
    fn what_a_server_asks_for_only_lengthens_the_pause() {
        let budget = Budget::new(1_000);
        let mut attempts = attempts(RetryPolicy::default(), ALL, &budget, Until::NEVER);
        for count in 1..3 {
            attempts.count = count;
            let least = Duration::from_millis(200) * (1 << (count - 1)) / 2;
            for asked in [None, Some(Duration::ZERO), Some(Duration::from_millis(1))] {
                let RetryDecision::Continue(pause) = attempts.after(&status(503).with_retry_after(asked)) else {
                    panic!()
                };
                assert!(pause >= least, "{count}: {asked:?}");
            }
            let asked = Duration::from_secs(3_600);
            assert_eq!(attempts.after(&status(503).with_retry_after(Some(asked))), RetryDecision::Continue(asked));
        }
    }

    /// Every policy against every kind of failure: the number of attempts is the one that policy, deadline and budget
    /// allow.
    #[test]
    fn a_call_is_sent_as_often_as_its_policy_says() {
        let hour = Duration::from_secs(3_600);
        for (most, budget_of, first) in (0..5_u32)
            .flat_map(|most| (0..5).map(move |budget| (most, budget)))
            .flat_map(|(most, budget)| [Duration::ZERO, hour, Duration::MAX].map(|first| (most, budget, first)))
        {
            let policy = RetryPolicy::default().max_attempts(most).initial_backoff(first).max_backoff(Duration::MAX);
            for (repeatable, is_free) in [(false, false), (true, false), (true, true)] {
                let policy = RetryPolicy { is_free, ..policy };
                for code in [400, 500, 503] {
                    let budget = Budget::new(budget_of);
                    let repeats = Repeats { repeatable, ..ALL };
                    let mut attempts = attempts(policy, repeats, &budget, Until::after(hour / 2));
                    let end = loop {
                        attempts.count += 1;
                        match attempts.after(&status(code)) {
                            RetryDecision::Continue(pause) => assert_eq!(pause, Duration::ZERO),
                            end => break end,
                        }
                    };
                    let by_failure = if !repeatable || code == 400 {
                        1
                    } else if code == 500 {
                        2
                    } else {
                        u32::MAX
                    };
                    let by_pause = if first.is_zero() { u32::MAX } else { 1 };
                    let expected =
                        by_failure.min(most.max(1)).min(by_pause).min(if is_free { u32::MAX } else { budget_of + 1 });
                    let case = format!("{most} {budget_of} {first:?} {repeatable} {is_free} {code}");
                    assert_eq!(attempts.count, expected, "{case}");
                    // A retry that is not allowed does not depend on limits, so that is checked first.
                    assert_eq!(end == RetryDecision::Permanent, attempts.count == by_failure, "{case}: {end:?}");
                }
            }
        }
    }

    #[test]
    fn a_body_that_cannot_be_sent_twice_is_not() {
        let budget = Budget::new(1);
        let repeats = Repeats { replayable: false, ..ALL };
        let mut attempts = attempts(RetryPolicy::default(), repeats, &budget, Until::NEVER);
        assert_eq!(attempts.after(&status(503)), RetryDecision::Permanent);
        assert_eq!(attempts.after_refusal(&Error::with(Kind::Token, "no").passing(true)), RetryDecision::Permanent);
    }

    #[test]
    fn the_budget_ends_and_is_earned_back() {
        let budget = Budget::new(Budget::ATTEMPTS);
        let taken = (0..1000).take_while(|_| budget.take()).count();
        assert_eq!(taken, 100);
        (0..5).for_each(|_| budget.earn());
        assert!(budget.take() && !budget.take());
        (0..10_000).for_each(|_| budget.earn());
        assert_eq!((0..1000).take_while(|_| budget.take()).count(), 100, "it is never more than full");
        assert!(!Budget::new(0).take());
        let endless = Budget::new(u32::MAX);
        endless.earn();
        assert_eq!((0..100_000).take_while(|_| endless.take()).count(), 100_000);
    }
}
