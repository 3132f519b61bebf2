//! tmp
/// tmp
pub static BINDINGS: \&[\&crate::operations::Binding] = \&[];
