#!/usr/bin/env bash
# Checks that the tarballs of folder $1 (default: out/packages) work wherever they are unpacked.
# Runs the quick start with each one, in a folder of its own.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../out/packages}
mapfile -t tarballs < <(compgen -G "$folder/*.tar.gz" || true)
[ ${#tarballs[@]} -gt 0 ] || { echo "$folder: no tarball; make package makes one" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/warpseq-tarball-XXXXXX")
trap 'rm -rf "$work"' EXIT
for tarball in "${tarballs[@]}"; do
    name=$(basename "$tarball" .tar.gz)
    echo "== quick start with $name"
    mkdir "$work/$name.place"
    tar -xzf "$tarball" -C "$work/$name.place"
    cd "$work/$name.place"
    [ "$(ls)" = "$name" ] || { echo "FAILED: it holds $(ls), not one folder $name"; exit 1; }
    # The program may need no library of the machine other than the C library of 2.34.
    cmake -D PROGRAM="$name/bin/warpseq" -P "$here/check_static.cmake" || { echo "FAILED: it needs more"; exit 1; }
    PATH=$work/$name.place/$name/bin:$PATH sh "$here/quick_start.sh" "$work/$name.work" "$here/../golden/hmm/every-field-3f.hmm"
    for file in share/man/man1/warpseq.1 share/doc/warpseq/LICENSE share/doc/warpseq/copyright share/doc/warpseq/README.md \
        share/bash-completion/completions/warpseq share/zsh/site-functions/_warpseq share/fish/vendor_completions.d/warpseq.fish; do
        [ -s "$name/$file" ] || { echo "FAILED: $file is not in it"; exit 1; }
    done
done
