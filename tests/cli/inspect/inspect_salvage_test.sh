#!/usr/bin/env bash
# inspect salvage saves the undamaged sequences of a database, reports what is lost, and does not
# change the database.
. "$(dirname "$0")/../../support/checks.sh"
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

# From a set, salvage saves what its volumes hold, without the sequences that were removed.
sed 's/^>id/>b/' in.fa >b.fa
printf 'id%s\n' 1 2 40 70 >list
printf 'b%s\n' 3 >>list
runs 0 dbconv --append set.wsdbs in.fa --quiet
runs 0 dbconv --append set.wsdbs b.fa --quiet --codec zstd
runs 0 dbconv --remove list set.wsdbs --quiet
{ runs 0 inspect fasta set.wsdbs; cp .out set.fa; }
holds 'some are removed' test "$(grep -c '>' set.fa)" = 195
runs 0 inspect salvage set.wsdbs
same .out set.fa
silent
runs 0 inspect salvage set.wsdbs -o out.fa --force --json
same out.fa set.fa
says '"whole": true'
says '"saved_sequences": 195'
says 'set.volume-2.wsdb'
runs 2 inspect salvage set.wsdbs -o set.volume-1.wsdb --force
# If a tile is lost, removed sequences in it are not counted as lost, and removed sequences do not
# come back.
damage() { rm -rf damaged; mkdir damaged; cp set.* damaged/; }
damage
printf 'xxxx' | dd of=damaged/set.volume-1.wsdb bs=1 seek=$((4096 + 200)) conv=notrunc status=none
runs 1 inspect salvage damaged/set.wsdbs
warns '165 of 195 sequences saved, 0 of them under made-up names; 30 sequences lost'
holds 'only what was lost is missing' test "$(grep -c '>id' .out)" = 66
while read -r name; do holds "$name stays removed" test -z "$(grep -x ">$name text" .out)"; done <list
# The volume ends within its tiles, so its whole index is lost.
damage
truncate -s 9000 damaged/set.volume-1.wsdb
runs 1 inspect salvage damaged/set.wsdbs
warns 'of 195 sequences saved'
while read -r name; do holds "$name stays removed" test -z "$(grep -x ">$name text" .out)"; done <list
# A volume is lost as a whole if it is not known which sequences were removed from it. A message
# says how to salvage it.
removed=$(sed -n 's/.*"file": "\(set.removed-[0-9]*\)".*/\1/p' set.wsdbs | head -1)
for change in 'rm' 'truncate -s 20' 'truncate -s +1' "sed -i s/^number/Number/"; do
    damage
    $change damaged/$removed
    runs 1 inspect salvage damaged/set.wsdbs -o out.fa --force
    warns 'it is not known which of its sequences were removed; salvage the file itself'
    warns '96 sequences lost'
    holds 'the other volume is saved' test "$(grep -c '>' out.fa)" = 99
done
# A volume that is missing, or replaced by another one.
damage
rm damaged/set.volume-2.wsdb
runs 1 inspect salvage damaged/set.wsdbs -o out.fa --force --json
warns 'set.volume-2.wsdb'
warns '96 of 195 sequences saved'
says '"lost_sequences": 99'
cp db.wsdb damaged/set.volume-2.wsdb
runs 1 inspect salvage damaged/set.wsdbs -o out.fa --force
warns 'is another database than the set was made of'
# Without the manifest of the set, it is not known which sequences were removed.
printf '{"warpseq_set": 1,' >damaged/set.wsdbs
runs 1 inspect salvage damaged/set.wsdbs -o none.fa
warns 'set.wsdbs: the manifest of this set cannot be read'
warns 'salvage the databases beside it one by one'
absent none.fa
rm -r damaged

# Damage in the third tile, which has sequences 64 to 95.
cp db.wsdb bad.wsdb
place=$("$programs/inspect" info db.wsdb | awk '$1 == "TILES" { print $2 + $3 - 3000 }')
printf '\1\2\3\4' | dd of=bad.wsdb bs=1 seek="$place" conv=notrunc status=none
cp bad.wsdb as_it_was
runs 1 inspect salvage bad.wsdb --width 0
warns 'bad.wsdb: 32 sequences lost (ranks 64 to 95, 9,184 residues): tile 2, or its entry in TILE_INDEX, is damaged'
warns 'bad.wsdb: 68 of 100 sequences saved, 0 of them under made-up names; 32 sequences lost'
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

# A page that the disk cannot read has the effect of a page of zeros, in the tiles of a database and
# in its indexes. A page of padding costs nothing.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
unreadable_page=${WARPSEQ_UNREADABLE_PAGE:?a library for LD_PRELOAD that fails to read a page}
awk "$random_awk"'BEGIN { start_random(4); letters = "ACDEFGHIKLMNPQRSTVWY"
             for (s = 0; s < 4000; ++s) { print ">m" s; text = ""; n = 30 + int(random() * 60)
                                          for (i = 0; i < n; ++i) text = text substr(letters, 1 + int(random() * 20), 1); print text } }' >many.fa
# salvages_as_zeroed DATABASE BYTE: requires that an unreadable page at BYTE has the effect of a
# page of zeros.
salvages_as_zeroed() {
    local page=$(($2 / 4096)) status=0 whole
    cp "$1" zeroed.wsdb
    dd if=/dev/zero of=zeroed.wsdb bs=4096 seek=$page count=1 conv=notrunc status=none
    truncate -s "$(stat -c %s "$1")" zeroed.wsdb
    "$programs/inspect" salvage zeroed.wsdb >zeroed.fa 2>zeroed.err || status=$?
    for whole in '' 1; do
        last_command="inspect salvage $1, whose byte $2 cannot be read"
        env LD_PRELOAD="$unreadable_page" WARPSEQ_UNREADABLE_FILE="$1" WARPSEQ_UNREADABLE_BYTE="$2" ${whole:+WARPSEQ_UNREADABLE_WHOLE=1} \
            "$programs/inspect" salvage "$1" >.out 2>.err
        holds 'the exit status is that of zeros' test $? -eq $status
        same .out zeroed.fa
        warns "$1: byte $((page * 4096)): cannot be read: Input/output error"
    done
}
for codec in packed zstd; do
    runs 0 dbconv many.fa -o many.wsdb --codec $codec --quiet --force
    "$programs/inspect" info many.wsdb >sections
    for section in TILES BLOCKS BLOCK_INDEX TILE_INDEX LENGTHS HEADER_BLOCK_INDEX HEADERS; do
        read -r begin size < <(awk -v name=$section '$1 == name { print $2, $3 }' sections) || continue
        salvages_as_zeroed many.wsdb $((begin + size / 2))
        # The database has 4,000 sequences.
        case $codec-$section in
        packed-TILES) holds 'all but the tiles of a page are saved' test "$(grep -c '^>' .out)" -ge 3700 ;;
        packed-LENGTHS | packed-HEADER*) holds 'residues stay' test "$(grep -c '^>' .out)" -eq 4000 ;;
        esac
    done
done

# Damaged headers, lengths and file headers, and a database that is cut off.
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
