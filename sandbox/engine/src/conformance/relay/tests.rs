//! The relay in front of a sandbox, of other servers, and of ports where nothing answers or an answer breaks off.

use super::*;

#[test]
fn only_an_address_of_loopback_is_an_upstream() {
    for (url, reason) in [
        ("http://127.0.0.1:80/api/", ""),
        ("http://127.8.0.1", ""),
        ("http://localhost:8080", ""),
        ("http://[::1]:8080/v1", ""),
        ("http://10.0.0.1:80", "its host"),
        ("http://0.0.0.0:80", "its host"),
        ("http://service.example", "its host"),
        ("http://localhost.example", "its host"),
        ("http://127.0.0.1.example", "its host"),
        ("http://127.0.0.1@service.example", "it has a user"),
        ("http://user:word@127.0.0.1", "it has a user"),
        ("http://[::ffff:10.0.0.1]", "its host"),
        ("https://127.0.0.1", "its scheme"),
        ("127.0.0.1:80", "its scheme"),
        ("http://127.0.0.1:99999", "its port"),
        ("http://127.0.0.1/?a=b", "it has a query"),
        ("", "it is not a URL"),
    ] {
        let error = Upstream::on_loopback(url, Duration::from_secs(1)).err().unwrap_or_default();
        assert!(error.starts_with(reason) && error.is_empty() == reason.is_empty(), "{url}: {error}");
    }
}

/// The upstream of a server on 127.0.0.1 that gives each request the same answer. An empty one: the connection stays open.
fn serve(host: &str, answer: String) -> Upstream {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{host}:{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer.as_bytes());
            open.extend(answer.is_empty().then_some(stream));
        }
    });
    Upstream::on_loopback(&url, Duration::from_millis(500)).unwrap()
}

#[test]
fn a_sandbox_gives_its_name_and_shows_its_state() {
    let state = serde_json::json!(
        { "clock": "", "pace": 1, "faults": [], "eventFaults": [], "requests": [], "counts": [], "resources": {} }
    );
    let state = state.to_string();
    let engine = "server: driftless-sandbox/0.1.0\r\n";
    for (status, head, body, is_one) in [
        (200, engine, state.as_str(), true),
        (200, "Server: platform-sandbox/0.1.0\r\n", &state, true),
        // A service that answers each path with an object, or says that it likes each member.
        (200, "", "{\"ok\":true}", false),
        (200, "", &state, false),
        (200, "server: nginx/1.2\r\n", &state, false),
        (200, "x-server: driftless-sandbox/0.1.0\r\n", &state, false),
        (200, engine, "{\"collections\":1}", false),
        (404, engine, &state, false),
    ] {
        let answer = format!("HTTP/1.1 {status} A\r\n{head}content-length: {}\r\n\r\n{body}", body.len());
        let sandbox = serve("localhost", answer).sandbox().unwrap();
        assert_eq!(sandbox.is_some(), is_one, "{status} {head} {body}");
        let hosts = sandbox.map(|one| one.addresses.iter().map(SocketAddr::ip).collect::<Vec<_>>());
        assert_eq!(hosts, is_one.then(|| vec![IpAddr::from(Ipv4Addr::LOCALHOST)]));
    }
}

#[test]
fn a_server_that_says_nothing_takes_too_long() {
    let error = serve("127.0.0.1", String::new()).sandbox().unwrap_err();
    assert_eq!((error.kind(), error.to_string()), (io::ErrorKind::TimedOut, "the answer takes too long".to_owned()));
}

/// Each step of the way has the same end: a server that takes a part of the request only, and one that accepts no connection.
#[test]
fn a_server_that_reads_nothing_or_accepts_nothing_takes_too_long() {
    let limit = Duration::from_millis(200);
    let takes_too_long = |upstream: &Upstream, request: &Recorded| {
        let began = Instant::now();
        let error = upstream.pass(request).unwrap_err();
        let expected = (io::ErrorKind::TimedOut, "the answer takes too long".to_owned());
        assert_eq!((error.kind(), error.to_string()), expected);
        // The end is that of the request, whatever its steps are: with room for a busy machine.
        assert!((limit..Duration::from_secs(10)).contains(&began.elapsed()));
    };
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let at = |address: SocketAddr| Upstream::on_loopback(&format!("http://{address}"), limit).unwrap();
    let upstream = at(listener.local_addr().unwrap());
    // Accepted and never read: more than the buffers of both ends have room for.
    let reader = std::thread::spawn(move || (listener.accept().unwrap(), listener));
    takes_too_long(&upstream, &Recorded { method: "POST".to_owned(), body: vec![0; 32 << 20], ..Recorded::default() });
    drop(reader.join().unwrap());

    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let listener = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        socket.listen(1).unwrap()
    });
    let address = listener.local_addr().unwrap();
    // The system holds connections until its queue is full. Nobody accepts them.
    let connections: Vec<TcpStream> = (0..64).map_while(|_| TcpStream::connect_timeout(&address, limit).ok()).collect();
    assert!(connections.len() < 64, "the queue has an end");
    takes_too_long(&at(address), &Recorded { method: "GET".to_owned(), ..Recorded::default() });
}

#[test]
fn an_answer_is_read_by_its_framing_or_is_broken() {
    let request = |method: &str| Recorded { method: method.to_owned(), ..Recorded::default() };
    let get = |bytes: &str| read(&request("GET"), bytes.as_bytes());
    let body = |bytes: &str| get(bytes).map(|reply| String::from_utf8(reply.body).unwrap()).ok();
    let table = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", Some("ab")),
        ("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab", Some("a")),
        ("HTTP/1.1 200 OK\r\n\r\nab", Some("ab")),
        ("HTTP/1.1 204 No\r\n\r\nab", Some("")),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n2;x=y\r\nbc\r\n0\r\n\r\n", Some("abc")),
        ("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab", None),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\na\r\n0\r\n\r\n", None),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\na\r\n", None),
        ("HTTP/1.1 2\r\n\r\n", None),
        ("nonsense", None),
        ("", None),
    ];
    for (bytes, expected) in table {
        assert_eq!(body(bytes).as_deref(), expected, "{bytes}");
    }
    let created = get("HTTP/1.1 201 Created\r\nlocation: http://a/pets/7?x=/1\r\n\r\n").unwrap();
    assert_eq!(created.located.as_deref(), Some("7"));
    assert_eq!(get("HTTP/1.1 201 Created\r\nlocation: /pets/a%20b\r\n\r\n").unwrap().located, None);
    let head = read(&request("HEAD"), b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n").unwrap();
    assert_eq!((head.status, head.body.len()), (200, 0));
}
