//! Responses of graphql-js are decoded by the generated types and written back without loss.
//!
//! Recorded responses of a small schema are always read. With `PLATFORM_GRAPHQL_JS`, a folder whose `node_modules` has
//! `graphql`, graphql-js executes each document, including random ones for the published schemas in the folder
//! `PLATFORM_GRAPHQL_SCHEMAS`, and graphql-ws and graphql-sse deliver subscriptions. `tests/peers/graphql.sh` installs
//! them from npm.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use driftless_codegen::{Config, Contract, GraphqlFiles, Names, Scalar, Setup, generate};
use serde_json::Value;

/// Limit of a type's size: reading one keeps several of each type on the way to it on the stack.
const LARGEST: usize = 4_096;

const EMPTY: &[u8] = b"openapi: 3.0.4\ninfo: {title: None, version: v1}\npaths: {}\n";

/// One document as it is sent: the name of its operation, the module of its types, its text.
struct Sent {
    operation: String,
    module: String,
    text: String,
    subscribes: bool,
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance")
}

fn documents(folder: &Path) -> BTreeMap<String, String> {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path());
    files
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("a text"))
        })
        .collect()
}

/// The constants of the generated documents.
fn sent(constants: &str) -> Vec<Sent> {
    let file = syn::parse_file(constants).expect("Rust");
    let mut all = Vec::new();
    for item in file.items {
        let syn::Item::Const(item) = item else { continue };
        let syn::Expr::Call(call) = *item.expr else { continue };
        let Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })) = call.args.first() else { continue };
        let text = text.value();
        let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        let kind = words.find(|word| ["query", "mutation", "subscription"].contains(word)).expect("an operation");
        let subscribes = kind == "subscription";
        let operation = words.next().expect("a name").to_owned();
        all.push(Sent { operation, module: item.ident.to_string().to_lowercase(), text, subscribes });
    }
    assert!(!all.is_empty());
    all
}

/// Custom scalars of the program, referred to by path.
const SCALARS: &str = "use serde::{Deserialize, Serialize};
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Anything(pub driftless_runtime::Value);
";

/// The program: reads data or subscribes, and writes the data back.
const MAIN: &str = r#"#![recursion_limit = "512"]
#![allow(unused_variables, unreachable_code)]
#[allow(dead_code, deprecated, unused_imports)]
mod documents;
pub mod scalars;
use driftless_runtime::{Client, Value, blocking::Blocking, graphql::{Delivery, Document, GraphqlOptions, SubscriptionTransport}};

fn round<T: serde::de::DeserializeOwned + serde::Serialize>(data: &str) -> Result<String, driftless_runtime::Error> {
    let again = serde_json::to_string(&serde_json::from_str::<T>(data)?)?;
    // As the runtime decodes a response, from an untyped value.
    let typed: T = serde_json::from_str::<Value>(data)?.to()?;
    assert_eq!(serde_json::to_string(&typed)?, again);
    Ok(again)
}

#[allow(dead_code)]
fn follow<T: serde::de::DeserializeOwned + serde::Serialize + Send + 'static>(client: &Blocking<Client>, document: &'static Document<(), T>) {
    for delivery in client.each(move |client| client.graphql().subscribe(document, ())) {
        match delivery.unwrap() {
            Delivery::Next(answer) => println!("{}", serde_json::to_string(&answer.into_data().unwrap()).unwrap()),
            _ => panic!("a gap"),
        }
    }
}

fn main() {
    if let [_, url, transport, operation] = &std::env::args().collect::<Vec<_>>()[..] {
        let transport = if transport == "socket" { SubscriptionTransport::WebSocket } else { SubscriptionTransport::ServerSentEvents };
        let options = GraphqlOptions::new().transport(transport).buffer(100_000);
        let client = Blocking::new(Client::builder(url).graphql(options).build().unwrap()).unwrap();
        match operation.as_str() {
            SUBSCRIPTIONS
            _ => panic!("unknown"),
        }
        return;
    }
    for (size, name) in [SIZES] {
        println!("{size} {name}");
    }
    println!("answers");
    // The stack size of tokio's worker threads.
    std::thread::Builder::new().stack_size(2 << 20).spawn(answers).unwrap().join().unwrap();
}

fn answers() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (operation, data) = line.split_once('\t').unwrap();
        let outcome = match operation {
            ARMS
            _ => panic!("unknown"),
        };
        match outcome {
            Ok(text) => println!("{text}"),
            Err(error) => println!("! {error}"),
        }
    }
}
"#;

/// The size of each generated type, and its name.
fn sizes(files: &BTreeMap<String, String>) -> String {
    let mut all = String::new();
    for (path, code) in files {
        let Some(module) = path.strip_prefix("documents/").and_then(|file| file.strip_suffix(".rs")) else { continue };
        for item in syn::parse_file(code).expect("Rust").items {
            let name = match item {
                syn::Item::Struct(item) => item.ident,
                syn::Item::Enum(item) => item.ident,
                _ => continue,
            };
            let path = if module == "mod" { name.to_string() } else { format!("{module}::{name}") };
            all.push_str(&format!("(size_of::<documents::{path}>(), {path:?}),\n"));
        }
    }
    all
}

/// A program that reads an operation and its data, a line each, and writes the data back. With arguments, it
/// subscribes. It turns on the feature of `serde_json` that changes how numbers are passed, as any program may.
fn program(name: &str, files: &BTreeMap<String, String>, all: &[Sent]) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder").to_owned();
    let folder = target.join("conformance").join(name);
    let source = folder.join("src/documents");
    let _ = fs::remove_dir_all(&source);
    fs::create_dir_all(&source).expect("a folder");
    for (path, code) in files {
        if let Some(file) = path.strip_prefix("documents/") {
            fs::write(source.join(file), code).expect("written");
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace").to_owned();
    let [runtime, shared] = ["runtime", "features"].map(|member| root.join(member).display().to_string());
    let manifest = format!(
        "[package]\nname = \"conformance-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         driftless-runtime = {{ path = {runtime:?}, features = [\"blocking\", \"graphql\"] }}\nserde = \"1\"\nserde_json = {{ version = \"1\", features = [\"arbitrary_precision\"] }}\n\
         platform-features = {{ path = {shared:?}, features = [\"tests\"] }}\n\
         [profile.dev]\ndebug = false\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
    let arms: String = all
        .iter()
        .map(|sent| format!("{:?} => round::<documents::{}::Data>(data),\n", sent.operation, sent.module))
        .collect();
    let subscriptions: String = all
        .iter()
        .filter(|sent| sent.subscribes)
        .map(|sent| format!("{:?} => follow(&client, &documents::{}),\n", sent.operation, sent.module.to_uppercase()))
        .collect();
    let main = MAIN.replace("SUBSCRIPTIONS", &subscriptions).replace("ARMS", &arms).replace("SIZES", &sizes(files));
    fs::write(folder.join("src/scalars.rs"), SCALARS).expect("written");
    fs::write(folder.join("src/main.rs"), main).expect("written");
    let output = driftless::child::cargo()
        .args(["build", "--offline", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", target.join("conformance/target"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    target.join("conformance/target/debug").join(format!("conformance-{name}"))
}

/// The same text with every number as a string, so that digits are compared; and without nulls if directives decide
/// about fields.
fn exact(text: &str, decided: bool) -> Value {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    let mut quoted = false;
    while let Some(letter) = letters.next() {
        match letter {
            '"' => quoted = !quoted,
            '\\' if quoted => {
                out.push(letter);
                out.extend(letters.next());
                continue;
            }
            '-' | '0'..='9' if !quoted => {
                let mut number = letter.to_string();
                while let Some(next) = letters.next_if(|next| next.is_ascii_digit() || "+-.eE".contains(*next)) {
                    number.push(next);
                }
                // A float of Rust ends in `.0`.
                out.push_str(&format!("\"#{}\"", number.strip_suffix(".0").unwrap_or(&number)));
                continue;
            }
            _ => {}
        }
        out.push(letter);
    }
    let mut value = serde_json::from_str(&out).expect("JSON");
    if decided {
        without_nulls(&mut value);
    }
    value
}

fn without_nulls(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        Value::Object(members) => {
            members.retain(|_, value| !value.is_null());
            members.values_mut().for_each(without_nulls);
        }
        _ => {}
    }
}

/// Has every response decoded and written back, and compares.
fn compare(program: &Path, answers: &str) {
    let lines: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let text = |line: &Value, member: &str| line.get(member).and_then(Value::as_str).expect("a text").to_owned();
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program runs");
    let mut input = child.stdin.take().expect("an input");
    let asked: String =
        lines.iter().map(|line| format!("{}\t{}\n", text(line, "operation"), text(line, "data"))).collect();
    let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()));
    let output = child.wait_with_output().expect("an output");
    writer.join().expect("a thread").expect("written");
    let written = String::from_utf8(output.stdout).expect("UTF-8");
    let mut written = written.lines();
    let sizes = written.by_ref().take_while(|line| *line != "answers").filter_map(|line| line.split_once(' '));
    let largest = sizes.filter_map(|(size, name)| Some((size.parse::<usize>().ok()?, name))).max();
    let (size, name) = largest.expect("a type");
    assert!(size <= LARGEST, "{name} takes {size} bytes");
    let mut failures = Vec::new();
    let mut count = 0;
    for (line, again) in lines.iter().zip(written) {
        let (data, decided) = (text(line, "data"), line.get("decided") == Some(&Value::Bool(true)));
        count += 1;
        if again.starts_with('!') || exact(&data, decided) != exact(again, decided) {
            failures.push(format!("{}\n  {data}\n  {again}", text(line, "operation")));
        }
    }
    assert_eq!(count, lines.len(), "an answer for each");
    let some: Vec<&String> = failures.iter().take(3).collect();
    assert!(failures.is_empty(), "{} of {count} answers are not written back: {some:#?}", failures.len());
    println!("{count} answers decoded and written back without loss; the largest type, {name}, takes {size} bytes");
}

fn configuration(schema: &Path, folder: &Path, scalars: &[(&str, Scalar)]) -> Setup {
    let scalars = scalars.iter().map(|(name, scalar)| ((*name).to_owned(), scalar.clone())).collect();
    Setup {
        config: Config { scalars, ..Config::default() },
        graphql: GraphqlFiles {
            documents: documents(folder),
            schema: Some(fs::read_to_string(schema).expect("a schema")),
        },
        ..Setup::default()
    }
}

/// The responses of graphql-js, if it is available.
fn answers(name: &str, schema: &Path, all: &[Sent], each: usize) -> Option<String> {
    let modules = std::env::var_os("PLATFORM_GRAPHQL_JS")?;
    let texts: Vec<&str> = all.iter().map(|sent| sent.text.as_str()).collect();
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    fs::write(&file, serde_json::to_string(&texts).expect("JSON")).expect("written");
    let output = Command::new("node")
        .arg(here().join("answers.mjs"))
        .arg(schema)
        .arg(&file)
        .arg(each.to_string())
        .arg(modules)
        .output()
        .expect("node runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).expect("UTF-8"))
}

#[test]
#[ignore = "compiles a program: tests/peers/graphql.sh runs it"]
fn answers_are_decoded_and_written_back_without_loss() {
    let schema = here().join("schema.graphql");
    let own = Scalar::Path("crate::scalars::Anything".to_owned());
    let scalars = [("Money", Scalar::Decimal), ("BigInt", Scalar::I64AsText), ("Anything", own)];
    let config = configuration(&schema, &here().join("documents"), &scalars);
    let output =
        generate(&[Contract { name: "platform", bytes: EMPTY }], &config, &Names::default()).expect("a client");
    let all = sent(&output.files["documents/mod.rs"]);
    let program = program("small", &output.files, &all);
    let recorded = here().join("answers.jsonl");
    if std::env::var_os("PLATFORM_RECORD").is_some() {
        fs::write(&recorded, answers("small", &schema, &all, 4).expect("graphql-js")).expect("written");
    }
    compare(&program, &fs::read_to_string(recorded).expect("recorded answers"));
    match answers("small", &schema, &all, 200) {
        Some(answers) => compare(&program, &answers),
        None => println!("SKIPPED: no graphql-js (PLATFORM_GRAPHQL_JS), so the recorded answers alone were read"),
    }
    for transport in ["socket", "events"] {
        for operation in all.iter().filter(|sent| sent.subscribes).map(|sent| sent.operation.as_str()) {
            delivered(&schema, &program, transport, operation);
        }
    }
}

/// Runs a subscription over a real connection: events of graphql-js are decoded and written back.
fn delivered(schema: &Path, program: &Path, transport: &str, operation: &str) {
    let Some(modules) = std::env::var_os("PLATFORM_GRAPHQL_JS") else { return };
    let mut server = Command::new("node")
        .arg(here().join("serve.mjs"))
        .arg(schema)
        .arg("200")
        .arg(modules)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node runs");
    let mut lines = BufReader::new(server.stdout.take().expect("an output")).lines();
    let port = lines.next().expect("a port").expect("a line");
    let url = format!("http://127.0.0.1:{port}");
    let output = Command::new(program).args([&url, transport, operation]).output().expect("the program runs");
    drop(server.stdin.take());
    let answers: Vec<Value> =
        lines.map(|line| serde_json::from_str(&line.expect("a line")).expect("a line of JSON")).collect();
    server.wait().expect("it ends");
    assert!(output.status.success(), "{transport} {operation}: {}", String::from_utf8_lossy(&output.stderr));
    let written = String::from_utf8(output.stdout).expect("UTF-8");
    let written: Vec<&str> = written.lines().collect();
    assert_eq!((answers.len(), written.len()), (200, 200), "{transport} {operation}");
    for (sent, again) in answers.iter().zip(written) {
        let sent = sent.get("data").and_then(Value::as_str).expect("a text");
        assert_eq!(exact(sent, false), exact(again, false), "{transport} {operation}");
    }
    println!("200 deliveries of {operation} over {transport} decoded and written back without loss");
}

/// Generates the client of a published schema, and has it read `each` responses of graphql-js to each document: those
/// beside this test, or random ones.
fn published(name: &str, scalars: &[(&str, Scalar)], each: usize) {
    let Some(schemas) = std::env::var_os("PLATFORM_GRAPHQL_SCHEMAS").map(PathBuf::from) else {
        println!("SKIPPED: no published schemas (PLATFORM_GRAPHQL_SCHEMAS)");
        return;
    };
    let schema = schemas.join(format!("{name}.graphql"));
    let written = here().join(name);
    let folder = if written.is_dir() { written } else { schemas.join(name) };
    let config = configuration(&schema, &folder, scalars);
    let start = Instant::now();
    let output =
        generate(&[Contract { name: "platform", bytes: EMPTY }], &config, &Names::default()).expect("a client");
    println!("{name}: generated in {:.2} s", start.elapsed().as_secs_f64());
    let all = sent(&output.files["documents/mod.rs"]);
    let program = program(name, &output.files, &all);
    compare(&program, &answers(name, &schema, &all, each).expect("graphql-js"));
}

#[test]
#[ignore = "tests/peers/graphql.sh gets the schema"]
fn the_schema_of_github_is_answered_too() {
    published("github", &[("BigInt", Scalar::I64AsText)], 200);
}

#[test]
#[ignore = "tests/peers/graphql.sh gets the schema"]
fn the_schema_of_a_shop_is_answered_too() {
    published("storefront", &[("UnsignedInt64", Scalar::U64AsText), ("Decimal", Scalar::DecimalAsText)], 200);
}

#[test]
#[ignore = "tests/peers/graphql.sh gets the schema"]
fn the_schema_of_customer_accounts_is_answered_too() {
    published("customer-account", &[("UnsignedInt64", Scalar::U64AsText)], 200);
}

/// Its objects are stricter than their interfaces in many fields.
#[test]
#[ignore = "tests/peers/graphql.sh gets the schema"]
fn the_schema_of_linear_is_answered_too() {
    published("linear", &[], 100);
}

/// A federated schema: `_entities` is a list of a union of objects of all services.
#[test]
#[ignore = "tests/peers/graphql.sh gets the schema"]
fn the_schema_of_saleor_is_answered_too() {
    published("saleor", &[], 100);
}

/// Its input objects hold those of the tables around them.
#[test]
#[ignore = "tests/peers/graphql.sh makes the schema"]
fn a_schema_in_the_manner_of_hasura_is_answered_too() {
    published("hasura", &[], 100);
}
