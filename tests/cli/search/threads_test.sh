#!/usr/bin/env bash
# Small runs of every program print the same with several threads as with one. Under the thread
# sanitizer, a race ends a program.
. "$(dirname "$0")/../../support/checks.sh"
golden=$(realpath "$(dirname "$0")/../../golden")
cd "$work" || exit 1
export TSAN_OPTIONS="halt_on_error=1 ${TSAN_OPTIONS:-}"

awk "$random_awk"'BEGIN { start_random(11); s = "ACDEFGHIKLMNPQRSTVWY"; for (n = 1; n <= 120; ++n) { printf ">r%d number %d\n", n, n; t = n % 7 == 0 ? f : "";
             for (i = 1 + int(random() * n * 2); i > 0; --i) t = t substr(s, 1 + int(random() * 20), 1);
             if (n == 50) f = t; print t } }' >db.fa
awk '/^>/ { n++ } n == 50 || n == 70 || n == 77 || n == 90' db.fa >q.fa
awk "$random_awk"'BEGIN { start_random(12); for (p = 1; p <= 2; ++p) { printf ">d%d\n", p; for (i = 0; i < 1500; ++i) printf "%s", substr("ACGT", 1 + int(random() * 4), 1);
             print "" } }' >dna.fa
awk 'NR <= 2' dna.fa >a.fa
awk 'NR > 2' dna.fa >b.fa

# same_with_threads OUTPUT PROGRAM ARGUMENTS...: requires that OUTPUT, a file or - for standard
# output, is the same with 1 and with 3 threads.
same_with_threads() {
    local output=$1 threads
    shift
    for threads in 1 3; do
        runs 0 "$@" --threads "$threads"
        if [ "$output" = - ]; then cp .out "$threads.txt"; else mv "$output" "$threads.txt"; fi
    done
    [ -s 1.txt ] || fail 'nothing is printed'
    same 1.txt 3.txt
}

same_with_threads out.wsdb dbconv db.fa -o out.wsdb --quiet
same_with_threads out.wsdb dbconv db.fa -o out.wsdb --quiet --codec zstd --memory 100M
cp 3.txt zstd.wsdb
runs 0 dbconv db.fa -o packed.wsdb --quiet
same_with_threads - inspect validate zstd.wsdb
for database in packed.wsdb zstd.wsdb; do
    same_with_threads - search sw -q q.fa -d $database --device cpu --quiet --chunk-size 4K
    same_with_threads - search hmm -q q.fa -d $database --device cpu --quiet
    same_with_threads - search jackhmmer -q q.fa -d $database --device cpu --quiet --incE 10 --incdomE 10
    same_with_threads - search hmm -q "$golden/hmm/every-field-3f.hmm" -d $database --device cpu --quiet --max
    same_with_threads - search blastp --query q.fa --db $database --device cpu --quiet
done
same_with_threads - search sw -q q.fa -d zstd.wsdb --device cpu --quiet --comp-stats 2
same_with_threads - search pair a.fa b.fa --device cpu --quiet
same_with_threads - search pair q.fa db.fa --all-pairs --device cpu --quiet
same_with_threads - search pair a.fa b.fa --device cpu --quiet --global --strand both
