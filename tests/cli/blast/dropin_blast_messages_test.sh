#!/usr/bin/env bash
# The drop-in blastp accepts what NCBI blastp 2.12.0 accepts, and warns and refuses in its words, on
# its streams and in its order. Exit status, standard output and standard error are the same, except
# for lines that name the program and its references. Messages of groups of queries (-mt_mode 1)
# come from several threads of NCBI's, so they are compared in sorted order. The test needs Debian's
# ncbi-blast+ and mmseqs2-examples (tools/setup check installs them) and is skipped without them.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

needs_files "$proteins"
needs_blast

mkdir inputs theirs ours
zcat "$proteins" | awk '/^>/ {++n} n <= 300' >inputs/F
awk '/^>/ {++n} n % 60 == 3' inputs/F >inputs/Q
residues=MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKRQTLGQHDFSAG
printf '>q first\n%s\n' $residues >inputs/q
printf '>near\n%sAA\n>far\nMKTAYIAKQRQISFVKAAAAQLEERLGLIEV\n>short\nMKTAYIAKQR\n' $residues >inputs/few
{
    printf '>a first\n%s\n>b second\nXXXXXXXXXX\n>c\n>d third\nMKTAYO%s\n>e\nMK\n' $residues $residues
} >inputs/odd
: >inputs/empty
letters=$(printf 'MKVL%.0s' {1..15})
printf '>%s\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRV\n' "x1 $letters" "x2 a $letters " "$letters" "1$letters z" "x3 ${letters:0:50}" "${letters:0:50}" >inputs/letters
printf '>%s\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRV\n' a,b 'P12345, x' "pir||$letters" 'sp|P12345|'"$letters" "x4 ${letters:0:50}" "x5 $letters" >inputs/named
awk 'BEGIN {for (i = 1; i <= 8; ++i) {printf ">long%d\n", i; for (j = 0; j < 40 * i; ++j) printf "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRV"; print ""}}' >inputs/groups
for who in theirs ours; do
    [ $who = ours ] && PATH=$programs/dropin:$PATH
    (cd $who && ln -s ../inputs/* . && makeblastdb -in F -dbtype prot -out DB && makeblastdb -in F -dbtype prot -out DB4 -blastdb_version 4) >.out 2>.err || fail 'no database'
done
PATH=${PATH#"$programs/dropin:"}

strip() {
    sed -E -e 's/BLASTP 2\.12\.0\+ \(warpseq [^)]*\)/BLASTP 2.12.0+/' -e '/^(Reference|<b><a$)/,/^Database: /{/^Database: /!d}' \
        -e 's/^    Posted date:.*/    Posted date:/; s#<(BlastOutput_)?reference>.*##; s#^ *"reference": .*##' -e "s#$work/(ours|theirs)#HERE#g" "$1"
}
compared=0
# run_both OPTIONS [FILTER_OF_MESSAGES] [FILTER_OF_RESULTS]: runs both programs, each in its own
# folder. Output is kept in theirs.out and so on.
run_both() {
    local who path
    last_command="blastp $1"
    for who in theirs ours; do
        path=$PATH
        [ $who = ours ] && path=$programs/dropin:$PATH
        (cd $who && PATH=$path bash -c "blastp $1" >../$who.standard-output 2>../$who.standard-error; echo $? >../$who.status)
        strip $who.standard-output | ${3-cat} >$who.out
        sed '/^USAGE$/,/^====/d' $who.standard-error | strip /dev/stdin | ${2-cat} >$who.err
    done
    cp ours.standard-output .out
    cp ours.standard-error .err
    same theirs.status ours.status
    same theirs.err ours.err
    same theirs.out ours.out
    compared=$((compared + 1))
}
# fourteen_digits: cuts huge E-values, whose last digits may differ (docs/blastp.md), to 14 digits.
fourteen_digits() { sed -E 's/\b([0-9]{14})[0-9]+\b/\1/g'; }
both() { sampled 6 || return 0; run_both "$@"; }
warned() { run_both "$@"; [ -s ours.err ] || fail 'no warning'; }
refused() { sampled 5 || return 0; run_both "$@"; [ "$(cat ours.status)" != 0 ] || fail 'not an error'; }

# Threads, and groups of queries.
for options in '-num_threads 100000 -db DB' '-num_threads 100000 -subject few' '-num_threads 2 -subject few' '-num_threads 1 -subject few' \
    '-num_threads 100000 -subject few -mt_mode 1' '-num_threads 100000 -db DB -evalue 0' '-num_threads 100000 -db DB -line_length 7 -sorthits 1 -sorthsps 1 -max_target_seqs 2'; do
    both "-query Q -outfmt 6 $options"
done
for query in odd Q groups; do
    for options in '-num_threads 2' '-num_threads 3 -line_length 7' '-num_threads 2 -outfmt 5' '-num_threads 1'; do
        both "-query $query -db DB -mt_mode 1 -outfmt 6 $options" sort
    done
done
run_both '-query Q -db DB -outfmt 6 -num_threads 2 -mt_mode 1' sort
# A matrix without composition-based statistics, taxa without names.
for outfmt in 0 5 6 15 16; do
    both "-query odd -db DB -matrix IDENTITY -outfmt $outfmt"
    both "-query q -db DB -matrix IDENTITY -comp_based_stats 0 -outfmt $outfmt"
done
warned '-query q -db DB -matrix IDENTITY -outfmt 6'
for outfmt in '6 sscinames' '7 std sblastnames' '6 ssciname' '10 scomnames sskingdoms' '6 sscinames -sscinames' '0 sscinames'; do
    for options in '-query odd -db DB' '-query q -subject few'; do both "$options -outfmt '$outfmt'"; done
done
warned "-query odd -db DB -outfmt '7 sscinames'"
# Titles that end like a sequence, and identifiers.
for options in '-query letters -subject q' '-query q -subject letters' '-query named -subject q -parse_deflines' '-query q -subject named -parse_deflines'; do
    warned "$options -outfmt '6 qseqid sseqid'"
done
for id in "${letters:0:51}" "lcl|1${letters:0:50}" "gnl|db|${letters:0:51}" "sp|${letters:0:31}" "gi|x7" "gnl|x" ":2-3" "|x" "\"x" "[x" "lcl|]x" "lcl|a|b"; do
    printf '>ok\n%s\n>%s title\n%s\n' $residues "$id" $residues >inputs/wrong
    refused '-query wrong -subject q -parse_deflines -outfmt 6'
    refused '-query q -subject wrong -parse_deflines -outfmt 6'
done
# Separators of columns.
for columns in 'delim= qseqid sseqid' 'delim' 'delimx score' 'delim=; qseqid staxids' 'delim=; qseqid -sallseqid' 'delim=/ frames' 'delim=<> salltitles' 'delim=; sallgi score' \
    ' delim=@ qseqid score' 'delim=@' 'delim== score qlen' $'qseqid\tsseqid' $'delim=\t\tscore qlen' 'qseqid delim=; score'; do
    for format in 6 10; do both "-query q -subject few -outfmt \$'$format ${columns//$'\t'/\\t}'"; done
done
# Numbers out of the ordinary.
for options in '-dbsize -1' '-dbsize -9223372036854775808' '-dbsize -5 -outfmt 5' '-dbsize -5 -ungapped -comp_based_stats 0' '-dbsize -5 -searchsp 1000000' '-dbsize -1 -comp_based_stats 0' \
    '-dbsize 10000000000000000 -evalue 1e12' '-dbsize 10000000000000000 -evalue 1e12 -comp_based_stats 0' \
    '-xdrop_gap -15' '-xdrop_gap 1e10' '-xdrop_gap 1e400' '-xdrop_gap_final -1' '-xdrop_gap_final 3e9' '-xdrop_gap_final 1e300 -comp_based_stats 0' '-xdrop_gap -1e400 -xdrop_gap_final -1' \
    '-xdrop_ungap 1e7' '-xdrop_ungap 3e9' '-threshold 1e7' '-threshold 2147483647.5' '-threshold 3e9' '-threshold 1e400' '-window_size 2000000' '-threshold 1e7 -word_size 6' \
    '-threshold 1e7 -outfmt 0' '-threshold 1e400 -outfmt 0'; do
    both "-query Q -db DB -outfmt '6 std score' $options"
done
for options in '' '-comp_based_stats 0' '-comp_based_stats 3' '-matrix PAM250' '-matrix BLOSUM45' '-ungapped -comp_based_stats 0'; do
    both "-query Q -db DB -outfmt '6 std score' -dbsize 9223372036854775807 -evalue 1e20 $options" cat fourteen_digits
done
for option in dbsize line_length; do
    for value in 1000000000000000000000 92233720368547758070 -9223372036854775809 0x8000000000000000 0x10000000000000000 1000000000000000000000x 0xg 0x1g -0x5; do
        refused "-query q -db DB -$option=$value"
    done
done
for value in 1e5x 1e5.5 1.5.5 0xg 0x1.g infx 1e+5+ -.e3; do refused "-query q -db DB -evalue=$value"; done
# Flags with values, empty words, and options given twice.
for options in '-html=1' '-parse_deflines= -outfmt 6' '""' '-=6' '-evalue 1 -evalue x' '-line_length 5 -line_length 0' '-line_length 5 -line_length 6'; do both "-query q -db DB $options"; done
# Of several mistakes, NCBI's blastp reports the first one in an order of its own.
mistakes=('-outfmt 99' '-subject absent' '-subject empty' '-subject few -subject_loc 5-4' '-taxids x' '-taxidlist absent' '-query absent' '-out absent/x' "-seg '1 2'" '-query_loc 5-4' '-ungapped'
    '-matrix NONE' '-gapopen 99' '-threshold 0' '-word_size 9' '-word_size 6 -matrix IDENTITY' '-xdrop_ungap 0' '-num_descriptions 0 -num_alignments 0' '-evalue -1' '-db absent' '-query empty' '-outfmt 13'
    '-max_target_seqs 2' '-num_threads 100000')
for first in "${mistakes[@]}"; do
    for second in "${mistakes[@]}"; do
        options="$first $second"
        # No option may be there twice.
        [ -z "$(grep -oE -- '-[a-z_]+ ' <<<"$options " | sort | uniq -d)" ] && [[ $first < $second ]] || continue
        case $options in *-query*) ;; *) options="-query q $options" ;; esac
        case $options in *-db* | *-subject*) ;; *) options="-db DB $options" ;; esac
        case $options in *-outfmt*) ;; *) options="$options -outfmt 6" ;; esac
        sampled 20 && run_both "$options"
    done
done
refused '-query q -outfmt 6 -evalue 0'
refused '-query q -db DB4 -taxids 9606 -outfmt 13'
refused '-query empty -db DB4 -taxids 9606 -outfmt 6'
printf '%d command lines, all the same\n' $compared
