//! Metrics of a client, by the names of OpenTelemetry's semantic conventions. Without the feature `metrics`, nothing is
//! measured.

/// A request in progress, with the labels of its metrics.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "only measurements read it"))]
pub(crate) struct Sent<'a> {
    pub(crate) method: &'static str,
    /// The path template of the contract; empty if the contract has no path for it.
    pub(crate) template: &'static str,
    pub(crate) host: &'a str,
    pub(crate) port: u16,
}

/// Counts a request while it is in progress, and measures its duration up to the head of its response. A request that
/// its caller drops is counted down, and not measured.
#[derive(Debug)]
pub(crate) struct InFlight<'a> {
    sent: Sent<'a>,
    #[cfg(feature = "metrics")]
    begin: std::time::Instant,
}

impl<'a> InFlight<'a> {
    pub(crate) fn new(sent: Sent<'a>) -> Self {
        #[cfg(feature = "metrics")]
        metrics::gauge!("http.client.active_requests", labels(sent)).increment(1.0);
        Self {
            sent,
            #[cfg(feature = "metrics")]
            begin: std::time::Instant::now(),
        }
    }

    /// Records its end: the status, or the kind of its error.
    pub(crate) fn end(self, status: Option<u16>, error: Option<&str>) {
        #[cfg(feature = "metrics")]
        {
            let mut labels = labels(self.sent);
            labels.extend(status.map(|status| metrics::Label::new("http.response.status_code", status.to_string())));
            labels.extend(error.map(|error| metrics::Label::new("error.type", error.to_owned())));
            metrics::histogram!("http.client.request.duration", labels).record(self.begin.elapsed().as_secs_f64());
        }
        #[cfg(not(feature = "metrics"))]
        let _ = (self.sent, status, error);
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        #[cfg(feature = "metrics")]
        metrics::gauge!("http.client.active_requests", labels(self.sent)).decrement(1.0);
    }
}

#[cfg(feature = "metrics")]
fn labels(sent: Sent<'_>) -> Vec<metrics::Label> {
    let mut labels = vec![
        metrics::Label::from_static_parts("http.request.method", sent.method),
        metrics::Label::new("server.address", sent.host.to_owned()),
        metrics::Label::new("server.port", sent.port.to_string()),
    ];
    if !sent.template.is_empty() {
        labels.push(metrics::Label::from_static_parts("url.template", sent.template));
    }
    labels
}

/// Records a call that has ended after this many retries.
pub(crate) fn call(operation: &'static str, family: &'static str, retries: u32, error: Option<&str>) {
    #[cfg(feature = "metrics")]
    {
        let mut labels = vec![metrics::Label::from_static_parts("operation", operation)];
        if !family.is_empty() {
            labels.push(metrics::Label::from_static_parts("family", family));
        }
        metrics::counter!("driftless.client.retries", labels.clone()).increment(u64::from(retries));
        labels.extend(error.map(|error| metrics::Label::new("error.type", error.to_owned())));
        metrics::counter!("driftless.client.calls", labels).increment(1);
    }
    #[cfg(not(feature = "metrics"))]
    let _ = (operation, family, retries, error);
}

/// Records that a credential was asked for a token, or lost one.
pub(crate) fn token(outcome: &'static str) {
    #[cfg(feature = "metrics")]
    metrics::counter!("driftless.client.tokens", "outcome" => outcome).increment(1);
    #[cfg(not(feature = "metrics"))]
    let _ = outcome;
}

/// The counters of workers, by the kind of the operation if it has one.
#[cfg(feature = "operations")]
pub(crate) fn worker(count: WorkerCount<'_>) {
    #[cfg(feature = "metrics")]
    match count {
        WorkerCount::Claimed(count) => metrics::counter!("driftless.worker.claims").increment(count),
        WorkerCount::Handled { kind, outcome, took } => {
            let kind = kind.to_owned();
            metrics::histogram!("driftless.worker.handling.duration", "kind" => kind.clone())
                .record(took.as_secs_f64());
            metrics::counter!("driftless.worker.handled", "kind" => kind, "outcome" => outcome).increment(1);
        }
        WorkerCount::Failed { kind, error } => {
            let labels = ["kind".to_owned(), "error.type".to_owned()].into_iter().zip([kind, error]);
            let labels: Vec<_> = labels.map(|(name, value)| metrics::Label::new(name, value.to_owned())).collect();
            metrics::counter!("driftless.worker.failures", labels).increment(1);
        }
        WorkerCount::Discarded { kind, cause } => {
            let labels = [("kind", kind.to_owned()), ("cause", cause.to_owned())];
            let labels: Vec<_> = labels.into_iter().map(|(name, value)| metrics::Label::new(name, value)).collect();
            metrics::counter!("driftless.worker.discarded", labels).increment(1);
        }
        WorkerCount::Yielded { kind } => {
            metrics::counter!("driftless.worker.yielded", "kind" => kind.to_owned()).increment(1);
        }
        WorkerCount::Lease(lease) => metrics::gauge!("driftless.worker.lease").set(lease.as_secs_f64()),
        WorkerCount::Lost(count) => metrics::counter!("driftless.worker.leases_lost").increment(count),
        WorkerCount::StoreFailed { error } => {
            metrics::counter!("driftless.worker.store_failures", "error.type" => error.to_owned()).increment(1);
        }
        WorkerCount::Purged(count) => metrics::counter!("driftless.worker.purged").increment(count),
    }
    #[cfg(not(feature = "metrics"))]
    let _ = count;
}

#[cfg(feature = "operations")]
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "metrics"), allow(dead_code, reason = "only measurements read it"))]
pub(crate) enum WorkerCount<'a> {
    Claimed(u64),
    Handled { kind: &'a str, outcome: &'static str, took: std::time::Duration },
    Failed { kind: &'a str, error: &'a str },
    Discarded { kind: &'a str, cause: &'static str },
    Yielded { kind: &'a str },
    Lease(std::time::Duration),
    Lost(u64),
    StoreFailed { error: &'a str },
    Purged(u64),
}

/// An operation, while a worker has its lease.
#[cfg(feature = "operations")]
#[derive(Debug)]
pub(crate) struct HeldCount(#[cfg(feature = "metrics")] metrics::Gauge);

#[cfg(feature = "operations")]
impl HeldCount {
    #[cfg_attr(not(feature = "metrics"), allow(unused_variables, reason = "only measurements read it"))]
    pub(crate) fn new(kind: &str) -> Self {
        #[cfg(feature = "metrics")]
        {
            let gauge = metrics::gauge!("driftless.worker.held", "kind" => kind.to_owned());
            gauge.increment(1.0);
            Self(gauge)
        }
        #[cfg(not(feature = "metrics"))]
        Self()
    }
}

#[cfg(feature = "operations")]
impl Drop for HeldCount {
    fn drop(&mut self) {
        #[cfg(feature = "metrics")]
        self.0.decrement(1.0);
    }
}

/// A subscription, from its start until it is dropped.
#[cfg(feature = "graphql")]
#[derive(Debug)]
pub(crate) struct OpenSubscription(());

#[cfg(feature = "graphql")]
impl OpenSubscription {
    pub(crate) fn new() -> Self {
        #[cfg(feature = "metrics")]
        metrics::gauge!("driftless.client.subscriptions").increment(1.0);
        Self(())
    }
}

#[cfg(feature = "graphql")]
impl Drop for OpenSubscription {
    fn drop(&mut self) {
        #[cfg(feature = "metrics")]
        metrics::gauge!("driftless.client.subscriptions").decrement(1.0);
    }
}
