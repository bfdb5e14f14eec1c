#!/usr/bin/env bash
# Searches take FASTA in place of a database. The output is that for dbconv's database of the same
# file, byte for byte except for its name, for every engine and any number of threads. The test also
# shows when a copy beside the file is read, made or left alone. Files that are neither FASTA nor a
# database are refused with messages that help.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1

awk "$random_awk"'BEGIN {
    start_random(5); letters = "ACDEFGHIKLMNPQRSTVWY"
    for (q = 0; q < 3; ++q) for (i = 0; i < 120; ++i) query[q] = query[q] substr(letters, 1 + int(random() * 20), 1)
    for (s = 0; s < 400; ++s) {
        n = int(random() * random() * 600); text = ""
        for (i = 0; i < n; ++i) text = text substr(letters, 1 + int(random() * 20), 1)
        if (s % 20 == 0) text = substr(text, 1, 50) query[s / 20 % 3] substr(text, 51)
        if (s == 7) text = "MK-V..L*acdxBZJUO"
        print ">s" s " protein number " s "\n" text > "x.fasta"
    }
    for (q = 0; q < 3; ++q) print ">q" q "\n" query[q] > "q.fa"
}'
gzip -k x.fasta
if command -v zstd >"$work/.out" 2>&1; then
    zstd -qk x.fasta
    targets='x.fasta x.fasta.gz x.fasta.zst'
else
    skipped 'no zstd: FASTA compressed by it is not searched'
    targets='x.fasta x.fasta.gz'
fi
runs 0 dbconv x.fasta -o database --quiet

# searches FILE ARGUMENTS...: prints the reports of every engine in several formats.
formats='sw:0 sw:7 sw:json hmm:0 hmm:json blastp:0 blastp:5 blastp:7 blastp:15'
searches() {
    local target=$1 each format
    shift
    for each in $formats; do
        format=(--outfmt "${each#*:}")
        [ "$each" != hmm:0 ] || format=(--tblout "table")
        runs 0 search "${each%:*}" -q q.fa -d "$target" "${format[@]}" "$@"
        silent
        cat "$work/.out"
        [ "$each" != hmm:0 ] || grep -v '^#' table
    done
}
for target in $targets; do
    # The database gets a name of the same length, so that lines break at the same places.
    name=$(printf '%*s' $((${#target} - 5)) '' | tr ' ' d).wsdb
    cp database "$name"
    searches "$name" --threads 1 >expected
    for threads in 1 2 5; do
        searches "$target" --threads $threads | sed "s/$target/$name/g" >found
        last_command="every engine on $target, $threads threads"
        same expected found
    done
done
holds 'hits are found' grep -q 's380' expected
# Several targets, FASTA and databases. Reports name standard input as it was typed.
runs 0 search sw -q q.fa -d x.fasta -d database --outfmt 6
cp "$work/.out" found
runs 0 search sw -q q.fa -d database -d x.fasta.gz --outfmt 6
same "$work/.out" found
for engine in sw hmm blastp; do
    runs 0 search $engine -q q.fa -d database --outfmt 6
    cp "$work/.out" expected
    "$programs/search" $engine -q q.fa -d - --outfmt 6 <x.fasta >found 2>"$work/.err" || fail "$engine reads standard input"
    silent
    same expected found
    cat x.fasta.gz | "$programs/search" $engine -q q.fa -d - --outfmt 6 >found 2>"$work/.err" || fail "$engine reads a pipe"
    same expected found
    "$programs/search" $engine -q q.fa -d <(cat x.fasta) --outfmt 6 >found 2>"$work/.err" || fail "$engine reads /dev/fd"
    same expected found
done
"$programs/search" hmm -q q.fa -d - <x.fasta >"$work/.out"
says 'target sequence database:        -'
runs 2 search sw -q - -d -
warns 'read the same stream'
absent x.fasta.wsdb

# Memory is enough for a small input, so the folder for temporary files is not touched, whatever it
# is.
TMPDIR=$work/nowhere runs 0 search sw -q q.fa -d x.fasta --outfmt 6
# Large inputs go to TMPDIR. 40 million residues are more than what is held in memory.
awk "$random_awk"'BEGIN { start_random(9); for (i = 0; i < 997; ++i) line = line substr("ACDEFGHIKLMNPQRSTVWY", 1 + int(random() * 20), 1)
             for (s = 0; s < 40000; ++s) print ">large" s "\n" line }' >large.fa
TMPDIR=$work/nowhere runs 1 search sw -q q.fa -d large.fa --outfmt 6 --max-hits 5
warns 'nowhere: cannot create a temporary file here'
mkdir temporary
runs 0 dbconv large.fa -o large.wsdb --quiet
runs 0 search sw -q q.fa -d large.wsdb --outfmt 6 --max-hits 5
cp "$work/.out" expected
TMPDIR=$work/temporary runs 0 search sw -q q.fa -d large.fa --outfmt 6 --max-hits 5
same "$work/.out" expected
holds 'no temporary file stays' test -z "$(ls -A temporary)"
rm -f large.*

# --cache makes a copy, which has the content of dbconv's database and records which file it was
# made from. The copy is read from then on.
found() { runs 0 search sw -q q.fa -d x.fasta --outfmt 6 "$@"; }
same_content() {
    runs 0 inspect compare "$1" "$2"
    "$programs/inspect" info "$1" --json >.info
    grep -q '"copied_files"' .info
}
found --cache
cp "$work/.out" expected
same_content x.fasta.wsdb database || fail 'the copy does not record what it is of'
for member in '"name": "x.fasta"' "\"size_bytes\": $(stat -c %s x.fasta)" "\"inode\": $(stat -c %i x.fasta)" '"modified": "'; do
    holds "the copy says $member" grep -qF -- "$member" .info
done
cp x.fasta.wsdb kept
found --cache
silent
same expected "$work/.out"
same kept x.fasta.wsdb
# The file x.fasta.wsdb is not read if it has other content, is of a part or of an older file, is
# damaged, or is no database at all. A message says so, and with --cache the file stays.
tr s t <x.fasta >y.fasta # of the same size
[ "$(stat -c %s x.fasta)" = "$(stat -c %s y.fasta)" ] || fail 'sizes differ'
cp x.fasta original
not_read() {
    cp -p x.fasta.wsdb before
    found
    warns 'search sw: x.fasta.wsdb: is not read in place of x.fasta: '
    same expected "$work/.out"
    last_command="$1"
    same before x.fasta.wsdb
    found --quiet
    silent
    found --cache
    warns 'search sw: no copy is kept: x.fasta.wsdb is left as it is: '
    same expected "$work/.out"
    last_command="$1, --cache"
    same before x.fasta.wsdb
    same original x.fasta
}
runs 0 dbconv y.fasta -o x.fasta.wsdb --force --quiet
not_read 'of another file that is as large'
touch -d '2001-01-01' x.fasta.wsdb
not_read 'of another file, older'
touch -d '2099-01-01' x.fasta.wsdb
not_read 'of another file, newer'
for option in '--min-length 200' '--max-length 200' '--unique' '--list names'; do
    echo s1 >names
    # shellcheck disable=SC2086
    runs 0 dbconv x.fasta -o x.fasta.wsdb --force --quiet $option
    not_read "made with $option"
done
runs 0 dbconv x.fasta -o parts.wsdb --parts 2 --force --quiet
cp parts.part1of2.wsdb x.fasta.wsdb
not_read 'a part'
(cat y.fasta; echo '>one_more'; echo MKV) >z.fasta
runs 0 dbconv z.fasta -o x.fasta.wsdb --force --quiet
not_read 'of another size'
runs 0 dbconv y.fasta y.fasta -o x.fasta.wsdb --force --quiet
not_read 'of two files'
head -c 9000 database >x.fasta.wsdb
not_read 'cut'
echo "somebody's notes" >x.fasta.wsdb
not_read 'no database'
cp kept y.fasta.wsdb
mv y.fasta.wsdb x.fasta.wsdb
# dbconv's database of the whole file is as good as a copy, whenever it was made. Its bytes do not
# depend on when and where it was made.
for option in '' '--codec zstd' '--title T --skip-invalid'; do
    # shellcheck disable=SC2086
    runs 0 dbconv x.fasta -o x.fasta.wsdb --force --quiet $option
    touch -d '2001-01-01' x.fasta.wsdb
    cp x.fasta.wsdb before
    found --cache
    silent
    same expected "$work/.out"
    same before x.fasta.wsdb
done
# A copy that was kept is made anew once its original is another file, even an older one of the same
# size.
rm x.fasta.wsdb
found --cache
cp -p y.fasta other
touch -d '2001-01-01' other
mv other x.fasta
found
warns 'x.fasta.wsdb: is not read in place of x.fasta: it does not match the present content of x.fasta'
says "$(printf '\tt380')"
found --cache
silent
says "$(printf '\tt380')"
cp original x.fasta
found --cache
silent
same expected "$work/.out"
same_content x.fasta.wsdb database || fail 'the copy does not record what it is of'
# A bit of a copy is flipped. The copy is then not read, or the damage is found when it is read, or
# it has no effect, but hits are never different. The original is as the copy records it, so the
# copy is what the search would read.
sleep 2.1
rm x.fasta.wsdb
found --cache
cp x.fasta.wsdb kept
bytes=$(stat -c %s kept)
for ((i = 0; i < 40; ++i)); do
    at=$((i < 10 ? i * 409 : (i * 7919 * 13) % bytes))
    cp -p kept x.fasta.wsdb
    byte=$(od -An -tu1 -j $at -N 1 kept)
    printf "\\x$(printf %02x $((byte ^ (1 << i % 8))))" | dd of=x.fasta.wsdb bs=1 seek=$at conv=notrunc status=none
    last_command="search with a copy whose byte $at is another"
    if "$programs/search" sw -q q.fa -d x.fasta --outfmt 6 >"$work/.out" 2>"$work/.err"; then
        same expected "$work/.out"
    else
        warns 'x.fasta'
    fi
done
# A search that is killed while it makes a copy leaves none, or a whole one.
for milliseconds in 2 4 6 8 10 15 20 30 60; do
    rm -f x.fasta.wsdb
    "$programs/search" sw -q q.fa -d x.fasta --cache --outfmt 6 >"$work/.out" 2>"$work/.err" &
    sleep 0.0$(printf %02d $milliseconds)
    kill -9 $! 2>"$work/.err" || true
    wait $! 2>"$work/.err" || true
    last_command="search --cache, killed after $milliseconds ms"
    if [ -e x.fasta.wsdb ]; then
        runs 0 inspect compare x.fasta.wsdb database
        runs 0 inspect validate x.fasta.wsdb
    fi
    holds 'nothing else is left' test -z "$(find . -maxdepth 1 -name '*x.fasta.wsdb?*')"
done
found --cache
runs 0 inspect compare x.fasta.wsdb database
# After a change of the original, its copy is not used any more.
cp y.fasta x.fasta
found
says "$(printf '\tt380')"
cp original x.fasta
rm x.fasta.wsdb

# A copy that cannot be written is no error.
mkdir x.fasta.wsdb
found --cache
warns 'no copy is kept: x.fasta.wsdb is left as it is: it is not a regular file'
same expected "$work/.out"
rmdir x.fasta.wsdb
mkfifo x.fasta.wsdb
found --cache
warns 'no copy is kept: x.fasta.wsdb'
rm x.fasta.wsdb
mkdir closed
cp x.fasta closed
chmod a-w closed
as_nobody_special=()
[ "$(id -u)" -ne 0 ] || as_nobody_special=(setpriv --bounding-set -dac_override)
if "${as_nobody_special[@]}" test ! -w closed 2>"$work/.err"; then
    last_command='search in a folder that is closed to writers'
    "${as_nobody_special[@]}" "$programs/search" sw -q q.fa -d closed/x.fasta --cache --outfmt 6 >"$work/.out" 2>"$work/.err" || fail 'exit status'
    warns 'no copy is kept: closed/x.fasta.wsdb'
    same expected "$work/.out"
else
    skipped 'root may write everywhere: no folder that is closed to writers'
fi
chmod u+w closed
# Copies are outputs. Databases and streams have none.
runs 2 search sw -q q.fa -d x.fasta --cache -o x.fasta.wsdb
warns '--cache'
runs 2 search sw -q q.fa -d x.fasta -d x.fasta.wsdb --cache
runs 0 search sw -q q.fa -d x.fasta -d x.fasta --cache --outfmt 6
rm x.fasta.wsdb
runs 0 search sw -q q.fa -d database --cache --outfmt 6
absent database.wsdb
"$programs/search" sw -q q.fa -d - --cache <x.fasta >"$work/.out" 2>"$work/.err" || fail 'standard input with --cache'
absent ./-.wsdb

# Messages state the fault and how to go on.
printf '>one\nMK5L\n' >bad.fa
runs 1 search hmm -q q.fa -d bad.fa
warns "bad.fa: line 2, column 3: found '5' (0x35) in the sequence of"
gzip -c x.fasta | head -c 3000 >cut.gz
runs 1 search sw -q q.fa -d cut.gz
warns 'cut.gz: the gzip data is cut off'
printf '@read\nMKV\n+\nIII\n' >reads.fq
runs 1 search sw -q q.fa -d reads.fq
warns 'reads.fq: is neither a database, which dbconv makes, nor FASTA: this file looks like FASTQ'
printf 'HMMER3/f [3.3.2 | Nov 2020]\nNAME  x\n' >p.hmm
runs 1 search hmm -q q.fa -d p.hmm
warns 'p.hmm: holds profile HMMs, not sequences; profiles are queries (search hmm --query)'
gzip -c database >database.gz
runs 1 search sw -q q.fa -d database.gz
warns 'database.gz: is a database that is compressed'
mkdir folder
runs 1 search sw -q q.fa -d folder
warns 'folder: is a folder'
: >nr.pin
printf 'binary\001' >nr.psq
runs 1 search blastp -q q.fa -d nr
warns 'nr.phr: cannot open'
warns 'blastdbcmd -db nr -entry all -out nr.fasta'
runs 1 search blastp -q q.fa -d nr.psq
warns 'nr.psq: is a file of a BLAST database; name the database: nr'
awk 'BEGIN { for (s = 0; s < 9; ++s) print ">n" s "\nACGTACGTACGTTGCATTGACCAGTA" }' >dna.fa
runs 0 search sw -q q.fa -d dna.fa --outfmt 6
warns 'warning: dna.fa: 9 of 9 sequences look like nucleotides; all are searched as proteins'
runs 1 inspect info x.fasta
warns 'x.fasta: byte 0: not a warpseq database'
warns 'FASTA begins so; dbconv converts it'

# No GPU is opened for a small search unless the user asks for one. The search does not even look
# for the driver's library.
looks_for_driver() { LD_DEBUG=libs "$programs/search" sw -q q.fa --outfmt 6 "$@" 2>&1 >found | grep -c 'libcuda' >count || true; [ "$(cat count)" -ne 0 ]; }
if looks_for_driver -d database; then
    last_command='search that looks for a GPU'
    holds 'no driver for FASTA of few residues' eval '! looks_for_driver -d x.fasta'
    awk 'NR == 2 { for (q = 0; q < 1000; ++q) print ">many" q "\n" $0 }' q.fa >many.fa
    holds 'a driver for FASTA of few residues and many queries' looks_for_driver -d x.fasta -q many.fa --max-hits 1 --threads 1
    holds 'a driver for FASTA and a database' looks_for_driver -d x.fasta -d database
    holds 'a driver where a GPU is asked for' looks_for_driver -d x.fasta --device cuda
else
    skipped 'a build without kernels for GPUs, or with the driver linked: that no GPU is opened for FASTA of few residues'
fi
