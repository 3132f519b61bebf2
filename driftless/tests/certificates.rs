//! Downloads from servers that want a client certificate.

use std::fs::Permissions;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::thread;

use crate::support::{CONFIGURATION, Workspace, contract};
use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

/// An authority and its certificates, as files of a workspace.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: rcgen::Certificate,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).expect("signed");
        Self { issuer: Issuer::new(params, key), certificate }
    }

    /// Writes a certificate for a client, and its key.
    fn client(&self, workspace: &Workspace, name: &str) {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(vec!["client.example".to_owned()]).expect("parameters");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        workspace.write(&format!("{name}.pem"), &params.signed_by(&key, &self.issuer).expect("signed").pem());
        workspace.write(&format!("{name}.key"), &key.serialize_pem());
        let path = workspace.path(&format!("{name}.key"));
        std::fs::set_permissions(path, Permissions::from_mode(0o600)).expect("set");
    }

    /// A server for `localhost` that answers those with a certificate of this authority with the contract; its address.
    fn serve(&self) -> String {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.der().clone()).expect("a root");
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), Arc::clone(&provider)).build();
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["localhost".to_owned()]).expect("parameters");
        let own = params.signed_by(&key, &self.issuer).expect("signed").der().clone();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_client_cert_verifier(verifier.expect("a verifier"))
            .with_single_cert(vec![own], PrivateKeyDer::try_from(key.serialize_der()).expect("a key"))
            .expect("a certificate");
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Ok(connection) = ServerConnection::new(Arc::clone(&config)) else { continue };
                thread::spawn(move || {
                    let mut stream = StreamOwned::new(connection, stream);
                    let mut buffer = [0; 8192];
                    let Ok(length) = stream.read(&mut buffer) else {
                        // A socket that is closed with unread bytes takes the alert away from the client.
                        let _ = stream.conn.write_tls(&mut stream.sock);
                        let _ = stream.sock.read(&mut buffer);
                        return;
                    };
                    let is_contract = buffer[..length].starts_with(b"GET /openapi/v1.json ");
                    let (status, body) =
                        if is_contract { ("200 OK", contract::small()) } else { ("404 Not Found", String::new()) };
                    let head =
                        format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
                    let _ = stream.write_all(format!("{head}{body}").as_bytes());
                    stream.conn.send_close_notify();
                    let _ = stream.flush();
                });
            }
        });
        format!("https://localhost:{port}")
    }
}

#[test]
fn a_server_that_wants_a_client_certificate_gets_it_from_keys_or_variables() {
    let (authority, other) = (Authority::new(), Authority::new());
    let workspace = Workspace::new();
    workspace.write("root.pem", &authority.certificate.pem());
    authority.client(&workspace, "own");
    other.client(&workspace, "other");
    let url = authority.serve();
    let run = |keys: &str, variables: &[(&str, &str)]| {
        workspace.write("specs/codegen.toml", &CONFIGURATION.replace("[source]\n", &format!("[source]\n{keys}")));
        let run = workspace.run_with(&["regenerate", "--base-url", &url], variables);
        assert!(!format!("{run:?}").contains("PRIVATE KEY"), "{run:?}");
        run
    };
    let root = "ca_file = 'root.pem'\n";
    run("", &[]).fails(3, &["download/tls"]);
    run(root, &[]).fails(3, &["download/certificate", "client_certificate_file"]);
    let keys = |name: &str| format!("{root}client_certificate_file = '{name}.pem'\nclient_key_file = '{name}.key'\n");
    run(&keys("other"), &[]).fails(3, &["download/certificate"]);
    run(&keys("own"), &[]).succeeds(&["taking https://localhost"]);
    let file = |name: &str| workspace.path(name).to_string_lossy().into_owned();
    let (root_file, certificate, key) = (file("root.pem"), file("own.pem"), file("own.key"));
    let variables = [
        ("TEST_CA_FILE", root_file.as_str()),
        ("TEST_CLIENT_CERTIFICATE_FILE", &certificate),
        ("TEST_CLIENT_KEY_FILE", &key),
    ];
    run("", &variables).succeeds(&["0 bytes written"]);
    // A variable goes before a key.
    run(&keys("other"), &variables[1..]).succeeds(&["0 bytes written"]);
}

/// The file that is missing, and the variable or line that names it.
#[test]
fn a_certificate_that_is_missing_is_named_with_its_place() {
    let workspace = Workspace::new();
    let authority = Authority::new();
    authority.client(&workspace, "own");
    authority.client(&workspace, "another");
    let run = |keys: &str, variables: &[(&str, &str)]| {
        workspace.write("specs/codegen.toml", &CONFIGURATION.replace("[source]\n", &format!("[source]\n{keys}")));
        workspace.run_with(&["regenerate", "--base-url", "https://localhost:1"], variables)
    };
    run("ca_file = 'no.pem'\n", &[]).fails(5, &["certificate/missing", "no.pem`, which specs/codegen.toml:3:1 names"]);
    run("", &[("TEST_CA_FILE", "/no.pem")]).fails(5, &["certificate/missing", "`/no.pem`, which TEST_CA_FILE names"]);
    run("client_certificate_file = 'own.pem'\n", &[])
        .fails(5, &["the client certificate that specs/codegen.toml:3:1 names lacks its key"]);
    run("", &[("TEST_CLIENT_KEY_FILE", "/k")]).fails(5, &["that TEST_CLIENT_KEY_FILE names lacks its certificate"]);
    run("client_certificate_file = 'own.pem'\nclient_key_file = 'no.key'\n", &[])
        .fails(5, &["secret/missing", "no.key", "specs/codegen.toml:4:1 names it"]);
    run("client_certificate_file = 'own.pem'\nclient_key_file = 'another.key'\n", &[])
        .fails(5, &["certificate/key", "does not fit", "specs/codegen.toml:4:1"]);
}
