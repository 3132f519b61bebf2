//! Every order of events that two programs, a service and their failures can produce, with the real store and the real
//! code that submits. A schedule is a list of choices: which program takes its next step, which one is killed or drops
//! its future, and the fate of a request. All schedules are run, except those that reach a state which another one
//! has reached.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard},
};

use tokio::{
    sync::{Notify, oneshot},
    task::JoinHandle,
};

use crate::{
    Bytes, Error, Method, Middleware, MiddlewareFuture, Next, Outgoing, StatusCode,
    error::Kind,
    operations::{Binding, Entry, Intent, MemoryStore, OperationRef, Operations, Status, Store, StoreFuture},
    testing::{Fake, FakeCall},
};

static KEYED: Binding =
    Binding { kind: "thing", path: "/things", idempotency: Some("idempotency-key"), ..Binding::NONE };
static UNKEYED: Binding = Binding { idempotency: None, ..KEYED };

const LABEL: &str = "one";

/// The result of a program: the identifier of its operation, unless it leaves the submission alone.
type Ended = Result<Option<String>, Error>;

/// The fate of a request.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    /// It is accepted, and the response arrives.
    Accepted,
    /// It is accepted, and the connection breaks.
    AcceptedUnheard,
    /// It is accepted, and a proxy answers 503.
    AcceptedBadGateway,
    /// It is accepted, and answered with a redirect.
    AcceptedElsewhere,
    /// The connection breaks before the service has read it.
    Lost,
    /// The service refuses it, or reports that the previous one is in progress.
    Conflict,
    /// No connection is established.
    NoConnection,
}

const FATES: [Fate; 7] = [
    Fate::Accepted,
    Fate::AcceptedUnheard,
    Fate::AcceptedBadGateway,
    Fate::AcceptedElsewhere,
    Fate::Lost,
    Fate::Conflict,
    Fate::NoConnection,
];

/// The plan of an exploration.
#[derive(Clone, Copy)]
struct Plan {
    binding: &'static Binding,
    /// Each call is retried automatically.
    idempotent: bool,
    /// The number of runs of each of the two programs.
    runs: [u32; 2],
    kills: u32,
    drops: u32,
}

/// The next step of a program.
#[derive(Clone, Copy)]
enum Move {
    GoOn,
    /// Its process ends, with all of its tasks.
    Kill,
    /// It drops the future of its submission; its other tasks go on.
    Drop,
}

/// A program.
enum Slot {
    Idle,
    Runs(JoinHandle<Ended>),
    /// It has dropped its submission, and may have tasks that continue.
    Dropped,
}

/// The choices of one schedule: those of the previous one, up to the last with another option.
#[derive(Default)]
struct Choices {
    taken: Vec<(usize, usize)>,
    position: usize,
}

impl Choices {
    fn choose(&mut self, options: usize) -> usize {
        if self.position == self.taken.len() {
            self.taken.push((0, options));
        }
        let (chosen, known) = self.taken[self.position];
        assert_eq!(known, options, "the same choices lead to the same place");
        self.position += 1;
        chosen
    }

    fn is_new(&self) -> bool {
        self.position == self.taken.len()
    }

    /// Advances to the next schedule. Returns `false` if there is none.
    fn next(&mut self) -> bool {
        self.position = 0;
        while let Some((chosen, options)) = self.taken.pop() {
            if chosen + 1 < options {
                self.taken.push((chosen + 1, options));
                return true;
            }
        }
        false
    }
}

#[derive(Default)]
struct World {
    choices: Choices,
    keyed: bool,
    /// The work that the service has begun, by keys.
    begun: Vec<String>,
    /// A request had a result other than a clear refusal, or a program was killed.
    doubtful: bool,
    /// From here on everything succeeds.
    recovering: bool,
    /// The step at which each program waits for its turn.
    parked: [Option<(&'static str, oneshot::Sender<()>)>; 2],
    /// The runs of each program before this one were killed.
    alive_from: [u32; 2],
    /// The trace of each program in this run.
    trace: [String; 2],
    story: String,
}

#[derive(Clone, Default)]
struct Shared(Arc<(Mutex<World>, Notify)>);

impl Shared {
    fn world(&self) -> MutexGuard<'_, World> {
        self.0.0.lock().unwrap()
    }

    /// Waits for the program's turn in this run. A killed program never has one.
    async fn turn(&self, (program, run): (usize, u32), step: &'static str, about: &str) {
        let turn = {
            let mut world = self.world();
            if world.recovering {
                return;
            }
            let (sender, turn) = oneshot::channel();
            // The sender is dropped at once if the run was killed.
            if run >= world.alive_from[program] {
                world.parked[program] = Some((step, sender));
                let _ = write!(world.trace[program], " {step} \"{about}\"");
            }
            turn
        };
        self.0.1.notify_one();
        if turn.await.is_err() {
            std::future::pending().await
        }
    }

    /// The service's handling of a request.
    fn serve(&self, call: &FakeCall) -> Result<(StatusCode, Bytes), Error> {
        let mut world = self.world();
        let program: usize = call.headers["x-program"].to_str().unwrap().parse().unwrap();
        // Without a header that it knows, the service treats each request as a new one.
        let key = call.headers.get("idempotency-key").map(|key| key.to_str().unwrap().to_owned());
        let key = key.filter(|_| world.keyed).unwrap_or_else(|| format!("request {}", world.begun.len()));
        let fate = if world.recovering { Fate::Accepted } else { FATES[world.choices.choose(FATES.len())] };
        world.doubtful |= !matches!(fate, Fate::Conflict | Fate::NoConnection);
        if !matches!(fate, Fate::Lost | Fate::Conflict | Fate::NoConnection) && !world.begun.contains(&key) {
            world.begun.push(key.clone());
        }
        let _ = write!(world.trace[program], "{fate:?}");
        let _ = write!(world.story, "\n  {program}: {fate:?}");
        let broken = |kind| Err(Error::with(kind, "as the schedule says"));
        match fate {
            Fate::Accepted => Ok((StatusCode::ACCEPTED, format!(r#"{{"id":"of {key}"}}"#).into())),
            Fate::AcceptedUnheard | Fate::Lost => broken(Kind::Transport),
            Fate::AcceptedBadGateway => Ok((StatusCode::SERVICE_UNAVAILABLE, Bytes::new())),
            Fate::AcceptedElsewhere => Ok((StatusCode::SEE_OTHER, Bytes::new())),
            Fate::Conflict => Ok((StatusCode::CONFLICT, Bytes::new())),
            Fate::NoConnection => broken(Kind::Connect),
        }
    }
}

/// Stops before each step of the store.
struct Gated {
    program: (usize, u32),
    shared: Shared,
    store: Arc<MemoryStore>,
}

impl Gated {
    fn at<'a, T>(
        &'a self,
        step: &'static str,
        about: &'a str,
        then: impl FnOnce() -> StoreFuture<'a, T> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            self.shared.turn(self.program, step, about).await;
            then().await
        })
    }
}

impl Store for Gated {
    fn intend<'a>(&'a self, intent: &'a Intent) -> StoreFuture<'a, ()> {
        self.at("intend", intent.correlation(), || self.store.intend(intent))
    }
    fn begin<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, u64> {
        self.at("begin", correlation, || self.store.begin(correlation))
    }
    fn withdraw<'a>(&'a self, correlation: &'a str, attempt: u64) -> StoreFuture<'a, bool> {
        self.at("withdraw", correlation, move || self.store.withdraw(correlation, attempt))
    }
    fn accept<'a>(&'a self, reference: &'a OperationRef) -> StoreFuture<'a, ()> {
        self.at("accept", reference.correlation(), || self.store.accept(reference))
    }
    fn entry<'a>(&'a self, correlation: &'a str) -> StoreFuture<'a, Option<Entry>> {
        self.at("entry", correlation, || self.store.entry(correlation))
    }
    fn labelled<'a>(&'a self, deployment: &'a str, label: &'a str) -> StoreFuture<'a, Option<Entry>> {
        self.at("labelled", label, || self.store.labelled(deployment, label))
    }
    crate::operations::store_tests::forward! { @rest self self.store }
}

/// Stops before each attempt.
struct Before(usize, Shared);

impl Middleware for Before {
    fn handle<'a>(&'a self, mut request: Outgoing, next: Next<'a>) -> MiddlewareFuture<'a> {
        Box::pin(async move {
            let key = request.headers.get("idempotency-key").and_then(|key| key.to_str().ok()).unwrap_or_default();
            self.1.turn((self.0, u32::MAX), "send", key).await;
            request.headers.insert("x-program", self.0.into());
            next.run(request).await
        })
    }
}

/// The program of `examples/deploy_and_wait.rs`, up to the operation.
async fn program(operations: Operations, idempotent: bool) -> Ended {
    let platform = operations.client().clone();
    let request = platform.request(Method::Post, "/things");
    let request = if idempotent { request.idempotent() } else { request.no_retry() };
    let keyed = operations.binding("thing")?.idempotency.is_some();
    let operation = match operations.labelled(LABEL).await? {
        None => request.submit(&operations, "thing", Some(LABEL)).await?,
        Some(entry) if entry.status() == Status::Accepted => operations.resume(&entry)?,
        Some(_) if keyed => request.resubmit(&operations, "thing", LABEL).await?,
        Some(_) => return Ok(None),
    };
    Ok(Some(operation.reference().id().to_owned()))
}

/// Runs one schedule. Returns `false` if it was cut short at a known state.
async fn schedule(plan: Plan, shared: &Shared, visited: &mut HashSet<String>) -> bool {
    let store = Arc::new(MemoryStore::new());
    let fake = Fake::new();
    let service = shared.clone();
    fake.script(move |call| service.serve(call));
    let operations: Vec<Operations> = (0..2)
        .map(|program| {
            let builder = fake.builder().middleware(Before(program, shared.clone()));
            builder.build().unwrap().operations().with_binding(plan.binding)
        })
        .collect();
    let deployment = operations[0].deployment();
    let gated = |program: usize, run: u32| {
        let store = Gated { program: (program, run), shared: shared.clone(), store: Arc::clone(&store) };
        operations[program].clone().with_store(store)
    };
    let mut slots = [Slot::Idle, Slot::Idle];
    let (mut runs, mut kills, mut drops) = (plan.runs, plan.kills, plan.drops);
    loop {
        // Until each program waits for its turn, or has ended.
        for (program, slot) in slots.iter_mut().enumerate() {
            while let Slot::Runs(task) = slot {
                if shared.world().parked[program].is_some() {
                    break;
                }
                if task.is_finished() {
                    let ended = task.await.expect("it does not panic");
                    let end = check_end(&ended, shared, program);
                    shared.world().trace[program] = end.to_owned();
                    *slot = Slot::Idle;
                    break;
                }
                shared.0.1.notified().await;
            }
            if matches!(slot, Slot::Dropped) {
                // More rounds than any of its tasks needs to reach its next step, or its end.
                for _ in 0..32 {
                    tokio::task::yield_now().await;
                }
                if shared.world().parked[program].is_none() {
                    *slot = Slot::Idle;
                }
            }
        }
        check(shared, &store, &deployment).await;
        let mut moves = Vec::new();
        for program in 0..2 {
            let idle = matches!(slots[program], Slot::Idle);
            if !idle || runs[program] > 0 {
                moves.push((program, Move::GoOn));
            }
            if !idle && kills > 0 {
                moves.push((program, Move::Kill));
            }
            if matches!(slots[program], Slot::Runs(_)) && drops > 0 {
                moves.push((program, Move::Drop));
            }
        }
        if moves.is_empty() {
            break;
        }
        let (program, chosen) = {
            let mut world = shared.world();
            if world.choices.is_new() && !visited.insert(fingerprint(&world, &store, runs, [kills, drops])) {
                return false;
            }
            moves[world.choices.choose(moves.len())]
        };
        let run = plan.runs[program] - runs[program];
        match (chosen, std::mem::replace(&mut slots[program], Slot::Idle)) {
            (Move::Kill, slot) => {
                kills -= 1;
                {
                    let mut world = shared.world();
                    world.parked[program] = None;
                    world.alive_from[program] = run + 1;
                    world.trace[program] = "killed".to_owned();
                    world.doubtful = true;
                    let _ = write!(world.story, "\n  {program}: killed");
                }
                if let Slot::Runs(task) = slot {
                    task.abort();
                    drop(task.await);
                }
            }
            (Move::Drop, Slot::Runs(task)) => {
                drops -= 1;
                task.abort();
                drop(task.await);
                slots[program] = Slot::Dropped;
                let mut world = shared.world();
                world.trace[program] = "dropped".to_owned();
                let _ = write!(world.story, "\n  {program}: dropped");
                // The step that waited was its own.
                if world.parked[program].as_ref().is_some_and(|(_, turn)| turn.is_closed()) {
                    world.parked[program] = None;
                }
            }
            (_, Slot::Idle) => {
                runs[program] -= 1;
                shared.world().trace[program].clear();
                let _ = write!(shared.world().story, "\n  {program}: started");
                let (world_of_task, run) = (shared.clone(), self::program(gated(program, run + 1), plan.idempotent));
                slots[program] = Slot::Runs(tokio::spawn(async move {
                    let ended = run.await;
                    world_of_task.0.1.notify_one();
                    ended
                }));
            }
            (_, slot) => {
                slots[program] = slot;
                let (step, turn) = shared.world().parked[program].take().unwrap();
                let _ = write!(shared.world().story, "\n  {program}: {step}");
                turn.send(()).expect("it waits");
            }
        }
    }
    check_rest(plan, shared, &store, &deployment, gated(0, u32::MAX)).await;
    true
}

/// The knowledge of a program that ended is true.
fn check_end(ended: &Ended, shared: &Shared, program: usize) -> &'static str {
    let world = shared.world();
    let story = &world.story;
    match ended {
        Ok(Some(id)) => {
            assert!(world.begun.iter().any(|key| *id == format!("of {key}")), "{program} has {id}: {story}");
            "ready"
        }
        Ok(None) => "left alone",
        Err(error) if error.is_submission_unknown() => "unknown",
        Err(error) if error.is_store() => "store",
        Err(error) => {
            assert!(error.is_conflict() || error.is_connect(), "{error:?}: {story}");
            assert!(world.begun.is_empty(), "it is refused for certain, and runs: {story}");
            "refused"
        }
    }
}

/// The invariants at every instant.
async fn check(shared: &Shared, store: &MemoryStore, deployment: &str) {
    let entry = store.labelled(deployment, LABEL).await.unwrap();
    let world = shared.world();
    let story = &world.story;
    assert!(world.begun.len() <= 1, "it is begun twice: {:?}{story}", world.begun);
    if let Some(key) = world.begun.first() {
        let entry = entry.as_ref().unwrap_or_else(|| panic!("what runs is forgotten: {story}"));
        if world.keyed {
            assert_eq!(entry.intent().correlation(), key, "its key is lost: {story}");
        }
        if let Some(reference) = entry.reference() {
            assert_eq!(reference.id(), format!("of {key}"), "{story}");
        }
    } else {
        assert!(entry.is_none_or(|entry| entry.reference().is_none()), "what does not run is accepted: {story}");
    }
}

/// The invariants once all programs have ended.
async fn check_rest(plan: Plan, shared: &Shared, store: &MemoryStore, deployment: &str, operations: Operations) {
    let entry = store.labelled(deployment, LABEL).await.unwrap();
    let story = shared.world().story.clone();
    if !shared.world().doubtful {
        assert!(entry.is_none(), "everything was refused, and the label is not free: {story}");
    }
    shared.world().recovering = true;
    let before = entry.map(|entry| entry.status());
    let last = program(operations, plan.idempotent).await.unwrap_or_else(|error| panic!("{error:?}: {story}"));
    let world = shared.world();
    assert!(world.begun.len() <= 1, "the next run begins it again: {story}");
    let stays = plan.binding.idempotency.is_none() && before == Some(Status::SubmissionUnknown);
    assert_eq!(last.is_some(), !stays, "{story}");
}

/// The state that the future depends on: correlations, and values derived from them, by their order, and no times.
fn fingerprint(world: &World, store: &MemoryStore, runs: [u32; 2], ends: [u32; 2]) -> String {
    let steps: Vec<_> = world.parked.iter().map(|parked| parked.as_ref().map(|(step, _)| *step)).collect();
    let mut kept = format!("{store:?} {:?} {}", world.begun, world.trace.join("|"));
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    let is_hex = |word: &str| word.chars().all(|character| character.is_ascii_hexdigit());
    let is_random =
        |word: &&str| word.len() == 36 && word.matches('-').count() == 4 || word.len() == 32 && is_hex(word);
    for word in kept.clone().split('"').filter(is_random) {
        let next = names.len();
        names.entry(word.to_owned()).or_insert(next);
    }
    for (name, number) in names {
        kept = kept.replace(&name, &format!("submission {number}"));
    }
    let mut text = String::new();
    for part in kept.split(|character: char| !character.is_ascii_digit()).filter(|part| part.len() > 9) {
        text = if text.is_empty() { kept.replace(part, "") } else { text.replace(part, "") };
    }
    let kept = if text.is_empty() { kept } else { text };
    format!("{kept} {steps:?} {runs:?} {ends:?} {}", world.doubtful)
}

fn explore(plan: Plan) -> (usize, usize) {
    let (mut visited, mut choices, mut whole, mut all) = (HashSet::new(), Choices::default(), 0, 0);
    loop {
        let shared = Shared::default();
        shared.world().choices = std::mem::take(&mut choices);
        shared.world().keyed = plan.binding.idempotency.is_some();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        all += 1;
        whole += usize::from(runtime.block_on(schedule(plan, &shared, &mut visited)));
        drop(runtime);
        choices = std::mem::take(&mut shared.world().choices);
        if !choices.next() {
            return (whole, all);
        }
    }
}

/// If a service recognises repetitions: nothing is begun twice, nothing in progress is forgotten, and a certain refusal
/// leaves the label free.
#[test]
fn no_order_of_events_loses_a_submission_or_begins_it_twice() {
    explore_all(&[
        Plan { binding: &KEYED, idempotent: false, runs: [3, 0], kills: 1, drops: 0 },
        Plan { binding: &UNKEYED, idempotent: false, runs: [2, 2], kills: 1, drops: 0 },
        Plan { binding: &KEYED, idempotent: false, runs: [2, 0], kills: 1, drops: 2 },
        Plan { binding: &UNKEYED, idempotent: false, runs: [2, 1], kills: 0, drops: 1 },
    ]);
}

/// The same with two programs whose requests are retried, or are recognised by a key: forty thousand schedules.
macro_rules! repetitions {
    ($($name:ident: $plan:expr;)*) => {
        $(
            #[test]
            #[ignore = "takes longer: .ci/run --all runs it"]
            fn $name() {
                explore_all(&[$plan]);
            }
        )*
    };
}

repetitions! {
    no_order_of_repetitions_and_a_kill_loses_a_submission_or_begins_it_twice:
        Plan { binding: &KEYED, idempotent: false, runs: [2, 1], kills: 1, drops: 0 };
    no_order_of_retries_loses_a_submission_or_begins_it_twice:
        Plan { binding: &KEYED, idempotent: true, runs: [1, 1], kills: 0, drops: 0 };
    no_order_of_repetitions_and_a_drop_loses_a_submission_or_begins_it_twice:
        Plan { binding: &KEYED, idempotent: false, runs: [2, 1], kills: 0, drops: 1 };
}

fn explore_all(plans: &[Plan]) {
    for &plan in plans {
        let (whole, all) = explore(plan);
        assert!(whole > 20, "{whole} of {all}");
        #[allow(clippy::print_stdout, reason = "figures for whoever runs it by hand")]
        {
            println!("{whole} schedules to their end, {all} begun: {:?} {}", plan.runs, plan.idempotent);
        }
    }
}
