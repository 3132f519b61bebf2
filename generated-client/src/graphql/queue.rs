//! What waits for the consumer of a subscription.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;

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

/// The bounded buffer between the task of a socket, which never waits, and one consumer.
#[derive(Debug)]
pub(super) struct Queue {
    state: Mutex<State>,
    messages: usize,
    bytes: usize,
}

#[derive(Debug, Default)]
struct State {
    items: VecDeque<Item>,
    bytes: usize,
    dropped: u64,
    /// The socket that may end the subscription.
    epoch: u64,
    end: Option<Option<Error>>,
    ended: bool,
    waker: Option<Waker>,
}

impl Queue {
    pub(super) fn new(messages: usize, bytes: usize) -> Self {
        Self { state: Mutex::default(), messages, bytes }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a message, and drops the oldest ones where there is no room.
    pub(super) fn push(&self, message: Bytes) {
        let mut state = self.state();
        if state.ended {
            return;
        }
        state.bytes += message.len();
        state.items.push_back(Item::Next(message));
        while state.items.len() > 1 && (state.items.len() > self.messages || state.bytes > self.bytes) {
            if let Some(Item::Next(oldest)) = state.items.pop_front() {
                state.bytes -= oldest.len();
                state.dropped += 1;
            }
        }
        state.wake();
    }

    /// Gives the subscription to another socket. `false`: it has ended.
    pub(super) fn move_to(&self, epoch: u64, renewed: bool) -> bool {
        let mut state = self.state();
        state.epoch = epoch;
        if renewed && !state.ended {
            state.items.push_back(Item::Gap(Gap::Renewed));
            state.wake();
        }
        !state.ended
    }

    /// Ends the subscription, provided that the socket still has it.
    pub(super) fn end(&self, epoch: u64, error: Option<Error>) {
        let mut state = self.state();
        if state.epoch == epoch && !state.ended {
            state.ended = true;
            state.end = Some(error);
            state.wake();
        }
    }

    pub(super) fn poll(&self, context: &Context<'_>) -> Poll<Option<Result<Item, Error>>> {
        let mut state = self.state();
        if state.dropped > 0 {
            let dropped = std::mem::take(&mut state.dropped);
            return Poll::Ready(Some(Ok(Item::Gap(Gap::Overflow { dropped }))));
        }
        if let Some(item) = state.items.pop_front() {
            if let Item::Next(message) = &item {
                state.bytes -= message.len();
            }
            return Poll::Ready(Some(Ok(item)));
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

impl State {
    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}
