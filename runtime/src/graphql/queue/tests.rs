//! Every order of events up to a length, against a model that remembers all of them.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use bytes::Bytes;

use super::{Feed, Gap, Item, Queue, Waiting};
use crate::graphql::total::Total;

/// The events of a queue.
#[derive(Clone, Copy, Debug)]
enum Event {
    Push,
    /// Another queue of the client gets more than all of them may hold, unless this one drops messages.
    Elsewhere,
    Renew,
    Read,
    /// The replaced socket ends it, or fails.
    OldEnd,
    End,
}

const EVENTS: [Event; 6] = [Event::Push, Event::Elsewhere, Event::Renew, Event::Read, Event::OldEnd, Event::End];

#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The messages that were written, and the consumer's knowledge of them.
#[derive(Default)]
struct Model {
    /// For each message that was pushed, whether a renewal is right before it.
    written: Vec<bool>,
    /// A renewal comes after them.
    renewed: bool,
    /// The number of messages that the consumer has seen or knows to be lost.
    known: usize,
    ended: bool,
    seen_end: bool,
    waits: bool,
}

struct Run {
    queue: Arc<Queue>,
    other: Arc<Queue>,
    model: Model,
    epoch: u64,
    flag: Arc<Flag>,
}

const WIDTH: usize = 10;

impl Run {
    fn new(limit: usize) -> Self {
        let cost = WIDTH + size_of::<Waiting>();
        let total = Arc::new(Total::new(limit * cost));
        // Of two with the same size, the later one drops messages.
        let other = Queue::new(100, 100 * cost, Arc::clone(&total));
        let queue = Queue::new(2, 100 * cost, total);
        assert!(queue.move_to(1, false));
        Self { queue, other, model: Model::default(), epoch: 1, flag: Arc::default() }
    }

    fn apply(&mut self, event: Event) {
        let before = self.flag.0.swap(false, Ordering::SeqCst);
        assert!(!before);
        match event {
            Event::Push => {
                self.queue.push(message(self.model.written.len()));
                if !self.model.ended {
                    self.model.written.push(std::mem::take(&mut self.model.renewed));
                    self.wakes();
                }
            }
            Event::Elsewhere => {
                for _ in 0..2 {
                    self.other.push(message(0));
                }
                while !matches!(poll(&self.other, &Arc::default()), Poll::Pending) {}
                assert!(!self.flag.0.load(Ordering::SeqCst));
            }
            Event::Renew => {
                self.epoch += 1;
                assert_eq!(self.queue.move_to(self.epoch, true), !self.model.ended);
                if !self.model.ended {
                    self.model.renewed = true;
                    self.wakes();
                }
            }
            Event::Read => self.read(),
            Event::OldEnd => {
                self.queue.end(self.epoch - 1, None);
                assert!(!self.flag.0.load(Ordering::SeqCst), "a socket that was replaced ends nothing");
            }
            Event::End => {
                self.queue.end(self.epoch, None);
                if !self.model.ended {
                    self.model.ended = true;
                    self.wakes();
                }
            }
        }
    }

    fn wakes(&mut self) {
        assert_eq!(self.flag.0.swap(false, Ordering::SeqCst), std::mem::take(&mut self.model.waits));
    }

    fn read(&mut self) {
        let model = &mut self.model;
        let pending = model.written.len() - model.known;
        match poll(&self.queue, &self.flag) {
            Poll::Ready(Some(Ok(Item::Gap(Gap::Overflow { dropped })))) => {
                let dropped = usize::try_from(dropped).unwrap();
                assert!((1..=pending).contains(&dropped));
                // A renewal among the lost messages has still to be reported.
                if model.written[model.known..model.known + dropped].contains(&true) {
                    let next = model.written.get_mut(model.known + dropped).unwrap_or(&mut model.renewed);
                    *next = true;
                }
                model.known += dropped;
            }
            Poll::Ready(Some(Ok(Item::Gap(Gap::Renewed)))) => {
                let next = model.written.get_mut(model.known).unwrap_or(&mut model.renewed);
                assert!(std::mem::take(next), "there was a renewal, and it is reported once");
            }
            Poll::Ready(Some(Ok(Item::Next(received)))) => {
                assert_eq!(received, message(model.known), "a loss is reported before the next message");
                assert!(!model.written[model.known], "a renewal is reported before the next message");
                model.known += 1;
            }
            Poll::Ready(Some(Err(error))) => panic!("{error}"),
            Poll::Ready(None) => {
                assert!(model.ended && pending == 0 && !model.renewed, "everything is reported before the end");
                model.seen_end = true;
            }
            Poll::Pending => {
                assert!(!model.ended && pending == 0 && !model.renewed, "nothing is held back");
                model.waits = true;
            }
        }
    }
}

fn message(number: usize) -> Bytes {
    format!("{number:0WIDTH$}").into()
}

fn poll(queue: &Queue, flag: &Arc<Flag>) -> Poll<Option<Result<Item, crate::Error>>> {
    queue.poll(&Context::from_waker(&Waker::from(Arc::clone(flag))))
}

#[test]
fn a_reader_learns_of_every_loss_and_renewal_before_what_follows_whatever_happens_in_which_order() {
    const LENGTH: u32 = 6;
    let kinds = EVENTS.len();
    for (limit, number) in (1..=4).flat_map(|limit| (0..kinds.pow(LENGTH)).map(move |number| (limit, number))) {
        let (mut run, mut number) = (Run::new(limit), number);
        for _ in 0..LENGTH {
            run.apply(EVENTS[number % kinds]);
            number /= kinds;
        }
        // The rest is read to its end.
        run.apply(Event::End);
        for _ in 0..20 {
            run.read();
        }
        assert!(run.model.seen_end);
    }
}

#[test]
fn an_unread_queue_takes_no_more_for_any_number_of_renewals() {
    let queue = Queue::new(2, usize::MAX, Arc::new(Total::new(usize::MAX)));
    for epoch in 0..10_000 {
        queue.move_to(epoch, true);
    }
    assert!(matches!(poll(&queue, &Arc::default()), Poll::Ready(Some(Ok(Item::Gap(Gap::Renewed))))));
    assert!(matches!(poll(&queue, &Arc::default()), Poll::Pending));
}

#[test]
fn all_queues_of_a_client_hold_no_more_than_the_total_and_the_largest_gives_way() {
    let cost = 100 + size_of::<Waiting>();
    let total = Arc::new(Total::new(10 * cost));
    let queues: Vec<_> = (0..50).map(|_| Queue::new(1_000, usize::MAX, Arc::clone(&total))).collect();
    let bytes = || Bytes::from(vec![0; 100]);
    queues[0].push(bytes());
    for _ in 0..1_000 {
        queues[1].push(bytes());
        assert!(total.bytes() <= 10 * cost);
    }
    // A small queue keeps its messages.
    assert!(matches!(poll(&queues[0], &Arc::default()), Poll::Ready(Some(Ok(Item::Next(_))))));
    match poll(&queues[1], &Arc::default()) {
        Poll::Ready(Some(Ok(Item::Gap(Gap::Overflow { dropped })))) => assert_eq!(dropped, 1_000 - 9),
        other => panic!("{other:?}"),
    }
    for queue in &queues {
        queue.push(bytes());
        assert!(total.bytes() <= 10 * cost);
    }
    for queue in &queues[..25] {
        queue.close();
    }
    drop(queues);
    assert_eq!(total.bytes(), 0);
}

#[test]
fn a_subscription_that_nobody_feeds_any_more_ends_with_an_error() {
    let queue = Queue::new(2, usize::MAX, Arc::new(Total::new(usize::MAX)));
    let feed = Feed::new(&queue);
    let other = Arc::clone(&feed);
    feed.push(message(1));
    drop(feed);
    assert!(matches!(poll(&queue, &Arc::default()), Poll::Ready(Some(Ok(Item::Next(_))))));
    let flag = Arc::new(Flag::default());
    assert!(matches!(poll(&queue, &flag), Poll::Pending));
    drop(other);
    assert!(flag.0.load(Ordering::SeqCst), "the reader is woken");
    match poll(&queue, &flag) {
        Poll::Ready(Some(Err(error))) => assert!(error.is_socket() && error.is_retryable(), "{error}"),
        other => panic!("{other:?}"),
    }
    assert!(matches!(poll(&queue, &flag), Poll::Ready(None)));
}
