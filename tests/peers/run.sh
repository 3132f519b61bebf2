#!/bin/sh
# Tests the client with independent servers. From npm, in the versions of package-lock.json: oidc-provider for the grants,
# graphql-yoga with graphql-ws for GraphQL, mockttp for connections that fail. From PyPI, in the versions of requirements.txt:
# strawberry-graphql, which limits the subscriptions of a socket, and oidc-provider-mock. If npm is out of reach, it prints
# SKIPPED and exits with 0; if only PyPI is, it prints that and leaves out those two.
set -eu
cd "$(dirname "$0")/../.."
peers=${CARGO_TARGET_DIR:-target}/peers
tools=$peers/client
mkdir -p "$tools"
cp tests/peers/package.json tests/peers/package-lock.json tests/peers/servers.mjs "$tools"
if ! (cd "$tools" && npm ci --silent --no-audit --no-fund --ignore-scripts); then
    # If the registry answers, the lock file is the problem.
    if npm view graphql version >/dev/null 2>&1; then
        echo "npm ci failed, and the registry answers: fix package.json and package-lock.json" >&2
        exit 1
    fi
    echo "SKIPPED: Node or npm is out of reach, so the client did not meet its peers"
    exit 0
fi
python=$(cd "$peers" && pwd)/client-python
if ! cmp -s tests/peers/requirements.txt "$python/requirements.txt"; then
    rm -rf "$python"
    if python3 -m venv "$python" &&
        "$python/bin/pip" install -q --disable-pip-version-check -r tests/peers/requirements.txt; then
        cp tests/peers/requirements.txt "$python"
    else
        rm -rf "$python"
    fi
fi
PEERS_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export PEERS_SECRET
servers=
trap 'for server in $servers; do kill "$server" 2>/dev/null || true; done' EXIT
# Starts servers whose first line contains their addresses. The first argument is the file for that line.
start() {
    addresses=$1
    shift
    # Addresses of an earlier run would be mistaken for this one's.
    rm -f "$addresses"
    "$@" >"$addresses" 2>"$addresses.log" &
    server=$!
    servers="$servers $server"
    tries=0
    until [ -s "$addresses" ]; do
        tries=$((tries + 1))
        if [ "$tries" -gt 300 ] || ! kill -0 "$server" 2>/dev/null; then
            cat "$addresses.log" >&2
            exit 1
        fi
        sleep 0.1
    done
}
start "$tools/addresses" node "$tools/servers.mjs"
for name in oidc-provider graphql-yoga graphql-ws mockttp; do
    (cd "$tools" && node -p "'$name ' + JSON.parse(require('fs').readFileSync('node_modules/$name/package.json')).version")
done
set -- "$tools/addresses"
without=
if [ -d "$python" ]; then
    start "$python/addresses" "$python/bin/python" tests/peers/servers.py
    set -- "$@" "$python/addresses"
    grep -E '^(strawberry-graphql|oidc-provider-mock)==' "$python/requirements.txt"
else
    without='--skip strawberry --skip oidc_provider_mock'
    echo "SKIPPED: Python or PyPI is out of reach, so the client did not meet strawberry-graphql and oidc-provider-mock"
fi
merge='JSON.stringify(Object.assign({}, ...process.argv.slice(1).map((file) => JSON.parse(fs.readFileSync(file)))))'
PLATFORM_PEERS=$(node -p "$merge" "$@")
export PLATFORM_PEERS
# shellcheck disable=SC2086
cargo test --workspace --all-features --test runtime -- --ignored peers:: $without
