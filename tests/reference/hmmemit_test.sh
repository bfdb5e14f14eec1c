#!/usr/bin/env bash
# Compares the drop-in hmmemit with HMMER's: samples, alignments, consensus, messages and exit
# statuses, byte for byte. The test needs Debian's hmmer and hmmer-examples (tools/setup check
# installs them), and skips without them.
. "$(dirname "$0")/../support/checks.sh"
golden=$(cd "$(dirname "$0")/../golden/hmm" && pwd)
made_profiles=$(cd "$(dirname "$0")" && pwd)/hmmemit.py
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm"
needs_hmmer
needs_programs hmmbuild hmmconvert hmmemit hmmpress python3

# compare STATUS ARGUMENTS...: runs both programs, which have to exit with STATUS. Outputs and
# messages must be the same. Usage errors name the program's path, which is replaced before.
compare() {
    local expected=$1 status=0 who program
    shift
    last_command="hmmemit $*"
    for who in their our; do
        program=hmmemit; [ $who = our ] && program=$programs/dropin/hmmemit
        rm -f out.fa
        "$program" "$@" >$who.out 2>$who.err <input || status=$?
        [ "$status" = "$expected" ] || fail "$who exit status is $status, expected $expected"
        status=0
        [ ! -e out.fa ] || mv out.fa $who.fa
        sed -i -E 's,do [^ ]*hmmemit -h$,do hmmemit -h,; /^# (HMMER |Copyright|Freely)/d' $who.out
    done
    cp our.out .out
    cp our.err .err
    same their.out our.out
    same their.err our.err
    [ ! -e their.fa ] || same their.fa our.fa
}

cat "$tutorial"/{globins4,fn3,Pkinase}.hmm >tutorial.hmm
cp "$tutorial/fn3.hmm" .
cp "$tutorial/fn3.sto" tutorial.sto
cp "$golden/every-field-3f.hmm" fields.hmm
cp "$golden/every-field-3a.hmm" old.hmm
cp "$golden/every-field-hmmer2.hmm" hmmer2.hmm
hmmconvert -b tutorial.hmm >binary.hmm || fail 'hmmconvert fails'
cp tutorial.hmm pressed.hmm
hmmpress pressed.hmm >/dev/null && rm pressed.hmm
# A profile of one node, which has no core in half of its samples.
printf '# STOCKHOLM 1.0\n#=GF ID one\na A\nb A\nc C\n//\n' >one.sto
hmmbuild --amino --symfrac 0 one.hmm one.sto >/dev/null || fail 'hmmbuild fails'
awk '/^  COMPO/ {row = NR} row && NR == row + 2 {$1 = 0.79851; $2 = 2.99573; $3 = 0.69315} {print}' one.hmm >skipped.hmm
: >input

for profiles in tutorial fields old hmmer2 binary one skipped pressed; do
    for seed in 1 42 2147483647; do
        compare 0 --seed $seed $profiles.hmm
        compare 0 --seed $seed -N 7 $profiles.hmm
        compare 0 --seed $seed -a -N 5 $profiles.hmm
        compare 0 --seed $seed -p $profiles.hmm
        compare 0 --seed $seed -p --unilocal -L 0 -N 3 $profiles.hmm
    done
    compare 0 -c $profiles.hmm
    compare 0 -C $profiles.hmm
    compare 0 -C --minl 0.2 --minu 0.6 $profiles.hmm
done
for profiles in tutorial fields; do
    compare 0 --seed 5 -p --glocal -L 20 -N 20 $profiles.hmm
    compare 0 --seed 5 -p --uniglocal -L 0 -N 20 $profiles.hmm
done
compare 0 -o out.fa --seed 3 -N 2 tutorial.hmm
compare 1 -p --glocal skipped.hmm
compare 1 -p -L -1 one.hmm
compare 1 -o none/out.fa one.hmm
compare 1 -o none/out.fa none.hmm
compare 1 -o . one.hmm
compare 1 -o out.fa none.hmm
compare 1 none.hmm
compare 1 /dev/null
compare 1 tutorial.sto
compare 0 -h
# Errors in the middle leave what was written before. HMMER samples from sound profiles only.
awk '/^ALPH/ {$2 = "DNA"} {print}' one.hmm | cat fn3.hmm - >alphabets.hmm
awk '/^NAME/ {row = 0} /^  COMPO/ {row = NR} row && NR == row + 2 {$1 = "0.1"} {print}' one.hmm >unsound.hmm
awk '/^  COMPO/ {row = NR} row && NR == row + 2 {$0 = "* * 0.00000 0.61958 0.77255 0.00000 *"} {print}' one.hmm >never-entered.hmm
for profiles in alphabets unsound never-entered; do
    [ $profiles = alphabets ] || cat fn3.hmm $profiles.hmm fn3.hmm >middle.hmm
    [ $profiles != alphabets ] || cp alphabets.hmm middle.hmm
    compare 1 --seed 4 -N 2 middle.hmm
    compare 1 --seed 4 -N 2 -o out.fa middle.hmm
    compare 1 --seed 4 -p middle.hmm
    [ $profiles = alphabets ] && continue
    compare 0 --seed 4 -a middle.hmm
    compare 0 -c middle.hmm
done
cp tutorial.hmm input
compare 0 --seed 9 -N 2 -
for wrong in '-N 0' '-N x' '-N 2 -c' '-c -C' '-a -p' '-L 3' '--local' '--minl 0.1' '-C --minl 1.5' '-p --local --glocal' '--seed -1' \
             '--min 1' '-x' '-o' '-N 1 -N 2'; do
    # shellcheck disable=SC2086
    compare 1 $wrong one.hmm
done
for options in '-c -C -L 3' '--minl 0.1 -L 3' '-N 2 -C --local' '-p -a --glocal' '-h -c -a' '-p -c --minu 1' '-cC' '-o -x' '-N 2 -N 2' '-z'; do
    # shellcheck disable=SC2086
    compare 1 $options one.hmm
done
compare 1
compare 1 one.hmm one.hmm

# Two runs without a seed differ.
"$programs/dropin/hmmemit" -N 20 tutorial.hmm >first.fa && "$programs/dropin/hmmemit" -N 20 tutorial.hmm >second.fa || fail 'hmmemit fails'
! cmp -s first.fa second.fa || fail 'two runs without a seed are the same'

# `search hmmemit` gives the same sequences, and has words of its own for errors.
same_as_theirs() { # OPTIONS OF THEIRS, OURS
    # shellcheck disable=SC2086
    hmmemit $1 tutorial.hmm >theirs || fail 'hmmemit fails'
    # shellcheck disable=SC2086
    runs 0 search hmmemit -d tutorial.hmm $2
    same theirs .out
}
same_as_theirs '--seed 6' '--seed 6'
same_as_theirs '--seed 6 -N 3 -a' '--seed 6 --samples 3 --alignment'
same_as_theirs '--seed 6 -p -L 30 --uniglocal' '--seed 6 --search-model --length 30 --uniglocal'
same_as_theirs '--seed 6 -p --unilocal' '--seed 6 -p --unilocal'
same_as_theirs -c --consensus
same_as_theirs '-C --minl 0.2 --minu 0.6' '--graded --minl 0.2 --minu 0.6'
runs 0 search hmmemit -d tutorial.hmm --seed 6 -o ours.fa
prints_nothing
same ours.fa <(hmmemit --seed 6 tutorial.hmm)
for wrong in '' '-d tutorial.hmm -c -C' '-d tutorial.hmm --local' '-d tutorial.hmm --minl 0.1' '-d tutorial.hmm -c -N 2' '-d tutorial.hmm -N 0' \
             '-d tutorial.hmm -p -L -1' '-d tutorial.hmm --seed x' '-d tutorial.hmm -C --minu 2' '-d tutorial.hmm tutorial.hmm' \
             '-d tutorial.hmm -o tutorial.hmm'; do
    # shellcheck disable=SC2086
    runs 2 search hmmemit $wrong
done
runs 1 search hmmemit -d unsound.hmm
warns 'the profile "one" has no samples'
runs 1 search hmmemit -d none.hmm

# Generated profiles under random options.
cases=60
thorough && cases=500
"$made_profiles" "$programs" --cases $cases || fail 'made profiles differ'
