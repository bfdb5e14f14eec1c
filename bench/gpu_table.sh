#!/usr/bin/env bash
# Prints the tables of `search sw` and `search hmm` on GPUs, from a portable build, on a machine
# that needs only a driver:
#
#   bench/gpu_table.sh BUILD_BIN [--queries QUERIES.fasta] [--profiles PROFILES.hmm]
#                      [--lengths LENGTHS.hmm] [--real REAL.fasta]
#
# BUILD_BIN is build/portable/bin. QUERIES.fasta is a set of query proteins (CUDASW++'s twenty, in
# docs/performance.md). With it the script prints the Smith-Waterman tables. PROFILES.hmm is a set
# of profiles like Pfam's. With it the script prints the profile tables. The first profile is
# searched alone, too, and LENGTHS.hmm has models for kernel times. REAL.fasta is a real database,
# for start-up times of `search sw` and as a part of the targets of `search hmm`. All files may be
# compressed by gzip. The script makes a synthetic database of 200 million residues with
# Swiss-Prot's lengths and composition. It prints Markdown. Every report must be the same on every
# device.
set -euo pipefail
bin=$(cd "$1" && pwd)
shift
queries= profiles= lengths= real=
while [ $# -gt 0 ]; do
    case $1 in
        --queries) queries=$(realpath "$2") ;;
        --profiles) profiles=$(realpath "$2") ;;
        --lengths) lengths=$(realpath "$2") ;;
        --real) real=$(realpath "$2") ;;
        *) echo "gpu_table.sh: unknown argument $1" >&2; exit 2 ;;
    esac
    shift 2
done
work=$(mktemp -d "${TMPDIR:-/tmp}/warpseq-gpu-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader | sed 's/^/GPU: /'
gpus=$(nvidia-smi --list-gpus | wc -l)
echo "host cores: $(nproc)"
"$bin/warpseq-synth" --residues 200000000 --seed 1 ${queries:+--query "$queries" --homologs 20} --out synthetic.fa
"$bin/dbconv" synthetic.fa -o synthetic.wsdb --quiet
"$bin/dbconv" synthetic.fa -o zstd.wsdb --codec zstd --quiet

# run NAME COMMAND ARGUMENTS...: takes the median of three whole runs. The output goes to NAME.out.
# The median run's text from --stats goes to NAME.stats, and its seconds go to NAME.seconds.
run() {
    local name=$1 i start end
    shift
    for i in 1 2 3; do
        start=$(date +%s%N)
        "$bin/search" "$@" --stats >"$name.out" 2>"$name.stats.$i" || { cat "$name.stats.$i" >&2; exit 1; }
        end=$(date +%s%N)
        echo "$((end - start)) $i"
    done | sort -n >"$name.times"
    local ns
    read -r ns i < <(sed -n 2p "$name.times")
    mv "$name.stats.$i" "$name.stats"
    awk -v ns="$ns" 'BEGIN { printf "%.3f", ns / 1e9 }' >"$name.seconds"
}
# row NAME FIELD...: prints the run's wall time, then the value of each field in its --stats.
row() {
    local name=$1 field
    shift
    printf '| %s | %s |' "$name" "$(cat "$name.seconds")"
    for field in "$@"; do
        printf ' %s |' "$(sed -n "s/^ *$field  *//p" "$name.stats" | sed 's/ over all.*//; s/ (alignments.*//' | head -1)"
    done
    printf '\n'
}
header() {
    local field
    for field in "$@"; do printf '| %s ' "$field"; done
    printf '|\n'
    for field in "$@"; do printf '| --- '; done
    printf '|\n'
}

sw_tables() {
    printf '\n## Smith-Waterman: kernel, resident database\n\n'
    "$bin/warpseq-gpu-bench" synthetic.wsdb "$queries"
    printf '\n## Smith-Waterman: whole program, seconds (median of three)\n\n'
    local fields=('seconds to open' 'seconds to score' 'in GPU kernels' 'copying' 'seconds to report' 'copied to the GPU' 'again on the host')
    header run wall "${fields[@]}"
    sw() {
        local name=$1
        shift
        run "$name" sw --outfmt 6 "$@"
        row "$name" "${fields[@]}"
    }
    gzip -dcf "$queries" | awk '/^>/ {++n} n == 4' >one.fa
    if [ -n "$real" ]; then
        "$bin/dbconv" "$real" -o real.wsdb --quiet
        sw one-query-real-database -q one.fa -d real.wsdb --device cuda:0
    fi
    sw one-query -q one.fa -d synthetic.wsdb --device cuda:0
    sw all-queries -q "$queries" -d synthetic.wsdb --device cuda:0
    sw a-tenth-of-device-memory -q "$queries" -d synthetic.wsdb --device cuda:0 --device-memory $(($(stat -c %s synthetic.wsdb) / 10))
    sw zstd -q "$queries" -d zstd.wsdb --device cuda:0
    for name in a-tenth-of-device-memory zstd; do cmp all-queries.out "$name.out"; done
    for count in 2 4 8; do
        [ "$count" -le "$gpus" ] || continue
        sw "$count-gpus" -q "$queries" -d synthetic.wsdb --device "cuda:$(seq -s, 0 $((count - 1)))"
        cmp all-queries.out "$count-gpus.out"
    done
    for _ in 1 2 3 4; do gzip -dcf "$queries"; done >many.fa
    sw four-times-all -q many.fa -d synthetic.wsdb --device cuda:0
    for count in 2 4 8; do
        [ "$count" -le "$gpus" ] || continue
        sw "four-times-all-$count-gpus" -q many.fa -d synthetic.wsdb --device "cuda:$(seq -s, 0 $((count - 1)))"
        cmp four-times-all.out "four-times-all-$count-gpus.out"
    done
}

hmm_tables() {
    if [ -n "$lengths" ]; then
        printf '\n## Profile HMMs: kernels, resident database\n\n'
        "$bin/warpseq-hmm-gpu-bench" synthetic.wsdb "$lengths"
    fi
    printf '\n## Profile HMMs: whole program, seconds (median of three)\n\n'
    local fields=('seconds to open' 'seconds to filter' 'device busy' 'waiting for GPUs' 'in Forward and on' 'to name hits' 'to report' 'copied to the GPU'
        'pairs to the host')
    header run wall "${fields[@]}"
    hmm() {
        local name=$1
        shift
        run "$name" hmm --tblout "$name.tbl" --domtblout "$name.dom" "$@"
        # Lines that name the device or the machine are not results.
        grep -v '^#' "$name.out" >"$name.report"
        grep -v '^#' "$name.dom" >>"$name.report"
        row "$name" "${fields[@]}"
    }
    "$bin/dbconv" synthetic.fa ${real:+"$real"} -o targets.wsdb --quiet
    gzip -dcf "$profiles" | awk '/^HMMER3/ {++n} n == 1' >one.hmm
    hmm one-profile -q one.hmm -d targets.wsdb --device cuda:0
    hmm all-profiles -q "$profiles" -d targets.wsdb --device cuda:0
    hmm a-tenth-of-device-memory -q "$profiles" -d targets.wsdb --device cuda:0 --device-memory $(($(stat -c %s targets.wsdb) / 10))
    hmm cpu -q "$profiles" -d targets.wsdb --device cpu
    for name in a-tenth-of-device-memory cpu; do cmp all-profiles.report "$name.report"; done
    for count in 2 4 8; do
        [ "$count" -le "$gpus" ] || continue
        hmm "$count-gpus" -q "$profiles" -d targets.wsdb --device "cuda:$(seq -s, 0 $((count - 1)))"
        cmp all-profiles.report "$count-gpus.report"
    done
}

[ -z "$queries" ] || sw_tables
[ -z "$profiles" ] || hmm_tables
printf '\nevery report is the same, byte for byte\n'
