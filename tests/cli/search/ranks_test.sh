#!/usr/bin/env bash
# search-mpi under mpirun gives the report of search, byte for byte, with any number of ranks. An
# error of one rank is reported once and ends the job with its status. A rank that dies ends the
# job, too. The test needs Debian's openmpi-bin (tools/setup check installs it) and is skipped
# without it.
. "$(dirname "$0")/../../support/checks.sh"
data=$(cd "$(dirname "$0")/../../reference" && pwd)/blastp_data.awk
cd "$work" || exit 1
[ -e "$programs/search-mpi" ] || skip_test 'search-mpi is not built'
needs_programs mpirun
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

awk "$random_awk$(cat "$data")" || fail 'no data'
cp db.fa first.fa
cat long.fa >>first.fa
awk '/^>/ {++n} n % 3 == 1 {sub(/^>/, ">other"); print}' db.fa >second.fa
for name in first second; do runs 0 dbconv $name.fa -o $name.wsdb --quiet; done
awk '/^>/ {++n} n <= 4' queries.fa >few.fa
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sed "s/^>/>$i/" queries.fa; done >many.fa

# ranks N STATUS COMMAND...: runs search-mpi with N ranks, which has to exit with STATUS.
ranks() {
    local n=$1 expected=$2 status=0
    shift 2
    last_command="$n ranks: $*"
    timeout 120 mpirun -np "$n" "$programs/search-mpi" "$@" >.out 2>.err </dev/null || status=$?
    [ "$status" -eq "$expected" ] || fail "exit status $status, expected $expected"
}
same_by_ranks() {
    local n
    runs 0 search "$@" --quiet
    cp .out whole
    [ -s whole ] || fail 'the whole report is empty'
    for n in $(thorough && echo 1 2) 3 $(thorough && echo 5); do
        ranks $n 0 "$@" --threads 1 --quiet
        same .out whole
        silent
    done
}
both='-d first.wsdb -d second.wsdb'
same_by_ranks sw -q many.fa $both --outfmt 6 --max-hits 3
same_by_ranks sw -q few.fa -d first.wsdb --comp-stats 2 --outfmt json
same_by_ranks hmm -q few.fa $both
same_by_ranks hmm -q few.fa -d first.fa --max --noali -E 1000
same_by_ranks blastp -q many.fa $both --max_target_seqs 2 --outfmt 6
same_by_ranks blastp -q few.fa -d first.wsdb --comp-stats 3 --outfmt 15
# Pairs, in about ten pieces.
awk '/^>/ {if (residues > 12000) exit} {if (/^>/) {print; next} residues += length; print}' db.fa >some.fa
awk "$random_awk"'BEGIN {start_random(2); for (n = 0; n < 14; ++n) {s = ""; for (i = 0; i < 300 + 40 * n; ++i) s = s substr("ACGT", int(random() * 4) + 1, 1)
    print ">d" n "\n" s "\n>e" n "\n" substr(s, 150) substr(s, 1, 140)}}' >dna.fa
awk 'BEGIN {for (n = 0; n < 14; ++n) for (m = n; m < 14; ++m) print "d" n, "e" m}' >list
same_by_ranks pair some.fa some.fa --all-pairs --local --outfmt 6
same_by_ranks pair dna.fa dna.fa --all-pairs --all-local --strand both --outfmt json
runs 0 search pair dna.fa dna.fa --pairs list --strand both --outfmt sam --quiet --semiglobal --dotplot whole.svg
cp .out whole
ranks 3 0 pair dna.fa dna.fa --pairs list --strand both --outfmt sam --quiet --semiglobal --dotplot ranks.svg -o ranks.sam --threads 2
prints_nothing
same ranks.sam whole
same ranks.svg whole.svg
# Rank 0 writes the outputs, as whole files.
runs 0 search hmm -q few.fa -d first.wsdb --quiet -o whole.txt --tblout whole.tbl
ranks 3 0 hmm -q few.fa -d first.wsdb -o ranks.txt --tblout ranks.tbl --threads 1
prints_nothing
diff -I '^# per-seq' whole.txt ranks.txt >/dev/null || fail 'the report differs'
diff -I '^#' whole.tbl ranks.tbl >/dev/null || fail 'the table differs'

# Errors are reported once.
said_once() { [ "$(grep -c '^search-mpi' .err)" -eq 1 ] || fail 'the error is not reported once'; warns "$1"; }
ranks 3 1 sw -q absent -d first.wsdb
said_once 'absent: cannot be opened'
ranks 3 2 sw -q few.fa -d first.wsdb --evalu 1
said_once 'did you mean --evalue'
ranks 2 2 blast few.fa first.fa
said_once 'name an engine'
ranks 3 2 pair few.fa first.fa --checkpoint kept
said_once 'one pair of sequences cannot be divided'
ranks 2 1 pair few.fa absent --all-pairs
said_once 'absent: cannot be opened'
ranks 2 2 pair - few.fa --all-pairs
said_once 'standard input'
ranks 2 2 pair few.fa few.fa --all-pairs --part 0/2 --work-dir other
said_once 'search-mpi takes no --part'
# The rank that gets the last pair fails while the others align.
{ cat some.fa; echo '>long'; grep -v '>' first.fa | tr -d '\n' | head -c 9000; echo; } >mixed.fa
ranks 3 1 pair mixed.fa mixed.fa --all-pairs --gap-extend 200000 -o report --threads 1
said_once 'long and long: gaps in sequences'
absent report
# Rank 0 cannot keep the results that the others send.
ranks 3 1 pair some.fa some.fa --all-pairs --work-dir few.fa -o report --threads 1
said_once 'cannot make this folder'
absent report
ranks 3 1 sw -q few.fa -d first.wsdb -o nowhere/report
said_once 'nowhere/report: cannot create'
ranks 2 2 sw -q - -d first.wsdb
said_once 'standard input'
ranks 2 0 sw --help
[ "$(grep -c '^Usage' .out)" -eq 1 ] || fail 'the help is not printed once'
# Rank 1 has other queries, then other sequences or databases, and at last a damaged database. It
# finds the damage while the others search.
cat >other.sh <<'END'
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && cd elsewhere
exec "$@"
END
mkdir elsewhere
cp many.fa some.fa first.wsdb elsewhere
cp few.fa few.kept
head -2 few.fa >elsewhere/few.fa
last_command='other queries'
timeout 120 mpirun -np 3 bash other.sh "$programs/search-mpi" sw -q few.fa -d first.wsdb -o report >.out 2>.err </dev/null && fail 'other queries pass'
said_once 'rank 1 has other queries'
absent report
last_command='other sequences'
timeout 120 mpirun -np 3 bash other.sh "$programs/search-mpi" pair some.fa few.fa --all-pairs -o report >.out 2>.err </dev/null && fail 'other sequences pass'
said_once 'rank 1 has other queries'
absent report
cp few.kept elsewhere/few.fa
# A rank whose copy of the database is stored differently would cut different shares.
runs 0 dbconv first.fa -o elsewhere/first.wsdb --codec zstd --force --quiet
last_command='a database that is stored otherwise'
timeout 120 mpirun -np 3 bash other.sh "$programs/search-mpi" sw -q few.fa -d first.wsdb -o report >.out 2>.err </dev/null && fail 'another codec passes'
said_once 'rank 1 has databases stored differently from those of rank 0'
absent report
# The same sequences in another order, or with other taxa.
awk '/^>/ {++n} n == 1 {first = first $0 "\n"; next} 1; END {printf "%s", first}' first.fa >turned.fa
awk '/^>/ {sub(/^>/, ""); print $1, 9606 + 484 * (n++ % 2)}' first.fa >taxa
awk '{print $1, $2 == 9606 ? 10090 : 9606}' taxa >other-taxa
runs 0 dbconv turned.fa -o elsewhere/first.wsdb --force --quiet
last_command='another order'
timeout 120 mpirun -np 3 bash other.sh "$programs/search-mpi" sw -q few.fa -d first.wsdb -o report >.out 2>.err </dev/null && fail 'another order passes'
said_once 'rank 1 has other queries, options or databases'
runs 0 dbconv first.fa -o with-taxa.wsdb --taxid-map taxa --quiet
runs 0 dbconv first.fa -o elsewhere/with-taxa.wsdb --taxid-map other-taxa --quiet
last_command='other taxa'
timeout 120 mpirun -np 3 bash other.sh "$programs/search-mpi" sw -q few.fa -d with-taxa.wsdb --taxids 9606 -o report >.out 2>.err </dev/null && fail 'other taxa pass'
said_once 'rank 1 has other queries, options or databases'
absent report
cp first.wsdb elsewhere
# The tiles begin at byte 4,096.
for at in $(seq 4096 500 30000); do printf 'damage' | dd of=elsewhere/first.wsdb bs=1 seek=$at conv=notrunc 2>/dev/null; done
last_command='a damaged copy'
timeout 120 mpirun -np 3 bash other.sh "$programs/search-mpi" sw -q few.fa -d first.wsdb -o report >.out 2>.err </dev/null && fail 'damage passes'
said_once 'first.wsdb'
absent report

# A rank that dies ends the job.
cat >dies.sh <<'END'
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && { sleep "$MOMENT"; kill -KILL $$; } &
exec "$@"
END
export MOMENT=0.3
for i in 1 2 3 4 5 6 7 8; do cat many.fa many.fa; done | awk '/^>/ {++n; print ">" n; next} 1' >longer.fa
last_command='a rank that dies'
timeout 120 mpirun -np 3 bash dies.sh "$programs/search-mpi" sw -q longer.fa $both -o report --threads 1 >.out 2>.err </dev/null
status=$?
{ [ $status -ne 0 ] && [ $status -ne 124 ]; } || fail "exit status $status"
absent report

# With --work-dir, the same command continues where such a job ended, with any number of ranks.
runs 0 search sw -q longer.fa $both --quiet
cp .out whole
for i in $(seq "${WARPSEQ_KILLS:-3}"); do
    MOMENT=$(awk -v i="$i" "$random_awk"'BEGIN { start_random(i); print 0.1 + random() * 0.8 }')
    last_command="a rank dies after $MOMENT seconds"
    timeout 120 mpirun -np 3 bash dies.sh "$programs/search-mpi" sw -q longer.fa $both -o report --threads 1 --work-dir "done$((i % 2))" >.out 2>.err </dev/null
    [ ! -e report ] || same report whole
    rm -f report
done
# A rank dies as soon as a result is kept, however busy the machine is.
cat >dies_later.sh <<'END'
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && { until [ -n "$(find "$FOLDER" -name '*.wspart' 2>/dev/null)" ]; do sleep 0.02; done; kill -KILL $$; } &
exec "$@"
END
export FOLDER=done1
last_command='a rank dies when something is kept'
timeout 120 mpirun -np 3 bash dies_later.sh "$programs/search-mpi" sw -q longer.fa $both -o report --threads 1 --work-dir done1 >.out 2>.err </dev/null
[ ! -e report ] || same report whole
rm -f report
[ "$(find done1 -name '*.wspart' | wc -l)" -gt 0 ] || fail 'nothing was kept'
for n in 1 2; do
    for folder in done0 done1; do
        ranks $n 0 sw -q longer.fa $both --work-dir $folder --threads 1
        same .out whole
    done
done
ranks 2 2 sw -q few.fa -d first.wsdb --part 0/2 --work-dir other
runs 2 search sw -q few.fa -d first.wsdb --work-dir other
warns 'have to be given together'
# A file of kept results is damaged.
file=$(find done0 -name '*.0-of-1.wspart')
printf 'x' | dd of="$file" bs=1 seek=200 conv=notrunc 2>/dev/null
ranks 3 0 sw -q longer.fa $both --work-dir done0 --threads 1
same .out whole

# All ranks have the seed that rank 0 draws, so copies of a sequence have one E-value, whichever
# rank searches them. A run that continues has the same seed.
awk '/^>/ {++n} n <= 6' db.fa | awk '/^>/ {name = $1; next} {residues[name] = residues[name] $0} END {for (copy = 0; copy < 300; ++copy)
    for (name in residues) print name "." copy "\n" residues[name]}' >copies.fa
head -720 copies.fa >fewer-copies.fa
for name in copies fewer-copies; do runs 0 dbconv $name.fa -o $name.wsdb --quiet; done
awk '/^>/ {++n} n <= 6' db.fa >drawn.fa
for i in 1 2 3 4 5 6; do sed "s/^>/>$i/" drawn.fa; done >drawn-many.fa
drawn='hmm -q drawn-many.fa -d fewer-copies.wsdb --seed 0 --outfmt 6 --threads 1 --work-dir drawn'
one_evalue_each() {
    awk '{name = $2; sub(/\.[0-9]+$/, "", name); key = $1 SUBSEP name SUBSEP $7 SUBSEP $8 SUBSEP $9 SUBSEP $10; if (key in seen && seen[key] != $11 " " $12) exit 1; seen[key] = $11 " " $12}
        END {exit NR < 500}' "$1" || fail 'copies of a sequence have different E-values'
}
ranks 3 0 $drawn
one_evalue_each .out
cp .out whole
[ "$(find drawn -name '*.wspart' | wc -l)" -ge 2 ] || fail 'there is only one batch'
find drawn -name '*.wspart' ! -name '*.0-of-1.wspart' -delete
ranks 2 0 $drawn
same .out whole
awk '/^>/ {++n} n <= 6' drawn-many.fa >drawn.fa
grep '^1' whole >of-first
ranks 3 0 hmm -q drawn.fa -d fewer-copies.wsdb --seed 0 --outfmt 6 --threads 1 --quiet
one_evalue_each .out
[ "$(wc -l <.out)" -gt 0 ] || fail 'nothing is found'
cmp -s .out of-first && fail 'the seed is not drawn anew'

# Results that rank 0 does not hold in memory all at once.
awk '/^>/ {++n} n <= 70' many.fa >seventy.fa
many_hits='sw -q seventy.fa -d copies.wsdb --max-hits 0 --evalue inf --outfmt 6'
runs 0 search $many_hits --quiet
cp .out whole
ranks 3 0 $many_hits --threads 1 --work-dir many-hits
same .out whole
[ -n "$(find many-hits -name '*.wspart' -size +8192k)" ] || fail 'no batch has more results than rank 0 holds'
ranks 2 0 $many_hits --threads 1 --work-dir many-hits
same .out whole

# Pairs are kept, too.
cat first.fa first.fa first.fa >thrice.fa
align='pair some.fa thrice.fa --all-pairs --local --outfmt 6'
runs 0 search $align --quiet
cp .out whole
FOLDER=done-pairs
last_command='a rank that dies, of pairs'
timeout 120 mpirun -np 3 bash dies_later.sh "$programs/search-mpi" $align -o report --threads 1 --work-dir done-pairs >.out 2>.err </dev/null && fail 'it does not end the job'
absent report
ranks 2 0 $align --work-dir done-pairs --threads 1
same .out whole
before=$(stat -c '%n %i' done-pairs/*)
ranks 1 0 $align --work-dir done-pairs --threads 1
same .out whole
[ "$before" = "$(stat -c '%n %i' done-pairs/*)" ] || fail 'what was kept was aligned again'
