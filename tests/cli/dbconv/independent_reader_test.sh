#!/usr/bin/env bash
# A reader that was written from docs/format.md alone reads the same sequences from a database as
# inspect, for both codecs.
. "$(dirname "$0")/../../support/checks.sh"
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v python3 >"$work/.python" || ! python3 -c 'import struct' 2>"$work/.err"; then
    skip_test 'no python3 here'
fi
if ! command -v zstd >"$work/.zstd"; then
    skip_test 'no zstd program here'
fi
cd "$work" || exit 1
independent() {
    last_command="independent_reader.py $1"
    python3 "$here/../../formats/wsdb/independent_reader.py" "$1" >independent.fa 2>.err || fail 'the independent reader refuses'
    runs 0 inspect fasta "$1" --width 0
    same .out independent.fa
}
for name in tiny mixed; do
    for codec in packed zstd; do
        independent "$here/../../golden/$name-v2-$codec.wsdb"
        runs 0 dbconv "$here/../../golden/$name.fasta" -o fresh.wsdb --codec $codec --force --quiet
        independent fresh.wsdb
    done
done
# Many tiles, several blocks of headers, a linear tile, and names of all lengths that XXH3 treats
# differently.
awk "$random_awk"'BEGIN { start_random(5); for (i = 0; i < 700; ++i) { h = ">n" i; for (k = 0; k < i % 400; ++k) h = h "x"; print h " " h;
    n = i == 9 ? 9000 : int(random() * 120); s = ""; for (k = 0; k < n; ++k) s = s substr("ACDEFGHIKLMNPQRSTVWYBJZOUX*", 1 + int(random() * 27), 1); print s } }' >many.fa
for codec in packed zstd; do
    runs 0 dbconv many.fa -o many.wsdb --codec $codec --force --quiet
    independent many.wsdb
done
# Databases with taxa.
for codec in packed zstd; do
    independent "$here/../../golden/taxa-v2-$codec.wsdb"
    python3 "$here/../../formats/wsdb/independent_reader.py" "$here/../../golden/taxa-v2-$codec.wsdb" --taxa >.out || fail 'the independent reader refuses'
    same .out "$here/../../golden/taxa.tsv"
    runs 0 dbconv "$here/../../golden/taxa.fasta" --taxid-map "$here/../../golden/taxa.map" --taxonomy "$here/../../golden/taxdump" -o taxa.wsdb --codec $codec --force --quiet
    same taxa.wsdb "$here/../../golden/taxa-v2-$codec.wsdb"
done
# The reader notices damage, so its silence above means something.
printf '\001' | dd of=many.wsdb bs=1 seek=5000 conv=notrunc status=none
last_command='independent_reader.py on a damaged file'
if python3 "$here/../../formats/wsdb/independent_reader.py" many.wsdb >.out 2>.err; then fail 'damage went unnoticed'; fi
echo passed
