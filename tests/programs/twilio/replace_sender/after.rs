//! Creates a sender with the profile of another one, which it replaces.

use twilio::types::{
    MessagingV2ChannelsSenderProfile, MessagingV2ChannelsSenderRequestsCreate, MessagingV2ChannelsSenderWebhook, Method,
};
use twilio::{Error, Twilio};

pub async fn run(twilio: &Twilio) -> Result<(), Error> {
    let senders = twilio.messaging_v2_channels_sender();
    let old = match senders.fetch_channels_sender("XE01").await {
        Ok(sender) => sender,
        Err(error) if error.is_not_found() => return Ok(println!("sender XE01 does not exist")),
        Err(error) => return Err(error),
    };
    let name = old.profile.and_then(|profile| profile.name).unwrap_or_default();
    let profile = MessagingV2ChannelsSenderProfile::default().name(name).about("Open from 8 to 18");
    let fallback = MessagingV2ChannelsSenderWebhook::default()
        .fallback_url("https://hooks.example/fallback")
        .fallback_method(Method::Put);
    let new = MessagingV2ChannelsSenderRequestsCreate::default()
        .sender_id("whatsapp:+15550100")
        .profile(profile)
        .webhook(fallback);
    let new = senders.create_channels_sender(&new).await?;
    println!("{} is {:?}", new.sid.unwrap_or_default(), new.status);
    senders.delete_channels_sender("XE01").await
}
