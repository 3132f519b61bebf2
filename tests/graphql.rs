//! Typed documents against the sandbox: queries and subscriptions whose types come from the pinned schema.

use platform_client::documents::{self, types::OperationState};
use platform_client::graphql::{Delivery, GraphqlOptions, SubscriptionTransport};
use platform_client::types::DeployWorkload;
use platform_client::{Platform, Uuid};

use crate::support::{component, sandbox};

/// Follows a deployment with both documents, to its end.
async fn follow(platform: &Platform) {
    let (project, component) = component(platform).await;
    let body = DeployWorkload::default();
    let call = platform.projects().create_project_component_deployment(project, component, &body);
    let accepted = serde_json::to_value(call.await.unwrap()).unwrap();
    let id = accepted["id"].as_str().unwrap().to_owned();

    let variables = documents::operation_changed::Variables::new(id.clone());
    let mut changes = platform.graphql().subscribe(&documents::OPERATION_CHANGED, variables);
    let variables = documents::operation::Variables::new(id);
    loop {
        let answer = platform.graphql().query(&documents::OPERATION, variables.clone()).await.unwrap();
        let operation = answer.into_data().unwrap().operation.unwrap();
        assert!(!matches!(operation.state, OperationState::Unknown(_)), "{operation:?}");
        if operation.state == OperationState::Succeeded && operation.events.iter().any(|e| e.kind == "workload-ready") {
            break;
        }
        assert!(matches!(
            operation.state,
            OperationState::Queued | OperationState::Running | OperationState::Succeeded
        ));
        if let Some(Delivery::Next(change)) = changes.next().await.transpose().unwrap() {
            let change = change.into_data().unwrap().operation_changed;
            assert!(!change.event.kind.is_empty());
            assert!(!matches!(change.operation.state, OperationState::Unknown(_)), "{change:?}");
        }
    }
}

#[tokio::test]
async fn typed_documents_follow_a_deployment_over_the_socket() {
    let (sandbox, _secrets, platform) = sandbox().await;
    follow(&platform).await;
    sandbox.stop().await;
}

#[tokio::test]
async fn typed_documents_follow_a_deployment_over_server_sent_events() {
    let (sandbox, secrets, _) = sandbox().await;
    let options = GraphqlOptions::new().transport(SubscriptionTransport::ServerSentEvents);
    let platform = crate::support::builder(&sandbox, secrets.path(), 0).graphql(options).build().unwrap();
    follow(&platform).await;
    sandbox.stop().await;
}

#[tokio::test]
async fn what_is_not_there_is_none() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let variables = documents::operation::Variables::new(Uuid::nil().to_string());
    let answer = platform.graphql().query(&documents::OPERATION, variables).await.unwrap();
    assert_eq!(answer.into_data().unwrap(), documents::operation::Data::default());
    sandbox.stop().await;
}

#[test]
fn a_state_that_the_schema_does_not_list_is_kept() {
    let text = r#"{"operation":{"state":"PAUSED","message":null,"events":[],"added":1}}"#;
    let data: documents::operation::Data = serde_json::from_str(text).unwrap();
    let operation = data.operation.unwrap();
    assert_eq!((operation.state, operation.message), (OperationState::Unknown("PAUSED".to_owned()), None));
    let refused = serde_json::from_str::<documents::operation::Data>(r#"{"operation":{"events":[]}}"#).unwrap_err();
    assert!(refused.to_string().contains("field `state` of `Operation` is missing"), "{refused}");
}
