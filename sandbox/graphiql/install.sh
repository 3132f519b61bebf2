#!/bin/sh
# Installs GraphiQL for the sandbox's GraphQL page, in the versions of package-lock.json, and prints the option that selects it.
# If npm is out of reach, it prints SKIPPED and exits with 0; the page is then a plain one.
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
