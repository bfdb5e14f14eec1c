#!/usr/bin/env bash
# Compares the drop-in jackhmmer with HMMER's on real queries and a real database. Run by hand.
# Every file must be the same byte for byte, except lines about program, place and date, and column
# widths, which vary with HMMER's threads.
#
#     jackhmmer_queries.sh PROGRAMS QUERIES.fasta PROTEINS.fasta [OPTIONS of jackhmmer...]
#
# PROGRAMS is the folder that has dropin. Without options all outputs and checkpoints are compared.
# The script takes minutes. Its exit status is 0 if all files are the same.
set -u
[ $# -ge 3 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
programs=$(cd "$1" && pwd) queries=$(realpath "$2") proteins=$(realpath "$3")
shift 3
[ $# -gt 0 ] || set -- -o out -A alignment --tblout targets --domtblout domains --chkhmm profile --chkali round
work=$(mktemp -d "${TMPDIR:-/tmp}/warpseq-jackhmmer-XXXXXX")
trap 'rm -rf "$work"' EXIT
strip() {
    sed -E '/^# (HMMER |Copyright |Freely )/d; /^# (Version|Current dir|Date):/d; /^# (CPU time|Mc\/sec):/d; /^DATE /d; s/^HMMER3\/f .*/HMMER3\/f/
        s/(Option settings: ).*jackhmmer/\1jackhmmer/; s/ *$//' "$1" | tr -s ' -'
}
mkdir "$work/theirs" "$work/ours"
(cd "$work/theirs" && jackhmmer "$@" "$queries" "$proteins" >standard-output) || exit 1
(cd "$work/ours" && "$programs/dropin/jackhmmer" "$@" "$queries" "$proteins" >standard-output) || exit 1
different=0
for file in $(cd "$work" && ls theirs ours | grep -v : | sort -u); do
    cmp -s <(strip "$work/theirs/$file") <(strip "$work/ours/$file") && continue
    echo "$file differs:"
    diff <(strip "$work/theirs/$file") <(strip "$work/ours/$file") | head -10
    different=1
done
[ $different = 0 ] && echo "$(grep -c '>' "$queries") queries, $(ls "$work/ours" | wc -l) files, all the same"
exit $different
