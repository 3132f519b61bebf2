//! One asynchronous operation.

use std::{
    collections::BTreeMap,
    fmt,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::de::DeserializeOwned;

use super::{
    Binding, Entry, Lease, Observation, ObservationSource, OperationOutcome, OperationRef, OperationState, Operations,
    Status, WatchOptions, Watched, address,
    binding::text,
    error::{absent, submission_unknown},
};
use crate::{
    Client, Error, Method, Object, Value,
    client::{Options, send},
    clock,
    error::Kind,
    graphql::{Hub, Subscription},
    json::lenient,
    protocol::{Content, Prepared, Raw, url},
};

impl Client {
    /// Returns an operation that was submitted before, here or elsewhere. Its observations are not stored; see
    /// [`Operations::operation`] to store them.
    ///
    /// # Errors
    ///
    /// The reference belongs to another deployment, or to a kind that this client does not know.
    pub fn operation(&self, reference: OperationRef) -> Result<Operation, Error> {
        self.operations().operation(reference)
    }
}

impl Operations {
    /// Returns an operation that was submitted before, here or elsewhere.
    ///
    /// # Errors
    ///
    /// The reference belongs to another deployment, or to a kind that this client does not know.
    pub fn operation(&self, reference: OperationRef) -> Result<Operation, Error> {
        if reference.deployment() != self.deployment() {
            return Err(Error::with(Kind::Reference, "the reference belongs to another deployment")
                .hint("use a client with the base address of the deployment that accepted the operation"));
        }
        let binding = self.binding(reference.kind())?;
        Ok(Operation::new(self.clone(), binding, reference, None))
    }

    /// Returns the operation of an entry of the store.
    ///
    /// # Errors
    ///
    /// It is unknown whether the submission arrived ([`Error::is_submission_unknown`]), or the reference of the entry
    /// is not that of its submission; else as for [`operation`](Self::operation).
    pub fn resume(&self, entry: &Entry) -> Result<Operation, Error> {
        entry.check()?;
        match entry.reference() {
            Some(reference) => self.operation(reference.clone()),
            None => {
                let cause = Error::with(Kind::SubmissionUnknown, "its program ended before the answer was stored");
                Err(submission_unknown(cause, entry.intent()))
            }
        }
    }

    /// Completes a submission that may or may not have arrived with the identifier that the service shows for it. If the
    /// binding takes the identifier from an address ([`Watched::header`]), `id` is that address, as a URL or as a path; the
    /// identifier alone is enough if its address has no other parameters.
    ///
    /// # Errors
    ///
    /// The store fails or has no such submission; the identifier is invalid, or not enough; the address belongs to another
    /// service or to another operation.
    pub async fn adopt(&self, correlation: &str, id: &str) -> Result<Operation, Error> {
        let entry = self.store().entry(correlation).await?.ok_or_else(absent)?;
        if entry.status() != Status::SubmissionUnknown {
            return Err(Error::with(Kind::Store, "the submission already has an identifier").hint("resume it"));
        }
        let intent = entry.intent();
        let watched = self.binding(intent.kind())?.watch.filter(|watched| watched.header.is_some());
        let reference = match watched {
            Some(watched) if id.starts_with('/') || id.contains("://") => {
                let base = &self.client().session.base;
                address::read(id, &watched, base, base)?.reference(intent)?
            }
            _ => OperationRef::from_intent(intent, id.to_owned())?,
        };
        if let Some(watched) = watched {
            let template = watched.path.split('?').next().unwrap_or_default();
            address::fill(template, watched.parameter, reference.id(), reference.address())
                .map_err(|error| error.hint("pass the address of the operation, which has all its parameters"))?;
        }
        self.store().accept(&reference).await?;
        self.operation(reference)
    }
}

/// One asynchronous operation, identified by its reference.
#[derive(Clone)]
pub struct Operation {
    operations: Operations,
    binding: &'static Binding,
    reference: OperationRef,
    accepted: Option<Bytes>,
    /// The lease under which this instance watches it. Every write of a worker carries it.
    lease: Option<Lease>,
}

impl Operation {
    pub(super) fn new(
        operations: Operations,
        binding: &'static Binding,
        reference: OperationRef,
        accepted: Option<Bytes>,
    ) -> Self {
        Self { operations, binding, reference, accepted, lease: None }
    }

    pub(super) fn under(mut self, lease: Lease) -> Self {
        self.lease = Some(lease);
        self
    }

    /// Returns its reference: store it to get the operation again.
    pub fn reference(&self) -> &OperationRef {
        &self.reference
    }

    /// Returns the accepted result if this operation was just submitted.
    ///
    /// # Errors
    ///
    /// The accepted result is not of that type, or the operation was created from its reference.
    pub fn accepted<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let Some(body) = &self.accepted else {
            return Err(Error::with(Kind::Decode, "the operation was resumed, and its accepted result is not stored")
                .hint("look with `poll`"));
        };
        lenient::from_slice(body).map_err(|cause| Error::decode("the accepted result", &cause))
    }

    /// Queries it once.
    ///
    /// # Errors
    ///
    /// As for any call; [`is_operation_missing`](Error::is_operation_missing) if the service does not return the
    /// operation, and the time in which it may become visible is over.
    pub async fn poll(&self) -> Result<Observation, Error> {
        let data = self.look().await?;
        let raw = data.pointer(self.binding.state).and_then(text);
        let state = raw.as_deref().map_or(OperationState::NotVisible, |raw| self.binding.states.read(raw));
        if state == OperationState::NotVisible && self.age() > self.options().visibility {
            return Err(self.missing());
        }
        let names = self.binding.events.map(|events| events.names(&data, events.list)).unwrap_or_default();
        let mut observation = Observation::new(state, raw, ObservationSource::Query, data);
        observation.events.extend(names);
        self.keep(&observation).await?;
        Ok(observation)
    }

    /// Asks the service to cancel it. Its state tells when it is cancelled.
    ///
    /// # Cancellation safety
    ///
    /// If the future is dropped before its end, the request may or may not have reached the service: query the state,
    /// or ask again.
    ///
    /// # Errors
    ///
    /// The configuration has no operation that cancels it; else as for any call.
    pub async fn cancel(&self) -> Result<(), Error> {
        let Some(cancel) = &self.binding.cancel else {
            return Err(Error::with(
                Kind::Configuration,
                format!("operations of kind `{}` have no way to cancel", self.binding.kind),
            )
            .hint("name the operation that cancels in the configuration"));
        };
        self.request("cancel", cancel.method, cancel.path, cancel.parameter, self.reference.parameters())
            .await
            .map(drop)
    }

    /// Sends a request about it: `path` takes these values, and the identifier as `parameter`.
    async fn request(
        &self,
        name: &'static str,
        method: Method,
        path: &'static str,
        parameter: &str,
        values: &BTreeMap<String, String>,
    ) -> Result<Raw, Error> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let query = address::fill_query(query, |name| values.get(name).map(String::as_str));
        let path = address::fill(path, parameter, self.reference.id(), values)?;
        let session = &self.operations.client().session;
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        let prepared = Prepared {
            operation: name,
            family: "",
            template: "",
            method,
            url: url(&session.base, &path, &query)?,
            headers,
            body: Content::None,
            stream: false,
            redirects: &[],
            security: session.security,
            taken: Vec::new(),
        };
        send(session, &prepared, &Options::default()).await
    }

    /// Records in the store that it is finished. Returns `true` for the first caller among all programs: actions before
    /// this call happen at least once, and actions after it on `true` happen at most once.
    ///
    /// # Errors
    ///
    /// The store fails, or has no such operation.
    pub async fn finish(&self, outcome: &OperationOutcome) -> Result<bool, Error> {
        self.operations.store().finish(self.reference.correlation(), outcome.name(), self.lease.as_ref()).await
    }

    #[cfg(all(test, feature = "testing"))]
    pub(super) fn operations(&self) -> &Operations {
        &self.operations
    }

    pub(super) fn binding(&self) -> &'static Binding {
        self.binding
    }

    pub(super) fn options(&self) -> WatchOptions {
        self.operations.options()
    }

    /// Returns the time since it was accepted, as far as this program knows. A worker does not know it, since another
    /// instance recorded it by its own clock. So a worker gives each operation the whole time to become visible, from
    /// its claim on.
    pub(super) fn age(&self) -> Duration {
        match self.lease {
            Some(_) => Duration::ZERO,
            None => SystemTime::now().duration_since(self.reference.accepted_at()).unwrap_or_default(),
        }
    }

    fn variables(&self) -> Value {
        [(self.binding.variable, self.reference.id())].into_iter().collect::<Object>().into()
    }

    /// Queries it once, in its turn.
    pub(super) async fn look(&self) -> Result<Value, Error> {
        let client = self.operations.client();
        let _turn = Hub::for_session(&client.session).looks.acquire().await;
        let begun = clock::now();
        if let Some(watched) = &self.binding.watch {
            let data = self.read(watched).await?;
            tracing::trace!(kind = self.binding.kind, elapsed = ?begun.elapsed(), "looked at an operation");
            return Ok(data);
        }
        let answer = client.graphql().query::<Value, _>(self.binding.query, self.variables()).await?;
        tracing::trace!(kind = self.binding.kind, elapsed = ?begun.elapsed(), "looked at an operation");
        // A part that failed is not the same as one that does not exist.
        let hidden = answer.data().and_then(|data| data.pointer(self.binding.state)).is_none_or(Value::is_null);
        match answer.data() {
            Some(data) if !hidden || answer.errors().is_empty() => Ok(data.clone()),
            _ => answer.into_data(),
        }
    }

    /// Reads it from the operation of the contract that shows it.
    async fn read(&self, watched: &Watched) -> Result<Value, Error> {
        let values = match watched.header {
            Some(_) => self.reference.address(),
            None => self.reference.parameters(),
        };
        match self.request("watch", Method::Get, watched.path, watched.parameter, values).await {
            Ok(raw) if raw.status == StatusCode::NO_CONTENT => Ok(Value::Null),
            Ok(raw) => Value::read(&raw.json_text()?)
                .map_err(|_| Error::with(Kind::Decode, "the operation is not shown as JSON").with_status(raw.status)),
            // It may become visible later.
            Err(error) if error.is_not_found() => Ok(Value::Null),
            Err(error) => Err(error),
        }
    }

    pub(super) fn subscribe(&self) -> Option<Subscription<Value>> {
        let document = self.binding.subscription?;
        Some(self.operations.client().graphql().subscribe(document, self.variables()))
    }

    pub(super) async fn keep(&self, observation: &Observation) -> Result<(), Error> {
        self.operations.store().observe(self.reference.correlation(), observation, self.lease.as_ref()).await
    }

    pub(super) fn missing(&self) -> Error {
        Error::with(
            Kind::Missing,
            format!("the service does not show the {} {}", self.binding.kind, self.reference.id()),
        )
        .hint("it was accepted, and did not become visible in time: check the caller's permissions, and the operation on the service")
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation").field("reference", &self.reference).finish_non_exhaustive()
    }
}
