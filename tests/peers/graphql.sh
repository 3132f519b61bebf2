#!/bin/sh
# Holds generated documents against graphql-js, from npm, in the version of package-lock.json: 200 random answers to each document
# of a small schema, and of GitHub's (@octokit/graphql-schema, in the version below). Exit 0 with the word SKIPPED where npm is
# out of reach.
set -eu
cd "$(dirname "$0")/../.."
tools=${CARGO_TARGET_DIR:-target}/peers/graphql
mkdir -p "$tools"
tools=$(cd "$tools" && pwd)
graphql=$(sed -n 's/.*"graphql": "\([^"]*\)".*/\1/p' tests/peers/package.json)
printf '{"private":true,"dependencies":{"graphql":"%s","@octokit/graphql-schema":"15.26.1"}}' "$graphql" >"$tools/package.json"
if ! (cd "$tools" && npm install --silent --no-audit --no-fund --ignore-scripts); then
    echo "SKIPPED: Node or npm is out of reach, so documents did not meet graphql-js"
    exit 0
fi
PLATFORM_GRAPHQL_JS=$tools
PLATFORM_GRAPHQL_SCHEMA=$tools/node_modules/@octokit/graphql-schema/schema.graphql
export PLATFORM_GRAPHQL_JS PLATFORM_GRAPHQL_SCHEMA
cargo test -p xtask --test conformance -- --nocapture
