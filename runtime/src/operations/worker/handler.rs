//! What ends are handed to, and what it gets.

use std::{fmt, pin::Pin};

#[cfg(feature = "postgres")]
use crate::operations::postgres::{Transaction, TransactionFuture};
use crate::operations::{Intent, Operation, OperationOutcome, OperationRef};

type Handled<'a> = Pin<Box<dyn Future<Output = Result<(), String>> + Send + 'a>>;

/// What ends are handed to.
pub(super) enum Handler {
    Plain(Box<dyn Fn(Ended) -> Handled<'static> + Send + Sync>),
    #[cfg(feature = "postgres")]
    In(Box<dyn InTransaction>),
}

/// A handler that works in a transaction.
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

/// An operation that has ended, as a handler gets it.
#[derive(Clone)]
pub struct Ended {
    pub(super) operation: Operation,
    pub(super) outcome: OperationOutcome,
    pub(super) intent: Intent,
    pub(super) failures: u32,
}

impl Ended {
    /// How it ended. Nothing but [`is_success`](OperationOutcome::is_success) lets dependent work go on.
    pub fn outcome(&self) -> &OperationOutcome {
        &self.outcome
    }

    /// The operation.
    pub fn operation(&self) -> &Operation {
        &self.operation
    }

    /// What finds it again.
    pub fn reference(&self) -> &OperationRef {
        self.operation.reference()
    }

    /// Its submission: the label, the parameters, when.
    pub fn intent(&self) -> &Intent {
        &self.intent
    }

    /// How often it has failed before: handlers, and the watching of it.
    pub fn failures(&self) -> u32 {
        self.failures
    }
}

impl fmt::Debug for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ended").field("operation", &self.operation).field("outcome", &self.outcome.name()).finish()
    }
}
