//! Answers the operations of the contract from state in memory.
//!
//! A request is matched with an operation, its caller is identified, its input is read as the contract says, and then the
//! documented operations go to [`crate::projects`] and the assumed ones to [`act`].

mod act;
mod act_read;
mod act_write;
mod check;
mod coerce;
mod input;
mod list;
mod route;
mod seed;
mod shape;
mod store;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::ALLOW;

use crate::contract::{Provenance, contract};
use crate::projects;
use crate::server::Shared;

pub(crate) use input::{BODY_LIMIT, Input, Payload};
pub(crate) use store::{Shelf, Store};

/// A request that was understood, with what it is answered from.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) input: Input,
    pub(crate) shelf: &'a mut Shelf,
}

pub(crate) async fn serve(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let found = match route::find(contract(), request.method(), request.uri().path()) {
        route::Outcome::Found(found) => found,
        route::Outcome::OtherMethods(methods) => {
            return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, methods)]).into_response();
        }
        route::Outcome::Missing => return StatusCode::NOT_FOUND.into_response(),
    };
    let caller = match shared.issuer.caller(request.headers()) {
        Ok(caller) => caller,
        Err(response) => return *response,
    };
    let operation = found.operation;
    let input = match input::read(found, request).await {
        Ok(input) => input,
        Err(response) => return *response,
    };
    shared.store.with(caller.team_id, |shelf| match operation.provenance {
        Provenance::Documented => projects::answer(operation, caller, Call { input, shelf }),
        Provenance::Assumed => act::answer(operation, Call { input, shelf }),
    })
}
