//! Virtual machines: start and stop, logs, shutdown timers, sessions.

use std::time::Duration;

use platform_client::types::{OpenSession, SessionProtocol, SetShutdownTimer, VirtualMachineState, WorkflowState};
use platform_client::{EventStream, Uuid};

use super::text;
use crate::support::{client, sandbox};

const LONG: Duration = Duration::from_secs(600);

#[tokio::test]
async fn a_machine_starts_writes_its_log_and_stops() {
    let (sandbox, secrets, platform) = sandbox().await;
    sandbox.clock().hold();
    let id = sandbox.team().virtual_machine_id;
    let machines = platform.virtual_machines();
    let machine = machines.get_virtual_machine(id).await.unwrap();
    assert_eq!((machine.name.as_deref(), machine.cores), (Some("builder"), Some(2)));
    assert_eq!(machines.list_virtual_machines().states(&[VirtualMachineState::Stopped]).await.unwrap(), [machine]);
    let state = async || machines.get_virtual_machine_status(id).await.unwrap().state.unwrap();
    assert!(machines.stop_virtual_machine(id).await.unwrap_err().is_conflict());

    let accepted = machines.start_virtual_machine(id).await.unwrap();
    assert_eq!(accepted.state, Some(WorkflowState::Value0));
    assert_eq!(state().await, VirtualMachineState::Starting);
    assert!(machines.start_virtual_machine(id).await.unwrap_err().is_conflict());
    sandbox.clock().advance(LONG);
    assert_eq!(state().await, VirtualMachineState::Running);

    let log = machines.list_virtual_machine_logs(id).await.unwrap();
    assert!(log.contains("virtual-machine-reachable"), "{log}");
    let mut events = machines.get_virtual_machine_logs_stream(id).await.unwrap();
    for line in log.lines() {
        assert_eq!(events.next().await.unwrap().unwrap().data, line);
    }

    machines.stop_virtual_machine(id).force(true).await.unwrap();
    assert_eq!(state().await, VirtualMachineState::Stopping);
    sandbox.clock().advance(LONG);
    assert_eq!(state().await, VirtualMachineState::Stopped);
    // The stream continued, and ends with the sandbox.
    let mut data = String::new();
    while data != "state \"Stopped\"" {
        data = events.next().await.unwrap().unwrap().data;
    }
    let stranger = client(&sandbox, secrets.path(), 1);
    assert!(stranger.virtual_machines().get_virtual_machine(id).await.unwrap_err().is_not_found());
    assert!(stranger.virtual_machines().start_virtual_machine(id).await.unwrap_err().is_not_found());
    let (_, end) = tokio::join!(sandbox.stop(), events.next());
    assert!(end.is_none(), "{end:?}");
}

/// The events of a log up to a line, without the lines of states: a slow reader gets fewer of those.
async fn events_until(stream: &mut EventStream, last: &str) -> Vec<String> {
    let mut events = Vec::new();
    loop {
        let line = stream.next().await.unwrap().unwrap().data;
        if line == last {
            return events;
        }
        if !line.starts_with("state ") {
            events.push(line);
        }
    }
}

#[tokio::test]
async fn many_readers_follow_a_log_and_a_slow_one_misses_nothing() {
    let (sandbox, _secrets, platform) = sandbox().await;
    sandbox.clock().hold();
    let id = sandbox.team().virtual_machine_id;
    let machines = platform.virtual_machines();
    let mut readers = Vec::new();
    for _ in 0..20 {
        let mut reader = machines.get_virtual_machine_logs_stream(id).await.unwrap();
        events_until(&mut reader, "state \"Stopped\"").await;
        readers.push(reader);
    }
    let mut slow = readers.pop().unwrap();
    let mut seen = vec![Vec::new(); readers.len()];
    for _ in 0..20 {
        machines.start_virtual_machine(id).await.unwrap();
        sandbox.clock().advance(LONG);
        for (reader, seen) in readers.iter_mut().zip(&mut seen) {
            seen.extend(events_until(reader, "state \"Running\"").await);
        }
        machines.stop_virtual_machine(id).await.unwrap();
        sandbox.clock().advance(LONG);
        for (reader, seen) in readers.iter_mut().zip(&mut seen) {
            seen.extend(events_until(reader, "state \"Stopped\"").await);
        }
    }
    assert_eq!(seen[0].len(), 20 * 2 * 4);
    assert!(seen.iter().all(|other| *other == seen[0]));
    let mut late = Vec::new();
    while late.len() < seen[0].len() {
        let line = slow.next().await.unwrap().unwrap().data;
        late.extend((!line.starts_with("state ")).then_some(line));
    }
    assert_eq!(late, seen[0]);
}

#[tokio::test]
async fn a_shutdown_timer_is_set_and_cleared() {
    let (sandbox, _secrets, platform) = sandbox().await;
    sandbox.clock().hold();
    let id = sandbox.team().virtual_machine_id;
    let machines = platform.virtual_machines();
    assert_eq!(machines.get_virtual_machine_shutdown_timer(id).await.unwrap(), None);
    let body = SetShutdownTimer::new(30).reason(text("night"));
    let timer = machines.update_virtual_machine_shutdown_timer(id, &body).await.unwrap();
    assert_eq!((timer.minutes, timer.reason.as_deref()), (Some(30), Some("night")));
    assert_eq!(machines.get_virtual_machine_shutdown_timer(id).await.unwrap(), Some(timer));
    machines.delete_virtual_machine_shutdown_timer(id).await.unwrap();
    assert_eq!(machines.get_virtual_machine_shutdown_timer(id).await.unwrap(), None);
    let missing = Uuid::from_u128(1);
    assert!(machines.update_virtual_machine_shutdown_timer(missing, &body).await.unwrap_err().is_not_found());
    assert!(machines.delete_virtual_machine_shutdown_timer(missing).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn a_session_is_opened_listed_and_closed() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let id = sandbox.team().virtual_machine_id;
    let machines = platform.virtual_machines();
    let body = OpenSession::default().protocol(SessionProtocol::WebTerminal);
    let session = machines.create_virtual_machine_session(id, &body).await.unwrap();
    assert_eq!(session.protocol, Some(SessionProtocol::WebTerminal));
    assert_eq!((session.virtual_machine_id, session.closed_at.clone()), (Some(id), None));
    let key = session.id.unwrap();
    assert_eq!(machines.get_sessions_current(&key.to_string()).await.unwrap(), session);
    assert_eq!(machines.list_virtual_machine_sessions(id).await.unwrap(), [session]);
    machines.delete_virtual_machine_session(id, key).await.unwrap();
    assert_eq!(machines.list_virtual_machine_sessions(id).await.unwrap(), []);
    assert!(machines.get_sessions_current(&key.to_string()).await.unwrap_err().is_not_found());
    assert!(machines.delete_virtual_machine_session(id, key).await.unwrap_err().is_not_found());
}
