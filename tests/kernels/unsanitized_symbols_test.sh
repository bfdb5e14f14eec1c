#!/usr/bin/env bash
# Checks that units compiled without sanitizers share no inline function or variable with sanitized
# ones. The linker keeps one copy of each, which could be the one without checks. Every symbol that
# they share with another unit names their instruction set.
#
#   unsanitized_symbols_test.sh OBJECT[;OBJECT]...
#
# The arguments are all objects of the targets that have such units.
set -euo pipefail
units=0 symbols=0
IFS=';' read -ra objects <<<"$(IFS=';'; echo "$*")"
for object in "${objects[@]}"; do
    for set in sse41 avx2 avx512; do
        case $object in *_$set.cpp.o) ;; *) continue ;; esac
        units=$((units + 1))
        if nm "$object" | grep -q '__asan_\|__ubsan_'; then echo "$object is sanitized"; exit 1; fi
        # The linker keeps one copy of each symbol of the types W, V and u.
        shared=$(nm -C --defined-only "$object" | awk '$2 ~ /^[WVu]$/')
        symbols=$((symbols + $(wc -l <<<"$shared")))
        foreign=$(grep -viE "simd::(.*[^a-z])?$set" <<<"$shared" || true)
        [ -z "$foreign" ] || { printf '%s shares with other units:\n%s\n' "$object" "$foreign"; exit 1; }
    done
done
[ "$units" -eq 6 ] || { echo "expected three units of kernels and three of tests, found $units"; exit 1; }
[ "$symbols" -gt 100 ] || { echo "only $symbols symbols were looked at"; exit 1; }
echo "$units units, $symbols symbols that others could share: all of their own instruction set"
