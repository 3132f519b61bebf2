#!/bin/sh
# Builds the programs of a release, one for each target, into target/release-files/TARGET. Without targets, it builds all of
# targets.txt. `cargo-zigbuild` and `ziglang` of PyPI link for other systems; they are installed below target/, in the versions of
# requirements.txt. The programs for Linux are static.
#
#   sandbox/engine/release/build.sh x86_64-unknown-linux-musl
#   sandbox/engine/release/pack.py target/release-files target/packages
set -eu
cd "$(dirname "$0")/../../.."
release=sandbox/engine/release
mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
tools=$target/release-tools
if ! cmp -s "$release/requirements.txt" "$tools/requirements.txt"; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install -q --disable-pip-version-check -r "$release/requirements.txt"
    cp "$release/requirements.txt" "$tools"
fi
PATH=$tools/bin:$PATH
# Small programs: a wrapper reads all of its program before each start.
export CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_PROFILE_RELEASE_LTO=thin CARGO_PROFILE_RELEASE_PANIC=unwind
if [ $# = 0 ]; then
    # shellcheck disable=SC2046
    set -- $(grep -v '^#' "$release/targets.txt" | cut -d' ' -f1)
fi
# The folder of the state in the image, which belongs to its user.
mkdir -p "$target/release-files/data"
for triple; do
    rustup target add "$triple"
    cargo zigbuild --locked --release -p driftless-sandbox --bin driftless-sandbox --target "$triple"
    mkdir -p "$target/release-files/$triple"
    for program in driftless-sandbox driftless-sandbox.exe; do
        [ ! -f "$target/$triple/release/$program" ] || cp "$target/$triple/release/$program" "$target/release-files/$triple/"
    done
done
