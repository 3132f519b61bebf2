//! Flags of `cargo xtask drift` and of its commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{FailOn, Format, day, seconds};

#[derive(Debug, Args)]
pub struct Drift {
    #[command(subcommand)]
    pub command: Option<DriftCommand>,
    /// The contract before, and the contract after; without them, what is pinned and what the source serves.
    #[arg(num_args = 0..=2, value_name = "BEFORE AFTER", conflicts_with_all = ["against", "contract", "base_url"])]
    pub files: Vec<PathBuf>,
    /// What the work tree pins, against what a revision of git pins; no network.
    #[arg(long, value_name = "REV", conflicts_with_all = ["contract", "base_url"])]
    pub against: Option<String>,
    /// The last N revisions of git that pinned another contract, and whom each of them broke; ends with 0.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000),
        conflicts_with_all = ["files", "against", "contract", "base_url", "max_characters", "links", "today"])]
    pub history: Option<u32>,
    /// What is pinned, against this contract: a file, or an http(s) URL.
    #[arg(long, value_name = "FILE|URL")]
    pub contract: Option<String>,
    /// What is pinned, against what this deployment serves.
    #[arg(long, value_name = "URL", conflicts_with = "contract")]
    pub base_url: Option<String>,
    /// How the report is written.
    #[arg(long, value_enum, default_value = "text")]
    pub format: Format,
    /// Writes the report into a file, instead of printing it.
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
    /// Where people read the files of the repository, up to their paths: rows of a report link to lines of the pinned contract.
    /// Without it, a report in a file of the repository links to the files beside it.
    #[arg(long, value_name = "URL", value_parser = link_base)]
    pub links: Option<String>,
    /// With --format markdown: cuts the report after the last line that fits, and says so there.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1000..))]
    pub max_characters: Option<u32>,
    /// Never takes the embedded sandbox for the deployment: without a configured one, it ends with exit code 5.
    #[arg(long, conflicts_with_all = ["files", "against"])]
    pub no_sandbox: bool,
    /// Findings that end the command with exit code 1.
    #[arg(long, value_enum, default_value = "client")]
    pub fail_on: FailOn,
    /// The day by which announced ends are over, instead of today.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub today: Option<String>,
    /// Compares contracts of different services, too.
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
    /// Says what a rule means, in requests and in responses.
    Explain {
        /// The rule, such as `member-removed`; without one, all rules are listed.
        rule: Option<String>,
    },
    /// Accepts findings of what the source serves against what is pinned: the gate lets them pass.
    Accept(Box<DriftAccept>),
}

#[derive(Debug, Args)]
pub struct DriftAccept {
    /// Fingerprints, or beginnings of them that fit one finding each.
    #[arg(required = true, value_name = "FINGERPRINT")]
    pub fingerprints: Vec<String>,
    /// Why, for whoever reads specs/accepted-drift.toml.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// The last day on which it counts; without one, as long as the finding is there.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub until: Option<String>,
    /// Findings of this contract against what is pinned: a file, or an http(s) URL.
    #[arg(long, value_name = "FILE|URL")]
    pub contract: Option<String>,
    /// Findings of what this deployment serves.
    #[arg(long, value_name = "URL", conflicts_with = "contract")]
    pub base_url: Option<String>,
    /// The day by which announced ends are over, instead of today.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    pub today: Option<String>,
    /// Time allowed for a connection.
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    pub connect_timeout: Duration,
    /// Time allowed for a download as a whole.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub timeout: Duration,
}

/// Where files are read: a URL that ends with a slash.
fn link_base(text: &str) -> Result<String, String> {
    let url = url::Url::parse(text).map_err(|error| error.to_string())?;
    if !["http", "https"].contains(&url.scheme()) || url.query().is_some() || url.fragment().is_some() {
        return Err("write a URL with http or https, without ? and #".to_owned());
    }
    let text = url.to_string();
    Ok(if text.ends_with('/') { text } else { text + "/" })
}
