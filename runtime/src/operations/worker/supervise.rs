//! The supervisor of a worker: instances, slots, and the operations in them.

mod survey;

use std::{
    collections::{BTreeMap, HashMap},
    future::poll_fn,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use tokio::task::{Id, JoinSet};

use super::{
    EventHook, Settings, WorkerEvent, attend::Attendance, handler::Handler, instance_lease::InstanceLease,
    progress::TaskProgress, share::shares, shared::Shared,
};
use crate::{
    clock::{self, Until, random},
    error::{Error, Kind},
    operations::{Instance, Lease, Operations, WakeFuture, Wanted},
    telemetry::HeldCount,
};

/// The number of entries that are forgotten in one step.
const PURGED: u32 = 1000;
/// The intervals between purges of finished entries, the shortest and the longest.
const OFTEN: Duration = Duration::from_secs(1);
const RARELY: Duration = Duration::from_secs(3600);

/// One deployment, and this instance in its store.
struct Source {
    operations: Operations,
    kinds: Vec<String>,
    instance_lease: Option<Arc<InstanceLease>>,
    /// The previous instance, whose leases were lost, until the store releases it.
    before: Option<Instance>,
    /// A response of the store was lost: it may have given more operations than this instance knows.
    doubt: bool,
    purge_at: Until,
}

/// The group of an operation's task.
struct Post {
    source: usize,
    kind: String,
    lease: Lease,
    failures: u32,
    age: Duration,
    progress: Arc<TaskProgress>,
    instance_lease: Arc<InstanceLease>,
    _counted: HeldCount,
}

pub(super) struct Supervisor {
    sources: Vec<Source>,
    shared: Arc<Shared>,
    posts: HashMap<Id, Post>,
    tasks: JoinSet<()>,
    /// The tasks that renew leases. They run to the end.
    keepers: JoinSet<()>,
    /// The time of the next survey.
    survey_at: Until,
    /// The claim in which each kind of each deployment last got an operation.
    last_given: HashMap<(usize, String), u64>,
    claims: u64,
}

impl Supervisor {
    pub(super) fn new(
        operations: Vec<Operations>,
        settings: Settings,
        report: Option<EventHook>,
        handler: Handler,
    ) -> Result<Self, Error> {
        let mut sources = Vec::new();
        for operations in operations {
            let known = operations.kinds();
            let kinds: Vec<String> = match &settings.kinds {
                None => known.into_iter().map(str::to_owned).collect(),
                Some(wanted) => wanted.iter().filter(|kind| known.contains(&kind.as_str())).cloned().collect(),
            };
            if kinds.is_empty() {
                let message = "the client knows none of the kinds of operations that the worker is for";
                return Err(Error::of(Kind::Configuration, message).hint(
                    "bind a kind in the configuration and regenerate, turn on the features of its operation, or name it \
                     with `Operations::with_binding`",
                ));
            }
            sources.push(Source {
                operations,
                kinds,
                instance_lease: None,
                before: None,
                doubt: false,
                purge_at: Until::at(clock::now()),
            });
        }
        Ok(Self {
            sources,
            shared: Shared::new(settings, report, handler),
            posts: HashMap::new(),
            tasks: JoinSet::new(),
            keepers: JoinSet::new(),
            survey_at: Until::at(clock::now()),
            last_given: HashMap::new(),
            claims: 0,
        })
    }

    pub(super) async fn run(mut self, stop: impl Future<Output = ()> + Send) {
        tokio::pin!(stop);
        loop {
            // A wake during the round counts, too.
            let operations: Vec<Operations> = self.sources.iter().map(|source| source.operations.clone()).collect();
            let mut wakes: Vec<WakeFuture<'_>> =
                operations.iter().map(|operations| operations.store().wake()).collect();
            let more = tokio::select! {
                biased;
                () = &mut stop => break,
                more = self.round() => more,
            };
            if more {
                continue;
            }
            let pause = self.shared.settings.poll.min(clock::LONGEST).mul_f64(0.75 + random() / 4.0);
            let pause = pause.min(self.survey_at.left(clock::now()));
            let instance_leases: Vec<Arc<InstanceLease>> =
                self.sources.iter().filter_map(|source| source.instance_lease.clone()).collect();
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(done) = self.tasks.join_next_with_id() => self.ended(done),
                () = any(&mut wakes) => {}
                () = InstanceLease::any_lost(&instance_leases) => {}
                () = clock::sleep(pause) => {}
            }
            while let Some(done) = self.tasks.try_join_next_with_id() {
                self.ended(done);
            }
        }
        self.stop().await;
    }

    /// Asks each store once. Returns whether there may be more.
    async fn round(&mut self) -> bool {
        for index in 0..self.sources.len() {
            self.enlist(index).await;
            self.clear_doubt(index).await;
            self.purge(index).await;
        }
        self.survey().await;
        self.claim().await
    }

    async fn enlist(&mut self, index: usize) {
        let Some(source) = self.sources.get_mut(index) else { return };
        if let Some(instance_lease) = source.instance_lease.take_if(|instance_lease| instance_lease.is_lost()) {
            let (instance, operations) = (instance_lease.instance, instance_lease.held());
            source.before = Some(instance);
            self.shared.lease_lost();
            self.shared.report(&WorkerEvent::LeaseLost { instance, operations });
        }
        if source.instance_lease.is_some() {
            return;
        }
        let (lease, asked) = (self.shared.lease(), clock::now());
        match source.operations.store().enlist(&self.shared.settings.name, lease).await {
            Ok(instance) => {
                self.shared.store_works(&source.operations);
                let instance_lease = InstanceLease::new(instance, asked, lease);
                self.keepers
                    .spawn(Arc::clone(&instance_lease).keep(source.operations.clone(), Arc::clone(&self.shared)));
                source.instance_lease = Some(instance_lease);
                source.doubt = false;
                self.shared.report(&WorkerEvent::Enlisted { instance });
                // The store may count longer than this side: the previous instance's operations need not wait for that.
                if let Some(before) = source.before.take()
                    && let Err(error) = source.operations.store().leave(before).await
                {
                    source.before = Some(before);
                    self.shared.store_failed(&source.operations, error);
                }
            }
            Err(error) => self.shared.store_failed(&source.operations, error),
        }
    }

    /// Returns the operations that the store gave without this instance's knowledge.
    async fn clear_doubt(&mut self, index: usize) {
        let Some(source) = self.sources.get_mut(index).filter(|source| source.doubt) else { return };
        let Some(instance_lease) = source.instance_lease.clone() else { return };
        let Ok(held) = source.operations.store().held(instance_lease.instance).await else { return };
        let known: BTreeMap<&str, u64> =
            self.posts.values().map(|post| (post.lease.correlation(), post.lease.fence())).collect();
        for lease in held.iter().filter(|lease| known.get(lease.correlation()) != Some(&lease.fence())) {
            let given = source.operations.store().put_back(lease, Duration::ZERO, None).await;
            if given.is_err_and(|error| !error.is_lease_lost()) {
                return;
            }
        }
        source.doubt = false;
    }

    async fn purge(&mut self, index: usize) {
        let Some(age) = self.shared.settings.retention else { return };
        let now = clock::now();
        let Some(source) = self.sources.get_mut(index).filter(|source| source.purge_at.is_over(now)) else { return };
        source.purge_at = Until::from(now, (age / 10).clamp(OFTEN, RARELY));
        let deployment = source.operations.deployment();
        match source.operations.store().purge(&deployment, age, PURGED).await {
            Ok(0) => {}
            Ok(count) => {
                if count >= u64::from(PURGED) {
                    source.purge_at = Until::at(now);
                }
                self.shared.report(&WorkerEvent::Purged { count });
            }
            Err(error) => self.shared.store_failed(&source.operations, error),
        }
    }

    /// Returns all kinds of all deployments, those that got nothing for longest first: if there are fewer slots than
    /// kinds, they take turns.
    fn groups(&self) -> Vec<(usize, String)> {
        let kinds = |(index, source): (usize, &Source)| -> Vec<(usize, String)> {
            source.kinds.iter().map(|kind| (index, kind.clone())).collect()
        };
        let mut groups: Vec<(usize, String)> = self.sources.iter().enumerate().flat_map(kinds).collect();
        groups.sort_by_key(|group| self.last_given.get(group).copied().unwrap_or_default());
        groups
    }

    fn group(&self, source: usize, kind: &str) -> Vec<&Post> {
        self.posts.values().filter(|post| post.source == source && post.kind == kind).collect()
    }

    /// Fills free slots, evenly between deployments and kinds. Returns whether a store gave as many as it was asked
    /// for.
    async fn claim(&mut self) -> bool {
        let groups = self.groups();
        let mut held: Vec<usize> = groups.iter().map(|(source, kind)| self.group(*source, kind).len()).collect();
        let mut hungry = vec![true; groups.len()];
        loop {
            let free = self.shared.settings.watching.saturating_sub(self.posts.len());
            let places = shares(free, &held, &hungry);
            if places.iter().all(|places| *places == 0) {
                return false;
            }
            for index in 0..self.sources.len() {
                let asked: Vec<(usize, usize)> = groups
                    .iter()
                    .zip(&places)
                    .enumerate()
                    .filter(|(_, ((source, _), places))| *source == index && **places > 0)
                    .map(|(group, (_, places))| (group, *places))
                    .collect();
                let kinds: Vec<(String, usize)> =
                    asked.iter().filter_map(|(group, places)| Some((groups.get(*group)?.1.clone(), *places))).collect();
                let got = if kinds.is_empty() { BTreeMap::new() } else { self.claim_from(index, &kinds).await };
                for ((group, places), (kind, _)) in asked.iter().zip(&kinds) {
                    let count = got.get(kind).copied().unwrap_or_default();
                    if let (Some(held), Some(hungry)) = (held.get_mut(*group), hungry.get_mut(*group)) {
                        *held += count;
                        *hungry = count >= *places;
                    }
                }
            }
            if !hungry.contains(&true) {
                return false;
            }
        }
    }

    /// Claims from one store, by kind.
    async fn claim_from(&mut self, index: usize, kinds: &[(String, usize)]) -> BTreeMap<String, usize> {
        let mut got = BTreeMap::new();
        let Some(source) = self.sources.get_mut(index) else { return got };
        let Some(instance_lease) = source.instance_lease.clone().filter(|instance_lease| instance_lease.holds()) else {
            return got;
        };
        let deployment = source.operations.deployment();
        let wanted: Vec<Wanted> = kinds
            .iter()
            .map(|(kind, places)| Wanted::new(&deployment, kind, u32::try_from(*places).unwrap_or(u32::MAX)))
            .collect();
        // Until the response arrives, its contents are unknown.
        source.doubt = true;
        let claimed = match source.operations.store().claim(instance_lease.instance, &wanted).await {
            Ok(claimed) => claimed,
            Err(error) if error.is_lease_lost() => {
                instance_lease.lose();
                return got;
            }
            Err(error) => {
                self.shared.store_failed(&source.operations, error);
                return got;
            }
        };
        source.doubt = false;
        self.claims += 1;
        self.shared.store_works(&source.operations);
        if !claimed.is_empty() {
            self.shared.report(&WorkerEvent::Claimed { count: claimed.len() });
        }
        for held in claimed {
            let (kind, lease) = (held.kind().to_owned(), held.lease().clone());
            *got.entry(kind.clone()).or_default() += 1;
            self.last_given.insert((index, kind.clone()), self.claims);
            let counted = HeldCount::new(&kind);
            let post = Post {
                source: index,
                kind,
                lease,
                failures: held.failures(),
                age: held.age(),
                progress: Arc::new(TaskProgress::new()),
                instance_lease: Arc::clone(&instance_lease),
                _counted: counted,
            };
            let Some(attendance) = attendance(&self.sources, &self.shared, &post) else { continue };
            let hold = instance_lease.hold();
            let task = async move {
                let _hold = hold;
                attendance.run(held).await;
            };
            let id = self.tasks.spawn(task).id();
            self.posts.insert(id, post);
        }
        got
    }

    /// Handles the end of a task. One that panicked did so in a handler.
    fn ended(&mut self, done: Result<(Id, ()), tokio::task::JoinError>) {
        let (id, panicked) = match &done {
            Ok((id, ())) => (*id, false),
            Err(error) => (error.id(), error.is_panic()),
        };
        let Some(post) = self.posts.remove(&id) else { return };
        if !panicked {
            return;
        }
        let Some(attendance) = attendance(&self.sources, &self.shared, &post) else { return };
        let id = self.tasks.spawn(async move { attendance.fail("the handler panicked").await }).id();
        self.posts.insert(id, post);
    }

    /// Lets handlers end, then returns all leases.
    async fn stop(mut self) {
        self.shared.stop();
        let grace = self.shared.settings.grace;
        let rest = async {
            while let Some(done) = self.tasks.join_next_with_id().await {
                self.ended(done);
            }
        };
        if clock::limit(grace, rest).await.is_err() {
            self.tasks.shutdown().await;
        }
        self.keepers.shutdown().await;
        for source in &self.sources {
            // Lost leases may still be unclaimed: returned, their operations need not wait until the time of this
            // instance is over.
            for instance in source
                .instance_lease
                .as_ref()
                .map(|instance_lease| instance_lease.instance)
                .into_iter()
                .chain(source.before)
            {
                if let Err(error) = source.operations.store().leave(instance).await {
                    self.shared.store_failed(&source.operations, error);
                }
            }
        }
    }
}

fn attendance(sources: &[Source], shared: &Arc<Shared>, post: &Post) -> Option<Attendance> {
    Some(Attendance {
        shared: Arc::clone(shared),
        operations: sources.get(post.source)?.operations.clone(),
        instance_lease: Arc::clone(&post.instance_lease),
        lease: post.lease.clone(),
        kind: post.kind.clone(),
        failures: post.failures,
        age: post.age,
        progress: Arc::clone(&post.progress),
    })
}

/// Waits for the first of them.
async fn any(wakes: &mut [WakeFuture<'_>]) {
    poll_fn(|context| match wakes.iter_mut().any(|wake| wake.as_mut().poll(context).is_ready()) {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
    .await;
}
