#!/usr/bin/env bash
# Compares the drop-in hmmfetch with HMMER's: profiles by name and accession, files of keys, and
# indices, byte for byte. The test needs Debian's hmmer and hmmer-examples (tools/setup check
# installs them), and skips without them.
. "$(dirname "$0")/../support/checks.sh"
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm"
needs_hmmer
needs_programs hmmfetch

for who in their our; do
    mkdir $who
    cat "$tutorial"/{globins4,fn3,Pkinase}.hmm >$who/p.hmm
    sed 's/$/\r/' $who/p.hmm >$who/crlf.hmm
    printf '# keys\nPkinase and more\n\nglobins4\n' >$who/keys
    printf 'fn3\nfn3\n' >$who/twice
    printf 'fn3\nnone\n' >$who/unknown
done
accession=$(awk '/^ACC/ {print $2; exit}' our/p.hmm)

# compare ARGUMENTS...: runs both programs. Output, messages, exit status and files must be the
# same.
compare() {
    local who program
    for who in their our; do
        program=hmmfetch; [ $who = our ] && program=$programs/dropin/hmmfetch
        ( cd $who && "$program" "$@" >../$who.out 2>../$who.err; echo "exit status $?" >>../$who.err )
        sed -i -E 's/^HMMER3\/f .*/HMMER3\/f/; s,do [^ ]*hmmfetch -h$,do hmmfetch -h,' $who.out
        [ ! -e $who/out.hmm ] || sed -E 's/^HMMER3\/f .*/HMMER3\/f/' $who/out.hmm >>$who.out
        rm -f $who/out.hmm
    done
    last_command="hmmfetch $*"
    same their.out our.out
    same their.err our.err
}

fetches() {
    compare p.hmm fn3
    compare p.hmm "$accession"
    compare -f p.hmm keys
    compare -o out.hmm p.hmm Pkinase
    compare -f -o out.hmm p.hmm keys
}
fetches
compare -f p.hmm twice
compare p.hmm none
compare -f p.hmm unknown
compare none.hmm fn3
compare --index p.hmm
same their/p.hmm.ssi our/p.hmm.ssi
compare --index p.hmm
compare --index crlf.hmm
same their/crlf.hmm.ssi our/crlf.hmm.ssi
# Messages of usage errors go to standard error.
compare
compare p.hmm
compare -x p.hmm fn3
compare -o
compare -f --index p.hmm
compare -o out.hmm -O p.hmm fn3
compare --index -
compare -f - -
# With an index, profiles come in the order of the keys.
fetches
( cd their && hmmfetch -O p.hmm fn3 >../their.out ) && ( cd our && "$programs/dropin/hmmfetch" -O p.hmm fn3 >../our.out ) || fail "-O fails"
same their.out our.out
same <(tail -n +2 their/fn3) <(tail -n +2 our/fn3)
# Pressed files have an index too.
rm their/p.hmm.ssi our/p.hmm.ssi
( cd their && hmmpress p.hmm >/dev/null ) && ( cd our && "$programs/dropin/hmmpress" p.hmm >/dev/null ) || fail "hmmpress fails"
fetches

# `search hmmfetch` gives the same profiles.
runs 0 search hmmfetch -d our/p.hmm fn3 -o ours.hmm
same <(hmmfetch their/p.hmm fn3 | tail -n +2) <(tail -n +2 ours.hmm)
runs 0 search hmmfetch -d our/p.hmm --list our/keys
same <(hmmfetch -f their/p.hmm their/keys | sed 's/^HMMER3.*//') <(sed 's/^HMMER3.*//' .out)
"$programs/search" hmmfetch -d - --list our/keys <our/p.hmm >ours.hmm || fail "standard input is not read"
same <(hmmfetch -f - their/keys <their/p.hmm | sed 's/^HMMER3.*//') <(sed 's/^HMMER3.*//' ours.hmm)
# In an index, the width of the file's name is that of the name with its folder.
mkdir a b
for folder in '' ./ "$PWD/"; do
    cp our/p.hmm a/ && cp our/p.hmm b/
    hmmfetch --index "${folder}a/p.hmm" >/dev/null || fail "hmmfetch fails"
    runs 0 search hmmfetch -d "${folder}b/p.hmm" --index
    same a/p.hmm.ssi b/p.hmm.ssi
    rm a/* b/*
done
runs 1 search hmmfetch -d our/p.hmm none
warns 'HMM none not found'
runs 1 search hmmfetch -d our/p.hmm --list our/twice
runs 2 search hmmfetch -d our/p.hmm
runs 2 search hmmfetch -d our/p.hmm fn3 globins4
runs 2 search hmmfetch -d our/p.hmm fn3 --index
runs 2 search hmmfetch -d our/p.hmm --index -o x
runs 2 search hmmfetch fn3
runs 2 search hmmfetch -d our/p.hmm fn3 -o our/p.hmm
printf 'hmmfetch: all the same\n'
