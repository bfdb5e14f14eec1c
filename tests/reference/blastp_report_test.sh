#!/usr/bin/env bash
# Compares the pairwise text and the tables of `search blastp` with those of NCBI's blastp, byte for
# byte.
#
# Tables have every field. Titles are odd. Some queries have masked letters, rare letters or no
# letters. Some alignments have gaps longer than a line. Other queries cannot have hits, or are
# long, so that blastp cuts them. The test needs Debian's ncbi-blast+ (2.12.0; tools/setup check
# installs it), and skips without it.
. "$(dirname "$0")/blastp_checks.sh"

# The names of programs and databases, references and dates are not compared.
normalized() {
    sed -e 's/^# BLASTP .*/# BLASTP/' -e '/^BLASTP /,/^Database:/{/^Database:/!d}' -e 's/^\( *Database:\|# Database:\) .*/\1/' \
        -e 's/^    Posted date: .*/    Posted date:/' "$1"
}
# compare OPTIONS...: compares both outputs. Options are named as in blastp, with one dash.
compare() {
    local option ours=()
    for option in "$@"; do
        case $option in -[a-z]*) ours+=("-$option") ;; *) ours+=("$option") ;; esac
    done
    blastp -query "$queries" -db db -comp_based_stats "$composition" "$@" >their.txt 2>/dev/null || fail "blastp $* fails"
    runs 0 search blastp -q "$queries" -d db.wsdb --comp_based_stats "$composition" --quiet -o our.txt "${ours[@]}"
    [ -s their.txt ] || fail "blastp $* finds nothing: that proves nothing"
    normalized their.txt >their.lines
    normalized our.txt >our.lines
    same their.lines our.lines
    printf '%s, composition %s, %s: %d lines, all the same\n' "$queries" "$composition" "$*" "$(wc -l <our.lines)"
    rm our.txt
}

composition=0
queries=queries.fa
fields='qseqid qgi qacc qaccver qlen sseqid sallseqid sgi sallgi sacc saccver sallacc slen qstart qend sstart send qseq sseq evalue bitscore
    score length pident nident mismatch positive gapopen gaps ppos frames qframe sframe btop staxid ssciname scomname sblastname sskingdom
    staxids sscinames scomnames sblastnames sskingdoms stitle salltitles sstrand qcovs qcovhsp qcovus'
fields=$(printf '%s ' $fields)

compare -outfmt 0
compare -outfmt 0 -evalue 1000 -line_length 9
compare -outfmt 0 -lcase_masking -line_length 100
compare -outfmt 0 -lcase_masking -soft_masking true -seg yes
compare -outfmt 0 -num_descriptions 7 -num_alignments 3
compare -outfmt 0 -num_descriptions 0 -num_alignments 9 -max_hsps 1
compare -outfmt 0 -max_target_seqs 5 -matrix PAM70
compare -outfmt "6 $fields" -evalue 1000
compare -outfmt "7 $fields" -lcase_masking
compare -outfmt "10 $fields"
compare -outfmt 6
compare -outfmt 7
compare -outfmt 10
compare -outfmt '7 std -evalue qcovs score score'
compare -outfmt '10 delim=@@ std stitle'
compare -outfmt 6 -num_alignments 6
compare -outfmt 7 -matrix PAM30 -gapopen 14 -gapextend 1 -evalue 1000
compare -outfmt 7 -matrix PAM70 -gapopen 12 -gapextend 3 -evalue 1000
compare -outfmt '7 std score' -dbsize 1 -word_size 2 -threshold 1

queries=odd.fa
for masks in '-seg no' '-seg yes' '-lcase_masking' '-seg yes -lcase_masking -soft_masking true'; do
    compare -outfmt 0 $masks
    compare -outfmt 7 -evalue 1000 $masks
    compare -outfmt 6 -task blastp-short $masks
done
compare -outfmt 7 -window_size 0 -evalue 1000
compare -outfmt 7 -task blastp-fast -searchsp 100000
compare -outfmt 6 -searchsp 12345678 -evalue 1000
queries=invalid.fa
compare -outfmt 0
compare -outfmt 7
queries=long.fa
compare -outfmt '6 std score btop'
compare -outfmt '6 std score btop' -seg yes -lcase_masking -evalue 1e-3
compare -outfmt '6 std score btop' -seg yes -lcase_masking -soft_masking true -max_target_seqs 5
compare -outfmt 0 -max_hsps 2 -evalue 1e-5

for composition in 1 2 3; do
    queries=queries.fa
    compare -outfmt '7 std score' -searchsp 10 -evalue 1000
    compare -outfmt 0
    compare -outfmt 0 -evalue 1000 -lcase_masking
    compare -outfmt "6 $fields" -matrix PAM70 -max_target_seqs 5
    queries=odd.fa
    compare -outfmt 0 -seg yes -lcase_masking
    compare -outfmt 7 -evalue 1000
    queries=long.fa
    compare -outfmt '6 std score btop'
done
