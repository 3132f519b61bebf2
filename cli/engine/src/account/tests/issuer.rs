//! An issuer on loopback, with a service that accepts its tokens.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex, MutexGuard},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

/// The behaviour of the issuer, and its records.
#[derive(Default)]
pub(super) struct State {
    /// The user who signs in next.
    pub(super) user: String,
    /// Refresh tokens: the user, and whether the token has been used.
    pub(super) refresh: BTreeMap<String, (String, bool)>,
    /// The user denies the next sign-in.
    pub(super) denies: bool,
    /// No refresh tokens are given.
    pub(super) only_access: bool,
    /// The device authorization grant is offered.
    pub(super) devices: bool,
    /// Access tokens that the service does not accept any more.
    pub(super) revoked: Vec<String>,
    /// The lifetime of access tokens, in seconds; 600 if it is zero.
    pub(super) lifetime: u32,
    /// The tokens are no JWTs.
    pub(super) opaque: bool,
    /// The address in the discovery document, if it is another one.
    pub(super) named: Option<String>,
    /// The paths and forms of all requests.
    pub(super) requests: Vec<(String, String)>,
    issued: u32,
    verifiers: u32,
}

/// The issuer. Its refresh tokens work once: a second use ends the sign-in of that user everywhere.
pub(super) struct Issuer {
    pub(super) url: String,
    state: Arc<Mutex<State>>,
}

impl Issuer {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State { user: "ada".to_owned(), ..State::default() }));
        let (own, address) = (Arc::clone(&state), url.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, url) = (Arc::clone(&own), address.clone());
                std::thread::spawn(move || answer(stream, &state, &url));
            }
        });
        Self { url, state }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The number of token requests with this type of grant.
    pub(super) fn asked(&self, grant: &str) -> usize {
        let state = self.state();
        state.requests.iter().filter(|(path, form)| path == "/token" && field(form, "grant_type") == grant).count()
    }
}

impl State {
    fn access(&mut self, user: &str) -> String {
        self.issued += 1;
        if self.opaque {
            return format!("canary-opaque-{user}");
        }
        let claims =
            format!(r#"{{"sub":"{user}","scope":"api","exp":4102444800,"jti":"{}","team_id":"7"}}"#, self.issued);
        format!("e30.{}.canary", URL_SAFE_NO_PAD.encode(claims))
    }

    fn granted(&mut self, user: &str, with_refresh: bool) -> (u16, String) {
        let access = self.access(user);
        let mut refresh = String::new();
        if with_refresh && !self.only_access {
            let token = format!("canary-refresh-{}", self.issued);
            refresh = format!(r#","refresh_token":"{token}""#);
            self.refresh.insert(token, (user.to_owned(), false));
        }
        let lifetime = if self.lifetime == 0 { 600 } else { self.lifetime };
        (200, format!(r#"{{"access_token":"{access}","expires_in":{lifetime},"token_type":"Bearer"{refresh}}}"#))
    }

    fn token(&mut self, form: &str) -> (u16, String) {
        let refuse = |code: &str| (400, format!(r#"{{"error":"{code}"}}"#));
        match field(form, "grant_type").as_str() {
            "authorization_code" => {
                let is_whole = !field(form, "code_verifier").is_empty();
                self.verifiers += 1;
                let user = field(form, "code");
                if is_whole { self.granted(&user, true) } else { refuse("invalid_grant") }
            }
            "urn:ietf:params:oauth:grant-type:device_code" => {
                let user = self.user.clone();
                if self.denies { refuse("access_denied") } else { self.granted(&user, true) }
            }
            "refresh_token" => match self.refresh.get_mut(&field(form, "refresh_token")) {
                Some((user, used)) if !*used => {
                    *used = true;
                    let user = user.clone();
                    self.granted(&user, true)
                }
                Some((user, _)) => {
                    // A token that is used twice was stolen: the whole family ends.
                    let user = user.clone();
                    self.refresh.retain(|_, (other, _)| *other != user);
                    refuse("invalid_grant")
                }
                None => refuse("invalid_grant"),
            },
            "client_credentials" if field(form, "client_secret") == "canary-secret" => self.granted("robot", false),
            "client_credentials" => refuse("invalid_client"),
            _ => refuse("unsupported_grant_type"),
        }
    }
}

/// Answers one request.
fn answer(stream: TcpStream, state: &Mutex<State>, url: &str) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap_or_default();
    let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut length, mut bearer) = (0, String::new());
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header).unwrap_or_default() == 0 || header == "\r\n" {
            break;
        }
        let (name, value) = header.trim_end().split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or_default(),
            "authorization" => bearer = value.trim().trim_start_matches("Bearer ").to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    let body = String::from_utf8_lossy(&body).into_owned();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut state = state.lock().unwrap();
    state.requests.push((path.to_owned(), body.clone()));
    let (status, location, text) = match path {
        "/.well-known/openid-configuration" => {
            let named = state.named.clone().unwrap_or_else(|| url.to_owned());
            let device = match state.devices {
                true => format!(r#","device_authorization_endpoint":"{url}/device""#),
                false => String::new(),
            };
            let text = format!(
                r#"{{"issuer":"{named}","token_endpoint":"{url}/token","authorization_endpoint":"{url}/authorize"{device}}}"#
            );
            (200, String::new(), text)
        }
        "/authorize" => {
            let (redirect, state_text) = (field(query, "redirect_uri"), field(query, "state"));
            let outcome = match state.denies || field(query, "code_challenge").is_empty() {
                true => "error=access_denied".to_owned(),
                false => format!("code={}", state.user),
            };
            (302, format!("location: {redirect}?{outcome}&state={state_text}\r\n"), String::new())
        }
        "/token" => {
            let (status, text) = state.token(&body);
            (status, String::new(), text)
        }
        "/device" => {
            let text = format!(
                r#"{{"device_code":"canary-device","user_code":"WD-42","verification_uri":"{url}/go","expires_in":600,"interval":0}}"#
            );
            (200, String::new(), text)
        }
        _ => match subject(&bearer).filter(|_| !state.revoked.contains(&bearer)) {
            Some(user) => (200, String::new(), format!("\"{user}\"")),
            None => (401, String::new(), "{}".to_owned()),
        },
    };
    drop(state);
    let length = text.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\n{location}content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    let _ = reader.get_mut().write_all(format!("{head}{text}").as_bytes());
}

/// The subject of a token of this issuer.
fn subject(token: &str) -> Option<String> {
    if let Some(user) = token.strip_prefix("canary-opaque-") {
        return Some(user.to_owned());
    }
    let payload = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    let claims: serde_json::Value = serde_json::from_slice(&payload).ok()?;
    claims.get("sub")?.as_str().map(str::to_owned)
}

/// A field of a form or a query. The tests have no characters but `%XX` of an address and `+`.
pub(super) fn field(form: &str, name: &str) -> String {
    let value = form.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('=')).unwrap_or_default();
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('%') {
        out += before;
        out.push(char::from(u8::from_str_radix(after.get(..2).unwrap_or("3f"), 16).unwrap_or(b'?')));
        rest = after.get(2..).unwrap_or_default();
    }
    (out + rest).replace('+', " ")
}

/// Sends a `GET` request, and returns the whole answer.
pub(super) fn get(address: &str) -> String {
    let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\n\r\n").as_bytes()).unwrap();
    super::read_all(&mut stream)
}
