//! The control interface of a sandbox, and the layers around its contracts: the journal and the faults.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRef, State};
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use driftless_sandbox_control::interface::taken::{ControlRefusal, SNAPSHOT_LIMIT};
use driftless_sandbox_control::interface::{self, Control, Guard, Overview, guarded, send};
use driftless_sandbox_control::{OperationFacts, Operations, fault, requests};
use http::{Method, StatusCode};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::handle::{ServedContract, Service};
use super::route::Routed;
use super::{pages, stored};
use crate::contract::{Contract, Operation, Scheme, SegmentPart};

/// The value of the header `Server` of the control interface.
const NAME: &str = concat!("driftless-sandbox/", env!("CARGO_PKG_VERSION"));

/// The name of the server in the journal.
const SERVER: &str = "contract";

/// The state of the handlers.
#[derive(Clone, Debug)]
struct ControlState {
    service: Arc<Service>,
    control: Control,
}

impl FromRef<ControlState> for Control {
    fn from_ref(state: &ControlState) -> Self {
        state.control.clone()
    }
}

impl FromRef<ControlState> for Arc<Service> {
    fn from_ref(state: &ControlState) -> Self {
        Arc::clone(&state.service)
    }
}

/// The control interface. A contract that has paths below `/sandbox` keeps them: then there is only the interface of Rust.
pub(super) fn router(service: &Arc<Service>, control: Control) -> Router {
    if !service.has_control_interface {
        return Router::new();
    }
    let snapshot = get(stored::snapshot).put(stored::restore_snapshot).layer(DefaultBodyLimit::max(SNAPSHOT_LIMIT));
    let routes = interface::routes()
        .merge(pages::routes())
        .merge(interface::resource_routes::<ControlState, Service>())
        .route("/sandbox/snapshot", snapshot)
        .route("/sandbox/reset", post(stored::reset))
        .route("/sandbox/explain", get(explain));
    let guard = Guard::new(NAME, &service.origin, include_str!("openapi.yaml"));
    guarded(routes, guard).with_state(ControlState { service: Arc::clone(service), control })
}

/// The layers for faults and for the journal.
pub(super) fn observed(routes: Router, control: &Control) -> Router {
    routes
        .layer(from_fn_with_state(Arc::clone(&control.faults), fault::apply))
        .layer(from_fn_with_state(Arc::clone(&control.faults), fault::apply_to_options))
        .layer(from_fn_with_state((Arc::clone(&control.log), SERVER), requests::record))
}

/// Each operation: what it was taken for, and why.
async fn explain(State(service): State<Arc<Service>>) -> Response {
    let operations: Vec<Value> = service.parts.iter().flat_map(ServedContract::explained).collect();
    send(StatusCode::OK, &json!({ "operations": operations }))
}

impl ServedContract {
    fn explained(&self) -> Vec<Value> {
        let title = self.engine.contract.document.pointer("/info/title");
        let planned = self.engine.contract.operations.iter().zip(&self.engine.plan.operations);
        let row = planned.map(|(operation, planned)| {
            let collection = planned.collection.and_then(|index| self.engine.plan.collections.get(index));
            json!({
                "contract": title,
                "method": operation.method.as_str(),
                "path": operation.template,
                "role": planned.role.to_string(),
                "collection": collection.map(|collection| &collection.path),
                "reason": planned.reason,
            })
        });
        row.collect()
    }
}

/// Returns whether no contract has paths that the control interface would take.
pub(crate) fn is_free<'c>(mut contracts: impl Iterator<Item = &'c Contract>) -> bool {
    let is_literal = |operation: &Operation| match operation.segments.first().map(|segment| segment.parts.as_slice()) {
        Some([SegmentPart::Literal(text)]) => text == "sandbox",
        _ => false,
    };
    !contracts.any(|contract| {
        let mut bases = contract.other_base_paths.iter().chain([&contract.base_path]);
        bases.any(|base| match base.trim_start_matches('/').split('/').next() {
            None | Some("") => contract.operations.iter().any(is_literal),
            Some(first) => first == "sandbox",
        })
    })
}

impl Service {
    /// The operations with a template, and their contracts.
    fn with_template<'s>(
        &'s self,
        template: &'s str,
    ) -> impl Iterator<Item = (&'s ServedContract, usize, &'s Operation)> {
        self.parts.iter().flat_map(move |part| {
            let all = part.engine.contract.operations.iter().enumerate();
            all.filter(move |(_, operation)| operation.template == template).map(move |(index, own)| (part, index, own))
        })
    }
}

impl Overview for Service {
    fn members(&self) -> Result<Map<String, Value>, ControlRefusal> {
        let collections = self.parts.iter().flat_map(|part| part.engine.kept().collections);
        let sizes: Map<String, Value> = collections.map(|(address, count)| (address, count.into())).collect();
        Ok(Map::from_iter([("resources".to_owned(), sizes.into())]))
    }

    fn watch(&self) -> watch::Receiver<()> {
        self.touched.subscribe()
    }
}

impl Operations for Service {
    fn template(&self, method: &Method, path: &str) -> Option<String> {
        let (Some(part), Routed::Operations(candidates)) = self.routed(method, path) else { return None };
        let operation = part.engine.contract.operations.get(candidates.first()?.operation)?;
        Some(operation.template.clone())
    }

    fn methods(&self, template: &str) -> Vec<String> {
        self.with_template(template).map(|(_, _, operation)| operation.method.to_string()).collect()
    }

    fn is_secret(&self, name: &str) -> bool {
        let of_contract = |part: &ServedContract| {
            let mut schemes = part.engine.contract.schemes.values();
            schemes.any(|scheme| matches!(scheme, Scheme::Key { name: key, .. } if key.eq_ignore_ascii_case(name)))
        };
        self.parts.iter().any(of_contract)
    }

    fn has_control_interface(&self) -> bool {
        self.has_control_interface
    }

    fn facts(&self, method: &str, template: &str) -> Option<OperationFacts> {
        let mut all = self.with_template(template);
        let (part, index, operation) = all.find(|(_, _, operation)| operation.method.as_str() == method)?;
        let planned = part.engine.plan.operations.get(index)?;
        let summary = part.engine.contract.document.pointer(&format!("{}/summary", operation.pointer));
        Some(OperationFacts {
            summary: summary.and_then(Value::as_str).map(str::to_owned),
            provenance: format!("{}: {}", planned.role, planned.reason),
        })
    }
}
