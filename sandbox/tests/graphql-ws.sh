#!/bin/sh
# Tests the sandbox's GraphQL with independent clients: npm graphql-ws over WebSocket, and npm graphql-sse over server-sent
# events, in the versions of peers/graphql-ws/package-lock.json. If npm is out of reach, it prints SKIPPED and exits with 0.
set -eu
cd "$(dirname "$0")/../.."
peers=sandbox/tests/peers
tools=${CARGO_TARGET_DIR:-target}/peers/graphql-ws
mkdir -p "$tools"
cp "$peers"/graphql-ws/package.json "$peers"/graphql-ws/package-lock.json "$peers"/graphql-ws/client.mjs "$tools"
if ! (cd "$tools" && npm ci --silent --no-audit --no-fund --ignore-scripts); then
    echo "SKIPPED: Node or npm is out of reach, so graphql-ws did not run"
    exit 0
fi
. "$peers/sandbox.sh"
node "$tools/client.mjs" "$BASE" "$FOLDER"
