#!/usr/bin/env bash
# Tests that examples/cluster/Snakefile makes the report of one search, even if it is stopped in the
# middle and started again. The test is run by hand. It needs Snakemake (from PyPI) in PATH.
#
#   snakemake_test.sh BUILD/bin
. "$(dirname "$0")/../support/checks.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
needs_programs snakemake
cd "$work" || exit 1

awk "$random_awk"'BEGIN { start_random(3); letters = "ACDEFGHIKLMNPQRSTVWY"
    for (n = 1; n <= 3000; ++n) { printf ">p%d\n", n; for (i = 0; i < 250; ++i) printf "%s", substr(letters, 1 + int(random() * 20), 1); print "" } }' >db.fa
awk '/^>/ {++n} n % 40 == 0' db.fa >q.fa
runs 0 dbconv db.fa -o db.wsdb --quiet
search='sw -q q.fa -d db.wsdb --outfmt 6'
runs 0 search $search --quiet
cp .out whole

export PATH=$programs:$PATH
make_report() { snakemake --quiet all -s "$root/examples/cluster/Snakefile" --cores 2 --config parts=6 search="$search" report=merged "$@"; }
last_command='snakemake, stopped'
snakemake --quiet all -s "$root/examples/cluster/Snakefile" --cores 1 --config parts=6 search="$search" report=merged >.out 2>.err &
for _ in $(seq 600); do
    [ -z "$(find merged.parts -name '*.wspart' 2>/dev/null)" ] || break
    sleep 0.05
done
kill -TERM $!
wait
absent merged
last_command='snakemake, again'
make_report --rerun-incomplete >.out 2>.err || { make_report --unlock >.out 2>.err; make_report --rerun-incomplete >.out 2>.err; } || fail 'snakemake fails'
same whole merged
echo "6 parts by Snakemake, one report: the same bytes"
