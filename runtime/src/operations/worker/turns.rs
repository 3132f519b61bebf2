//! Slots that several groups take turns for.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::Bound,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// A number of slots. Groups that wait for one take turns; within a group, the first that came is first.
pub(super) struct Turns<K: Ord + Clone>(Mutex<State<K>>);

struct State<K: Ord + Clone> {
    free: usize,
    waiting: BTreeMap<K, VecDeque<oneshot::Sender<TurnSlot<K>>>>,
    /// The group that had its turn last.
    last: Option<K>,
}

/// A slot. When it is dropped, the next one gets it.
pub(super) struct TurnSlot<K: Ord + Clone>(Option<Arc<Turns<K>>>);

impl<K: Ord + Clone> Turns<K> {
    pub(super) fn new(places: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State { free: places, waiting: BTreeMap::new(), last: None })))
    }

    fn state(&self) -> MutexGuard<'_, State<K>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot for one of a group.
    pub(super) async fn take(self: &Arc<Self>, group: &K) -> TurnSlot<K> {
        let turn = {
            let mut state = self.state();
            if state.free > 0 && state.waiting.is_empty() {
                state.free -= 1;
                state.last = Some(group.clone());
                return TurnSlot(Some(Arc::clone(self)));
            }
            let (sender, turn) = oneshot::channel();
            state.waiting.entry(group.clone()).or_default().push_back(sender);
            turn
        };
        // A sender is dropped only with its slot.
        turn.await.unwrap_or(TurnSlot(None))
    }

    /// Removes the next waiting one.
    fn next(&self) -> Option<oneshot::Sender<TurnSlot<K>>> {
        let mut state = self.state();
        let after = match &state.last {
            None => Bound::Unbounded,
            Some(last) => Bound::Excluded(last.clone()),
        };
        let next = state.waiting.range((after, Bound::Unbounded)).next().map(|(group, _)| group.clone());
        let Some(group) = next.or_else(|| state.waiting.keys().next().cloned()) else {
            state.free += 1;
            return None;
        };
        let queue = state.waiting.get_mut(&group)?;
        let sender = queue.pop_front();
        if queue.is_empty() {
            state.waiting.remove(&group);
        }
        state.last = Some(group);
        sender
    }
}

impl<K: Ord + Clone> Drop for TurnSlot<K> {
    fn drop(&mut self) {
        let Some(turns) = self.0.take() else { return };
        while let Some(sender) = turns.next() {
            match sender.send(Self(Some(Arc::clone(&turns)))) {
                Ok(()) => return,
                // The waiting one was dropped: the slot is passed on here, and not in its own drop.
                Err(mut slot) => slot.0 = None,
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn groups_take_turns_and_those_who_went_away_keep_no_place() {
        let turns = Turns::new(1);
        let first = turns.take(&'a').await;
        let order = Arc::new(Mutex::new(String::new()));
        let mut tasks = Vec::new();
        for group in ['a', 'a', 'a', 'b', 'c', 'b'] {
            let (turns, order) = (Arc::clone(&turns), Arc::clone(&order));
            tasks.push(tokio::spawn(async move {
                let slot = turns.take(&group).await;
                order.lock().expect("a lock").push(group);
                drop(slot);
            }));
            tokio::task::yield_now().await;
        }
        // The second of `b` is dropped before its turn.
        tasks.pop().expect("a task").abort();
        tokio::task::yield_now().await;
        drop(first);
        for task in tasks {
            task.await.expect("it ends");
        }
        assert_eq!(*order.lock().expect("a lock"), "bcaaa");
        assert_eq!(turns.state().free, 1);
        drop(turns.take(&'b').await);
        assert_eq!(turns.state().free, 1);
    }
}
