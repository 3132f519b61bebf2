//! The kinds of asynchronous work, and their effects on the target resource. All assumed (platform document §3: states are not
//! shown).

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The phase of a workflow. Queued and running come before one of the three final phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    Queued,
    Running,
    Succeeded,
    Failed,
    Cancelled,
}

/// The kind of a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Kind {
    WorkloadDeployment,
    TerraformPlan,
    TerraformRun,
    TerraformApply,
    TerraformDestroy,
    MachineStart,
    MachineStop,
    /// A stop that a shutdown timer has planned.
    TimedStop,
    DatabaseQuery,
    DatabaseBackup,
    DatabaseImport,
}

impl Phase {
    pub(crate) fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }

    /// The number of the contract's `WorkflowState`.
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Queued => 0,
            Self::Running => 1,
            Self::Succeeded => 2,
            Self::Failed => 3,
            Self::Cancelled => 4,
        }
    }
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::WorkloadDeployment => "workload-deployment",
            Self::TerraformPlan => "terraform-plan",
            Self::TerraformRun => "terraform-run",
            Self::TerraformApply => "terraform-apply",
            Self::TerraformDestroy => "terraform-destroy",
            Self::MachineStart => "virtual-machine-start",
            Self::MachineStop => "virtual-machine-stop",
            Self::TimedStop => "virtual-machine-shutdown-timer",
            Self::DatabaseQuery => "database-query",
            Self::DatabaseBackup => "database-backup",
            Self::DatabaseImport => "database-import",
        }
    }

    /// The event that follows a success: the result of the work is available.
    pub(crate) fn ready_event(self) -> &'static str {
        match self {
            Self::WorkloadDeployment => "workload-ready",
            Self::TerraformPlan => "plan-ready",
            Self::TerraformRun | Self::TerraformApply => "infrastructure-ready",
            Self::TerraformDestroy => "infrastructure-gone",
            Self::MachineStart => "virtual-machine-reachable",
            Self::MachineStop | Self::TimedStop => "virtual-machine-released",
            Self::DatabaseQuery | Self::DatabaseBackup | Self::DatabaseImport => "result-ready",
        }
    }

    /// The `state` of the resource in a phase. `None` leaves it unchanged.
    pub(crate) fn state_in(self, phase: Phase) -> Option<Value> {
        let numbers = |numbers: [i64; 5]| Some(Value::from(*numbers.get(usize::try_from(phase.number()).ok()?)?));
        let words = |words: [&str; 5]| Some(Value::from(*words.get(usize::try_from(phase.number()).ok()?)?));
        match self {
            Self::WorkloadDeployment => Some(phase.number().into()),
            Self::TerraformPlan => numbers([0, 1, 1, 9, 9]),
            Self::TerraformRun => numbers([0, 1, 3, 9, 9]),
            Self::TerraformApply => numbers([2, 2, 3, 9, 9]),
            Self::TerraformDestroy => numbers([4, 4, 4, 9, 9]),
            Self::MachineStart => words(["Starting", "Starting", "Running", "Failed", "Stopped"]),
            Self::MachineStop => words(["Stopping", "Stopping", "Stopped", "Failed", "Running"]),
            Self::TimedStop => (phase == Phase::Succeeded).then(|| "Stopped".into()),
            Self::DatabaseQuery | Self::DatabaseBackup | Self::DatabaseImport => None,
        }
    }

    /// Returns whether the work cannot begin while the resource has this `state`.
    pub(crate) fn is_blocked_by(self, state: &Value) -> bool {
        match self {
            Self::MachineStart => ["Starting", "Running", "Stopping"].iter().any(|blocked| state == blocked),
            Self::MachineStop => ["Stopped", "Starting", "Stopping"].iter().any(|blocked| state == blocked),
            Self::TerraformApply => [2, 4].iter().any(|blocked| state == blocked),
            _ => false,
        }
    }
}
