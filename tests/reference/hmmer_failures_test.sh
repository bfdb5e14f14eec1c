#!/usr/bin/env bash
# Compares what the drop-ins and HMMER's programs leave after failures in the middle of a run: the
# report and the tables so far, messages and exit statuses. Also tables where queries have no
# residues. The test needs Debian's hmmer and hmmer-examples (tools/setup check installs them), and
# skips without them.
. "$(dirname "$0")/../support/hmmer_lines.sh"
cd "$work" || exit 1

needs_files "$tutorial/globins45.fa"
needs_hmmer
needs_programs hmmbuild hmmscan jackhmmer hmmpress
finds_dropins hmmsearch phmmer hmmscan jackhmmer hmmbuild
unset HMMER_NCPU
mkdir inputs
cd inputs || exit 1
cp "$tutorial/globins4.hmm" "$tutorial/fn3.hmm" .
cp "$tutorial/globins45.fa" F
cp "$tutorial/HBB_HUMAN" Q
cat fn3.hmm globins4.hmm >two.hmm
hmmpress two.hmm >/dev/null || fail 'hmmpress fails'
{ cat globins4.hmm; sed 's/^NAME .*/NAME  second/' globins4.hmm | head -60; echo rubbish; } >cut.hmm
sed 's/^LENG .*/LENG  x/' globins4.hmm | cat - fn3.hmm >bad.hmm
bad='>bad one\nMVHL1TPEE\n>after\nMVHLTPEE\n'
{ cat F; printf "$bad"; } >bad-target.fa
{ cat Q; printf "$bad"; } >bad-second.fa
{ printf "$bad"; cat Q; } >bad-first.fa
{ printf '>none\n'; cat Q; printf '>none\n'; } >none-first.fa
{ cat Q; printf '>none\n'; } >none-last.fa
printf '>none\n' >none.fa
{ cat Q; sed 's/^>/>second_/' Q; cat F; } >two.fa
for number in 1 2 3 4 5; do sed "1a #=GF ID name$number" "$tutorial/globins4.sto"; done >five.sto
{ cat five.sto; printf '# STOCKHOLM 1.0\n#=GF ID ragged\na MVHL\nb MV\n//\n'; } >ragged.sto
{ cat five.sto; printf '# STOCKHOLM 1.0\na MVHL\nb MVHL\n//\n'; } >nameless.sto
cd ..

# fails STATUS LINE: requires that both programs fail with this status and leave the same. The
# drop-in's messages may have further lines that begin with the file and the line of the fault.
fails() {
    both "{ $2; } 2>messages; status=\$?; grep -vE '^([^ ]*: line [0-9]+: .*)?\$' messages >>messages-of-hmmer; rm messages; exit \$status"
    [ "$(cat ours/exit-status)" = "$1" ] || fail "not an error with status $1"
    [ -s ours/messages-of-hmmer ] || fail 'no message'
}
# Queries that cannot be read. The results of those before them are there.
fails 1 'hmmsearch --cpu 1 cut.hmm F'
grep -q '^Query:       globins4' ours/standard-output || fail 'the first query has no results'
fails 1 'hmmsearch --cpu 1 -o R --tblout T --domtblout D --pfamtblout P -A M cut.hmm F'
[ "$(wc -l <ours/T)" -gt 40 ] || fail 'the table has no rows'
fails 1 'phmmer --cpu 1 -o R --tblout T --domtblout D -A M bad-second.fa F'
fails 1 'phmmer --cpu 1 --tblout T bad-first.fa F'
fails 1 'jackhmmer --cpu 1 -N 2 -o R --tblout T --domtblout D -A M --chkhmm H --chkali S bad-second.fa F'
[ -s ours/H-2.hmm ] && [ -s ours/S-2.sto ] || fail 'there are no checkpoints'
fails 1 'jackhmmer --cpu 1 -N 2 --tblout T bad-first.fa F'
fails 1 'hmmscan --cpu 1 -o R --tblout T --domtblout D two.hmm bad-second.fa'
fails 1 'hmmscan --cpu 1 --tblout T two.hmm bad-first.fa'
# A profile without cutoffs behind one that has them. The report ends with the lines about it.
fails 1 'hmmsearch --cpu 1 --cut_ga -o R --tblout T two.hmm F'
fails 1 'hmmsearch --cpu 1 --cut_ga globins4.hmm F'
# Standard input cannot be read again for a second query.
fails 1 'hmmsearch --cpu 1 -o R --tblout T --domtblout D --pfamtblout P -A M two.hmm - <F'
grep -q '^Query: *fn3' ours/R || fail 'the first query has no results'
fails 1 'hmmsearch --cpu 1 cut.hmm - <F'
fails 1 'phmmer --cpu 1 -o R --tblout T -A M two.fa - <F'
fails 1 'phmmer --cpu 1 -o R --tblout T none-first.fa - <F'
fails 1 'phmmer --cpu 1 bad-second.fa - <F'
# Targets that cannot be read. The first query with residues begins, and all other files are empty.
fails 1 'hmmsearch --cpu 1 -o R --tblout T --domtblout D --pfamtblout P -A M two.hmm bad-target.fa'
fails 1 'hmmsearch --cpu 1 fn3.hmm bad-target.fa'
fails 1 'phmmer --cpu 1 -o R --tblout T -A M none-first.fa bad-target.fa'
fails 1 'jackhmmer --cpu 1 -o R --tblout T -A M --chkhmm H --chkali S Q bad-target.fa'
# The first profile cannot be read, so there is nothing. HMMER's files are empty.
fails 1 'hmmsearch --cpu 1 bad.hmm F'
# hmmbuild has profiles under way that it does not finish. The drop-in leaves no file of profiles.
for threads in 0 1; do
    fails 7 "hmmbuild --cpu $threads made ragged.sto; status=\$?; rm -f made; (exit \$status)"
    fails 1 "hmmbuild --cpu $threads made nameless.sto; status=\$?; rm -f made; (exit \$status)"
done
grep -q '^4  ' ours/standard-output || fail 'the table of hmmbuild has no rows'
[ "$(grep -c '^[0-9]' ours/standard-output)" = 4 ] || fail 'the table of hmmbuild has other rows'

# Tables begin with their titles only if the first query has residues.
for queries in none-first none-last none; do
    silently "phmmer --cpu 1 --tblout T --domtblout D --pfamtblout P $queries.fa F"
    silently "jackhmmer --cpu 1 -N 2 --tblout T --domtblout D $queries.fa F"
done
grep -q '^# target name' theirs/T && fail 'a table without queries has titles'
silently 'hmmscan --cpu 1 --tblout T --domtblout D two.hmm none-first.fa'
silently 'phmmer --cpu 1 --tblout T none-last.fa - <F'
printf '%d command lines, all the same\n' $compared
