#!/usr/bin/env bash
# Measures what the cores add to the GPUs. Compares `--device cuda` with `--device cuda+cpu`, in
# turns, and checks that both give the same bytes.
#
#   bench/cores_beside_gpus.sh BUILD_BIN QUERIES.fasta PROFILES.hmm [RESIDUES] [ROUNDS]
#
# BUILD_BIN is build/portable/bin. The machine needs only a driver. The script makes a synthetic
# database of RESIDUES (default: four billion). Files may be compressed by gzip. Prints the median
# of ROUNDS (default: five) whole runs in seconds, and the host's share of the cells.
set -euo pipefail
bin=$(cd "$1" && pwd) queries=$(realpath "$2") profiles=$(realpath "$3") residues=${4:-4000000000} rounds=${5:-5}
work=$(mktemp -d "${TMPDIR:-/tmp}/warpseq-cores-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sed 's/^/GPU: /'
echo "host cores: $(nproc)"
gzip -dcf "$queries" >queries.fa
gzip -dcf "$profiles" >profiles.hmm
awk '/^>/ { ++n } n == 1' queries.fa >one.fa
awk '/^HMMER3/ { ++n } n == 1' profiles.hmm >one.hmm
"$bin/warpseq-synth" --residues "$residues" --seed 1 --query queries.fa --homologs 20 --out synthetic.fa
"$bin/dbconv" synthetic.fa -o synthetic.wsdb --quiet
rm synthetic.fa

# compare NAME ENGINE ARGUMENTS...: runs both devices in turns, after one run that does not count.
compare() {
    local name=$1 device round begin
    shift
    rm -f cuda.times cuda+cpu.times
    for ((round = 0; round <= rounds; ++round)); do
        for device in cuda cuda+cpu; do
            begin=${EPOCHREALTIME//./}
            "$bin/search" "$@" -d synthetic.wsdb --device "$device" --stats >"$device.out" 2>"$device.stats" || { cat "$device.stats" >&2; exit 1; }
            [ "$round" -eq 0 ] || echo $((${EPOCHREALTIME//./} - begin)) >>"$device.times"
        done
        cmp cuda.out cuda+cpu.out
    done
    median() { sort -n "$1.times" | awk '{ of[NR] = $1 } END { printf "%.2f", of[int((NR + 1) / 2)] / 1e6 }'; }
    printf '| %s | %s | %s | %s |\n' "$name" "$(median cuda)" "$(median cuda+cpu)" "$(sed -n 's/^ *cells on the CPU  *//p' cuda+cpu.stats)"
}
printf '| search | cuda, s | cuda+cpu, s | cells on the CPU |\n| --- | --- | --- | --- |\n'
compare 'sw, one query' sw --outfmt 6 -q one.fa
compare 'sw, all queries' sw --outfmt 6 -q queries.fa
compare 'hmm, one profile' hmm --outfmt 6 -q one.hmm
compare 'hmm, all profiles' hmm --outfmt 6 -q profiles.hmm
compare 'blastp, all queries' blastp --outfmt 6 -q queries.fa
echo 'every report is the same, byte for byte'
