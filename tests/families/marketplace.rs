//! The marketplace: store items, their components, images and payment plans.

use platform_client::types::{BillingPeriod, SavePaymentPlan, SaveStoreItem, SaveStoreItemComponent};
use platform_client::{Maybe, Upload, Uuid};

use super::text;
use crate::support::sandbox;

#[tokio::test]
async fn items_components_and_images() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let marketplace = platform.marketplace();
    let body = SaveStoreItem::new("Queue")
        .category(text("messaging"))
        .is_published(true)
        .summary(text("First in, first out"))
        .tags(Maybe::Null);
    let item = marketplace.create_store_item(&body).await.unwrap();
    assert_eq!((item.name.as_deref(), item.is_published), (Some("Queue"), Some(true)));
    let id = item.id.unwrap();
    assert_eq!(marketplace.get_store_item(id).await.unwrap(), item);
    let listed = marketplace.list_store_items().await.unwrap();
    let listed: Vec<Uuid> = listed.items.unwrap().into_iter().filter_map(|item| item.id).collect();
    assert_eq!(listed.len(), 2);
    assert!(listed.contains(&id) && listed.contains(&sandbox.team().store_item_id));
    let paged = marketplace.list_store_items().take(1).with_items().collect().await.unwrap();
    let paged: Vec<Uuid> = paged.into_iter().filter_map(|item| item.id).collect();
    assert_eq!(paged, listed, "page by page as at once");
    assert_eq!(marketplace.list_store_items().take(1).with_items().limit(1).collect().await.unwrap().len(), 1);

    assert_eq!(marketplace.list_store_item_components(id).await.unwrap(), []);
    let body = SaveStoreItemComponent::default().name(text("broker")).image(text("broker:1")).order(2);
    let component = marketplace.create_store_item_component(id, &body).await.unwrap();
    assert_eq!((component.name.as_deref(), component.order), (Some("broker"), Some(2)));
    assert_eq!(marketplace.list_store_item_components(id).await.unwrap(), [component]);

    assert!(marketplace.get_store_item_image(id).await.unwrap_err().is_not_found());
    let image = [0x89, b'P', b'N', b'G', 0, 255];
    let upload = Upload::bytes(image.to_vec()).content_type("image/png");
    marketplace.update_store_item_image(id, upload).await.unwrap();
    let stored = marketplace.get_store_item_image(id).await.unwrap();
    assert_eq!(stored.bytes().await.unwrap().as_ref(), image);
    assert!(marketplace.get_store_item(Uuid::from_u128(1)).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn payment_plans_are_added_and_withdrawn() {
    let (sandbox, _secrets, platform) = sandbox().await;
    let marketplace = platform.marketplace();
    let item = sandbox.team().store_item_id;
    let seeded = marketplace.get_store_item_payment_plan(item, sandbox.team().payment_plan_id).await.unwrap();
    assert_eq!((seeded.name.as_deref(), seeded.price), (Some("Monthly"), Some(9.5)));
    let body = SavePaymentPlan::default()
        .name(text("Yearly"))
        .price(99.25)
        .currency(text("EUR"))
        .period(BillingPeriod::Value2);
    let plan = marketplace.create_store_item_payment_plan(item, &body).await.unwrap();
    assert_eq!((plan.price, plan.period), (Some(99.25), Some(BillingPeriod::Value2)));
    let id = plan.id.unwrap();
    assert_eq!(marketplace.get_store_item_payment_plan(item, id).await.unwrap(), plan);
    let plans = marketplace.list_store_item_payment_plans(item).await.unwrap();
    assert!(plans.len() == 2 && plans.contains(&plan) && plans.contains(&seeded), "{plans:?}");
    marketplace.delete_store_item_payment_plan(item, id).await.unwrap();
    assert_eq!(marketplace.list_store_item_payment_plans(item).await.unwrap(), [seeded]);
    assert!(marketplace.delete_store_item_payment_plan(item, id).await.unwrap_err().is_not_found());
}
