//! Help for those who test their own code against the client.
//!
//! [`Fake`] answers calls without a network. For tests against a real server, the workspace's sandbox is a dev-dependency that
//! starts in one line, on ports of its own:
//!
//! ```text
//! let sandbox = platform_sandbox::start().await?;
//! let client = &sandbox.clients()[0];
//! let secret = SecretString::from(client.secret());
//! let credential = ClientCredentials::new(sandbox.auth_url(), &client.client_id, secret);
//! let platform = Platform::builder(sandbox.base_url()).credential(credential).build()?;
//! ```

use std::ops::Deref;

#[cfg(feature = "graphql")]
pub use driftless_runtime::testing::QUERIES;
pub use driftless_runtime::testing::{FakeCall, FakeOperation, FakeReply, FakeRule, REQUESTS, value};
use driftless_runtime::{Error, testing};

use crate::{Platform, PlatformBuilder};

/// A service that is not there: it answers the calls of a client with what it was told, and keeps them. Operations are named by
/// the constants `FAKE` of the types in the `operations` module of their family, requests by hand by [`REQUESTS`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), platform_client::Error> {
/// use platform_client::{Method, testing::{Fake, FakeReply, REQUESTS}};
///
/// let fake = Fake::new();
/// fake.on(REQUESTS).reply(FakeReply::status(200).json(&["first"]));
/// let platform = fake.platform()?;
///
/// let projects = platform.request(Method::Get, "/api/projects/v1/projects").send().await?;
/// assert_eq!(projects.json::<Vec<String>>()?, ["first"]);
/// assert_eq!(fake.calls()[0].path, "/api/projects/v1/projects");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Fake(testing::Fake);

impl Fake {
    /// A service that refuses everything with status 501, until it is told answers.
    pub fn new() -> Self {
        Self::default()
    }

    /// A client of it. It has no credential, and sends each call once.
    ///
    /// # Errors
    ///
    /// None that a test would meet.
    pub fn platform(&self) -> Result<Platform, Error> {
        self.builder().no_retry().build()
    }

    /// The configuration of a client of it, to go on with.
    pub fn builder(&self) -> PlatformBuilder {
        self.0.builder_of()
    }
}

impl Deref for Fake {
    type Target = testing::Fake;

    fn deref(&self) -> &testing::Fake {
        &self.0
    }
}
