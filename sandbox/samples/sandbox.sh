# Starts a sandbox for a sample: `$work/sandbox.json` is the line that it prints, and a trap ends it. Sourced, not run.
work=$(mktemp -d)
sandbox_pid=
finish() {
    [ -n "$sandbox_pid" ] && kill -INT "$sandbox_pid" 2>/dev/null && wait "$sandbox_pid" 2>/dev/null
    cd / && rm -rf "$work"
}
trap finish EXIT INT TERM

cargo build -q -p platform-sandbox
"${CARGO_TARGET_DIR:-target}/debug/platform-sandbox" --json >"$work/sandbox.json" 2>"$work/err" &
sandbox_pid=$!
for _ in $(seq 300); do
    grep -q '}$' "$work/sandbox.json" && break
    kill -0 "$sandbox_pid" 2>/dev/null || { cat "$work/err"; exit 1; }
    sleep 0.1
done
# The address of a name in that line, such as `base_url`.
address() {
    sed 's/.*"'"$1"'":"\([^"]*\)".*/\1/' "$work/sandbox.json"
}
