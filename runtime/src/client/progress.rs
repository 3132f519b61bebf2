//! The progress of a call, over all of its attempts.

use std::sync::atomic::{AtomicBool, AtomicU16, Ordering::Relaxed};

use http::StatusCode;

use crate::error::{Error, Reach};

/// The progress of a call, over all of its attempts. If one attempt leaves a question open, no later one settles it.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The service may have seen an attempt.
    sent: AtomicBool,
    /// An attempt was sent, and no response arrived.
    unanswered: AtomicBool,
    /// An attempt may have taken effect: every one that was sent, except for those that the service clearly refused.
    effective: AtomicBool,
    /// The status of the last response, 0 without one.
    status: AtomicU16,
}

/// The state before an attempt, which is restored if the attempt has no effect.
#[derive(Debug)]
pub(super) struct Before {
    sent: bool,
    unanswered: bool,
    effective: bool,
}

impl Progress {
    /// Records that an attempt begins: from now on, an attempt without a result counts as one that arrived.
    pub(super) fn begin(&self) -> Before {
        self.status.store(0, Relaxed);
        Before {
            sent: self.sent.swap(true, Relaxed),
            unanswered: self.unanswered.swap(true, Relaxed),
            effective: self.effective.swap(true, Relaxed),
        }
    }

    /// Records that no connection was established.
    pub(super) fn unsent(&self, before: &Before) {
        self.sent.store(before.sent, Relaxed);
        self.unanswered.store(before.unanswered, Relaxed);
        self.effective.store(before.effective, Relaxed);
    }

    /// Records that the head of a response arrived.
    pub(super) fn answered(&self, before: &Before, status: StatusCode) {
        self.unanswered.store(before.unanswered, Relaxed);
        if refuses(status) {
            self.effective.store(before.effective, Relaxed);
        }
        self.status.store(status.as_u16(), Relaxed);
    }

    /// Returns whether an attempt may have taken effect so far.
    #[cfg(feature = "operations")]
    pub(crate) fn may_have_taken_effect(&self) -> bool {
        self.effective.load(Relaxed)
    }

    /// Returns the status of the last attempt, if its head arrived.
    pub(super) fn status(&self) -> Option<StatusCode> {
        StatusCode::from_u16(self.status.load(Relaxed)).ok()
    }

    /// Adds the progress of the call to the error.
    pub(super) fn add_to(&self, error: Error, changes: bool) -> Error {
        let status = self.status();
        let answered = status.is_some_and(|status| status.is_success());
        let error = if error.is_timeout() { error.with_status_of(status) } else { error };
        error.reached(Reach {
            sent: self.sent.load(Relaxed),
            unknown: changes && !answered && self.unanswered.load(Relaxed),
            effective: self.effective.load(Relaxed),
        })
    }
}

/// Returns whether a status clearly says that nothing was done. A redirect with another method (RFC 9110 §15.4.4) may
/// lead to the result, and timeouts, or statuses of proxies whose client went away, say nothing about the service
/// behind them.
fn refuses(status: StatusCode) -> bool {
    matches!(status.as_u16(), 307 | 308 | 400..=407 | 409..=431 | 451)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn error_of(progress: &Progress) -> Error {
        progress.add_to(Error::with(Kind::Transport, "the connection broke"), true)
    }

    #[test]
    fn what_one_attempt_left_open_no_later_one_closes() {
        let progress = Progress::default();
        let before = progress.begin();
        progress.unsent(&before);
        assert!(!error_of(&progress).was_sent() && !error_of(&progress).may_have_taken_effect());
        let before = progress.begin();
        progress.answered(&before, StatusCode::CONFLICT);
        assert!(error_of(&progress).was_sent() && !error_of(&progress).may_have_taken_effect());
        assert!(!error_of(&progress).is_submission_unknown());
        // The response is lost.
        progress.begin();
        assert!(error_of(&progress).may_have_taken_effect() && error_of(&progress).is_submission_unknown());
        for status in [StatusCode::CONFLICT, StatusCode::UNAUTHORIZED, StatusCode::TOO_EARLY] {
            let before = progress.begin();
            progress.answered(&before, status);
            assert!(
                error_of(&progress).may_have_taken_effect() && error_of(&progress).is_submission_unknown(),
                "{status}"
            );
        }
        let before = progress.begin();
        progress.unsent(&before);
        assert!(error_of(&progress).was_sent() && error_of(&progress).may_have_taken_effect());
    }

    #[test]
    fn only_a_clear_refusal_says_that_nothing_was_done() {
        let refusals: Vec<u16> = (100..1000)
            .filter(|code| StatusCode::from_u16(*code).is_ok_and(refuses))
            .filter(|code| *code != 0)
            .collect();
        for open in [200, 202, 204, 299, 301, 302, 303, 408, 444, 460, 499, 500, 502, 503, 504, 599, 600, 999] {
            assert!(!refusals.contains(&open), "{open}");
        }
        for clear in [307, 308, 400, 401, 403, 404, 405, 409, 410, 412, 413, 415, 422, 425, 428, 429, 451] {
            assert!(refusals.contains(&clear), "{clear}");
        }
    }
}
