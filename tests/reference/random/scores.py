"""Scoring schemes for `search sw` and `search pair`, as files and costs for the options, and as
tables for parasail."""
import parasail

import material as m

ALL_LETTERS = "ARNDCQEGHILKMFPSTWYVBJZXUO*"
# Matrices whose scores for the 20 amino acids are the same in parasail and BLAST. BLOSUM80 is not
# among them. The scores of other letters differ, so tests with these letters use matrix files.
BUILT_IN = {name: name.lower() for name in ("BLOSUM45", "BLOSUM50", "BLOSUM62", "BLOSUM90", "PAM30", "PAM70", "PAM250")}
CODES = {
    "A": "A",
    "C": "C",
    "G": "G",
    "T": "T",
    "R": "AG",
    "Y": "CT",
    "S": "CG",
    "W": "AT",
    "K": "GT",
    "M": "AC",
    "B": "CGT",
    "D": "AGT",
    "H": "ACT",
    "V": "ACG",
    "N": "ACGT",
}


def built_in(name):
    if name == "IDENTITY":
        return {(a, b): 9 if a == b else -5 for a in m.AMINO for b in m.AMINO}
    table = getattr(parasail, BUILT_IN[name])
    # parasail's rows are in the order of "ARNDCQEGHILKMFPSTWYV", then B, Z, X and *.
    return {(a, b): int(table.matrix[ALL_LETTERS.index(a)][ALL_LETTERS.index(b)]) for a in m.AMINO for b in m.AMINO}


def matrix_text(scores, letters):
    rows = ["   " + "  ".join(letters)]
    rows += [f"{a} " + " ".join(f"{scores[a, b]:3d}" for b in letters) for a in letters]
    return "\n".join(rows) + "\n"


def drawn_matrix(rng, letters, best=12):
    """Returns random scores. Equal letters score above 0, and most others below. About one matrix
    in seven is not symmetric. Rows are the query's letters."""
    symmetric = rng.random() > 0.15
    scores = {}
    for i, a in enumerate(letters):
        for j, b in enumerate(letters):
            if symmetric and j < i:
                scores[a, b] = scores[b, a]
            else:
                scores[a, b] = rng.randint(1, best) if a == b else rng.randint(-best // 2 - 1, best // 4)
    return scores


def base_scores(match, mismatch):
    """Returns the mean score over all pairs of bases for each pair of letters, rounded to the
    nearest whole number, halves down (docs/pair.md)."""
    scores = {}
    for a, bases_a in CODES.items():
        for b, bases_b in CODES.items():
            total = sum(match if x == y else mismatch for x in bases_a for y in bases_b)
            count = len(bases_a) * len(bases_b)
            # ceil(total / count - 1/2)
            scores[a, b] = -((count - 2 * total) // (2 * count))
    return scores


def gap_costs(rng):
    return rng.choice(((11, 1), (0, 4), (12, 1), (5, 2), (0, 1), (1, 0), (0, 0), (20, 3), (50, 10), (1, 1), (3, 7)))
