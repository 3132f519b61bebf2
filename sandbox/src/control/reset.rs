//! Resetting parts of a sandbox to their state at the start.

use std::sync::Arc;

use serde::Deserialize;

use crate::error::Error;
use crate::fault::Rules;
use crate::issuer::Issuer;
use crate::publication::Publication;
use crate::requests::Log;
use crate::state::Store;

/// A part of a sandbox that can be reset on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Part {
    /// Resources and asynchronous work: back to the seed.
    State,
    /// Pending faults of requests and of events.
    Faults,
    /// The clock: back to real time and its pace.
    Clock,
    /// The issuer: settings, codes, refresh tokens, API tokens and sessions. Keys, secrets and access tokens stay.
    Issuer,
    /// The journal of requests, and their counts.
    Requests,
    /// The setting that the contract requires a token.
    Contract,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 6] = [Self::Clock, Self::State, Self::Faults, Self::Issuer, Self::Contract, Self::Requests];
}

/// Everything that can be reset.
#[derive(Clone, Debug)]
pub(crate) struct Resets {
    pub(crate) store: Arc<Store>,
    pub(crate) faults: Arc<Rules>,
    pub(crate) issuer: Arc<Issuer>,
    pub(crate) log: Arc<Log>,
    pub(crate) publication: Publication,
}

impl Resets {
    pub(crate) fn reset(&self, parts: &[Part]) -> Result<(), Error> {
        // Resets in this order, whatever the order of the names: seeding the state reads the clock.
        for part in Part::ALL.into_iter().filter(|part| parts.contains(part)) {
            match part {
                Part::Clock => self.store.clock().reset(),
                Part::State => self.store.reset()?,
                Part::Faults => self.faults.clear(),
                Part::Issuer => self.issuer.reset()?,
                Part::Contract => self.publication.reset(),
                Part::Requests => self.log.clear(),
            }
        }
        Ok(())
    }
}
