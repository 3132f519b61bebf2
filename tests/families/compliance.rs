//! Compliance frameworks, their versions and controls, under both prefixes.

use platform_client::types::{ControlSeverity, SaveControl, SaveFramework, SaveFrameworkVersion};
use platform_client::{Maybe, Uuid};

use super::text;
use crate::support::{client, sandbox};

fn framework() -> SaveFramework {
    SaveFramework::new("Baseline").authority(text("Bureau"))
}

fn version() -> SaveFrameworkVersion {
    SaveFrameworkVersion::new("1.0").is_published(true).effective_from(Maybe::Null)
}

fn control(code: &str, severity: ControlSeverity) -> SaveControl {
    SaveControl::new(code.to_owned()).title(text("Doors")).severity(severity)
}

#[tokio::test]
async fn frameworks_versions_and_controls_without_a_version_in_the_prefix() {
    let (sandbox, secrets, platform) = sandbox().await;
    let compliance = platform.compliance();
    let created = compliance.create_framework(&framework()).await.unwrap();
    assert_eq!((created.name.as_deref(), created.authority.as_deref()), (Some("Baseline"), Some("Bureau")));
    let id = created.id.unwrap();
    assert_eq!(compliance.get_framework(id).await.unwrap(), created);
    assert_eq!(compliance.list_frameworks().await.unwrap(), [created]);

    let stored = compliance.create_framework_version(id, &version()).await.unwrap();
    assert_eq!((stored.framework_id, stored.label.as_deref()), (Some(id), Some("1.0")));
    assert_eq!(stored.is_published, Some(true));
    let version = stored.id.unwrap();
    assert_eq!(compliance.get_framework_version(id, version).await.unwrap(), stored);
    assert_eq!(compliance.list_framework_versions(id).await.unwrap(), [stored]);

    let high = control("A.1", ControlSeverity::High);
    let first = compliance.create_framework_version_control(id, version, &high).await.unwrap();
    assert_eq!((first.code.as_deref(), first.severity.clone()), (Some("A.1"), Some(ControlSeverity::High)));
    let low = control("A.2", ControlSeverity::Low);
    let kept = first.id.unwrap();
    let changed = compliance.update_framework_version_control(id, version, kept, &low).await.unwrap();
    assert_eq!((changed.id, changed.code.as_deref()), (Some(kept), Some("A.2")));
    let listed = async |severity: ControlSeverity| {
        compliance.list_framework_version_controls(id, version).severity(&severity).await.unwrap()
    };
    assert_eq!((listed(ControlSeverity::High).await, listed(ControlSeverity::Low).await), (vec![], vec![changed]));

    let missing = Uuid::from_u128(1);
    let update = compliance.update_framework_version_control(id, version, missing, &low);
    assert!(update.await.unwrap_err().is_not_found());
    let stranger = client(&sandbox, secrets.path(), 1);
    assert!(stranger.compliance().get_framework(id).await.unwrap_err().is_not_found());
    assert_eq!(stranger.compliance().list_frameworks().await.unwrap(), []);
}

#[tokio::test]
async fn frameworks_versions_and_controls_under_v1() {
    let (sandbox, secrets, platform) = sandbox().await;
    let compliance = platform.compliance();
    let created = compliance.create_framework_v1(&framework()).await.unwrap();
    assert_eq!((created.name.as_deref(), created.authority.as_deref()), (Some("Baseline"), Some("Bureau")));
    let id = created.id.unwrap();
    assert_eq!(compliance.get_framework_v1(id).await.unwrap(), created);
    assert_eq!(compliance.list_frameworks_v1().await.unwrap(), [created]);

    let stored = compliance.create_framework_version_v1(id, &version()).await.unwrap();
    assert_eq!((stored.framework_id, stored.label.as_deref()), (Some(id), Some("1.0")));
    assert_eq!(stored.is_published, Some(true));
    let version = stored.id.unwrap();
    assert_eq!(compliance.get_framework_version_v1(id, version).await.unwrap(), stored);
    assert_eq!(compliance.list_framework_versions_v1(id).await.unwrap(), [stored]);

    let high = control("A.1", ControlSeverity::High);
    let first = compliance.create_framework_version_control_v1(id, version, &high).await.unwrap();
    assert_eq!((first.code.as_deref(), first.severity.clone()), (Some("A.1"), Some(ControlSeverity::High)));
    let low = control("A.2", ControlSeverity::Low);
    let kept = first.id.unwrap();
    let changed = compliance.update_framework_version_control_v1(id, version, kept, &low).await.unwrap();
    assert_eq!((changed.id, changed.code.as_deref()), (Some(kept), Some("A.2")));
    let listed = async |severity: ControlSeverity| {
        compliance.list_framework_version_controls_v1(id, version).severity(&severity).await.unwrap()
    };
    assert_eq!((listed(ControlSeverity::High).await, listed(ControlSeverity::Low).await), (vec![], vec![changed]));

    let missing = Uuid::from_u128(1);
    let update = compliance.update_framework_version_control_v1(id, version, missing, &low);
    assert!(update.await.unwrap_err().is_not_found());
    let stranger = client(&sandbox, secrets.path(), 1);
    assert!(stranger.compliance().get_framework_v1(id).await.unwrap_err().is_not_found());
    assert_eq!(stranger.compliance().list_frameworks_v1().await.unwrap(), []);
}
