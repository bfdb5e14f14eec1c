#!/usr/bin/python3
"""Compares the times of `search sw`, parasail and ssearch36, in turns. Prints a Markdown table.

    compare_sw.py --build build/release [--fasta DB.fasta[.gz]] [--query Q.fasta] [--threads 2]
                  [--runs 5] [--lengths 64,144,375,1000,5000]

All programs get the same queries, proteins, scores and threads. Without --fasta the proteins are
the 20,000 of Debian's mmseqs2-examples. Without --query there is a query of each of the given
lengths: the front of the first protein that is long enough and has only the 20 amino acids there.
The matrix is BLOSUM62, and a gap of k residues costs 11 + k. parasail gets 12 and 1, because it
charges its opening cost for the first residue.

parasail_scan (in this folder) times parasail. It scores in memory with as many threads, without
reading and without Python. It uses parasail's saturating 8-bit profiles with the widest vectors of
the processor. `search` has two times. The scoring time that --stats prints is comparable with
parasail. The time of the whole program with its report is comparable with that of ssearch36.
GCUPS are query residues times residues of all proteins per second, in billions.
"""
import argparse
import gzip
import os
import re
import subprocess
import sys
import tempfile

from side_by_side import EXAMPLES, built, machine, medians, need, table, wall_seconds

STANDARD = set("ACDEFGHIKLMNPQRSTVWY")


def read_fasta(path):
    """Yields (identifier, residues) of each record of a plain or gzip FASTA file."""
    opener = gzip.open if path.endswith(".gz") else open
    name, parts = None, []
    with opener(path, "rt") as handle:
        for line in handle:
            if line.startswith(">"):
                if name is not None:
                    yield name, "".join(parts)
                words = line[1:].split()
                name, parts = (words[0] if words else "unnamed"), []
            else:
                parts.append(line.strip().upper())
    if name is not None:
        yield name, "".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--fasta", default=f"{EXAMPLES}/DB.fasta.gz")
    parser.add_argument("--query")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--lengths", default="64,144,375,1000,5000")
    args = parser.parse_args()
    search, dbconv = built(args.build, "search"), built(args.build, "dbconv")
    scan, ssearch = built(args.build, "parasail_scan"), need("ssearch36", "fasta3")
    proteins = list(read_fasta(args.fasta))
    residues = sum(len(letters) for _, letters in proteins)
    if args.query:
        queries = list(read_fasta(args.query))
    else:
        queries = []
        for length in map(int, args.lengths.split(",")):
            found = next(((name, letters[:length]) for name, letters in proteins
                          if len(letters) >= length and set(letters[:length]) <= STANDARD), None)
            if found is None:
                sys.exit(f"no protein of {args.fasta} has {length} residues")
            queries.append(found)

    rows = []
    with tempfile.TemporaryDirectory() as work:
        fasta, database, query_file = (os.path.join(work, name) for name in ("db.fa", "db.wsdb", "q.fa"))
        with open(fasta, "w") as out:
            out.writelines(f">{name}\n{letters}\n" for name, letters in proteins)
        wall_seconds([dbconv, fasta, "-o", database, "--quiet"])
        for name, letters in queries:
            with open(query_file, "w") as out:
                out.write(f">{name}\n{letters}\n")
            billions = len(letters) * residues / 1e9
            ours = [search, "sw", "-q", query_file, "-d", database, "--matrix", "BLOSUM62", "--gap-open", "11",
                    "--gap-extend", "1", "--threads", args.threads, "--max-hits", "10", "--outfmt", "6", "--stats"]

            def score_seconds():
                shown = re.search(r"seconds to score\s+([0-9.]+)", wall_seconds(ours)[1])
                if shown is None:
                    sys.exit("search --stats printed no 'seconds to score'")
                return max(float(shown.group(1)), 1e-3)

            def parasail_seconds(function):
                command = [scan, query_file, fasta, function, "12", "1", str(args.threads)]
                return float(subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.split()[0])

            middle, _ = medians({
                "score": score_seconds,
                "whole": lambda: wall_seconds(ours)[0],
                "striped": lambda: parasail_seconds("sw_striped_profile_sat"),
                "scan": lambda: parasail_seconds("sw_scan_profile_sat"),
                "ssearch": lambda: wall_seconds([ssearch, "-q", "-p", "-s", "BL62", "-f", "-11", "-g", "-1", "-T", args.threads,
                                                 "-m", "8", "-b", "10", "-d", "0", query_file, fasta])[0],
            }, args.runs)
            best_parasail = min(middle["striped"], middle["scan"])
            rows.append([len(letters)] + [f"{billions / middle[key]:.2f}" for key in ("score", "whole", "striped", "scan", "ssearch")] +
                        [f"{best_parasail / middle['score']:.2f}", f"{middle['ssearch'] / middle['whole']:.2f}"])
            print(f"query of {len(letters)} residues done", file=sys.stderr)
    print(f"GCUPS; {len(proteins):,} proteins, {residues:,} residues; {args.threads} threads; {machine()}; medians of {args.runs} runs\n")
    table(["query residues", "search, scoring", "search, whole", "parasail striped", "parasail scan", "ssearch36, whole",
           "scoring over best parasail", "whole over ssearch36"], rows)


if __name__ == "__main__":
    main()
