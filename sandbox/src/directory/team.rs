//! The seeded teams.

use serde::Deserialize;
use uuid::Uuid;

/// A seeded team, with the identifiers that a test needs to create a project. They are the same in every sandbox.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Team {
    /// The team's GUID: `teamId` of a creation, and the `team_id` claim of its clients.
    pub id: Uuid,
    /// The team's name.
    pub name: String,
    /// A billing account of the team: `teamBillingAccountId` of a creation.
    pub billing_account_id: Uuid,
    /// A payment plan that the team may name as `storeItemPaymentPlanId`.
    pub payment_plan_id: Uuid,
    /// The store item of the payment plan.
    pub store_item_id: Uuid,
    /// A virtual machine of the team.
    pub virtual_machine_id: Uuid,
    /// A database connection of the team.
    pub connection_id: Uuid,
}

impl Team {
    /// A team without a name, which no seed contains.
    pub(crate) const fn nobody() -> Self {
        let nil = Uuid::nil();
        Self {
            id: nil,
            name: String::new(),
            billing_account_id: nil,
            payment_plan_id: nil,
            store_item_id: nil,
            virtual_machine_id: nil,
            connection_id: nil,
        }
    }
}
