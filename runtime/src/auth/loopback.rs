//! The end of a sign-in in the browser: a redirect to a port of this machine (RFC 8252 §7.3).

use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Poll,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use crate::{
    clock,
    error::{Error, Kind},
};

/// The largest request of a browser before the redirect is refused, in bytes, and its time limit.
const LONGEST: usize = 16 * 1024;
const SLOWEST: Duration = Duration::from_secs(10);

/// The limit of open connections. Browsers open some in advance.
const CROWD: usize = 64;

/// The values that the redirect must have.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) path: String,
    pub(super) state: String,
    pub(super) issuer: String,
    /// The issuer names itself in each response (RFC 9207).
    pub(super) must_name: bool,
}

/// The meaning of a request to the port.
#[derive(Debug)]
enum Verdict {
    /// Not the redirect: the wait goes on.
    Other(u16, &'static str),
    Code(String),
    Failed(Error),
}

/// Waits for the redirect, and returns its code.
pub(super) async fn code(listener: &TcpListener, expected: Expected) -> Result<String, Error> {
    let expected = Arc::new(expected);
    let taken = Arc::new(AtomicBool::new(false));
    let mut connections = JoinSet::new();
    poll_fn(|context| {
        loop {
            if connections.len() < CROWD
                && let Poll::Ready(accepted) = listener.poll_accept(context)
            {
                // A connection that ended before it was accepted is not a reason to stop.
                if let Ok((stream, _)) = accepted {
                    connections.spawn(answer(stream, Arc::clone(&expected), Arc::clone(&taken)));
                }
                continue;
            }
            match connections.poll_join_next(context) {
                Poll::Ready(Some(Ok(Some(outcome)))) => return Poll::Ready(outcome),
                Poll::Ready(Some(_)) => {}
                Poll::Ready(None) | Poll::Pending => return Poll::Pending,
            }
        }
    })
    .await
}

async fn answer(
    mut stream: TcpStream,
    expected: Arc<Expected>,
    taken: Arc<AtomicBool>,
) -> Option<Result<String, Error>> {
    let target = clock::limit(SLOWEST, target(&mut stream)).await.ok()?;
    let verdict = match target {
        Some(target) => judge(&target, &expected),
        None => Verdict::Other(400, "This is not the address of a sign-in."),
    };
    let first = matches!(verdict, Verdict::Other(..)) || !taken.swap(true, Ordering::SeqCst);
    let (status, text) = match &verdict {
        _ if !first => (400, "This sign-in is over already.".to_owned()),
        Verdict::Other(status, text) => (*status, (*text).to_owned()),
        Verdict::Code(_) => (200, "You are signed in. This page can be closed.".to_owned()),
        Verdict::Failed(error) => (400, format!("The sign-in failed: {error}")),
    };
    let page = page(status, &text);
    let _ = clock::limit(SLOWEST, stream.write_all(page.as_bytes())).await;
    let _ = stream.shutdown().await;
    match verdict {
        _ if !first => None,
        Verdict::Other(..) => None,
        Verdict::Code(code) => Some(Ok(code)),
        Verdict::Failed(error) => Some(Err(error)),
    }
}

/// The target of a `GET` request.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        if head.len() > LONGEST || stream.read_buf(&mut head).await.ok()? == 0 {
            return None;
        }
    }
    let line = head.split(|byte| *byte == b'\r').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    (words.next()? == "GET").then_some(())?;
    words.next().map(str::to_owned)
}

fn judge(target: &str, expected: &Expected) -> Verdict {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    if path != expected.path {
        return Verdict::Other(404, "There is nothing here.");
    }
    let one = |name: &str| {
        let mut values = url::form_urlencoded::parse(query.as_bytes()).filter(|(values, _)| values == name);
        match (values.next(), values.next()) {
            (Some((_, value)), None) => Some(value.into_owned()),
            _ => None,
        }
    };
    // Anyone can call this port: a request without the state is not the issuer's response, and must not end the wait.
    if one("state").as_ref() != Some(&expected.state) {
        return Verdict::Other(400, "This is not the sign-in that the program waits for.");
    }
    let fail = |message: String, hint: &str| Verdict::Failed(Error::with(Kind::Token, message).hint(hint));
    match one("iss") {
        Some(named) if named.trim_end_matches('/') == expected.issuer.trim_end_matches('/') => {}
        None if !expected.must_name && !query.contains("iss=") => {}
        _ => {
            return fail(
                "the answer comes from another issuer".to_owned(),
                "sign in again, and check the issuer's address",
            );
        }
    }
    if let Some(code) = one("error") {
        let description = one("error_description").map(|text| format!(": {text}")).unwrap_or_default();
        return fail(
            format!("the issuer refused: {code}{description}"),
            "sign in again, or check the client's registration",
        );
    }
    match one("code") {
        Some(code) if !code.is_empty() => Verdict::Code(code),
        _ => fail("the issuer's answer contains no code".to_owned(), "sign in again"),
    }
}

fn page(status: u16, text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sign-in</title><p>{escaped}</p></html>\n"
    );
    format!(
        "HTTP/1.1 {status} {}\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: {}\r\ncache-control: no-store\r\n\
         content-security-policy: default-src 'none'\r\nreferrer-policy: no-referrer\r\nx-content-type-options: nosniff\r\n\
         connection: close\r\n\r\n{body}",
        if status == 200 { "OK" } else { "Refused" },
        body.len(),
    )
}

#[cfg(test)]
#[allow(clippy::panic, clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn expected(must_name: bool) -> Expected {
        Expected { path: "/callback".into(), state: "s".into(), issuer: "https://issuer.example".into(), must_name }
    }

    #[test]
    fn only_the_answer_that_knows_the_state_ends_the_wait() {
        for target in [
            "/",
            "/favicon.ico",
            "/callback",
            "/callback?code=c",
            "/callback?state=x&code=c",
            "/callback?state=s&state=s&code=c",
            "/callback?state=&code=c",
            "/callback?state=x&error=access_denied",
            "/callback/?state=s&code=c",
            "/Callback?state=s&code=c",
            "http://127.0.0.1/callback?state=s&code=c",
        ] {
            assert!(matches!(judge(target, &expected(false)), Verdict::Other(..)), "{target}");
        }
        let verdict = judge("/callback?code=a%2Bb&state=s", &expected(false));
        assert!(matches!(&verdict, Verdict::Code(code) if code == "a+b"), "{verdict:?}");
    }

    #[test]
    fn answers_of_another_issuer_and_errors_end_it_with_an_error() {
        for (target, must_name, says) in [
            ("/callback?state=s&code=c&iss=https://evil.example", false, "another issuer"),
            ("/callback?state=s&code=c&iss=https://issuer.example&iss=https://evil.example", false, "another issuer"),
            ("/callback?state=s&code=c", true, "another issuer"),
            ("/callback?state=s&error=access_denied&error_description=no%20<b>", false, "access_denied: no <b>"),
            ("/callback?state=s", false, "no code"),
            ("/callback?state=s&code=", false, "no code"),
            ("/callback?state=s&code=a&code=b", false, "no code"),
        ] {
            let verdict = judge(target, &expected(must_name));
            let Verdict::Failed(error) = &verdict else { panic!("{target}: {verdict:?}") };
            assert!(error.is_token() && error.to_string().contains(says), "{error}");
        }
        let named = "/callback?state=s&code=c&iss=https%3A%2F%2Fissuer.example%2F";
        assert!(matches!(judge(named, &expected(true)), Verdict::Code(_)));
    }

    /// Sends the same request over two connections that are both open before the first is answered.
    #[tokio::test]
    async fn a_second_hit_learns_that_the_sign_in_is_over() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let taken = Arc::new(AtomicBool::new(false));
        let mut hits = Vec::new();
        for _ in 0..2 {
            let mut browser = TcpStream::connect(address).await.unwrap();
            browser.write_all(b"GET /callback?state=s&code=c HTTP/1.1\r\n\r\n").await.unwrap();
            let (stream, _) = listener.accept().await.unwrap();
            let outcome = answer(stream, Arc::new(expected(false)), Arc::clone(&taken)).await;
            let mut page = String::new();
            browser.read_to_string(&mut page).await.unwrap();
            hits.push((outcome.map(Result::unwrap), page));
        }
        assert!(hits[0].0.as_deref() == Some("c") && hits[0].1.contains("You are signed in"), "{hits:?}");
        assert!(hits[1].0.is_none() && hits[1].1.contains("over already"), "{hits:?}");
    }

    #[test]
    fn text_on_the_page_is_escaped() {
        let page = page(400, "<script>alert('x')</script> & \"y\"");
        assert!(!page.contains("<script>") && page.contains("&lt;script&gt;alert(&#39;x&#39;)"), "{page}");
        assert!(page.contains("default-src 'none'"));
    }
}
