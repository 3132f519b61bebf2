//! The changes of the contract's second revision, from harmless to wire-breaking, to demonstrate drift. All of them are the
//! sandbox's own; documented operations are unchanged.

use std::collections::BTreeMap;

use http::Method;

use super::declare::Controller;
use super::operation::{Operation, ParameterIn};
use super::schema::{Schema, list, long, object, string, text, uuid};

type Schemas = BTreeMap<&'static str, Schema>;

/// Turns the first revision into the second.
pub(super) fn revise(operations: &mut Vec<Operation>, schemas: &mut Schemas) {
    add(operations, schemas);
    break_source(operations, schemas);
    break_wire(operations, schemas);
}

/// Additive changes: existing clients keep working.
fn add(operations: &mut Vec<Operation>, schemas: &mut Schemas) {
    let labels = Controller::new("ProjectLabels", "/api/projects/v1/projects/{project_id}/labels");
    operations.extend([
        labels.list("", "Lists the labels of a project.").ok(list("ProjectLabel")),
        labels.create("", "Adds a label to a project.").body("CreateProjectLabel").created("ProjectLabel"),
    ]);
    let fields = || [("name", string().min_length(1)), ("colour", text())];
    let [name, colour] = fields();
    schemas.insert("ProjectLabel", object([("id", uuid().read_only()), name, colour]));
    schemas.insert("CreateProjectLabel", object(fields()).required(&["name"]));
    change(schemas, "Component", |schema| schema.properties.push(("region", text())));
    change(schemas, "VirtualMachineState", |schema| schema.values.push("Hibernated".into()));
    if let Some(operation) = find(operations, &Method::GET, "/api/virtual-machines") {
        *operation = operation.clone().query("name", text());
    }
}

/// Source-breaking changes: existing clients keep working, but a regenerated client has other types and names.
fn break_source(operations: &mut [Operation], schemas: &mut Schemas) {
    if let Some(timer) = schemas.remove("ShutdownTimer") {
        schemas.insert("VirtualMachineShutdownTimer", timer);
    }
    for operation in operations.iter_mut() {
        operation.rename("ShutdownTimer", "VirtualMachineShutdownTimer");
    }
    change(schemas, "VirtualMachine", |schema| schema.set("memoryMegabytes", long()));
    change(schemas, "Team", |schema| schema.set("slug", string()));
}

/// Wire-breaking changes: existing clients fail.
fn break_wire(operations: &mut Vec<Operation>, schemas: &mut Schemas) {
    change(schemas, "CreateComponent", |schema| schema.required.push("kind"));
    change(schemas, "PaymentPlan", |schema| schema.set("price", string()));
    change(schemas, "SavePaymentPlan", |schema| schema.set("price", string()));
    change(schemas, "VirtualMachine", |schema| schema.properties.retain(|(name, _)| *name != "address"));
    operations.retain(|operation| {
        (operation.method.as_str(), operation.path.as_str()) != ("DELETE", "/api/forum/v1/threads/{threadId}")
    });
    if let Some(operation) = find(operations, &Method::GET, "/api/devops/v1/terraform-deployments")
        && let Some(states) = operation
            .parameters
            .iter_mut()
            .find(|parameter| parameter.location == ParameterIn::Query && parameter.name == "states")
    {
        states.name = "state".into();
    }
    for operation in operations.iter_mut().filter(|operation| operation.path.ends_with("/shutdown-timer")) {
        operation.path = "/api/virtual-machines/{virtualMachineId}/timers/shutdown".to_owned();
    }
}

fn find<'a>(operations: &'a mut [Operation], method: &Method, path: &str) -> Option<&'a mut Operation> {
    operations.iter_mut().find(|operation| operation.method == *method && operation.path == path)
}

fn change(schemas: &mut Schemas, name: &str, change: impl FnOnce(&mut Schema)) {
    if let Some(schema) = schemas.get_mut(name) {
        change(schema);
    }
}
