//! What waits for the consumer of a subscription.

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

/// A place in a subscription where the messages before and after do not simply follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// The consumer was slow: that many of the oldest messages were dropped.
    Overflow {
        /// How many.
        dropped: u64,
    },
    /// The connection was replaced by one with a fresh token. Nothing is known to be lost; what comes next may repeat what came
    /// before.
    Renewed,
}

/// One thing that a consumer finds.
#[derive(Debug)]
pub(super) enum Item {
    Next(Bytes),
    Gap(Gap),
}

/// What a subscription holds until it ends: those who hold one are counted.
pub(super) type Seat = Arc<()>;

/// Tells the task that a subscription sits at that its consumer has gone.
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
/// Gaps are not entries of the buffer but marks between them: they merge, take no room, and cannot be dropped with a message.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<QueueState>,
    messages: usize,
    bytes: usize,
    total: Arc<Total<Queue>>,
    /// Its line in the total.
    line: u64,
}

#[derive(Debug, Default)]
struct QueueState {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// How many messages were dropped before those that wait.
    dropped: u64,
    /// Whether one of those that were dropped came after a renewal.
    dropped_renewed: bool,
    /// Whether a renewal comes after those that wait.
    renewed: bool,
    /// The socket that may end the subscription.
    epoch: u64,
    seat: Option<Seat>,
    leave: Option<Leave>,
    end: Option<Option<Error>>,
    ended: bool,
    waker: Option<Waker>,
}

#[derive(Debug)]
struct Waiting {
    message: Bytes,
    /// Whether a renewal lies between this message and the one before it.
    renewed: bool,
}

impl Waiting {
    /// What it takes up, beside its own bytes the place in the queue: empty messages are not free.
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

    /// Adds a message, and drops the oldest ones where there is no room: here, or in the queue of this client that holds most.
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

    /// Drops the oldest message, so that others have room.
    fn shed(&self) {
        let mut state = self.state();
        state.drop_oldest();
        self.total.set(self.line, state.bytes);
    }

    /// Gives the subscription to another socket. `false`: it has ended.
    pub(super) fn move_to(&self, epoch: u64, renewed: bool) -> bool {
        let mut state = self.state();
        state.epoch = epoch;
        if renewed && !state.ended {
            state.renewed = true;
            state.wake();
        }
        !state.ended
    }

    /// Ends the subscription, provided that the socket still has it.
    pub(super) fn end(&self, epoch: u64, error: Option<Error>) {
        let mut state = self.state();
        if state.epoch == epoch {
            state.finish(error);
        }
    }

    /// Ends the subscription, whoever has it.
    pub(super) fn fail(&self, error: Error) {
        self.state().finish(Some(error));
    }

    /// Gives the subscription a seat in place of the one that it has. `false`: it has ended.
    pub(super) fn sit(&self, seat: Seat, leave: Leave) -> bool {
        let mut state = self.state();
        if !state.ended {
            state.seat = Some(seat);
            state.leave = Some(leave);
        }
        !state.ended
    }

    /// The consumer has gone: nothing is kept for it. Returns what tells the place where the subscription sat last.
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

    /// What the consumer has to know before the next message.
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
            self.seat = None;
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

/// The side of a queue that is written to.
///
/// Each place that may still write or end the subscription holds one: a request that nobody has read yet, a route of a
/// socket, a task. When the last of them is gone, the subscription has ended, whatever took them away: a runtime that is shut
/// down drops tasks in the middle of their work.
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
