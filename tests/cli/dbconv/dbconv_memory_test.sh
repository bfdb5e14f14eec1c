#!/usr/bin/env bash
# dbconv stays within --memory: it converts an input many times as large, to the same bytes as with
# plenty of memory. WARPSEQ_MEMORY_TEST_MB sets the size of the input (default 160; 640 is ten times
# the limit).
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
megabytes=${WARPSEQ_MEMORY_TEST_MB:-160}
# About 10 MB of records with 50 to 950 residues. They are repeated under other names.
awk "$random_awk"'BEGIN { start_random(7); letters = "AAAAAAAACDDDDDEEEEEEEFFFFGGGGGGGHHIIIIIIKKKKKKLLLLLLLLLLMMNNNNPPPPPQQQQRRRRRRSSSSSSSTTTTTVVVVVVVWYYY";
    m = length(letters); for (i = 0; i < 60000; ++i) pool = pool substr(letters, 1 + int(random() * m), 1);
    for (i = 0; i < 19000; ++i) { print ">@p" i " some description of protein " i;
        print substr(pool, 1 + int(random() * 59000), 50 + int(random() * 900)) } }' >part.fa
for ((i = 0; i < megabytes / 10; ++i)); do sed "s/^>@/>copy$i./" part.fa; done >big.fa
if [ ! -x /usr/bin/time ]; then
    skip_test 'no /usr/bin/time here to tell peak memory'
fi
for codec in packed zstd; do
    for threads in 1 2; do
        last_command="dbconv big.fa ($(du -m big.fa | cut -f1) MB) --memory 64M --codec $codec --threads $threads"
        /usr/bin/time -f %M -o peak "$programs/dbconv" big.fa -o small.wsdb --memory 64M --codec $codec --threads $threads \
            --quiet --force >.out 2>.err || fail 'conversion in little memory'
        peak=$(tail -1 peak)
        printf '%s: peak %s KB\n' "$last_command" "$peak"
        holds "peak memory of $peak KB is within 65536 KB" test "$peak" -le 65536
        runs 0 dbconv big.fa -o large.wsdb --memory 4G --codec $codec --quiet --force
        same small.wsdb large.wsdb
    done
done
runs 0 inspect validate small.wsdb --quiet
holds 'no temporary file is left' test "$(find . -type f -newer big.fa ! -name '.*' | sort | tr '\n' ' ')" = './large.wsdb ./peak ./small.wsdb '
rm -f big.fa part.fa

# dbconv refuses a record that is too large for the memory, and does not read it into memory before.
# Either the residues or the header are too large, in plain or compressed FASTA or in a database.
# refused_within KB FILE: requires that FILE is refused, with a peak memory of at most KB.
refused_within() {
    last_command="dbconv $2 --memory 64M --threads 1"
    /usr/bin/time -f %M -o peak "$programs/dbconv" "$2" -o none.wsdb --memory 64M --threads 1 >.out 2>.err && fail 'it is accepted'
    peak=$(grep -v '[^0-9]' peak | tail -1)
    printf '%s: peak %s KB\n' "$last_command" "$peak"
    holds "peak memory of $peak KB is within $1 KB" test "$peak" -le "$1"
    absent none.wsdb
}
residues=$((megabytes * 500000))
{ printf '>small\nMKVL\n>giant of a test\n'; head -c $residues /dev/zero | tr '\0' A | fold -w 100000; printf '\n>last\nMK\n'; } >giant.fa
refused_within 65536 giant.fa
warns "sequence 'giant': its $residues residues and 15 bytes of header need"
warns '; give a larger --memory'
gzip -1 giant.fa
refused_within 65536 giant.fa.gz
warns "sequence 'giant': its $residues residues"
runs 0 dbconv giant.fa.gz -o giant.wsdb --quiet
refused_within 65536 giant.wsdb
warns "sequence 'giant': its $residues residues"
# A record that is too large does no harm if it is not selected.
runs 0 dbconv giant.fa.gz -o none.wsdb --memory 64M --threads 1 --max-length 1000
says '2 sequences, 6 residues'
runs 0 dbconv giant.wsdb -o none.wsdb --memory 96M --threads 1 --max-length 1000 --force
says '2 sequences, 6 residues'
rm -f none.wsdb
{ printf '>wordy '; head -c 60000000 /dev/zero | tr '\0' x; printf '\nMK\n'; } >wordy.fa
refused_within 65536 wordy.fa
warns "sequence 'wordy': its 2 residues and 60000006 bytes of header need"
echo passed
