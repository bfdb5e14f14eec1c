#!/usr/bin/env python3
"""Flips single bits of small databases and checks how the programs react.

    bit_flips.py BIN [--flips 300] [--seed 1] [--jobs 1] [--seconds N]

BIN has dbconv, search and inspect. Bits are flipped in two databases of the same proteins, packed
and zstd. `inspect validate` has to report damage for each flip. `inspect info`, `stats`, `fetch`,
`fasta`, `compare` with the sound database, `search sw`, `search hmm`, `search blastp` and `dbconv`
have to end with exit status 1 and a message, or with the report of the sound database, byte for
byte. None may say that the database was written to while it was read.

Bits are drawn without repetition: nine of ten from the header and the sections, where something is
stored, and one of ten from the zeros between them. --seconds ends a run early. The output says how
far it came.
"""
import argparse
import collections
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
HEADER_BYTES = 4096
# The commands that take only every fourth flip.
SELDOM = {"inspect info", "inspect stats", "inspect fetch", "inspect compare", "inspect compare --list", "dbconv"}


def make_proteins(rng):
    """Returns a few families, so that there are hits to lose, and others of 1 to 120 residues."""
    records = []
    for family in range(4):
        ancestor = rng.choices(LETTERS, k=rng.randint(60, 200))
        for member in range(6):
            letters = [c if rng.random() > 0.35 else rng.choice(LETTERS) for c in ancestor]
            records.append((f"f{family}m{member} member {member} of family {family}", "".join(letters)))
    for i in range(16):
        records.append((f"r{i}", "".join(rng.choices(LETTERS + "XBZ", k=rng.randint(1, 120)))))
    return records


def write_fasta(path, records):
    with open(path, "w") as handle:
        handle.writelines(f">{name}\n{residues}\n" for name, residues in records)


def stored_ranges(inspect, database):
    """Returns the byte ranges of the header and the sections, from the output of `inspect info`."""
    text = subprocess.run([inspect, "info", database], check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"^[A-Z_]+ +(\d+) +(\d+) +[\d.]+%", text, re.M)
    assert len(rows) >= 8, text
    return [(0, HEADER_BYTES)] + [(int(offset), int(offset) + int(size)) for offset, size in rows]


def draw_bits(rng, ranges, file_bytes, count):
    stored = [byte * 8 + bit for begin, end in ranges for byte in range(begin, end) for bit in range(8)]
    known = set(stored)
    # zeros, and other bytes outside the sections
    rest = [position for position in range(file_bytes * 8) if position not in known]
    of_stored = min(len(stored), count - min(len(rest), count // 10))
    bits = rng.sample(stored, of_stored) + rng.sample(rest, min(len(rest), count - of_stored))
    rng.shuffle(bits)
    return bits


def run(command, folder):
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout, done.stderr


def try_flips(folder, commands, sound, database, bits, end):
    """Flips `bits` of `database`, one after the other, until the time `end`.

    Works in `folder`, which no other thread uses. Returns the count of each outcome, and problems.
    """
    outcomes, problems = collections.Counter(), []
    path = os.path.join(folder, "d.wsdb")
    with open(path, "wb") as handle:
        handle.write(database)
    descriptor = os.open(path, os.O_RDWR)
    for number, position in enumerate(bits):
        if time.monotonic() > end:
            break
        outcomes["flipped", ""] += 1
        byte, mask = position // 8, 1 << position % 8
        os.pwrite(descriptor, bytes([database[byte] ^ mask]), byte)
        for name, command in commands.items():
            if name in SELDOM and number % 4 != 0:
                continue
            result = run(command, folder)
            where = f"{name}, bit {position % 8} of byte {byte}"
            if result is None:
                problems.append(f"{where}: does not end")
                continue
            status, out, err = result
            if name != "validate" and out == sound[name] and (status == 0 or name == "inspect compare --list"):
                outcomes[name, "same report"] += 1
            elif status == 1 and (name == "validate" or err) and b"written to while" not in err:
                outcomes[name, "refused"] += 1
            else:
                problems.append(f"{where}: exit status {status}, {len(out)} bytes of output, {err[-200:].decode(errors='replace')!r}")
        os.pwrite(descriptor, database[byte:byte + 1], byte)
    os.close(descriptor)
    return outcomes, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--flips", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    args = parser.parse_args()
    rng = random.Random(args.seed)
    dbconv, search, inspect = (os.path.join(os.path.abspath(args.bin), name) for name in ("dbconv", "search", "inspect"))
    outcomes, problems = collections.Counter(), []
    begin = time.monotonic()

    with tempfile.TemporaryDirectory(prefix="warpseq-flips-") as work:
        proteins = make_proteins(rng)
        write_fasta(f"{work}/p.fa", proteins)
        write_fasta(f"{work}/q.fa", [proteins[1]])
        write_fasta(f"{work}/other.fa", [(name.replace(" ", " other "), residues) for name, residues in proteins[3:20]])
        with open(f"{work}/names", "w") as names:
            names.writelines(f"{name.split()[0]}\n" for name, _ in proteins)
        # A database with taxa has two more sections.
        with open(f"{work}/taxids", "w") as taxids:
            taxids.writelines(f"{name.split()[0]}\t{9606 if i % 2 else 562}\n" for i, (name, _) in enumerate(proteins))
        dump = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "golden", "taxdump")
        with_taxa = ["--taxid-map", f"{work}/taxids", "--taxonomy", dump]
        profile = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "golden", "hmm", "every-field-3f.hmm")
        on_cpu = ["--device", "cpu", "--threads", "1", "--quiet"]
        commands = {
            "validate": [inspect, "validate", "d.wsdb"],
            "inspect fasta": [inspect, "fasta", "d.wsdb"],
            "inspect info": [inspect, "info", "d.wsdb", "--json"],
            "inspect stats": [inspect, "stats", "d.wsdb", "--json", "--letters", "--low-complexity", "--duplicates"],
            "inspect fetch": [inspect, "fetch", "d.wsdb", "--list", f"{work}/names"],
            "inspect compare": [inspect, "compare", f"{work}/sound.wsdb", "d.wsdb", "--json"],
            "inspect compare --list": [inspect, "compare", f"{work}/other.wsdb", "d.wsdb", "--list"],
            "dbconv": [dbconv, "d.wsdb", "-o", "out.wsdb", "--force"],
            "search sw": [search, "sw", "-q", f"{work}/q.fa", "-d", "d.wsdb", *on_cpu],
            "search hmm": [search, "hmm", "-q", profile, "-d", "d.wsdb", "--max", "-E", "1e9", *on_cpu],
            "search blastp": [search, "blastp", "-q", f"{work}/q.fa", "-d", "d.wsdb", *on_cpu],
        }
        for codec, share in (("packed", args.flips - args.flips // 4), ("zstd", args.flips // 4)):
            path = f"{work}/d.wsdb"
            subprocess.run([dbconv, f"{work}/p.fa", "-o", path, "--codec", codec, "--force", "--quiet", *with_taxa], check=True)
            shutil.copyfile(path, f"{work}/sound.wsdb")
            subprocess.run([dbconv, f"{work}/other.fa", "-o", f"{work}/other.wsdb", "--force", "--quiet"], check=True)
            with open(path, "rb") as handle:
                database = handle.read()
            sound = {}
            for name, command in commands.items():
                status, out, err = run(command, work)
                if status not in ((0, 1) if name == "inspect compare --list" else (0,)) or (name != "validate" and len(out) < 90):
                    sys.exit(f"bit_flips: {name} of the sound database: exit status {status}, {err.decode()}")
                sound[name] = out
            bits = draw_bits(rng, stored_ranges(inspect, path), len(database), share)
            folders = [f"{work}/{codec}{job}" for job in range(args.jobs)]
            for folder in folders:
                os.mkdir(folder)
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as executor:
                end = begin + args.seconds * (0.75 if codec == "packed" else 1)
                parts = [executor.submit(try_flips, folder, commands, sound, database, bits[job::args.jobs], end)
                         for job, folder in enumerate(folders)]
                for part in parts:
                    outcomes += part.result()[0]
                    problems += part.result()[1]
            print(f"{codec}: {len(database):,} bytes; {outcomes['flipped', '']:,} flips so far", flush=True)

    for (name, outcome), count in sorted(outcomes.items()):
        print(f"{name:22} {outcome:12} {count:9,}")
    for problem in problems[:50]:
        print(problem)
    print(f"{len(problems)} problems")
    sys.exit(1 if problems else 0)


main()
