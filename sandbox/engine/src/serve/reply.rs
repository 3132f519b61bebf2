//! A response before it is sent.

/// A response before it is sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) media_type: Option<String>,
    pub(crate) body: Vec<u8>,
    /// The body is sampled: no state stands behind it.
    pub(crate) is_invented: bool,
}
