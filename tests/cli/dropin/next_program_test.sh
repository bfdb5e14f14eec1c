#!/usr/bin/env bash
# A drop-in hands nucleotides on: it runs the next program of its name in PATH, with the same
# arguments and standard input, and never in a loop. Most of the next programs here are scripts that
# print what they were given. HMMER's and BLAST's own programs are tried at the end, if they are
# installed.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
inherited=$PATH

# A script that stands for an original. It prints its name and arguments, copies standard input, and
# ends with status 37.
mkdir originals
cat >original <<'END'
#!/bin/bash
printf '%s' "${0##*/}"
printf ' [%s]' "$@"
echo
cat
exit 37
END
for program in hmmbuild hmmpress hmmalign hmmemit hmmfetch hmmstat hmmconvert hmmsearch hmmscan phmmer jackhmmer makeblastdb blastdbcmd blastp; do
    cp original originals/$program
    chmod +x originals/$program
done

printf 'HMMER3/f [3.3.2]\nNAME  d\nLENG  1\nALPH  DNA\nRF    no\n' >dna.hmm
sed 's/DNA/rna/' dna.hmm >rna.hmm
printf 'HMMER2.0\nNAME  d\nALPH  Nucleic\n' >old.hmm
printf '\xba\xed\xed\xe8\0\0\0\0\1\0\0\0\2\0\0\0' >binary.hmm
gzip -k dna.hmm
cp binary.hmm pressed.hmm.h3m
printf '# STOCKHOLM 1.0\na ACGUACGUUAGC\nb ACGUACGUUAGC\n//\n' >rna.sto
printf '>p\nMKVLHCAEWGT\n' >p.fa
printf '>d\nACGTACGTTGCAACGTAGG\n' >d.fa
: >x.nin

# goes_on COMMAND...: runs a command with the drop-ins first in PATH. The original has to get the
# arguments and the bytes of `input`.
goes_on() {
    local status=0
    last_command="$*"
    PATH=$programs/dropin:$work/originals:$inherited "$@" <input >.out 2>.err || status=$?
    [ $status = 37 ] || fail "exit status $status is not the original's"
    { printf '%s' "${1##*/}"; printf ' [%s]' "${@:2}"; echo; cat input; } >expected
    same .out expected
    silent
}
# stays STATUS COMMAND...: requires that the drop-in does the work itself and ends with STATUS.
stays() {
    local status=0
    last_command="${*:2}"
    PATH=$programs/dropin:$work/originals:$inherited "${@:2}" <input >.out 2>.err || status=$?
    [ $status = "$1" ] || fail "exit status $status, expected $1"
}

printf 'some input\n' >input
for profiles in dna.hmm rna.hmm old.hmm binary.hmm dna.hmm.gz; do
    goes_on hmmsearch --cpu 1 $profiles p.fa
    goes_on hmmsearch $profiles -
    goes_on hmmscan $profiles p.fa
    goes_on hmmalign --trim $profiles p.fa
    goes_on hmmfetch $profiles d
    goes_on hmmemit $profiles
    goes_on hmmfetch -f $profiles -
    goes_on hmmfetch --index $profiles
    goes_on hmmpress -f $profiles
    goes_on hmmstat $profiles
    goes_on hmmconvert -2 $profiles
done
goes_on hmmsearch pressed.hmm p.fa
mkdir elsewhere
cp dna.hmm elsewhere/far.hmm
PFAMDB=nowhere:elsewhere goes_on hmmscan far.hmm p.fa
goes_on hmmalign --dna dna.hmm 'a file with blanks'
goes_on hmmalign --rna missing.hmm ''
goes_on hmmbuild --dna out.hmm missing.sto
goes_on hmmbuild --rna -n 'a "name"' out.hmm rna.sto
goes_on hmmbuild out.hmm rna.sto
goes_on hmmbuild out.hmm d.fa
goes_on makeblastdb -in d.fa -dbtype nucl -no_such_option
goes_on makeblastdb -dbtype nucl -in - -title t -out t
goes_on blastdbcmd -dbtype nucl -db anything -entry all
goes_on blastdbcmd -db x -entry all
goes_on blastdbcmd -entry_batch - -db "$work/x"
mkdir databases
: >databases/y.nal
BLASTDB=databases goes_on blastdbcmd -db y -info
# The drop-in itself handles usage errors, help and proteins.
stays 1 hmmsearch dna.hmm
stays 0 hmmbuild --dna -h
stays 2 blastdbcmd -db x -dbtype prot -entry all
stays 1 hmmsearch p.fa p.fa
stays 0 makeblastdb -in p.fa -dbtype prot -out p
stays 0 phmmer p.fa d.fa

# The drop-in looks at standard input, which is a file, a pipe or a socket. All of it goes to the
# original.
cat dna.hmm <(head -c 300000 /dev/zero | tr '\0' x) >input
goes_on hmmsearch - p.fa
goes_on hmmalign --trim - p.fa
goes_on hmmfetch - d
goes_on hmmconvert -b -
pipe() {  # COMMAND...: does the same through a pipe that is written to slowly
    last_command="slow pipe: $*"
    { head -c 7 input; sleep 0.1; tail -c +8 input | head -c 40; sleep 0.1; tail -c +48 input; } |
        PATH=$programs/dropin:$work/originals:$inherited "$@" >.out 2>.err
    [ "${PIPESTATUS[1]}" = 37 ] || fail "exit status ${PIPESTATUS[1]} is not the original's"
    { printf '%s' "$1"; printf ' [%s]' "${@:2}"; echo; cat input; } >expected
    same .out expected
}
pipe hmmsearch - p.fa
pipe hmmfetch -f - keys
if command -v python3 >/dev/null; then
    last_command='hmmsearch - with a socket as standard input'
    python3 - "$programs" >.out 2>.err <<'END' || fail 'the original did not get all'
import os, socket, subprocess, sys
ours, theirs = socket.socketpair()
environment = dict(os.environ, PATH=sys.argv[1] + "/dropin:originals:" + os.environ["PATH"])
child = subprocess.Popen(["hmmsearch", "-", "p.fa"], stdin=theirs, stdout=subprocess.PIPE, env=environment)
theirs.close()
text = open("input", "rb").read(20000)  # what fits into a socket and a pipe
ours.sendall(text[:50])
ours.sendall(text[50:])
ours.close()
assert child.stdout.read() == b"hmmsearch [-] [p.fa]\n" + text
assert child.wait() == 37
END
else
    skipped 'no python3: no socket as standard input'
fi
{ cat rna.sto; head -c 200000 /dev/zero | tr '\0' '#'; echo; } >input
goes_on hmmbuild --informat stockholm out.hmm -
pipe hmmbuild --informat stockholm out.hmm -
last_command='hmmbuild of a process substitution'
PATH=$programs/dropin:$work/originals:$inherited bash -c 'hmmbuild out.hmm <(cat rna.sto)' >.out 2>.err </dev/null
[ $? = 37 ] || fail 'the original was not run'
sed -i 's/cat$/cat; [ ! -e "$2" ] || cat "$2"/' originals/hmmbuild
PATH=$programs/dropin:$work/originals:$inherited bash -c 'hmmbuild out.hmm <(cat rna.sto)' >.out 2>.err </dev/null
tail -n +2 .out >got
same got rna.sto

# Signal dispositions and an empty argument are handed on; nothing is interpreted by a shell.
# Signals from 32 on are the C library's.
cat >originals/hmmpress <<'END'
#!/bin/bash
ignored=$(awk '/^SigIgn/ {print $2}' /proc/self/status)
printf '%x\n' $((16#$ignored & 16#7fffffff))
END
for ignored in '' 'HUP PIPE' 'XFSZ'; do
    last_command="hmmpress with ignored signals: $ignored"
    ([ -z "$ignored" ] || trap '' $ignored; PATH=$programs/dropin:$work/originals:$inherited; hmmpress dna.hmm >.out 2>.err; originals/hmmpress >expected)
    same .out expected
done
cp original originals/hmmpress
last_command='a signal ends it'
printf '#!/bin/bash\nkill -TERM $$\n' >originals/hmmpress
PATH=$programs/dropin:$work/originals:$inherited bash -c 'hmmpress dna.hmm; echo $?' >.out 2>.err
[ "$(cat .out)" = 143 ] || fail 'the status is not the signal'
cp original originals/hmmpress

# The drop-ins never run in a loop. They pass over other names, links, copies and other
# installations of warpseq, in any order.
printf 'x\n' >input
mkdir links copies again folder
for program in hmmsearch makeblastdb; do
    ln -s "$programs/warpseq" links/$program
    ln "$programs/warpseq" copies/$program 2>/dev/null || cp "$programs/warpseq" copies/$program
    cp "$programs/warpseq" again/$program
    mkdir folder/$program
done
cp "$programs/warpseq" warpseq-copy
mkdir linked
ln -s ../warpseq-copy linked/hmmsearch
for path in links:copies:again:originals again:links:originals:copies folder:linked:again:links:originals links::again:nowhere:originals; do
    last_command="PATH=$path hmmsearch"
    PATH=$path:$inherited timeout 20 hmmsearch dna.hmm p.fa <input >.out 2>.err
    [ $? = 37 ] || fail 'the original was not run'
    [ "$(cat .out)" = 'hmmsearch [dna.hmm] [p.fa]
x' ] || fail 'the original was called otherwise'
done
for path in links links:copies:again:linked again:links; do
    last_command="PATH=$path hmmsearch, and no original"
    PATH=$path:/nowhere /usr/bin/timeout 20 "$programs/dropin/hmmsearch" dna.hmm p.fa >.out 2>.err
    [ $? = 1 ] || fail 'not an error with status 1'
    warns 'dna.hmm holds profiles of DNA; warpseq works on proteins, and PATH has no other hmmsearch to hand this on to'
done
last_command='makeblastdb, and no original'
PATH=links:again /usr/bin/timeout 20 makeblastdb -in d.fa -dbtype nucl -out t >.out 2>.err
[ $? = 1 ] || fail 'not an error with status 1'
warns 'PATH has no other makeblastdb to hand this on to'
last_command='blastdbcmd, and no original'
PATH=/nowhere "$programs/dropin/blastdbcmd" -db x -entry all >.out 2>.err
[ $? = 2 ] || fail 'not an error with status 2'
warns '[x] is a database of nucleotides; warpseq works on proteins, and PATH has no other blastdbcmd'
# A script in PATH before the original that calls the program again by its name.
mkdir wrapper
printf '#!/bin/bash\nexec hmmsearch "$@"\n' >wrapper/hmmsearch
chmod +x wrapper/hmmsearch
last_command='a script that calls hmmsearch'
PATH=$programs/dropin:wrapper:originals:$inherited timeout 20 hmmsearch dna.hmm p.fa <input >.out 2>.err
[ $? = 37 ] || fail 'the original was not run'
# A program that cannot be started is passed over. A message names it if there is no other.
mkdir broken
printf 'no program' >broken/hmmsearch
chmod +x broken/hmmsearch
printf 'no program' >not-executable
last_command='a broken program'
PATH=$programs/dropin:broken:originals:$inherited timeout 20 hmmsearch dna.hmm p.fa <input >.out 2>.err
[ $? = 37 ] || fail 'the original was not run'
PATH=broken "$programs/dropin/hmmsearch" dna.hmm p.fa >.out 2>.err
[ $? = 1 ] || fail 'not an error with status 1'
warns 'broken/hmmsearch cannot be started: '
last_command='warpseq hmmsearch'
PATH=$programs/dropin:$work/originals:$inherited "$programs/warpseq" hmmsearch dna.hmm p.fa <input >.out 2>.err
[ $? = 37 ] || fail 'the original was not run'

# HMMER's and BLAST's own programs.
PATH=$inherited
if command -v hmmbuild >/dev/null && command -v nhmmer >/dev/null; then
    last_command='hmmbuild and hmmsearch of RNA'
    PATH=$programs/dropin:$inherited hmmbuild -n r --informat stockholm r.hmm - <rna.sto >.out 2>.err || fail 'an error'
    grep -q '^ALPH *RNA' r.hmm || fail 'no profile of RNA'
    PATH=$programs/dropin:$inherited hmmpress r.hmm >.out 2>.err || fail 'an error'
    cat r.hmm | PATH=$programs/dropin:$inherited hmmalign - d.fa >.out 2>.err || fail 'an error'
    says '# STOCKHOLM'
else
    skipped 'no hmmer here'
fi
if PATH=$inherited command -v makeblastdb >/dev/null; then
    last_command='makeblastdb and blastdbcmd of nucleotides'
    PATH=$programs/dropin:$inherited makeblastdb -in d.fa -dbtype nucl -out nucleotides >.out 2>.err || fail 'an error'
    PATH=$programs/dropin:$inherited blastdbcmd -db nucleotides -entry all >.out 2>.err || fail 'an error'
    says ACGTACGTTGCAACGTAGG
else
    skipped 'no ncbi-blast+ here'
fi
