//! The state of one watched operation, and its transitions. No input or output, so that every rule can be tested alone.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use super::{Binding, Observation, ObservationSource, OperationOutcome, OperationState, WatchOptions, binding::text};
use crate::{Value, clock::Until};

/// The consequence of a push.
#[derive(Debug, PartialEq)]
pub(super) enum Push {
    /// It has no news.
    Nothing,
    /// It is progress, as far as a push can tell.
    Report(Box<Observation>),
    /// It needs the confirmation of a query.
    Confirm,
}

#[derive(Debug)]
pub(super) struct Tracker {
    binding: &'static Binding,
    options: WatchOptions,
    /// The time since when the operation is invisible; its acceptance, when tracking begins.
    hidden_since: Instant,
    /// The last report: the service's state and its meaning.
    last: Option<Observation>,
    rank: usize,
    events: BTreeSet<String>,
    /// A final state that a query has confirmed.
    confirmed: Option<(Observation, Instant)>,
    unknown: Option<(String, Instant)>,
    /// The last push reported the end.
    pushed_end: bool,
    gap: bool,
    seen: bool,
}

impl Tracker {
    /// Begins to track an operation that was accepted some time ago.
    pub(super) fn new(binding: &'static Binding, options: WatchOptions, age: Duration, now: Instant) -> Self {
        Self {
            binding,
            options,
            hidden_since: now.checked_sub(age).unwrap_or(now),
            last: None,
            rank: 0,
            events: BTreeSet::new(),
            confirmed: None,
            unknown: None,
            pushed_end: false,
            gap: false,
            seen: false,
        }
    }

    /// Records that events may have been missed.
    pub(super) fn mark_gap(&mut self) {
        self.gap = true;
    }

    /// Returns whether a change is near: the state is final and events are missing, or a state was pushed that needs
    /// confirmation.
    pub(super) fn is_restless(&self) -> bool {
        self.confirmed.is_some() || self.pushed_end || !self.seen
    }

    /// Takes the data of a query. Returns the observation if it is news.
    pub(super) fn query(&mut self, data: Value, now: Instant) -> Option<Observation> {
        let raw = data.pointer(self.binding.state).and_then(text);
        let state = raw.as_deref().map_or(OperationState::NotVisible, |raw| self.binding.states.read(raw));
        let news = match self.binding.events {
            Some(events) => self.add(events.names(&data, events.list)),
            None => false,
        };
        if state == OperationState::NotVisible {
            // An operation that was visible and no longer is counts as hidden anew.
            if self.seen {
                self.seen = false;
                self.hidden_since = now;
            }
        } else {
            self.seen = true;
        }
        self.unknown = match (state, self.unknown.take()) {
            (OperationState::Unknown, Some((known, since))) if Some(&known) == raw.as_ref() => Some((known, since)),
            (OperationState::Unknown, _) => raw.clone().map(|raw| (raw, now)),
            _ => None,
        };
        if let Some((confirmed, _)) = &self.confirmed {
            // A final state stays: a response without it is an old one. New events still count.
            let mut again = confirmed.clone();
            again.data = data;
            again.at = super::time::millis(std::time::SystemTime::now());
            return news.then(|| self.report(again));
        }
        let same = self.last.as_ref().is_some_and(|last| last.state == state && last.raw == raw);
        let observation = Observation::new(state, raw, ObservationSource::Query, data);
        if state.is_final() {
            // It is reported even if a push has reported the same: this one is authoritative.
            let observation = self.report(observation);
            self.confirmed = Some((observation.clone(), now));
            return Some(observation);
        }
        (!same || news || self.gap).then(|| self.report(observation))
    }

    /// Takes the data of a push.
    pub(super) fn push(&mut self, data: Value) -> Push {
        let news = match self.binding.events {
            Some(events) => events.pushed.is_some_and(|pointer| self.add(events.names(&data, pointer))),
            None => false,
        };
        let raw = self.binding.pushed_state.and_then(|pointer| data.pointer(pointer)).and_then(text);
        if let Some((confirmed, _)) = &self.confirmed {
            let mut again = confirmed.clone();
            again.source = ObservationSource::Push;
            return if news { Push::Report(Box::new(self.report(again))) } else { Push::Nothing };
        }
        let Some(raw) = raw else {
            // Without a state it only triggers a query.
            return Push::Confirm;
        };
        let state = self.binding.states.read(&raw);
        self.pushed_end = state.is_final();
        if state != OperationState::Pending {
            return Push::Confirm;
        }
        let rank = self.binding.states.rank(&raw);
        let same = self.last.as_ref().is_some_and(|last| last.raw.as_deref() == Some(&raw));
        if (same || rank < self.rank) && !news {
            return Push::Nothing;
        }
        let (state, raw) = match &self.last {
            // An old message with a new event does not move the state back.
            Some(last) if rank < self.rank => (last.state, last.raw.clone()),
            _ => (state, Some(raw)),
        };
        Push::Report(Box::new(self.report(Observation::new(state, raw, ObservationSource::Push, data))))
    }

    fn add(&mut self, names: Vec<String>) -> bool {
        let before = self.events.len();
        self.events.extend(names);
        self.events.len() > before
    }

    fn report(&mut self, mut observation: Observation) -> Observation {
        observation.events.clone_from(&self.events);
        observation.gap = std::mem::take(&mut self.gap);
        if let Some(raw) = &observation.raw {
            self.rank = self.binding.states.rank(raw);
        }
        if observation.state == OperationState::Unknown {
            tracing::warn!(
                kind = self.binding.kind,
                "the operation is in a state that the configuration does not know"
            );
        }
        self.last = Some(observation.clone());
        observation
    }

    fn missing(&self) -> Vec<String> {
        let required = self.binding.events.map_or(&[][..], |events| events.required);
        required.iter().filter(|name| !self.events.contains(**name)).map(|name| (*name).to_owned()).collect()
    }

    /// Returns the outcome, if it has ended.
    pub(super) fn outcome(&self, now: Instant) -> Option<OperationOutcome> {
        if let Some((last, since)) = &self.confirmed {
            let mut last = last.clone();
            last.events.clone_from(&self.events);
            return match last.state {
                OperationState::Failed => Some(OperationOutcome::Failed(last)),
                OperationState::Cancelled => Some(OperationOutcome::Cancelled(last)),
                _ => match self.missing() {
                    missing if missing.is_empty() => Some(OperationOutcome::Succeeded(last)),
                    missing => Until::from(*since, self.options.events)
                        .is_over(now)
                        .then_some(OperationOutcome::EventsMissing { last, missing }),
                },
            };
        }
        let (_, since) = self.unknown.as_ref()?;
        let last = self.last.clone()?;
        Until::from(*since, self.options.unknown).is_over(now).then_some(OperationOutcome::UnknownState(last))
    }

    /// Returns whether the operation should have become visible.
    pub(super) fn is_missing(&self, now: Instant) -> bool {
        !self.seen && self.confirmed.is_none() && self.visible_by().is_over(now)
    }

    fn visible_by(&self) -> Until {
        Until::from(self.hidden_since, self.options.visibility)
    }

    /// Returns the time at which the outcome changes without an observation.
    pub(super) fn next_change(&self) -> Until {
        if let Some((_, since)) = &self.confirmed {
            return Until::from(*since, self.options.events);
        }
        if !self.seen {
            return self.visible_by();
        }
        self.unknown.as_ref().map_or(Until::NEVER, |(_, since)| Until::from(*since, self.options.unknown))
    }

    /// Returns the outcome if the deadline passes now.
    pub(super) fn at_deadline(&self) -> OperationOutcome {
        let Some(last) = &self.last else { return OperationOutcome::StillRunning(None) };
        let required = self.binding.events.is_some_and(|events| !events.required.is_empty());
        let mut last = last.clone();
        last.events.clone_from(&self.events);
        match (&self.confirmed, self.missing()) {
            (Some(_), missing) if !missing.is_empty() => OperationOutcome::EventsMissing { last, missing },
            (None, missing) if required && missing.is_empty() => OperationOutcome::StateMissing(last),
            _ if last.state == OperationState::Unknown => OperationOutcome::UnknownState(last),
            _ => OperationOutcome::StillRunning(Some(last)),
        }
    }
}

#[cfg(test)]
mod tests;
