//! A store of the keyring that prints names only, as those of the systems do.

use std::{any::Any, collections::HashMap, sync::Arc};

use keyring_core::{
    Entry, Result,
    api::{Credential, CredentialApi, CredentialStoreApi},
};

/// A store in which every entry has this secret.
pub(super) struct Store(pub(super) &'static str);

impl CredentialStoreApi for Store {
    fn vendor(&self) -> String {
        "test".to_owned()
    }

    fn id(&self) -> String {
        "test".to_owned()
    }

    fn build(&self, _: &str, _: &str, _: Option<&HashMap<&str, &str>>) -> Result<Entry> {
        Ok(Entry::new_with_credential(Arc::new(Secret(self.0))))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct Secret(&'static str);

impl CredentialApi for Secret {
    fn set_secret(&self, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn get_secret(&self) -> Result<Vec<u8>> {
        Ok(self.0.into())
    }

    fn delete_credential(&self) -> Result<()> {
        Ok(())
    }

    fn get_credential(&self) -> Result<Option<Arc<Credential>>> {
        Ok(None)
    }

    fn get_specifiers(&self) -> Option<(String, String)> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
