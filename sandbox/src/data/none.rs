//! In the place of the file in a program without the cargo feature `data`: it cannot be opened.

use std::path::Path;

use super::{Row, Write};
use crate::error::Error;

#[derive(Debug)]
pub(super) enum NoDatabase {}

impl NoDatabase {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        Err(Error::NoData { path: path.to_owned() })
    }

    pub(super) fn close(&self) {
        match *self {}
    }

    pub(super) fn rows(&self) -> Result<Vec<Row>, Error> {
        match *self {}
    }

    pub(super) fn write(&self, _changes: &[Write]) -> Result<(), Error> {
        match *self {}
    }

    pub(super) fn erase(&self) -> Result<(), Error> {
        match *self {}
    }

    pub(super) fn vault_all(&self, _shelf: &str) -> Result<Vec<(String, String)>, Error> {
        match *self {}
    }

    pub(super) fn vault_put(&self, _shelf: &str, _name: &str, _position: usize, _value: &str) -> Result<(), Error> {
        match *self {}
    }

    pub(super) fn vault_remove(&self, _shelf: &str, _name: &str) -> Result<(), Error> {
        match *self {}
    }

    pub(super) fn vault_clear(&self, _shelf: &str) -> Result<(), Error> {
        match *self {}
    }
}
