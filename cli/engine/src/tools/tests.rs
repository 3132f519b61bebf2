//! The effects of operations, and the version of the interface.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use super::*;

#[test]
fn a_removal_is_destructive_wherever_its_verb_stands() {
    for (method, name, expected) in [
        ("GET", "list_deleted", Effect::Read),
        ("POST", "create_project", Effect::Create),
        ("POST", "bulk_delete_projects", Effect::Destroy),
        ("PATCH", "force_remove", Effect::Destroy),
        ("DELETE", "clear", Effect::Destroy),
        ("PUT", "replace", Effect::Change),
    ] {
        let head = json!({ "method": method, "path": "/" });
        let head = Head { name, ..serde_json::from_value(head).unwrap() };
        assert_eq!(effect(&head), expected, "{method} {name}");
    }
}

/// A service that answers one request. Returns its address, and the first line of the request.
fn service() -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut head = [0; 4096];
        let length = stream.read(&mut head).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}").unwrap();
        String::from_utf8_lossy(&head[..length]).lines().next().unwrap().to_owned()
    });
    (url, thread)
}

#[tokio::test]
async fn the_person_who_starts_the_server_chooses_the_version_of_the_interface() {
    let version = |path: &str, place: &str, default: Option<&str>| {
        let parameter = json!({
            "name": "v", "wire": "v", "in": place, "style": "Form", "required": true, "schema": {"type": "string"}, "default": default
        });
        let line = json!({"method": "GET", "path": path, "result": {"form": "json"}, "api_version": parameter});
        format!("operation a b {line}\n")
    };
    for (path, place, default, chosen, expected) in [
        ("/x", "query", Some("1"), None, "GET /x?v=1 HTTP/1.1"),
        ("/x", "query", Some("1"), Some("2"), "GET /x?v=2 HTTP/1.1"),
        ("/x", "query", None, Some("2"), "GET /x?v=2 HTTP/1.1"),
        ("/x", "query", None, None, ""),
        ("/{v}/x", "path", Some("1"), Some("2"), "GET /2/x HTTP/1.1"),
        // The default of a version in the path is not sent.
        ("/{v}/x", "path", Some("1"), None, ""),
    ] {
        let text = format!(
            "client {{\"version\":1,\"variables\":\"SAMPLE_\"}}\nfamily a {{\"covers\":\"\"}}\n{}",
            version(path, place, default)
        );
        let program = crate::Program::new("sample", "1.0.0", text.leak());
        let table = Table::new(program.table).unwrap();
        let root = crate::command::root(&program, table, &crate::command::Words::default(), false, vec![command()]);
        let matches = root.unwrap().try_get_matches_from(["sample", "mcp"]).unwrap();
        let context = Context::new(program, table, false, &matches);
        let (url, request) = service();
        let client = Client::builder(&url).build().unwrap();
        let tools = TableTools::over(&context, client, Security::None, chosen.map(str::to_owned)).unwrap();
        let answer = tools.call(0, Map::new(), 1000).await;
        if expected.is_empty() {
            let failure = answer.unwrap_err().to_string();
            assert!(failure.contains("add: --api-version VERSION"), "{failure}");
            continue;
        }
        assert_eq!((answer.unwrap().status, request.join().unwrap().as_str()), (200, expected));
    }
}
