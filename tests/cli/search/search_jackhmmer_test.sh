#!/usr/bin/env bash
# `search jackhmmer` has the right rounds, marks, convergence, checkpoints and --seq_limit, and
# refuses mistakes. The files are the same with every thread count, chunk size and back end, from
# databases and from FASTA, and if no report is made.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

# A family whose distant members only come in through nearer ones: each generation is changed in a
# tenth of its residues.
awk "$random_awk"'BEGIN { start_random(11); s = "ACDEFGHIKLMNPQRSTVWY"; L = 120
    for (i = 1; i <= L; ++i) seed[i] = substr(s, 1 + int(random() * 20), 1)
    for (g = 0; g < 16; ++g) {
        for (m = 0; m < 4; ++m) {
            printf ">g%02d_%d generation %d\n", g, m, g
            for (i = 1; i <= L; ++i) { if (random() < 0.02) continue
                printf "%s", random() < 0.05 ? substr(s, 1 + int(random() * 20), 1) : seed[i] }
            print "" }
        for (i = 1; i <= L; ++i) if (random() < 0.1) seed[i] = substr(s, 1 + int(random() * 20), 1) } }' >family.fa
awk "$random_awk"'BEGIN { start_random(7); s = "ACDEFGHIKLMNPQRSTVWY"; for (n = 1; n <= 300; ++n) { printf ">r%d\n", n;
             for (i = int(random() * n * 2); i > 0; --i) printf "%s", substr(s, 1 + int(random() * 20), 1); print "" } }' >random.fa
cat random.fa family.fa >db.fa
runs 0 dbconv db.fa -o db.wsdb --quiet
awk '/^>/ {++n} n == 1' family.fa >one.fa
{ cat one.fa; printf '>empty\n'; awk '/^>/ {++n} n == 30' family.fa; printf '>lonely\nMKWVTCQHPWYMNDRCWHIPEFG\n'; } >q.fa

# The rounds, and the outputs of each.
runs 0 search jackhmmer -q q.fa -d db.wsdb --noali --tblout t -A a --chkhmm p --chkali p
warns 'queries without residues, left out'
says '# search jackhmmer :: iteratively search a protein sequence against a protein database'
says 'Query:       g00_0  [L='
says '@@ Round:                  2'
says '@@ Continuing to next round.'
says '@@ CONVERGED (in '
says '# Alignment of 1 hits satisfying inclusion thresholds saved to: a'
says '[ok]'
holds 'a round includes new targets' grep -q '^+ ' .out
for query in g00_0 g07_1 lonely; do holds "a profile of $query" grep -q "^NAME  $query\$" p-1.hmm; done
holds 'a profile of an alignment' grep -q '^NAME  g00_0-i1$' p-2.hmm
holds 'no second profile of a lonely query' bash -c '! grep -q lonely p-2.hmm'
holds 'an alignment of each round' grep -q '^#=GF ID g00_0-i2$' p-2.sto
[ "$(grep -c '^# STOCKHOLM' a)" = 3 ] || fail 'not an alignment of each query'
holds 'the query leads' bash -c "sed -n '/^g00_0/{p;q}' a | grep -q '^g00_0 '"
rounds=$(ls p-*.hmm | wc -l)
[ "$rounds" -gt 2 ] || fail 'too few rounds for what follows'
# Several queries are searched together; one alone has the same rounds.
cp .out all
runs 0 search jackhmmer -q one.fa -d db.wsdb --noali --quiet
holds 'a query alone is the same' cmp -s <(sed -n '/^Query:  *g00_0/,/^\/\//p' all | grep -v '^# Align') <(sed -n '/^Query:/,/^\/\//p' .out)

# The outputs are the same with all settings.
outputs='-o o --tblout t --domtblout d -A a --chkhmm c --chkali c'
runs 0 search jackhmmer -q q.fa -d db.wsdb --quiet --threads 1 --device cpu $outputs
mkdir first
mv o t d a c-* first
for how in '--threads 2' '--threads 5' '--chunk-size 4K' '--cpu-backend portable' '--cpu-backend sse41' '--threads 3 --chunk-size 1K'; do
    runs 0 search jackhmmer -q q.fa -d db.wsdb --quiet --device cpu $outputs $how
    for file in t d a c-*; do same <(grep -v '^#' first/$file) <(grep -v '^#' $file); done
    same <(sed -n '/^Query/,$p' first/o) <(sed -n '/^Query/,$p' o)
done
if has_gpu q.fa db.wsdb; then
    for how in '' '--chunk-size 4K' '--device-memory 2M'; do
        runs 0 search jackhmmer -q q.fa -d db.wsdb --quiet --device cuda $outputs $how
        for file in t d a c-*; do same <(grep -v '^#' first/$file) <(grep -v '^#' $file); done
        same <(sed -n '/^Query/,$p' first/o) <(sed -n '/^Query/,$p' o)
    done
else
    skipped 'a GPU'
fi
runs 0 search jackhmmer -q q.fa -d random.fa -d family.fa --quiet --device cpu $outputs
for file in t d a c-*; do same <(grep -v '^#' first/$file) <(grep -v '^#' $file); done
# A report to /dev/null is not made. The other outputs are the same.
rm -f t d a c-*
runs 0 search jackhmmer -q q.fa -d db.wsdb --quiet --device cpu -o /dev/null --tblout t --domtblout d -A a --chkhmm c --chkali c
for file in t d a c-*; do same <(grep -v '^#' first/$file) <(grep -v '^#' $file); done
runs 0 search hmm -q q.fa -d db.wsdb --quiet -o /dev/null --tblout t
holds 'the table of hmm' grep -q '^# \[ok\]' t

# --seq_limit keeps the best targets, with all their domains. E-values and counts stay the same.
runs 0 search jackhmmer -q one.fa -d db.wsdb --quiet -N 1 --noali --tblout whole -A whole.sto
cp .out whole.txt
hits=$(grep -vc '^#' whole)
for limit in 0 1 5 $((hits - 1)) "$hits" $((hits + 1)) -1; do
    runs 0 search jackhmmer -q one.fa -d db.wsdb --quiet -N 1 --noali --tblout t -A a --seq_limit=$limit
    expected=$limit
    [ "$limit" -lt 0 ] && expected=$hits
    same <(grep -v '^#' whole | head -n "$expected" | tr -s ' ') <(grep -v '^#' t | tr -s ' ')
    same <(sed -n '/^Internal/,/^Domain search/p' whole.txt) <(sed -n '/^Internal/,/^Domain search/p' .out)
    [ "$(sed -n 's/^@@ New targets included: *//p' .out)" -le "$expected" ] || fail 'more new targets than the limit'
done
# If only alignments are wanted, not all targets are scored. The bytes are the same in every round.
for limit in 0 1 5 $((hits / 2)) "$hits"; do
    for rounds in 1 3; do
        rm -f c-*
        runs 0 search jackhmmer -q q.fa -d db.wsdb --quiet -N $rounds -A a --chkali c --chkhmm c --seq_limit $limit --tblout t
        mkdir -p scored && rm -f scored/* && mv a c-* scored
        runs 0 search jackhmmer -q q.fa -d db.wsdb --quiet -N $rounds -A a --chkali c --chkhmm c --seq_limit $limit -o /dev/null
        for file in a c-*; do same <(grep -v '^DATE' scored/$file) <(grep -v '^DATE' $file); done
        [ "$(ls c-* | wc -l)" = "$(ls scored/c-* | wc -l)" ] || fail 'the number of rounds differs'
    done
done
runs 0 search jackhmmer -q one.fa -d db.wsdb --quiet --seq_limit 3 --noali --tblout t
[ "$(grep -vc '^#' t)" = 3 ] || fail 'the last round is not limited'

# Other formats show the last round.
runs 0 search jackhmmer -q one.fa -d db.wsdb --quiet --outfmt 6
[ "$(cut -f 1 .out | sort -u)" = g00_0 ] || fail 'rows do not name the query'
runs 0 search jackhmmer -q q.fa -d db.wsdb --quiet --outfmt json
holds 'JSON' python3 -c 'import json; assert len(json.load(open(".out"))["queries"]) == 3'

# Mistakes.
runs 2 search jackhmmer -q q.fa -d db.wsdb -N 0
warns '-N 0: expected a whole number from 1'
runs 2 search jackhmmer -q q.fa -d db.wsdb --wgsc --wnone
warns '--wgsc and --wnone exclude each other'
runs 2 search jackhmmer -q q.fa -d db.wsdb --wid 0.5
warns '--wid is for --wblosum'
runs 2 search jackhmmer -q q.fa -d db.wsdb --part 0/2 --work-dir w
ln -s q.fa x-2.hmm
runs 2 search jackhmmer -q q.fa -d db.wsdb --chkhmm x
warns '--chkhmm'
runs 2 search jackhmmer -q q.fa -d db.wsdb --chkhmm y -A y-1.hmm
runs 1 search jackhmmer -q p-1.hmm -d db.wsdb
warns 'is empty or misformatted'
runs 1 search jackhmmer -q q.fa -d db.wsdb --chkhmm nowhere/y
echo 'search jackhmmer: all as expected'
