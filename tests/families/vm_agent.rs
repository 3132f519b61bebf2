//! Agents of virtual machines: registration, and the life of a command.

use platform_client::types::{
    AgentCommand, CommandCompleted, CreateAgentCommandOutputRequest, OutputStream, RegisterAgent, RunScriptCommand,
};
use platform_client::{Maybe, Uuid};

use super::text;
use crate::support::{client, sandbox};

#[tokio::test]
async fn an_agent_registers_and_works_a_command_off() {
    let (sandbox, secrets, platform) = sandbox().await;
    let agents = platform.vm_agent();
    let machine = sandbox.team().virtual_machine_id;
    let body = RegisterAgent::new("builder").version(text("1.2")).virtual_machine_id(machine);
    let agent = agents.create_agent(&body).await.unwrap();
    assert_eq!((agent.host_name.as_deref(), agent.virtual_machine_id), (Some("builder"), Some(machine)));
    let id = agent.id.unwrap();
    agents.heartbeat_agent(id, "1.2").await.unwrap();
    assert_eq!(agents.get_agent(id).await.unwrap(), agent);

    let command = RunScriptCommand::new("true").timeout_seconds(5);
    let command = AgentCommand::RunScriptCommand(Box::new(command));
    let created = agents.create_agent_command(id, &command).await.unwrap();
    let AgentCommand::RunScriptCommand(stored) = &created else { panic!("{created:?}") };
    assert_eq!((stored.script.as_str(), stored.timeout_seconds), ("true", Maybe::Value(5)));
    let command = stored.id.unwrap();
    assert_eq!(agents.list_agent_commands(id).await.unwrap(), std::slice::from_ref(&created));
    agents.mark_agent_command_started(id, command).await.unwrap();
    assert_eq!(agents.list_agent_commands(id).await.unwrap(), []);
    let output = CreateAgentCommandOutputRequest::new(1).stream(OutputStream::Stdout).text("done");
    agents.create_agent_command_output(id, command, &output).await.unwrap();
    let completed = CommandCompleted::default().exit_code(0);
    agents.mark_agent_command_completed(id, command, &completed).await.unwrap();

    let missing = Uuid::from_u128(1);
    assert!(agents.heartbeat_agent(missing, "1.2").await.unwrap_err().is_not_found());
    assert!(agents.mark_agent_command_started(id, missing).await.unwrap_err().is_not_found());
    assert!(agents.create_agent_command_output(id, missing, &output).await.unwrap_err().is_not_found());
    assert!(agents.mark_agent_command_completed(id, missing, &completed).await.unwrap_err().is_not_found());
    let stranger = client(&sandbox, secrets.path(), 1);
    assert!(stranger.vm_agent().get_agent(id).await.unwrap_err().is_not_found());
}
