#!/usr/bin/env bash
# compute-sanitizer finds no fault in small searches of each engine on a GPU: no read of memory that
# was never written, and no access outside of an array. With fewer targets, because that takes
# longer, it also looks for races in shared memory and for barriers that some threads miss. The
# queries take several passes of the Smith-Waterman kernel, and a target is long enough for a linear
# tile.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
[ -x "$sanitizer" ] || { skipped 'no compute-sanitizer'; exit 77; }

proteins() { # SEED LENGTH...
    awk -v seed="$1" -v lengths="${*:2}" "$random_awk"'BEGIN { start_random(seed); letters = "ACDEFGHIKLMNPQRSTVWY"; n = split(lengths, of, " ")
        for (i = 1; i <= n; ++i) { print ">p" seed "_" i; line = ""
            for (j = 0; j < of[i]; ++j) line = line substr(letters, 1 + int(random() * 20), 1); print line } }'
}
proteins 1 40 700 1100 >queries.fa
# Homologs of the queries among others, so that every stage has work.
{ cat queries.fa; awk '/^>/ { print $0 "b"; next } { print substr($0, 8) "MKV" }' queries.fa; } >homologs.fa
{ cat homologs.fa; proteins 2 9000 0 1 31 32 33; proteins 3 $(seq 60 7 600); } >targets.fa
# hmmscan's profiles are built from the queries, one from each.
for i in 1 2 3; do
    awk -v i=$i '/^>/ { ++n } n == i' queries.fa >one.fa
    runs 0 search hmmbuild -q one.fa -n "q$i" -o "one$i.hmm" --singlemx --quiet
done
cat one?.hmm >profiles.hmm
runs 0 dbconv targets.fa -o targets.wsdb --quiet
runs 0 dbconv homologs.fa -o homologs.wsdb --quiet
if ! "$programs/search" sw -q queries.fa -d targets.wsdb --device cuda --quiet -o usual.txt 2>.err; then
    skipped "no GPU ($(head -1 .err))"
    exit 77
fi
check() { # TOOL TARGETS: runs each engine under TOOL, against TARGETS.wsdb, which holds TARGETS.fa
    while read -r search; do
        last_command="compute-sanitizer --tool $1 search $search"
        # shellcheck disable=SC2086
        "$sanitizer" --tool "$1" --print-limit 5 --error-exitcode 9 "$programs/search" $search --device cuda --quiet -o report.txt >.out 2>.err ||
            fail "$(grep -h '=========' .out .err | head -20)"
        holds 'there is a report' test -s report.txt
    done <<RUNS
sw -q queries.fa -d $2.wsdb
blastp -q queries.fa -d $2.wsdb
hmm -q queries.fa -d $2.wsdb
hmm -q queries.fa -d $2.wsdb --max
hmmscan -q $2.fa -d profiles.hmm
hmmscan -q $2.fa -d profiles.hmm --max
jackhmmer -q queries.fa -d $2.wsdb -N 2
pair queries.fa queries.fa --all-pairs --local --outfmt 6
pair queries.fa queries.fa --all-pairs --outfmt 6
RUNS
}
check initcheck targets
check memcheck targets
check racecheck homologs
check synccheck homologs
echo 'passed'
