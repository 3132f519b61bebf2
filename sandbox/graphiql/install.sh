#!/bin/sh
# Installs GraphiQL for the sandbox's page of GraphQL, in the versions of package-lock.json, and prints what names it. Exit 0
# with the word SKIPPED where npm is out of reach: then the page is a plain one.
set -eu
cd "$(dirname "$0")/../.."
folder=${CARGO_TARGET_DIR:-target}/graphiql
mkdir -p "$folder"
cp sandbox/graphiql/package.json sandbox/graphiql/package-lock.json "$folder"
if ! (cd "$folder" && npm ci --silent --no-audit --no-fund --ignore-scripts); then
    echo "SKIPPED: Node or npm is out of reach, so GraphiQL is not installed"
    exit 0
fi
echo "cargo xtask sandbox --graphiql $folder"
