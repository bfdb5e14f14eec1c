#!/usr/bin/env python3
"""A reader of .wsdb files, written from docs/format.md alone, to prove that the specification is enough.

    independent_reader.py DATABASE.wsdb > BACK.fasta

It shares no code with warpseq, and nothing but Python's standard library; frames of zstd are expanded by the program `zstd`.
It computes XXH3 itself, checks every checksum and the content digest, and prints the sequences in input order, each on one
line. It is slow, and meant for small files.
"""
import json
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
    """The eight accumulators of inputs over 240 bytes."""
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
    """Inputs of at least 17 bytes: the content digest is never of less."""
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
    expect(len(done.stdout), size, what)
    return done.stdout


def unpack(words):
    """Residue codes of a lane's words."""
    return [word >> shift & 31 for word in words for shift in range(0, 30, 5)]


def read(data):
    """Section by section of docs/format.md; returns (header, residue codes) in input order."""
    expect(data[:8].hex(), "895753440d0a1a0a", "magic")
    major, _minor, header_bytes = struct.unpack_from("<HHI", data, 8)
    expect(major, 1, "version")
    expect(header_bytes, 4096, "header size")
    expect(u64(data, 4088), xxh3_64(data[:4088]), "header checksum")
    file_bytes, n, residues, tiles, linear, longest = struct.unpack_from("<6Q", data, 16)
    codec, section_count = struct.unpack_from("<II", data, 64)
    digest = data[72:88]
    expect(file_bytes, len(data), "file size")

    sections, end = {}, 4096
    for i in range(section_count):
        kind, flags, offset, size, items, checksum = struct.unpack_from("<IIQQQQ", data, 128 + 40 * i)
        start = -(-end // 4096) * 4096
        expect(offset, start, f"offset of section {kind}")
        expect(any(data[end:start]), False, f"padding before section {kind}")
        expect(xxh3_64(data[offset:offset + size]), checksum, f"checksum of section {kind}")
        expect(flags, 0, "flags")
        sections[kind] = (data[offset:offset + size], items)
        end = offset + size
    expect(end, len(data), "end of the last section")
    expect(sorted(sections), [1, 4, 5, 6, 7, 8, 9, 10, 11, 12] if codec == 0 else list(range(2, 13)), "sections")

    def column(kind, items):
        expect(sections[kind][1], items, f"items of section {kind}")
        return struct.unpack(f"<{items}Q", sections[kind][0])

    lengths, positions, header_offsets = column(5, n), column(6, n), column(7, n + 1)
    expect(sum(lengths), residues, "residues")
    expect(lengths[0], longest, "longest")
    expect(sorted(positions), list(range(n)), "input positions")

    text = b""
    blocks, block_items = sections[8]
    for i in range(block_items):
        first, raw_offset, raw_size, offset, size, checksum = struct.unpack_from("<6Q", blocks, 48 * i)
        frame = sections[9][0][offset:offset + size]
        expect(xxh3_64(frame), checksum, f"header block {i}")
        expect(raw_offset, len(text), f"raw offset of header block {i}")
        expect(header_offsets[first], raw_offset, f"first header of header block {i}")
        text += expand(frame, raw_size, f"header block {i}")
    headers = [text[header_offsets[r]:header_offsets[r + 1]] for r in range(n)]

    codes = []
    expect(tiles, linear + -(-(n - linear) // 32), "tiles")
    index = [struct.unpack_from("<5QII", sections[4][0], 48 * t) for t in range(tiles)]
    if codec == 1:
        for i in range(sections[3][1]):
            first, count, offset, size, raw_size, checksum = struct.unpack_from("<6Q", sections[3][0], 48 * i)
            frame = sections[2][0][offset:offset + size]
            expect(xxh3_64(frame), checksum, f"block {i}")
            raw, at = expand(frame, raw_size, f"block {i}"), 0
            for tile in index[first:first + count]:
                for rank in range(tile[2], tile[2] + tile[5]):
                    codes.append(list(raw[at:at + lengths[rank]]))
                    at += lengths[rank]
            expect(at, raw_size, f"residues of block {i}")
    else:
        for number, (offset, rows, first, count, checksum, lanes, layout) in enumerate(index):
            expect(layout, 1 if number < linear else 0, f"layout of tile {number}")
            size = rows * 32 if layout == 0 else -(-rows // 32) * 32
            raw = sections[1][0][offset:offset + 4 * size]
            expect(xxh3_64(raw), checksum, f"tile {number}")
            words = struct.unpack(f"<{size}I", raw)
            for lane in range(32 if layout == 0 else 1):
                found = unpack(words[lane::32] if layout == 0 else words)
                length = lengths[first + lane] if lane < lanes else 0
                expect(set(found[length:]) <= {31}, True, f"padding of tile {number}")
                if lane < lanes:
                    codes.append(found[:length])
            expect(sum(lengths[first:first + lanes]), count, f"residues of tile {number}")

    entries = b"".join(struct.pack("<QQQ", len(c), xxh3_64(bytes(c)), xxh3_64(h)) for c, h in zip(codes, headers))
    expect(xxh3_128(entries).to_bytes(16, "big").hex(), digest.hex(), "content digest")

    def identifier(header):
        ends = [i for i, byte in enumerate(header) if byte in b" \t\n\v\f\r\x01"]
        return header[:ends[0]] if ends else header

    names = sorted((xxh3_64(identifier(header)), rank) for rank, header in enumerate(headers))
    expect([struct.unpack_from("<QQ", sections[10][0], 16 * i) for i in range(n)], names, "name index")
    composition = [0] * 32
    for sequence in codes:
        for code in sequence:
            composition[code] += 1
    expect(list(struct.unpack_from("<32Q", sections[11][0])), composition, "composition")
    json.loads(sections[12][0])

    back = [None] * n
    for rank, position in enumerate(positions):
        back[position] = (headers[rank], codes[rank])
    return back


def main():
    with open(sys.argv[1], "rb") as handle:
        data = handle.read()
    out = sys.stdout.buffer
    for header, codes in read(data):
        out.write(b">" + header + b"\n")
        if codes:
            out.write("".join(LETTERS[code] for code in codes).encode() + b"\n")


if __name__ == "__main__":
    main()
