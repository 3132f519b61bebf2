//! Sends the status of all senders on WhatsApp to another address.

use twilio::types::{
    ChannelsSenderEnumStatus, MessagingV2ChannelsSenderRequestsUpdate, MessagingV2ChannelsSenderWebhook,
    MessagingV2ChannelsSenderWebhookCallbackMethod,
};
use twilio::{Error, Twilio};

pub async fn run(twilio: &Twilio) -> Result<(), Error> {
    let senders = twilio.messaging_v2_channels_sender();
    let mut all = senders.list_channels_sender("whatsapp").page_size(2).with_items();
    while let Some(sender) = all.next().await {
        let sender = sender?;
        let Some(sid) = sender.sid else { continue };
        if sender.status == Some(ChannelsSenderEnumStatus::Offline) {
            println!("{sid} is offline");
            continue;
        }
        let webhook = MessagingV2ChannelsSenderWebhook::default()
            .callback_url("https://hooks.example/incoming")
            .callback_method(MessagingV2ChannelsSenderWebhookCallbackMethod::Post)
            .status_callback_url("https://hooks.example/status");
        let change = MessagingV2ChannelsSenderRequestsUpdate::default().webhook(webhook);
        senders.update_channels_sender(&sid, &change).await?;
    }
    Ok(())
}
