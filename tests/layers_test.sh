#!/usr/bin/env bash
# Checks the includes and some habits of all folders: layers include only lower layers
# (docs/tour.md). A folder's files may include headers of the folders named beside it, and of no
# other folder of the tree.
set -euo pipefail
cd "$(dirname "$0")/.."
failed=0
check() { # FOLDER MAY_INCLUDE...
    local allowed
    allowed=$(printf '|%s' "$@")
    local found
    found=$(grep -rnE --include='*.h' --include='*.cuh' --include='*.cpp' --include='*.cu' '^#include "' "$1" |
        grep -vE "#include \"(${allowed:1})[/\"]" || true)
    if [ -n "$found" ]; then
        printf '%s includes what it may not:\n%s\n' "$1" "$found"
        failed=1
    fi
    [ "$(find "$1" -name '*.h' | wc -l)" -gt 0 ] || { echo "no headers in $1"; failed=1; }
}
check libcore
check kernels libcore
check formats libcore
check engines kernels formats libcore
check reports engines kernels formats libcore
check options reports engines kernels formats libcore
check apps options reports engines kernels formats libcore
check bindings bindings options reports engines kernels formats libcore
check bindings/searches bindings/searches options reports engines kernels formats libcore

# The folders inside layers.
check libcore/base libcore/base
check libcore/sequence libcore/base libcore/sequence
check libcore/scoring libcore/base libcore/sequence libcore/scoring
check libcore/statistics libcore/base libcore/sequence libcore/scoring libcore/statistics
check formats/io libcore formats/io
check formats/fasta libcore formats/io formats/fasta
check formats/taxonomy libcore formats/io formats/fasta formats/taxonomy
check formats/alignments libcore formats/io formats/fasta formats/alignments
check formats/sequences libcore formats/io formats/fasta formats/alignments formats/sequences
check formats/profiles libcore formats/io formats/alignments formats/sequences formats/profiles
check formats/blast libcore formats/io formats/fasta formats/taxonomy formats/blast
check kernels/simd libcore kernels/simd
check kernels/gpu libcore kernels/gpu
check engines/targets formats kernels libcore engines/targets
check engines/devices formats kernels libcore engines/devices engines/targets engines/search_control.h

# Host files must not include CUDA headers, because a machine without the toolkit builds them too.
found=$(grep -rnlE --include='*.h' --include='*.cpp' '#include <(cuda|cub|thrust)' libcore kernels formats engines reports options apps bindings || true)
if [ -n "$found" ]; then
    printf 'CUDA headers in host files:\n%s\n' "$found"
    failed=1
fi
# The fuzz targets are compiled by Clang, and Clang 14 compiles neither libstdc++'s views nor the
# algorithms that return a std::ranges::subrange.
found=$(grep -rnE --include='*.h' --include='*.cpp' 'std::(views::|ranges::(subrange|unique|remove|remove_if|partition|stable_partition|equal_range|rotate|search|search_n|find_end)\b)' libcore kernels formats engines reports options apps bindings/searches tests || true)
if [ -n "$found" ]; then
    printf 'Clang 14 does not compile these lines:\n%s\n' "$found"
    failed=1
fi
# Libraries give advice without option names (libcore/base/status.h). Only programs and options/
# know how options are spelled. --domZ is part of HMMER's report, and --long is an option of zstd.
found=$(grep -rnE --include='*.h' --include='*.cuh' --include='*.cpp' --include='*.cu' '"[^"]*--[a-z]' libcore kernels formats engines reports |
    grep -vE 'as set by --domZ on cmdline|again without --long' || true)
if [ -n "$found" ]; then
    printf 'libraries that name options:\n%s\n' "$found"
    failed=1
fi
exit $failed
