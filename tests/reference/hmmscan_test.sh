#!/usr/bin/env bash
# Compares hmmscan (the drop-in and `search hmmscan`) and hmmpress with HMMER's.
#
# Reports and tables must be the same byte for byte, except lines about program, files and time.
# Profiles are read from text files, and from files that either hmmpress has pressed. The test needs
# Debian's hmmer, hmmer-examples and mmseqs2-examples (tools/setup check installs them), and skips
# without them.
. "$(dirname "$0")/../support/checks.sh"
golden=$(cd "$(dirname "$0")/../golden/hmm" && pwd) || exit 1
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
for file in h3m h3i h3f h3p; do same their/p.hmm.$file our/p.hmm.$file; done

strip() {
    grep -vE '^# (hmmscan|search|HMMER|warpseq|Copyright|Freely|Program:|Version:|Option settings:|Current dir:|Date:|CPU time|Mc/sec)|^# (output directed|per-seq hits|per-dom hits|pfam-style)|^# target HMM database' "$1"
}

# compare OPTIONS...: runs both programs and compares all outputs.
compare() {
    ( cd their && hmmscan --cpu 0 -o txt --tblout tbl --domtblout dom --pfamtblout pfam "$@" p.hmm ../q.fa ) || fail "hmmscan fails"
    ( cd our && "$programs/dropin/hmmscan" --cpu 0 -o txt --tblout tbl --domtblout dom --pfamtblout pfam "$@" p.hmm ../q.fa ) || fail "our hmmscan fails"
    local output
    for output in txt tbl dom pfam; do
        for who in their our; do strip $who/$output >$who.lines; done
        same their.lines our.lines
    done
    printf 'hmmscan %s: %d rows, %d domains, all the same\n' "$*" "$(grep -vc '^#' our/tbl)" "$(grep -vc '^#' our/dom)"
}

compare
[ "$(grep -vc '^#' our/tbl)" -gt 30 ] || fail "so few hits prove nothing"
compare --acc --noali -E 1e-5 --domE 1 --incE 1e-20
compare --notextw -T 5 --domT 3 --incdomT 20 -Z 20000 --domZ 3
compare --max --nonull2 --seed 7
compare --nobias --F1 0.5 --F2 0.1 --F3 0.01 -E 1000

# Cutoffs of the profiles. A profile without cutoffs is an error only if a sequence passes its first
# filters.
for who in their our; do awk '/^NAME/ {keep = /very_long/} /^HMMER3/ {head = $0; next} /^NAME/ && keep {print head} keep' p.hmm >$who/p.hmm; done
( cd their && hmmpress -f p.hmm >/dev/null ) || fail "hmmpress fails"
# Our pressed files are now those of the old text, so the text is read.
compare --cut_ga
compare --cut_tc --acc
( cd our && "$programs/dropin/hmmpress" -f p.hmm >/dev/null ) || fail "our hmmpress fails"
compare --cut_nc --noali

# hmmscan and hmmsearch read the files that either hmmpress made, without the text of the profiles.
cp our/tbl before.tbl
for who in their our; do
    # The own file (.wspressed) does not fit the times of these copies. The files are read without
    # it too.
    mkdir alone; cp -p $who/p.hmm.h3* alone/
    [ $who = their ] || cp -p our/p.hmm.wspressed alone/
    ( cd alone && "$programs/dropin/hmmscan" -o /dev/null --tblout tbl --cut_nc --noali p.hmm ../q.fa ) || fail "pressed files alone are not read"
    same <(grep -v '^#' before.tbl) <(grep -v '^#' alone/tbl)
    ( cd alone && "$programs/dropin/hmmsearch" -o txt p.hmm ../q.fa && "$programs/dropin/hmmsearch" -o txt2 ../our/p.hmm ../q.fa ) || fail "hmmsearch does not read pressed files"
    same <(strip alone/txt | grep -v 'query HMM file') <(strip alone/txt2 | grep -v 'query HMM file')
    rm -r alone
done
for file in h3m h3i h3f h3p; do same their/p.hmm.$file our/p.hmm.$file; done

# `search hmmscan` gives the same results, and also reads standard input. Only the lines that name
# the program differ. Tables of columns and JSON exchange queries and targets.
"$programs/search" hmmscan -q - -d our/p.hmm --cut_nc --noali --domtblout ours.dom -o ours.txt --threads 2 --quiet <q.fa || fail "standard input is not read"
same <(grep -v '^#' our/txt) <(grep -v '^#' ours.txt)
same <(grep -v '^# ' our/dom) <(grep -v '^# ' ours.dom)
runs 0 search hmmscan -q q.fa -d our/p.hmm --cut_nc --outfmt '6 qseqid sseqid qlen slen qstart qend sstart send' -o ours.tsv
same <(awk '!/^#/ {print $4, $1, $6, $3, $18, $19, $16, $17}' our/dom) <(tr '\t' ' ' <ours.tsv)
runs 0 search hmmscan -q q.fa -d our/p.hmm --cut_nc --outfmt json -o ours.json
python3 -c "import json; assert len(json.load(open('ours.json'))['queries']) > 500" || fail "no such JSON"

# Errors have HMMER's messages.
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

# HMMER's programs read the files that ours pressed, and print the same as with their own files.
name=$(awk '/^NAME/ {print $2; exit}' our/p.hmm)
for command in "hmmstat p.hmm" "hmmfetch p.hmm $name" "hmmconvert p.hmm" "hmmsearch --noali p.hmm ../q.fa" "hmmscan --noali p.hmm ../few.fa"; do
    head -40 q.fa >few.fa
    # shellcheck disable=SC2086
    for who in their our; do ( cd $who && $command >../$who.out 2>../$who.err ) || fail "$command fails with $who pressed files: $(cat $who.err)"; done
    same <(grep -v '^#' their.out) <(grep -v '^#' our.out)
done

# For all kinds of profiles, pressed files have the same bytes as HMMER's.
#
# cut_profile M NAME FILE: prints a profile of the first M nodes of the one in FILE.
cut_profile() {
    awk -v m="$1" -v name="$2" '
        /^ACC/ { next }
        /^NAME/ { print "NAME  " name; next }
        /^LENG/ { print "LENG  " m; next }
        /^HMM  / { body = NR + 1 }
        !body || NR <= body || $1 == "COMPO" { print; if ($1 == "COMPO") compo = 1; next }
        /^\/\// { next }
        # Two lines of the begin state, then three of each node; the last node leads to the end.
        { ++line }
        line <= 2 || line < 2 + 3 * m { print; next }
        line == 2 + 3 * m { printf "          %.5f  %s        *  %s  %s  0.00000        *\n//\n", $2 == "*" ? 0 : -log(1 - exp(-$2)), $2, $4, $5 }' "$3"
}
mkdir -p press/their press/our
for m in $(seq 1 70) 79 80 81 127 128 129 255 256 257; do
    cut_profile "$m" "cut$m" "$tutorial/Pkinase.hmm"
done >press/sizes.hmm
cp p.hmm press/several.hmm
sed '/^STATS/d' "$tutorial/fn3.hmm" >press/no_statistics.hmm
sed '/^ *COMPO/d' "$tutorial/fn3.hmm" >press/no_composition.hmm
sed -E '/^(ACC|DESC|GA|TC|NC) /d' "$tutorial/fn3.hmm" >press/bare.hmm
sed -E 's/^DESC.*/DESC  Of many   words/; s/^LENG.*/&\nMAXL  517/; /^(GA|TC|NC) /d; s/^CKSUM.*/&\nTC    40 30.125/' "$tutorial/fn3.hmm" >press/more.hmm
sed 's/$/\r/' "$tutorial/globins4.hmm" >press/crlf.hmm
for format in a b c d e f; do hmmconvert --outfmt 3/$format "$tutorial/globins4.hmm" >press/3$format.hmm; done
hmmconvert -b three.hmm >press/binary.hmm
cp "$golden"/every-field-3*.hmm press/
# Profiles with probabilities of 0, and one whose begin state leads to no match state.
sed -E '/^ +1 /s/^( +1 +)[0-9.]+( +)[0-9.]+/\1*\2*/' "$tutorial/fn3.hmm" >press/zeros.hmm
awk '/^HMM  / {at = NR} at && $1 == "COMPO" {begin = NR + 2} NR == begin {print "          *  0.00000  *  0.00000  *  0.00000  *"; next} {print}' "$tutorial/fn3.hmm" >press/closed.hmm
pressings=0
for file in press/*.hmm; do
    name=$(basename "$file")
    for who in their our; do cp "$file" press/$who/; done
    ( cd press/their && hmmpress "$name" >log ) || fail "hmmpress refuses $name"
    ( cd press/our && "$programs/dropin/hmmpress" "$name" >log ) || fail "our hmmpress refuses $name"
    same press/their/log press/our/log
    for ending in h3m h3i h3f h3p; do same "press/their/$name.$ending" "press/our/$name.$ending"; done
    [ -s "press/our/$name.wspressed" ] || fail "there is no own file of $name"
    pressings=$((pressings + 1))
done
# If the file's name has a folder, the index depends on the folder's name too.
mkdir a b
for folder in '' ./ "$PWD/"; do
    cp p.hmm a/ && cp p.hmm b/
    hmmpress "${folder}a/p.hmm" >/dev/null || fail 'hmmpress fails'
    "$programs/dropin/hmmpress" "${folder}b/p.hmm" >/dev/null || fail 'our hmmpress fails'
    for ending in h3m h3i h3f h3p; do same a/p.hmm.$ending b/p.hmm.$ending; done
    rm a/* b/*
done
printf 'hmmpress: %d files of profiles pressed, all the same\n' $pressings
[ $pressings -gt 20 ] || fail 'so few prove nothing'

# A changed byte is an error that names a file, or changes nothing. Some changes are harmless,
# because forms and profiles that no sequence needs are not read.
runs 0 search hmmscan -q q.fa -d our/p.hmm -o sound.txt --cut_nc --threads 1 --quiet
noticed=0 harmless=0
for file in wspressed h3m; do
    cp -p our/p.hmm.$file sound
    bytes=$(stat -c %s sound)
    for at in 3 9 20 41 70 130 170 4097 4110 4200 4400 $((bytes / 5)) $((bytes / 4)) $((bytes / 3)) $((bytes / 2)) $((bytes - 700)) $((bytes - 3)); do
        [ "$at" -lt "$bytes" ] || continue
        cp sound our/p.hmm.$file
        printf 'Q' | dd of=our/p.hmm.$file bs=1 seek="$at" conv=notrunc status=none
        # If the own file does not belong to this text, the text is read instead.
        if "$programs/search" hmmscan -q q.fa -d our/p.hmm -o damaged.txt --cut_nc --threads 1 --quiet 2>err; then
            harmless=$((harmless + 1))
            same <(strip sound.txt) <(strip damaged.txt)
            rm damaged.txt
        else
            noticed=$((noticed + 1))
            grep -qE 'our/p.hmm.(h3m|wspressed)' err || fail "byte $at of $file: no file is named: $(cat err)"
            [ ! -e damaged.txt ] || fail "a report of damaged profiles appeared"
        fi
    done
    cp -p sound our/p.hmm.$file
done
[ $noticed -gt 12 ] || fail "only $noticed changed bytes were noticed"
printf 'hmmscan: %d changed bytes of pressed files noticed, %d changed nothing\n' $noticed $harmless

# Any of the files may be missing. Then the text is read, or the models if there is no text.
for file in h3m h3i h3f h3p wspressed; do
    mv our/p.hmm.$file sound
    runs 0 search hmmscan -q q.fa -d our/p.hmm -o report.txt --cut_nc --quiet
    same <(strip sound.txt) <(strip report.txt)
    mv sound our/p.hmm.$file
done
# The own file is never used alone, because clients may remove the other four by their names and put
# other profiles there.
cp -p our/p.hmm.wspressed own
rm our/p.hmm.h3?
sed -E 's/^NAME  fn3/NAME  FN3/' three.hmm >our/p.hmm
runs 0 search hmmscan -q q.fa -d our/p.hmm -o report.txt --quiet
holds 'the text is read' grep -q FN3 report.txt
( cd our && hmmpress p.hmm >/dev/null ) || fail 'hmmpress fails'
runs 0 search hmmscan -q q.fa -d our/p.hmm -o report.txt --quiet
holds 'what HMMER has pressed is read beside an old own file' grep -q FN3 report.txt
rm our/p.hmm
runs 0 search hmmscan -q q.fa -d our/p.hmm -o report.txt --quiet
holds 'and without the text' grep -q FN3 report.txt
# Nor is the own file used for another text of the same size and time.
cp three.hmm our/p.hmm
( cd our && "$programs/dropin/hmmpress" -f p.hmm >/dev/null ) || fail 'our hmmpress fails'
time=$(stat -c %y our/p.hmm)
sed -i -E 's/^NAME  fn3/NAME  FN3/' our/p.hmm
touch -d "$time" our/p.hmm
runs 0 search hmmscan -q q.fa -d our/p.hmm -o report.txt --quiet
holds 'a text that was changed is read' grep -q FN3 report.txt
