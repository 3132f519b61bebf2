//! The front of a generated client: the types that have to be defined in the client's own crate, so that generated code
//! can add methods.
//!
//! Generated code calls [`generated`](crate::__generated) with the version of the interface between generator and
//! runtime. Another version is one error that names the command to run, instead of an error for each generated item.

mod call;
mod response;
mod testing;

/// Declares the modules of a generated client, and its front.
#[doc(hidden)]
#[macro_export]
macro_rules! __generated {
    (
        interface 2;
        client $client:ident;
        builder $builder:ident;
        variables $variables:literal;
        $($modules:tt)*
    ) => {
        $($modules)*

        #[allow(dead_code, unused_imports, reason = "a contract may have no family, server, page or header")]
        pub(crate) mod front {
            use std::{fmt, marker::PhantomData, ops::Deref, time::Duration};

            use $crate::codegen::prelude::{Argument, Operation, Paging, Payload, Raw};
            use $crate::codegen::{DeclaredServer, DeserializeOwned, GeneratedClient, Scheme, Security};
            use $crate::{
                ByteStream, CallFuture, Client, ClientBuilder, Error, HeaderMap, Items, MinThroughput, Pages, RawResponse, RetryPolicy,
                StatusCode,
            };

            $crate::__front_call!();

            $crate::__front_response!();

            $crate::__front_client!($client, $builder, $variables);

            $crate::__front_testing!($client, $builder);
        }

        pub use self::front::{Call, Declared, Response, Server, Submission, $builder, $client};

        #[cfg(feature = "testing")]
        pub use self::front::testing;

        #[cfg(feature = "blocking")]
        pub use self::front::blocking;

        #[cfg(feature = "graphql")]
        #[doc(inline)]
        pub use $crate::graphql;
        #[cfg(feature = "operations")]
        #[doc(inline)]
        pub use $crate::operations;
        #[doc(inline)]
        pub use $crate::{
            AsText, Base64, ByteStream, Call as RequestCall, CallFuture, Certificates, Client, ClientBuilder, Date,
            DateTime, Decimal, Error, ErrorKind, Event, EventStream, Incoming, Items, Maybe, Method, Middleware,
            MiddlewareFuture, MinThroughput, Next, Object, Outgoing, Pages, Problem, RawResponse, Redirect, Request,
            RetryPolicy, ServerSettings, Time, TimeSpan, Upload, Value, auth,
        };
        // Their documentation is that of their own crates.
        #[doc(no_inline)]
        pub use $crate::{Bytes, HeaderMap, StatusCode, Uuid, reqwest, time};
    };
    (interface $other:literal; $($rest:tt)*) => {
        ::core::compile_error!(::core::concat!(
            "this client was generated for interface ",
            $other,
            " of driftless-runtime, and the runtime here has interface 2: run `cargo xtask regenerate --offline` with the \
             version of driftless that the runtime has"
        ));
    };
}

/// Defines the client, its builder, and its additional servers.
#[doc(hidden)]
#[macro_export]
macro_rules! __front_client {
    ($client:ident, $builder:ident, $variables:literal) => {
        /// A client of the service. Clones share their connections and their token.
        ///
        /// Each route family of the contract is a method. It dereferences to [`Client`].
        ///
        /// ```no_run
        #[doc = ::core::concat!("use ", ::core::env!("CARGO_CRATE_NAME"), "::{Method, ", ::core::stringify!($client), ", auth::{ClientCredentials, SecretFile}};")]
        ///
        #[doc = ::core::concat!("# async fn run() -> Result<(), ", ::core::env!("CARGO_CRATE_NAME"), "::Error> {")]
        #[doc = ::core::concat!("let client = ", ::core::stringify!($client), "::builder(\"https://service.example\")")]
        ///     .credential(ClientCredentials::new(
        ///         "https://issuer.example",
        ///         "my-service",
        ///         SecretFile::new("/run/secrets/service"),
        ///     ))
        ///     .build()?;
        /// let response = client.request(Method::Get, "/status").send().await?;
        /// # let _ = response;
        /// # Ok(()) }
        /// ```
        #[derive(Clone)]
        pub struct $client {
            client: Client,
        }

        /// The configuration of a client: [`ClientBuilder`] has the methods.
        pub type $builder = ClientBuilder<$client>;

        impl $client {
            /// Starts the configuration of a client for the service at `base_url`: `https`, or `http` on loopback.
            pub fn builder(base_url: impl Into<String>) -> $builder {
                $builder::new(base_url)
            }

            #[doc = ::core::concat!("A client that environment variables configure, such as `", $variables, "BASE_URL`: those of [`Client::from_env`].")]
            ///
            /// # Errors
            ///
            /// As for [`Client::from_env`].
            pub fn from_env() -> Result<Self, Error> {
                $builder::from_env()?.build()
            }

            /// Creates a client that a profile configures: see [`Client::from_profile`].
            ///
            /// # Errors
            ///
            /// As for [`Client::from_profile`].
            #[cfg(feature = "profiles")]
            pub fn from_profile(file: impl AsRef<::std::path::Path>, name: &str) -> Result<Self, Error> {
                $builder::from_profile(file, name)?.build()
            }
        }

        impl GeneratedClient for $client {
            const USER_AGENT: &'static str =
                ::core::concat!(::core::env!("CARGO_PKG_NAME"), "/", ::core::env!("CARGO_PKG_VERSION"));
            const VARIABLES: &'static str = $variables;
            const SERVERS: &'static [DeclaredServer] = super::servers::SERVERS;
            const SECURITY: Security = super::security::SECURITY;
            const SCHEMES: &'static [Scheme] = super::security::SCHEMES;

            #[cfg(feature = "operations")]
            fn extensions() -> $crate::codegen::Extensions {
                let mut extensions = $crate::codegen::Extensions::new();
                extensions.insert($crate::codegen::Bindings(super::bindings::BINDINGS));
                extensions
            }

            fn from_client(client: Client) -> Self {
                Self { client }
            }
        }

        impl Deref for $client {
            type Target = Client;

            fn deref(&self) -> &Client {
                &self.client
            }
        }

        impl fmt::Debug for $client {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut fields = f.debug_struct(::core::stringify!($client));
                fields.field("base_url", &self.base_url()).finish_non_exhaustive()
            }
        }

        /// An additional server: a client with its own address, credential and limits. `F` names its families.
        pub struct Server<'a, F> {
            client: &'a Client,
            families: PhantomData<fn() -> F>,
        }

        impl<'a, F> Server<'a, F> {
            /// Returns the server with this name.
            pub(crate) fn named(client: &'a Client, name: &str) -> Result<Self, Error> {
                client.server(name).map(|client| Self { client, families: PhantomData })
            }

            /// Returns the client of the server.
            pub fn client(self) -> &'a Client {
                self.client
            }
        }

        impl<F> Clone for Server<'_, F> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<F> Copy for Server<'_, F> {}

        impl<F> Deref for Server<'_, F> {
            type Target = Client;

            fn deref(&self) -> &Client {
                self.client
            }
        }

        impl<F> fmt::Debug for Server<'_, F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct("Server").field("base_url", &self.base_url()).finish_non_exhaustive()
            }
        }

        /// A bound that no type satisfies: without the feature `assumed`, methods of assumed operations have it, so
        /// that the compiler names the feature to their callers.
        #[diagnostic::on_unimplemented(
            message = "this operation needs the cargo feature `assumed` of this client",
            label = "its shape is assumed until the client is regenerated from a deployment",
            note = "turn the feature on in Cargo.toml: `features = [\"assumed\"]`"
        )]
        #[allow(unreachable_pub, reason = "generated methods have it as a bound")]
        pub trait Assumed {
            /// Never called: no type implements the trait.
            fn absent<T>(self) -> T;
        }

        /// The client for programs without asynchronous code.
        #[cfg(feature = "blocking")]
        pub mod blocking {
            /// A client with a runtime of its own.
            pub type Blocking = $crate::blocking::Blocking<super::$client>;

            /// The iterator over a stream: see [`Blocking::each`].
            pub type Each<'a, S> = $crate::blocking::Each<'a, S, super::$client>;
        }
    };
}
