#!/bin/sh
# Tests sandbox/Containerfile: builds the image if Podman or Docker runs and gets the base images, and always runs each step of
# the file in a scratch folder, so that a step that no longer works is an error.
set -eu
cd "$(dirname "$0")/../.."
# Podman uses the OCI format by default, which has no health check.
export BUILDAH_FORMAT=docker
for builder in podman docker; do
    "$builder" info >/dev/null 2>&1 || continue
    if grep '^FROM' sandbox/Containerfile | cut -d' ' -f2 | xargs -n1 "$builder" pull -q >/dev/null; then
        "$builder" build -q -f sandbox/Containerfile -t platform-sandbox .
        "$builder" run --rm platform-sandbox --version
        break
    fi
    echo "LEFT OUT: $builder does not get the base images"
done
python3 -B sandbox/tests/peers/image.py
