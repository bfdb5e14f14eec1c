#!/usr/bin/env python3
"""Compares how the drop-ins and NCBI BLAST+ 2.12.0 read odd values of options: values with signs,
exponents, hexadecimal digits or blanks, values that overflow, and empty ones.

    blast_values.py BIN [--every N]

BIN/dropin/blastp, BIN/dropin/makeblastdb and the originals in PATH get the same command lines. With
--every, only each N-th command line is run. Standard output, exit status and messages have to be
the same, except for the program's name and for the usage after a refused command line.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

VALUES = ["", "0", "1", "2", "-1", "+3", "3.0", "3.", " .5", ".5", "1e1", "1e", "1E2", "1e-3", "0x10", "0x", "010", "5 ", " 5", "5x", "x", "inf", "nan", "1e-400",
          "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "99999999999999999999", "1,000", "1_000", "--1", "+", "-", "5\t", "0.0", "-0", "00",
          "1d2", "5e0", "\u0663", "1e+2", "+.5", "5f", "1;2", "true", "1000000000000000000000", "-9223372036854775809", "0x8000000000000000", "1e5.5", "1e5e", "0xg", "0x1.g", "infx", "1.5.5",
          "12345678901234567890x"]
INTEGERS = "word_size gapopen gapextend max_hsps culling_limit window_size num_descriptions num_alignments line_length sorthits sorthsps max_target_seqs".split()
REALS = "evalue qcov_hsp_perc threshold best_hit_overhang best_hit_score_edge xdrop_ungap xdrop_gap xdrop_gap_final".split()
OTHERS = {
    "soft_masking": ["", "true", "TRUE", "yes", "Y", "1", "0", "no", "f", "2", "tr", " true", "on"],
    "seg": ["", "yes", "no", "YES", "12 2.2 2.5", "12 2.2", "x", "12 a b", "10 1.0 1.5 7", " yes", "12  2.2  2.5", "1e1 2.2 2.5", "12 2.5 2.2"],
    "matrix": ["", "blosum62", "BLOSUM62 ", "NONE", "Pam30", "BLOSUM45"],
    "task": ["", "BLASTP", "blastp ", "blastp-fast"],
    "comp_based_stats": ["", "0", "1", "2", "3", "F", "t", "D", "-1", "02"],
    "outfmt": ["", "6 ", "06", "+6", "6.0", "-1", "19", "20", "17", "6,7", "0x6", "6 qseqid", "6  sseqid", "6\tsseqid", "6 delim=, qseqid sseqid", "six", "99999999999",
               "6 std qlen", " 6", "6 delim= qseqid", "6 delim", "6 delim=; staxids", "6  delim=@ score", "6 delim=@", "10 delim= score qlen"],
    "query_loc": ["", "5", "5-", "-5", "5-4", "1-10", "1-10-20", "0-5", "1-0", "a-b", "1-99999999999", "5 - 10", "+1-+10"],
    "taxids": ["x", "9606", "9606,"],
}
# Values that the drop-ins read differently. docs/dropin-blast.md and docs/blastp.md document them
# under "What differs".
DIFFERENT = {("window_size", "2147483647"), ("searchsp", "0"), ("searchsp", "-0"), ("searchsp", "00")}
DIFFERENT |= {("taxids", "-1")}


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    error = done.stderr
    if b"=" * 72 in error:
        error = error[error.index(b"=" * 72) :]
    error = re.sub(rb"Error: NCBI C\+\+ Exception:\n.*?\(\) - ([^\n]*)\n\n?", rb"Error: \1\n", error, flags=re.S)
    out = re.sub(rb"BLASTP 2.12.0\+ \(warpseq [^)]*\)", b"BLASTP 2.12.0+", done.stdout)
    out = re.sub(rb"current time: .*|in [0-9.e-]+ seconds", b"", out)
    return done.returncode, out, error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    ours = os.path.abspath(options.programs) + "/dropin/"
    folder = tempfile.mkdtemp(prefix="warpseq-blast-values-")
    with open(folder + "/q.fa", "w") as out:
        out.write(">q first\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAVQVKVKALPDAQFEVVHSLAKWKRQTLGQHDFSAG\n")
    run(["makeblastdb", "-in", "q.fa", "-dbtype", "prot", "-out", "db"], folder)
    cases = [(name, value) for name in INTEGERS + REALS + ["dbsize", "searchsp"] for value in VALUES]
    cases += [(name, value) for name, values in OTHERS.items() for value in values]
    commands = [["blastp", "-query", "q.fa", "-db", "db", *([] if name == "outfmt" else ["-outfmt", "6"]), "-" + name, value]
                for name, value in cases if (name, value) not in DIFFERENT]
    # The costs are so high that no gap pays.
    commands += [["blastp", "-query", "q.fa", "-db", "db", "-outfmt", "6", "-gapopen", "32767", "-gapextend", "32767", "-comp_based_stats", mode] for mode in "0123"]
    commands += [["blastp", "-query", "q.fa", "-db", db, "-outfmt", "6"] for db in ("", " ", "absent", "db ", "  db", "db absent")]
    commands += [["blastp", "-query", query, "-db", "db", "-outfmt", "6"] for query in ("", "absent", "-")]
    commands += [["blastp", "-query", "q.fa", "-db", "db", "-outfmt", "6", *words] for words in (["-html=1"], [""], ["-=6"], ["-evalue"], ["-html="], ["-evalue=", "-outfmt"])]
    commands += [["makeblastdb", "-in", "q.fa", "-dbtype", "prot", "-out", "o", "-" + name, value] for name in ("taxid", "blastdb_version") for value in VALUES]
    compared = differences = 0
    for command in commands[:: options.every]:
        results = [run([program + command[0], *command[1:]], folder) for program in ("", ours)]
        compared += 1
        if command[0] == "makeblastdb":
            results = [(status, re.sub(rb"Deleted existing.*\n", b"", out), error) for status, out, error in results]
        if results[0] != results[1]:
            differences += 1
            print(f"DIFFERENT: {command}\n  original: {results[0]!r}\n  here:     {results[1]!r}")
    print(f"{compared} cases, {differences} differ")
    shutil.rmtree(folder)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
