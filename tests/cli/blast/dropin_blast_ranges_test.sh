#!/usr/bin/env bash
# The drop-in blastp treats -subject_loc, alone and with -query_loc, as NCBI blastp 2.12.0 does.
# Exit status, standard output, standard error and files are the same, except for lines that name
# the program and its references. The test needs Debian's ncbi-blast+ and mmseqs2-examples
# (tools/setup check installs them) and is skipped without them.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

needs_files "$proteins"
needs_blast

# Inputs: F has proteins and Q twelve of them. T has relatives of Q, some between biased residues
# and some repeated, and other proteins. S has identifiers of databases and a short sequence.
mkdir inputs
zcat "$proteins" | awk '/^>/ {++n} n <= 400' >inputs/F
awk '/^>/ {++n; name = $0; next} n % 30 == 3 && length($0) > 100 {print name "\n" $0}' inputs/F >inputs/Q
awk "$random_awk"'BEGIN {start_random(5); letters = "ACDEFGHIKLMNPQRSTVWY"; biased = "AAGGSSEEKKPQ"}
    function few(n,  i, s) {for (i = 0; i < n; ++i) s = s substr(biased, 1 + int(random() * 12), 1); return s}
    function relative(s, rate,  i, t) {
        for (i = 1; i <= length(s); ++i) {
            if (random() >= rate) t = t substr(s, i, 1)
            else if (random() < 0.8) t = t substr(letters, 1 + int(random() * 20), 1)
            if (random() < rate / 12) t = t substr("WCHMYF", 1, 1 + int(random() * 6))
        }
        return t
    }
    /^>/ {name = $1; next}
    {
        print name "_near some title\n" relative($0, 0.1)
        print name "_far\n" few(80) relative($0, 0.5) few(60)
        print name "_twice and again\n" relative($0, 0.2) relative($0, 0.3)
    }' inputs/Q >inputs/T
awk '/^>/ {++n; name = $0; next} n > 300 && length($0) > 100 {print name "\n" $0}' inputs/F >>inputs/T
awk '/^>/ {++n} n % 3 == 1' inputs/Q >inputs/few
{
    printf '>sp|P12345|FOO_HUMAN desc one\n'; sed -n '2p' inputs/few
    printf '>gi|12|ref|NP_1.1| y\n'; sed -n '4p' inputs/few
    printf '>loc1 some  text \n'; sed -n '6p' inputs/few
    printf '>short one \nMKVLAAGIVALLAKKVACDE\n'
} >inputs/S
awk '/^>/ {if (n++) print ""; print; next} {printf "%s", toupper(substr($0, 1, 60)) tolower(substr($0, 61, 40)) substr($0, 101)} END {print ""}' inputs/few >inputs/masked
sed -n 1,4p inputs/few >inputs/two
printf '>e first\n>b\nMKVLAAGIVALLAKKVACDEFGHIKLMN\n' >inputs/empty
gzip -k inputs/T
shortest=$(awk '!/^>/ {if (!n || length($0) < n) n = length($0)} END {print n}' inputs/T)
shortest_query=$(awk '!/^>/ {if (!n || length($0) < n) n = length($0)} END {print n}' inputs/Q)
[ "$shortest" -gt 60 ] || fail "a subject of $shortest residues"

strip() {
    sed -E -e '/^USAGE$/,/^====/d' -e 's/BLASTP 2\.12\.0\+ \(warpseq [^)]*\)/BLASTP 2.12.0+/' \
        -e '/^(Reference|<b><a$)/,/^Database: /{/^Database: /!d}' "$1"
}
compared=0 lines=0
# both OPTIONS: runs NCBI's blastp and the drop-in, each in a folder of its own, and compares
# everything that they write.
both() {
    local who path file
    last_command="blastp $1"
    rm -rf theirs ours stripped
    for who in theirs ours; do
        path=$PATH
        [ $who = ours ] && path=$programs/dropin:$PATH
        mkdir -p $who stripped/$who
        (cd $who && ln -s ../inputs/* . && PATH=$path bash -c "blastp $1" >standard-output 2>standard-error; echo $? >exit-status)
        cp $who/standard-output .out
        cp $who/standard-error .err
        for file in $who/*; do [ -L "$file" ] || strip "$file" >stripped/"$file"; done
    done
    diff -r stripped/theirs stripped/ours >.out || fail 'the output is not that of NCBI BLAST+'
    compared=$((compared + 1))
    lines=$((lines + $(cat stripped/ours/* | wc -l)))
}
# silently OPTIONS: requires that both run without an error and without messages. The shorter check
# runs one of seven calls.
silently() {
    sampled 7 || return 0
    both "$1"
    [ "$(cat ours/exit-status)" = 0 ] || fail 'an error'
    [ ! -s ours/standard-error ] || fail 'standard error is not empty'
}
wrong() {
    sampled 7 || return 0
    both "$1"
    [ "$(cat ours/exit-status)" != 0 ] || fail 'not an error'
}

fields='6 std qlen slen qcovs qcovhsp qseq sseq score nident positive gaps btop'
for outfmt in 0 1 2 3 4 5 "$fields" 7 10 13 14 15 16; do
    for options in '-subject T -subject_loc 21-190' '-subject few -subject_loc 50-400 -query_loc 20-300 -evalue 100' '-subject S -subject_loc 3-120 -evalue 1000'; do
        out=
        case $outfmt in 13 | 14) out='-out J' ;; esac
        silently "-query Q $options -outfmt '$outfmt' $out"
    done
    case $outfmt in 13 | 14 | 15 | 16) continue ;; esac
    silently "-query few -subject S -subject_loc 9-200 -parse_deflines -evalue 10 -outfmt '$outfmt'"
done
# Ranges that begin and end at the first residue, at the last one and one behind it, and ranges
# whose positions have one digit more.
for range in 1-2147483647 1-60 2-61 9-110 10-99 11-12 $((shortest - 1))-99999 $shortest-300 +5-070; do
    for outfmt in 0 3 "$fields"; do silently "-query Q -subject T -subject_loc $range -evalue 50 -outfmt '$outfmt'"; done
done
# These options decide on hits, E-values and alignments.
for options in '-comp_based_stats 0' '-comp_based_stats 1' '-comp_based_stats 3' '-comp_based_stats 0 -ungapped' -use_sw_tback '-use_sw_tback -comp_based_stats 0' \
    '-max_hsps 1' '-max_hsps 2 -comp_based_stats 0' '-searchsp 12345678' '-dbsize 5000000' '-seg yes' '-seg yes -soft_masking true' '-matrix BLOSUM45' \
    '-task blastp-short' '-task blastp-fast' '-culling_limit 1' -subject_besthit '-best_hit_overhang 0.2' '-qcov_hsp_perc 30' '-max_target_seqs 7' '-num_threads 2' \
    '-query_loc 10-150' '-query_loc 100-5000 -seg yes'; do
    for range in 30-150 60-600; do silently "-query Q -subject T -subject_loc $range -evalue 100 -outfmt '$fields' $options 2>/dev/null"; done
    silently "-query Q -subject T -subject_loc 40-333 -evalue 100 $options 2>/dev/null"
done
for outfmt in 0 1 2 3 4; do
    silently "-query Q -subject T -subject_loc 41-700 -html -line_length 37 -outfmt $outfmt"
    silently "-query masked -subject S -subject_loc 12-345 -html -lcase_masking -query_loc 30-200 -evalue 10 -outfmt $outfmt"
done
for outfmt in 5 15 16; do silently "-query masked -subject T -subject_loc 12-345 -lcase_masking -query_loc 30-200 -outfmt $outfmt"; done
for order in 0 1 2 3 4; do
    silently "-query Q -subject T -subject_loc 31-600 -evalue 100 -sorthits $order"
    silently "-query Q -subject T -subject_loc 31-600 -evalue 100 -sorthsps $order"
done
# Subjects from a pipe, from compressed FASTA, and from FASTA with a copy of the whole sequences
# beside it.
both '-query Q -subject <(cat T) -subject_loc 20-200 -outfmt 6'
both '-query Q -subject - -subject_loc 20-200 -outfmt 6 <T'
last_command='blastp -subject T.gz'
(cd ours && "$programs/dropin/blastp" -query Q -subject T.gz -subject_loc 20-200 -outfmt 6 >../.out 2>../.err) || fail 'an error'
same ours/standard-output .out
"$programs/dbconv" inputs/T -o inputs/T.wsdb >.out 2>.err || fail 'no copy'
both '-query Q -subject T -subject_loc 20-200 -outfmt 6'
rm inputs/T.wsdb
# A range that begins right behind the end of a sequence leaves nothing of it, and blastp warns of
# that. If the range begins further behind, it is an error.
last=$(sed -n 2p inputs/two | tr -d '\n' | wc -c)
for outfmt in 0 5 6 15; do
    both "-query Q -subject T -subject_loc $((shortest + 1))-999 -outfmt $outfmt"
    [ -s ours/standard-error ] || fail 'no warning'
    both "-query Q -subject T -query_loc $((shortest_query + 1))-999 -outfmt $outfmt"
    both "-query few -subject two -subject_loc $((last + 1))-$((last + 9)) -outfmt $outfmt"
    both "-query Q -subject empty -subject_loc 1-99 -evalue 1000 -outfmt $outfmt"
    both "-query Q -subject empty -evalue 1000 -outfmt $outfmt"
    wrong "-query Q -subject T -subject_loc $((shortest + 2))-999 -outfmt $outfmt"
done
wrong '-query Q -subject empty -subject_loc 2-3'
# Invalid ranges, and command lines with another mistake besides: both programs report the same one
# first.
for range in 5-3 0-5 0-0 5-5 1-1 5 x 5- -5 5--9 5-9- -5-9 10-20-30 "''" +0-9; do
    wrong "-query Q -subject T -subject_loc $range"
    wrong "-query Q -subject T -query_loc $range"
done
for options in '-query nofile' '-query Q -query_loc 9-3' '-query Q -matrix X' '-query Q -evalue 0' '-query Q -outfmt 99' '-query Q -outfmt 13' \
    '-query Q -out absent/x' '-query Q -gapopen 3' '-query Q -max_target_seqs 2'; do
    wrong "$options -subject T -subject_loc 9-3"
done
for options in '-subject_loc 3-9' '-subject nofile -subject_loc 9-3' '-db none -subject_loc 3-9' '-subject T -subject_loc 3-9 -remote'; do wrong "-query Q $options"; done
# If a position is not a number, NCBI's message is an exception's and names places in its source.
# Only the part that states the fault is compared.
for range in a-b 5-x '5- 9' 3-2147483648 0x5-9 5.0-9; do
    for option in -subject_loc -query_loc; do
        last_command="blastp $option $range"
        for who in theirs ours; do
            path=$PATH
            [ $who = ours ] && path=$programs/dropin:$PATH
            (cd ours && PATH=$path blastp -query Q -subject T $option "$range" >../.out 2>../.err)
            status=$?
            [ $status = 255 ] || fail "exit status $status by $who"
            grep -o 'Cannot convert string.*' "$work/.err" >"$who.words" || fail "other words by $who"
        done
        same theirs.words ours.words
    done
done
# Insertions right beside deletions. Formats 1 to 4, which show all alignments in one picture, place
# them anew.
awk "$random_awk"'BEGIN {start_random(11); letters = "ACDEFGHIKLMNPQRSTVWY"}
    function any(n,  s) {while (n-- > 0) s = s substr(letters, 1 + int(random() * 20), 1); return s}
    NR == 2 {
        for (k = 1; k <= 12; ++k) {
            t = ""
            for (i = 1; i <= length($0); ++i)
                if (random() < 0.05) {t = t any(int(random() * 9)); i += int(random() * 8)} else t = t substr($0, i, 1)
            print ">gappy" k "\n" t
        }
    }' inputs/Q >inputs/gappy
gappy='-query Q -subject gappy -task blastp-short -comp_based_stats 0'
both "$gappy -outfmt '6 btop'"
grep -qE -e '-[A-Z][A-Z]-' ours/standard-output || fail 'no deletion behind an insertion'
for outfmt in 1 2 3 4; do silently "$gappy -outfmt $outfmt"; done
# -lcase_masking would have to mask lower-case letters in subjects, too. Subjects with such letters
# are refused, and so are subjects that cannot be read twice, because they may have some.
silently '-query masked -subject few -lcase_masking -outfmt 6'
for subject in masked '<(cat few)'; do
    last_command="blastp -query masked -subject $subject -lcase_masking"
    (cd inputs && bash -c "'$programs/dropin/blastp' -query masked -subject $subject -lcase_masking -outfmt 6") >.out 2>.err && fail 'no error'
    warns '-lcase_masking with a -subject that is no file, or has lower-case letters, is not supported'
    prints_nothing
done
# -subject_loc with a database as the subject is refused.
last_command='blastp -subject DB.wsdb -subject_loc'
"$programs/dbconv" inputs/T -o DB.wsdb >.out 2>.err || fail 'no database'
"$programs/dropin/blastp" -query inputs/Q -subject DB.wsdb -subject_loc 20-200 >.out 2>.err
[ $? = 1 ] || fail 'the exit status is not 1'
warns 'DB.wsdb: is a database'
prints_nothing
[ "$lines" -gt "$(thorough && echo 20000 || echo 2000)" ] || fail "only $lines lines were compared"
printf '%d command lines, %d lines, all the same\n' $compared $lines
