//! The state: read from memory, kept in the database, if there is one. Every change of a request is in the database before its
//! answer is sent.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Beginning, Snapshot, State, View};
use crate::caller::Caller;
use crate::clock::Clock;
use crate::data::Data;
use crate::error::Error;
use crate::workflow::{Hub, Notice};

/// The state of all teams.
#[derive(Debug)]
pub(crate) struct Store {
    data: Arc<Data>,
    clock: Clock,
    hub: Hub,
    beginning: Beginning,
    state: Mutex<State>,
}

impl Store {
    /// Reads the state from the database, or seeds a new one.
    pub(crate) fn open(data: Arc<Data>, clock: Clock, hub: Hub, beginning: Beginning) -> Result<Self, Error> {
        let mut state = State::read(&data)?;
        if state.is_empty() {
            beginning.plant(&mut state);
            state.write(&data)?;
        }
        if state.is_full {
            return Err(Error::Full);
        }
        Ok(Self { data, clock, hub, beginning, state: Mutex::new(state) })
    }

    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Deletes everything and seeds again.
    pub(crate) fn reset(&self) -> Result<(), Error> {
        self.replace(|state| self.beginning.plant(state))
    }

    /// Replaces everything by a snapshot.
    pub(crate) fn restore(&self, snapshot: Snapshot) -> Result<(), Error> {
        self.replace(|state| state.add(snapshot))
    }

    fn replace(&self, fill: impl FnOnce(&mut State)) -> Result<(), Error> {
        let mut next = State::default();
        fill(&mut next);
        if next.is_full {
            return Err(Error::Full);
        }
        let mut state = self.lock();
        state.become_state(next);
        self.commit(&mut state)?;
        drop(state);
        self.hub.touch();
        self.clock.nudge();
        Ok(())
    }

    /// Calls `run` with the caller's view, and stores its changes.
    pub(crate) fn with<T>(&self, caller: &Caller, run: impl FnOnce(View<'_>) -> T) -> Result<T, Error> {
        let mut state = self.lock();
        let now = self.clock.now();
        let notices = state.settle(now);
        let result = run(View::new(&mut state, caller, now));
        self.finish(state, notices)?;
        Ok(result)
    }

    /// Reads the state of all teams.
    pub(crate) fn read<T>(&self, run: impl FnOnce(&State) -> T) -> Result<T, Error> {
        let mut state = self.lock();
        let notices = state.settle(self.clock.now());
        let result = run(&state);
        self.finish(state, notices)?;
        Ok(result)
    }

    /// Changes the state of all teams, and stores the changes.
    pub(crate) fn change<T>(&self, run: impl FnOnce(&mut State) -> T) -> Result<T, Error> {
        let mut state = self.lock();
        let notices = state.settle(self.clock.now());
        let result = run(&mut state);
        self.finish(state, notices)?;
        self.hub.touch();
        Ok(result)
    }

    /// Advances the workflows to the present, and returns the time of the next step.
    pub(crate) fn settle(&self) -> Result<Option<i64>, Error> {
        self.read(|state| state.workflows.next_due())
    }

    fn finish(&self, mut state: MutexGuard<'_, State>, mut notices: Vec<Notice>) -> Result<(), Error> {
        notices.append(&mut state.take_notices());
        let changed = state.has_changed_work();
        self.commit(&mut state)?;
        let is_full = std::mem::take(&mut state.is_full);
        // Sent while the state is locked, so that notices come in the order of the changes.
        self.hub.publish(notices);
        drop(state);
        if changed {
            self.hub.touch();
            self.clock.nudge();
        }
        if is_full { Err(Error::Full) } else { Ok(()) }
    }

    /// On a failure, the changes are rolled back in memory, too.
    fn commit(&self, state: &mut State) -> Result<(), Error> {
        let written = state.write(&self.data);
        if written.is_err() {
            *state = State::read(&self.data)?;
        }
        written
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
