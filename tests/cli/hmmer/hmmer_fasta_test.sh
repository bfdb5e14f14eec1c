#!/usr/bin/env bash
# The drop-ins read odd FASTA as HMMER's programs read it: merged headers, gap letters, missing
# names, other line ends, and random files (hmmer_fasta.py). They also give the exit statuses of
# hmmalign. The test needs Debian's hmmer and hmmer-examples (tools/setup check installs them) and
# is skipped without them.
. "$(dirname "$0")/../../support/checks.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm" "$tutorial/globins45.fa"
needs_hmmer
needs_programs python3 hmmalign hmmbuild hmmpress jackhmmer phmmer

cp "$tutorial/globins4.hmm" g.hmm
cp g.hmm p.hmm
hmmpress p.hmm >.out || fail 'hmmpress'
awk '/^>/ {++n} n == 1' "$tutorial/globins45.fa" >one
residues=$(tail -n +2 one | tr -d '\n')
head=${residues:0:60} tail=${residues:60}
file() { printf "$2" >"$1"; }
file merged.fa ">t1 first title\001gi|5|x second title\n$residues\n>t2 \001only second\n$residues\n>t3\001gi|7 third\n$residues\n"
file dot.fa ">s1 dots\n$head...$tail\n"
file tilde.fa ">s1 others\n${head}~${tail}_*.\n"
file gap.fa ">s1 gap\n$head---$tail\n"
file bare.fa ">a x\n$residues\n>\nMKV\n"
file blank.fa ">a x\n$residues\n>  \t\nMKV\n"
file inner.fa ">a x\n$residues>b y\n$residues\n"
file semicolon.fa ">a x\n$residues\n;a comment\nMKV\n"
file before.fa "\n \n  >a x\n$residues\n"
cp before.fa before.txt
file bom.txt "\xef\xbb\xbf>a x\n$residues\n"
file nul.fa ">a\0b x\0y\n$residues\n"
file return.fa ">a x\r$head\r$tail\r>b\r$residues\r"
file unfinished.fa ">a x\n$residues\n>b"
file none.txt ' \n\n'

# both COMMAND...: requires that the drop-in has the status, the output and the message of the
# original.
strip() { sed -E '/^# (HMMER |Copyright |Freely |Version|Current dir|Date|CPU time|Mc\/sec)/d' "$1"; }
both() {
    local who status
    last_command="$*"
    for who in theirs ours; do
        status=0
        (if [ $who = ours ]; then PATH=$programs/dropin:$PATH; fi; exec "$@") </dev/null >.$who 2>$who.err || status=$?
        echo $status >$who.status
        strip .$who >$who.out
        [ ! -e D ] || { strip D >>$who.out; rm D; }
    done
    cp ours.err .err
    cp .ours .out
    # If HMMER crashes, there is nothing to compare with, but the drop-in must not crash.
    if [ "$(cat theirs.status)" -ge 128 ]; then
        [ "$(cat ours.status)" -lt 128 ] || fail 'the drop-in crashes'
        return
    fi
    same theirs.status ours.status
    [ "$(tr -d '\200-\377\000-\010' <theirs.err)" = "$(tr -d '?' <ours.err)" ] || same theirs.err ours.err
    same theirs.out ours.out
}
for file in *.fa *.txt; do
    both hmmsearch --cpu 0 --domtblout D g.hmm $file
    both hmmscan --cpu 0 --domtblout D p.hmm $file
    both phmmer --cpu 0 --domtblout D one $file
    both phmmer --cpu 0 $file one
    sampled 6 && both jackhmmer --cpu 0 -N 2 one $file
    sampled 6 && both jackhmmer --cpu 0 -N 2 $file one
    both hmmalign g.hmm $file
done
both hmmsearch --cpu 0 --domtblout D g.hmm merged.fa
grep -q '^gi|' ours.out && fail 'a second title is shown'
grep -q 'second' ours.out && fail 'a second title is shown'
both hmmsearch --cpu 0 g.hmm gap.fa
warns 'Line 2: illegal character -'

# In a database of merged headers, and with the native command, descriptions end at Ctrl-A, too.
runs 0 dbconv merged.fa -o merged.wsdb --quiet
PATH=$programs/dropin:$PATH hmmsearch --cpu 0 --noali g.hmm merged.wsdb >ours.out 2>.err || fail 'an error'
PATH=$PATH hmmsearch --cpu 0 --noali g.hmm merged.fa >theirs.out || fail 'an error'
strip theirs.out | sed 's/merged.fa/merged.wsdb/' >expected
strip ours.out >.out
same .out expected
runs 0 search hmm -q g.hmm -d merged.fa --quiet --noali
grep -q second .out && fail 'a second title is shown'
# A copy that dbconv made is read if it holds everything, and not if gaps were left out.
runs 0 dbconv gap.fa -o gap.fa.wsdb --quiet
both hmmsearch --cpu 0 g.hmm gap.fa
warns 'illegal character -'
rm gap.fa.wsdb

# Exit statuses of hmmalign --mapali. They are Easel's numbers.
file uneven.afa '>a\nMKVLH-\n>b\nMKV\n'
file even.afa '>a\nMKVLH-\n>b\nMKVLHC\n'
file uneven.sto '# STOCKHOLM 1.0\na MKV\nb MK\n//\n'
file empty ''
file odd.txt 'neither this\n\nnor that\n'
for mapped in uneven.afa even.afa uneven.sto empty missing odd.txt none.txt; do
    both hmmalign --mapali $mapped g.hmm one
done
both hmmalign g.hmm missing
both hmmalign missing one
both hmmalign empty one
both hmmalign g.hmm uneven.sto
both hmmalign --informat stockholm g.hmm one

python3 "$here/hmmer_fasta.py" "$programs" random --cases "$(thorough && echo 2000 || echo 30)" >.out 2>.err || fail 'a random file is read differently'
grep -q '^[1-9][0-9]* cases, [1-9][0-9]* without an error' .out || fail 'nothing was compared'
cat .out
