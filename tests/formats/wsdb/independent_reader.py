#!/usr/bin/env python3
"""A reader of .wsdb files that was written from docs/format.md alone, to prove that the
specification is sufficient.

    independent_reader.py DATABASE.wsdb > BACK.fasta
    independent_reader.py DATABASE.wsdb --taxa

It shares no code with warpseq and uses only Python's standard library. The program `zstd` expands
frames of zstd. The reader computes XXH3 itself, and checks every checksum and the content digest.
It prints the sequences in input order, each on one line. With --taxa it prints the taxonomy ID of
each definition line and the taxon's names instead. It is slow, and meant for small files.
"""
import json
import re
import struct
import subprocess
import sys

LETTERS = "ACDEFGHIKLMNPQRSTVWYBJZOUX*"
M32, M64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF

# XXH3, from its own specification (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).
P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248e"
    "e03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d"
    "8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc"
    "8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def fold(a, b):
    product = a * b
    return (product & M64) ^ (product >> 64)


def avalanche(h):
    h ^= h >> 37
    h = h * MX1 & M64
    return h ^ (h >> 32)


def avalanche64(h):
    h ^= h >> 33
    h = h * P64_2 & M64
    h ^= h >> 29
    h = h * P64_3 & M64
    return h ^ (h >> 32)


def mix16(data, at, secret_at):
    return fold(u64(data, at) ^ u64(SECRET, secret_at), u64(data, at + 8) ^ u64(SECRET, secret_at + 8))


def swap32(x):
    return int.from_bytes(x.to_bytes(4, "little"), "big")


def swap64(x):
    return int.from_bytes(x.to_bytes(8, "little"), "big")


def rotate64(x, by):
    return (x << by | x >> (64 - by)) & M64


def accumulate(data):
    """Returns the eight accumulators of an input of more than 240 bytes."""
    lanes = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]

    def stripe(at, secret_at):
        for i in range(8):
            value = u64(data, at + 8 * i)
            keyed = value ^ u64(SECRET, secret_at + 8 * i)
            lanes[i ^ 1] = (lanes[i ^ 1] + value) & M64
            lanes[i] = (lanes[i] + (keyed & M32) * (keyed >> 32)) & M64

    def scramble():
        for i in range(8):
            lane = lanes[i] ^ (lanes[i] >> 47) ^ u64(SECRET, 128 + 8 * i)
            lanes[i] = lane * P32_1 & M64

    stripes = (len(data) - 1) // 64
    for number in range(stripes):
        stripe(64 * number, 8 * (number % 16))
        if number % 16 == 15:
            scramble()
    stripe(len(data) - 64, 192 - 64 - 7)
    return lanes


def merge(lanes, secret_at, start):
    for i in range(4):
        start += fold(lanes[2 * i] ^ u64(SECRET, secret_at + 16 * i), lanes[2 * i + 1] ^ u64(SECRET, secret_at + 16 * i + 8))
    return avalanche(start & M64)


def xxh3_64(data):
    n = len(data)
    if n == 0:
        return avalanche64(u64(SECRET, 56) ^ u64(SECRET, 64))
    if n <= 3:
        word = data[n - 1] | n << 8 | data[0] << 16 | data[n >> 1] << 24
        return avalanche64((u32(SECRET, 0) ^ u32(SECRET, 4)) ^ word)
    if n <= 8:
        h = (u32(data, n - 4) + (u32(data, 0) << 32)) & M64
        h ^= u64(SECRET, 8) ^ u64(SECRET, 16)
        h ^= rotate64(h, 49) ^ rotate64(h, 24)
        h = h * MX2 & M64
        h ^= (h >> 35) + n & M64
        h = h * MX2 & M64
        return h ^ (h >> 28)
    if n <= 16:
        low = (u64(SECRET, 24) ^ u64(SECRET, 32)) ^ u64(data, 0)
        high = (u64(SECRET, 40) ^ u64(SECRET, 48)) ^ u64(data, n - 8)
        return avalanche((n + swap64(low) + high + fold(low, high)) & M64)
    if n <= 128:
        h = n * P64_1
        for i in range((n - 1) // 32, -1, -1):
            h += mix16(data, 16 * i, 32 * i) + mix16(data, n - 16 * (i + 1), 32 * i + 16)
        return avalanche(h & M64)
    if n <= 240:
        h = n * P64_1
        for i in range(8):
            h += mix16(data, 16 * i, 16 * i)
        h = avalanche(h & M64)
        for i in range(8, n // 16):
            h += mix16(data, 16 * i, 16 * (i - 8) + 3)
        h += mix16(data, n - 16, 136 - 17)
        return avalanche(h & M64)
    return merge(accumulate(data), 11, n * P64_1 & M64)


def mix32(low, high, data, first, second, secret_at):
    low = (low + mix16(data, first, secret_at) & M64) ^ (u64(data, second) + u64(data, second + 8) & M64)
    high = (high + mix16(data, second, secret_at + 16) & M64) ^ (u64(data, first) + u64(data, first + 8) & M64)
    return low, high


def xxh3_128(data):
    """Returns XXH3-128 of at least 17 bytes. The content digest never has a shorter input."""
    n = len(data)
    assert n > 16
    if n <= 240:
        low, high = n * P64_1 & M64, 0
        if n <= 128:
            for i in range((n - 1) // 32, -1, -1):
                low, high = mix32(low, high, data, 16 * i, n - 16 * (i + 1), 32 * i)
        else:
            for i in range(4):
                low, high = mix32(low, high, data, 32 * i, 32 * i + 16, 32 * i)
            low, high = avalanche(low), avalanche(high)
            for i in range(4, n // 32):
                low, high = mix32(low, high, data, 32 * i, 32 * i + 16, 3 + 32 * (i - 4))
            low, high = mix32(low, high, data, n - 16, n - 32, 136 - 17 - 16)
        result_low = avalanche(low + high & M64)
        result_high = -avalanche((low * P64_1 + high * P64_4 + n * P64_2) & M64) & M64
        return result_high << 64 | result_low
    lanes = accumulate(data)
    return merge(lanes, 192 - 64 - 11, ~(n * P64_2) & M64) << 64 | merge(lanes, 11, n * P64_1 & M64)


def expect(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")


def expand(frame, size, what):
    done = subprocess.run(["zstd", "-d", "-c", "-q"], input=frame, stdout=subprocess.PIPE, check=False)
    expect(done.returncode, 0, what)
    if size is not None:
        expect(len(done.stdout), size, what)
    return done.stdout


def unpack(words):
    """Returns the residue codes of a lane's words."""
    return [word >> shift & 31 for word in words for shift in range(0, 30, 5)]


# The tags of NCBI's identifiers. An accession and a name follow the tags TWO_NAMES, and a number
# follows the tags NUMBERS. Other tags are in names_of().
TWO_NAMES = {b"sp", b"tr", b"gb", b"emb", b"dbj", b"ref", b"pir", b"prf", b"tpg", b"tpe", b"tpd", b"gpp", b"nat", b"unk"}
NUMBERS = {b"gi", b"bbs", b"bbm", b"gim"}


def without_version(name):
    """Returns a name without its version or chain."""
    found = re.fullmatch(rb"([A-Z][A-Z0-9_]{3,}[0-9])\.[0-9]{1,3}|([0-9][0-9A-Za-z]{3})_.{1,4}", name, re.DOTALL)
    return (found[1] or found[2]) if found else name


def names_of(identifier):
    """Returns the names of one identifier. The name for look-ups comes first."""
    if b"|" not in identifier:
        return [without_version(identifier)]
    names, numbers, fields = [], [], identifier.split(b"|")
    if fields[-1] == b"":
        fields.pop()
    fields = iter(fields)
    for tag in fields:
        if tag in TWO_NAMES:
            names += [without_version(next(fields, b"")), without_version(next(fields, b""))]
        elif tag in NUMBERS:
            numbers.append(next(fields, b""))
        elif tag == b"gnl":
            next(fields, b"")
            names.append(without_version(next(fields, b"")))
        elif tag == b"pdb":
            names.append(next(fields, b""))
            next(fields, b"")
        elif tag == b"lcl":
            names.append(without_version(next(fields, b"")))
        else:
            return [identifier]
    return [name for name in names + numbers if name] or [identifier]


def names_of_header(header):
    names = []
    for number, line in enumerate(header.split(b"\x01")):
        identifier = re.split(rb"[ \t\n\v\f\r]", line if number == 0 else line.lstrip(b" >"), maxsplit=1)[0]
        if identifier or number == 0:
            names += names_of(identifier)
    return names


def taxids_of(section, headers):
    """Returns the taxonomy ID of each definition line of each sequence. Checks that the lists are
    in the order of their sequences."""
    n = len(headers)
    groups = -(-n // 65536)
    bases = struct.unpack_from(f"<{groups}Q", section, 0)
    numbers = struct.unpack_from(f"<{n}I", section, 8 * groups)
    lists = struct.unpack_from(f"<{(len(section) - 8 * groups - 4 * n) // 4}I", section, 8 * groups + 4 * n)
    taxids, at = [], 0
    for rank, (number, header) in enumerate(zip(numbers, headers)):
        lines = header.count(b"\x01") + 1
        if rank % 65536 == 0:
            expect(bases[rank // 65536], at, "place of a group's lists")
        if number < 1 << 31:
            taxids.append([number] * lines)
            continue
        expect(bases[rank // 65536] + number - (1 << 31), at, "place of a list")
        expect(lists[at], lines, "definition lines")
        taxids.append(list(lists[at + 1:at + 1 + lines]))
        expect(len(set(taxids[-1])) > 1, True, "different taxonomy IDs in a list")
        at += 1 + lines
    expect(at, len(lists), "end of the lists")
    return taxids


def taxa_of(section):
    """Returns {taxid: (parent, rank, scientific name, common name, BLAST name)}."""
    lines = section.decode("utf-8", "surrogateescape").split("\n")
    expect(lines.pop(), "", "end of the taxonomy")
    tree = {}
    for line in lines:
        taxid, parent, *names = line.split("\t")
        expect(len(names), 4, "columns of a taxon")
        expect(int(taxid) > max(tree, default=0), True, "order of taxa")
        tree[int(taxid)] = (int(parent), *names)
    for taxid in tree:
        seen = set()
        while taxid:
            expect(taxid in seen, False, "taxon that is its own ancestor")
            seen.add(taxid)
            taxid = tree[taxid][0]
    return tree


def read(data):
    """Reads and checks a database, in the order of docs/format.md. Returns a list of sequences in
    input order, and the tree of taxa. A sequence is (header, residue codes, taxonomy IDs of its
    definition lines or None)."""
    expect(data[:8].hex(), "895753440d0a1a0a", "magic")
    major, _minor, header_bytes = struct.unpack_from("<HHI", data, 8)
    expect(major, 2, "version")
    expect(header_bytes, 4096, "header size")
    expect(u64(data, 4088), xxh3_64(data[:4088]), "header checksum")
    file_bytes, n, residues, linear, longest, features = struct.unpack_from("<6Q", data, 16)
    codec, alphabet = struct.unpack_from("<II", data, 64)
    digest, checksums_checksum, section_count = data[72:88], u64(data, 88), u32(data, 96)
    expect(file_bytes, len(data), "file size")
    expect(features & ~1, 0, "features")
    expect(alphabet, 1, "alphabet")
    expect(any(data[100:128]), False, "reserved bytes")
    tiles = linear + -(-(n - linear) // 32)

    sections, end, blocks_in_checksums = {}, 4096, []
    for i in range(section_count):
        kind, flags, offset, size = struct.unpack_from("<IIQQ", data, 128 + 24 * i)
        start = -(-end // 4096) * 4096
        expect(offset, start, f"offset of section {kind}")
        expect(any(data[end:start]), False, f"padding before section {kind}")
        expect(flags, 1 if kind in (13, 14) else 0, "flags")
        sections[kind] = data[offset:offset + size]
        if kind not in (1, 2, 8, 12):
            blocks_in_checksums += [sections[kind][at:at + 65536] for at in range(0, size, 65536)]
        end = offset + size
    expect(end, len(data), "end of the last section")
    expect(sorted(set(sections) - {13, 14}), [1, 4, 5, 6, 7, 8, 9, 10, 11, 12] if codec == 0 else list(range(2, 13)), "sections")
    expect(xxh3_64(sections[12]), checksums_checksum, "checksum of section 12")
    expect([u64(sections[12], 8 * i) for i in range(len(sections[12]) // 8)],
           [xxh3_64(block) for block in blocks_in_checksums], "checksums of blocks")

    def column(kind, width):
        expect(len(sections[kind]), n * width, f"size of section {kind}")
        return struct.unpack(f"<{n}{'I' if width == 4 else 'Q'}", sections[kind])

    def index(kind):
        expect(len(sections[kind]) % 24, 0, f"size of section {kind}")
        return [struct.unpack_from("<3Q", sections[kind], at) for at in range(0, len(sections[kind]), 24)]

    lengths, positions = column(5, 4), column(6, 8 if features & 1 else 4)
    expect(sum(lengths), residues, "residues")
    expect(lengths[0], longest, "longest")
    expect(sorted(positions), list(range(n)), "input positions")

    headers, header_blocks = [], index(7)
    expect(header_blocks[-1], (n, len(sections[8]), 0), "end of the header blocks")
    for i, ((first, offset, checksum), behind) in enumerate(zip(header_blocks, header_blocks[1:])):
        frame = sections[8][offset:behind[1]]
        expect(xxh3_64(frame), checksum, f"header block {i}")
        expect(len(headers), first, f"first header of header block {i}")
        lines = expand(frame, None, f"header block {i}").split(b"\n")
        expect(lines.pop(), b"", f"end of header block {i}")
        headers += lines
    expect(len(headers), n, "headers")

    codes, tile_index = [], index(4)
    expect(len(tile_index), tiles + 1, "entries of the tile index")

    def ranks(tile):
        first = tile if tile < linear else linear + 32 * (tile - linear)
        return range(first, first + 1 if tile < linear else min(n, first + 32))

    before, words_before = 0, 0
    for tile, (offset, residues_before, _checksum) in enumerate(tile_index):
        expect((offset, residues_before), (4 * words_before, before), f"place of tile {tile}")
        if tile < tiles:
            rows = -(-lengths[ranks(tile)[0]] // 6)
            words_before += -(-rows // 32) * 32 if tile < linear else 32 * rows
            before += sum(lengths[rank] for rank in ranks(tile))
    if codec == 1:
        blocks = index(3)
        expect(blocks[-1], (tiles, len(sections[2]), 0), "end of the blocks")
        for i, ((first, offset, checksum), behind) in enumerate(zip(blocks, blocks[1:])):
            frame = sections[2][offset:behind[1]]
            expect(xxh3_64(frame), checksum, f"block {i}")
            size = tile_index[behind[0]][1] - tile_index[first][1]
            raw, at = expand(frame, size, f"block {i}"), 0
            for tile in range(first, behind[0]):
                for rank in ranks(tile):
                    codes.append(list(raw[at:at + lengths[rank]]))
                    at += lengths[rank]
            expect(at, size, f"residues of block {i}")
    else:
        expect(4 * words_before, len(sections[1]), "size of section 1")
        for tile in range(tiles):
            raw = sections[1][tile_index[tile][0]:tile_index[tile + 1][0]]
            expect(xxh3_64(raw), tile_index[tile][2], f"tile {tile}")
            words = struct.unpack(f"<{len(raw) // 4}I", raw)
            for lane in range(1 if tile < linear else 32):
                found = unpack(words if tile < linear else words[lane::32])
                length = lengths[ranks(tile)[lane]] if lane < len(ranks(tile)) else 0
                expect(set(found[length:]) <= {31}, True, f"padding of tile {tile}")
                if lane < len(ranks(tile)):
                    codes.append(found[:length])

    entries = b"".join(struct.pack("<QQQ", len(c), xxh3_64(bytes(c)), xxh3_64(h)) for c, h in zip(codes, headers))
    expect(xxh3_128(entries).to_bytes(16, "big").hex(), digest.hex(), "content digest")

    names = sorted({(xxh3_64(name), rank) for rank, header in enumerate(headers) for name in names_of_header(header)})
    expect(len(sections[9]), 16 * len(names), "size of the name index")
    expect([struct.unpack_from("<QQ", sections[9], 16 * i) for i in range(len(names))], names, "name index")
    composition = [0] * 32
    for sequence in codes:
        for code in sequence:
            composition[code] += 1
    expect(list(struct.unpack_from("<32Q", sections[10])), composition, "composition")
    json.loads(sections[11])
    tree = taxa_of(sections[14]) if 14 in sections else {}
    taxids = taxids_of(sections[13], headers) if 13 in sections else [None] * n

    back = [None] * n
    for rank, position in enumerate(positions):
        back[position] = (headers[rank], codes[rank], taxids[rank])
    return back, tree


def main():
    with open(sys.argv[1], "rb") as handle:
        data = handle.read()
    out = sys.stdout.buffer
    sequences, tree = read(data)
    if "--taxa" in sys.argv[2:]:
        for header, _codes, taxids in sequences:
            for line, taxid in zip(header.split(b"\x01"), taxids or []):
                names = tree.get(taxid, (0, "", "", "", ""))
                out.write(line.split(b" ")[0] + f"\t{taxid}\t{names[2]}\t{names[3]}\n".encode("utf-8", "surrogateescape"))
        return
    for header, codes, _taxids in sequences:
        out.write(b">" + header + b"\n")
        if codes:
            out.write("".join(LETTERS[code] for code in codes).encode() + b"\n")


if __name__ == "__main__":
    main()
