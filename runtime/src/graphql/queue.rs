//! The buffer for the consumer of a subscription.

#[cfg(test)]
mod tests;

use std::{
    collections::VecDeque,
    fmt,
    mem::take,
    ops::Deref,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;

use super::{close, total::Total};
use crate::Error;

/// A position in a subscription at which messages may be missing or repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// The consumer was slow: this many of the oldest messages were dropped.
    Overflow {
        /// Their number.
        dropped: u64,
    },
    /// The connection was replaced by one with a fresh token. No loss is known; the next messages may repeat earlier
    /// ones.
    Renewed,
}

/// An item for the consumer.
#[derive(Debug)]
pub(super) enum Item {
    Next(Bytes),
    Gap(Gap),
}

/// The lease of a subscription until it ends: leases are counted.
pub(super) type SubscriptionLease = Arc<()>;

/// Notifies the task of a subscription that its consumer was dropped.
pub(super) struct Leave(Box<dyn FnOnce() + Send>);

impl Leave {
    pub(super) fn new(leave: impl FnOnce() + Send + 'static) -> Self {
        Self(Box::new(leave))
    }

    pub(super) fn leave(self) {
        (self.0)();
    }
}

impl fmt::Debug for Leave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Leave")
    }
}

/// The bounded buffer between the task of a socket, which never waits, and one consumer.
///
/// Gaps are not entries of the buffer but marks between them: they merge, take no room, and cannot be dropped with a
/// message.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<QueueState>,
    messages: usize,
    bytes: usize,
    total: Arc<Total<Queue>>,
    /// Its entry in the total.
    line: u64,
}

#[derive(Debug, Default)]
struct QueueState {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// The number of messages that were dropped before the buffered ones.
    dropped: u64,
    /// One of the dropped messages came after a renewal.
    dropped_renewed: bool,
    /// A renewal comes after the buffered messages.
    renewed: bool,
    /// The socket that may end the subscription.
    epoch: u64,
    lease: Option<SubscriptionLease>,
    leave: Option<Leave>,
    end: Option<Option<Error>>,
    ended: bool,
    waker: Option<Waker>,
}

#[derive(Debug)]
struct Waiting {
    message: Bytes,
    /// A renewal is between this message and the one before it.
    renewed: bool,
}

impl Waiting {
    /// Returns its size, including its entry in the queue: empty messages are not free.
    fn cost(&self) -> usize {
        self.message.len().saturating_add(size_of::<Self>())
    }
}

impl Queue {
    pub(super) fn new(messages: usize, bytes: usize, total: Arc<Total<Self>>) -> Arc<Self> {
        Arc::new_cyclic(|queue| {
            let line = total.join(queue.clone());
            Self { state: Mutex::default(), messages, bytes, total, line }
        })
    }

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message, and drops the oldest ones if there is no room: here, or in the client's largest queue.
    pub(super) fn push(&self, message: Bytes) {
        let mut state = self.state();
        if state.ended {
            return;
        }
        let waiting = Waiting { message, renewed: take(&mut state.renewed) };
        state.bytes += waiting.cost();
        state.waiting.push_back(waiting);
        while state.waiting.len() > 1 && (state.waiting.len() > self.messages || state.bytes > self.bytes) {
            state.drop_oldest();
        }
        self.total.set(self.line, state.bytes);
        state.wake();
        drop(state);
        while let Some(largest) = self.total.largest() {
            largest.shed();
        }
    }

    /// Drops the oldest message, to make room for others.
    fn shed(&self) {
        let mut state = self.state();
        state.drop_oldest();
        self.total.set(self.line, state.bytes);
    }

    /// Moves the subscription to another socket. Returns `false` if it has ended.
    pub(super) fn move_to(&self, epoch: u64, renewed: bool) -> bool {
        let mut state = self.state();
        state.epoch = epoch;
        if renewed && !state.ended {
            state.renewed = true;
            state.wake();
        }
        !state.ended
    }

    /// Ends the subscription, if it still belongs to the socket.
    pub(super) fn end(&self, epoch: u64, error: Option<Error>) {
        let mut state = self.state();
        if state.epoch == epoch {
            state.finish(error);
        }
    }

    /// Ends the subscription on any socket.
    pub(super) fn fail(&self, error: Error) {
        self.state().finish(Some(error));
    }

    /// Replaces the lease of the subscription. Returns `false` if it has ended.
    pub(super) fn set_lease(&self, lease: SubscriptionLease, leave: Leave) -> bool {
        let mut state = self.state();
        if !state.ended {
            state.lease = Some(lease);
            state.leave = Some(leave);
        }
        !state.ended
    }

    /// Closes it, since the consumer was dropped. Returns the notifier of the task that had the subscription last.
    pub(super) fn close(&self) -> Option<Leave> {
        let mut state = self.state();
        state.finish(None);
        state.waiting = VecDeque::new();
        state.bytes = 0;
        self.total.set(self.line, 0);
        state.leave.take()
    }

    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Option<Result<Item, Error>>> {
        let mut state = self.state();
        if let Some(gap) = state.gap() {
            return Poll::Ready(Some(Ok(Item::Gap(gap))));
        }
        if let Some(waiting) = state.waiting.pop_front() {
            state.bytes -= waiting.cost();
            self.total.set(self.line, state.bytes);
            return Poll::Ready(Some(Ok(Item::Next(waiting.message))));
        }
        match state.end.take() {
            Some(Some(error)) => Poll::Ready(Some(Err(error))),
            Some(None) => Poll::Ready(None),
            None if state.ended => Poll::Ready(None),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.total.leave(self.line);
    }
}

impl QueueState {
    fn drop_oldest(&mut self) {
        if let Some(waiting) = self.waiting.pop_front() {
            self.bytes -= waiting.cost();
            self.dropped = self.dropped.saturating_add(1);
            self.dropped_renewed |= waiting.renewed;
        }
    }

    /// Returns the gap before the next message.
    fn gap(&mut self) -> Option<Gap> {
        if self.dropped > 0 {
            return Some(Gap::Overflow { dropped: take(&mut self.dropped) });
        }
        let next = self.waiting.front_mut().map_or(&mut self.renewed, |waiting| &mut waiting.renewed);
        let renewed = take(next);
        (take(&mut self.dropped_renewed) || renewed).then_some(Gap::Renewed)
    }

    fn finish(&mut self, error: Option<Error>) {
        if !self.ended {
            self.ended = true;
            self.lease = None;
            self.end = Some(error);
            self.wake();
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// The writing side of a queue.
///
/// Each part that may still write or end the subscription has one: an unread request, a route of a socket, a task. When
/// the last of them is dropped, the subscription has ended, for whatever reason: a runtime that is shut down drops
/// tasks in the middle of their work.
#[derive(Debug)]
pub(super) struct Feed(Arc<Queue>);

impl Feed {
    pub(super) fn new(queue: &Arc<Queue>) -> Arc<Self> {
        Arc::new(Self(Arc::clone(queue)))
    }
}

impl Deref for Feed {
    type Target = Queue;

    fn deref(&self) -> &Queue {
        &self.0
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.0.fail(close::gone());
    }
}
