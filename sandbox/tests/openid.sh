#!/bin/sh
# Tests the issuer of both sandboxes with independent OpenID Connect clients: npm openid-client, which is certified, and Authlib from
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

# The sandbox of a contract accepts every secret, and is the issuer at the address that the contract declares.
[ -n "${PROGRAMS_BUILT:-}" ] || cargo build -q --workspace --all-features --bin driftless-sandbox
"${CARGO_TARGET_DIR:-target}/debug/driftless-sandbox" --contract "$peers/openid/contract.json" >"$work/engine" 2>"$work/err" &
engine_pid=$!
finish_both() {
    kill -INT "$engine_pid" 2>/dev/null && wait "$engine_pid" 2>/dev/null
    finish
}
trap finish_both EXIT INT TERM
for _ in $(seq 600); do
    grep -q listening "$work/engine" && break
    kill -0 "$engine_pid" 2>/dev/null || { cat "$work/err"; exit 1; }
    sleep 0.1
done
BASE=$(sed -n 's/^listening on //p' "$work/engine")
mkdir "$work/any"
for name in aurora-dashboard.secret ada.password; do
    printf any >"$work/any/$name"
done
echo 'the sandbox of a contract:'
node "$tools/client.mjs" "$BASE" "$work/any"
"$tools/python/bin/python" "$peers/openid/client.py" "$BASE" "$work/any"
