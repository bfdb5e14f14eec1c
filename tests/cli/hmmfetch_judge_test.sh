#!/usr/bin/env bash
# hmmfetch against HMMER's own: profiles by name and accession, files of keys, indices byte by byte. Needs Debian's hmmer and hmmer-examples
# (tools/setup check installs them); skips without.
. "$(dirname "$0")/checks.sh"
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

# judge ARGUMENTS...: the same output, messages, exit status and files.
judge() {
    local who program
    for who in their our; do
        program=hmmfetch; [ $who = our ] && program=$programs/dropin/hmmfetch
        ( cd $who && "$program" "$@" >../$who.out 2>../$who.err; echo "exit status $?" >>../$who.err )
        sed -i -E 's/^HMMER3\/f .*/HMMER3\/f/' $who.out
        [ ! -e $who/out.hmm ] || sed -E 's/^HMMER3\/f .*/HMMER3\/f/' $who/out.hmm >>$who.out
        rm -f $who/out.hmm
    done
    last_command="hmmfetch $*"
    same their.out our.out
    same their.err our.err
}

fetches() {
    judge p.hmm fn3
    judge p.hmm "$accession"
    judge -f p.hmm keys
    judge -o out.hmm p.hmm Pkinase
    judge -f -o out.hmm p.hmm keys
}
fetches
judge -f p.hmm twice
judge p.hmm none
judge -f p.hmm unknown
judge none.hmm fn3
judge --index p.hmm
same their/p.hmm.ssi our/p.hmm.ssi
judge --index p.hmm
judge --index crlf.hmm
same their/crlf.hmm.ssi our/crlf.hmm.ssi
# With an index the keys' order is that of the profiles.
fetches
( cd their && hmmfetch -O p.hmm fn3 >../their.out ) && ( cd our && "$programs/dropin/hmmfetch" -O p.hmm fn3 >../our.out ) || fail "-O fails"
same their.out our.out
same <(tail -n +2 their/fn3) <(tail -n +2 our/fn3)
# Pressed files have an index, too.
rm their/p.hmm.ssi our/p.hmm.ssi
( cd their && hmmpress p.hmm >/dev/null ) && ( cd our && "$programs/dropin/hmmpress" p.hmm >/dev/null ) || fail "hmmpress fails"
fetches
printf 'hmmfetch: all the same\n'
