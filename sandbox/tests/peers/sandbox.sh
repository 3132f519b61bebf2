# Starts a sandbox for a peer or a sample: sets BASE, FOLDER (of the secret files), `work`, in which `sandbox.json` is the line
# that it prints, and a trap that ends it. Sourced, not run, from the root of the repository.
work=$(mktemp -d)
sandbox_pid=
finish() {
    [ -n "$sandbox_pid" ] && kill -INT "$sandbox_pid" 2>/dev/null && wait "$sandbox_pid" 2>/dev/null
    cd / && rm -rf "$work"
}
trap finish EXIT INT TERM

# With the features that the tests enable, so that its libraries are compiled once for both.
[ -n "${PROGRAMS_BUILT:-}" ] || cargo build -q --workspace --all-features --bin platform-sandbox
"${CARGO_TARGET_DIR:-target}/debug/platform-sandbox" --json --contract-revision "${REVISION:-1}" >"$work/sandbox.json" 2>"$work/err" &
sandbox_pid=$!
for _ in $(seq 600); do
    grep -q '}$' "$work/sandbox.json" && break
    kill -0 "$sandbox_pid" 2>/dev/null || { cat "$work/err"; exit 1; }
    sleep 0.1
done
# Prints the first value of a member of that line, such as `base_url`.
said() {
    grep -o "\"$1\":\"[^\"]*\"" "$work/sandbox.json" | head -n 1 | cut -d'"' -f4
}
BASE=$(said base_url)
FOLDER=$(dirname "$(said secret_file)")
export BASE FOLDER
