#!/bin/sh
# Tests the tools for agents with the official SDK of the Model Context Protocol in TypeScript as client, in the versions of
# mcp/package-lock.json, on standard input and output and over HTTP. If npm is out of reach, it prints SKIPPED and exits with 0.
set -eu
cd "$(dirname "$0")/../../.."
target=${CARGO_TARGET_DIR:-target}
client=$target/mcp-client
mkdir -p "$client"
cp cli/engine/tests/mcp/package.json cli/engine/tests/mcp/package-lock.json cli/engine/tests/mcp/client.mjs "$client"
if ! (cd "$client" && npm ci --silent --no-audit --no-fund --ignore-scripts); then
    # If the registry answers, the lock file is the problem.
    if npm view @modelcontextprotocol/sdk version >/dev/null 2>&1; then
        echo "npm ci failed, and the registry answers: fix package.json and package-lock.json" >&2
        exit 1
    fi
    echo "SKIPPED: Node or npm is out of reach, so the tools for agents did not meet the SDK in TypeScript"
    exit 0
fi
[ -n "${PROGRAMS_BUILT:-}" ] || cargo build --quiet -p driftless-cli --all-features --example tools
node "$client/client.mjs" "$target/debug/examples/tools"
