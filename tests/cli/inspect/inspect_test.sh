#!/usr/bin/env bash
# inspect prints the right text and JSON for a database, and refuses damaged databases and wrong
# command lines.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
printf '>sp|P1|ONE first protein\nMKVLACDEMKVL\n>two\nMKV*\n>two again\nWWW\n>four\n' >in.fa
runs 0 dbconv in.fa -o db.wsdb --quiet
runs 0 dbconv in.fa -o zstd.wsdb --quiet --codec zstd

runs 0 inspect info db.wsdb
for text in 'version 2.0, codec packed' 'sequences     4' 'TILE_INDEX' 'PROVENANCE' 'made by       dbconv' '"in.fa"'; do says "$text"; done
runs 0 inspect info zstd.wsdb --json
for text in '"codec": "zstd"' '"sequences": 4' '"residues": 19' '"name": "BLOCKS"' '"xxh3_128": "'; do says "$text"; done

runs 0 inspect stats db.wsdb
for text in '4 sequences, 19 residues' 'shortest 0, median 3, mean 4.8, N50 12, longest 12' 'duplicate identifiers 1' \
    'empty sequences 1' 'composition'; do says "$text"; done
holds 'at most 80 columns' test -z "$(awk 'length > 80' .out)"
runs 0 inspect stats zstd.wsdb --json
for text in '"M": 3' '"*": 1' '"padding_words": ' '"duplicate_identifiers": 1'; do says "$text"; done

# Parts that options add come after the rest, which stays the same.
runs 0 inspect stats db.wsdb
cp .out plain
runs 0 inspect stats db.wsdb --letters --low-complexity --duplicates --threads 2 --memory 1M
holds 'the same lines first' cmp -s -n "$(stat -c %s plain)" plain .out
for text in 'letters  ' '  residues that SEG masks' '  sequences are copies of another one' ' 0            groups of identical'; do says "$text"; done
holds 'at most 80 columns' test -z "$(awk 'length > 80' .out)"
printf '>one\nMKV\n>long\nAAAAAAAAAAAAAAAAAAAAAAAA\n>two\nMKV\n>three\nMKV\n' >twins.fa
runs 0 dbconv twins.fa -o twins.wsdb --quiet
runs 0 inspect stats twins.wsdb --duplicates --low-complexity
says '                 2   50.00 %  sequences are copies of another one'
says '                 6   18.18 %  residues in copies'
says '                 3              3  "one"'
says '                24   72.73 %  residues that SEG masks'
runs 0 inspect stats twins.wsdb --duplicates --letters --low-complexity --json
for text in '"copies": 2' '"first": "one"' '"masked_residues": 24' '"mostly_masked_sequences": 1'; do says "$text"; done
holds 'JSON' python3 -m json.tool .out /dev/null

for database in db zstd; do
    runs 0 inspect validate $database.wsdb
    says "$database.wsdb: sound"
    says '4  headers'
    runs 0 inspect validate $database.wsdb --quiet
    prints_nothing
    silent
    runs 0 inspect validate $database.wsdb --json --all
    says '"sound": true'
    says '"faults": []'

    runs 0 inspect fasta $database.wsdb --width 5
    printf '>sp|P1|ONE first protein\nMKVLA\nCDEMK\nVL\n>two\nMKV*\n>two again\nWWW\n>four\n' >expected.fa
    same .out expected.fa
    runs 0 inspect fasta $database.wsdb -o $database.fa
    prints_nothing
    runs 0 inspect fasta $database.wsdb
    same .out $database.fa
    runs 1 inspect fasta $database.wsdb -o $database.fa
    warns 'exists already'
    runs 0 inspect fasta $database.wsdb -o $database.fa --force

    runs 0 inspect fetch $database.wsdb four two 'sp|P1|ONE' four
    printf '>four\n>two\nMKV*\n>two again\nWWW\n>sp|P1|ONE first protein\nMKVLACDEMKVL\n>four\n' >expected.fa
    same .out expected.fa
    printf 'sp|P1|ONE and more\r\n\n>two\n' >list
    runs 0 inspect fetch $database.wsdb --list list
    printf '>sp|P1|ONE first protein\nMKVLACDEMKVL\n>two\nMKV*\n>two again\nWWW\n' >expected.fa
    same .out expected.fa
    runs 1 inspect fetch $database.wsdb two nobody P2
    prints_nothing
    warns '2 of 3 identifiers are not in it: "nobody", "P2"'
    runs 0 inspect fetch $database.wsdb two nobody --skip-missing
    says 'MKV*'
    warns '"nobody"'
done

# inspect fetch finds sequences by accession, by version, by entry name and by any of merged
# definition lines, and cuts out ranges. A set gives the same as one database.
printf '>sp|P68871|HBB_HUMAN Hemoglobin subunit beta\nMVHLTPEEKSAVTALWGKVNVDEVGG\n>a:1-3 colon\nMKVLA\n' >named-a.fa
printf '>NP_000509.1 x\001gi|123|ref|NP_000510.2| y\nACDEFGH\n>same one\nMKV\n>same two\nMKVLL\n>empty\n' >named-b.fa
printf '>gnl|local|a extra\nWWWWW\n>gnl|local|b:2-3\nYYY\n' >named-c.fa
cat named-a.fa named-b.fa named-c.fa >named.fa
runs 0 dbconv named.fa -o named.wsdb --quiet
for part in a b c; do runs 0 dbconv --append named.wsdbs named-$part.fa --quiet; done
# fetches NAME HEADER RESIDUES: requires that `inspect fetch` prints this record for NAME.
fetches() {
    for database in named.wsdb named.wsdbs; do
        runs 0 inspect fetch $database "$1"
        printf '>%b\n%s\n' "$2" "$3" >expected.fa
        same .out expected.fa
    done
}
beta='sp|P68871|HBB_HUMAN Hemoglobin subunit beta'
for name in P68871 HBB_HUMAN 'sp|P68871|HBB_HUMAN'; do
    fetches "$name" "$beta" MVHLTPEEKSAVTALWGKVNVDEVGG
    fetches "$name:3-6" 'sp|P68871|HBB_HUMAN:3-6 Hemoglobin subunit beta' HLTP
    fetches "$name:24-" 'sp|P68871|HBB_HUMAN:24-26 Hemoglobin subunit beta' VGG
    fetches "$name:-2" 'sp|P68871|HBB_HUMAN:1-2 Hemoglobin subunit beta' MV
done
for name in NP_000509 NP_000509.1 NP_000510 NP_000510.2 'gi|123|ref|NP_000510.2|' 123; do
    fetches "$name" 'NP_000509.1 x\0001gi|123|ref|NP_000510.2| y' ACDEFGH
    fetches "$name:7-7" 'NP_000509.1:7-7 x\0001gi|123|ref|NP_000510.2| y' H
done
# A name with a colon is an identifier if there is one like it, and otherwise a range of another
# one.
fetches a:1-3 'a:1-3 colon' MKVLA
fetches a:1-3:2-4 'a:1-3:2-4 colon' KVL
fetches a:2-3 'gnl|local|a:2-3 extra' WW
fetches b:2-3 'gnl|local|b:2-3' YYY
for database in named.wsdb named.wsdbs; do
    printf 'same:2-3 and more\n>P68871:1-1\n' >list
    runs 0 inspect fetch $database --list list
    printf '>same:2-3 one\nKV\n>same:2-3 two\nKV\n>sp|P68871|HBB_HUMAN:1-1 Hemoglobin subunit beta\nM\n' >expected.fa
    same .out expected.fa
    for range in 0-3 20-27 27-; do
        runs 1 inspect fetch $database P68871:$range
        prints_nothing
        warns "\"P68871:$range\": there is no such range: the sequence has 26 residues, which are counted from 1"
    done
    runs 1 inspect fetch $database same:2-5
    warns 'the sequence has 3 residues'
    runs 1 inspect fetch $database empty:1-1
    warns 'the sequence has 0 residues'
    runs 1 inspect fetch $database P68871:5-4
    warns 'ends before it begins'
    for name in P68871:5 P68871:- P68871:x-3 P68871:99999999999999999999- NP_000510.3 nobody:1-2; do
        runs 1 inspect fetch $database "$name"
        warns "1 of 1 identifiers are not in it: \"$name\""
    done
    runs 0 inspect fasta $database
    same .out named.fa
    runs 0 inspect stats $database --json --duplicates
    sed 1,2d .out | grep -Ev '"(file|header_bytes_stored)' >stats.$database
done
same stats.named.wsdb stats.named.wsdbs
runs 0 inspect compare named.wsdb named.wsdbs
# Sequences that were removed from a set are not found.
printf 'same\n' >list
runs 0 dbconv --remove list named.wsdbs --quiet
runs 1 inspect fetch named.wsdbs same
runs 1 inspect compare named.wsdb named.wsdbs --list
printf 'removed\tsame\t-\nremoved\tsame\t-\n' >expected
same .out expected
runs 0 inspect stats named.wsdbs
says '6 sequences, 46 residues'
runs 0 inspect fasta named.wsdbs
sed '/^>same/,+1d' named.fa >expected.fa
same .out expected.fa
runs 2 inspect fasta named.wsdbs -o named.volume-1.wsdb --force
warns 'name the same file'

: >nothing
runs 0 inspect fetch db.wsdb --list nothing
prints_nothing
runs 1 inspect fetch db.wsdb --list missing
warns 'missing: cannot be opened'

# After a change of one byte, validate names the file, the offset, and the expected and found
# checksums. Other commands follow.
cp db.wsdb bad.wsdb
printf '\377' | dd of=bad.wsdb bs=1 seek=4100 conv=notrunc status=none
runs 1 inspect validate bad.wsdb
warns 'bad.wsdb: byte 4096: tile 0 is damaged: expected checksum 0x'
warns ', found 0x'
# Programs that search the database, or read all of it, report the same fault and say what to do.
fault=$(sed -n 's/^inspect validate: //p' .err)
printf '>q\nMKVLACDEFGHIKLMNPQRSTVWY\n' >q.fa
for engine in sw hmm blastp; do
    runs 1 search $engine -q q.fa -d bad.wsdb --quiet --device cpu
    warns "search $engine: $fault; inspect salvage writes its undamaged sequences as FASTA"
done
for command in 'fasta bad.wsdb' 'compare db.wsdb bad.wsdb' 'compare bad.wsdb bad.wsdb' 'stats bad.wsdb --letters' 'stats bad.wsdb --duplicates'; do
    # shellcheck disable=SC2086
    runs 1 inspect $command
    warns "inspect ${command%% *}: $fault; inspect salvage writes its undamaged sequences as FASTA"
done
runs 1 dbconv bad.wsdb -o none.wsdb
warns "dbconv: $fault; inspect salvage writes its undamaged sequences as FASTA"
runs 1 inspect validate bad.wsdb --all
warns 'tile 0 is damaged'
runs 1 inspect validate bad.wsdb --json --quiet
says '"sound": false'
says '"offset_bytes": 4096'
runs 1 inspect fasta bad.wsdb -o bad.fa
absent bad.fa
runs 0 inspect info bad.wsdb
for command in info stats validate fasta; do
    runs 1 inspect $command in.fa
    warns 'in.fa: byte 0: not a warpseq database'
    runs 1 inspect $command missing.wsdb
    warns 'missing.wsdb: cannot open'
    runs 2 inspect $command
    warns 'name a database'
    runs 0 inspect $command --help
    says "inspect $command"
done
runs 2 inspect fetch db.wsdb
warns 'name identifiers'
runs 2 inspect info db.wsdb zstd.wsdb
warns 'name one database'
runs 2 inspect
warns 'no command given'
runs 2 inspect look db.wsdb
warns "unknown command 'look'; the commands are: info, "
runs 2 inspect inof db.wsdb
warns "unknown command 'inof'; did you mean info? the commands are: "
runs 2 inspect info db.wsdb --all
last_command='inspect fasta to a full device'
status=0
"$programs/inspect" fasta db.wsdb >/dev/full 2>.err || status=$?
holds 'a full standard output is an error' test $status -eq 1
warns 'standard output: cannot write'
runs 0 inspect --help
says 'validate'
runs 0 inspect --version
says 'inspect (warpseq)'
echo passed
