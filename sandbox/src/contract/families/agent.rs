//! `/api/virtual-machine-agent`: registration and the callbacks of a command's life. All assumed.

use super::Family;
use crate::contract::declare::Controller;
use crate::contract::operation::Operation;
use crate::contract::schema::{Schema, date_time, int, list, object, one_of, string, text, uuid, words};

pub(super) fn family() -> Family {
    Family { operations: operations(), schemas: schemas() }
}

fn operations() -> Vec<Operation> {
    let agents = Controller::new("Agents", "/api/virtual-machine-agent/agents");
    let commands = Controller::new("AgentCommands", "/api/virtual-machine-agent/agents/{agentId}/commands");
    vec![
        agents.create("", "Registers an agent.").body("RegisterAgent").created("Agent"),
        agents.get("/{agentId}", "Gets one agent.").ok("Agent"),
        agents
            .action("/{agentId}/heartbeat", "Reports that the agent is alive.")
            .header("X-Agent-Version", true, string())
            .no_content(),
        commands.list("", "Lists the commands that wait for the agent.").omits("progress").ok(list("AgentCommand")),
        commands.create("", "Queues a command for the agent.").body("AgentCommand").created("AgentCommand"),
        commands
            .action("/{commandId}/started", "Reports that a command has started.")
            .no_content()
            .sets("progress", "started"),
        commands
            .action("/{commandId}/output", "Appends to the output of a command.")
            .form(
                "application/x-www-form-urlencoded",
                object([("sequence", int()), ("stream", "OutputStream".into()), ("text", string())])
                    .required(&["sequence"]),
            )
            .no_content(),
        commands
            .action("/{commandId}/completed", "Reports the end of a command.")
            .body("CommandCompleted")
            .no_content()
            .sets("progress", "completed"),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    let mut command = one_of(&["RunScriptCommand", "RestartServiceCommand"]);
    command = command.tagged("type", &[("runScript", "RunScriptCommand"), ("restartService", "RestartServiceCommand")]);
    vec![
        (
            "Agent",
            object([
                ("id", uuid().read_only()),
                ("virtualMachineId", uuid().nullable()),
                ("hostName", text()),
                ("version", text()),
                ("registeredAt", date_time()),
            ]),
        ),
        (
            "RegisterAgent",
            object([("virtualMachineId", uuid().nullable()), ("hostName", string()), ("version", text())])
                .required(&["hostName"]),
        ),
        ("OutputStream", words(&["stdout", "stderr"])),
        ("AgentCommand", command),
        (
            "RunScriptCommand",
            object([
                ("type", words(&["runScript"])),
                ("id", uuid()),
                ("script", string()),
                ("timeoutSeconds", int().nullable()),
            ])
            .required(&["type", "script"]),
        ),
        (
            "RestartServiceCommand",
            object([("type", words(&["restartService"])), ("id", uuid()), ("service", string())])
                .required(&["type", "service"]),
        ),
        ("CommandCompleted", object([("exitCode", int()), ("finishedAt", date_time()), ("message", text())])),
    ]
}
