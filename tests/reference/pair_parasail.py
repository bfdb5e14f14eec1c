#!/usr/bin/python3
"""Compares `search pair` with parasail, and with --emboss also with EMBOSS' needle and water.
pair_parasail_test.sh and pair_emboss_test.sh call this script.

    pair_parasail.py FOLDER_OF_PROGRAMS PROTEINS.fasta [--emboss]

The pairs are all pairs of 20 proteins, and all pairs of 20 pieces of DNA. Alignments are global,
local and semi-global, with several gap costs. The script prints counts of what was compared. It
ends with status 1 at the first difference.
"""
import os
import random
import re
import subprocess
import sys

import parasail

AMINO, BASES = "ARNDCQEGHILKMFPSTWYVBZX", "ACGT"
# The modes, each with parasail's function and EMBOSS' program. Striped kernels are not used,
# because nw_striped_32 of parasail 2.6 misses the best score if opening a gap costs nothing.
MODES = {"--global": (parasail.nw_scan_32, "needle"), "--local": (parasail.sw_scan_32, "water"),
         "--semiglobal": (parasail.sg_scan_32, "needle")}


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


def read_fasta(path):
    records = {}
    for record in open(path).read().split(">")[1:]:
        header, *lines = record.split("\n")
        records[header.split()[0]] = "".join(lines).upper()
    return records


def mutated(residues, letters, rng):
    out = []
    for letter in residues:
        u = rng.random()
        if u < 0.03:
            continue
        if u < 0.05:
            out.extend(rng.choice(letters) for _ in range(rng.randint(1, 9)))
        out.append(rng.choice(letters) if u > 0.85 else letter)
    return "".join(out) or residues


def sets(proteins, rng):
    """Returns two sets of 20 sequences, in families of five. Some sequences are tiny."""
    usable = [s for s in proteins.values() if set(s) <= set(AMINO[:20]) and 30 <= len(s) <= 400]
    chosen = []
    for letters, parents in ((AMINO[:20], rng.sample(usable, 4)),
                             (BASES, ["".join(rng.choice(BASES) for _ in range(n)) for n in (37, 150, 400, 700)])):
        members = [mutated(parent, letters, rng) for parent in parents for _ in range(5)]
        members[3], members[8] = members[3][:1], members[8][:17]
        chosen.append(members)
    return chosen


def write_fasta(path, prefix, sequences):
    with open(path, "w") as handle:
        for number, sequence in enumerate(sequences):
            handle.write(f">{prefix}{number}\n{sequence}\n")


def write_matrix(path, letters, score):
    with open(path, "w") as handle:
        handle.write("   " + "  ".join(letters) + "\n")
        for row in letters:
            handle.write(row + " " + " ".join(str(score(row, column)) for column in letters) + "\n")


def rescored(row, query, target, score, gap_open, gap_extend):
    _, qstart, qend, sstart, send, cigar = row
    i, j, total = int(qstart) - 1, int(sstart) - 1, 0
    for length, operation in re.findall(r"(\d+)([=XID])", cigar):
        length = int(length)
        if operation in "=X":
            for _ in range(length):
                if (operation == "=") != (query[i] == target[j]):
                    return None
                total += score(query[i], target[j])
                i, j = i + 1, j + 1
        else:
            total -= gap_open + length * gap_extend
            i, j = (i + length, j) if operation == "I" else (i, j + length)
    return total if (i, j) == (int(qend), int(send)) else None


def sections(report):
    """Returns the alignments of a report in EMBOSS' format, from '# Aligned_sequences' on, without
    the matrix' name."""
    parts = re.split(r"#=+\n#\n(?=# Aligned_sequences)", report)[1:]
    return [re.sub(r"# Matrix: .*\n", "", re.sub(r"(#-+\n)+\Z", "", part)) for part in parts]


def letters_of(section):
    """Returns both aligned sequences without the layout."""
    rows = re.findall(r"^\S+ +\d+ (\S+) +\d+$", section, re.M)
    return "".join(rows[0::2]), "".join(rows[1::2])


def compare_emboss(search, mode, kind, sequences, names, scores, emboss_matrix, ours, gap_open, gap_extend, counts):
    program = MODES[mode][1]
    gaps = ["-gapopen", str(gap_open + gap_extend), "-gapextend", str(gap_extend)]
    if mode == "--global":
        gaps += ["-endweight", "-endopen", str(gap_open + gap_extend), "-endextend", str(gap_extend)]
    sequence_type = ["-snucleotide1", "-snucleotide2"] if kind == "--dna" else ["-sprotein1", "-sprotein2"]
    their_sections = []

    def short(name):
        """Whether a sequence has a single residue. EMBOSS 6.6 aligns these wrongly: water prints
        its own minus infinity, and needle another letter's score."""
        return min(len(sequences[int(each[1:])]) for each in name) == 1

    for number, sequence in enumerate(sequences):
        with open("one.fa", "w") as handle:
            handle.write(f">a{number}\n{sequence}\n")
        report = run([program, "one.fa", "b.fa", "-outfile", "stdout", "-auto", "-aformat", "srspair", "-datafile", emboss_matrix,
                      *sequence_type, *gaps])
        their_sections += sections(report)
    our_sections = sections(run([*search, "--outfmt", "0", *ours]))
    if not len(our_sections) == len(their_sections) == len(names):
        sys.exit(f"{program} {mode}: {len(their_sections)} alignments, search pair {len(our_sections)}, pairs {len(names)}")
    for name, score, our, their in zip(names, scores, our_sections, their_sections):
        their_score = re.search(r"^# Score: (\S+)", their, re.M)
        if score == 0 and mode != "--global":
            continue  # EMBOSS prints an alignment even if no residues score above 0
        if short(name):
            continue
        if float(their_score.group(1)) != score:
            sys.exit(f"{program} {mode} {name} gaps {gap_open}/{gap_extend}: score {their_score.group(1)}, search pair {score}")
        counts["EMBOSS scores"] += 1
        if letters_of(our) == letters_of(their):
            counts["same alignments"] += 1
            if our != their:
                sys.exit(f"{program} {mode} {name}: the same alignment, printed in another way:\n{their}\n{our}")


def main():
    programs, proteins = sys.argv[1], read_fasta(sys.argv[2])
    rng = random.Random(20)
    amino_acids, pieces = sets(proteins, rng)
    # Our BLOSUM62 is BLAST's. Its scores for B, Z and X differ from parasail's, so for these
    # letters the matrix is given as a file.
    all_letters = [amino_acids[0][:9] + "XBZXBZ" + amino_acids[0][9:], *amino_acids[1:]]
    blosum = parasail.blosum62
    place = {letter: "ARNDCQEGHILKMFPSTWYVBZX*".index(letter) for letter in AMINO}
    have_emboss = "--emboss" in sys.argv[3:]
    counts = {"parasail scores": 0, "EMBOSS scores": 0, "same alignments": 0, "rescored": 0}

    def blosum_score(a, b):
        return int(blosum.matrix[place[a]][place[b]])

    def base_score(a, b):
        return 2 if a == b else -3

    problems = [("--protein", amino_acids, AMINO, blosum, blosum_score, [], [(11, 1), (6, 2)]),
                ("--protein", all_letters, AMINO, blosum, blosum_score, ["--matrix", "scores.txt"], [(0, 4), (12, 1)]),
                ("--dna", pieces, BASES, parasail.matrix_create(BASES, 2, -3), base_score, ["--match", "2", "--mismatch", "-3"],
                 [(5, 2), (0, 3), (12, 1)])]
    for kind, sequences, letters, matrix, score, options, gap_costs in problems:
        write_fasta("a.fa", "a", sequences)
        write_fasta("b.fa", "b", sequences)
        write_matrix("scores.txt", letters, score)
        names = [(f"a{i}", f"b{j}") for i in range(20) for j in range(20)]
        for gap_open, gap_extend in gap_costs:
            for mode, (function, _) in MODES.items():
                search = [os.path.join(programs, "search"), "pair", "a.fa", "b.fa", "--all-pairs", "--quiet", mode, kind]
                ours = ["--gap-open", str(gap_open), "--gap-extend", str(gap_extend), *options]
                rows = {tuple(line.split("\t")[:2]): line.split("\t")[2:] for line in run(
                    [*search, "--outfmt", "6 qseqid sseqid score qstart qend sstart send cigar", *ours]).splitlines()}
                scores = []
                for a, b in names:
                    query, target = sequences[int(a[1:])], sequences[int(b[1:])]
                    expected = function(query, target, gap_open + gap_extend, gap_extend, matrix).score
                    if mode == "--semiglobal":
                        expected = max(0, expected)  # parasail has no empty alignments
                    row = rows.get((a, b))
                    if row is None and mode != "--global":
                        row = ["0", "1", "0", "1", "0", ""]  # an empty alignment has no line
                    label = f"{kind} {mode} {a} {b} gaps {gap_open}/{gap_extend}"
                    if row is None or int(row[0]) != expected:
                        sys.exit(f"{label}: score {row}, parasail {expected}")
                    counts["parasail scores"] += 1
                    if rescored(row, query, target, score, gap_open, gap_extend) != expected:
                        sys.exit(f"{label}: the alignment {row} does not add up to its score")
                    counts["rescored"] += 1
                    scores.append(expected)
                if have_emboss:
                    compare_emboss(search, mode, kind, sequences, names, scores, "scores.txt", ours, gap_open, gap_extend, counts)
    print("pair comparisons: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    if have_emboss and counts["same alignments"] < counts["EMBOSS scores"] // 4:
        sys.exit("hardly an alignment is EMBOSS' own: that its blocks are the same says little")


main()
