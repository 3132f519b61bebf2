//! Submits: intent, request, acceptance.

use std::{collections::BTreeMap, time::SystemTime};

use serde_json::Value;
use uuid::{Builder, Uuid};

use super::{Binding, Intent, Operation, OperationRef, Operations, Status, binding::text, memory::taken, time::millis};
use crate::{
    Bytes, Call, Error, Method, Request, Submission,
    error::Kind,
    session::{Options, send},
    wire::{Prepared, decode, parameters_of, set_header},
};

impl<T> Submission<'_, T> {
    /// Submits: keeps the intent, sends the request once, keeps the acceptance, and gives the operation.
    ///
    /// # Errors
    ///
    /// - The store has the label already: nothing was sent. Resume that submission.
    /// - The request was refused, or did not leave: the store forgets the intent.
    /// - [`is_submission_unknown`](Error::is_submission_unknown): the connection broke, the deadline passed, the service
    ///   failed, or gave no identifier. The store keeps the intent; nothing is sent again.
    /// - The store could not keep the acceptance: [`Error::accepted`] has the reference.
    pub async fn submit(self, operations: &Operations) -> Result<Operation, Error> {
        let (prepared, options, draft) = self.draft(operations)?;
        let intent = Intent {
            correlation: correlation()?,
            label: draft.label,
            kind: draft.binding.kind.to_owned(),
            deployment: operations.deployment(),
            at: millis(SystemTime::now()),
        };
        operations.store().intend(&intent).await?;
        run(operations, draft.binding, &prepared, options, &intent).await
    }

    /// Submits again what is in the store under the same label, and of which nobody knows whether it arrived. The service
    /// recognises the repetition by the header that the configuration names, so that no work is begun twice.
    ///
    /// # Errors
    ///
    /// The configuration names no such header, or the store has no such submission of the label; else as for
    /// [`submit`](Self::submit).
    pub async fn resubmit(self, operations: &Operations) -> Result<Operation, Error> {
        let (prepared, options, draft) = self.draft(operations)?;
        if draft.binding.idempotency.is_none() {
            let what = format!("the service does not recognise repeated submissions of kind `{}`", draft.binding.kind);
            return Err(
                Error::new(Kind::Configuration, what).hint("look on the platform, then adopt or forget the submission")
            );
        }
        let label = draft.label.unwrap_or_default();
        let entry = operations.labelled(&label).await?.ok_or_else(super::memory::absent)?;
        if entry.status() != Status::SubmissionUnknown {
            return Err(taken());
        }
        run(operations, draft.binding, &prepared, options, entry.intent()).await
    }

    fn draft(self, operations: &Operations) -> Result<(Prepared, Options, Draft), Error> {
        let Self { call, kind, label } = self;
        if call.platform.0.base != operations.platform().0.base {
            return Err(Error::new(
                Kind::Configuration,
                "the submission and the operations are those of different clients",
            )
            .hint("take both from the same client"));
        }
        let binding = operations.binding(kind)?;
        Ok((call.prepared?, call.options, Draft { binding, label }))
    }
}

impl Request<'_> {
    /// Submits by a binding of the caller's own, which [`Operations::with_binding`] has: for what no generated operation
    /// covers.
    ///
    /// # Errors
    ///
    /// As for [`Submission::submit`].
    pub async fn submit(self, operations: &Operations, kind: &str, label: Option<&str>) -> Result<Operation, Error> {
        self.submission(operations, kind, label)?.submit(operations).await
    }

    /// Submits again what is in the store under the label, and of which nobody knows whether it arrived.
    ///
    /// # Errors
    ///
    /// As for [`Submission::resubmit`].
    pub async fn resubmit(self, operations: &Operations, kind: &str, label: &str) -> Result<Operation, Error> {
        self.submission(operations, kind, Some(label))?.resubmit(operations).await
    }
}

impl<'a> Request<'a> {
    fn submission(
        self,
        operations: &Operations,
        kind: &str,
        label: Option<&str>,
    ) -> Result<Submission<'a, Bytes>, Error> {
        let kind = operations.binding(kind)?.kind;
        let (platform, prepared, options) = self.into_parts(false);
        let call = Call::new(platform, "request", prepared, options, decode::bytes);
        Ok(Submission { call, kind, label: label.map(str::to_owned) })
    }
}

struct Draft {
    binding: &'static Binding,
    label: Option<String>,
}

async fn run(
    operations: &Operations,
    binding: &'static Binding,
    prepared: &Prepared,
    mut options: Options,
    intent: &Intent,
) -> Result<Operation, Error> {
    if let Some(header) = binding.idempotency {
        set_header(&mut options.headers, header, intent.correlation())?;
    }
    let platform = operations.platform();
    let raw = match send(&platform.0, prepared, &options).await {
        Ok(raw) => raw,
        Err(error) if may_have_arrived(&error, prepared.method) => {
            return Err(Error::submission_unknown(error, intent.correlation()));
        }
        Err(error) => {
            // Where it cannot be forgotten it shows as unknown, which is safe.
            if let Err(failed) = operations.store().forget(intent.correlation()).await {
                tracing::warn!(code = failed.code(), "a refused submission stays in the store");
            }
            return Err(error);
        }
    };
    let body = raw.bytes().clone();
    let id =
        serde_json::from_slice::<Value>(&body).ok().and_then(|body| body.pointer(binding.identifier).and_then(text));
    let parameters: BTreeMap<String, String> = parameters_of(&platform.0.base, binding.path, &prepared.url);
    let correlation = intent.correlation().to_owned();
    let reference = id
        .ok_or_else(|| {
            Error::new(Kind::Decode, format!("the accepted result has no identifier at `{}`", binding.identifier))
        })
        .and_then(|id| OperationRef::new(binding.kind, id, operations.deployment(), correlation, parameters))
        .map_err(|error| Error::submission_unknown(error.at(prepared.operation), intent.correlation()))?;
    match operations.store().accept(&reference).await {
        Ok(()) => Ok(Operation::new(operations.clone(), binding, reference, Some(body))),
        Err(error) => Err(error.with_accepted(reference)),
    }
}

/// Whether work may have begun in spite of an error. What says nothing of it counts as such.
fn may_have_arrived(error: &Error, method: Method) -> bool {
    if method.is_safe() {
        return false;
    }
    match error.status() {
        // A 2xx that is no good came from a service that has accepted.
        Some(status) => status.is_server_error() || status.is_success() || status.as_u16() == 408,
        None => error.was_sent(),
    }
}

fn correlation() -> Result<String, Error> {
    let mut bytes = [0; 16];
    ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes)
        .map_err(|_| Error::new(Kind::Configuration, "the system gives no random numbers").hint("try again"))?;
    let id: Uuid = Builder::from_random_bytes(bytes).into_uuid();
    Ok(id.to_string())
}
