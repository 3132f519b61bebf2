//! The whole state as one document: saved by a program, and restored while the sandbox runs.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use serde_json::json;

use super::taken::{ControlAnswer, ControlRefusal, Sent};
use super::{Places, done, send};
use crate::state::{Snapshot, Store};

pub(super) async fn get(State(store): State<Arc<Store>>) -> ControlAnswer {
    Ok(send(StatusCode::OK, &json!(store.read(crate::state::State::snapshot)?)))
}

/// Replaces the state. Values are not checked against the contract, as those of a seed.
pub(super) async fn put(
    State(store): State<Arc<Store>>,
    State(places): State<Places>,
    Sent(snapshot): Sent<Snapshot>,
) -> ControlAnswer {
    let refuse = |(place, message): (String, &str)| ControlRefusal::at(place, message);
    snapshot.check(|team| places.knows_team(team)).map_err(refuse)?;
    store.restore(snapshot)?;
    Ok(done())
}
