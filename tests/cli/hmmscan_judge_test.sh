#!/usr/bin/env bash
# hmmscan and hmmpress, under their own names and as `search hmmscan`, against HMMER's own: reports and tables byte by byte but for the lines
# about program, files and time; text files of profiles and pressed ones, ours and HMMER's. Needs Debian's hmmer, hmmer-examples and mmseqs2-examples
# (tools/setup check installs them); skips without.
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm" "$proteins"
needs_hmmer

zcat "$proteins" | awk '/^>/ {++n} n % 7 == 1 && n <= 4000' >q.fa
printf '>nothing of no residues\n\n>short\nMKV\n>all X\nXXXXXXXXXXXXXXXXXXXX\n' >>q.fa
# The same family under several names, with and without accessions, descriptions and cutoffs.
cat "$tutorial"/{globins4,fn3,Pkinase}.hmm >three.hmm
{
    cat three.hmm
    sed -E '/^NAME/s/$/_bare/; /^(ACC|DESC|GA|TC|NC) /d' three.hmm
    sed -E '/^NAME/s/$/_of_a_very_long_name_that_widens_columns/; /^ACC/s/$/.99/; /^(GA|TC|NC) /d; s/^CKSUM.*/&\nGA    30.5 20.25;\nTC    40 30\nNC    12 10/' three.hmm
} >p.hmm
for who in their our; do mkdir $who; cp p.hmm $who/; done
( cd their && hmmpress p.hmm >log ) || fail "hmmpress fails"
( cd our && "$programs/dropin/hmmpress" p.hmm >log ) || fail "our hmmpress fails"
same their/log our/log

strip() {
    grep -vE '^# (hmmscan|search|HMMER|warpseq|Copyright|Freely|Program:|Version:|Option settings:|Current dir:|Date:|CPU time|Mc/sec)|^# (output directed|per-seq hits|per-dom hits|pfam-style)|^# target HMM database' "$1"
}

# judge OPTIONS...
judge() {
    ( cd their && hmmscan --cpu 0 -o txt --tblout tbl --domtblout dom --pfamtblout pfam "$@" p.hmm ../q.fa ) || fail "hmmscan fails"
    ( cd our && "$programs/dropin/hmmscan" --cpu 0 -o txt --tblout tbl --domtblout dom --pfamtblout pfam "$@" p.hmm ../q.fa ) || fail "our hmmscan fails"
    local output
    for output in txt tbl dom pfam; do
        for who in their our; do strip $who/$output >$who.lines; done
        same their.lines our.lines
    done
    printf 'hmmscan %s: %d rows, %d domains, all the same\n' "$*" "$(grep -vc '^#' our/tbl)" "$(grep -vc '^#' our/dom)"
}

judge
[ "$(grep -vc '^#' our/tbl)" -gt 30 ] || fail "so few hits prove nothing"
judge --acc --noali -E 1e-5 --domE 1 --incE 1e-20
judge --notextw -T 5 --domT 3 --incdomT 20 -Z 20000 --domZ 3
judge --max --nonull2 --seed 7
judge --nobias --F1 0.5 --F2 0.1 --F3 0.01 -E 1000

# Cutoffs of their own. A profile without is an error only where a sequence passes its first filters.
for who in their our; do awk '/^NAME/ {keep = /very_long/} /^HMMER3/ {head = $0; next} /^NAME/ && keep {print head} keep' p.hmm >$who/p.hmm; done
( cd their && hmmpress -f p.hmm >/dev/null ) || fail "hmmpress fails"
# Ours is pressed of the old file now, so that the text is read.
judge --cut_ga
judge --cut_tc --acc
( cd our && "$programs/dropin/hmmpress" -f p.hmm >/dev/null ) || fail "our hmmpress fails"
judge --cut_nc --noali

# What HMMER has pressed is read where there is no text, and so is ours; by hmmsearch, too.
cp our/tbl before.tbl
for who in their our; do
    mkdir alone; cp $who/p.hmm.h3* alone/
    ( cd alone && "$programs/dropin/hmmscan" -o /dev/null --tblout tbl --cut_nc --noali p.hmm ../q.fa ) || fail "pressed files alone are not read"
    same <(grep -v '^#' before.tbl) <(grep -v '^#' alone/tbl)
    ( cd alone && "$programs/dropin/hmmsearch" -o txt p.hmm ../q.fa && "$programs/dropin/hmmsearch" -o txt2 ../our/p.hmm ../q.fa ) || fail "hmmsearch does not read pressed files"
    same <(strip alone/txt | grep -v 'query HMM file') <(strip alone/txt2 | grep -v 'query HMM file')
    rm -r alone
done
# Profiles in binary form are HMMER's, to the byte.
same their/p.hmm.h3m our/p.hmm.h3m

# search hmmscan is the same, with its own words around; standard input; tables of columns and JSON exchange queries and targets.
"$programs/search" hmmscan -q - -d our/p.hmm --cut_nc --noali --domtblout ours.dom -o ours.txt --threads 2 --quiet <q.fa || fail "standard input is not read"
same <(grep -v '^#' our/txt) <(grep -v '^#' ours.txt)
same <(grep -v '^# ' our/dom) <(grep -v '^# ' ours.dom)
runs 0 search hmmscan -q q.fa -d our/p.hmm --cut_nc --outfmt '6 qseqid sseqid qlen slen qstart qend sstart send' -o ours.tsv
same <(awk '!/^#/ {print $4, $1, $6, $3, $18, $19, $16, $17}' our/dom) <(tr '\t' ' ' <ours.tsv)
runs 0 search hmmscan -q q.fa -d our/p.hmm --cut_nc --outfmt json -o ours.json
python3 -c "import json; assert len(json.load(open('ours.json'))['queries']) > 500" || fail "no such JSON"

# Mistakes, in HMMER's words.
for arguments in "p.hmm" "- q.fa" "none.hmm ../q.fa" "p.hmm none.fa" "-E 0 p.hmm ../q.fa" "--cut_ga -E 1 p.hmm ../q.fa" "--qformat nonsense p.hmm ../q.fa"; do
    for who in their our; do
        program=hmmscan; [ $who = our ] && program=$programs/dropin/hmmscan
        # shellcheck disable=SC2086
        ( cd $who && $program $arguments >../$who.out 2>../$who.err; echo "exit status $?" >>../$who.err )
        sed -i "s#$programs/dropin/##" $who.out
    done
    same their.out our.out
    same their.err our.err
done

# A changed byte is an error that names a file, or changes nothing: forms and profiles that no sequence asks for are not read.
runs 0 search hmmscan -q q.fa -d our/p.hmm -o sound.txt --cut_nc --threads 1 --quiet
noticed=0 harmless=0
for file in h3i h3m h3f h3p; do
    cp our/p.hmm.$file sound
    bytes=$(stat -c %s sound)
    for at in 3 9 20 41 70 130 4097 4110 4200 4400 $((bytes / 3)) $((bytes / 2)) $((bytes - 3)); do
        [ "$at" -lt "$bytes" ] || continue
        cp sound our/p.hmm.$file
        printf 'Q' | dd of=our/p.hmm.$file bs=1 seek="$at" conv=notrunc status=none
        # What does not begin as our index is HMMER's, and the text is read.
        if "$programs/search" hmmscan -q q.fa -d our/p.hmm -o damaged.txt --cut_nc --threads 1 --quiet 2>err; then
            harmless=$((harmless + 1))
            same <(strip sound.txt) <(strip damaged.txt)
            rm damaged.txt
        else
            noticed=$((noticed + 1))
            grep -q "our/p.hmm.h3" err || fail "byte $at of $file: no file is named: $(cat err)"
            [ ! -e damaged.txt ] || fail "a report of damaged profiles appeared"
        fi
    done
    cp sound our/p.hmm.$file
done
[ $noticed -gt 20 ] || fail "only $noticed changed bytes were noticed"
printf 'hmmscan: %d changed bytes of pressed files noticed, %d changed nothing\n' $noticed $harmless

# Each of the four has to be there, and to be of one pressing.
for file in h3m h3f h3p; do
    mv our/p.hmm.$file sound
    runs $([ $file = h3m ] && echo 0 || echo 1) search hmmscan -q q.fa -d our/p.hmm -o report.txt --cut_nc
    cp their/p.hmm.$file our/
    [ $file = h3m ] || runs 1 search hmmscan -q q.fa -d our/p.hmm -o report.txt --cut_nc
    mv sound our/p.hmm.$file
done
