#!/usr/bin/env bash
# Builds the images of packaging/container with buildah, and runs the quick start in each. The
# Debian packages are taken from folder $1 (default: out/packages).
#
# BASE=IMAGE replaces the Containerfile's base. The test skips if buildah is missing or the base
# image cannot be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "${1:-$here/../../out/packages}" && pwd)
export BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot} STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}
base=${BASE:-docker.io/library/debian:bookworm-slim}
skip() { echo "skipped: $1"; exit 77; }
command -v buildah >/dev/null || skip "buildah is not installed"
container=$(buildah from "$base" 2>/dev/null) || skip "no base image $base (BASE=IMAGE names another)"
buildah rm "$container" >/dev/null

for package in warpseq warpseq-cuda; do
    compgen -G "$folder/${package}_*.deb" >/dev/null || { echo "skipped: no package $package was made"; continue; }
    echo "== an image with $package"
    buildah bud --build-arg BASE="$base" --build-arg PACKAGE=$package -t warpseq-test:$package -f "$here/../../packaging/container/Containerfile" "$folder"
    container=$(buildah from warpseq-test:$package)
    trap 'buildah rm "$container" >/dev/null; buildah rmi warpseq-test:$package >/dev/null' EXIT
    buildah run -v "$here/..:/tests:ro" "$container" sh /tests/package/quick_start.sh /data/work /tests/golden/hmm/every-field-3f.hmm
    buildah run "$container" sh -c '[ "$(command -v hmmsearch)" = /usr/libexec/warpseq/dropin/hmmsearch ] && ps --version'
    buildah rm "$container" >/dev/null
    buildah rmi warpseq-test:$package >/dev/null
    trap - EXIT
done
