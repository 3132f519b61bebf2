//! The total size of the queues of one client.
//!
//! A queue bounds itself, but a program may leave thousands of subscriptions unread.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};

/// The sizes of all queues. A queue updates its own entry while it has its own lock, and never the other way round.
#[derive(Debug)]
pub(super) struct Total<Q> {
    limit: usize,
    state: Mutex<TotalState<Q>>,
}

#[derive(Debug)]
struct TotalState<Q> {
    last: u64,
    bytes: usize,
    queues: HashMap<u64, (usize, Weak<Q>)>,
    /// The same, ordered: the last one is the largest.
    by_size: BTreeSet<(usize, u64)>,
}

impl<Q> Total<Q> {
    pub(super) fn new(limit: usize) -> Self {
        let state = TotalState { last: 0, bytes: 0, queues: HashMap::new(), by_size: BTreeSet::new() };
        Self { limit, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, TotalState<Q>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an entry for an empty queue.
    pub(super) fn join(&self, queue: Weak<Q>) -> u64 {
        let mut state = self.state();
        state.last += 1;
        let line = state.last;
        state.queues.insert(line, (0, queue));
        line
    }

    /// Updates the size of a queue.
    pub(super) fn set(&self, line: u64, bytes: usize) {
        let mut state = self.state();
        let Some((size, _)) = state.queues.get_mut(&line) else { return };
        let before = std::mem::replace(size, bytes);
        if before != bytes {
            state.move_line(line, before, bytes);
        }
    }

    pub(super) fn leave(&self, line: u64) {
        self.state().remove(line);
    }

    /// Returns the largest queue, while the total is too large.
    pub(super) fn largest(&self) -> Option<Arc<Q>> {
        let mut state = self.state();
        while state.bytes > self.limit {
            let (_, line) = *state.by_size.last()?;
            match state.queues.get(&line).and_then(|(_, queue)| queue.upgrade()) {
                Some(queue) => return Some(queue),
                // It is being dropped, and its messages with it.
                None => state.remove(line),
            }
        }
        None
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.state().bytes
    }
}

impl<Q> TotalState<Q> {
    fn move_line(&mut self, line: u64, before: usize, after: usize) {
        self.by_size.remove(&(before, line));
        if after > 0 {
            self.by_size.insert((after, line));
        }
        self.bytes = self.bytes.saturating_sub(before).saturating_add(after);
    }

    fn remove(&mut self, line: u64) {
        if let Some((bytes, _)) = self.queues.remove(&line) {
            self.move_line(line, bytes, 0);
        }
    }
}
