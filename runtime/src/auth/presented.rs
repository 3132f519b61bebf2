//! The last sign-in that a user was asked for.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::Token;
use crate::{
    clock::Until,
    error::{Error, Kind},
};

/// The pause after a sign-in before another one may begin. Without it, a service that refuses every token, or a user
/// who closes the window, would see one window after the other.
const PAUSE: Duration = Duration::from_secs(30);

/// Keeps a credential from asking its user again and again.
#[derive(Default)]
pub(super) struct PresentedSignIns(Mutex<Option<PresentedSignIn>>);

/// The last sign-in that was presented to the user.
struct PresentedSignIn {
    /// The time at which the next one may begin.
    until: Until,
    outcome: SignInOutcome,
}

enum SignInOutcome {
    /// It is in progress, or ended with its time limit.
    Unfinished,
    Granted,
    Failed(Error),
}

impl PresentedSignIns {
    /// Does a sign-in, which calls [`begin`](Self::begin) when it is presented, unless the last one was too recent.
    pub(super) async fn once(&self, sign_in: impl Future<Output = Result<Token, Error>>) -> Result<Token, Error> {
        self.check()?;
        let outcome = sign_in.await;
        // A failure before the user saw anything needs no pause.
        if let Some(presented) = &mut *self.last()
            && matches!(presented.outcome, SignInOutcome::Unfinished)
        {
            let outcome =
                outcome.as_ref().map_or_else(|error| SignInOutcome::Failed(error.clone()), |_| SignInOutcome::Granted);
            *presented = PresentedSignIn { until: Until::after(PAUSE), outcome };
        }
        outcome
    }

    /// Records that the user is asked now, and has this time.
    pub(super) fn begin(&self, patience: Duration) {
        let until = Until::after(patience.saturating_add(PAUSE));
        *self.last() = Some(PresentedSignIn { until, outcome: SignInOutcome::Unfinished });
    }

    /// Returns an error if the last sign-in was too recent to ask the user again.
    fn check(&self) -> Result<(), Error> {
        let mut last = self.last();
        let Some(presented) = &*last else { return Ok(()) };
        let left = presented.until.left(Instant::now());
        if left.is_zero() {
            *last = None;
            return Ok(());
        }
        let refuse = |message: &str, hint: &str| Error::with(Kind::Token, message).hint(hint);
        let error = match &presented.outcome {
            SignInOutcome::Unfinished => {
                refuse("the sign-in was not finished in time", "sign in again after the pause")
            }
            SignInOutcome::Granted => refuse(
                "a new token is needed right after the user has signed in",
                "check whether the service accepts the token (its audience and scope), and how long it is valid",
            ),
            SignInOutcome::Failed(error) => error.clone(),
        };
        Err(error.with_retry_after(Some(left)))
    }

    fn last(&self) -> MutexGuard<'_, Option<PresentedSignIn>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
