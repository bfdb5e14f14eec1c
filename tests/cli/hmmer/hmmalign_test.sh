#!/usr/bin/env bash
# The drop-in hmmalign and `search hmmalign` give the alignments of HMMER's hmmalign. The test has
# every output format, whole rows and trimmed ones, rows of the profile's own alignment, sequences
# of many domains, fragments, odd letters, sequences without letters, sequences from FASTA and from
# alignments of every format, and errors. It needs Debian's hmmer and hmmer-examples (tools/setup
# check installs them) and is skipped without them.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm" "$tutorial/globins45.fa"
needs_hmmer
needs_programs hmmalign hmmbuild hmmemit
ours=$programs/dropin/hmmalign

for name in globins4 fn3 Pkinase; do cp "$tutorial/$name".{hmm,sto} .; done
cp "$tutorial/globins45.fa" .
awk '/^ID/ {print ">" $2} /^SQ/ {on = 1; next} /^\/\// {on = 0} on {gsub(/ /, ""); print}' "$tutorial/7LESS_DROME" >sevenless.fa
# Fragments, odd letters, names that occur twice, descriptions, and sequences with no residues or
# hardly any.
awk '/^>/ {++n; print n % 5 == 0 ? ">twice" : $0 (n % 3 == 0 ? "  a description  of it" : ""); next}
     n % 7 == 1 {print substr($0, 1, 9); next}
     n % 7 == 2 {gsub(/L/, "J"); gsub(/KK/, "xo"); gsub(/W/, "U"); print; next}
     n % 7 == 3 {gsub(/D/, "*"); gsub(/E/, "z"); print; next}
     {print}
     END {print ">nothing\n>one\nW\n>unknown here\nXXXXXX"}' globins45.fa >odd.fa
# Sequences with many domains of one family. Their probabilities overflow, and HMMER goes over to
# logarithms.
for name in globins4 fn3 Pkinase; do
    for copies in 2 3 7; do
        printf '>%s_%d\n' $name $copies
        hmmemit --seed 5 -N $copies $name.hmm | grep -v '>' | tr -d '\n'
        printf '\n'
    done >$name.many.fa
done

compared=0
# both ARGUMENTS...: requires that the drop-in has the exit status and the standard output of
# HMMER's hmmalign, except for the path of the program.
both() {
    local theirs=0 our=0
    last_command="hmmalign $*"
    hmmalign "$@" >theirs.out 2>theirs.err || theirs=$?
    "$ours" "$@" >our.out 2>our.err || our=$?
    cp our.out .out
    cp our.err .err
    [ $theirs -eq $our ] || fail "exit status $our, HMMER's is $theirs"
    cmp -s theirs.out <(sed "s|$programs/dropin/hmmalign|hmmalign|" our.out) || fail "the output is not HMMER's: $(diff theirs.out our.out | head -3)"
    [ $theirs -ne 0 ] || [ -s our.out ] || [ "$1" = -o ] || fail 'the alignment is empty, so nothing is compared'
    compared=$((compared + 1))
}

formats='Stockholm Pfam A2M PSIBLAST SELEX AFA Clustal Clustallike PHYLIP PHYLIPS'
for format in $formats; do
    both --outformat $format globins4.hmm odd.fa
    both --trim --outformat $format globins4.hmm odd.fa
    both --outformat $format --mapali fn3.sto fn3.hmm fn3.many.fa
done
both globins4.hmm globins45.fa
both --amino fn3.hmm sevenless.fa
both --trim fn3.hmm sevenless.fa
for name in globins4 fn3 Pkinase; do
    both $name.hmm $name.many.fa
    both --mapali $name.sto $name.hmm odd.fa
    both --trim --mapali $name.sto $name.hmm odd.fa
done

# Profiles that are built from alignments of each format, and the rows of these alignments as
# sequences.
for format in $formats; do
    hmmalign --outformat $format globins4.hmm globins45.fa >all.$format
    hmmbuild --amino --informat $format -n all -o /dev/null all.hmm all.$format || fail "hmmbuild does not read $format"
    both --informat $format globins4.hmm all.$format
    # The format has to be told by content. Only A2M also needs the ending of the file's name.
    cp all.$format known
    case $format in
        A2M) cp all.$format known.a2m ;;
        *) cp all.$format known.x ;;
    esac
    both --mapali "$(ls known.*)" all.hmm sevenless.fa
    rm known*
done
# Profiles of an alignment with fragments: as it is, by hand (--hand), and with --symfrac 0.1.
awk '!/^#|^$|^\/\// {rows[NR] = 1} {print} /^\/\//{exit}' globins4.sto >whole.sto
hmmalign --outformat Pfam globins4.hmm globins45.fa |
    awk '!/^[#\/]/ && NF == 2 {if (++n % 4 == 1) {s = substr($2, 1, 60); gsub(/./, "~", s); $2 = s substr($2, 61)}
         if (n % 4 == 2) {k = length($2) - 70; s = substr($2, k + 1); gsub(/./, "~", s); $2 = substr($2, 1, k) s} print $1, $2; next}
         !/PP/ {print}' >fragments.sto
for options in '' --hand '--symfrac 0.1'; do
    hmmbuild --amino $options -n fragments -o /dev/null fragments.hmm fragments.sto || fail 'hmmbuild does not read fragments'
    both --mapali fragments.sto fragments.hmm odd.fa
    both --trim --outformat AFA --mapali fragments.sto fragments.hmm odd.fa
done

# Files, standard input, and command lines that are refused, in HMMER's words and on its stream.
hmmalign -o theirs.sto globins4.hmm odd.fa && "$ours" -o our.sto globins4.hmm odd.fa || fail 'to a file'
same theirs.sto our.sto
for line in 'globins4.hmm - <odd.fa' '- odd.fa <globins4.hmm' '--allcol globins4.hmm odd.fa' 'globins4.hmm' '- -' \
    '--outformat a3m globins4.hmm odd.fa' '--informat nothing globins4.hmm odd.fa' '--amino --dna globins4.hmm odd.fa'; do
    last_command="hmmalign $line"
    for who in theirs our; do
        command=hmmalign
        [ $who = our ] && command=$ours
        eval "$command $line" >$who.out 2>$who.err
        printf '%d\n' $? >>$who.out
    done
    cmp -s theirs.out <(sed "s|$programs/dropin/hmmalign|hmmalign|" our.out) || fail "the output is not HMMER's: $(diff theirs.out our.out | head -5)"
    compared=$((compared + 1))
done
cat globins4.hmm fn3.hmm >two.hmm
: >empty
for line in 'two.hmm odd.fa' 'globins4.hmm absent' 'absent odd.fa' 'globins4.hmm empty' '--dna globins4.hmm odd.fa' \
    '--rna globins4.hmm odd.fa'; do
    last_command="hmmalign $line"
    hmmalign $line >theirs.out 2>theirs.err
    theirs=$?
    "$ours" $line >our.out 2>our.err
    [ $? -eq $theirs ] && [ $theirs -eq 1 ] || fail 'another exit status'
    same theirs.err our.err
    compared=$((compared + 1))
done
# After an error, HMMER leaves an empty output. The drop-in does so, too, but keeps a file that was
# there.
hmmalign -o theirs.new two.hmm odd.fa 2>/dev/null
"$ours" -o our.new two.hmm odd.fa 2>/dev/null
same theirs.new our.new
"$ours" -o our.sto two.hmm odd.fa 2>/dev/null
same theirs.sto our.sto
"$ours" --mapali fn3.sto globins4.hmm odd.fa >our.out 2>our.err && fail "another profile's alignment is taken"
grep -q "^--mapali MSA fn3.sto isn't same as the one HMM came from (checksum mismatch)" our.err || fail 'the wrong message'

# `search hmmalign` gives the same with any number of threads and any CPU back end. It also writes
# A3M, which HMMER lacks.
hmmalign globins4.hmm odd.fa >theirs.sto
for threads in 1 3; do
    for backend in auto portable; do
        runs 0 search hmmalign -q globins4.hmm -d odd.fa -o our.sto --threads $threads --cpu-backend $backend
        same theirs.sto our.sto
    done
done
runs 0 search hmmalign -q globins4.hmm -d globins45.fa --aformat a3m --trim
[ "$(grep -c '>' .out)" -eq "$(grep -c '>' globins45.fa)" ] && [ "$(wc -l <.out)" -eq $((2 * $(grep -c '>' globins45.fa))) ] ||
    fail 'A3M has two lines a sequence'
runs 0 search hmmalign -q globins4.hmm -d odd.fa --stats
warns 'seconds to align'
printf '>stops\n***\n' >stops.fa
runs 1 search hmmalign -q globins4.hmm -d stops.fa
warns 'sequence stops cannot be aligned to the profile'
runs 2 search hmmalign -q globins4.hmm
runs 2 search hmmalign -q globins4.hmm -d odd.fa --outformat fasta
runs 2 search hmmalign -q globins4.hmm -d odd.fa -o odd.fa
printf '%d comparisons with hmmalign, all the same\n' $compared
