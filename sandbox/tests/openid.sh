#!/bin/sh
# Tests the sandbox's issuer with independent OpenID Connect clients: npm openid-client, which is certified, and Authlib from
# PyPI, in the versions of peers/openid. If a registry is out of reach, it prints SKIPPED and exits with 0.
set -eu
cd "$(dirname "$0")/../.."
peers=sandbox/tests/peers
mkdir -p "${CARGO_TARGET_DIR:-target}/peers/openid"
tools=$(cd "${CARGO_TARGET_DIR:-target}/peers/openid" && pwd)
cp "$peers"/openid/package.json "$peers"/openid/package-lock.json "$peers"/openid/client.mjs "$tools"
if ! (cd "$tools" && npm ci --silent --no-audit --no-fund --ignore-scripts); then
    echo "SKIPPED: Node or npm is out of reach, so openid-client did not run"
    exit 0
fi
if ! cmp -s "$peers/openid/requirements.txt" "$tools/python/requirements.txt"; then
    rm -rf "$tools/python"
    if ! { python3 -m venv "$tools/python" && "$tools/python/bin/pip" install -q --disable-pip-version-check -r "$peers/openid/requirements.txt"; }; then
        rm -rf "$tools/python"
        echo "SKIPPED: Python or PyPI is out of reach, so Authlib did not run"
        exit 0
    fi
    cp "$peers/openid/requirements.txt" "$tools/python/requirements.txt"
fi
peers=$(cd "$peers" && pwd)
. "$peers/sandbox.sh"
node "$tools/client.mjs" "$BASE" "$FOLDER"
"$tools/python/bin/python" "$peers/openid/client.py" "$BASE" "$FOLDER"
