#!/usr/bin/env bash
# dbconv reads the same sequences from FASTA that is compressed in any way as from the plain file.
# Each input gives the same bytes whatever the number of threads and the memory. Input that is cut
# off or damaged is refused.
. "$(dirname "$0")/../../support/checks.sh"
cd "$work" || exit 1
awk "$random_awk"'BEGIN { start_random(11); letters = "AAAAAAAACDDDDDEEEEEEEFFFFGGGGGGGHHIIIIIIKKKKKKLLLLLLLLLLMMNNNNPPPPPQQQQRRRRRRSSSSSSSTTTTTVVVVVVVWYYY";
    m = length(letters); for (i = 0; i < 50000; ++i) pool = pool substr(letters, 1 + int(random() * m), 1);
    for (i = 0; i < 30000; ++i) { print ">sp|P" i "|NAME" i " protein " i;
        print substr(pool, 1 + int(random() * 49000), 1 + int(random() * 900)) } }' >all.fa
needs_programs python3
python3 - <<'END'
import gzip, struct, zlib
text = open("all.fa", "rb").read()
def block(data):
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    return (b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(packed) + 25) + packed +
            struct.pack("<II", zlib.crc32(data), len(data)))
blocks = b"".join(block(text[i:i + 65280]) for i in range(0, len(text), 65280))
end = block(b"")
open("bgzip.gz", "wb").write(blocks + end)
open("no_end.gz", "wb").write(blocks)
open("cut.gz", "wb").write(blocks[:len(blocks) // 2])
open("changed.gz", "wb").write(blocks[:1000000] + bytes([blocks[1000000] ^ 4]) + blocks[1000001:] + end)
open("garbage.gz", "wb").write(blocks + end + b"garbage")
open("padded.gz", "wb").write(blocks + end + bytes(5000))
open("one.gz", "wb").write(gzip.compress(text, 6))
members = b"".join(gzip.compress(text[i:i + 1000003], 1) for i in range(0, len(text), 1000003)) + gzip.compress(b"")
open("members.gz", "wb").write(members)
open("members_cut.gz", "wb").write(members[:len(members) * 2 // 3])
open("members_changed.gz", "wb").write(members[:3000000] + bytes([members[3000000] ^ 4]) + members[3000001:])
open("members_garbage.gz", "wb").write(members + b"garbage")
open("members_apart.gz", "wb").write(members + bytes(5000) + members)
END
inputs='all.fa bgzip.gz one.gz members.gz padded.gz'
if command -v zstd >/dev/null; then
    zstd -q all.fa -o one.zst
    split -b 700000 all.fa part.
    for part in part.*; do zstd -q -c "$part"; done >frames.zst
    inputs+=' one.zst frames.zst'
else
    skipped 'no zstd here'
fi
runs 0 dbconv all.fa -o plain.wsdb --quiet
content() { "$programs/inspect" info "$1" | grep content; }
for input in $inputs; do
    runs 0 dbconv "$input" -o expected.wsdb --quiet --force --threads 1
    last_command="dbconv $input"
    holds 'the content is that of the plain file' test "$(content expected.wsdb)" = "$(content plain.wsdb)"
    for threads in $(thorough && echo 2) 3 $(thorough && echo 16); do
        runs 0 dbconv "$input" -o found.wsdb --quiet --force --threads $threads
        same found.wsdb expected.wsdb
        runs 0 dbconv "$input" -o found.wsdb --quiet --force --threads $threads --memory $((48 + 8 * threads))M
        same found.wsdb expected.wsdb
    done
done
for threads in $(thorough && echo 1) 4; do
    for input in no_end:"bgzip's end mark is missing" cut:'cut off at byte' changed:'is damaged at byte' garbage:'something other than gzip data' \
        members_cut:'cut off at byte' members_changed:'is damaged at byte' members_garbage:'something other than gzip data' members_apart:'something other than gzip data'; do
        runs 1 dbconv "${input%%:*}.gz" -o damaged.wsdb --quiet --threads $threads
        last_command="dbconv ${input%%:*}.gz --threads $threads"
        holds "the message has '${input#*:}'" grep -q "${input%%:*}.gz: .*${input#*:}" .err
        absent damaged.wsdb
    done
done
"$programs/dbconv" - -o piped.wsdb --quiet --threads 3 < <(cat members.gz) || fail 'a pipe of gzip members is not read'
holds 'the content is that of the plain file' test "$(content piped.wsdb)" = "$(content plain.wsdb)"
rm piped.wsdb
"$programs/dbconv" - -o piped.wsdb --quiet --threads 3 < <(cat bgzip.gz) || fail 'a pipe is not read'
last_command='dbconv - <bgzip.gz'
holds 'the content is that of the plain file' test "$(content piped.wsdb)" = "$(content plain.wsdb)"
echo passed
