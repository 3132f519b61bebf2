#!/bin/sh
# Tests the sandbox's issuer with an independent client: npm oauth4webapi, in the version of peers/oauth/package-lock.json. If npm
# is out of reach, it prints SKIPPED and exits with 0.
set -eu
cd "$(dirname "$0")/../.."
peers=sandbox/tests/peers
tools=${CARGO_TARGET_DIR:-target}/peers/oauth
mkdir -p "$tools"
cp "$peers"/oauth/package.json "$peers"/oauth/package-lock.json "$peers"/oauth/client.mjs "$tools"
if ! (cd "$tools" && npm ci --silent --no-audit --no-fund --ignore-scripts); then
    echo "SKIPPED: Node or npm is out of reach, so oauth4webapi did not run"
    exit 0
fi
. "$peers/sandbox.sh"
node "$tools/client.mjs" "$BASE" "$FOLDER"
