#!/usr/bin/env bash
# Compares the drop-in hmmemit with HMMER's: samples, alignments, consensus, messages and exit
# statuses, byte for byte. The test needs Debian's hmmer and hmmer-examples (tools/setup check
# installs them), and skips without them.
. "$(dirname "$0")/../support/checks.sh"
golden=$(cd "$(dirname "$0")/../golden/hmm" && pwd)
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm"
needs_hmmer
needs_programs hmmbuild hmmemit hmmpress

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
        sed -i 's,^  [^ ]*/hmmemit -h$,  hmmemit -h,; s,do [^ ]*hmmemit -h$,do hmmemit -h,' $who.out
        sed -i -e :a -e '/^\n*$/{$d;N;ba' -e '}' $who.err
    done
    cp our.out .out
    cp our.err .err
    same their.out our.out
    same their.err our.err
    [ ! -e their.fa ] || same their.fa our.fa
}

cat "$tutorial"/{globins4,fn3,Pkinase}.hmm >tutorial.hmm
cp "$golden/every-field-3f.hmm" fields.hmm
cp "$golden/every-field-3a.hmm" old.hmm
cp tutorial.hmm pressed.hmm
hmmpress pressed.hmm >/dev/null && rm pressed.hmm
# A profile of one node, which has no core in half of its samples.
printf '# STOCKHOLM 1.0\n#=GF ID one\na A\nb A\nc C\n//\n' >one.sto
hmmbuild --amino --symfrac 0 one.hmm one.sto >/dev/null || fail 'hmmbuild fails'
awk '/^  COMPO/ {row = NR} row && NR == row + 2 {$1 = 0.79851; $2 = 2.99573; $3 = 0.69315} {print}' one.hmm >skipped.hmm
: >input

for profiles in tutorial fields old one skipped pressed; do
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
compare 1 none.hmm
compare 1 /dev/null
cp tutorial.hmm input
compare 0 --seed 9 -N 2 -
for wrong in '-N 0' '-N x' '-N 2 -c' '-c -C' '-a -p' '-L 3' '--local' '--minl 0.1' '-C --minl 1.5' '-p --local --glocal' '--seed -1' \
             '--min 1' '-x' '-o' '-N 1 -N 2'; do
    # shellcheck disable=SC2086
    compare 1 $wrong one.hmm
done
compare 1
compare 1 one.hmm one.hmm

# Two runs without a seed differ.
"$programs/dropin/hmmemit" -N 20 tutorial.hmm >first.fa && "$programs/dropin/hmmemit" -N 20 tutorial.hmm >second.fa || fail 'hmmemit fails'
! cmp -s first.fa second.fa || fail 'two runs without a seed are the same'

# Random cases.
cases=60
thorough && cases=500
for ((i = 0; i < cases; ++i)); do
    RANDOM=$((i + 1))
    profiles=(tutorial fields old one skipped)
    arguments=(--seed $((RANDOM * 32768 + RANDOM + 1)))
    case $((RANDOM % 5)) in
        0) arguments+=(-N $((RANDOM % 30 + 1))) ;;
        1) arguments+=(-a -N $((RANDOM % 30 + 1))) ;;
        2) arguments+=(-C --minl 0.$((RANDOM % 100)) --minu 0.$((RANDOM % 100))) ;;
        3) modes=(local unilocal); arguments+=(-p "--${modes[RANDOM % 2]}" -L $((RANDOM % 300)) -N $((RANDOM % 9 + 1))) ;;
        4) modes=(glocal uniglocal); arguments+=(-p "--${modes[RANDOM % 2]}" -L $((RANDOM % 300)) -N $((RANDOM % 9 + 1)))
           profiles=(tutorial fields) ;;
    esac
    compare 0 "${arguments[@]}" "${profiles[RANDOM % ${#profiles[@]}]}.hmm"
done
echo "$cases random cases are the same"
