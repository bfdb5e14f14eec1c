#!/usr/bin/python3
"""Compares the lists of `search pair --all-local` with EMBOSS' matcher. pair_emboss_test.sh calls
it.

    pair_lists.py FOLDER_OF_PROGRAMS PROTEINS.fasta

The pairs are real proteins, and DNA with repeats. An alignment has to score the same as matcher's
if all alignments before it are identical. The programs may choose different ones of equal score,
and later alignments then differ. The script prints counts of what was compared. It ends with status
1 at the first difference.
"""
import random
import re
import subprocess
import sys

ALIGNMENTS = 12


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def alignments_of(report):
    """Returns the score and the pairs of residues of each alignment of a report in EMBOSS' srspair
    format."""
    found = []
    for part in re.split(r"#=+\n#\n(?=# Aligned_sequences)", report)[1:]:
        score = float(re.search(r"^# Score: (\S+)", part, re.M).group(1))
        rows = re.findall(r"^\S+ +(\d+) (\S+) +\d+$", part, re.M)
        i, j, pairs = int(rows[0][0]), int(rows[1][0]), set()
        for a, b in zip("".join(row[1] for row in rows[0::2]), "".join(row[1] for row in rows[1::2])):
            if a != "-" and b != "-":
                pairs.add((i, j))
            i, j = i + (a != "-"), j + (b != "-")
        found.append((score, pairs))
    return found


def compare(search, query, target, gap_open, gap_extend, matrix, counts):
    for name, sequence in (("query", query), ("target", target)):
        with open(name + ".fa", "w") as handle:
            handle.write(f">{name}\n{sequence}\n")
    # Matcher's gap penalty is that of a gap's first residue.
    theirs = alignments_of(run(["matcher", "query.fa", "target.fa", "-alternatives", str(ALIGNMENTS), "-gapopen",
                                str(gap_open + gap_extend), "-gapextend", str(gap_extend), "-aformat", "srspair",
                                "-auto", "-outfile", "stdout"] + (["-datafile", matrix] if matrix else [])))
    ours = alignments_of(run([*search, "query.fa", "target.fa", "--all-local", "--max-alignments", str(ALIGNMENTS),
                              "--gap-open", str(gap_open), "--gap-extend", str(gap_extend), "--quiet",
                              *(["--dna", "--matrix", matrix] if matrix else ["--protein"])]))
    what = f"{query}\n{target}\ngaps {gap_open}/{gap_extend}"
    taken = set()
    for score, pairs in ours:
        if taken & pairs:
            sys.exit(f"an alignment shares pairs with one before:\n{what}")
        taken |= pairs
    if [score for score, _ in ours] != sorted((score for score, _ in ours), reverse=True):
        sys.exit(f"scores do not descend:\n{what}")
    counts["lists"] += 1
    for number, ((their_score, their_pairs), (our_score, our_pairs)) in enumerate(zip(theirs, ours), 1):
        if their_score != our_score:
            sys.exit(f"alignment {number}: matcher's scores {their_score}, search pair's {our_score}:\n{what}")
        counts["scores"] += 1
        if their_pairs != our_pairs:
            return
    counts["same lists"] += 1


def main():
    search = [sys.argv[1] + "/search", "pair"]
    rng = random.Random(31)
    records = [record.split("\n", 1)[1].replace("\n", "") for record in open(sys.argv[2]).read().split(">")[1:]]
    proteins = [record for record in records if 50 <= len(record) <= 500 and set(record) <= set("ARNDCQEGHILKMFPSTWYV")]
    counts = {"lists": 0, "scores": 0, "same lists": 0}
    for _ in range(60):
        query, target = rng.sample(proteins, 2)
        # A relative whose domains have changed places.
        half = len(query) // 2
        for other in (target, query[half:] + target[:100] + query[:half]):
            compare(search, query, other, *rng.choice([(11, 1), (10, 4), (7, 2)]), None, counts)
    with open("bases.txt", "w") as handle:
        handle.write("   A  C  G  T\n" + "".join(
            row + " " + " ".join("5" if row == column else "-4" for column in "ACGT") + "\n" for row in "ACGT"))
    source = "".join(rng.choice("ACGT") for _ in range(1500))
    for _ in range(40):
        pieces = []
        for _ in range(2):
            starts = [rng.randrange(1000) for _ in range(4)]
            joined = "".join(source[start:start + rng.randint(100, 500)] for start in starts)
            pieces.append("".join("" if rng.random() < 0.03 else rng.choice("ACGT") if rng.random() < 0.15 else base
                                  for base in joined))
        compare(search, *pieces, *rng.choice([(12, 4), (5, 2)]), "bases.txt", counts)
    if counts["scores"] < 500:
        sys.exit(f"too little was compared: {counts}")
    print("matcher:", ", ".join(f"{number} {what}" for what, number in counts.items()))


main()
