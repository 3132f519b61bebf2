# Starts a sandbox for a peer: sets BASE, FOLDER (of the secret files) and a trap that ends it. Sourced, not run.
work=$(mktemp -d)
sandbox_pid=
finish() {
    [ -n "$sandbox_pid" ] && kill -INT "$sandbox_pid" 2>/dev/null && wait "$sandbox_pid" 2>/dev/null
    cd / && rm -rf "$work"
}
trap finish EXIT INT TERM

cargo build -q -p platform-sandbox
"${CARGO_TARGET_DIR:-target}/debug/platform-sandbox" --contract-revision "${REVISION:-1}" >"$work/out" 2>"$work/err" &
sandbox_pid=$!
for _ in $(seq 100); do
    grep -q '^export PLATFORM_CLIENT_ID' "$work/out" && break
    kill -0 "$sandbox_pid" 2>/dev/null || { cat "$work/err"; exit 1; }
    sleep 0.1
done
BASE=$(awk '/^base URL/ { print $3 }' "$work/out")
FOLDER=$(dirname "$(awk '$1 == "client" { print $NF; exit }' "$work/out")")
export BASE FOLDER
