//! Expected counts of requests, and the requests that nearly match.

use serde::Serialize;

/// The maximum number of near misses that are kept.
const NEAREST: usize = 3;

/// A request that meets some criteria of a filter, and not all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NearMiss {
    /// The number in the journal, which a request gets with its answer.
    pub number: Option<u64>,
    /// The method.
    pub method: String,
    /// The path.
    pub path: String,
    /// The criteria that it does not meet, such as `header "accept" is missing`.
    pub differences: Vec<String>,
}

impl NearMiss {
    /// Adds a near miss to others, and keeps the nearest of them, newest first.
    pub fn add(self, nearest: &mut Vec<Self>) {
        nearest.insert(0, self);
        nearest.sort_by_key(|near| near.differences.len());
        nearest.truncate(NEAREST);
    }
}

/// The expected number of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    least: usize,
    most: usize,
}

impl Expected {
    /// Expects exactly this number.
    pub fn exactly(count: usize) -> Self {
        Self { least: count, most: count }
    }

    /// Expects this number or more.
    pub fn at_least(count: usize) -> Self {
        Self { least: count, most: usize::MAX }
    }

    /// Expects a number from `least` to `most`.
    pub fn between(least: usize, most: usize) -> Self {
        Self { least, most }
    }

    pub(super) fn is_met_by(self, count: usize) -> bool {
        (self.least..=self.most).contains(&count)
    }
}

/// The result of [`Requests::verify`](super::Requests::verify).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The number of matching requests in the journal.
    pub count: usize,
    /// `true` if the count is as expected.
    pub is_satisfied: bool,
    /// `true` if the journal still holds every request since it was cleared.
    pub is_complete: bool,
    /// If fewer requests than expected match: those that nearly match, the nearest first.
    pub near_misses: Vec<NearMiss>,
}
