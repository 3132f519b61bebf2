//! The state in figures: operations, and the numbers of items.

use driftless_sandbox_control::interface::Overview;
use driftless_sandbox_control::interface::taken::ControlRefusal;
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::operations;
use crate::state::Store;

const SHOWN: usize = 50;

impl Overview for Store {
    fn members(&self) -> Result<Map<String, Value>, ControlRefusal> {
        let (operations, collections) = self.read(|state| {
            let newest = state.workflows.all().rev().take(SHOWN);
            (newest.map(operations::summary).collect::<Vec<_>>(), state.sizes())
        })?;
        Ok(Map::from_iter([("operations".to_owned(), operations.into()), ("resources".to_owned(), json!(collections))]))
    }

    fn watch(&self) -> watch::Receiver<()> {
        self.hub().watch()
    }
}
