#!/usr/bin/env bash
# Compares the drop-ins hmmstat and hmmconvert with HMMER's: output in every format, messages and
# exit statuses. The test needs Debian's hmmer and hmmer-examples (tools/setup check installs them),
# and skips without them.
. "$(dirname "$0")/../support/checks.sh"
golden=$(cd "$(dirname "$0")/../golden/hmm" && pwd)
made_profiles=$(cd "$(dirname "$0")" && pwd)/hmmconvert.py
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm"
needs_hmmer
needs_programs hmmstat hmmconvert hmmpress python3

# compare STATUS PROGRAM ARGUMENTS...: runs both programs with `input` as standard input. Output,
# messages and exit status must be the same, except the lines with which hmmstat introduces itself.
# Usage errors show the program's path, which is removed before the comparison.
: >input
compare() {
    local expected=$1 program=$2 who status path
    shift 2
    last_command="$program $*"
    for who in their our; do
        path=$program; [ $who = our ] && path=$programs/dropin/$program
        status=0
        "$path" "$@" <input >$who.all 2>$who.err || status=$?
        [ "$status" = "$expected" ] || fail "exit status of $who program is $status, expected $expected"
        LC_ALL=C sed -E "/^# (HMMER |Copyright|Freely)/d; s,do [^ ]*/($program -h),do \\1," $who.all >$who.out
    done
    cp our.err .err
    cp our.out .out
    same their.out our.out
    same their.err our.err
}

# Every output format of every input format.
cat "$tutorial"/{globins4,fn3,Pkinase}.hmm "$golden"/{every-field-3f,built-small}.hmm >all.hmm
inputs=(all.hmm)
for version in a b c d e f; do
    hmmconvert --outfmt 3/$version all.hmm >text-$version.hmm || fail 'hmmconvert fails'
    hmmconvert -b --outfmt 3/$version all.hmm >binary-$version.hmm || fail 'hmmconvert fails'
    inputs+=(text-$version.hmm binary-$version.hmm)
done
gzip -k text-f.hmm
sed 's/$/\r/' all.hmm >crlf.hmm
for input in "${inputs[@]}" text-f.hmm.gz; do
    compare 0 hmmstat $input
    for kind in -a -b -2 '' --outfmt=3/{a,b,c,d,e,f} '-b --outfmt 3/'{a,b,c,d,e,f} '--outf 3/e -a'; do
        sampled 4 || continue
        compare 0 hmmconvert $kind $input
    done
done
compare 0 hmmstat crlf.hmm
compare 0 hmmconvert crlf.hmm
cp binary-c.hmm input
compare 0 hmmstat -
compare 0 hmmconvert -2 -
cp all.hmm input
compare 0 hmmstat -
compare 0 hmmconvert -b -
: >input
compare 0 hmmconvert all.hmm
holds 'the profiles are there' grep -q '^NAME  Pkinase' our.out
# Pressed files stand in for a text that is missing.
cp all.hmm gone.hmm
hmmpress gone.hmm >/dev/null || fail 'hmmpress fails'
rm gone.hmm
compare 0 hmmstat gone.hmm
compare 0 hmmconvert gone.hmm

# Help and usage errors.
compare 0 hmmstat -h
compare 0 hmmconvert -h
compare 0 hmmconvert -h --outfmt none a b
compare 1 hmmstat
compare 1 hmmstat all.hmm all.hmm
compare 1 hmmstat -x all.hmm
compare 1 hmmstat --eval2score all.hmm
compare 1 hmmstat -h -h
compare 1 hmmconvert
compare 1 hmmconvert all.hmm all.hmm
for words in '-a -b' '-b -a' '-a -2' '-2 -a' '-b -2' '-b2' '-2 -b' '-2 -2' '-x' '--none' '-2 --outfmt 3/a' '--outfmt 3/a --outfmt 3/a' \
    '--outfmt 3/a --outfmt -x' '--outfmt -x' '--outfmt 3/g' '--outfmt=' '--outfmt a' '--outfmt 3/A' '--outfmt 3/aa' '--outfmt'; do
    compare 1 hmmconvert $words all.hmm
done
compare 1 hmmconvert --outfmt 3/g missing.hmm

# Files that are missing, empty or in other formats.
printf 'hello you\n' >hello.txt
printf '>a b\nMKV\n' >fasta.fa
printf '\n \n' >blank.hmm
printf '%0200d\n' 0 >long.txt
: >empty.hmm
mkdir folder
for version in HMMER3/g HMMER3/ HMMER3/fa HMMER3 HMMER2.3 HMMER; do
    { printf '%s [x]\n' "$version"; tail -n +2 all.hmm; } >"version-${version/\//-}.txt"
done
for input in missing.hmm '' empty.hmm /dev/null blank.hmm folder hello.txt fasta.fa long.txt version-*; do
    compare 1 hmmstat "$input"
    compare 1 hmmconvert -2 "$input"
done
cp hello.txt input
compare 1 hmmstat -
: >input
compare 1 hmmconvert -

# Faults behind a sound profile. The sound profile is written first.
sound=$tutorial/globins4.hmm
fault() { cat "$sound" - >"$1.hmm"; faults+=("$1.hmm"); }
faults=()
printf 'junk\n' | fault junk
sed 's/^LENG .*/LENG  85/' "$tutorial/fn3.hmm" | fault short
sed '/^ALPH /d' "$tutorial/fn3.hmm" | fault alphabet
sed 's/^CS .*/CS    perhaps/' "$tutorial/fn3.hmm" | fault annotation
sed '30d' "$tutorial/fn3.hmm" | fault lines
fault binary <binary-f.hmm
fault nucleotides <"$tutorial/MADE1.hmm"
head -c 20000 "$tutorial/fn3.hmm" | fault cut
hmmconvert -b "$sound" | cat - <(head -c 1000 binary-f.hmm | tail -c +1) >cut-binary.hmm
faults+=(cut-binary.hmm)
for input in "${faults[@]}"; do
    compare 1 hmmstat "$input"
    for kind in -a -b -2; do compare 1 hmmconvert $kind "$input"; done
done
# HMMER takes some files that are cut off between lines for whole ones. Here they are errors.
head -50 "$tutorial/fn3.hmm" >cut.hmm
for program in hmmstat hmmconvert; do
    last_command="$program cut.hmm"
    "$program" cut.hmm >/dev/null 2>&1 || fail 'HMMER finds the fault'
    "$programs/dropin/$program" cut.hmm >.out 2>.err && fail 'it is read'
    warns 'bad file format in HMM file cut.hmm'
done

# An output that is the input is refused.
cp all.hmm same.hmm
for program in hmmstat hmmconvert; do
    last_command="$program same.hmm >>same.hmm"
    "$programs/dropin/$program" same.hmm >>same.hmm 2>.err && fail 'it is done'
    warns 'name the same file'
    same same.hmm all.hmm
done

# `search hmmstat` and `search hmmconvert` give the same, with their own program in the format line.
runs 0 search hmmstat -d all.hmm -o table
same <(hmmstat all.hmm | tail -n +6) table
"$programs/search" hmmstat -d - <binary-a.hmm >table || fail 'standard input is not read'
same <(hmmstat binary-a.hmm | tail -n +6) table
runs 0 search hmmconvert -d all.hmm --hmmer2 -o old.hmm
same <(hmmconvert -2 all.hmm) old.hmm
runs 0 search hmmconvert -d all.hmm -b --outfmt 3/b -o old.hmm
same <(hmmconvert -b --outfmt 3/b all.hmm) old.hmm
runs 0 search hmmconvert -d binary-f.hmm --outfmt 3/c
same <(hmmconvert --outfmt 3/c binary-f.hmm | sed 's/^HMMER3.*//') <(sed 's/^HMMER3.*//' .out)
says 'HMMER3/c [3.3.2 | warpseq '
runs 1 search hmmstat -d cut.hmm
warns 'Is the file cut off?'
runs 1 search hmmconvert -d cut.hmm -o new.hmm
absent new.hmm
runs 1 search hmmconvert -d missing.hmm
prints_nothing
runs 2 search hmmstat
runs 2 search hmmstat all.hmm
runs 2 search hmmconvert -d all.hmm --outfmt 3/g
runs 2 search hmmconvert -d all.hmm --hmmer2 -b
runs 2 search hmmconvert -d all.hmm --hmmer2 --outfmt 3/a
runs 2 search hmmconvert -d all.hmm -o all.hmm

# Generated profiles under random options.
cases=60
thorough && cases=500
"$made_profiles" "$programs" --cases $cases || fail 'made profiles differ'
printf 'hmmstat, hmmconvert: all the same\n'
