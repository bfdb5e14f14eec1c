#!/usr/bin/env bash
# The drop-in blastp gives the report of NCBI blastp 2.12.0 for the options that change what is
# found. Only the lines that name the program, its references and a date may differ. The test
# searches MMseqs2's examples, and real data, too, if WARPSEQ_SHARED names a folder with them. It
# needs Debian's ncbi-blast+ and mmseqs2-examples (tools/setup check installs them) and is skipped
# without them.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

needs_files "$proteins"
needs_blast

zcat "$proteins" | awk '/^>/ {++n} n <= 1500' >examples
awk '/^>/ {++n} n % 150 == 3' examples >examples.queries
sets=examples
if [ -e "${WARPSEQ_SHARED:-}/data/families-dev.fasta.gz" ]; then
    zcat "$WARPSEQ_SHARED/data/families-dev.fasta.gz" >families
    awk '/^>/ {++n} n % 1200 == 7' families >families.queries
    # These sequences have thousands of residues and repeats, so that one pair has many alignments.
    cp "$WARPSEQ_SHARED/data/proteins-tiny.fasta" tiny
    awk '/^>/ {++n} n % 40 == 3' tiny >tiny.queries
    sets='examples families tiny'
else
    skipped 'the families: WARPSEQ_SHARED is not set'
fi
for set in $sets; do
    mkdir -p theirs ours
    makeblastdb -in $set -dbtype prot -title $set -out theirs/$set >/dev/null || fail 'no database'
    "$programs/dropin/makeblastdb" -in $set -dbtype prot -title $set -out ours/$set >/dev/null || fail 'no database'
done

strip() {
    sed -E -e 's/BLASTP 2\.12\.0\+ \(warpseq [^)]*\)/BLASTP 2.12.0+/' -e '/^Reference/,/^Database: /{/^Database: /!d}' \
        -e 's/^    Posted date:.*/    Posted date:/; s#<(BlastOutput_)?reference>.*##' "$1"
}
compared=0 lines=0
# both SET QUERIES OPTIONS...: compares exit status, standard output and standard error of NCBI's
# blastp and of the drop-in. The shorter check runs one of four calls.
both() {
    sampled 4 || return 0
    compare "$@"
}
compare() {
    local set=$1 queries=$2 who path
    shift 2
    last_command="blastp -query $queries -db $set $*"
    for who in theirs ours; do
        path=$PATH
        [ $who = ours ] && path=$programs/dropin:$PATH
        (cd $who && PATH=$path blastp -query "../$queries" -db $set "$@" >../$who.out 2>.err; echo $? >>.err; sed '/^USAGE$/,/^====/d; /To obtain better run time performance/d' .err >../$who.err)
        strip $who.out >$who.stripped
    done
    cp ours.out .out
    cp ours.err .err
    [ "$queries" = letters ] || same theirs.err ours.err  # the drop-in lacks blastp's warnings about single queries
    same theirs.stripped ours.stripped
    compared=$((compared + 1))
    lines=$((lines + $(wc -l <ours.stripped)))
}
fields='6 std score nident positive btop qcovs qcovhsp'
for set in $sets; do
    both $set $set.queries -ungapped -comp_based_stats F -outfmt "$fields"
    for limit in 1 2 5 25; do both $set $set.queries -culling_limit $limit -outfmt "$fields"; done
    both $set $set.queries -culling_limit 3 -comp_based_stats 0 -evalue 100
    both $set $set.queries -best_hit_overhang 0.25 -outfmt "$fields"
    both $set $set.queries -best_hit_score_edge 0.05 -comp_based_stats F -outfmt "$fields"
    both $set $set.queries -best_hit_overhang 0.1 -best_hit_score_edge 0.3
    both $set $set.queries -subject_besthit -outfmt "$fields" -evalue 1000
    both $set $set.queries -ungapped -comp_based_stats 0 -culling_limit 4 -outfmt "$fields" -evalue 100
    both $set $set.queries -ungapped -comp_based_stats 0 -best_hit_overhang 0.3 -subject_besthit -outfmt "$fields"
    both $set $set.queries -culling_limit 6 -subject_besthit -max_target_seqs 7 -max_hsps 2 -qcov_hsp_perc 20 -outfmt "$fields"
done
# These searches align with Smith-Waterman, which takes long with the long sequences of `tiny`.
for mode in 0 1 2 3; do both examples examples.queries -use_sw_tback -comp_based_stats $mode -outfmt "$fields"; done
both examples examples.queries -use_sw_tback -evalue 100 -seg yes
both examples examples.queries -use_sw_tback -culling_limit 5 -max_hsps 2 -outfmt 5
for outfmt in 0 5 7 16; do both examples examples.queries -ungapped -comp_based_stats F -outfmt $outfmt; done
for options in '-evalue 1e-3' '-evalue 1000 -max_target_seqs 20' '-dbsize 100000000' '-searchsp 12345678' '-max_hsps 1 -evalue 100' '-seg yes' \
    '-qcov_hsp_perc 60 -max_target_seqs 6' '-matrix PAM30' '-matrix BLOSUM45 -window_size 0' '-task blastp-short' '-task blastp-fast' \
    '-query_loc 10-60 -evalue 100' '-word_size 2 -xdrop_ungap 3' '-matrix IDENTITY'; do
    # shellcheck disable=SC2086
    both examples examples.queries -ungapped -comp_based_stats F -outfmt "$fields" $options
done
# Queries that blastp cuts into parts, except in searches without gaps. Letters without statistics
# follow.
{
    printf '>short\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKV\n>long\n'
    awk '!/^>/ {printf "%s", $0} END {print ""}' examples.queries examples | cut -c 1-24000
    printf '>after\n'
    tail -1 examples.queries
} >long
for options in '-ungapped -comp_based_stats F' '-culling_limit 4' '-culling_limit 1 -comp_based_stats 0' '-best_hit_overhang 0.2' '-subject_besthit'; do
    # shellcheck disable=SC2086
    both examples long -outfmt "$fields" $options
done
printf '>x\nXXXXXXXXXXXXXXXXXXXX\n' >letters
both examples letters -ungapped -comp_based_stats F
[ "$lines" -gt "$(thorough && echo 5000 || echo 1000)" ] || fail "only $lines lines were compared"
# Lists of sequences have identifiers and accessions of a database whose identifiers are parsed. The
# drop-in lacks blastp's advice to convert lists.
awk '/^>/ {++n; if (n % 3) sub(/^>[^ ]*/, (n % 3 == 1 ? ">sp|Z" 10000 + n "|NAME" n : ">lcl|L" n))} 1' examples >listed
makeblastdb -in listed -dbtype prot -parse_seqids -title examples -out theirs/listed >/dev/null || fail 'no database'
"$programs/dropin/makeblastdb" -in listed -dbtype prot -parse_seqids -title examples -out ours/listed >/dev/null || fail 'no database'
{
    awk '/^>/ && ++n % 7 < 3 {print substr($1, 2)}' listed
    printf 'Z10013\nz10016 more\r\n\n  L2\nZ10019.1\nsp|Z10022|OTHER\nnot-there\n'
} >names
for list in seqidlist negative_seqidlist; do
    for options in '' '-comp_based_stats 0 -evalue 1000' '-dbsize 3000000' '-searchsp 10000000' '-ungapped -comp_based_stats F' '-culling_limit 3'; do
        # shellcheck disable=SC2086
        both listed examples.queries -$list ../names -outfmt "$fields" $options
    done
    for outfmt in 5 7; do both listed examples.queries -$list ../names -outfmt $outfmt; done
done
: >none
last_command='blastp -seqidlist'
"$programs/dropin/blastp" -query examples.queries -db ours/listed -seqidlist none >.out 2>.err && fail 'not an error'
warns none
prints_nothing
echo not-there >none
both listed examples.queries -seqidlist ../none -outfmt "$fields"
if command -v blastdb_aliastool >/dev/null; then
    blastdb_aliastool -seqid_file_in names -seqid_file_out names.bsl >/dev/null || fail 'no converted list'
    for list in seqidlist negative_seqidlist; do both listed examples.queries -$list ../names.bsl -outfmt "$fields"; done
else
    skipped 'no blastdb_aliastool here'
fi
# Searches restricted by taxonomy IDs. Merged definition lines have IDs of their own.
awk '/^>/ {++n; if (n % 5 == 0) $0 = $0 "\001M" n " merged"} 1' listed >taxa
awk '/^>/ {++n; print substr($1, 2), (n % 3 ? 9606 : 562); if (n % 5 == 0) print "M" n, 10090}' listed >taxa.map
makeblastdb -in taxa -dbtype prot -parse_seqids -taxid_map taxa.map -title taxa -out theirs/taxa >/dev/null || fail 'no database'
"$programs/dropin/makeblastdb" -in taxa -dbtype prot -parse_seqids -taxid_map taxa.map -title taxa -out ours/taxa >/dev/null || fail 'no database'
printf ' 562 \r\n\n10090\n' >taxids
printf '562 9606\n' >wrong
for options in '-taxids 562' '-taxids 562,10090' '-taxids 1' '-taxids 1,562' '-taxids human' '-negative_taxids 10090' '-negative_taxids 1' \
    '-negative_taxids 562,9606,10090' '-taxidlist ../taxids' '-negative_taxidlist ../taxids' '-taxidlist ../wrong' '-taxidlist absent' '-taxids 562 -dbsize 3000000' \
    '-taxids 562 -comp_based_stats 0 -evalue 1000'; do
    # shellcheck disable=SC2086
    both taxa examples.queries $options -outfmt '6 qaccver saccver sallseqid salltitles staxid staxids evalue bitscore score'
done
for outfmt in 5 7; do both taxa examples.queries -taxids 562,10090 -outfmt $outfmt; done
# Mistakes
for options in -ungapped '-ungapped -comp_based_stats 3' '-culling_limit -1' '-culling_limit 2 -best_hit_overhang 0.1' '-best_hit_score_edge 0' '-best_hit_overhang 0.5'; do
    # shellcheck disable=SC2086
    compare examples examples.queries $options
    [ "$(tail -1 ours.err)" != 0 ] || fail 'not an error'
done
printf '%d command lines, %d lines, all the same\n' $compared $lines
