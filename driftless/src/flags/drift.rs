//! Flags of `cargo xtask drift` and of its commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{FailOn, Format, OneService, Services, day, seconds};

#[derive(Debug, Default, Args)]
pub struct Drift {
    #[command(subcommand)]
    pub command: Option<DriftCommand>,
    #[command(flatten)]
    pub services: Services,
    /// Two contracts, before and after. Without them, the pinned contract is compared with the source's.
    #[arg(num_args = 0..=2, value_name = "BEFORE AFTER", conflicts_with_all = ["against", "contract", "base_url"])]
    pub files: Vec<PathBuf>,
    /// Compare the pinned contract with the one in a Git revision. Does not use the network.
    #[arg(long, value_name = "REV", conflicts_with_all = ["contract", "base_url"])]
    pub against: Option<String>,
    /// The last N revisions of git that pinned another contract, and whom each of them broke; ends with 0.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000),
        conflicts_with_all = ["files", "against", "contract", "base_url", "max_characters", "links", "today"])]
    pub history: Option<u32>,
    /// Compare the pinned contract with this one: a file, or an http(s) URL.
    #[arg(long, value_name = "FILE|URL")]
    pub contract: Option<String>,
    /// Compare the pinned contract with the one of this deployment.
    #[arg(long, value_name = "URL", conflicts_with = "contract")]
    pub base_url: Option<String>,
    /// Format of the report.
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Write the report into a file, instead of printing it.
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Base URL of the repository's files, used for links in the report. Without it, a report in a file of the repository links
    /// to the files beside it.
    #[arg(long, value_name = "URL", value_parser = link_base)]
    pub links: Option<String>,
    /// With --format markdown: cut the report after the last line that fits, and say so there.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1000..))]
    pub max_characters: Option<u32>,
    /// Exit with code 5 if no deployment is configured, instead of comparing with the sandbox.
    #[arg(long, conflicts_with_all = ["files", "against"])]
    pub no_sandbox: bool,
    /// Findings that end the command with exit code 1.
    #[arg(long, value_enum, default_value = "client")]
    pub fail_on: FailOn,
    /// Date to compare sunset dates with (default: today).
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub today: Option<String>,
    /// Allow comparing contracts of different services.
    #[arg(long)]
    pub foreign: bool,
    /// Time allowed for a connection.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub connect_timeout: Duration,
    /// Time allowed for a download as a whole.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,
}

#[derive(Debug, Subcommand)]
pub enum DriftCommand {
    /// Explains a rule, for requests and for responses.
    Explain {
        /// The rule, such as `member-removed`; without one, all rules are listed.
        rule: Option<String>,
    },
    /// Accepts differences between the source and the pinned contract: the gate lets them pass.
    Accept(Box<DriftAccept>),
}

#[derive(Debug, Args)]
pub struct DriftAccept {
    #[command(flatten)]
    pub one: OneService,
    /// Fingerprints, or beginnings of them that fit one finding each.
    #[arg(required = true, value_name = "FINGERPRINT")]
    pub fingerprints: Vec<String>,
    /// The reason, for readers of specs/accepted-drift.toml.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// The last day on which it counts; without one, as long as the finding is there.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub until: Option<String>,
    /// Accept findings of this contract against the pinned one: a file, or an http(s) URL.
    #[arg(long, value_name = "FILE|URL")]
    pub contract: Option<String>,
    /// Accept findings of this deployment's contract.
    #[arg(long, value_name = "URL", conflicts_with = "contract")]
    pub base_url: Option<String>,
    /// Date to compare sunset dates with (default: today).
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub today: Option<String>,
    /// Time allowed for a connection.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub connect_timeout: Duration,
    /// Time allowed for a download as a whole.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,
}

/// Parses the base URL of files: a URL that ends with a slash.
fn link_base(text: &str) -> Result<String, String> {
    let url = url::Url::parse(text).map_err(|error| error.to_string())?;
    if !["http", "https"].contains(&url.scheme()) || url.query().is_some() || url.fragment().is_some() {
        return Err("write a URL with http or https, without ? and #".to_owned());
    }
    let text = url.to_string();
    Ok(if text.ends_with('/') { text } else { text + "/" })
}
