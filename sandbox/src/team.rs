//! The seeded teams.

use uuid::Uuid;

/// A seeded team: what a test needs to create a project for it. The identifiers are the same in every sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// Two teams, so that what one owns can be seen to be hidden from the other.
pub(crate) fn seed() -> [Team; 2] {
    [team(1, "Aurora"), team(2, "Borealis")]
}

/// GUIDs that a person can tell apart: the first group names the kind, the last one the team.
fn team(number: u64, name: &str) -> Team {
    let id = |kind: u32| Uuid::from_fields(kind, 0, 0x4000, &(0x8000_0000_0000_0000 | number).to_be_bytes());
    Team {
        id: id(1),
        name: name.to_owned(),
        billing_account_id: id(2),
        payment_plan_id: id(3),
        store_item_id: id(4),
        virtual_machine_id: id(5),
        connection_id: id(6),
    }
}
