#!/usr/bin/env python3
"""Compares the rows of `search blastp` with those of NCBI's blastp 2.12 for random long queries.

    blastp_long.py --bin build/release/bin --families families-dev.fasta.gz
                   --proteins DB.fasta.gz --queries 500

A query has 12,000 to 60,000 residues. It is a chain of random members of the families, random
proteins and random stretches. Each case is a file of one to three such queries with short ones
between them, and a database of some hundred sequences. Some of these are relatives of the pieces
of the queries. Half of the cases have default options, and the others random ones. Rows have to be
the same in the same order. A case that differs is left as a folder in --keep. The same seed makes
the same cases.
"""
import argparse
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
GAPS = {"BLOSUM62": ["11 1", "9 2", "8 2", "7 2", "12 1"], "BLOSUM45": ["14 2", "13 3", "12 3"], "BLOSUM80": ["10 1", "8 2"],
        "PAM30": ["9 1", "7 2"], "PAM70": ["10 1", "8 2"], "PAM250": ["14 2", "13 3"], "BLOSUM50": ["13 2", "12 3"],
        "BLOSUM90": ["10 1", "9 2"]}


def read_fasta(path):
    opener = gzip.open if path.endswith(".gz") else open
    name, parts = None, []
    with opener(path, "rt") as handle:
        for line in handle:
            if line.startswith(">"):
                if name is not None and parts:
                    yield "".join(parts)
                name, parts = line, []
            else:
                parts.append(line.strip())
    if name is not None and parts:
        yield "".join(parts)


def noise(rng, length):
    return "".join(rng.choices(LETTERS, k=length))


def low_complexity(rng, length):
    unit = noise(rng, rng.randint(1, 4))
    return (unit * length)[:length]


def mutated(rng, sequence, identity):
    result = []
    for letter in sequence:
        if rng.random() < 0.02:
            result.append(noise(rng, rng.randint(0, 8)))
        elif rng.random() < identity:
            result.append(letter)
        else:
            result.append(rng.choice(LETTERS))
    return "".join(result)


def long_query(rng, families, proteins):
    length, chain, used = rng.randint(12_000, 60_000), [], []
    have = 0
    while have < length:
        kind = rng.random()
        if kind < 0.35:
            piece = rng.choice(families)
            used.append(piece)
        elif kind < 0.7:
            piece = rng.choice(proteins)
            used.append(piece)
        elif kind < 0.73:
            piece = low_complexity(rng, rng.randint(10, 300))
        else:
            piece = noise(rng, rng.randint(10, 2_000))
        if rng.random() < 0.02:
            piece = piece.lower()
        chain.append(piece)
        have += len(piece)
    return "".join(chain)[:length], used


def random_options(rng):
    if rng.random() < 0.5:
        return []
    options = []
    if rng.random() < 0.7:
        options += ["-comp_based_stats", rng.choice("0123")]
    space = rng.random()
    if space < 0.3:
        options += ["-searchsp", str(int(10 ** rng.uniform(9, 14)))]
    elif space < 0.6:
        options += ["-dbsize", str(int(10 ** rng.uniform(6, 11)))]
    if rng.random() < 0.5:
        options += ["-evalue", rng.choice(["1e-5", "0.01", "1", "9.99", "10.01", "100"])]
    if rng.random() < 0.3:
        matrix = rng.choice(sorted(GAPS))
        options += ["-matrix", matrix]
        if rng.random() < 0.7:
            gap_open, extend = rng.choice(GAPS[matrix]).split()
            options += ["-gapopen", gap_open, "-gapextend", extend]
    if rng.random() < 0.2:
        options += ["-seg", "yes"]
    if rng.random() < 0.2:
        options += ["-lcase_masking"]
    if rng.random() < 0.1:
        options += ["-soft_masking", "true"]
    if rng.random() < 0.1:
        options += ["-xdrop_ungap", rng.choice(["5", "10"])]
    if rng.random() < 0.1:
        options += ["-xdrop_gap", rng.choice(["8", "20"])]
    # In the other modes blastp may pass over a target when its list is full (docs/blastp.md,
    # "Differences that stay").
    if rng.random() < 0.1 and "0" in options[1:2]:
        options += ["-max_target_seqs", rng.choice(["5", "50"])]
    return options


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of dbconv and search")
    parser.add_argument("--families", required=True)
    parser.add_argument("--proteins", required=True)
    parser.add_argument("--queries", type=int, default=500, help="long queries in all")
    parser.add_argument("--sequences", type=int, default=600, help="of a database, on average")
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--first", type=int, default=0, help="the case to begin with")
    parser.add_argument("--keep", default="blastp-long-differences")
    args = parser.parse_args()
    version = run(["blastp", "-version"])[1].split("\n")[0]
    if version != "blastp: 2.12.0+":
        print(f"needs blastp 2.12.0, found '{version}'")
        sys.exit(77)
    families, proteins = list(read_fasta(args.families)), list(read_fasta(args.proteins))
    done = short = cases = rows = plain = failed = 0
    number = args.first
    while done < args.queries:
        rng = random.Random(f"{args.seed} {number}")
        queries, used = [], []
        for k in range(min(rng.choice([1, 1, 1, 2, 3]), args.queries - done)):
            sequence, pieces = long_query(rng, families, proteins)
            queries.append((f"long{number}_{k}", sequence))
            used += pieces
        longs = len(queries)
        for k in range(rng.choice([0, 0, 1, 3, 10])):
            sequence = rng.choice(families) if rng.random() < 0.5 else rng.choice(proteins)
            queries.insert(rng.randint(0, len(queries)), (f"short{number}_{k}", sequence))
        count = rng.randint(args.sequences // 3, args.sequences * 5 // 3)
        database = [rng.choice(proteins) for _ in range(count // 2)] + [rng.choice(families) for _ in range(count // 4)]
        database += [mutated(rng, rng.choice(used), rng.uniform(0.2, 0.7)) for _ in range(count // 8)] if used else []
        database += [noise(rng, rng.randint(5, 1_500)) for _ in range(count // 8)]
        rng.shuffle(database)
        options = random_options(rng)
        with tempfile.TemporaryDirectory() as work:
            file = lambda name: os.path.join(work, name)
            for name, sequences in (("q.fa", queries), ("db.fa", [(f"s{i}", s) for i, s in enumerate(database) if s])):
                with open(file(name), "w") as out:
                    out.writelines(f">{title}\n{sequence}\n" for title, sequence in sequences)
            for command in (["makeblastdb", "-in", file("db.fa"), "-dbtype", "prot", "-out", file("db")],
                            [os.path.join(args.bin, "dbconv"), file("db.fa"), "-o", file("db.wsdb"), "--quiet"]):
                status, _, error = run(command)
                if status != 0:
                    sys.exit(f"{' '.join(command)} fails: {error}")
            ours_options = ["-" + word if word[0] == "-" and word[1:2].isalpha() else word for word in options]
            status, theirs, error = run(["blastp", "-query", file("q.fa"), "-db", file("db"), "-outfmt", "6 std score", *options])
            if status != 0:
                sys.exit(f"case {number}: blastp {' '.join(options)} fails: {error}")
            status, ours, error = run([os.path.join(args.bin, "search"), "blastp", "-q", file("q.fa"), "-d", file("db.wsdb"), "--device",
                                       "cpu", "--outfmt", "6 std score", "--quiet", *ours_options])
            same = status == 0 and ours == theirs
            cases += 1
            done += longs
            short += len(queries) - longs
            rows += theirs.count("\n")
            plain += not options
            if not same:
                failed += 1
                print(f"case {number} differs: {' '.join(options) or 'defaults'}; {error.strip()}")
                lines = (set(theirs.splitlines()), set(ours.splitlines()))
                for row in sorted(lines[0] - lines[1])[:5]:
                    print("  only blastp's:", row)
                for row in sorted(lines[1] - lines[0])[:5]:
                    print("  only ours:    ", row)
                folder = os.path.join(args.keep, str(number))
                os.makedirs(folder, exist_ok=True)
                for name in ("q.fa", "db.fa"):
                    shutil.copy(file(name), folder)
                with open(os.path.join(folder, "options"), "w") as out:
                    out.write(" ".join(options) + "\n")
            if cases % 10 == 0:
                print(f"... {cases} cases, {done} long queries, {rows} rows, {failed} differ", flush=True)
        number += 1
    print(f"{cases} cases ({plain} of them with defaults), {done} long and {short} short queries, {rows} rows of blastp's: "
          f"{failed} cases differ")
    sys.exit(1 if failed or rows == 0 else 0)


if __name__ == "__main__":
    main()
