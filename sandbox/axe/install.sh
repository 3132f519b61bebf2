#!/bin/sh
# Installs axe-core, which the tests of the sandbox's pages run in a browser, in the version of package-lock.json. If npm is out
# of reach, it prints SKIPPED and exits with 0; those tests then print SKIPPED, too.
set -eu
cd "$(dirname "$0")/../.."
folder=${CARGO_TARGET_DIR:-target}/axe
mkdir -p "$folder"
cp sandbox/axe/package.json sandbox/axe/package-lock.json "$folder"
if ! (cd "$folder" && npm ci --silent --no-audit --no-fund --ignore-scripts); then
    echo "SKIPPED: Node or npm is out of reach, so axe-core is not installed"
    exit 0
fi
echo "axe-core is in $folder"
