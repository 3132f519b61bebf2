//! A response before it is sent.

use crate::act::Extent;

/// A response before it is sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) media_type: Option<String>,
    pub(crate) body: Vec<u8>,
    /// The body is sampled: no state stands behind it.
    pub(crate) is_invented: bool,
    /// The size of the list that the body is a part of.
    #[cfg_attr(not(feature = "graphql"), allow(dead_code, reason = "only GraphQL asks for a part"))]
    pub(crate) extent: Option<Extent>,
}
