#!/usr/bin/env bash
# inspect salvage as a person meets it: what it saves, what it says, and that it leaves the database alone.
. "$(dirname "$0")/checks.sh"
cd "$work" || exit 1
for i in $(seq 100); do printf '>id%s text\n%s\n' "$i" "$(printf 'MKVLACDEFGHIKL%.0s' $(seq $((101 - i))))"; done >in.fa
runs 0 dbconv in.fa -o db.wsdb --quiet
runs 0 dbconv in.fa -o zstd.wsdb --quiet --codec zstd

# The input is longest first, as the output is.
for database in db zstd; do
    runs 0 inspect fasta $database.wsdb
    cp .out all.fa
    runs 0 inspect salvage $database.wsdb
    same .out all.fa
    silent
    runs 0 inspect salvage $database.wsdb -o out.fa --force --json
    same out.fa all.fa
    says '"whole": true'
done

# A set is saved volume by volume.
runs 0 dbconv --append set.wsdbs in.fa --quiet
runs 0 dbconv --append set.wsdbs in.fa --quiet
runs 1 inspect salvage set.wsdbs -o set.fa
warns 'set.wsdbs: is a set; salvage its volumes one by one'
warns 'set.volume-1.wsdb'
warns 'set.volume-2.wsdb'
absent set.fa
rm set.volume-1.wsdb
printf '{"warpseq_set": 1,' >set.wsdbs
runs 1 inspect salvage set.wsdbs
warns 'set.wsdbs: is a set; salvage its volumes one by one, the databases beside it'

# A bit of the third tile: sequences 64 to 95.
cp db.wsdb bad.wsdb
place=$("$programs/inspect" info db.wsdb | awk '$1 == "TILES" { print $2 + $3 - 3000 }')
printf '\1\2\3\4' | dd of=bad.wsdb bs=1 seek="$place" conv=notrunc status=none
cp bad.wsdb as_it_was
runs 1 inspect salvage bad.wsdb --width 0
warns 'bad.wsdb: 32 sequences lost (ranks 64 to 95, 9,184 residues): tile 2, or its entry in TILE_INDEX, is damaged'
warns 'bad.wsdb: 68 of 100 sequences saved, 0 of them under names that were made up; 32 sequences lost'
awk 'NR <= 128 || NR > 192' in.fa >expected.fa
same .out expected.fa
runs 1 inspect salvage bad.wsdb -o out.fa
warns 'exists already'
runs 1 inspect salvage bad.wsdb -o out.fa --force --json --width 0
same out.fa expected.fa
for text in '"saved_sequences": 68' '"first_rank": 64' '"lost_residues": 9184'; do says "$text"; done
holds 'JSON' python3 -m json.tool .out /dev/null
runs 2 inspect salvage bad.wsdb -o bad.wsdb --force
same bad.wsdb as_it_was
runs 2 inspect salvage bad.wsdb --json
warns 'the sequences need a file'
runs 1 inspect salvage bad.wsdb -o new.fa --quiet
warns '32 sequences lost'

# Headers, lengths, the file's header, a cut.
cp db.wsdb bad.wsdb
place=$("$programs/inspect" info db.wsdb | awk '$1 == "HEADERS" { print $2 + 20 }')
printf '\377' | dd of=bad.wsdb bs=1 seek="$place" conv=notrunc status=none
runs 1 inspect salvage bad.wsdb --width 0
warns '100 headers lost (ranks 0 to 99): header block 0 is damaged'
awk '/^>/ { print ">salvaged_rank_" n++; next } { print }' in.fa >expected.fa
same .out expected.fa
cp db.wsdb bad.wsdb
place=$("$programs/inspect" info db.wsdb | awk '$1 == "LENGTHS" { print $2 }')
dd if=/dev/zero of=bad.wsdb bs=1 seek="$place" count=400 conv=notrunc status=none
printf '\377' | dd of=bad.wsdb bs=1 seek=30 conv=notrunc status=none
runs 0 inspect salvage bad.wsdb --width 0
same .out in.fa
warns "the file's header is damaged: one byte was wrong"
head -c 20000 db.wsdb >cut.wsdb
runs 1 inspect salvage cut.wsdb
prints_nothing
warns 'TILE_INDEX is cut off'
warns '0 of 100 sequences saved'
head -c 3000 db.wsdb >cut.wsdb
runs 1 inspect salvage cut.wsdb -o none.fa
warns 'ends inside its header'
absent none.fa
runs 1 inspect salvage in.fa
warns 'not a warpseq database'
runs 1 inspect salvage missing.wsdb
warns 'missing.wsdb: cannot open'
echo passed
