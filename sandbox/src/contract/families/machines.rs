//! `/api/virtual-machines`: start, stop, status, shutdown timers, logs, sessions. All assumed.

use http::Method;

use super::Family;
use crate::contract::behaviour::Handler;
use crate::contract::declare::Controller;
use crate::contract::operation::Operation;
use crate::contract::schema::{Schema, boolean, date_time, int, list, object, string, text, uuid, words};
use crate::workflow::Kind;

pub(super) fn family() -> Family {
    let mut operations = machines();
    operations.extend(timers());
    operations.extend(logs());
    operations.extend(sessions());
    Family { operations, schemas: schemas() }
}

fn machines() -> Vec<Operation> {
    let machines = Controller::new("VirtualMachines", "/api/virtual-machines");
    vec![
        machines
            .list("", "Lists the virtual machines.")
            .query("states", list("VirtualMachineState"))
            .ok(list("VirtualMachine")),
        machines.get("/{virtualMachineId}", "Gets one virtual machine.").ok("VirtualMachine"),
        machines
            .action("/{virtualMachineId}/start", "Starts a virtual machine.")
            .begins(Kind::MachineStart)
            .accepted("AcceptedResult")
            .conflict(),
        machines
            .action("/{virtualMachineId}/stop", "Stops a virtual machine.")
            .begins(Kind::MachineStop)
            .query("force", boolean())
            .accepted("AcceptedResult")
            .conflict(),
        machines
            .singleton("/{virtualMachineId}/status", "Gets the status of a virtual machine.")
            .ok("VirtualMachineStatus"),
    ]
}

fn timers() -> Vec<Operation> {
    let timers = Controller::new("ShutdownTimers", "/api/virtual-machines/{virtualMachineId}/shutdown-timer");
    vec![
        timers.singleton("", "Gets the shutdown timer, if one is set.").ok("ShutdownTimer").no_content(),
        timers
            .operation(Method::PUT, "", "Sets the shutdown timer.", Handler::SetTimer)
            .body("SetShutdownTimer")
            .ok("ShutdownTimer"),
        timers.operation(Method::DELETE, "", "Clears the shutdown timer.", Handler::ClearTimer).no_content(),
    ]
}

fn logs() -> Vec<Operation> {
    let logs = Controller::new("VirtualMachineLogs", "/api/virtual-machines/{virtualMachineId}/logs");
    vec![
        logs.operation(Method::GET, "", "Gets the log as text.", Handler::Log)
            .query("lines", int())
            .ok_as("text/plain", string()),
        logs.operation(Method::GET, "/stream", "Streams the log as server-sent events.", Handler::LogStream)
            .describe("The log so far, and then each line as it is written. The schema is that of one event.")
            .ok_as("text/event-stream", "LogEvent".into()),
    ]
}

fn sessions() -> Vec<Operation> {
    let sessions = Controller::new("VirtualMachineSessions", "/api/virtual-machines/{virtualMachineId}/sessions");
    let current = Controller::new("VirtualMachineSessions", "/api/virtual-machines/sessions/current");
    vec![
        sessions.list("", "Lists the sessions of a virtual machine.").ok(list("VirtualMachineSession")),
        sessions.create("", "Opens a session.").body("OpenSession").created("VirtualMachineSession"),
        sessions.remove("/{sessionId}", "Closes a session.").no_content(),
        current
            .operation(Method::GET, "", "Gets the session that the cookie names.", Handler::CurrentSession)
            .cookie("vm-session", string())
            .ok("VirtualMachineSession")
            .not_found(),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("VirtualMachineState", words(&["Stopped", "Starting", "Running", "Stopping", "Failed"])),
        (
            "VirtualMachine",
            object([
                ("id", uuid().read_only()),
                ("name", text()),
                ("state", "VirtualMachineState".into()),
                ("cores", int()),
                ("memoryMegabytes", int()),
                ("address", text()),
            ]),
        ),
        (
            "VirtualMachineStatus",
            object([("id", uuid()), ("state", "VirtualMachineState".into()), ("checkedAt", date_time())]),
        ),
        ("LogEvent", object([("id", string()), ("event", string()), ("data", string())]).required(&["data"])),
        ("ShutdownTimer", object([("minutes", int()), ("shutdownAt", date_time()), ("reason", text())])),
        ("SetShutdownTimer", object([("minutes", int()), ("reason", text())]).required(&["minutes"])),
        ("SessionProtocol", words(&["ssh", "rdp", "web-terminal"])),
        (
            "VirtualMachineSession",
            object([
                ("id", uuid().read_only()),
                ("virtualMachineId", uuid()),
                ("protocol", "SessionProtocol".into()),
                ("openedAt", date_time()),
                ("closedAt", date_time().nullable()),
            ]),
        ),
        ("OpenSession", object([("protocol", "SessionProtocol".into()), ("publicKey", text())])),
    ]
}
