//! `/api/marketplace/v1`: store items, their components, images and payment plans. All assumed.

use http::Method;

use super::Family;
use crate::contract::behaviour::Handler;
use crate::contract::declare::Controller;
use crate::contract::operation::Operation;
use crate::contract::schema::{
    Schema, binary, boolean, date_time, double, int, list, numbers, object, string, text, uuid,
};

pub(super) fn family() -> Family {
    let mut operations = items();
    operations.extend(components());
    operations.extend(plans());
    Family { operations, schemas: schemas() }
}

fn items() -> Vec<Operation> {
    let items = Controller::new("StoreItems", "/api/marketplace/v1/store-items");
    vec![
        items
            .list("", "Searches the store.")
            .deep_query("filter", "StoreItemFilter".into())
            .query("tags", list(string()))
            .joined_query("ids", list(uuid()))
            .query("skip", int())
            .query("take", int())
            .ok("StoreItemPagedResult"),
        items.create("", "Publishes a store item.").body("SaveStoreItem").created("StoreItem"),
        items.get("/{storeItemId}", "Gets one store item.").ok("StoreItem"),
        items
            .operation(Method::GET, "/{storeItemId}/image", "Downloads the image of a store item.", Handler::GetBytes)
            .ok_as_any_of(&["image/png", "image/jpeg"], &binary()),
        items
            .operation(Method::PUT, "/{storeItemId}/image", "Uploads the image of a store item.", Handler::PutBytes)
            .raw_body(&["image/png", "image/jpeg"])
            .no_content(),
    ]
}

fn components() -> Vec<Operation> {
    let components = Controller::new("StoreItemComponents", "/api/marketplace/v1/store-items/{storeItemId}/components");
    vec![
        components.list("", "Lists the components of a store item.").ok(list("StoreItemComponent")),
        components
            .create("", "Adds a component to a store item.")
            .body("SaveStoreItemComponent")
            .created("StoreItemComponent"),
    ]
}

fn plans() -> Vec<Operation> {
    let plans = Controller::new("PaymentPlans", "/api/marketplace/v1/store-items/{storeItemId}/payment-plans");
    vec![
        plans.list("", "Lists the payment plans of a store item.").ok(list("PaymentPlan")),
        plans.create("", "Adds a payment plan.").body("SavePaymentPlan").created("PaymentPlan"),
        plans.get("/{paymentPlanId}", "Gets one payment plan.").ok("PaymentPlan"),
        plans.remove("/{paymentPlanId}", "Withdraws a payment plan.").no_content().conflict(),
    ]
}

fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        (
            "StoreItem",
            object([
                ("id", uuid().read_only()),
                ("name", text()),
                ("summary", text()),
                ("category", text()),
                ("tags", list(string()).nullable()),
                ("rating", double()),
                ("isPublished", boolean()),
                ("publishedAt", date_time().nullable()),
            ]),
        ),
        (
            "StoreItemPagedResult",
            object([("items", list("StoreItem").nullable()), ("totalCount", int()), ("skip", int()), ("take", int())]),
        ),
        ("StoreItemFilter", object([("category", text()), ("name", text()), ("isPublished", boolean())])),
        (
            "SaveStoreItem",
            object([
                ("name", string().min_length(1)),
                ("summary", text()),
                ("category", text()),
                ("tags", list(string()).nullable()),
                ("isPublished", boolean()),
            ])
            .required(&["name"]),
        ),
        (
            "StoreItemComponent",
            object([("id", uuid().read_only()), ("name", text()), ("image", text()), ("order", int())]),
        ),
        ("SaveStoreItemComponent", object([("name", text()), ("image", text()), ("order", int())])),
        ("BillingPeriod", numbers(&[0, 1, 2])),
        (
            "PaymentPlan",
            object([
                ("id", uuid().read_only()),
                ("name", text()),
                ("price", double()),
                ("currency", text()),
                ("period", "BillingPeriod".into()),
            ]),
        ),
        (
            "SavePaymentPlan",
            object([("name", text()), ("price", double()), ("currency", text()), ("period", "BillingPeriod".into())]),
        ),
    ]
}
