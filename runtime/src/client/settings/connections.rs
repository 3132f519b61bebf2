//! Certificates and addresses that are configured outside the program.

use std::path::PathBuf;

use url::Url;

use super::{
    credential::{Named, Variables},
    table::SecretFiles,
    wrong,
};
use crate::{
    auth::SecretFile,
    client::{ClientBuilder, GeneratedClient},
    error::Error,
    transport::{Certificates, address::PlainHosts},
};

/// The connection settings of a client.
#[derive(Clone, Debug, Default)]
pub struct ConnectionSettings {
    /// The file of additional root certificates.
    pub roots: Option<NamedFile>,
    /// The file of the client certificate.
    pub certificate: Option<NamedFile>,
    /// The protected file of its key.
    pub key: Option<NamedFile>,
    /// Hosts that `http` is allowed to.
    pub plain: Vec<String>,
}

/// A file that is named outside the program.
#[derive(Clone, Debug)]
pub struct NamedFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The variable, or the line of a file, that names it.
    pub named_by: Option<String>,
}

impl NamedFile {
    fn by(&self) -> String {
        self.named_by.as_ref().map(|by| format!(" that {by} names")).unwrap_or_default()
    }

    fn certificates(self) -> Certificates {
        let certificates = Certificates::file(self.path);
        match self.named_by {
            Some(by) => certificates.named_by(by),
            None => certificates,
        }
    }
}

/// The suffixes of the variables of connections.
#[cfg(feature = "profiles")]
pub(super) const VARIABLES: [&str; 4] =
    ["CA_FILE", "CLIENT_CERTIFICATE_FILE", "CLIENT_KEY_FILE", "DANGER_ALLOW_HTTP_TO"];

impl Variables<'_> {
    pub(super) fn connections(&self) -> Result<ConnectionSettings, Error> {
        let plain = self.text("DANGER_ALLOW_HTTP_TO")?.unwrap_or_default();
        let file = |end: &str| {
            let path = self.path(end)?;
            Some(NamedFile { path, named_by: Some(self.name(end)) })
        };
        Ok(ConnectionSettings {
            roots: file("CA_FILE"),
            certificate: file("CLIENT_CERTIFICATE_FILE"),
            key: file("CLIENT_KEY_FILE"),
            plain: plain.split(',').map(str::trim).filter(|host| !host.is_empty()).map(str::to_owned).collect(),
        })
    }
}

impl ConnectionSettings {
    /// Returns whether `http` is allowed to the address.
    ///
    /// # Errors
    ///
    /// A host is invalid.
    pub fn allow_plain(&self, url: &Url) -> Result<bool, Error> {
        Ok(PlainHosts::read(&self.plain)?.allow(url))
    }

    /// Returns the settings of the environment variables with this prefix; those that are not set are taken from
    /// `self`.
    ///
    /// # Errors
    ///
    /// A variable has an invalid value.
    pub fn with_variables(self, prefix: &str) -> Result<Self, Error> {
        if prefix.is_empty() {
            return Ok(self);
        }
        let set = Variables { lookup: &|name| std::env::var_os(name), prefix }.connections()?;
        Ok(Self {
            roots: set.roots.or(self.roots),
            certificate: set.certificate.or(self.certificate),
            key: set.key.or(self.key),
            plain: if set.plain.is_empty() { self.plain } else { set.plain },
        })
    }

    /// Applies these settings to the builder; `files` has the rules of secret files.
    ///
    /// # Errors
    ///
    /// A certificate lacks its key, or a key its certificate.
    pub fn apply<P: GeneratedClient>(
        self,
        mut builder: ClientBuilder<P>,
        files: SecretFiles,
    ) -> Result<ClientBuilder<P>, Error> {
        if let Some(file) = self.roots {
            builder = builder.root_certificates(file.certificates());
        }
        builder = match (self.certificate, self.key) {
            (Some(certificate), Some(key)) => {
                let how = "set `…SECRET_FILE_MOUNTED=1`, or `secret_file_mounted = true` in the profile";
                let NamedFile { path, named_by } = key;
                let key = SecretFile::new(path).mounted_by(how.to_owned());
                let key = if files.links == Some(true) { key.follow_links() } else { key };
                let key = if files.mounted == Some(true) { key.mounted() } else { key };
                match named_by {
                    Some(by) => builder.client_certificate(certificate.certificates(), Named::new(key, by)),
                    None => builder.client_certificate(certificate.certificates(), key),
                }
            }
            (None, None) => builder,
            (Some(certificate), None) => {
                let message = format!("the client certificate{} lacks its key", certificate.by());
                return Err(wrong(&message, "set `…CLIENT_KEY_FILE`, or `client_key_file`, to a protected file"));
            }
            (None, Some(key)) => {
                let message = format!("the key of a client certificate{} lacks its certificate", key.by());
                return Err(wrong(&message, "set `…CLIENT_CERTIFICATE_FILE`, or `client_certificate_file`"));
            }
        };
        Ok(builder.danger_allow_http_to(self.plain))
    }
}
