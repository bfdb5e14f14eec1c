#!/usr/bin/python3
"""Compares the times of `dbconv` and makeblastdb on the same FASTA, in turns. Prints a Markdown
table.

    compare_dbconv.py --build build/release [--fasta IN.fasta] [--threads 2] [--runs 5]
                      [--work FOLDER]

Without --fasta it takes Swiss-Prot of 2014 from Debian's metastudent-data: 516,371 sequences, 187
million residues. makeblastdb has no threads. Both programs write to the same folder. Every file of
the run before is removed first.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

from side_by_side import built, machine, medians, need, table, wall_seconds

METASTUDENT = "/usr/share/metastudent-data/dataset_201401"


def swiss_prot(path):
    """Writes the union of metastudent-data's three databases, each identifier once."""
    blastdbcmd = need("blastdbcmd", "ncbi-blast+")
    seen = set()
    with open(path, "w") as out:
        for part in ("BPO", "CCO", "MFO"):
            database = f"{METASTUDENT}/{part}/goasp.fasta"
            if not glob.glob(database + ".*"):
                sys.exit(f"{database} is missing (Debian: metastudent-data); tools/setup bench installs it, or give --fasta")
            lines = subprocess.Popen([blastdbcmd, "-db", database, "-entry", "all"], stdout=subprocess.PIPE, text=True)
            keep = False
            for line in lines.stdout:
                if line.startswith(">"):
                    identifier = line.split("|", 1)[0]
                    keep = identifier not in seen
                    seen.add(identifier)
                if keep:
                    out.write(line)
            if lines.wait() != 0:
                sys.exit(f"blastdbcmd -db {database} failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--fasta")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--work", help="folder for all files (default: a temporary one)")
    args = parser.parse_args()
    dbconv, makeblastdb = built(args.build, "dbconv"), need("makeblastdb", "ncbi-blast+")
    with tempfile.TemporaryDirectory(dir=args.work) as work:
        fasta = args.fasta or os.path.join(work, "swissprot2014.fasta")
        if not args.fasta:
            swiss_prot(fasta)
        ours, theirs = os.path.join(work, "ours.wsdb"), os.path.join(work, "theirs")

        def run_dbconv(*options):
            if os.path.exists(ours):
                os.remove(ours)
            return wall_seconds([dbconv, fasta, "-o", ours, "--threads", args.threads, "--quiet", *options])[0]

        def run_makeblastdb():
            for file in glob.glob(theirs + "*"):
                os.remove(file)
            return wall_seconds([makeblastdb, "-in", fasta, "-dbtype", "prot", "-out", theirs])[0]

        contestants = {"dbconv": run_dbconv, "dbconv --codec zstd": lambda: run_dbconv("--codec", "zstd"),
                       "makeblastdb": run_makeblastdb}
        run_dbconv()  # brings the input into the page cache for all runs
        middle, all_runs = medians(contestants, args.runs)
        size = os.path.getsize(fasta)
        print(f"{size / 1e6:,.1f} MB of FASTA; dbconv with {args.threads} threads; {machine()}; medians of {args.runs} runs\n")
        table(["program", "seconds", "from - to", "MB of FASTA per second", "makeblastdb's time over it"],
              [(name, f"{seconds:.2f}", f"{min(all_runs[name]):.2f} - {max(all_runs[name]):.2f}", f"{size / 1e6 / seconds:,.0f}",
                f"{middle['makeblastdb'] / seconds:.1f}") for name, seconds in middle.items()])


if __name__ == "__main__":
    main()
