#!/usr/bin/env bash
# inspect compare prints the right counts, lists and JSON for two databases, with the right exit
# status.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
printf '>gone\nMK\n>a text\nMKVL\n>b\nMKVLA\n>c\nMKVLAC\n>d\nMKVLACD\n' >old.fa
printf '>new\nWW\n>d\nMKVLACD\n>e\nMKVLAC\n>b\nMKVLW\n>a another\nMKVL\n' >new.fa
runs 0 dbconv old.fa -o old.wsdb --quiet
runs 0 dbconv new.fa -o new.wsdb --quiet --codec zstd
tac old.fa | paste -d '\n' - - | awk 'NR % 2 { residues = $0; next } { print $0; print residues }' >turned.fa
runs 0 dbconv turned.fa -o turned.wsdb --quiet --codec zstd

runs 1 inspect compare old.wsdb new.wsdb
warns 'inspect compare: old.wsdb and new.wsdb differ'
for line in '1  the same' '1  another header' '1  another sequence' '1  renamed' '1  removed' '1  added'; do says "$line"; done
runs 1 inspect compare old.wsdb new.wsdb --list
printf 'removed\tgone\t-\nheader\ta\ta\nsequence\tb\tb\nrenamed\tc\te\nadded\t-\tnew\n' >expected
same .out expected
cp .out list
runs 1 inspect compare old.wsdb new.wsdb --list --threads 1 --memory 1M
same .out list
runs 1 inspect compare old.wsdb new.wsdb --quiet --list
prints_nothing
runs 1 inspect compare old.wsdb new.wsdb --json --list
for text in '"identical": false' '"sequence_changed": 1' '"change": "removed"' '"old": "gone"' '"new": "new"'; do says "$text"; done
holds 'JSON' python3 -m json.tool .out /dev/null

for other in old turned; do
    runs 0 inspect compare old.wsdb $other.wsdb
    says '5  the same'
    silent
    runs 0 inspect compare old.wsdb $other.wsdb --list
    prints_nothing
    runs 0 inspect compare old.wsdb $other.wsdb --json
    says '"identical": true'
done

# A database that cannot be read is an error and not a difference.
cp new.wsdb bad.wsdb
printf '\377' | dd of=bad.wsdb bs=1 seek=4100 conv=notrunc status=none
runs 1 inspect compare old.wsdb bad.wsdb --list
prints_nothing
warns 'bad.wsdb: byte 4096: block 0 is damaged'
# Databases with equal file headers may differ in content. The difference here is a byte of the
# residues, of a header block or of an index, and then all residues.
for codec in packed zstd; do
    runs 0 dbconv old.fa -o good.wsdb --quiet --codec $codec --force
    "$programs/inspect" info good.wsdb >sections
    for section in TILES BLOCKS HEADERS LENGTHS TILE_INDEX BLOCK_INDEX HEADER_BLOCK_INDEX; do
        begin=$(awk -v name=$section '$1 == name { print $2 }' sections)
        [ -n "$begin" ] || continue
        cp good.wsdb bad.wsdb
        printf '\125' | dd of=bad.wsdb bs=1 seek=$((begin + 1)) conv=notrunc status=none
        for files in 'good.wsdb bad.wsdb' 'bad.wsdb good.wsdb' 'bad.wsdb bad.wsdb'; do
            for list in '' --list --json; do
                runs 1 inspect compare $files $list
                prints_nothing
                warns 'bad.wsdb: byte '
            done
        done
    done
done
runs 0 dbconv old.fa -o good.wsdb --quiet --force
read -r begin size < <("$programs/inspect" info good.wsdb | awk '$1 == "TILES" { print $2, $3 }')
cp good.wsdb bad.wsdb
dd if=/dev/zero of=bad.wsdb bs=1 seek=$begin count=$size conv=notrunc status=none
runs 1 inspect compare good.wsdb bad.wsdb
warns "bad.wsdb: byte $begin: tile 0 is damaged: expected checksum"
warns '; inspect salvage writes its undamaged sequences as FASTA'

runs 1 inspect compare old.wsdb missing.wsdb
warns 'missing.wsdb: cannot open'
runs 2 inspect compare
warns 'name a database'
runs 2 inspect compare old.wsdb
warns 'name two databases'
runs 2 inspect compare old.wsdb new.wsdb turned.wsdb
warns "unexpected argument 'turned.wsdb'"
runs 0 inspect compare --help
says 'OLD.wsdb NEW.wsdb'
echo passed
