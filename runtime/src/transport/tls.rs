//! Certificates: the trusted ones, and the client's own.

use std::{
    ffi::OsString,
    fmt,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use rustls::{
    ClientConfig, RootCertStore,
    client::ResolvesClientCert,
    crypto::CryptoProvider,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    sign::{CertifiedKey, SingleCertAndKey},
};
use rustls_platform_verifier::Verifier;
use secrecy::{ExposeSecret, SecretString};

use crate::error::{Error, Kind};

/// The largest file of certificates that is read, in bytes. The bundle of a Linux distribution has about 250 KiB.
const LIMIT: u64 = 4 * 1024 * 1024;

/// Certificates in PEM, one or more: in a file, or in memory.
///
/// ```
/// use driftless_runtime::Certificates;
///
/// let company = Certificates::file("/etc/ssl/company.pem");
/// # let _ = company;
/// ```
#[derive(Clone)]
pub struct Certificates(Source);

#[derive(Clone)]
enum Source {
    /// The file, and the setting that names it.
    File(PathBuf, Option<String>),
    Memory(Vec<u8>),
}

impl Certificates {
    /// Creates certificates from a file, which is read when the client is built.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(Source::File(path.into(), None))
    }

    /// Creates certificates from a text that begins with `-----BEGIN CERTIFICATE-----`.
    pub fn pem(text: impl Into<Vec<u8>>) -> Self {
        Self(Source::Memory(text.into()))
    }

    /// Sets the variable, or the line of a file, that names the file.
    pub(crate) fn named_by(self, by: String) -> Self {
        match self.0 {
            Source::File(path, _) => Self(Source::File(path, Some(by))),
            memory @ Source::Memory(_) => Self(memory),
        }
    }

    fn describe(&self) -> String {
        match &self.0 {
            Source::File(path, None) => format!("the file `{}`", path.display()),
            Source::File(path, Some(by)) => format!("the file `{}`, which {by} names,", path.display()),
            Source::Memory(_) => "the PEM text that the program gave".to_owned(),
        }
    }

    /// Reads all of them, at least one.
    fn read(&self, name: &str) -> Result<Vec<CertificateDer<'static>>, Error> {
        let refuse = |rule: String, hint: &str| {
            Error::with(Kind::Configuration, format!("{name}: {} {rule}", self.describe()))
                .because("certificate/malformed")
                .hint(hint)
        };
        let bytes = match &self.0 {
            Source::Memory(bytes) => bytes.clone(),
            Source::File(path, _) => read(path)
                .map_err(|rule| refuse(rule, "check the path and its permissions").because("certificate/missing"))?,
        };
        let mut certificates = Vec::new();
        for certificate in CertificateDer::pem_slice_iter(&bytes) {
            let number = certificates.len() + 1;
            let certificate = certificate.map_err(|_| {
                refuse(format!("is damaged at certificate {number}"), "replace it by the file as it was issued")
            })?;
            // An invalid certificate is found before the first connection.
            RootCertStore::empty().add(certificate.clone()).map_err(|_| {
                refuse(format!("has another section instead of certificate {number}"), "replace that section")
            })?;
            certificates.push(certificate);
        }
        if certificates.is_empty() {
            let hint = "a certificate begins with `-----BEGIN CERTIFICATE-----`; `openssl x509 -inform der` turns the \
                        binary form into this one";
            return Err(refuse("contains no certificate in PEM".to_owned(), hint));
        }
        Ok(certificates)
    }
}

impl fmt::Debug for Certificates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Certificates").field(&self.describe()).finish()
    }
}

/// Reads a regular file. Opening a pipe would wait for a writer.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |cause: std::io::Error| format!("cannot be read: {cause}");
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err("is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LIMIT {
        return Err(format!("is longer than {LIMIT} bytes"));
    }
    Ok(bytes)
}

/// The trusted certificates, and the client's own.
#[derive(Clone, Default)]
pub(crate) struct Tls {
    roots: Vec<CertificateDer<'static>>,
    /// Only the roots are trusted.
    only: bool,
    identity: Option<Arc<CertifiedKey>>,
}

impl Tls {
    /// Trusts these, in addition to the system's or instead of them.
    pub(crate) fn trust(&mut self, certificates: &Certificates, only: bool) -> Result<(), Error> {
        self.roots.extend(certificates.read("the root certificates")?);
        self.only |= only;
        Ok(())
    }

    /// Presents this certificate to servers that ask for one. `place` is the setting of the key.
    pub(crate) fn identify(&mut self, chain: &Certificates, key: &SecretString, setting: &str) -> Result<(), Error> {
        let refuse = |rule: &str, hint: &str| {
            Error::with(Kind::Configuration, format!("the key of the client certificate, in {setting}, {rule}"))
                .because("certificate/key")
                .hint(hint)
        };
        let chain_of = chain.read("the client certificate")?;
        let text = key.expose_secret();
        // A decoder's message about a key may contain a part of it.
        let key = PrivateKeyDer::from_pem_slice(text.as_bytes()).map_err(|_| {
            if text.contains("ENCRYPTED") {
                refuse("is encrypted", "decrypt it with `openssl pkey`, and keep the file protected")
            } else {
                let hint = "a key begins with `-----BEGIN PRIVATE KEY-----`; `openssl pkey -inform der` turns the \
                            binary form into this one";
                refuse("is not a private key in PEM", hint)
            }
        })?;
        let key = CertifiedKey::from_der(chain_of, key, &provider()).map_err(|cause| match cause {
            rustls::Error::InconsistentKeys(_) => refuse(
                &format!("does not fit the certificate in {}", chain.describe()),
                "name the key that the certificate was issued for; its own certificate comes first in the chain",
            ),
            _ => refuse("is of a kind that TLS does not use", "use an RSA, ECDSA or Ed25519 key"),
        })?;
        self.identity = Some(Arc::new(key));
        Ok(())
    }

    /// Returns the configuration for `https`.
    pub(crate) fn secure(&self) -> Result<ClientConfig, rustls::Error> {
        let versions = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions()?;
        let verified = if self.only {
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(self.roots.iter().cloned());
            versions.with_root_certificates(roots)
        } else {
            versions.dangerous().with_custom_certificate_verifier(Arc::new(self.system()?))
        };
        let mut tls = match &self.identity {
            Some(key) => {
                let key: Arc<dyn ResolvesClientCert> = Arc::new(SingleCertAndKey::from(Arc::clone(key)));
                verified.with_client_cert_resolver(key)
            }
            None => verified.with_no_client_auth(),
        };
        let protocols: &[&[u8]] = if cfg!(feature = "http2") { &[b"h2", b"http/1.1"] } else { &[b"http/1.1"] };
        tls.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        Ok(tls)
    }

    /// Verifies certificates like the operating system, with additional roots.
    #[cfg(not(target_os = "android"))]
    fn system(&self) -> Result<Verifier, rustls::Error> {
        // The verifier treats a missing bundle as an empty one.
        if let Some(Err(cause)) = bundle().map(File::open) {
            return Err(rustls::Error::General(cause.to_string()));
        }
        Verifier::new_with_extra_roots(self.roots.iter().cloned(), provider())
    }

    #[cfg(target_os = "android")]
    fn system(&self) -> Result<Verifier, rustls::Error> {
        match self.roots.is_empty() {
            true => Verifier::new(provider()),
            false => Err(rustls::Error::General("Android supports no additional root certificates".to_owned())),
        }
    }
}

/// The variable that names a bundle of certificates, instead of the system's.
const BUNDLE: &str = "SSL_CERT_FILE";

/// Returns the bundle that the environment names, on the systems that support it.
fn bundle() -> Option<OsString> {
    let counts = cfg!(all(unix, not(target_vendor = "apple"), not(target_os = "android")));
    std::env::var_os(BUNDLE).filter(|_| counts)
}

/// The error of connections that cannot be created: mostly because of certificates.
pub(super) fn unusable(cause: &str) -> Error {
    let error = |message: String, hint: String| {
        Error::with(Kind::Configuration, message).because("certificate/system").hint(hint)
    };
    if let Some(file) = bundle()
        && let Err(refused) = File::open(&file)
    {
        let path = Path::new(&file).display();
        let message = format!("the certificates in `{path}`, which {BUNDLE} names, cannot be read: {refused}");
        return error(message, format!("correct {BUNDLE}, or unset it to use the system's certificates"));
    }
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let named: Vec<&str> = [BUNDLE, "SSL_CERT_DIR"].into_iter().filter(is_set).collect();
    let setting = match named.as_slice() {
        [] => "the certificates of the system".to_owned(),
        named => format!("the certificates that {} names", named.join(" or ")),
    };
    error(
        format!("no connection can be made: {cause}"),
        format!("check {setting}, and the settings of the client's connections"),
    )
}

/// Trusts no certificate: for `http`.
pub(super) fn plain() -> Result<ClientConfig, rustls::Error> {
    Ok(ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

pub(super) fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}
