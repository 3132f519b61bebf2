//! Answers the operations of the contract from the state.
//!
//! The steps of a request: matching its operation, authenticating the caller, reading the input as the contract declares it,
//! deciding the authorization, and calling the operation's handler.

mod call;
mod collection;
mod files;
mod input;
mod log;
mod projects;
mod singleton;
mod work;

use std::sync::Arc;

use axum::Router;
use axum::extract::{FromRef, Request, State};
use axum::response::{IntoResponse, Response};
use http::header::ALLOW;
use http::{Method, StatusCode};

use self::call::{Call, missing};
use crate::caller::Caller;
use crate::contract::Contract;
use crate::contract::behaviour::Handler;
use crate::contract::route::{self, RoutedOperation};
use crate::fault::Outcome;
use crate::fault::Rules;
use crate::issuer::Issuer;
use crate::problem;
use crate::state::Store;

pub(crate) use input::BODY_LIMIT;

/// The state that the operations of the contract read and write.
#[derive(Clone, Debug)]
pub(crate) struct Api {
    pub(crate) contract: &'static Contract,
    pub(crate) issuer: Arc<Issuer>,
    pub(crate) store: Arc<Store>,
    pub(crate) faults: Arc<Rules>,
    /// The duration of a step of asynchronous work in milliseconds.
    pub(crate) step: i64,
}

/// The main API: any subject of the issuer's tokens may call it.
pub(crate) fn routes<S>() -> Router<S>
where
    S: Clone + Send + Sync + 'static,
    Api: FromRef<S>,
{
    Router::new().fallback(serve)
}

async fn serve(State(api): State<Api>, request: Request) -> Response {
    let answer = async {
        let routed = find(&api, &request)?;
        let caller = api.issuer.caller(request.headers())?;
        Ok::<_, Box<Response>>(run(&api, &caller, routed, request).await)
    };
    answer.await.unwrap_or_else(|response| *response)
}

/// Finds the operation of a request, or answers 404, or 405 with the methods that the path has.
pub(crate) fn find(api: &Api, request: &Request) -> Result<RoutedOperation, Box<Response>> {
    route::find(api.contract, request.method(), request.uri().path()).map_err(|others| {
        let others: Vec<&str> = others.iter().map(Method::as_str).collect();
        Box::new(match others.is_empty() {
            true => StatusCode::NOT_FOUND.into_response(),
            false => (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, others.join(", "))]).into_response(),
        })
    })
}

/// Answers an operation for a caller.
pub(crate) async fn run(api: &Api, caller: &Caller, routed: RoutedOperation, request: Request) -> Response {
    let operation = routed.operation;
    let outcome = request.extensions().get::<Outcome>().copied().unwrap_or_default();
    let input = match input::read(api.contract, routed, request).await {
        Ok(input) => input,
        Err(response) => return *response,
    };
    let answered = api.store.with(caller, |view| {
        let call = Call::new(operation, input, view, api, outcome);
        match authorize(&call) {
            Ok(()) => answer(call),
            Err(response) => *response,
        }
    });
    answered.unwrap_or_else(|error| problem::response(error.status(), &error.to_string()))
}

/// Checks that all items above the address exist for the caller, and that the caller has the role that the operation declares.
fn authorize(call: &Call<'_>) -> Result<(), Box<Response>> {
    let Some(needed) = call.operation.behaviour.role else { return Ok(()) };
    let contract = call.api.contract;
    let is_missing = |(path, item): (&str, &str)| {
        let collection = path.rsplit_once('/').map_or(path, |(collection, _)| collection);
        let (parent, key) = call::split(item);
        contract.item_schema(collection).is_some() && !call.view.leads_to(parent, key, &call.address)
    };
    if call.above().any(is_missing) {
        return Err(Box::new(missing()));
    }
    match call.view.role(&call.address) {
        Some(role) if role >= needed => Ok(()),
        // ASP.NET's answer to a caller with an insufficient role. The document shows none (§5).
        Some(_) => Err(Box::new(StatusCode::FORBIDDEN.into_response())),
        None => Err(Box::new(missing())),
    }
}

fn answer(call: Call<'_>) -> Response {
    match call.operation.behaviour.handler {
        Handler::ListProjects => projects::list(&call),
        Handler::GetProject => projects::get(&call),
        Handler::CreateProject => projects::create(call),
        Handler::List => collection::list(&call),
        Handler::Get => collection::get(&call),
        Handler::Create => collection::create(call),
        Handler::Replace => collection::replace(call),
        Handler::Change => collection::change(call),
        Handler::Remove => collection::remove(call),
        Handler::CurrentSession => collection::current_session(&call),
        Handler::Act => work::act(call),
        Handler::Cancel => work::cancel(call),
        Handler::GetSingleton => singleton::get(&call),
        Handler::PutSingleton => singleton::put(call),
        Handler::RemoveSingleton => singleton::remove(call),
        Handler::SetTimer => singleton::set_timer(call),
        Handler::ClearTimer => singleton::clear_timer(call),
        Handler::GetBytes => files::get(&call),
        Handler::PutBytes => files::put(call),
        Handler::Export => files::export(&call),
        Handler::UploadFiles => files::upload(call),
        Handler::GetFile => files::get_file(&call),
        Handler::PutFile => files::put_file(call),
        Handler::RemoveFile => files::remove_file(call),
        Handler::Log => log::text(&call),
        Handler::LogStream => log::stream(&call),
    }
}
