#!/usr/bin/env bash
# Compares how the drop-in programs and HMMER's read profiles in HMMER2's format: what hmmfetch
# makes of them, with the statistics of their calibration, the results of hmmsearch and hmmscan, the
# alignments of hmmalign, pressed files, indices, and the exit statuses for damaged files.
#
# The profiles are those of HMMER's tutorial, as `hmmconvert -2` writes them, changed in many ways,
# and random ones. The test needs Debian's hmmer, hmmer-examples and mmseqs2-examples (tools/setup
# check installs them), and skips without them.
. "$(dirname "$0")/../support/checks.sh"
golden=$(cd "$(dirname "$0")/../golden/hmm" && pwd) || exit 1
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm" "$proteins"
needs_hmmer
needs_programs hmmconvert hmmfetch hmmpress hmmalign hmmscan hmmstat hmmemit

zcat "$proteins" | awk '/^>/ {++n} n <= 1500' >db.fa
cat "$tutorial/globins45.fa" >>db.fa
head -40 "$tutorial/globins45.fa" >few.fa
for name in globins4 fn3 Pkinase; do hmmconvert -2 "$tutorial/$name.hmm" >$name.h2 || fail "hmmconvert fails"; done
cat globins4.h2 fn3.h2 Pkinase.h2 >three.h2

# change SED_SCRIPT FILE: a file whose first profile, globins4, is changed.
change() { sed -E "$1" globins4.h2 >"$2"; }
change 's/^NULE.*/&\nEVD   -45.953121   0.233932/; s/^HMMER2.0.*/HMMER2.0  [2.3.2]/; s/^NSEQ.*/COM   hmmbuild -F  x.hmm y.sto  \nCOM   hmmcalibrate x.hmm\n&\nCKSUM 4711/' calibrated.h2
change '/^(DESC|ACC|MAP|NSEQ|DATE|RF|CS|XT|NULT) /d' bare.h2
change 's/^NSEQ.*/NSEQ  0/; s/^(RF|CS).*/\1   yes/; s/^     - /     x /; s/^LENG.*/DESC\n&/; s/^DATE.*/DATE  with blanks behind  /' annotated.h2
change 's/^NAME.*/&_of_a_changed_name/; s/^NSEQ.*/&\nGA    25.05 22.5;\nTC    30; 20\nNC    7 6/; /^ +[0-9]+ /s/ [0-9]+$/ -/' cutoffs.h2
change 's/^ALPH.*//; s/^LENG.*/ALPH  AMINO\n&\n# a comment\n\nREFERENCE none/; s/  +/\t/g' order.h2
sed 's/$/\r/' three.h2 >crlf.h2
{ printf '# a comment\n\n'; cat globins4.h2; printf '# another\n\n'; cat fn3.h2; } >comments.h2
cp "$golden/every-field-2.hmm" golden.h2
# A profile that tells hardly anything: every match state has the background's frequencies.
awk '/^HMM /{nodes = 1} nodes && NF == 22 && $1 ~ /^[0-9]+$/ {for (i = 2; i < 22; ++i) $i = 0} {print}' globins4.h2 >flat.h2

# Random profiles. Each can be entered, because HMMER crashes when it calibrates one that cannot.
profiles=25; thorough && profiles=250
awk -v count=$profiles "$random_awk"'
function score(lowest, highest) {
    if (random() < 0.04) return "*"
    if (random() < 0.05) return 0
    return int(lowest + (highest - lowest) * random())
}
function row(n, lowest, highest,    i, text) {
    for (i = 0; i < n; ++i) text = text sprintf(" %6s", score(lowest, highest))
    return text
}
BEGIN {
    start_random(42)
    for (p = 1; p <= count; ++p) {
        nodes = 1 + int(random() * random() * 60); map = random() < 0.5; rf = random() < 0.5; cs = random() < 0.5
        print "HMMER2.0\nNAME  random" p
        if (random() < 0.5) print "ACC   R" p
        if (random() < 0.5) print "DESC  random profile " p
        print "LENG  " nodes "\nALPH  Amino"
        if (rf) print "RF    yes"
        if (cs) print "CS    yes"
        if (map) print "MAP   yes"
        print "NULE" row(20, -2000, 1000)
        print "HMM A C D E F G H I K L M N P Q R S T V W Y\n m->m m->i m->d i->m i->i d->m d->d b->m m->e"
        print -1 - int(random() * 2000), "*", -1 - int(random() * 2000)
        for (k = 1; k <= nodes; ++k) {
            print k row(20, -4000, 3000) (map ? " " k + 3 : "")
            print (rf ? "x" : "-") row(20, -2000, 500)
            printf "%s", cs ? "H" : "-"
            for (i = 0; i < 9; ++i) printf " %d", -1 - random() * random() * 9000
            print ""
        }
        print "//"
    }
}' >random.h2

# compare WHAT PROGRAM ARGUMENTS...: runs both programs in folders of their own. Their outputs,
# without the lines about program and time, and their exit statuses must be the same.
plain() { grep -avE '^#|^\[ok\]|CPU time|Mc/sec' "$1" | sed -E 's/^HMMER3\/f .*/HMMER3\/f/; s/^(#=GF AU ).*/\1/'; }
compare() {
    local who program
    last_command="$*"
    for who in their our; do
        program=$1; [ $who = our ] && program=$programs/dropin/$1
        mkdir -p $who
        ( cd $who && "$program" "${@:2}" >../$who.out 2>../$who.err </dev/null; echo "exit status $?" >>../$who.out )
        plain $who.out >$who.lines
    done
    same their.lines our.lines
}
names() { sed -nE 's/^NAME[[:blank:]]+([^ \t\r]+).*/\1/p' "$1"; }

for file in globins4 fn3 Pkinase three calibrated bare annotated cutoffs order crlf comments golden flat random; do
    names $file.h2 >keys
    compare hmmfetch ../$file.h2 "$(tail -1 keys)"
    compare hmmfetch -f ../$file.h2 ../keys
    [ "$(grep -c '^STATS' our.lines)" -eq $((3 * $(wc -l <keys))) ] || fail "not all profiles have statistics"
    mkdir -p their our
    for who in their our; do cp $file.h2 $who/p.h2; rm -f $who/p.h2.*; done
    compare hmmfetch --index p.h2
    same their/p.h2.ssi our/p.h2.ssi
    compare hmmfetch -f p.h2 ../keys
    rm their/p.h2.ssi our/p.h2.ssi
    compare hmmpress p.h2
    # HMMER leaves a number in pressed profiles undefined, except in the first one of a file.
    if [ "$(wc -l <keys)" -eq 1 ]; then
        for ending in h3m h3i h3f h3p; do same their/p.h2.$ending our/p.h2.$ending; done
    fi
    compare hmmfetch -f p.h2 ../keys
    for program in hmmconvert hmmstat; do compare $program ../$file.h2; done
done
compare hmmemit --seed 3 ../three.h2
zcat -f three.h2 | gzip -c >three.h2.gz
compare hmmfetch ../three.h2.gz fn3

# The locations of its filters' scores are -infinity, in every format. Every score passes.
hmmconvert flat.h2 >flat-3f.hmm && hmmconvert -b flat.h2 >flat-binary.hmm && hmmconvert --outfmt 3/a flat.h2 >flat-3a.hmm ||
    fail 'hmmconvert fails'
[ "$(grep -c -- ' -inf' flat-3f.hmm)" -eq 2 ] && grep -q 'VMU -inf' flat-3a.hmm || fail 'the locations are finite'
for file in flat-3f flat-binary flat-3a; do
    for options in '' -b -2 '--outfmt 3/a'; do compare hmmconvert $options ../$file.hmm; done
    compare hmmstat ../$file.hmm
    compare hmmemit --seed 1 ../$file.hmm
    compare hmmalign ../$file.hmm ../few.fa
    compare hmmsearch --cpu 0 -E 1e9 ../$file.hmm ../few.fa
    grep -q '^>> ' our.lines || fail 'there are no hits'
    for who in their our; do cp $file.hmm $who/flat; rm -f $who/flat.*; done
    compare hmmpress flat
    for ending in h3m h3i h3f h3p; do same their/flat.$ending our/flat.$ending; done
    compare hmmscan --cpu 0 -E 1e9 flat ../few.fa
    grep -q '^>> ' our.lines || fail 'there are no hits'
done
sed 's/^\(STATS LOCAL FORWARD *\)[-0-9.]*/\1-inf/' flat-3f.hmm >nowhere.hmm
runs 1 search hmmstat -d nowhere.hmm
warns 'found "STATS LOCAL FORWARD'

# searches FILE OPTIONS...: compares hmmsearch's report and tables.
searches() {
    compare hmmsearch --cpu 0 --tblout tbl --domtblout dom "${@:2}" "../$1" ../db.fa
    local table
    for table in tbl dom; do
        for who in their our; do grep -v '^#' $who/$table >$who.rows; done
        same their.rows our.rows
    done
    printf 'hmmsearch %s: %d rows, all the same\n' "$*" "$(wc -l <our.rows)"
}
searches three.h2
[ "$(wc -l <our.rows)" -gt 30 ] || fail "so few hits prove nothing"
searches three.h2 --max --seed 7 --noali
searches calibrated.h2 -E 1e-5 --nobias
searches cutoffs.h2 --cut_ga
compare hmmscan --cpu 0 --noali p.h2 ../few.fa  # pressed random profiles
for who in their our; do cp three.h2 $who/three; done
compare hmmpress three
compare hmmscan --cpu 0 three ../few.fa
for file in globins4 calibrated bare annotated; do compare hmmalign ../$file.h2 ../few.fa; done
compare hmmalign --trim --outformat a2m ../bare.h2 ../few.fa
compare hmmalign ../three.h2 ../few.fa
# Standard input, and warpseq's own command.
"$programs/dropin/hmmfetch" - fn3 <three.h2 >our.out || fail "standard input is not read"
same <(hmmfetch three.h2 fn3 | tail -n +2) <(tail -n +2 our.out)
runs 0 search hmm -q three.h2 -d db.fa --quiet -o our.txt --tblout our.tbl
hmmsearch --cpu 0 --tblout their.tbl three.h2 db.fa >/dev/null || fail "hmmsearch fails"
same <(grep -v '^#' their.tbl) <(grep -v '^#' our.tbl)

# Damaged files. Both programs fail with the same exit status, and if the beginning of the file is
# wrong, with the same message.
damaged() { # WHAT PROGRAM ARGUMENTS...
    compare "${@:2}"
    [ "$(tail -1 our.lines)" = 'exit status 1' ] || fail "$1: $(tail -1 our.lines)"
    [ -s our.err ] || fail "$1: no message"
}
while IFS='|' read -r what script; do
    change "$script" damaged.h2
    damaged "$what" hmmsearch ../damaged.h2 ../few.fa
    damaged "$what" hmmalign ../damaged.h2 ../few.fa
    damaged "$what" hmmfetch ../damaged.h2 globins4
done <<'END'
no name|/^NAME/d
an empty name|s/^NAME.*/NAME/
an empty accession|s/^LENG.*/ACC\n&/
no length|/^LENG/d
a longer length|s/^LENG.*/LENG  150/
a shorter length|s/^LENG.*/LENG  148/
DNA|s/^ALPH.*/ALPH  DNA/
no alphabet's name|s/^ALPH.*/ALPH/
RF|s/^RF.*/RF    perhaps/
NSEQ|s/^NSEQ.*/NSEQ  many/
DATE|s/^DATE.*/DATE/
COM|s/^DATE.*/COM/
one cutoff|s/^DATE.*/GA    25.0/
background|s/^NULE.*/NULE  1 2 3/
another node|s/^    50 /    51 /
few scores|s/^(    50  *[-0-9*]+).*/\1/
no column|s/^(    50 .*)  *[0-9]+$/\1/
few transitions|s/^(     -     -[0-9]+  -[0-9]+).*/\1/
END
cat globins4.h2 "$tutorial/fn3.hmm" >damaged.h2
damaged 'HMMER2, then HMMER 3' hmmfetch ../damaged.h2 fn3
cat "$tutorial/fn3.hmm" globins4.h2 >damaged.h2
damaged 'HMMER 3, then HMMER2' hmmfetch ../damaged.h2 globins4
compare hmmfetch ../damaged.h2 fn3
for version in HMMER2.1 HMMER1.0 'HMMER2.0x' hello_of_a_name_that_is_longer_than_a_message_may_be; do
    change "s/^HMMER2.0.*/$version [x]/" damaged.h2
    for arguments in "hmmsearch ../damaged.h2 ../few.fa" "hmmalign ../damaged.h2 ../few.fa" \
        "hmmfetch ../damaged.h2 globins4" "hmmpress ../damaged.h2" "hmmscan ../damaged.h2 ../few.fa"; do
        damaged "$version" $arguments
        same their.err our.err
    done
done
printf '\xb5\xed\xed\xe8\x01\x01\x01\x01' >damaged.h2
damaged 'binary HMMER2' hmmsearch ../damaged.h2 ../few.fa
same their.err our.err

# A file that is cut off is an error. HMMER takes it for the end of the file.
for lines in 5 100 "-1"; do
    head -n $lines globins4.h2 >cut.h2
    status=0
    "$programs/dropin/hmmsearch" cut.h2 few.fa >.out 2>.err || status=$?
    [ $status -eq 1 ] || fail "a cut file: exit status $status"
    warns 'Is the file cut off?'
done
