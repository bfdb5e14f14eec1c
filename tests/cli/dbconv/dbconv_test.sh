#!/usr/bin/env bash
# dbconv converts inputs of all kinds, warns of odd ones and refuses bad ones, with the right exit
# status.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

# A plain conversion, and the sequences that the database gives back.
printf '>sp|P1|ONE first protein\nMKVL\nACDE\n\n>two\r\nmkv*\r\n>three' >in.fa
runs 0 dbconv in.fa -o db.wsdb
warns 'warning: 1 sequence is empty; it is kept'
says 'db.wsdb: 3 sequences, 12 residues, the longest 8'
says 'codec packed'
runs 0 inspect fasta db.wsdb
printf '>sp|P1|ONE first protein\nMKVLACDE\n>two\nMKV*\n>three\n' >expected.fa
same .out expected.fa

# Every kind of input gives the same database.
mkdir packed
gzip -c in.fa >packed/in.fa
runs 0 dbconv packed/in.fa -o gz.wsdb --quiet
silent
prints_nothing
digest() { "$programs/inspect" info "$1" --json | grep content_digest; }
holds 'gzip gives the same content' test "$(digest gz.wsdb)" = "$(digest db.wsdb)"
last_command='dbconv - <in.fa'
"$programs/dbconv" - -o stdin.wsdb --quiet <in.fa || fail 'standard input is not read'
holds 'standard input gives the same content' test "$(digest stdin.wsdb)" = "$(digest db.wsdb)"
if command -v zstd >zstd.path; then
    zstd -q in.fa -o in.fa.zst
    runs 0 dbconv in.fa.zst -o zst.wsdb --quiet
    holds 'zstd gives the same content' test "$(digest zst.wsdb)" = "$(digest db.wsdb)"
else
    skipped 'zstd input: no zstd program here'
fi
runs 0 dbconv in.fa -o codec.wsdb --codec zstd --quiet
holds 'the codec does not change the content' test "$(digest codec.wsdb)" = "$(digest db.wsdb)"
printf '>a\nMK\n' >a.fa
printf '>b\nMKV\n>c\nM\n' >b.fa
runs 0 dbconv a.fa b.fa -o both.wsdb --quiet
runs 0 inspect fasta both.wsdb
printf '>a\nMK\n>b\nMKV\n>c\nM\n' >expected.fa
same .out expected.fa

# The database has the same bytes with any number of threads.
for threads in 1 2 3 4; do
    runs 0 dbconv in.fa -o "threads$threads.wsdb" --threads $threads --quiet
    same "threads$threads.wsdb" db.wsdb
done

# An existing file stays unless --force is given; a failed conversion never touches it.
cp db.wsdb before.wsdb
runs 1 dbconv a.fa -o db.wsdb
warns 'db.wsdb: exists already; --force replaces it'
same db.wsdb before.wsdb
printf '>bad\nMK1V\n' >bad.fa
runs 1 dbconv bad.fa -o db.wsdb --force
warns 'bad.fa: line 2, column 3'
same db.wsdb before.wsdb
runs 0 dbconv a.fa -o db.wsdb --force --quiet
runs 0 inspect fasta db.wsdb
says '>a'
runs 2 dbconv a.fa -o a.fa --force
warns 'name the same file'

# An error in an input is reported with file and line, and no output is left behind.
refused() {
    runs 1 dbconv "$1" -o refused.wsdb
    warns "$1"
    warns "$2"
    absent refused.wsdb
}
: >empty.fa
refused empty.fa 'there is no sequence in it'
printf '\n\n\n' >blank.fa
refused blank.fa 'there is no sequence in it'
printf 'MKV\n>a\nMK\n' >headless.fa
refused headless.fa 'line 1'
printf '@read\nACGT\n+\nIIII\n' >reads.fq
refused reads.fq 'FASTQ'
printf '>a\nMK\0V\n' >nul.fa
refused nul.fa 'line 2, column 3'
gzip -c in.fa | head -c 60 >cut.fa.gz
refused cut.fa.gz 'byte'
refused missing.fa 'No such file'
mkdir folder.fa
refused folder.fa ''
if [ "$(id -u)" -ne 0 ]; then
    cp a.fa secret.fa
    chmod 000 secret.fa
    refused secret.fa 'ermission denied'
else
    skipped 'unreadable file: root may read everything'
fi

# --skip-invalid leaves bad records out and names each, even with --quiet.
printf '>good\nMKV\n>bad1 x\nM1\n>bad2\nM?\n>fine\nACD\n' >mixed.fa
runs 1 dbconv mixed.fa -o mixed.wsdb
warns 'skip-invalid'
runs 0 dbconv mixed.fa -o mixed.wsdb --skip-invalid
warns 'left out: mixed.fa: line 4, column 2'
warns '"bad1"'
warns '"bad2"'
warns 'warning: 2 invalid records were left out'
says '2 sequences'
runs 0 dbconv mixed.fa -o mixed.wsdb --skip-invalid --quiet --force
warns 'left out: mixed.fa: line 4'
runs 0 inspect stats mixed.wsdb
says 'invalid records left out 2'

# Duplicates, missing names, gaps and nucleotides are converted and counted, and dbconv warns of
# them.
printf '>same\nM-K.V\n>same again\nMK\n>\nAC\n>\t\nACD\n>  late name\nAC\n' >odd.fa
runs 0 dbconv odd.fa -o odd.wsdb
warns '1 sequence has an identifier that an earlier one has, such as "same"'
warns '2 sequences have no name'
warns "2 gap characters ('-' or '.') were removed"
runs 0 inspect fetch odd.wsdb unnamed_3 unnamed_4 same late
printf '>unnamed_3\nAC\n>unnamed_4\nACD\n>same\nMKV\n>same again\nMK\n>late name\nAC\n' >expected.fa
same .out expected.fa
printf '>d1\n%s\n>d2\n%s\n' "$(printf 'ACGT%.0s' {1..30})" "$(printf 'GGNACUU%.0s' {1..30})" >dna.fa
runs 0 dbconv dna.fa -o dna.wsdb
warns 'THESE DO NOT LOOK LIKE PROTEINS: 2 of 2 sequences look like nucleotides'
runs 1 dbconv dna.fa -o protein.wsdb --expect-protein
warns 'dna.fa: 2 of 2 sequences look like nucleotides, and --expect-protein was given'
absent protein.wsdb

# A description of a megabyte, and a sequence of 100,000 residues.
{
    printf '>long '
    head -c 1048576 /dev/zero | tr '\0' d
    printf '\n'
    head -c 100001 /dev/zero | tr '\0' W
    printf '\n'
} >long.fa
runs 0 dbconv long.fa -o long.wsdb --quiet
runs 0 inspect fasta long.wsdb --width 0
same .out long.fa

# Outputs that cannot be written.
runs 1 dbconv a.fa -o /dev/full --quiet
warns '/dev/full: cannot write'
runs 1 dbconv a.fa -o nowhere/db.wsdb
warns 'nowhere/db.wsdb: cannot create'
runs 1 dbconv a.fa -o folder.fa --force
warns 'not a regular file'
last_command='dbconv under ulimit -f'
status=0
(trap '' XFSZ; ulimit -f 8; "$programs/dbconv" long.fa -o limited.wsdb) >.out 2>.err || status=$?
holds 'a limit on file sizes is an error' test $status -eq 1
warns 'limited.wsdb: cannot write'
absent limited.wsdb
holds 'nothing is left behind' test -z "$(find . -name '*.part-*')"

# Wrong usage gives exit status 2 and a message that names the mistake.
runs 2 dbconv
warns 'no input'
runs 2 dbconv a.fa
warns 'no output'
runs 2 dbconv a.fa -o x.wsdb --codec brotli
warns 'choose packed or zstd'
runs 2 dbconv a.fa -o x.wsdb --threads 0
warns '--threads'
runs 2 dbconv a.fa -o x.wsdb --memory much
warns '--memory'
runs 2 dbconv a.fa -o x.wsdb --memory 1M --threads 2
warns 'at least 64M'
runs 2 dbconv a.fa -o x.wsdb --no-such-option
warns 'no-such-option'
absent x.wsdb
runs 0 dbconv --help
says '--skip-invalid'
runs 0 dbconv --version
says 'dbconv (warpseq)'
echo passed
