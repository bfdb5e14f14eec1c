#!/usr/bin/env bash
# Readers of other projects get the same from the drop-ins' output as from that of the originals.
# Biopython's SearchIO reads HMMER's report and tables, pandas reads tables, BioPerl reads the
# reports of HMMER and BLAST+, and readers like those of pipelines read HMMER's output. The test
# needs Debian's hmmer, hmmer-examples, ncbi-blast+, mmseqs2-examples, python3-biopython,
# python3-pandas, bioperl and libbio-searchio-hmmer-perl (tools/setup check installs them) and is
# skipped without them.
. "$(dirname "$0")/../../support/checks.sh"
here=$(cd "$(dirname "$0")" && pwd)
cd "$work" || exit 1

needs_files "$tutorial/globins4.hmm" "$proteins"
needs_programs hmmsearch blastp
/usr/bin/python3 -c 'import Bio.SearchIO' 2>/dev/null || skip_test 'no Biopython here'
/usr/bin/python3 -c 'import pandas' 2>/dev/null || skip_test 'no pandas here'
/usr/bin/perl -MBio::SearchIO -MBio::SearchIO::hmmer3 -e 1 2>/dev/null || skip_test 'no BioPerl here'

cat "$tutorial"/{globins4,fn3,Pkinase}.hmm >profiles.hmm
zcat "$proteins" | awk '/^>/ {++n} n <= 2000' >proteins.fa
awk '/^>/ {++n} n == 100 || n == 1000 || n == 1999' proteins.fa >queries.fa
for who in theirs ours; do
    path=$PATH
    [ $who = ours ] && path=$programs/dropin:$PATH
    for run in 'hmmsearch profiles.hmm' 'phmmer queries.fa'; do
        set -- $run
        last_command="$1 $2 proteins.fa"
        PATH=$path "$1" --cpu 1 -o $who.$1.txt --tblout $who.$1.tbl --domtblout $who.$1.dom "$2" proteins.fa >.out 2>.err || fail 'an error'
        [ ! -s .err ] || fail 'standard error is not empty'
    done
done
last_command='Biopython'
/usr/bin/python3 "$here/dropin_readers.py" hmmsearch.txt=hmmer3-text hmmsearch.tbl=hmmer3-tab hmmsearch.dom=hmmsearch3-domtab \
    phmmer.txt=hmmer3-text phmmer.tbl=hmmer3-tab phmmer.dom=phmmer3-domtab 2>.err || fail 'Biopython reads something else'
last_command='readers of pipelines'
/usr/bin/python3 "$here/dropin_pipelines.py" 2>.err || fail 'a pipeline reads something else'

last_command='BioPerl'
for who in theirs ours; do
    path=$PATH
    [ $who = ours ] && path=$programs/dropin:$PATH
    mkdir $who
    (cd $who && PATH=$path && makeblastdb -in ../proteins.fa -dbtype prot -out DB >../.out && blastp -query ../queries.fa -db DB -evalue 1e-3 -out ../$who.blastp.txt) ||
        fail 'blastp'
    for format in 6 7 10; do
        (cd $who && PATH=$path && blastp -query ../queries.fa -db DB -evalue 1e-3 -outfmt $format -out ../$who.blastp.$format) || fail 'blastp'
    done
    for report in hmmsearch.txt=hmmer3 blastp.txt=blast; do  # BioPerl does not read phmmer's report, not even HMMER's own
        /usr/bin/perl "$here/dropin_readers.pl" ${report#*=} $who.${report%=*} >$who.${report%%.*}.rows 2>.err || fail "$report"
    done
done
last_command='pandas'
/usr/bin/python3 "$here/dropin_frames.py" hmmsearch.tbl hmmsearch.dom phmmer.tbl phmmer.dom blastp.6 blastp.7 blastp.10 2>.err ||
    fail 'pandas reads something else'
for program in hmmsearch blastp; do
    [ "$(grep -c '^hsp' theirs.$program.rows)" -ge 3 ] || fail "BioPerl reads nothing in $program's report, so nothing is compared"
    same theirs.$program.rows ours.$program.rows
    printf '%s, BioPerl: %d rows, all the same\n' $program "$(grep -c . ours.$program.rows)"
done
