//! The console: its styles, its scripts, and the frame of its pages. Everything is served by the program; nothing comes from elsewhere.
//!
//! A sandbox serves two scripts of its own beside them: `own.js` (names, the servers beside it, the member that groups items, credentials,
//! and the work that goes on by itself) and `parts.js` (the parts of the console).

use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_FRAME_OPTIONS};

/// The style of every page: colours, header and menu.
pub const STYLE: &str = include_str!("style.css");
/// The style of the sandbox's own content.
pub const CONTENT_STYLE: &str = include_str!("console.css");

macro_rules! scripts {
    ($($name:literal),* $(,)?) => {
        /// The scripts of the console: their names and texts.
        const SCRIPTS: &[(&str, &str)] = &[$(($name, include_str!($name))),*];
    };
}

scripts!(
    "clock.js",
    "console.js",
    "curl.js",
    "dom.js",
    "faults.js",
    "frame.js",
    "json.js",
    "live.js",
    "overview.js",
    "requests.js",
    "resources.js",
);

/// The files of the pages: the styles, the scripts of the console, and those that only a sandbox has, by their names.
pub fn routes<S: Clone + Send + Sync + 'static>(own: &'static [(&'static str, &'static str)]) -> Router<S> {
    let script = move |Path(file): Path<String>| async move {
        match own.iter().chain(SCRIPTS).find(|(name, _)| *name == file) {
            Some((_, text)) => asset("text/javascript", text),
            None => StatusCode::NOT_FOUND.into_response(),
        }
    };
    Router::new()
        .route("/sandbox/ui/style.css", get(async || asset("text/css", STYLE)))
        .route("/sandbox/ui/console.css", get(async || asset("text/css", CONTENT_STYLE)))
        .route("/sandbox/ui/{file}", get(script))
}

fn asset(media_type: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, media_type), (CACHE_CONTROL, "no-cache")], text).into_response()
}

/// A page in HTML, with a policy of its content.
pub fn page(html: String, policy: &str) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_SECURITY_POLICY, policy),
        (X_FRAME_OPTIONS, "DENY"),
    ];
    (headers, html).into_response()
}

/// A group of the menu: its name, and the addresses and names of its pages.
pub type Group = (&'static str, &'static [(&'static str, &'static str)]);

/// The frame of all pages.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The name of the sandbox.
    pub brand: &'static str,
    /// The menu.
    pub menu: &'static [Group],
}

/// A page.
#[derive(Clone, Copy, Debug)]
pub struct Page<'p> {
    /// Its title.
    pub title: &'p str,
    /// Its address in the menu.
    pub address: &'p str,
    /// The name of its script, without the extension.
    pub script: &'p str,
    /// Markup of further styles.
    pub styles: &'p str,
    /// Markup of scripts before its own.
    pub scripts: &'p str,
}

impl Frame {
    /// The menu, with the page of this address marked.
    pub fn menu(&self, current: &str) -> String {
        let mut menu = String::from("<nav id=\"parts\" aria-label=\"Pages\">");
        for (group, links) in self.menu {
            menu += &format!("<p>{group}</p><ul>");
            for (address, name) in *links {
                let here = if *address == current { " aria-current=\"page\"" } else { "" };
                menu += &format!("<li><a href=\"{address}\"{here}>{name}</a></li>");
            }
            menu += "</ul>";
        }
        menu + "<div id=\"who\"></div></nav>\n"
    }

    /// A page as HTML.
    pub fn html(&self, page: &Page<'_>) -> String {
        let Self { brand, .. } = self;
        let Page { title, address, script, styles, scripts } = page;
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"UTF-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title} · {brand}</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/sandbox/ui/style.css\">\n{styles}</head>\n\
             <body class=\"page\">\n<header><a class=\"skip\" href=\"#main\">Skip to the content</a>\
             <a class=\"brand\" href=\"/sandbox\">{brand}</a>\
             <button type=\"button\" id=\"menu\" aria-expanded=\"false\" aria-controls=\"parts\">Menu</button><div id=\"bar\"></div></header>\n\
             {menu}<main id=\"main\">\n<h1>{title}</h1>\n<div id=\"content\"></div>\n</main>\n{scripts}\
             <script type=\"module\" src=\"/sandbox/ui/{script}.js\"></script>\n</body>\n</html>\n",
            menu = self.menu(address),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::SCRIPTS;

    const CURL: &str = include_str!("curl.js");
    const JSON: &str = include_str!("json.js");

    /// Catches a part of the console that parses and prints what a person edits: JavaScript rounds numbers.
    #[test]
    fn one_script_reads_and_writes_json() {
        for (name, text) in SCRIPTS.iter().filter(|(name, _)| *name != "json.js") {
            for call in ["JSON.parse", "JSON.stringify", ".json()"] {
                assert!(!text.contains(call), "{name} calls {call}: use json.js");
            }
        }
    }

    #[test]
    fn a_text_in_json_keeps_its_numbers() {
        let text = r#"{"id":9007199254740993,"rate" : 1.10, "none":[ ],"of":{},"in":[1,{"least":-18446744073709551615.5}],
            "quoted":"9007199254740993 \" , : } \\","__proto__":1e400,"last":null}"#;
        let checks = r#"
            assert.equal(members(text).id.text, "9007199254740993");
            assert.deepEqual(Object.keys(members(text)), ["id", "rate", "none", "of", "in", "quoted", "__proto__", "last"]);
            assert.equal(indented(text).replace(/\s/g, ""), text.replace(/\s/g, ""));
            assert.equal(written({ id: members(text).id, of: [undefined, "\""], none: undefined }), '{"id":9007199254740993,"of":[null,"\\""]}');
            const value = read(text);
            assert.deepEqual([value.id, value.rate, value.in[1].least, value.quoted], ["9007199254740993", 1.1, "-18446744073709551615.5", JSON.parse(text).quoted]);
            const plain = { a: 1, b: [1, 2, [], {}], c: { d: { e: -0.5 } }, "f\"": "x" };
            assert.equal(indented(written(plain)), JSON.stringify(plain, null, 2));
            assert.deepEqual([pretty("{"), pretty("12345678901234567890")], ["{", "12345678901234567890"]);
            assert.throws(() => new Raw('{},"admin":true'), SyntaxError);
            for (const other of ["[1]", "1", "null", ' "a"', "{", ""]) assert.throws(() => members(other), SyntaxError);
            const own = members(' {"__proto__":{"a":1},"path":"/a"}');
            own.path = "/b";
            assert.equal(written(own), '{"__proto__":{"a":1},"path":"/b"}');
            assert.throws(() => read("1 2"), SyntaxError);
            for (const part of ["a", "\\\\", "\\\""]) {
              const long = `{"a":"${part.repeat((16 << 20) / part.length)}","b":9007199254740993}`;
              assert.equal(read(long).b, "9007199254740993");
              assert.deepEqual([members(long).b.text, pretty(long).length], ["9007199254740993", long.length + 9]);
            }
        "#;
        in_node(&format!("{JSON}\nconst text = {text:?};\n{checks}"));
    }

    /// Catches a name of a server in the shared scripts: a command goes to the address that a sandbox gives for the server.
    #[test]
    fn a_command_goes_to_the_server_of_its_request() {
        let checks = r#"
            globalThis.location = new URL("http://box.example:1/sandbox");
            const request = { server: "any", method: "GET", path: "/a", query: "b=1", request: { headers: [["host", "evil.example"]], length: 0 } };
            assert.ok(curl(request, undefined).endsWith("'http://box.example:1/a?b=1'"), curl(request, undefined));
            assert.ok(curl(request, "http://127.0.0.1:2").endsWith("'http://box.example:2/a?b=1'"));
        "#;
        in_node(&format!("{CURL}\n{checks}"));
    }

    /// Runs a script that may use `assert`.
    fn in_node(script: &str) {
        let script = format!("import assert from 'node:assert/strict';\n{script}");
        let Ok(run) = Command::new("node").args(["--input-type=module", "--eval", &script]).output() else {
            eprintln!("SKIPPED: there is no `node` on this machine");
            return;
        };
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
}
