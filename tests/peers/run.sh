#!/bin/sh
# Holds the client against servers that nobody here wrote, in the versions of package-lock.json: npm oidc-provider for the
# grants, npm graphql-yoga with graphql-ws for GraphQL, npm mockttp for connections that fail. Exit 0 with the word SKIPPED
# where npm is out of reach.
set -eu
cd "$(dirname "$0")/../.."
tools=${CARGO_TARGET_DIR:-target}/peers/client
mkdir -p "$tools"
cp tests/peers/package.json tests/peers/package-lock.json tests/peers/servers.mjs "$tools"
if ! (cd "$tools" && npm ci --silent --no-audit --no-fund --ignore-scripts); then
    echo "SKIPPED: Node or npm is out of reach, so the client did not meet its peers"
    exit 0
fi
PEERS_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export PEERS_SECRET
# Those of an earlier run would be taken for this one's.
rm -f "$tools/addresses"
node "$tools/servers.mjs" >"$tools/addresses" 2>"$tools/log" &
servers=$!
trap 'kill "$servers" 2>/dev/null || true' EXIT
tries=0
until [ -s "$tools/addresses" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 300 ] || ! kill -0 "$servers" 2>/dev/null; then
        cat "$tools/log" >&2
        exit 1
    fi
    sleep 0.1
done
PLATFORM_PEERS=$(cat "$tools/addresses")
export PLATFORM_PEERS
for name in oidc-provider graphql-yoga graphql-ws mockttp; do
    (cd "$tools" && node -p "'$name ' + JSON.parse(require('fs').readFileSync('node_modules/$name/package.json')).version")
done
cargo test -p platform-client --all-features --test peers -- --ignored
