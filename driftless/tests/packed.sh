#!/usr/bin/env bash
# Makes workspaces with `new` as a user has them: the crates of driftless are packed into a directory registry, and the workspaces use no
# path into this repository. `new` and the sandbox are those of this repository. The services are Radarr, a Swagger 2.0 contract with an API
# key, and both in one workspace. Each workspace is compiled as a whole, so that the libraries are compiled once. With `--all`, the commands
# are those of a user, each of which compiles what it needs, and the program is installed from the registry after the first workspace; a
# client is compiled from its package, and so is the program for the shell; then, a second version of the tool is published, and `upgrade`
# takes it.
#
# It needs the package registry once, for `cargo vendor`, and python3 for the server of the contracts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
all=${1:-}
if [ "$*" != "${all:+--all}" ]; then
    printf '%s: %s is not its argument\n  help: it takes --all, or nothing\n' "$0" "$*" >&2
    exit 2
fi
radarr="$PWD/../shared/contracts/dotnet/Radarr+Radarr__src_Radarr.Api.V3_openapi.json"
places="$PWD/../shared/contracts/swagger2/nytimes.com_geo_api_1.0.0.json"
if [ ! -f "$radarr" ] || [ ! -f "$places" ]; then
    echo 'LEFT OUT: ../shared/contracts does not have the contracts of Radarr and of the geocoder'
    exit 0
fi
target=${CARGO_TARGET_DIR:-$PWD/target}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
# It lies outside of the repository: cargo reads the configuration of every folder above.
folder=$(mktemp -d)
server=
sandbox=
clean() {
    for process in $server $sandbox; do kill "$process" 2>/dev/null || true; done
    rm -rf "$folder" "$target/packed"
}
trap clean EXIT
rm -rf "$target/packed"

failed() {
    printf 'FAILED: %s\n' "$1" >&2
    [ ! -f "$folder/log" ] || tail -n 40 "$folder/log" >&2
    exit 1
}

# Runs a command, and prints its name with the seconds of the clock and of the processor that it took.
measured() {
    local name=$1 TIMEFORMAT='%1R %1U %1S'
    shift
    { time "$@" >"$folder/log" 2>&1 || touch "$folder/failed"; } 2>"$folder/time"
    [ ! -e "$folder/failed" ] || failed "$name: $*"
    awk -v name="$name" '{ printf "%-58s %5.1f s, %5.1f s of the processor\n", name, $1, $2 + $3 }' "$folder/time"
}

# Fails unless the last command printed a text.
prints() {
    grep -qF -- "$1" "$folder/log" || failed "the text is not printed: $1"
}

# -- A registry that is a folder: the packed crates, and the versions of Cargo.lock of all others.
[ -n "${PROGRAMS_BUILT:-}" ] || cargo build --quiet --locked --workspace --all-features --bins --examples
cargo package --quiet --locked --no-verify --allow-dirty -p driftless-runtime -p driftless-codegen -p driftless -p driftless-cli 2>"$folder/log" ||
    failed 'cargo package'
registry=$folder/registry
mkdir -p "$folder/packed" "$folder/vendor/src" "$folder/.cargo"
crates='driftless driftless-cli driftless-codegen driftless-runtime'
for crate in $crates; do
    tar -xzf "$target/package/$crate-$version.crate" -C "$folder/packed"
done
cp Cargo.lock "$folder/vendor"
touch "$folder/vendor/src/lib.rs"
{
    printf '[package]\nname = "vendor"\nedition = "2024"\n[workspace]\n[dependencies]\ninsta = "1"\n'
    printf 'tokio = { version = "1", features = ["macros", "rt-multi-thread"] }\n'
    printf '[patch.crates-io]\n'
    for crate in $crates; do printf '%s = { path = "../packed/%s-%s" }\n' "$crate" "$crate" "$version"; done
    # A lock has the dependencies of all features that a client can turn on.
    printf '[dependencies.driftless]\nversion = "*"\n[dependencies.driftless-cli]\nversion = "*"\nfeatures = ["mcp-http"]\n[dependencies.driftless-runtime]\nversion = "*"\nfeatures = ['
    sed -n '/^\[features\]/,/^\[dependencies\]/s/^\([a-z0-9]*\) = .*/"\1",/p' runtime/Cargo.toml | tr -d '\n'
    printf ']\n'
} >"$folder/vendor/Cargo.toml"
(cd "$folder/vendor" && cargo vendor --quiet "$registry") >"$folder/log" 2>&1 || failed 'cargo vendor'
printf '[source.crates-io]\nreplace-with = "packed"\n[source.packed]\ndirectory = "%s"\n[net]\noffline = true\n' "$registry" \
    >"$folder/.cargo/config.toml"

publish() {
    for crate in $crates; do
        mv "$folder/packed/$crate-$1" "$registry"
        echo '{"files":{}}' >"$registry/$crate-$1/.cargo-checksum.json"
    done
}

# -- The second version: another interface between generated code and runtime.
next=$(echo "$version" | awk -F. '{ print $1 "." $2 + 1 ".0" }')
for crate in $crates; do
    copy=$folder/packed/$crate-$next
    cp -r "$folder/packed/$crate-$version" "$copy"
    sed -i "s/^version = \"\(=\{0,1\}\)$version\"/version = \"\1$next\"/" "$copy/Cargo.toml"
    rm -f "$copy/Cargo.lock"
done
interface=$(sed -n 's/^pub const INTERFACE: u32 = \([0-9]*\);/\1/p' runtime/src/codegen.rs)
sed -i "s/const INTERFACE: u\([0-9]*\) = $interface;/const INTERFACE: u\1 = $((interface + 1));/" \
    "$folder/packed/driftless-codegen-$next/src/lib.rs" "$folder/packed/driftless-runtime-$next/src/codegen.rs"
sed -i "s/interface $interface\b/interface $((interface + 1))/" "$folder/packed/driftless-runtime-$next/src/front/mod.rs"
publish "$version"

# -- The services: they serve their contract, and answer the first call of it.
cat >"$folder/server.py" <<'PYTHON'
import http.server, sys, urllib.parse

contracts = {"/radarr/openapi.json": sys.argv[1], "/places/swagger.json": sys.argv[2]}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        status, body = 404, b"{}"
        if url.path in contracts:
            status, body = 200, open(contracts[url.path], "rb").read()
        elif url.path == "/radarr/api/v3/log" and self.headers.get("x-api-key") == "canary":
            status, body = 200, b'{"records":[{"message":"served"}]}'
        elif url.path == "/places/query.json" and urllib.parse.parse_qs(url.query).get("api-key") == ["canary"]:
            status, body = 200, b'{"results":[]}'
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
python3 "$folder/server.py" "$radarr" "$places" >"$folder/port" &
server=$!
until [ -s "$folder/port" ]; do
    kill -0 "$server" 2>/dev/null || failed 'the server of the contracts did not start'
    sleep 0.1
done
url=http://127.0.0.1:$(cat "$folder/port")

cd "$folder"
unset CARGO_PROFILE_DEV_DEBUG
# One target folder for all: the first answer finds it empty, and what comes later shares the compiled libraries.
export CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$target/packed

# Counts what people own, and looks for names that only this repository has.
inspect() {
    find "$1" -type f -not -path '*/specs/contracts/*' -not -path '*/specs/snapshots/*' -not -path '*/src/generated/*' \
        -not -name Cargo.lock -not -name '*.lock' -not -name client.txt -not -name ledger.txt -not -name drift.md >"$folder/files"
    printf '%-58s %d files, %d lines; %d lines of specs/codegen.toml\n' "$1: written by hand, or once by new" \
        "$(wc -l <"$folder/files")" \
        "$(xargs -d '\n' sed '/^# <generated/,/^# <\/generated/d' <"$folder/files" | wc -l)" \
        "$(find "$1" -name codegen.toml -exec cat {} + | wc -l)"
    # The lock names crates of others.
    if grep -riE 'platform|sandbox' "$1" --exclude Cargo.lock | grep -v 'cargo install driftless-sandbox' >"$folder/log"; then
        failed "$1 has names of another service"
    fi
}
if grep -qiE 'platform|sandbox' "$radarr" "$places"; then
    failed 'the contracts have the names that a workspace must not have: choose others'
fi

# Without --all, the programs of a workspace are compiled with its tests, and started by their paths.
compile() {
    # Those of the last workspace have the same names.
    rm -f "$CARGO_TARGET_DIR"/debug/{xtask,examples/first}
    [ -n "$all" ] || measured "$1: programs and tests" cargo build --workspace --exclude radarr-cli --all-targets
}
example() {
    local package=$1 program=$2
    shift 2
    if [ -n "$all" ]; then
        cargo run -p "$package" --example "$program" "$@"
    else
        "$CARGO_TARGET_DIR/debug/examples/$program" "$@"
    fi
}
xtask=("$CARGO_TARGET_DIR/debug/xtask")
tested=(--workspace --exclude radarr-cli)
if [ -n "$all" ]; then
    xtask=(cargo xtask)
    tested=()
fi

package() {
    measured "cargo package -p $*" cargo package --allow-dirty -p "$@"
    cargo package --quiet --allow-dirty --list -p "$1" >"$folder/log"
    prints src/generated/mod.rs
}

# -- Radarr: the first answer, from an empty target folder. The program that makes this workspace is that of the repository, so that
# nothing is compiled before.
export RADARR_BASE_URL=$url/radarr RADARR_KEY_X_API_KEY=canary
measured 'radarr: cargo driftless new' "$target/debug/cargo-driftless" driftless new radarr --base-url "$url/radarr" --contract "$url/radarr/openapi.json" --ci github --cli
prints 'export RADARR_BASE_URL='
cd radarr
compile 'radarr, from an empty target folder'
# With --all, the processor's time of the two together is that of `cargo test` in an empty target folder, and more.
measured 'radarr: the first answer' example radarr-client first
prints served
measured 'radarr: cargo test, after it' cargo test "${tested[@]}"
prints a_refusal_of_the_service_is_an_error
inspect .

# -- A program that adds, lists, edits and deletes a movie, against the sandbox of the pinned contract. Called again, it reads the state of
# the command that it began: the clock of the sandbox has gone on in between.
mkdir -p generated-client/examples
cat >generated-client/examples/journey.rs <<'RUST'
use radarr_client::{Radarr, types::{CommandResource, CommandStatus, MovieResource}};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Radarr::from_env()?;
    if let Some(expected) = std::env::args().nth(1) {
        let all = client.command().list().await?;
        let refresh = CommandResource::default().name("RefreshMovie");
        let begun = all.iter().find(|command| command.name == refresh.name).ok_or("no command")?;
        let status = client.command().get(begun.id.ok_or("no identifier")?).await?.status;
        assert_eq!(status.map(|status| status.to_string()), Some(expected.clone()));
        println!("the command is {expected}");
        return Ok(());
    }
    let before = client.movie().list().await?;

    let movie = MovieResource::default().title("Metropolis").tmdb_id(19).year(1927).monitored(true);
    let added = client.movie().create(&movie).await?;
    let id = added.id.ok_or("the new movie has no identifier")?;
    assert_eq!((&added.title, added.year, added.monitored), (&movie.title, Some(1927), Some(true)));
    assert!(before.iter().all(|other| other.id != Some(id)), "the identifier is in use");
    assert_eq!(client.movie().list().tmdb_id(19).await?, [added.clone()]);
    assert_eq!(client.movie().list().await?.len(), before.len() + 1);

    let edited = client.movie().update(&id.to_string(), &added.clone().monitored(false)).await?;
    assert_eq!((edited.monitored, &edited.title), (Some(false), &movie.title));
    assert_eq!(client.movie().get(id).await?, edited);

    let begun = client.command().create(&CommandResource::default().name("RefreshMovie")).await?;
    assert_eq!(begun.status, Some(CommandStatus::Queued));

    client.movie().delete(id).await?;
    assert!(client.movie().get(id).await.err().ok_or("the movie is still there")?.is_not_found());
    assert_eq!(client.movie().list().await?, before);
    println!("the journey has ended");
    Ok(())
}
RUST
cat >"$folder/behaviour.toml" <<'TOML'
[[work]]
operation = "POST /api/v3/command"
member = "status"
states = ["queued", "started", "completed"]
milliseconds = 30000
TOML
compile 'radarr, with a program'
# It runs in the place of `cargo xtask`, so it has its number.
PATH=$target/debug:$PATH "${xtask[@]}" sandbox --port 0 --behaviour "$folder/behaviour.toml" >"$folder/sandbox" 2>"$folder/log" &
sandbox=$!
until grep -q '^listening on ' "$folder/sandbox"; do
    kill -0 "$sandbox" 2>/dev/null || failed 'cargo xtask sandbox did not start'
    sleep 0.1
done
address=$(sed 's/^listening on //' "$folder/sandbox")
control() {
    "$target/debug/driftless-sandbox" control --sandbox "$address" "$@" >"$folder/log" 2>&1 || failed "control $*"
}
control clock '{"hold":true}'
# The client repeats the first of its four lists.
control faults add '{"match":{"operation":"GET /api/v3/movie"},"times":1,"fault":"status=503, retry-after=0"}'
of_service=$RADARR_BASE_URL
export RADARR_BASE_URL=$address
measured 'radarr: a program against its sandbox' example radarr-client journey
prints 'the journey has ended'
control verify '{"match":{"operation":"GET /api/v3/movie"},"times":5}'
for state in queued started completed; do
    measured "radarr: the command is $state" example radarr-client journey "$state"
    prints "the command is $state"
    control clock '{"advanceMilliseconds":30000}'
done
kill "$sandbox"
wait "$sandbox" || failed 'the sandbox did not end by a signal'
sandbox=
rm generated-client/examples/journey.rs
export RADARR_BASE_URL=$of_service

# -- The tool, with the profile that a workspace has, so that it is compiled once for both. `cargo install` reads no configuration of folders.
cd ..
tool=$target/debug
if [ -n "$all" ]; then
    measured 'cargo install driftless (dev profile)' cargo install --quiet --debug --root "$folder/tool" driftless \
        --config "$folder/.cargo/config.toml" --config "$registry/driftless-$version/src/new/template/cargo-config.toml"
    tool=$folder/tool/bin
fi
export PATH=$tool:$PATH

# -- Swagger 2.0 with an API key, by the tool. Before `new`, no contract says where the key belongs.
measured 'places: cargo driftless new' cargo driftless new places --base-url "$url/places" --contract "$url/places/swagger.json" --name places
prints 'PLACES_API_KEY=…'
export PLACES_BASE_URL=$url/places PLACES_API_KEY=canary
cd places
compile places
measured 'places: the first answer' example places-client first
prints results
measured 'places: cargo xtask regenerate --check' "${xtask[@]}" regenerate --check
measured 'places: cargo test --workspace' cargo test --workspace
prints the_pinned_contracts_are_those_that_were_reviewed
# The command of its README writes a snapshot that is not there.
accept=$(sed -n 's/.*`INSTA_UPDATE=always \(cargo test [^`]*\)`.*/\1/p' README.md)
snapshot=$(find specs/snapshots -name '*.snap' | sort | head -n 1)
mv "$snapshot" "$folder/accepted.snap"
[ -n "$accept" ] || failed 'the README has no command that accepts snapshots'
[ -n "$all" ] || accept=${accept/-p xtask/--workspace}
measured "places: $accept" env INSTA_UPDATE=always $accept
cmp "$snapshot" "$folder/accepted.snap" || failed 'the command of the README writes another snapshot'
inspect .
if [ -n "$all" ]; then
    # It compiles the client from its package.
    package places-client
else
    package places-client --no-verify
fi

# -- Two services in one workspace.
cd ../radarr
compile radarr
unset PLACES_API_KEY
measured 'radarr and places: cargo xtask add' "${xtask[@]}" add places --base-url "$url/places" --contract "$url/places/swagger.json"
export PLACES_API_KEY=canary
measured 'radarr and places: cargo xtask regenerate --all' "${xtask[@]}" regenerate --all
[ "$(grep -c '^contract .*, unchanged)$' "$folder/log")" = 2 ] || failed 'a contract is not the one that was pinned'
# Its program for the shell has no tests.
measured 'radarr and places: cargo test --workspace' cargo test --workspace --exclude radarr-cli
prints the_pinned_contracts_are_those_that_were_reviewed
[ "$(grep -c '^test a_refusal_of_the_service_is_an_error ... ok' "$folder/log")" = 2 ] || failed 'a client was not tested'
inspect .
package radarr-client --no-verify
if [ -z "$all" ]; then
    echo 'the workspaces need nothing of this repository'
    exit 0
fi

# -- The same service at the shell.
measured 'radarr: its program for the shell, from compiled clients' cargo build -p radarr-cli
"$target/packed/debug/radarr" log list >"$folder/log" 2>&1 || failed 'radarr log list'
prints served
measured 'radarr: a command' "$target/packed/debug/radarr" log list
measured 'radarr: radarr --help' "$target/packed/debug/radarr" --help

# -- Another version of the tool.
measured 'upgrade: no newer version' cargo xtask upgrade
prints 'cargo finds no newer one'
publish "$next"
sed "s/\"=$version\"/\"=$next\"/" Cargo.toml >"$folder/raised.toml"
cp Cargo.toml "$folder/kept.toml"
cp Cargo.lock "$folder/kept.lock"
cp "$folder/raised.toml" Cargo.toml
cargo test --no-run -p places-client >"$folder/log" 2>&1 && failed 'a client of another version compiles'
prints "this client was generated for interface $interface"
cp "$folder/kept.toml" Cargo.toml
cp "$folder/kept.lock" Cargo.lock
measured "upgrade: to $next" cargo xtask upgrade
cat "$folder/log"
prints "version     $version → $next"
cmp Cargo.toml "$folder/raised.toml"
measured 'upgraded: cargo xtask regenerate --all --check' cargo xtask regenerate --all --check
measured 'upgraded: cargo test' cargo test
grep -rqE "interface $((interface + 1))" generated-client/src/generated places/generated-client/src/generated ||
    failed 'the clients are not those of the new version'
echo 'the workspaces need nothing of this repository'
