#!/usr/bin/env bash
# Compares `search hmm` with HMMER's hmmsearch and phmmer: every row of both tables, and every line
# of the report, including the counts of each stage.
#
# HMMER's programs run with one thread (--cpu 0), because with more threads the widths of their
# columns vary. The test needs Debian's hmmer, hmmer-examples and mmseqs2-examples (tools/setup
# check installs them), and skips without them.
. "$(dirname "$0")/../support/checks.sh"
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm" "$proteins"
needs_hmmer

zcat "$proteins" | awk '/^>/ {++n} n <= 6000' >db.fa
runs 0 dbconv db.fa -o db.wsdb --quiet
cat "$tutorial"/{globins4,fn3,Pkinase}.hmm >profiles.hmm
awk '/^>/ {++n} n == 100 || n == 2000 || n == 5999' db.fa >sequences.fa

# compare QUERIES PROGRAM OPTIONS...: compares `search hmm` with PROGRAM.
compare() {
    local queries=$1 program=$2
    shift 2
    "$program" --cpu 0 -o their.txt --tblout their.tbl --domtblout their.dom "$@" "$queries" db.fa || fail "$program fails"
    runs 0 search hmm -q "$queries" -d db.wsdb --quiet -o our.txt --tblout our.tbl --domtblout our.dom "$@"
    local table
    for table in tbl dom; do
        for who in their our; do grep -v '^#' $who.$table >$who.rows; done
        [ -s their.rows ] || fail "$program finds nothing: that proves nothing"
        same their.rows our.rows
    done
    for who in their our; do
        grep -vE '^#|^\[ok\]|^# (CPU|Mc)|CPU time|Mc/sec' $who.txt >$who.lines
    done
    same their.lines our.lines
    printf '%s %s %s: %d rows, %d domains, all the same\n' "$program" "$(basename "$queries")" "$*" \
        "$(grep -vc '^#' our.tbl)" "$(grep -vc '^#' our.dom)"
}

compare profiles.hmm hmmsearch
compare profiles.hmm hmmsearch --noali -E 1e-5 --domE 1 --incE 1e-20
compare profiles.hmm hmmsearch --noali --nobias --nonull2
compare profiles.hmm hmmsearch --notextw -T 20 --domT 15 -Z 1000000
compare sequences.fa phmmer
