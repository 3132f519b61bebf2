//! Flags of `cargo xtask drift accept`, and of links.

use std::time::Duration;

use clap::Args;

use super::{day, seconds};

#[derive(Debug, Args)]
pub(crate) struct DriftAccept {
    /// Fingerprints, or beginnings of them that fit one finding each.
    #[arg(required = true, value_name = "FINGERPRINT")]
    pub(crate) fingerprints: Vec<String>,
    /// Why, for whoever reads specs/accepted-drift.toml.
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// The last day on which it counts; without one, as long as the finding is there.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub(crate) until: Option<String>,
    /// Findings of this contract against what is pinned: a file, or an http(s) URL.
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) contract: Option<String>,
    /// Findings of what this deployment serves.
    #[arg(long, value_name = "URL", conflicts_with = "contract")]
    pub(crate) base_url: Option<String>,
    /// The day by which announced ends are over, instead of today.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub(crate) today: Option<String>,
    /// Time allowed for a connection.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub(crate) connect_timeout: Duration,
    /// Time allowed for a download as a whole.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
}

/// Where files are read: a URL that ends with a slash.
pub(super) fn link_base(text: &str) -> Result<String, String> {
    let url = url::Url::parse(text).map_err(|error| error.to_string())?;
    if !["http", "https"].contains(&url.scheme()) || url.query().is_some() || url.fragment().is_some() {
        return Err("write a URL with http or https, without ? and #".to_owned());
    }
    let text = url.to_string();
    Ok(if text.ends_with('/') { text } else { text + "/" })
}
