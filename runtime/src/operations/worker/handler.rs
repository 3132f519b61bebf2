//! The handlers of ended operations, and their argument.

use std::{fmt, pin::Pin};

#[cfg(feature = "postgres")]
use crate::operations::postgres::{Transaction, TransactionFuture};
use crate::operations::{Intent, Operation, OperationOutcome, OperationRef};

type Handled<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// The handler of ended operations.
pub(super) enum Handler {
    Plain(Box<dyn Fn(Ended) -> Handled<'static> + Send + Sync>),
    #[cfg(feature = "postgres")]
    In(Box<dyn InTransaction>),
}

/// A handler that runs in a transaction.
#[cfg(feature = "postgres")]
pub(super) trait InTransaction: Send + Sync {
    fn call<'t>(&self, ended: Ended, transaction: &'t Transaction<'t>) -> TransactionFuture<'t>;
}

#[cfg(feature = "postgres")]
impl<H> InTransaction for H
where
    H: for<'t> Fn(Ended, &'t Transaction<'t>) -> TransactionFuture<'t> + Send + Sync,
{
    fn call<'t>(&self, ended: Ended, transaction: &'t Transaction<'t>) -> TransactionFuture<'t> {
        self(ended, transaction)
    }
}

/// An ended operation, as passed to a handler.
#[derive(Clone)]
pub struct Ended {
    pub(super) operation: Operation,
    pub(super) outcome: OperationOutcome,
    pub(super) intent: Intent,
    pub(super) failures: u32,
}

impl Ended {
    /// Returns its outcome. Only [`is_success`](OperationOutcome::is_success) allows dependent work.
    pub fn outcome(&self) -> &OperationOutcome {
        &self.outcome
    }

    /// Returns the operation.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// Returns its reference, to get it again.
    pub fn reference(&self) -> &OperationRef {
        self.operation.reference()
    }

    /// Returns its submission: the label, the parameters, the time.
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// Returns the number of earlier failures: of handlers, and of watching it.
    pub fn failures(&self) -> u32 {
        self.failures
    }
}

impl fmt::Debug for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ended").field("operation", &self.operation).field("outcome", &self.outcome.name()).finish()
    }
}
