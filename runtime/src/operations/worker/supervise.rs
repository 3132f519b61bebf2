//! The supervisor of a worker: instances, slots, and the operations in them.

use std::{
    collections::{BTreeMap, HashMap},
    future::poll_fn,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use tokio::task::{Id, JoinSet};

use super::{
    EventHook, Settings, WorkerEvent,
    attend::Attendance,
    handler::Handler,
    instance_lease::InstanceLease,
    plan::{Action, Group, PURGED, Plan, PlanSettings, Ticket},
    progress::TaskProgress,
    shared::Shared,
    task_plan::TaskPlan,
};
use crate::{
    clock::{self, random},
    error::{Error, Kind},
    operations::{Demand, HeldOperation, Instance, Lease, Operations, WakeFuture, Wanted},
    telemetry::HeldCount,
};

/// One deployment, and this instance in its store.
struct Source {
    operations: Operations,
    kinds: Vec<String>,
    instance_lease: Option<Arc<InstanceLease>>,
    /// The previous instance, until the store releases it.
    before: Option<Instance>,
}

/// The group of an operation's task.
struct Post {
    ticket: Ticket,
    source: usize,
    kind: String,
    lease: Lease,
    failures: u32,
    age: Duration,
    progress: Arc<TaskProgress>,
    instance_lease: Arc<InstanceLease>,
    _counted: HeldCount,
}

/// Carries out the actions of a [`Plan`].
pub(super) struct Supervisor {
    plan: Plan,
    sources: Vec<Source>,
    shared: Arc<Shared>,
    posts: HashMap<Id, Post>,
    tasks: JoinSet<()>,
    /// The tasks that renew leases. They run to the end.
    keepers: JoinSet<()>,
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
                return Err(Error::with(Kind::Configuration, message).hint(
                    "bind a kind in the configuration and regenerate, turn on the features of its operation, or name it \
                     with `Operations::with_binding`",
                ));
            }
            sources.push(Source { operations, kinds, instance_lease: None, before: None });
        }
        let Settings { poll, turn, watching, retention, .. } = settings;
        let planned = sources.iter().map(|source| (source.kinds.clone(), source.operations.options().patience()));
        let plan = Plan::new(PlanSettings { poll, turn, watching, retention }, planned.collect(), clock::now());
        Ok(Self {
            plan,
            sources,
            shared: Shared::new(settings, report, handler),
            posts: HashMap::new(),
            tasks: JoinSet::new(),
            keepers: JoinSet::new(),
        })
    }

    pub(super) async fn run(mut self, stop: impl Future<Output = ()> + Send) {
        tokio::pin!(stop);
        loop {
            // A wake during the round counts, too.
            let operations: Vec<Operations> = self.sources.iter().map(|source| source.operations.clone()).collect();
            let mut wakes: Vec<WakeFuture<'_>> =
                operations.iter().map(|operations| operations.store().wake()).collect();
            let deadline = tokio::select! {
                biased;
                () = &mut stop => break,
                deadline = self.round() => deadline,
            };
            let instance_leases: Vec<Arc<InstanceLease>> =
                self.sources.iter().filter_map(|source| source.instance_lease.clone()).collect();
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(done) = self.tasks.join_next_with_id() => self.ended(done),
                () = any(&mut wakes) => {}
                () = InstanceLease::any_lost(&instance_leases) => {}
                () = deadline.sleep() => {}
            }
            while let Some(done) = self.tasks.try_join_next_with_id() {
                self.ended(done);
            }
            self.lose();
            self.plan.wake();
        }
        self.stop().await;
    }

    /// Carries out actions until the plan rests. Returns the time of the next round.
    async fn round(&mut self) -> clock::Until {
        loop {
            match self.plan.next(clock::now(), random()) {
                Action::Wait(deadline) => return deadline,
                Action::Enlist { source } => self.enlist(source).await,
                Action::Leave { source, instance } => self.leave(source, instance).await,
                Action::Recall { source, instance } => self.recall(source, instance).await,
                Action::Purge { source, age } => self.purge(source, age).await,
                Action::Survey => self.survey().await,
                Action::Claim { source, instance, wanted } => self.claim(source, instance, &wanted).await,
            }
        }
    }

    /// Reports instances whose leases are lost.
    fn lose(&mut self) {
        for (index, source) in self.sources.iter_mut().enumerate() {
            let Some(instance_lease) = source.instance_lease.take_if(|instance_lease| instance_lease.is_lost()) else {
                continue;
            };
            let (instance, operations) = (instance_lease.instance, instance_lease.operations());
            source.before = Some(instance);
            self.plan.lost(index);
            self.shared.lease_lost();
            self.shared.report(&WorkerEvent::LeaseLost { instance, operations });
        }
    }

    async fn enlist(&mut self, index: usize) {
        let Some(source) = self.sources.get_mut(index) else { return };
        let (lease, asked) = (self.shared.lease(), clock::now());
        match source.operations.store().enlist(&self.shared.settings.name, lease).await {
            Ok(instance) => {
                self.shared.store_works(&source.operations);
                let instance_lease = InstanceLease::new(instance, asked, lease);
                self.keepers
                    .spawn(Arc::clone(&instance_lease).keep(source.operations.clone(), Arc::clone(&self.shared)));
                source.instance_lease = Some(instance_lease);
                self.plan.enlisted(index, instance);
                self.shared.report(&WorkerEvent::Enlisted { instance });
            }
            Err(error) => self.shared.store_failed(&source.operations, error),
        }
    }

    async fn leave(&mut self, index: usize, before: Instance) {
        let Some(source) = self.sources.get_mut(index) else { return };
        match source.operations.store().leave(before).await {
            Ok(()) => {
                source.before = None;
                self.plan.left(index);
            }
            Err(error) => self.shared.store_failed(&source.operations, error),
        }
    }

    async fn recall(&mut self, index: usize, instance: Instance) {
        let Some(source) = self.sources.get(index) else { return };
        let Ok(leases) = source.operations.store().leases(instance).await else { return };
        let known: BTreeMap<&str, u64> =
            self.posts.values().map(|post| (post.lease.correlation(), post.lease.fence())).collect();
        for lease in leases.iter().filter(|lease| known.get(lease.correlation()) != Some(&lease.fence())) {
            let given = source.operations.store().put_back(lease, Duration::ZERO, None).await;
            if given.is_err_and(|error| !error.is_lease_lost()) {
                return;
            }
        }
        self.plan.recalled(index);
    }

    async fn purge(&mut self, index: usize, age: Duration) {
        let (Some(source), now) = (self.sources.get(index), clock::now()) else { return };
        match source.operations.store().purge(&source.operations.deployment(), age, PURGED).await {
            Ok(0) => {}
            Ok(count) => {
                self.plan.purged(index, count, now);
                self.shared.report(&WorkerEvent::Purged { count });
            }
            Err(error) => self.shared.store_failed(&source.operations, error),
        }
    }

    async fn survey(&mut self) {
        let (now, mut demands) = (clock::now(), HashMap::<Group, Demand>::new());
        let limit = u32::try_from(self.shared.settings.watching).unwrap_or(u32::MAX);
        for (index, source) in self.sources.iter().enumerate() {
            let deployment = source.operations.deployment();
            let wanted: Vec<Wanted> = source.kinds.iter().map(|kind| Wanted::new(&deployment, kind, limit)).collect();
            match source.operations.store().demand(&wanted).await {
                Ok(answer) => demands.extend(source.kinds.iter().map(|kind| (index, kind.clone())).zip(answer)),
                Err(error) => self.shared.store_failed(&source.operations, error),
            }
        }
        let states = self.posts.values().map(|post| (post.ticket, post.progress.state())).collect();
        let requests: HashMap<Ticket, _> = self.plan.surveyed(&demands, &states, now).into_iter().collect();
        for post in self.posts.values() {
            if let Some(request) = requests.get(&post.ticket) {
                post.progress.request(*request);
            }
        }
    }

    /// Claims from one store, by kind.
    async fn claim(&mut self, index: usize, instance: Instance, wanted: &[(String, usize)]) {
        let Some(source) = self.sources.get(index) else { return };
        let Some(instance_lease) = source.instance_lease.clone().filter(|instance_lease| instance_lease.holds()) else {
            return;
        };
        let deployment = source.operations.deployment();
        let wanted: Vec<Wanted> = wanted
            .iter()
            .map(|(kind, places)| Wanted::new(&deployment, kind, u32::try_from(*places).unwrap_or(u32::MAX)))
            .collect();
        match source.operations.store().claim(instance, &wanted).await {
            Ok(claimed) => {
                self.shared.store_works(&source.operations);
                if !claimed.is_empty() {
                    self.shared.report(&WorkerEvent::Claimed { count: claimed.len() });
                }
                self.attend(index, &instance_lease, claimed);
            }
            Err(error) => {
                self.plan.doubt(index);
                match error.is_lease_lost() {
                    true => instance_lease.lose(),
                    false => self.shared.store_failed(&source.operations, error),
                }
            }
        }
    }

    /// Starts the tasks of claimed operations.
    fn attend(&mut self, index: usize, instance_lease: &Arc<InstanceLease>, claimed: Vec<HeldOperation>) {
        let kinds: Vec<String> = claimed.iter().map(|operation| operation.kind().to_owned()).collect();
        let tickets = self.plan.claimed(index, &kinds, clock::now());
        for ((operation, kind), ticket) in claimed.into_iter().zip(kinds).zip(tickets) {
            let post = Post {
                ticket,
                source: index,
                lease: operation.lease().clone(),
                failures: operation.failures(),
                age: operation.age(),
                progress: Arc::new(TaskProgress::new()),
                instance_lease: Arc::clone(instance_lease),
                _counted: HeldCount::new(&kind),
                kind,
            };
            let Some(attendance) = attendance(&self.sources, &self.shared, &post) else {
                self.plan.ended(ticket);
                continue;
            };
            let hold = instance_lease.hold();
            let task = async move {
                let _hold = hold;
                attendance.run(operation).await;
            };
            self.posts.insert(self.tasks.spawn(task).id(), post);
        }
    }

    /// Handles the end of a task. One that panicked did so in a handler.
    fn ended(&mut self, done: Result<(Id, ()), tokio::task::JoinError>) {
        let (id, panicked) = match &done {
            Ok((id, ())) => (*id, false),
            Err(error) => (error.id(), error.is_panic()),
        };
        let Some(post) = self.posts.remove(&id) else { return };
        let attendance = attendance(&self.sources, &self.shared, &post).filter(|_| panicked);
        let Some(mut attendance) = attendance else { return self.plan.ended(post.ticket) };
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
    let operations = sources.get(post.source)?.operations.clone();
    let settings = shared.settings.task(operations.options().patience());
    Some(Attendance {
        shared: Arc::clone(shared),
        operations,
        instance_lease: Arc::clone(&post.instance_lease),
        lease: post.lease.clone(),
        kind: post.kind.clone(),
        plan: TaskPlan::new(settings, post.failures, post.age, post.progress.since()),
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
