//! The decisions of a supervisor: answers of the stores and the time in, the next action out. No input or output, so
//! that every rule can be tested alone.

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]
mod tests;

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use super::share::{releases, shares};
use crate::{
    clock::Until,
    operations::{Demand, Instance, watch::Rest},
};

/// The number of entries that are forgotten in one step.
pub(super) const PURGED: u32 = 1000;
/// The intervals between purges of finished entries, the shortest and the longest.
const OFTEN: Duration = Duration::from_secs(1);
const RARELY: Duration = Duration::from_secs(3600);
/// The shortest time between two surveys, if turns are shorter.
const LEAST: Duration = Duration::from_millis(10);

/// A request of the supervisor to the task of an operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TaskRequest {
    #[default]
    Nothing,
    /// Others wait: give the slot up, unless the operation has ended.
    Yield,
    /// The kind is paused: give the slot up, unless the handler runs.
    LetGo,
}

/// The number of a slot's operation. None is used twice.
pub(super) type Ticket = u64;

/// A kind of a deployment.
pub(super) type Group = (usize, String);

/// A step for the supervisor. It returns the answer of the store to the plan, or nothing if the store failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Wait until the next round: this time, or an earlier [`Plan::wake`].
    Wait(Until),
    /// Register this program with the store.
    Enlist { source: usize },
    /// Release the leases of an earlier instance.
    Leave { source: usize, instance: Instance },
    /// Return operations that the store gave without the plan's knowledge.
    Recall { source: usize, instance: Instance },
    /// Forget entries that were finished longer ago than this.
    Purge { source: usize, age: Duration },
    /// Read from all stores which kinds are paused and how many operations wait.
    Survey,
    /// Claim at most so many operations of each kind.
    Claim { source: usize, instance: Instance, wanted: Vec<(String, usize)> },
}

/// The times and numbers of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlanSettings {
    pub(super) poll: Duration,
    pub(super) turn: Duration,
    pub(super) watching: usize,
    pub(super) retention: Option<Duration>,
}

/// The state of an operation, as far as its task has reported it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SlotState {
    pub(super) rest: Rest,
    /// It waits for its handler, or is with it.
    pub(super) ended: bool,
    pub(super) requested: TaskRequest,
}

/// A deployment, and this instance in its store.
#[derive(Debug)]
struct Source {
    kinds: Vec<String>,
    /// The time that an operation may need to end by time alone.
    patience: Duration,
    instance: Option<Instance>,
    /// The previous instance, whose leases were lost, until the store releases it.
    before: Option<Instance>,
    /// An answer of the store was lost: it may have given more operations than the plan knows.
    doubt: bool,
    purge_at: Until,
}

#[derive(Debug)]
struct Slot {
    group: Group,
    since: Instant,
}

/// A round asks each store once, then rests.
#[derive(Debug)]
enum Phase {
    Enlist(usize),
    Leave(usize),
    Recall(usize),
    Purge(usize),
    Survey,
    Claim(Claiming),
    Rest,
}

/// Free slots are filled evenly between deployments and kinds. Kinds of which a store had fewer leave theirs to others.
#[derive(Debug)]
struct Claiming {
    groups: Vec<Group>,
    counts: Vec<usize>,
    hungry: Vec<bool>,
    places: Vec<usize>,
    /// The next store to ask.
    source: usize,
}

#[derive(Debug)]
pub(super) struct Plan {
    settings: PlanSettings,
    sources: Vec<Source>,
    slots: BTreeMap<Ticket, Slot>,
    tickets: Ticket,
    phase: Phase,
    survey_at: Until,
    poll_at: Until,
    /// The claim in which each group last got an operation.
    last_given: HashMap<Group, u64>,
    claims: u64,
}

impl Plan {
    /// Begins with the kinds of each deployment, and the time that its operations may need to end by time alone.
    pub(super) fn new(settings: PlanSettings, sources: Vec<(Vec<String>, Duration)>, now: Instant) -> Self {
        let source = |(kinds, patience)| Source {
            kinds,
            patience,
            instance: None,
            before: None,
            doubt: false,
            purge_at: Until::at(now),
        };
        Self {
            settings,
            sources: sources.into_iter().map(source).collect(),
            slots: BTreeMap::new(),
            tickets: 0,
            phase: Phase::Enlist(0),
            survey_at: Until::at(now),
            poll_at: Until::NEVER,
            last_given: HashMap::new(),
            claims: 0,
        }
    }

    /// Returns the next action. `jitter`, from 0 to 1, keeps instances from polling at the same time.
    pub(super) fn next(&mut self, now: Instant, jitter: f64) -> Action {
        loop {
            match self.advance(now) {
                Some(action) => return action,
                None if matches!(self.phase, Phase::Rest) => {
                    let pause = self.settings.poll.min(crate::clock::LONGEST).mul_f64(0.75 + jitter / 4.0);
                    self.poll_at = Until::from(now, pause);
                    return Action::Wait(self.poll_at.min(self.survey_at));
                }
                None => {}
            }
        }
    }

    /// Begins a round: the deadline has passed, or something has happened.
    pub(super) fn wake(&mut self) {
        self.phase = Phase::Enlist(0);
    }

    /// Takes one step. Returns the action, if it has one.
    fn advance(&mut self, now: Instant) -> Option<Action> {
        match &mut self.phase {
            Phase::Rest => None,
            Phase::Enlist(index) => {
                let source = *index;
                self.phase = match self.sources.get(source) {
                    None => Phase::Survey,
                    Some(Source { instance: Some(_), .. }) => Phase::Recall(source),
                    Some(_) => {
                        self.phase = Phase::Leave(source);
                        return Some(Action::Enlist { source });
                    }
                };
                None
            }
            Phase::Leave(index) => {
                let source = *index;
                self.phase = Phase::Recall(source);
                // The store may count longer than this side: the previous instance's operations need not wait for that.
                let known = self.sources.get(source)?;
                let (instance, _) = known.before.zip(known.instance)?;
                Some(Action::Leave { source, instance })
            }
            Phase::Recall(index) => {
                let source = *index;
                self.phase = Phase::Purge(source);
                let instance = self.sources.get(source).filter(|source| source.doubt)?.instance?;
                Some(Action::Recall { source, instance })
            }
            Phase::Purge(index) => {
                let source = *index;
                self.phase = Phase::Enlist(source + 1);
                let age = self.settings.retention?;
                let known = self.sources.get_mut(source).filter(|source| source.purge_at.is_over(now))?;
                known.purge_at = Until::from(now, (age / 10).clamp(OFTEN, RARELY));
                Some(Action::Purge { source, age })
            }
            Phase::Survey => {
                self.phase = Phase::Claim(self.claiming());
                if !self.survey_at.is_over(now) {
                    return None;
                }
                self.survey_at = Until::from(now, self.settings.poll.min(self.settings.turn.max(LEAST)));
                Some(Action::Survey)
            }
            Phase::Claim(_) => self.claim(),
        }
    }

    fn claiming(&self) -> Claiming {
        let groups = self.groups();
        let counts: Vec<usize> = groups.iter().map(|group| self.tickets_of(group).count()).collect();
        let (hungry, places) = (vec![true; groups.len()], vec![0; groups.len()]);
        // Past the last store, as if a round of claims had just ended: the next step computes the shares.
        Claiming { groups, counts, hungry, places, source: self.sources.len() }
    }

    /// Returns the next claim, or ends the round.
    fn claim(&mut self) -> Option<Action> {
        let Phase::Claim(claiming) = &mut self.phase else { return None };
        if claiming.source >= self.sources.len() {
            let free = self.settings.watching.saturating_sub(self.slots.len());
            claiming.places = shares(free, &claiming.counts, &claiming.hungry);
            if claiming.places.iter().all(|places| *places == 0) {
                self.phase = Phase::Rest;
                return None;
            }
            claiming.source = 0;
        }
        let source = claiming.source;
        claiming.source += 1;
        let asked = claiming.groups.iter().zip(&claiming.places);
        let wanted: Vec<(String, usize)> = asked
            .filter(|((index, _), places)| *index == source && **places > 0)
            .map(|((_, kind), places)| (kind.clone(), *places))
            .collect();
        // Until an answer says otherwise, the store has none.
        for (((index, _), hungry), places) in claiming.groups.iter().zip(&mut claiming.hungry).zip(&claiming.places) {
            *hungry &= *index != source || *places == 0;
        }
        let instance = self.sources.get(source)?.instance?;
        (!wanted.is_empty()).then_some(Action::Claim { source, instance, wanted })
    }

    /// The program is registered.
    pub(super) fn enlisted(&mut self, source: usize, instance: Instance) {
        if let Some(source) = self.sources.get_mut(source) {
            source.instance = Some(instance);
            source.doubt = false;
        }
    }

    /// The leases of the instance are lost.
    pub(super) fn lost(&mut self, source: usize) {
        if let Some(source) = self.sources.get_mut(source)
            && let Some(instance) = source.instance.take()
        {
            source.before = Some(instance);
        }
    }

    /// The store has released the previous instance.
    pub(super) fn left(&mut self, source: usize) {
        if let Some(source) = self.sources.get_mut(source) {
            source.before = None;
        }
    }

    /// The store has no operation that the plan does not know.
    pub(super) fn recalled(&mut self, source: usize) {
        if let Some(source) = self.sources.get_mut(source) {
            source.doubt = false;
        }
    }

    /// So many entries were forgotten: there may be more if it was a whole step.
    pub(super) fn purged(&mut self, source: usize, count: u64, now: Instant) {
        if let Some(source) = self.sources.get_mut(source).filter(|_| count >= u64::from(PURGED)) {
            source.purge_at = Until::at(now);
        }
    }

    /// The store was asked for operations, and its answer was lost.
    pub(super) fn doubt(&mut self, source: usize) {
        if let Some(source) = self.sources.get_mut(source) {
            source.doubt = true;
        }
    }

    /// The store gave an operation of each of these kinds. Returns their tickets. A lost answer of an earlier claim is
    /// still in doubt.
    pub(super) fn claimed(&mut self, source: usize, kinds: &[String], now: Instant) -> Vec<Ticket> {
        self.claims += 1;
        let mut tickets = Vec::new();
        let mut given: HashMap<Group, usize> = HashMap::new();
        for kind in kinds {
            let group = (source, kind.clone());
            *given.entry(group.clone()).or_default() += 1;
            self.last_given.insert(group.clone(), self.claims);
            self.tickets += 1;
            self.slots.insert(self.tickets, Slot { group, since: now });
            tickets.push(self.tickets);
        }
        if let Phase::Claim(Claiming { groups, counts, hungry, places, .. }) = &mut self.phase {
            for (((group, counts), hungry), places) in groups.iter().zip(counts).zip(hungry).zip(places) {
                if group.0 == source && *places > 0 {
                    let count = given.get(group).copied().unwrap_or_default();
                    *counts += count;
                    *hungry = count >= *places;
                }
            }
        }
        tickets
    }

    /// The slot of an operation is free.
    pub(super) fn ended(&mut self, ticket: Ticket) {
        self.slots.remove(&ticket);
    }

    /// Releases operations of paused kinds, and has operations whose turn is over make room for those that wait. A group
    /// whose store failed has no demand.
    pub(super) fn surveyed(
        &self,
        demands: &HashMap<Group, Demand>,
        states: &HashMap<Ticket, SlotState>,
        now: Instant,
    ) -> Vec<(Ticket, TaskRequest)> {
        let state = |ticket: &Ticket| states.get(ticket).copied().unwrap_or_default();
        let groups = self.groups();
        let demands: Vec<Demand> = groups.iter().map(|group| demands.get(group).copied().unwrap_or_default()).collect();
        let counts: Vec<usize> = groups.iter().map(|group| self.tickets_of(group).count()).collect();
        let due: Vec<usize> = demands.iter().map(|demand| demand.due as usize).collect();
        let given = releases(self.settings.watching, &counts, &due);
        let mut requests = Vec::new();
        for ((group, demand), given) in groups.iter().zip(demands).zip(given) {
            if demand.paused {
                requests.extend(self.tickets_of(group).map(|ticket| (ticket, TaskRequest::LetGo)));
                continue;
            }
            let (asked, mut others): (Vec<Ticket>, Vec<Ticket>) =
                self.tickets_of(group).partition(|ticket| state(ticket).requested >= TaskRequest::Yield);
            others.retain(|ticket| self.is_turn_over(*ticket, state(ticket), now));
            others.sort_by_key(|ticket| self.slots.get(ticket).map(|slot| slot.since));
            let yields = others.into_iter().take(given.saturating_sub(asked.len()));
            requests.extend(yields.map(|ticket| (ticket, TaskRequest::Yield)));
        }
        requests
    }

    /// Returns whether the turn of an operation is over: it was watched for this long and queried, and has not ended. An
    /// operation that time alone brings to an end gets that much more.
    fn is_turn_over(&self, ticket: Ticket, state: SlotState, now: Instant) -> bool {
        let Some(slot) = self.slots.get(&ticket) else { return false };
        let patience = self.sources.get(slot.group.0).map(|source| source.patience).unwrap_or_default();
        let turn = self.settings.turn;
        let time = if state.rest.pending { turn.saturating_add(patience) } else { turn };
        state.rest.looked && !state.ended && Until::from(slot.since, time).is_over(now)
    }

    /// Returns all kinds of all deployments, those that got nothing for longest first: if there are fewer slots than
    /// kinds, they take turns.
    fn groups(&self) -> Vec<Group> {
        let kinds = |(index, source): (usize, &Source)| -> Vec<Group> {
            source.kinds.iter().map(|kind| (index, kind.clone())).collect()
        };
        let mut groups: Vec<Group> = self.sources.iter().enumerate().flat_map(kinds).collect();
        groups.sort_by_key(|group| self.last_given.get(group).copied().unwrap_or_default());
        groups
    }

    fn tickets_of<'p>(&'p self, group: &'p Group) -> impl Iterator<Item = Ticket> + 'p {
        self.slots.iter().filter(move |(_, slot)| slot.group == *group).map(|(ticket, _)| *ticket)
    }
}
