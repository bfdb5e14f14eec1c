#!/usr/bin/env bash
# Runs the tutorial of HMMER's User's Guide, as far as it is about proteins, step by step with
# HMMER's programs and with the drop-ins. Everything that a step prints and writes must be the same.
#
# The files are those of the tutorial. A few thousand proteins, and the tutorial's globins, stand in
# for UniProt. The test needs Debian's hmmer, hmmer-examples and mmseqs2-examples (tools/setup check
# installs them), and skips without them.
. "$(dirname "$0")/../support/hmmer_lines.sh"
cd "$work" || exit 1

alignments="$tutorial/globins4.sto $tutorial/fn3.sto $tutorial/Pkinase.sto"
needs_files $alignments "$tutorial/globins45.fa" "$tutorial/HBB_HUMAN" "$tutorial/7LESS_DROME" "$proteins"
needs_hmmer
family='hmmbuild hmmsearch phmmer jackhmmer hmmscan hmmpress hmmfetch hmmalign hmmemit hmmstat hmmconvert'
needs_programs $family
finds_dropins $family
mkdir inputs
cp $alignments "$tutorial/globins45.fa" "$tutorial/HBB_HUMAN" "$tutorial/7LESS_DROME" inputs/
zcat "$proteins" | awk '/^>/ {++n} n % 8 == 1' >inputs/uniprot_sprot.fasta
cat inputs/globins45.fa >>inputs/uniprot_sprot.fasta
sed -n 's/^>\([^ ]*\).*/\1/p' inputs/globins45.fa | head -5 >inputs/mytargets.list
printf 'Pkinase\nglobins4\n' >inputs/myqueries.list

# step LINES: runs the lines of a section of the tutorial with both. None may fail, and none may
# write a message. unsigned FILE... removes dates and the name of the program from profiles, because
# indices, pressed and binary profiles depend on them.
step() {
    silently "set -e
export HMMER_NCPU=1
unsigned() { sed -i 's,^HMMER3/f .*,HMMER3/f,; /^DATE /d' \"\$@\"; }
$1
rm -f *.wspressed"
}
# shows PATTERN FILE: requires that the outputs that were compared have such a line.
shows() { grep -q -- "$1" "ours/$2" || fail "$2 has no line with $1"; }
minifam='for family in globins4 fn3 Pkinase; do hmmbuild $family.hmm $family.sto; done
cat globins4.hmm fn3.hmm Pkinase.hmm >minifam
unsigned *.hmm minifam'

# Running a HMMER program. Only hmmfetch names Easel, and only our jackhmmer has --seq_limit.
for program in $family; do
    step "$program -h | grep -vE '^# Easel |^ +--seq_limit '"
    both "$program"
    [ "$(cat ours/exit-status)" = 1 ] || fail 'no usage error without arguments'
done

# Searching a sequence database with a profile.
step 'hmmbuild globins4.hmm globins4.sto
hmmsearch globins4.hmm uniprot_sprot.fasta >globins4.out'
shows '^>> ' globins4.out
step 'hmmbuild globins4.hmm globins4.sto
hmmsearch --tblout globins4.tbl --domtblout globins4.dtbl --pfamtblout globins4.ptbl -A globins4.found globins4.hmm uniprot_sprot.fasta
hmmsearch --noali --acc --notextw -E 1e-20 --domE 1e-10 -Z 500000 globins4.hmm uniprot_sprot.fasta
hmmbuild again.hmm globins4.found
hmmsearch --max again.hmm globins45.fa'
shows '^#=GR .* PP' globins4.found
[ "$(grep -vc '^#' ours/globins4.tbl)" -gt 44 ] || fail 'globins are missing'

# Single sequence queries, and iterative searches.
step 'phmmer HBB_HUMAN uniprot_sprot.fasta
phmmer --tblout T --domtblout D --pfamtblout P -A S HBB_HUMAN globins45.fa'
step 'jackhmmer HBB_HUMAN uniprot_sprot.fasta
jackhmmer -N 3 --tblout T --domtblout D -A S --chkhmm H --chkali C HBB_HUMAN globins45.fa'
shows '^@@ Continuing' standard-output

# Multidomain proteins. The query is in the format of UniProt.
step 'hmmbuild fn3.hmm fn3.sto
hmmsearch fn3.hmm 7LESS_DROME >fn3.out
hmmsearch --domtblout fn3.dtbl --cut_ga --max fn3.hmm 7LESS_DROME'
shows 'domain 9 ' fn3.out

# A profile database: its summary, searches of it, and profiles from it.
step "$minifam
hmmstat minifam
hmmpress minifam
hmmscan minifam 7LESS_DROME
hmmscan --tblout T --domtblout D --pfamtblout P --noali --acc minifam globins45.fa
hmmsearch minifam 7LESS_DROME
hmmfetch minifam fn3
rm minifam
hmmstat minifam
hmmscan minifam HBB_HUMAN"
shows '^>> Pkinase' standard-output
step "$minifam"'
hmmfetch --index minifam
hmmfetch minifam PF00041.20
hmmfetch -o Pkinase minifam Pkinase
hmmfetch -f minifam myqueries.list
cat myqueries.list | hmmfetch -f minifam - | hmmsearch - uniprot_sprot.fasta >fetched.out'
shows '^Query: *globins4' fetched.out

# Multiple alignments, samples of a profile, and its other formats.
step "$minifam
hmmalign globins4.hmm globins45.fa
hmmalign --mapali globins4.sto globins4.hmm globins45.fa
hmmalign --trim --outformat afa -o trimmed.afa fn3.hmm 7LESS_DROME
hmmemit -c globins4.hmm
hmmemit -N 10 --seed 1 Pkinase.hmm | hmmsearch Pkinase.hmm -
hmmemit -p -L 200 -N 3 --seed 2 fn3.hmm
hmmemit -a -N 5 --seed 3 globins4.hmm >emitted.sto
hmmbuild emitted.hmm emitted.sto
hmmconvert -b minifam >minifam.binary
hmmconvert -2 minifam >minifam.h2
hmmconvert minifam.binary
hmmsearch minifam.h2 HBB_HUMAN"

# Standard input and compressed files.
step "$minifam"'
hmmpress minifam
cat globins4.hmm | hmmsearch - uniprot_sprot.fasta
cat uniprot_sprot.fasta | hmmsearch globins4.hmm -
cat globins45.fa | hmmscan minifam -
cat 7LESS_DROME | hmmscan --qformat uniprot minifam -
cat HBB_HUMAN | phmmer - globins45.fa
cat HBB_HUMAN | jackhmmer - globins45.fa
cat globins45.fa | hmmalign globins4.hmm -
cat globins4.sto | hmmbuild --informat stockholm -n globins4 piped.hmm -
cat minifam | hmmstat -
cat minifam | hmmfetch - fn3
cat minifam | hmmconvert -
awk '"'NR == FNR {wanted[\">\" \$1]; next} /^>/ {on = \$1 in wanted} on'"' mytargets.list uniprot_sprot.fasta | hmmsearch globins4.hmm -'
step 'gzip -c globins4.sto >globins4.sto.gz
gzip -c uniprot_sprot.fasta >uniprot_sprot.fasta.gz
hmmbuild globins4.hmm globins4.sto.gz
gzip -c globins4.hmm >compressed.hmm.gz
hmmsearch compressed.hmm.gz uniprot_sprot.fasta.gz
gunzip -c uniprot_sprot.fasta.gz | phmmer HBB_HUMAN -
rm *.gz'
printf '%d steps of the tutorial, all the same\n' $compared
