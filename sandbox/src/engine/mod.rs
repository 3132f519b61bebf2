//! Answers the operations of the contract from the state.
//!
//! A request is matched with an operation, its caller is identified, its input is read as the contract says, its
//! authorization is decided, and then the documented operations go to [`crate::projects`] and the assumed ones to [`act`].

mod access;
mod act;
mod act_files;
mod act_log;
mod act_read;
mod act_work;
mod act_write;
mod check;
mod coerce;
mod input;
mod list;
mod persist;
mod route;
mod seed;
mod shape;
mod shelf;
mod state;
mod store;

use std::sync::Arc;

use axum::extract::{Request, State as Extract};
use axum::response::{IntoResponse, Response};
use http::header::ALLOW;
use http::{Method, StatusCode};

use crate::caller::Caller;
use crate::contract::{Contract, Provenance};
use crate::server::Shared;
use crate::workflow::Outcome;
use crate::{problem, projects};

pub(crate) use input::{BODY_LIMIT, Input, Payload};
pub(crate) use seed::plant;
pub(crate) use shelf::Shelf;
pub(crate) use store::Store;

/// A request that was understood, with what it is answered from.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) input: Input,
    pub(crate) shelf: Shelf<'a>,
    pub(crate) shared: &'a Arc<Shared>,
    /// How the work ends that the request begins.
    pub(crate) outcome: Outcome,
    /// Milliseconds that a step of that work takes.
    pub(crate) step: i64,
}

/// The main API: whoever the issuer's token names may call.
pub(crate) async fn serve(Extract(shared): Extract<Arc<Shared>>, request: Request) -> Response {
    match find(&shared, &request) {
        Ok(found) => match shared.issuer.caller(request.headers()) {
            Ok(caller) => run(&shared, &caller, found, request).await,
            Err(response) => *response,
        },
        Err(response) => *response,
    }
}

/// Finds the operation of a request, or answers that there is none.
pub(crate) fn find(shared: &Shared, request: &Request) -> Result<route::Found, Box<Response>> {
    match route::find(shared.contract, request.method(), request.uri().path()) {
        route::Outcome::Found(found) => Ok(found),
        route::Outcome::OtherMethods(methods) => {
            Err(Box::new((StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, methods)]).into_response()))
        }
        route::Outcome::Missing => Err(Box::new(StatusCode::NOT_FOUND.into_response())),
    }
}

/// The template of the operation that a method and path lead to.
pub(crate) fn template(contract: &'static Contract, method: &Method, path: &str) -> Option<&'static str> {
    match route::find(contract, method, path) {
        route::Outcome::Found(found) => Some(&found.operation.path),
        _ => None,
    }
}

/// Answers an operation for a caller.
pub(crate) async fn run(shared: &Arc<Shared>, caller: &Caller, found: route::Found, request: Request) -> Response {
    let operation = found.operation;
    let outcome = request.extensions().get::<Outcome>().copied().unwrap_or_default();
    let input = match input::read(found, request).await {
        Ok(input) => input,
        Err(response) => return *response,
    };
    let answered = shared.store.with(caller, |shelf| {
        let call = Call { input, shelf, shared, outcome, step: shared.step };
        match operation.provenance {
            Provenance::Documented => projects::answer(operation, call),
            Provenance::Assumed => act::answer(operation, call),
        }
    });
    answered.unwrap_or_else(|error| problem::response(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))
}
