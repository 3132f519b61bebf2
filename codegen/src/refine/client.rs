//! The client's own code, as generated code names it.

use crate::config::ClientNames;
use crate::naming::ident::{camel, member_name};
use crate::text::Ident;

/// The first paragraph of the documentation of assumed items.
pub(super) const ASSUMED: &str =
    "Assumed: no deployment has shown this yet. It may change when the client is regenerated from one.\n\n";

/// The condition of methods that name the feature.
pub(super) const UNLESS_ASSUMED: &str = "#[cfg(not(feature = \"assumed\"))]\n";

/// The bound of methods of assumed operations without the feature `assumed`.
pub(super) const NEEDS_ASSUMED: &str = "crate::generated::front::Assumed";

/// The condition under which something that speaks XML is compiled.
pub(super) const IF_XML: &str = "#[cfg(feature = \"xml\")]\n";

/// The condition under which something for tests of consumers is compiled.
pub(super) const IF_TESTING: &str = "#[cfg(feature = \"testing\")]\n";

/// The condition of assumed items.
pub(super) const IF_ASSUMED: &str = "#[cfg(feature = \"assumed\")]\n";

/// Everything that types and operations name.
pub(super) const PRELUDE: &str = "use driftless_runtime::codegen::prelude::*;\n";
/// Imports for the types that operations return.
pub(super) const CALLS: &str = "use crate::{Call, Declared, Submission};\n";
/// Imports for security.
pub(super) const SECURITY: &str = "use driftless_runtime::codegen::{Scheme, Security};\n\n";
/// The types of the contract.
pub(super) const TYPES: &str = "use crate::generated::types;\n";
/// Imports for a table of names in XML.
pub(super) const XML: &str = "use driftless_runtime::codegen::xml::{Member, Name, Place, Root, Shape};\n";
/// A document's names in XML; a number follows.
pub(super) const XML_ROOT: &str = "crate::generated::xml::R";
/// Imports for the list of bindings.
pub(super) const BINDING: &str = "use driftless_runtime::operations::Binding;\n";
/// Imports for a binding.
pub(super) const BINDINGS: &str = "use driftless_runtime::operations::{Binding, Cancel, Events, States, Watched};\nuse driftless_runtime::codegen::prelude::*;\n";
/// A GraphQL document with types.
pub(super) const DOCUMENT: &str = "use driftless_runtime::graphql::Document;\n";
/// A GraphQL document without.
pub(super) const UNTYPED: &str = "use driftless_runtime::graphql::Untyped;\n";
/// An integer that JSON holds as text.
pub(super) const AS_TEXT: &str = "driftless_runtime::AsText";
/// Members that the contract does not declare.
pub(super) const UNDECLARED: &str = "driftless_runtime::codegen::Undeclared";
/// The result of an operation that redirects.
pub(super) const REDIRECT: &str = "driftless_runtime::Redirect";
/// A file beside the variables of a document.
pub(super) const FILE: &str = "driftless_runtime::graphql::File";

/// The names of the client, as generated code has them.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    /// The crate.
    pub(super) library: Ident,
    /// The type that has a method for each family.
    pub(super) client: Ident,
    /// The type that configures it.
    pub(super) builder: Ident,
}

impl Called {
    /// The configured names, which were checked.
    pub(crate) fn new(names: &ClientNames) -> Self {
        let client = Ident::derived(&names.name, camel);
        Self {
            library: Ident::derived(&names.package.replace('-', "_"), member_name),
            builder: client.followed_by("Builder"),
            client,
        }
    }
}
