//! Stands in until the generator writes this folder.

pub mod types;

#[cfg(feature = "projects")]
mod projects;
#[cfg(feature = "projects")]
pub use projects::Projects;

impl crate::Platform {
    /// Projects and components.
    #[cfg(feature = "projects")]
    pub fn projects(&self) -> Projects<'_> {
        Projects::new(self)
    }
}
