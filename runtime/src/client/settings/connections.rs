//! Certificates and addresses that are configured outside the program.

use std::path::PathBuf;

use super::{
    credential::{SecretFiles, Variables},
    wrong,
};
use crate::{
    auth::SecretFile,
    client::{ClientBuilder, GeneratedClient},
    error::Error,
    transport::Certificates,
};

/// What configures the connections of a client.
#[derive(Clone, Debug, Default)]
pub(super) struct ConnectionSettings {
    /// The file of root certificates beside those of the system.
    pub(super) roots: Option<PathBuf>,
    /// The file of the client certificate.
    pub(super) certificate: Option<PathBuf>,
    /// The protected file of its key.
    pub(super) key: Option<PathBuf>,
    /// Hosts that may be `http`.
    pub(super) plain: Vec<String>,
}

impl Variables<'_> {
    pub(super) fn connections(&self) -> Result<ConnectionSettings, Error> {
        let plain = self.text("DANGER_ALLOW_HTTP_TO")?.unwrap_or_default();
        Ok(ConnectionSettings {
            roots: self.path("CA_FILE"),
            certificate: self.path("CLIENT_CERTIFICATE_FILE"),
            key: self.path("CLIENT_KEY_FILE"),
            plain: plain.split(',').map(str::trim).filter(|host| !host.is_empty()).map(str::to_owned).collect(),
        })
    }
}

impl ConnectionSettings {
    /// The builder with these settings; `files` says which files hold secrets.
    pub(super) fn apply<P: GeneratedClient>(
        self,
        mut builder: ClientBuilder<P>,
        files: SecretFiles,
    ) -> Result<ClientBuilder<P>, Error> {
        if let Some(file) = self.roots {
            builder = builder.root_certificates(Certificates::file(file));
        }
        builder = match (self.certificate, self.key) {
            (Some(certificate), Some(key)) => {
                let how = "set PLATFORM_SECRET_FILE_MOUNTED=1, or `secret_file_mounted = true` in the profile";
                let key = SecretFile::new(key).mounted_by(how.to_owned());
                let key = if files.links == Some(true) { key.follow_links() } else { key };
                let key = if files.mounted == Some(true) { key.mounted() } else { key };
                builder.client_certificate(Certificates::file(certificate), key)
            }
            (None, None) => builder,
            (Some(_), None) => {
                let hint = "set PLATFORM_CLIENT_KEY_FILE, or `client_key_file`, to a protected file";
                return Err(wrong("the client certificate lacks its key", hint));
            }
            (None, Some(_)) => {
                let hint = "set PLATFORM_CLIENT_CERTIFICATE_FILE, or `client_certificate_file`";
                return Err(wrong("the key of a client certificate lacks its certificate", hint));
            }
        };
        Ok(builder.danger_allow_http_to(self.plain))
    }
}
