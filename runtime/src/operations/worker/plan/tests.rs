//! Tables of the plan, and whole stores over it: random orders of answers, failures, losses and ends.

use std::collections::BTreeSet;

use super::*;

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

const SETTINGS: PlanSettings = PlanSettings { poll: seconds(5), turn: seconds(60), watching: 4, retention: None };

fn plan(settings: PlanSettings, kinds: &[&str], now: Instant) -> Plan {
    let kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
    Plan::new(settings, vec![(kinds, seconds(10))], now)
}

/// An event, and a text of the action that follows it. Times are seconds since the begin.
type Row = (fn(&mut Plan, Instant), u64, &'static str);

fn run(mut plan: Plan, begin: Instant, rows: &[Row]) {
    for (number, (event, second, expected)) in rows.iter().enumerate() {
        let now = begin + seconds(*second);
        event(&mut plan, now);
        let text = match plan.next(now, 1.0) {
            Action::Wait(until) => format!("wait until {}", until.left(begin).as_secs()),
            Action::Enlist { .. } => "enlist".to_owned(),
            Action::Leave { instance, .. } => format!("leave {}", instance.number()),
            Action::Recall { .. } => "recall".to_owned(),
            Action::Purge { .. } => "purge".to_owned(),
            Action::Survey => "survey".to_owned(),
            Action::Claim { wanted, .. } => {
                let wanted: Vec<String> = wanted.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
                format!("claim {}", wanted.join(" "))
            }
        };
        assert_eq!(text, *expected, "row {number}");
    }
}

fn nothing(_: &mut Plan, _: Instant) {}
fn wake(plan: &mut Plan, _: Instant) {
    plan.wake();
}
fn enlist(plan: &mut Plan, _: Instant) {
    plan.enlisted(0, Instance::new(1));
}
fn claim_a(plan: &mut Plan, now: Instant) {
    plan.claimed(0, &["a".to_owned()], now);
}
fn claim_all_a(plan: &mut Plan, now: Instant) {
    plan.claimed(0, &["a".to_owned(), "a".to_owned(), "a".to_owned()], now);
}

#[test]
fn a_round_asks_each_store_once_and_rests_until_the_next_deadline() {
    let begin = Instant::now();
    let rows: &[Row] = &[
        (nothing, 0, "enlist"),
        (enlist, 0, "survey"),
        (nothing, 0, "claim 2 a 2 b"),
        // The store gave fewer of `a` than asked, and no `b`: it has no others.
        (claim_a, 0, "wait until 5"),
        (wake, 1, "claim 2 b 1 a"),
        (nothing, 1, "wait until 5"),
        (wake, 5, "survey"),
        (nothing, 5, "claim 2 b 1 a"),
        (nothing, 5, "wait until 10"),
    ];
    run(plan(SETTINGS, &["a", "b"], begin), begin, rows);
}

#[test]
fn slots_that_one_kind_leaves_go_to_another_which_has_more() {
    let begin = Instant::now();
    let rows: &[Row] = &[
        (nothing, 0, "enlist"),
        (enlist, 0, "survey"),
        (nothing, 0, "claim 2 a 2 b"),
        (|plan, now| drop(plan.claimed(0, &["a".to_owned(), "a".to_owned()], now)), 0, "claim 2 a"),
        (|plan, now| drop(plan.claimed(0, &["a".to_owned(), "a".to_owned()], now)), 0, "wait until 5"),
        (
            |plan, _| {
                plan.ended(1);
                plan.wake();
            },
            2,
            "claim 1 b",
        ),
    ];
    run(plan(SETTINGS, &["a", "b"], begin), begin, rows);
}

#[test]
fn a_lost_lease_a_lost_answer_and_a_failing_store_are_made_good_in_the_next_round() {
    let begin = Instant::now();
    let rows: &[Row] = &[
        (nothing, 0, "enlist"),
        // The store failed, so the plan has no instance to claim with.
        (nothing, 0, "survey"),
        (nothing, 0, "wait until 5"),
        (wake, 5, "enlist"),
        (enlist, 5, "survey"),
        (nothing, 5, "claim 4 a"),
        (|plan, _| plan.doubt(0), 5, "wait until 10"),
        (wake, 6, "recall"),
        // It failed, too.
        (nothing, 6, "claim 4 a"),
        (claim_all_a, 6, "wait until 10"),
        (
            |plan, _| {
                plan.doubt(0);
                plan.wake();
            },
            7,
            "recall",
        ),
        (|plan, _| plan.recalled(0), 7, "claim 1 a"),
        (|plan, _| plan.doubt(0), 7, "wait until 10"),
        (
            |plan, _| {
                plan.lost(0);
                plan.wake();
            },
            8,
            "enlist",
        ),
        (|plan, _| plan.enlisted(0, Instance::new(2)), 8, "leave 1"),
        // The release failed: it is tried with the next registration, and doubts were the first instance's.
        (nothing, 8, "claim 1 a"),
        (nothing, 8, "wait until 10"),
        (
            |plan, _| {
                plan.lost(0);
                plan.wake();
            },
            9,
            "enlist",
        ),
        (|plan, _| plan.enlisted(0, Instance::new(3)), 9, "leave 2"),
        (|plan, _| plan.left(0), 9, "claim 1 a"),
    ];
    run(plan(SETTINGS, &["a"], begin), begin, rows);
}

#[test]
fn a_claim_that_succeeds_leaves_the_lost_answer_of_another_in_doubt() {
    let begin = Instant::now();
    let rows: &[Row] = &[
        (nothing, 0, "enlist"),
        (enlist, 0, "survey"),
        (nothing, 0, "claim 1 a"),
        // The store may have given one of `a`, which nobody would know.
        (|plan, _| plan.doubt(0), 0, "claim 1 b"),
        (|plan, now| drop(plan.claimed(0, &["b".to_owned()], now)), 0, "wait until 5"),
        (wake, 1, "recall"),
    ];
    run(plan(PlanSettings { watching: 1, ..SETTINGS }, &["a", "b"], begin), begin, rows);
}

#[test]
fn finished_entries_are_forgotten_at_their_intervals_and_at_once_if_there_are_more() {
    let begin = Instant::now();
    let settings = PlanSettings { retention: Some(seconds(100)), watching: 0, ..SETTINGS };
    let rows: &[Row] = &[
        (nothing, 0, "enlist"),
        (enlist, 0, "purge"),
        (|plan, now| plan.purged(0, u64::from(PURGED), now), 0, "survey"),
        (nothing, 0, "wait until 5"),
        (wake, 1, "purge"),
        (|plan, now| plan.purged(0, 1, now), 1, "wait until 5"),
        (wake, 10, "survey"),
        (nothing, 10, "wait until 15"),
        (wake, 11, "purge"),
    ];
    run(plan(settings, &["a"], begin), begin, rows);
}

#[test]
fn those_whose_turn_is_over_make_room_for_those_that_wait() {
    let begin = Instant::now();
    let looked = SlotState { rest: Rest { looked: true, pending: false }, ..SlotState::default() };
    let pending = SlotState { rest: Rest { looked: true, pending: true }, ..looked };
    let asked = SlotState { requested: TaskRequest::Yield, ..looked };
    let (ended, new) = (SlotState { ended: true, ..looked }, SlotState::default());
    for (states, due, paused, second, expected) in [
        ([looked, looked, looked, looked], 0, false, 60, vec![]),
        ([looked, looked, looked, looked], 1, false, 59, vec![]),
        ([looked, looked, looked, looked], 1, false, 60, vec![(1, TaskRequest::Yield)]),
        ([new, ended, looked, looked], 9, false, 60, vec![(3, TaskRequest::Yield), (4, TaskRequest::Yield)]),
        ([pending, looked, new, new], 9, false, 69, vec![(2, TaskRequest::Yield)]),
        ([pending, new, new, new], 9, false, 70, vec![(1, TaskRequest::Yield)]),
        ([looked, looked, looked, asked], 1, false, 60, vec![]),
        ([looked, looked, looked, asked], 2, false, 60, vec![(1, TaskRequest::Yield)]),
        ([looked, ended, new, asked], 0, true, 0, (1..=4).map(|ticket| (ticket, TaskRequest::LetGo)).collect()),
    ] {
        let mut plan = plan(SETTINGS, &["a"], begin);
        let kinds = vec!["a".to_owned(); 4];
        let tickets = plan.claimed(0, &kinds, begin);
        let states = tickets.into_iter().zip(states).collect();
        let demands = HashMap::from([((0, "a".to_owned()), Demand::new(due, paused))]);
        assert_eq!(plan.surveyed(&demands, &states, begin + seconds(second)), expected, "{due} {second} {states:?}");
    }
}

struct Dice(u64);

impl Dice {
    /// A number below this, after Knuth.
    fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

/// An operation in a store.
#[derive(Debug)]
struct Stored {
    kind: &'static str,
    /// The seconds at which it ends; none: never.
    ends: Option<u64>,
    owner: Option<Instance>,
    /// The seconds at which it was last put back: those that wait longest are first.
    waits_since: u64,
    longest_wait: u64,
    handled: u32,
}

/// One instance of a program over the store.
struct Program {
    plan: Plan,
    instance: Option<Instance>,
    /// Operations in slots: the number, the ticket, and the state.
    slots: Vec<(usize, Ticket, SlotState)>,
    wait: Option<Until>,
}

/// Returns an operation whose slot is free to the store, if its owner still has the lease.
fn put_back(stored: &mut Stored, owner: Option<Instance>, now: u64) {
    if owner.is_some() && stored.owner == owner {
        (stored.owner, stored.waits_since) = (None, now);
    }
}

#[test]
fn nothing_is_handled_twice_lost_or_starved_in_any_order_of_events() {
    run_programs(0..50);
}

#[test]
#[ignore = "10 s: .ci/run --all runs it"]
fn nothing_is_handled_twice_lost_or_starved_in_more_orders_of_events() {
    run_programs(50..300);
}

/// Whatever the stores answer, in whatever order programs act, fail, lose their leases and their answers: an operation is
/// handled once, and none waits for ever, although some never end.
fn run_programs(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let (mut dice, begin) = (Dice(seed), Instant::now());
        let (places, turn) = (1 + usize::try_from(dice.roll(4)).unwrap(), seconds(1 + dice.roll(30)));
        let settings = PlanSettings { watching: places, turn, ..SETTINGS };
        let count = 3 + dice.roll(12);
        let mut store: Vec<Stored> = (0..count)
            .map(|_| Stored {
                kind: ["a", "b"][usize::try_from(dice.roll(2)).unwrap()],
                ends: (dice.roll(3) > 0).then(|| dice.roll(200)),
                owner: None,
                waits_since: 0,
                longest_wait: 0,
                handled: 0,
            })
            .collect();
        let mut programs: Vec<Program> = (0..1 + dice.roll(3))
            .map(|_| Program {
                plan: plan(settings, &["a", "b"], begin),
                instance: None,
                slots: Vec::new(),
                wait: None,
            })
            .collect();
        let mut instances = 0;
        // Trouble ends after a while, so that every operation has its time.
        for second in 0..3000 {
            let now = begin + seconds(second);
            let fails = |dice: &mut Dice| second < 300 && dice.roll(5) == 0;
            let first = usize::try_from(dice.roll(3)).unwrap();
            for index in 0..programs.len() {
                let index = (index + first) % programs.len();
                let program = &mut programs[index];
                // The leases are lost: the store gives the operations to others, and the tasks end without an effect.
                if program.instance.is_some() && second < 300 && dice.roll(50) == 0 {
                    for stored in store.iter_mut() {
                        put_back(stored, program.instance, second);
                    }
                    program.slots.drain(..).for_each(|(_, ticket, _)| program.plan.ended(ticket));
                    program.instance = None;
                    program.plan.lost(0);
                    program.plan.wake();
                    program.wait = None;
                }
                let mut woken = false;
                for (number, ticket, mut state) in std::mem::take(&mut program.slots) {
                    let stored = &mut store[number];
                    if stored.owner != program.instance {
                        // Fenced: another instance has it.
                        program.plan.ended(ticket);
                        woken = true;
                        continue;
                    }
                    state.rest.looked = true;
                    if stored.ends.is_some_and(|end| end <= second) {
                        stored.handled += 1;
                    } else if state.requested >= TaskRequest::Yield {
                        put_back(stored, program.instance, second);
                    } else {
                        program.slots.push((number, ticket, state));
                        continue;
                    }
                    program.plan.ended(ticket);
                    woken = true;
                }
                if woken || program.wait.is_some_and(|until| until.is_over(now)) {
                    program.plan.wake();
                    program.wait = None;
                }
                while program.wait.is_none() {
                    let action = program.plan.next(now, 1.0);
                    if let Action::Wait(until) = action {
                        assert!(!until.is_over(now), "a round without a pause: seed {seed}");
                        program.wait = Some(until);
                        continue;
                    }
                    let failed = fails(&mut dice);
                    match action {
                        Action::Enlist { source } if !failed => {
                            instances += 1;
                            program.instance = Some(Instance::new(instances));
                            program.plan.enlisted(source, Instance::new(instances));
                        }
                        Action::Leave { source, .. } if !failed => program.plan.left(source),
                        Action::Recall { source, .. } if !failed => {
                            let known: BTreeSet<usize> = program.slots.iter().map(|(number, _, _)| *number).collect();
                            let unknown = store.iter_mut().enumerate().filter(|(number, _)| !known.contains(number));
                            unknown.for_each(|(_, stored)| {
                                if stored.handled == 0 {
                                    put_back(stored, program.instance, second);
                                }
                            });
                            program.plan.recalled(source);
                        }
                        Action::Survey if !failed => {
                            let due = |kind| {
                                let waits = |stored: &&Stored| {
                                    stored.kind == kind && stored.owner.is_none() && stored.handled == 0
                                };
                                Demand::new(u32::try_from(store.iter().filter(waits).count()).unwrap(), false)
                            };
                            let demands = ["a", "b"].map(|kind| ((0, kind.to_owned()), due(kind)));
                            let states = program.slots.iter().map(|(_, ticket, state)| (*ticket, *state)).collect();
                            for (ticket, request) in program.plan.surveyed(&HashMap::from(demands), &states, now) {
                                let slot = program.slots.iter_mut().find(|(_, known, _)| *known == ticket);
                                slot.unwrap().2.requested = request;
                            }
                        }
                        Action::Claim { source, instance, wanted } => {
                            assert_eq!(Some(instance), program.instance, "seed {seed}");
                            let mut given = Vec::new();
                            for (kind, count) in wanted {
                                let mut waiting: Vec<usize> = (0..store.len()).collect();
                                waiting.retain(|number| {
                                    let stored = &store[*number];
                                    stored.kind == kind && stored.owner.is_none() && stored.handled == 0
                                });
                                waiting.sort_by_key(|number| store[*number].waits_since);
                                given.extend(waiting.into_iter().take(count));
                            }
                            // The answer may be lost after the store has given the operations.
                            let is_lost = failed && dice.roll(2) == 0;
                            if failed && !is_lost {
                                given.clear();
                            }
                            for number in &given {
                                let stored = &mut store[*number];
                                stored.owner = Some(instance);
                                stored.longest_wait =
                                    stored.longest_wait.max(second - stored.waits_since.max(300).min(second));
                            }
                            if failed {
                                program.plan.doubt(source);
                                continue;
                            }
                            let kinds: Vec<String> =
                                given.iter().map(|number| store[*number].kind.to_owned()).collect();
                            let tickets = program.plan.claimed(source, &kinds, now);
                            let slots = given.into_iter().zip(tickets);
                            program.slots.extend(slots.map(|(number, ticket)| (number, ticket, SlotState::default())));
                            assert!(program.slots.len() <= places, "seed {seed}");
                        }
                        _ => {}
                    }
                }
            }
        }
        // An operation that waits has its turn after those in the slots and those before it.
        let rounds = count.div_ceil(u64::try_from(places).unwrap()) + 1;
        let bound = (turn.as_secs() + 15) * rounds;
        for stored in &store {
            let waits = if stored.owner.is_none() && stored.handled == 0 { 3000 - stored.waits_since } else { 0 };
            assert_eq!(stored.handled, u32::from(stored.ends.is_some()), "seed {seed}: {stored:?}");
            assert!(stored.longest_wait.max(waits) <= bound, "seed {seed}, bound {bound}: {stored:?}");
        }
    }
}
