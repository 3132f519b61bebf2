//! Submits: intent, request, acceptance.

use std::{
    collections::BTreeMap,
    time::{Duration, SystemTime},
};

use uuid::{Builder, Uuid};

use super::{
    Binding, Entry, Intent, Operation, Operations, Status, accepted,
    attempt::Attempt,
    contents::Contents,
    detached::detached,
    error::{absent, mismatch, submission_unknown, taken},
    intent::SubmissionKey,
    time::millis,
};
use crate::{
    Bytes, Call, Error, Request, Submission,
    client::{Options, send_tracked},
    clock,
    error::Kind,
    protocol::{Prepared, decode, parameters_of, set_header},
};

impl<T> Submission<'_, T> {
    /// Submits: stores that the submission may arrive, sends the request, stores the acceptance, and returns the
    /// operation.
    ///
    /// # Errors
    ///
    /// - The store has the label already: nothing was sent. Resume that submission.
    /// - The submission has a label, and its body is a stream, which cannot be compared: nothing was sent.
    /// - Every attempt was clearly refused, or was not sent, and no other program has one in progress: the store
    ///   forgets it.
    /// - [`is_submission_unknown`](Error::is_submission_unknown): some attempt had no response, met a failure of the
    ///   service, or was accepted without an identifier, whatever the responses to the others. The store keeps the
    ///   submission.
    /// - The store could not keep the acceptance: [`Error::accepted`] has the reference.
    ///
    /// # Cancellation safety
    ///
    /// The future may be dropped at any point. If it is dropped before an attempt asks for a connection, or between
    /// attempts that were clearly refused, it leaves nothing: a task of the runtime removes the entry from the store,
    /// and the label is free. After that point, it is unknown whether the attempt was sent, and the submission stays
    /// unknown; a task stores a response that has arrived. So the runtime has to go on. A program that is killed leaves
    /// the entry as unknown.
    pub async fn submit(self, operations: &Operations) -> Result<Operation, Error> {
        let draft = self.draft(operations).await?;
        let intent = draft.intent(operations)?;
        let draft = draft.keyed(&intent)?;
        let attempt = draft.within(Attempt::first(operations, &intent)).await?;
        draft.run(operations, &intent, attempt).await
    }

    /// Submits again the stored submission of the same label, of which it is unknown whether it arrived. The service
    /// recognises the repetition by the header that the configuration names, so that no work is begun twice.
    ///
    /// # Errors
    ///
    /// - The configuration names no such header, or an attempt was sent without it, or an earlier version of the client stored the
    ///   submission without its contents.
    /// - [`is_label_mismatch`](Error::is_label_mismatch): the label was submitted with other contents, as for
    ///   [`Operations::submit_or_resume`].
    /// - The store has no such submission of the label.
    /// - Else as for [`submit`](Self::submit). A refusal does not mean that the attempts before it did not arrive: the
    ///   error is [`is_submission_unknown`](Error::is_submission_unknown), has the status, and the store keeps the
    ///   submission.
    ///
    /// # Cancellation safety
    ///
    /// As for [`submit`](Self::submit): an attempt that was not sent is withdrawn. Those before it stay, and so the
    /// submission stays unknown.
    pub async fn resubmit(self, operations: &Operations) -> Result<Operation, Error> {
        let draft = self.draft(operations).await?;
        let header = draft.header()?;
        let entry = draft.entry(operations).await?.ok_or_else(absent)?;
        let intent = entry.intent();
        draft.is_same(operations, intent)?;
        if entry.status() != Status::SubmissionUnknown {
            return Err(taken());
        }
        draft.fits(intent, header)?;
        let draft = draft.keyed(intent)?;
        let attempt = draft.within(Attempt::another(operations, intent)).await?;
        draft.run(operations, intent, attempt).await
    }

    async fn draft(self, operations: &Operations) -> Result<Draft, Error> {
        let Self { call, kind, label } = self;
        if call.unsent.client.session.base != operations.client().session.base {
            return Err(Error::with(
                Kind::Configuration,
                "the submission and the operations belong to different clients",
            )
            .hint("take both from the same client"));
        }
        let binding = operations.binding(kind)?;
        let (prepared, options) = call.unsent.into_parts()?;
        let patience = options.deadline.unwrap_or(operations.client().session.deadline);
        // A submission starts work, whatever its method is: no attempt is free.
        let options = Options { begins: true, ..options };
        let mut draft = Draft { binding, label, prepared, options, patience, contents: None };
        // Without a label, the submission cannot be found to repeat it.
        if draft.label.is_some() {
            draft.contents = Some(draft.contents(operations).await?);
        }
        Ok(draft)
    }
}

impl Operations {
    /// Submits, or returns the operation that the label was submitted as: by this program before, or by any other one
    /// that shares the store, even at the same time. However many programs ask, the work is begun once. A submission of
    /// which it is unknown whether it arrived is submitted again if the service recognises the repetition.
    ///
    /// An existing operation is returned in any state, even if it has ended.
    ///
    /// A label identifies its contents: the kind, the method, the path, the query, the body, and the headers of the
    /// call. Their spelling does not count: members of JSON, pairs of a query or a form, and parts of a form may change
    /// their order. A file counts by its bytes, which are read before it is sent. Headers count, except for `Authorization`, `Proxy-Authorization`, `Cookie`, `User-Agent`, `Date`,
    /// those that begin with `Accept`, those of traces (`traceparent`, `tracestate`, `baggage`, `b3`, `X-B3-*`) and
    /// requests (`X-Request-Id`, `X-Correlation-Id`, `Request-Id`, the client's own), those of API keys, and the one by
    /// which the service recognises a repetition. Header and cookie parameters of the contract count under every name: give
    /// them the same values again. The client's credential and default headers do not count. The store keeps
    /// fingerprints (SHA-256, made with the random correlation of the submission), not the contents. For a label that an
    /// earlier version of the client submitted, only kind and path parameters are compared, and it is never sent again.
    ///
    /// # Errors
    ///
    /// - The submission has no label, or its body is a stream, which nobody can compare.
    /// - [`is_label_mismatch`](Error::is_label_mismatch): the label was submitted with other contents, whatever its
    ///   state. Nothing was sent.
    /// - [`is_submission_unknown`](Error::is_submission_unknown): it is unknown whether it arrived, and the service
    ///   recognises no repetition.
    /// - It is unknown whether it arrived, and an earlier version of the client stored it without its contents.
    /// - Else as for [`Submission::submit`] and [`Submission::resubmit`].
    ///
    /// # Cancellation safety
    ///
    /// As for [`Submission::submit`] and [`Submission::resubmit`]. Ask again with the same label: the result is the one
    /// operation.
    pub async fn submit_or_resume<'a, T>(&self, submission: impl Into<Submission<'a, T>>) -> Result<Operation, Error> {
        let draft = submission.into().draft(self).await?;
        let fresh = draft.intent(self)?;
        let mut rounds = 0;
        loop {
            let tried = match draft.entry(self).await? {
                None => draft.within(Attempt::first(self, &fresh)).await.map(|attempt| (fresh.clone(), attempt)),
                Some(entry) => {
                    draft.is_same(self, entry.intent())?;
                    if entry.status() != Status::SubmissionUnknown {
                        return self.resume(&entry);
                    }
                    let Some(header) = draft.binding.idempotency else { return self.resume(&entry) };
                    draft.fits(entry.intent(), header)?;
                    let begun = draft.within(Attempt::another(self, entry.intent())).await;
                    begun.map(|attempt| (entry.intent().clone(), attempt))
                }
            };
            match tried {
                Ok((intent, attempt)) => return draft.keyed(&intent)?.run(self, &intent, attempt).await,
                // Another program came first, in between: read again. A label that repeatedly comes and goes is finally
                // an error.
                Err(error) if !error.is_retryable() && rounds < ROUNDS => rounds += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

impl Request<'_> {
    /// Submits by a binding of the caller's, added with [`Operations::with_binding`]: for endpoints without a generated
    /// operation.
    ///
    /// # Errors
    ///
    /// As for [`Submission::submit`].
    pub async fn submit(self, operations: &Operations, kind: &str, label: Option<&str>) -> Result<Operation, Error> {
        self.submission(operations, kind, label)?.submit(operations).await
    }

    /// Submits, or returns the operation that the label was submitted as.
    ///
    /// # Errors
    ///
    /// As for [`Operations::submit_or_resume`].
    pub async fn submit_or_resume(self, operations: &Operations, kind: &str, label: &str) -> Result<Operation, Error> {
        operations.submit_or_resume(self.submission(operations, kind, Some(label))?).await
    }

    /// Submits again the stored submission of the label, of which it is unknown whether it arrived.
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
        let (client, prepared, options) = self.into_parts(false);
        let call = Call::from_request(client, "request", prepared, options, decode::bytes);
        Ok(Submission { call, kind, label: label.map(str::to_owned) })
    }
}

/// The number of times that a submission which another program changes is read again.
const ROUNDS: u32 = 5;

/// A submission before its request.
struct Draft {
    binding: &'static Binding,
    label: Option<String>,
    prepared: Prepared,
    options: Options,
    /// The time limit of each step of the store.
    patience: Duration,
    /// The contents of the submission, if there is a label.
    contents: Option<Contents>,
}

impl Draft {
    async fn contents(&self, operations: &Operations) -> Result<Contents, Error> {
        let own = operations.client().session.request_id.as_ref().map(|name| name.as_str());
        let contents = Contents::read(&self.prepared, &self.options.headers, self.binding.idempotency, own);
        clock::limit(self.patience, contents).await.unwrap_or_else(|_| {
            let time = clock::seconds(self.patience);
            Err(Error::with(Kind::Timeout, format!("the files of the submission were not read within {time}"))
                .hint("nothing was sent: set a longer deadline"))
        })
    }

    fn intent(&self, operations: &Operations) -> Result<Intent, Error> {
        let key = self.binding.idempotency.map(|header| SubmissionKey::Header(header.to_owned()));
        let correlation = correlation()?;
        Ok(Intent {
            contents: self.contents.as_ref().map(|contents| contents.of_submission(&correlation)),
            correlation,
            label: self.label.clone(),
            kind: self.binding.kind.to_owned(),
            deployment: operations.deployment(),
            at: millis(SystemTime::now()),
            parameters: self.parameters(operations),
            key: key.unwrap_or(SubmissionKey::None),
        })
    }

    fn parameters(&self, operations: &Operations) -> BTreeMap<String, String> {
        parameters_of(&operations.client().session.base, self.binding.path, &self.prepared.url)
    }

    /// Returns the header by which the service recognises a repetition.
    fn header(&self) -> Result<&'static str, Error> {
        self.binding.idempotency.ok_or_else(|| {
            let message =
                format!("the service does not recognise repeated submissions of kind `{}`", self.binding.kind);
            Error::with(Kind::Configuration, message).hint("check on the service, then adopt or forget the submission")
        })
    }

    /// Returns the entry of the label.
    async fn entry(&self, operations: &Operations) -> Result<Option<Entry>, Error> {
        let Some(label) = &self.label else {
            return Err(Error::with(Kind::Request, "the submission has no label")
                .hint("give it the label under which the store finds it again"));
        };
        self.within(operations.store().labelled(&operations.deployment(), label)).await
    }

    /// Checks that the submission of the label is this one.
    fn is_same(&self, operations: &Operations, intent: &Intent) -> Result<(), Error> {
        let mismatch = |difference: &str| Err(mismatch(intent.label(), difference));
        if intent.kind() != self.binding.kind {
            return mismatch(&format!("the kind `{}`, not `{}`", intent.kind(), self.binding.kind));
        }
        // Earlier versions of the client stored no contents, and the first one no path parameters.
        let unrecorded = intent.contents.is_none() && intent.parameters().is_empty();
        if !unrecorded && *intent.parameters() != self.parameters(operations) {
            return mismatch("other path parameters");
        }
        let (Some(known), Some(contents)) = (&intent.contents, &self.contents) else { return Ok(()) };
        match known.difference(&contents.of_submission(intent.correlation())) {
            None => Ok(()),
            Some(difference) => mismatch(difference),
        }
    }

    /// Checks that the submission of the label can be sent again with this header.
    fn fits(&self, intent: &Intent, header: &str) -> Result<(), Error> {
        if intent.contents.is_none() {
            let message = "an earlier version of the client stored the submission without its contents, so that they cannot be \
                           compared; nothing was sent";
            return Err(
                Error::with(Kind::Store, message).hint("check on the service, then adopt or forget the submission")
            );
        }
        if intent.is_recognised_by(header) {
            return Ok(());
        }
        let message =
            format!("the submission was sent without the header `{header}`, so the service cannot recognise it");
        Err(Error::with(Kind::Store, message).hint("check on the service, then adopt or forget the submission"))
    }

    /// Adds the header by which the service recognises all attempts of the submission.
    fn keyed(mut self, intent: &Intent) -> Result<Self, Error> {
        if let Some(header) = self.binding.idempotency {
            set_header(&mut self.options.headers, header, intent.correlation())?;
        }
        Ok(self)
    }

    /// Runs a step of the store within the time of the call.
    async fn within<T>(&self, step: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        clock::limit(self.patience, step).await.unwrap_or_else(|_| {
            Err(Error::with(Kind::Store, format!("the store did not answer within {}", clock::seconds(self.patience)))
                .hint("check whether another program locks its file"))
        })
    }

    /// Sends the request, and stores its result. The store has the attempt already.
    async fn run(self, operations: &Operations, intent: &Intent, attempt: Attempt) -> Result<Operation, Error> {
        let binding = self.binding;
        let raw =
            match send_tracked(&operations.client().session, &self.prepared, &self.options, attempt.progress()).await {
                Ok(raw) => raw,
                // The attempt stays in the store.
                Err(error) if error.may_have_taken_effect() => return Err(submission_unknown(error, intent)),
                Err(error) => return self.refused(operations, intent, attempt, error).await,
            };
        let body = raw.json_bytes();
        let base = &operations.client().session.base;
        let reference = accepted::reference(binding, &raw.headers, &body, &self.prepared.url, base, intent)
            .map_err(|error| submission_unknown(error.at(self.prepared.operation), intent))?;
        let kept = {
            let (operations, reference) = (operations.clone(), reference.clone());
            detached(async move { operations.store().accept(&reference).await })
        };
        match self.within(kept).await {
            Ok(()) => Ok(Operation::new(operations.clone(), binding, reference, Some(body))),
            Err(error) => Err(error.with_attachment(reference)),
        }
    }

    /// Handles a refused attempt. The store tells whether the result is certain: an earlier attempt, or one of another
    /// program, may have arrived, and may be the cause of this refusal.
    async fn refused(
        &self,
        operations: &Operations,
        intent: &Intent,
        attempt: Attempt,
        error: Error,
    ) -> Result<Operation, Error> {
        let store = operations.store();
        match self.within(attempt.take_back()).await {
            Ok(true) => return Err(error),
            Ok(false) => {}
            Err(failed) => {
                tracing::warn!(code = failed.code(), "a refused submission stays in the store");
                return Err(submission_unknown(error, intent));
            }
        }
        // Another program may have stored it by now.
        match self.within(store.entry(intent.correlation())).await {
            Ok(Some(entry)) if entry.reference().is_some() => operations.resume(&entry),
            _ => Err(submission_unknown(error, intent)),
        }
    }
}

fn correlation() -> Result<String, Error> {
    let mut bytes = [0; 16];
    ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes).map_err(|_| {
        Error::with(Kind::Configuration, "the operating system returns no random numbers").hint("try again")
    })?;
    let id: Uuid = Builder::from_random_bytes(bytes).into_uuid();
    Ok(id.to_string())
}

#[cfg(all(test, feature = "testing"))]
mod tests;
