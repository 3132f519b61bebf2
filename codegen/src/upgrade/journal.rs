//! The record that passes write to.

use super::origins::{self, Origins};
use super::published::Published;
use crate::{Dialect, Ledger, Loss};

/// The ledger, seen by passes that know places of the tree as it is being changed.
pub(super) struct Journal<'a> {
    document: &'a str,
    pub(super) dialect: Dialect,
    pub(super) published: &'a Published,
    ledger: &'a mut Ledger,
    pub(super) origins: Origins,
    /// `true` if pointers are already those of the published document.
    pub(super) by_source: bool,
}

impl<'a> Journal<'a> {
    pub(super) fn new(document: &'a str, dialect: Dialect, published: &'a Published, ledger: &'a mut Ledger) -> Self {
        Self { document, dialect, published, ledger, origins: Origins::default(), by_source: false }
    }

    /// Another way to write the same.
    pub(super) fn same(&mut self, pass: &'static str, pointer: &str, what: impl Into<String>) {
        self.note(pass, pointer, what, Loss::Nothing);
    }

    /// Something that the client does not enforce.
    pub(super) fn prose(
        &mut self,
        pass: &'static str,
        pointer: &str,
        what: impl Into<String>,
        lost: impl Into<String>,
    ) {
        self.note(pass, pointer, what, Loss::Documentation(lost.into()));
    }

    /// Something that is only available untyped.
    pub(super) fn degraded(
        &mut self,
        pass: &'static str,
        pointer: &str,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.note(pass, pointer, what, Loss::Degraded(why.into()));
    }

    fn note(&mut self, pass: &'static str, pointer: &str, what: impl Into<String>, loss: Loss) {
        let pointer = if self.by_source {
            origins::existing(pointer.to_owned(), &|place| self.published.has(place))
        } else {
            self.origins.place(pointer, self.published)
        };
        self.ledger.note(self.document, pointer, pass, what, loss);
    }
}
