//! A root, and servers on loopback with certificates of it.

#![allow(dead_code, clippy::unwrap_used, reason = "shared between tests, each of which uses a part")]

use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
    server::WebPkiClientVerifier,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

/// A root, and its certificate in PEM.
pub(crate) struct Root(Issuer<'static, KeyPair>, pub(crate) String);

impl Root {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        Self(Issuer::new(params, key), pem)
    }

    /// Starts a server for a name whose certificate expires in a year, and returns its port. Without a root it signs
    /// its own certificate.
    pub(crate) async fn serve(&self, name: &str, until: i32, own: bool) -> u16 {
        serve(self.acceptor(name, until, own, &[])).await
    }

    /// Starts a server for `localhost` that only answers clients with a certificate of `clients`.
    pub(crate) async fn serve_clients_of(&self, clients: &Self) -> u16 {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(clients.1.as_bytes()).unwrap()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider()).build().unwrap();
        let (chain, key) = self.server("localhost", 2900, false);
        let config = rustls::ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .unwrap();
        serve(Arc::new(config).into()).await
    }

    /// Creates a certificate for a client that expires in a year, and its key, in PEM.
    pub(crate) fn client(&self, until: i32) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["client.example".to_owned()]).unwrap();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(until, 1, 1);
        (params.signed_by(&key, &self.0).unwrap().pem(), key.serialize_pem())
    }

    pub(crate) fn acceptor(&self, name: &str, until: i32, own: bool, protocols: &[&str]) -> tokio_rustls::TlsAcceptor {
        let (chain, key) = self.server(name, until, own);
        let mut config = rustls::ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        Arc::new(config).into()
    }

    fn server(&self, name: &str, until: i32, own: bool) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(until, 1, 1);
        let certificate =
            if own { params.self_signed(&key).unwrap() } else { params.signed_by(&key, &self.0).unwrap() };
        (vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
    }
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

pub(crate) async fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

/// Answers every read with `{}`.
async fn serve(acceptor: tokio_rustls::TlsAcceptor) -> u16 {
    let (listener, port) = listen().await;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut buffer = [0; 4096];
                let mut stream = match acceptor.accept(stream).into_fallible().await {
                    Ok(stream) => stream,
                    // Closing a socket with unread data takes the alert away from the client.
                    Err((_, mut stream)) => {
                        while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {}
                        return;
                    }
                };
                while stream.read(&mut buffer).await.is_ok_and(|length| length > 0) {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await;
                }
            });
        }
    });
    port
}
