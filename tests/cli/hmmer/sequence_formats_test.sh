#!/usr/bin/env bash
# The drop-ins read sequence files of all formats as HMMER's programs read them: UniProt, EMBL,
# GenBank, alignments and others, as queries and as targets (sequence_formats.py). The commands of
# `search` read them, too. MAFFT's Clustal is read as HMMER 3.4 reads it. The test needs Debian's
# hmmer and hmmer-examples (tools/setup check installs them) and is skipped without them.
. "$(dirname "$0")/../../support/checks.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm" "$tutorial/globins45.fa" "$tutorial/7LESS_DROME" "$tutorial/fn3.hmm"
needs_hmmer
needs_programs python3 hmmalign hmmbuild hmmpress hmmscan jackhmmer

python3 "$here/sequence_formats.py" "$programs" random --cases "$(thorough && echo 6000 || echo 60)" >.out 2>.err ||
    fail 'a file is read differently'
grep -q '^[1-9][0-9]* cases, [1-9][0-9]* without an error' .out || fail 'nothing was compared'
cat .out

# The native commands find the same, with the names and accessions of the files.
cp "$tutorial/7LESS_DROME" seven.dat
cp "$tutorial/fn3.hmm" fn3.hmm
hmmpress fn3.hmm >/dev/null || fail hmmpress
rows() { grep -v '^#' "$1" | awk '{print $1, $2, $3, $4, $5, $6}'; }
# agrees OURS THEIRS: requires rows, and the same ones.
agrees() {
    rows "$1" >ours.rows
    rows "$2" >theirs.rows
    [ -s theirs.rows ] || fail 'nothing was found'
    same ours.rows theirs.rows
}
hmmsearch --tblout theirs -o /dev/null fn3.hmm seven.dat || fail 'an error'
grep -q P13368 theirs || fail 'no accession'
runs 0 search hmm -q fn3.hmm -d seven.dat --tblout ours -o /dev/null --quiet
agrees ours theirs
runs 0 search hmm -q fn3.hmm -d seven.dat --outfmt json -o .json --quiet
grep -q '"accession": *"P13368"' .json || fail 'no accession in JSON'
phmmer --tblout theirs -o /dev/null seven.dat seven.dat || fail 'an error'
runs 0 search hmm -q seven.dat -d seven.dat --tblout ours -o /dev/null --quiet
agrees ours theirs
jackhmmer -N 2 --tblout theirs -o /dev/null seven.dat seven.dat || fail 'an error'
runs 0 search jackhmmer -N 2 -q seven.dat -d seven.dat --tblout ours -o /dev/null --quiet
agrees ours theirs
hmmscan --tblout theirs -o /dev/null fn3.hmm seven.dat || fail 'an error'
runs 0 search hmmscan -q seven.dat -d fn3.hmm --tblout ours -o /dev/null --quiet
agrees ours theirs
hmmalign fn3.hmm seven.dat >theirs || fail 'an error'
for format in '' '--informat uniprot' '--informat embl'; do
    runs 0 search hmmalign -q fn3.hmm -d seven.dat $format
    same .out theirs
done
runs 2 search hmmalign -q fn3.hmm -d seven.dat --informat hmmpgmd
# Rows of an alignment as targets, compressed text, and no alignment at all.
hmmalign -o globins.sto "$tutorial/globins4.hmm" "$tutorial/globins45.fa" || fail 'an error'
hmmsearch --tblout theirs -o /dev/null "$tutorial/globins4.hmm" globins.sto || fail 'an error'
runs 0 search hmm -q "$tutorial/globins4.hmm" -d globins.sto --tblout ours -o /dev/null --quiet
agrees ours theirs
gzip -c seven.dat >seven.dat.gz
hmmsearch --tblout theirs -o /dev/null fn3.hmm seven.dat || fail 'an error'
runs 0 search hmm -q fn3.hmm -d seven.dat.gz --tblout ours -o /dev/null --quiet
agrees ours theirs
printf 'neither this nor that\n' >text
runs 1 search hmm -q fn3.hmm -d text
warns 'is neither a database, which dbconv makes, nor FASTA'
# An error has the line of the file.
{ cat seven.dat; printf 'ID   bad;\nSQ   x\nMK-V\n//\n'; } >bad.dat
runs 1 search hmm -q fn3.hmm -d bad.dat
warns "line $(($(wc -l <seven.dat) + 3)): illegal character -"
# Engines other than those of profiles read FASTA and databases alone.
runs 1 search sw -q "$tutorial/globins45.fa" -d seven.dat
warns 'is neither a database, which dbconv makes, nor FASTA'

# A key of --restrictdb_stkey is a name or an accession. HMMER needs an index for it.
last_command='hmmsearch --restrictdb_stkey'
key=$(grep '>' "$tutorial/globins45.fa" | sed -n '40s/>\([^ ]*\).*/\1/p')
"$programs/dropin/hmmsearch" --restrictdb_stkey "$key" --restrictdb_n 3 "$tutorial/globins4.hmm" "$tutorial/globins45.fa" >.out 2>.err || fail 'an error'
says 'Target sequences:                          3  ('
says "# Restrict db to start at seq key: $key"
"$programs/dropin/hmmsearch" --restrictdb_stkey "$key" "$tutorial/globins4.hmm" "$tutorial/globins45.fa" >.out 2>.err || fail 'an error'
says 'Target sequences:                          6  ('
"$programs/dropin/hmmsearch" --restrictdb_stkey P13368 fn3.hmm seven.dat >.out 2>.err || fail 'an error'
says 'Target sequences:                          1  ('
"$programs/dropin/hmmsearch" --restrictdb_stkey none fn3.hmm seven.dat >.out 2>.err && fail 'no error'
warns 'restrictdb_stkey'
prints_nothing

# MAFFT's Clustal gives what the same rows give below ClustalW's first line. Its last block may end
# without a line of the consensus.
hmmalign --outformat clustal "$tutorial/globins4.hmm" "$tutorial/globins45.fa" >clustal.aln || fail 'an error'
{ echo 'CLUSTAL format alignment by MAFFT (v7.505)'; tail -n +2 clustal.aln | sed 's/^ .*//' | sed '$d'; } >mafft.aln
for program in hmmbuild hmmalign hmmsearch; do
    for format in '' clustal; do
        last_command="$program mafft.aln $format"
        for file in clustal mafft; do
            cp $file.aln in.aln
            case $program in
                hmmbuild) arguments="-n x --amino ${format:+--informat $format} $file.out in.aln" ;;
                hmmalign) arguments="-o $file.out ${format:+--informat $format} $tutorial/globins4.hmm in.aln" ;;
                *) arguments="--tblout $file.out ${format:+--tformat $format} $tutorial/globins4.hmm in.aln" ;;
            esac
            "$programs/dropin/$program" $arguments >.out 2>.err || fail 'an error'
        done
        grep -avE '^(DATE|# Date|# Option)' clustal.out >expected
        grep -avE '^(DATE|# Date|# Option)' mafft.out >found
        [ -s expected ] || fail 'nothing was written'
        same expected found
    done
done
