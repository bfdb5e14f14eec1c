#!/usr/bin/env bash
# The whole table of `search sw` on GPUs, from a portable build, on a machine that needs nothing but a driver:
#
#   bench/gpu_table.sh BUILD_BIN QUERIES.fasta [REAL.fasta[.gz]]
#
# BUILD_BIN is build/portable/bin, QUERIES.fasta a set of query proteins (CUDASW++'s twenty, in docs/performance.md), REAL.fasta a
# real database for start-up times. A synthetic database of 200 million residues with Swiss-Prot's lengths and composition is
# made on the spot. Prints Markdown.
set -euo pipefail
bin=$(cd "$1" && pwd)
queries=$(realpath "$2")
real=${3:+$(realpath "$3")}
work=$(mktemp -d "${TMPDIR:-/tmp}/warpseq-gpu-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader | sed 's/^/GPU: /'
gpus=$(nvidia-smi --list-gpus | wc -l)
echo "host cores: $(nproc)"
"$bin/warpseq-synth" --residues 200000000 --seed 1 --query "$queries" --homologs 20 --out synthetic.fa
"$bin/dbconv" synthetic.fa -o synthetic.wsdb --quiet
"$bin/dbconv" synthetic.fa -o zstd.wsdb --codec zstd --quiet
rm synthetic.fa

printf '\n## Kernel, resident database\n\n'
"$bin/warpseq-gpu-bench" synthetic.wsdb "$queries"

# run NAME ARGUMENTS...: the median of three whole runs, with what --stats says of that run; the output goes to NAME.out.
run() {
    local name=$1 i start end
    shift
    for i in 1 2 3; do
        start=$(date +%s%N)
        "$bin/search" sw --outfmt 6 --stats "$@" >"$name.out" 2>"$name.stats.$i" || { cat "$name.stats.$i" >&2; exit 1; }
        end=$(date +%s%N)
        echo "$((end - start)) $i"
    done | sort -n >"$name.times"
    read -r ns i < <(sed -n 2p "$name.times")
    field() { sed -n "s/^ *$1 *//p" "$name.stats.$i" | sed 's/ over all.*//; s/ (alignments.*//' | head -1; }
    awk -v ns="$ns" -v name="$name" -v open="$(field 'seconds to open')" -v score="$(field 'seconds to score')" \
        -v report="$(field 'seconds to report')" -v kernels="$(field 'in GPU kernels')" -v copy="$(field copying)" \
        -v uploaded="$(field 'copied to the GPU')" -v again="$(field 'again on the host')" \
        'BEGIN { printf "| %s | %.3f | %s | %s | %s | %s | %s | %s | %s |\n", name, ns / 1e9, open, score, kernels, copy, report, uploaded, again }'
}

printf '\n## Whole program, seconds (median of three)\n\n'
printf '| run | wall | open | score | in kernels, over lines | copying, over lines | report | copied | again on the host |\n'
printf '| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n'
awk '/^>/ {++n} n == 4' "$queries" >one.fa
if [ -n "$real" ]; then
    "$bin/dbconv" "$real" -o real.wsdb --quiet
    run one-query-real-database -q one.fa -d real.wsdb --device cuda:0
fi
run one-query -q one.fa -d synthetic.wsdb --device cuda:0
run all-queries -q "$queries" -d synthetic.wsdb --device cuda:0
cp all-queries.out reference.out
packed=$(stat -c %s synthetic.wsdb)
run a-tenth-of-device-memory -q "$queries" -d synthetic.wsdb --device cuda:0 --device-memory $((packed / 10))
cmp reference.out a-tenth-of-device-memory.out
run zstd -q "$queries" -d zstd.wsdb --device cuda:0
cmp reference.out zstd.out
for count in 2 4 8; do
    [ "$count" -le "$gpus" ] || continue
    run "$count-gpus" -q "$queries" -d synthetic.wsdb --device "cuda:$(seq -s, 0 $((count - 1)))"
    cmp reference.out "$count-gpus.out"
done
cat "$queries" "$queries" "$queries" "$queries" >many.fa
run four-times-all -q many.fa -d synthetic.wsdb --device cuda:0
for count in 2 4 8; do
    [ "$count" -le "$gpus" ] || continue
    run "four-times-all-$count-gpus" -q many.fa -d synthetic.wsdb --device "cuda:$(seq -s, 0 $((count - 1)))"
    cmp four-times-all.out "four-times-all-$count-gpus.out"
done
printf '\nevery report is the same, byte for byte\n'
