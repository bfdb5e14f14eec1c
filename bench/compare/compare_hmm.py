#!/usr/bin/python3
"""Compares the times of `search hmm` and hmmsearch, in turns. Prints a Markdown table.

    compare_hmm.py --build build/release --hmm PROFILES.hmm [--hmm MORE.hmm.gz] [--fasta DB.fasta]
                   [--residues 50000000] [--threads 2] [--runs 3] [--alignments] [--together]

Both programs get the same profiles, proteins and threads. Each profile is searched by itself, in a
run of the whole program with the default thresholds. Both programs write --tblout, --domtblout and
a report. Like shared/checks, the reports have no alignments unless --alignments is given. Without
--fasta the proteins are the 20,000 of Debian's mmseqs2-examples, and warpseq-synth adds synthetic
ones up to --residues. --together adds one run with all profiles of a file.
"""
import argparse
import gzip
import math
import os
import subprocess
import sys
import tempfile

from side_by_side import EXAMPLES, built, machine, medians, need, table, wall_seconds


def profiles_of(path):
    """Yields (name, length, text) of each profile of a plain or gzip file."""
    opener = gzip.open if path.endswith(".gz") else open
    lines, name, length = [], "", 0
    with opener(path, "rt") as handle:
        for line in handle:
            lines.append(line)
            if line.startswith("NAME"):
                name = line.split()[1]
            elif line.startswith("LENG"):
                length = int(line.split()[1])
            elif line.startswith("//"):
                yield name, length, "".join(lines)
                lines = []


def enlarged(fasta, residues, synth, work):
    """Writes the proteins of `fasta`, and synthetic ones up to `residues` residues, to a plain
    file. Returns its path and its residues."""
    path = os.path.join(work, "proteins.fasta")
    opener = gzip.open if fasta.endswith(".gz") else open
    have = 0
    with opener(fasta, "rt") as handle, open(path, "w") as out:
        for line in handle:
            out.write(line)
            if not line.startswith(">"):
                have += len(line.strip())
    if have < residues:
        more = os.path.join(work, "more.fasta")
        subprocess.run([synth, "-n", str(residues - have), "-o", more], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        with open(path, "a") as out, open(more) as handle:
            for line in handle:
                out.write(line)
        os.remove(more)
        have = residues
    return path, have


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--hmm", action="append", required=True)
    parser.add_argument("--fasta", default=f"{EXAMPLES}/DB.fasta.gz")
    parser.add_argument("--residues", type=int, default=50_000_000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--alignments", action="store_true")
    parser.add_argument("--together", action="store_true")
    args = parser.parse_args()
    search, dbconv, synth = (built(args.build, name) for name in ("search", "dbconv", "warpseq-synth"))
    hmmsearch = need("hmmsearch", "hmmer")
    with tempfile.TemporaryDirectory() as work:
        fasta, residues = enlarged(args.fasta, args.residues, synth, work)
        database = os.path.join(work, "proteins.wsdb")
        subprocess.run([dbconv, fasta, "-o", database], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        noali = [] if args.alignments else ["--noali"]

        def outputs(who):
            name = os.path.join(work, who)
            return ["-o", name + ".out", "--tblout", name + ".tbl", "--domtblout", name + ".dom", *noali]

        def contest(path):
            ours = [search, "hmm", "-q", path, "-d", database, "--device", "cpu", "--threads", args.threads, "--quiet"]
            theirs = [hmmsearch, "--cpu", args.threads]
            middle, _ = medians({
                "ours": lambda: wall_seconds([*ours, *outputs("ours")])[0],
                "theirs": lambda: wall_seconds([*theirs, *outputs("theirs"), path, fasta])[0],
            }, args.runs)
            with open(os.path.join(work, "theirs.tbl")) as handle:
                hits = sum(not line.startswith("#") for line in handle)
            return middle["ours"], middle["theirs"], hits

        print(f"{machine()}; {residues:,} residues; {args.threads} threads; medians of {args.runs} runs in turns, seconds")
        rows, ratios, slower = [], [], []
        for path in args.hmm:
            every = sorted(profiles_of(path), key=lambda profile: profile[1])
            for name, length, text in every:
                one = os.path.join(work, "one.hmm")
                with open(one, "w") as out:
                    out.write(text)
                ours, theirs, hits = contest(one)
                ratio = theirs / ours
                if length >= 50:
                    ratios.append(ratio)
                    if ratio <= 1:
                        slower.append(name)
                rows.append([name, length, hits, f"{ours:.3f}", f"{theirs:.3f}", f"{ratio:.2f}",
                             f"{length * residues / ours / 1e9:.1f}"])
            if args.together:
                ours, theirs, hits = contest(path)
                nodes = sum(length for _, length, _ in every)
                rows.append([os.path.basename(path), nodes, hits, f"{ours:.3f}", f"{theirs:.3f}", f"{theirs / ours:.2f}",
                             f"{nodes * residues / ours / 1e9:.1f}"])
        table(["profile", "length", "hits", "search hmm", "hmmsearch", "times", "GCUPS"], rows)
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"{len(ratios)} profiles of 50 nodes and more: geometric mean {mean:.2f} times hmmsearch, "
                  f"least {min(ratios):.2f}, greatest {max(ratios):.2f}")
            if slower:
                sys.exit("slower than hmmsearch: " + ", ".join(slower))


if __name__ == "__main__":
    main()
