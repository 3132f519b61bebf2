//! A fake service whose clients have the generated type.

/// Defines the module `testing`.
#[doc(hidden)]
#[macro_export]
macro_rules! __front_testing {
    ($client:ident, $builder:ident) => {
        /// Support for tests of code that uses the client.
        #[cfg(feature = "testing")]
        pub mod testing {
            use ::std::ops::Deref;

            use super::{$builder, $client};
            use $crate::{Error, testing};

            #[cfg(feature = "graphql")]
            pub use $crate::testing::QUERIES;
            pub use $crate::testing::{FakeCall, FakeOperation, FakeReply, FakeRule, REQUESTS, value};

            /// A fake service: it answers the calls of a client without a network, and records them. The constants
            /// `FAKE` of the types in the `operations` module of a family name its operations, and [`REQUESTS`] names
            /// requests by method and path.
            ///
            /// ```
            #[doc = ::core::concat!("# #[tokio::main(flavor = \"current_thread\")] async fn main() -> Result<(), ", ::core::env!("CARGO_CRATE_NAME"), "::Error> {")]
            #[doc = ::core::concat!("use ", ::core::env!("CARGO_CRATE_NAME"), "::{Method, testing::{Fake, FakeReply, REQUESTS}};")]
            ///
            /// let fake = Fake::new();
            /// fake.on(REQUESTS).reply(FakeReply::status(200).json(&["first"]));
            /// let client = fake.client()?;
            ///
            /// let items = client.request(Method::Get, "/items").send().await?;
            /// assert_eq!(items.json::<Vec<String>>()?, ["first"]);
            /// assert_eq!(fake.calls()[0].path, "/items");
            /// # Ok(()) }
            /// ```
            #[derive(Clone, Debug, Default)]
            pub struct Fake(testing::Fake);

            impl Fake {
                /// Creates a service that refuses all calls with status 501, until replies are set.
                pub fn new() -> Self {
                    Self::default()
                }

                /// Creates a client of it. It has no credential, and sends each call once.
                ///
                /// # Errors
                ///
                /// None in practice: the configuration is fixed.
                pub fn client(&self) -> Result<$client, Error> {
                    self.builder().no_retry().build()
                }

                /// Returns the configuration of a client of it.
                pub fn builder(&self) -> $builder {
                    self.0.builder_of()
                }
            }

            impl Deref for Fake {
                type Target = testing::Fake;

                fn deref(&self) -> &testing::Fake {
                    &self.0
                }
            }
        }
    };
}
