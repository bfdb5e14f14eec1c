"""Reference results for `search sw` and `search pair`. parasail computes scores, and the plain
recurrence computes small alignments."""
import re

import parasail

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*"  # parasail keeps '*' behind the others
NEVER = -(10**9)
# parasail's functions, by the ends whose residues may be left over: query begin, query end, target
# begin, target end.
SEMI_GLOBAL = {
    (1, 0, 0, 0): parasail.sg_qb,
    (0, 1, 0, 0): parasail.sg_qe,
    (1, 1, 0, 0): parasail.sg_qx,
    (0, 0, 1, 0): parasail.sg_db,
    (0, 0, 0, 1): parasail.sg_de,
    (0, 0, 1, 1): parasail.sg_dx,
    (1, 0, 0, 1): parasail.sg_qb_de,
    (0, 1, 1, 0): parasail.sg_qe_db,
    (1, 1, 1, 1): parasail.sg,
}


def parasail_matrix(scores):
    """Returns parasail's form of {(query letter, target letter): score}. Missing pairs cannot
    occur."""
    matrix = parasail.matrix_create(LETTERS[:-1], 0, 0)
    for row, a in enumerate(LETTERS):
        for column, b in enumerate(LETTERS):
            matrix.set_value(row, column, scores.get((a, b), -99))
    return matrix


class Problem:
    """A scoring scheme and a mode, which is "global", "local", or the four ends of a semi-global
    alignment."""

    def __init__(self, scores, gap_open, gap_extend, mode):
        self.scores, self.gap_open, self.gap_extend, self.mode = scores, gap_open, gap_extend, mode
        self.matrix = parasail_matrix(scores)

    def gap(self, residues):
        return self.gap_open + residues * self.gap_extend if residues else 0

    def beginning(self, query_residues, target_residues):
        """Returns H of a cell of row 0 or column 0."""
        free = self.mode in ("local",) or query_residues + target_residues == 0
        if isinstance(self.mode, tuple):
            free = free or bool(self.mode[0] if query_residues else self.mode[2])
        return 0 if free else -self.gap(query_residues + target_residues)

    def score(self, query, target):
        """Returns the score of the best alignment, or None if parasail has no function for the
        mode."""
        m, n = len(query), len(target)
        ends = []  # alignments that end in row 0 or column 0, which parasail leaves out
        if self.mode == "local":
            ends.append(0)
        elif self.mode == "global":
            if m == 0 or n == 0:
                ends.append(self.beginning(m, 0) if n == 0 else self.beginning(0, n))
        else:
            if self.mode[1] or m == 0:
                ends.append(self.beginning(0, n))
            if self.mode[3] or n == 0:
                ends.append(self.beginning(m, 0))
        if m and n:
            function = (
                {"local": parasail.sw, "global": parasail.nw}.get(self.mode)
                if isinstance(self.mode, str)
                else SEMI_GLOBAL.get(self.mode)
            )
            if function is None:
                return None
            ends.append(function(query, target, self.gap_open + self.gap_extend, self.gap_extend, self.matrix).score)
        return max(ends)

    def alignment(self, query, target):
        """Returns (score, query begin, query end, target begin, target end, operations) by the
        rules of docs/pair.md. Positions count from 0, and ranges are half open. Operations are M, I
        (a query residue against a gap) and D."""
        m, n, local = len(query), len(target), self.mode == "local"
        first, extend = self.gap_open + self.gap_extend, self.gap_extend
        h = [[0] * (n + 1) for _ in range(m + 1)]
        e = [[NEVER] * (n + 1) for _ in range(m + 1)]  # target residues against a gap
        f = [[NEVER] * (n + 1) for _ in range(m + 1)]  # query residues against a gap
        for i in range(m + 1):
            h[i][0] = self.beginning(i, 0)
        for j in range(n + 1):
            h[0][j] = self.beginning(0, j)
        for i in range(1, m + 1):
            a = query[i - 1]
            for j in range(1, n + 1):
                e[i][j] = max(e[i][j - 1] - extend, h[i][j - 1] - first)
                f[i][j] = max(f[i - 1][j] - extend, h[i - 1][j] - first)
                best = max(h[i - 1][j - 1] + self.scores[a, target[j - 1]], e[i][j], f[i][j])
                h[i][j] = max(best, 0) if local else best
        if local:
            ends = [(i, j) for i in range(m + 1) for j in range(n + 1)]
        else:
            ends = [(m, n)]
            if isinstance(self.mode, tuple) and self.mode[1]:
                ends += [(i, n) for i in range(m)]
            if isinstance(self.mode, tuple) and self.mode[3]:
                ends += [(m, j) for j in range(n)]
        i, j = min(ends, key=lambda end: (-h[end[0]][end[1]], end[1], end[0]))
        score, query_end, target_end, operations, state = h[i][j], i, j, [], "H"
        while True:
            if state == "H":
                if local and h[i][j] == 0:
                    break
                if i == 0 or j == 0:
                    if (i or j) and h[i][j] != 0 or (i + j and not self.free_begin(i, j)):
                        operations += ["I"] * i + ["D"] * j
                        i = j = 0
                    break
                if h[i][j] == h[i - 1][j - 1] + self.scores[query[i - 1], target[j - 1]]:
                    operations.append("M")
                    i, j = i - 1, j - 1
                else:
                    state = "F" if h[i][j] == f[i][j] else "E"
            elif state == "F":
                state = "H" if f[i][j] == h[i - 1][j] - first else "F"
                operations.append("I")
                i -= 1
            else:
                state = "H" if e[i][j] == h[i][j - 1] - first else "E"
                operations.append("D")
                j -= 1
        return score, i, query_end, j, target_end, "".join(reversed(operations))

    def free_begin(self, i, j):
        return self.mode == "local" or isinstance(self.mode, tuple) and bool(self.mode[0] if i else self.mode[2])

    def rescored(self, query, target, begin, end, target_begin, target_end, operations):
        """Returns the sum of an alignment's columns and gaps, or a text if it does not fit its
        sequences."""
        i, j, total = begin, target_begin, 0
        for run in re.findall(r"M+|I+|D+", operations):
            if run[0] == "M":
                if i + len(run) > len(query) or j + len(run) > len(target):
                    return "it leaves its sequences"
                total += sum(self.scores[a, b] for a, b in zip(query[i : i + len(run)], target[j : j + len(run)]))
            else:
                total -= self.gap(len(run))
            i += len(run) if run[0] in "MI" else 0
            j += len(run) if run[0] in "MD" else 0
        return total if (i, j) == (end, target_end) else f"it ends at {i}, {j}, not at {end}, {target_end}"


def operations_of(cigar):
    return "".join(
        {"=": "M", "X": "M"}.get(letter, letter) * int(length)
        for length, letter in re.findall(r"(\d+)([=XMID])", cigar)
    )
