#!/usr/bin/env python3
"""Tables with --header, read as spreadsheets read them, hold what tables without it hold.

    table_header.py PROGRAMS
"""
import csv
import os
import random
import subprocess
import sys
import tempfile

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
NAMES = "qseqid qtitle sseqid stitle score length"
# Each engine's command line, and the names of columns. hmmscan's targets are profiles.
ENGINES = [("sw -q q.fa -d d.fa", NAMES), ("blastp -q q.fa -d d.fa", NAMES.replace("qtitle", "cigar")),
           ("hmm -q q.fa -d d.fa", NAMES + " cevalue"), ("jackhmmer -q q.fa -d d.fa -N 1", NAMES + " cevalue"),
           ("hmmscan -q d.fa -d p.hmm", NAMES + " hmmacc"), ("pair q.fa d.fa --all-pairs", NAMES + " sstrand")]


def write_files():
    rng = random.Random(5)
    query = "".join(rng.choice(LETTERS) for _ in range(120))
    with open("q.fa", "w") as file:
        file.write(f">q,1 of two, \"quoted\"\n{query}\n>q2 plain\n{query[::-1]}\n")
    with open("rows.afa", "w") as file:
        file.write(f">row1\n{query}\n>row2\n{query}\n")
    with open("d.fa", "w") as file:
        for i, title in enumerate(["", "plain", "a, comma", "5\"-end", "\"all of it\"", "\"mixed\", both"]):
            relative = "".join(letter if rng.random() < 0.8 else rng.choice(LETTERS) for letter in query)
            file.write(f">t{i} {title}\n{relative if i % 2 == 0 else relative[::-1]}\n")


def main():
    search = [os.path.join(os.path.abspath(sys.argv[1]), "warpseq"), "search"]

    def run(*words, status=0):
        done = subprocess.run([*search, *words, "--quiet"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != status:
            sys.exit(f"FAILED: exit status {done.returncode} of search {' '.join(words)}\n{done.stderr}")
        return done.stdout if status == 0 else done.stderr

    def require(holds, what, text):
        if not holds:
            sys.exit(f"FAILED: {what}\n{text}")

    with tempfile.TemporaryDirectory(prefix="warpseq-header-") as work:
        os.chdir(work)
        write_files()
        run("hmmbuild", "-q", "rows.afa", "-o", "p.hmm")
        for command, names in ENGINES:
            words = command.split()
            plain = run(*words, "--outfmt", f"6 {names}")
            rows = [line.split("\t") for line in plain.splitlines()]
            require(len(rows) > 2, f"search {command} finds too little", plain)
            require(any('"' in field for row in rows for field in row), f"no quotes in search {command}", plain)
            for number, separator in ("6", "\t"), ("10", ","):
                text = run(*words, "--outfmt", f"{number} {names}", "--header")
                require(text.startswith(separator.join(names.split()) + "\n"), f"first row of search {command}", text)
                read = list(csv.reader(text.splitlines(), delimiter=separator, strict=True))
                require(read == [names.split(), *rows], f"format {number} of search {command}", text)
            commas = run(*words, "--outfmt", f"10 {names}")
            require(commas == plain.replace("\t", ","), f"quotes of search {command} without --header", commas)
            for number in "0", "7":
                message = run(*words, "--outfmt", number, "--header", status=2)
                require("only formats 6 and 10 have a header row" in message, f"search {command}", message)
    print(f"tables of {len(ENGINES)} engines read")


if __name__ == "__main__":
    main()
