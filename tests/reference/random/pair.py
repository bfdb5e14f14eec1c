"""Compares the score of every pair of `search pair` with parasail. Each alignment is rescored, and
small ones have to be exactly those that docs/pair.md specifies."""
import os

import material as m
from case import DIFFERENT, SAME, Case, Outcome, run
from columns import PAIR_COLUMNS as COLUMNS
from sw import alignment_differs, missing_parasail, option, unnamed_alike

SMALL_CELLS = 900
ENDS = ("query-begin", "query-end", "target-begin", "target-end")
COMPLEMENT = str.maketrans("ACGTRYSWKMBDHVN", "TGCAYRSWMKVHDBN")


class Engine:
    name = "pair"
    ESSENTIAL = ("--matrix", "--match", "--gap-open", "--dna", "--protein")

    def __init__(self, programs, material):
        self.programs, self.material = programs, material

    def missing(self):
        return missing_parasail()

    def round(self, rng):
        import scores as s

        dna, rare = rng.random() < 0.5, rng.random() < 0.4
        longest = rng.choice((30, 30, 30, 120, 400, 3000))
        letters = "RYSWKMBDHVNU" if dna else "XBZJUO*"
        kind = "--dna" if dna else "--protein"
        if not rare:
            letters = m.BASES if dna else m.AMINO
        seeds = [self.residues(rng, dna, longest) or "A" for _ in range(3)]
        files, scheme = (), []
        if dna:
            match, mismatch = rng.choice(((2, -3), (1, -1), (5, -4), (1, -3), (2, -7), (10, 1)))
            scheme.append(("--match", str(match), "--mismatch", str(mismatch)))
        elif rare or rng.random() < 0.3:
            files = (
                (
                    "scores.txt",
                    s.matrix_text(s.drawn_matrix(rng, s.ALL_LETTERS, rng.choice((3, 12, 60))), s.ALL_LETTERS),
                ),
            )
            scheme.append(("--matrix", "scores.txt"))
        else:
            scheme.append(("--matrix", rng.choice([*s.BUILT_IN, "IDENTITY"])))
        targets = self.records(rng, "t", rng.choice((1, 3, 8)), seeds, dna, longest, letters)
        cases = []
        for _ in range(6):
            gap_open, gap_extend = s.gap_costs(rng)
            options = [*scheme, ("--gap-open", str(gap_open), "--gap-extend", str(gap_extend)), (kind,)]
            mode = rng.choice(("--global", "--local", "--semiglobal"))
            options.append((mode,))
            if mode == "--semiglobal" and rng.random() < 0.7:
                options.append(("--free-ends", ",".join(rng.sample(ENDS, rng.randint(1, 4)))))
            if dna and rng.random() < 0.5:
                options.append(("--strand", rng.choice(("plus", "minus", "both"))))
            options.append(("--threads", rng.choice("112")))
            if rng.random() < 0.5:
                options.append(("--cpu-backend", rng.choice(("portable", "sse41", "avx2", "reference"))))
            if rng.random() < 0.3:
                options.append(("--memory", rng.choice(("64K", "1M", "100M"))))
            queries = self.records(rng, "q", rng.choice((1, 3, 8)), seeds, dna, longest, letters)
            cases.append(Case("parasail", tuple(options), queries, targets, files))
        return cases

    def residues(self, rng, dna, longest):
        if not dna:
            return self.material.residues(rng, longest)
        return m.drawn(
            rng, self.material.length(rng, longest), m.BASES if rng.random() < 0.8 else rng.choice(("A", "AT", "GC"))
        )

    def records(self, rng, prefix, count, seeds, dna, longest, letters):
        out = []
        for number in range(count):
            if rng.random() < 0.6:
                residues = m.mutated(rng, rng.choice(seeds), m.BASES if dna else m.AMINO)
                if dna and rng.random() < 0.3:
                    residues = residues[::-1].translate(COMPLEMENT)
                if rng.random() < 0.4:
                    residues = self.residues(rng, dna, longest // 2) + residues + self.residues(rng, dna, longest // 2)
            else:
                residues = self.residues(rng, dna, longest)
            # `search pair` refuses a sequence without residues.
            residues = self.material.spoiled(rng, residues or "A", letters)
            out.append(
                m.Record(
                    m.header(rng, number, prefix), m.amino_acids_alone(residues) if letters == m.AMINO else residues
                )
            )
        return unnamed_alike(out)

    @staticmethod
    def count(case):
        return len(case.queries) * len(case.targets)

    def prepare(self, targets, folder):
        """Does nothing, because pairs are read from FASTA."""

    def commands(self, case):
        return (
            ["parasail"],
            [
                self.programs["search"],
                "pair",
                "q.fa",
                "t.fa",
                "--all-pairs",
                "--quiet",
                "--device",
                "cpu",
                *case.words(),
                "--outfmt",
                "6 " + " ".join(COLUMNS),
            ],
        )

    @staticmethod
    def problem(case, folder):
        import exact
        import scores as s

        names = {words[0] for words in case.options}
        matrix = option(case, "--matrix", "BLOSUM62")
        if "--dna" in names:
            words = next((words for words in case.options if words[0] == "--match"), None)
            table, gaps = s.base_scores(int(words[1]), int(words[3])) if words else s.base_scores(2, -3), (5, 2)
        elif matrix == "scores.txt":
            with open(os.path.join(folder, matrix)) as file:
                letters, *rows = file.read().rstrip("\n").split("\n")
            table = {
                (row.split()[0], b): int(score) for row in rows for b, score in zip(letters.split(), row.split()[1:])
            }
            gaps = (11, 1)
        else:
            table, gaps = s.built_in(matrix), (11, 1)
        words = next((words for words in case.options if words[0] == "--gap-open"), None)
        gaps = (int(words[1]), int(words[3])) if words else gaps
        free = option(case, "--free-ends", ",".join(ENDS)).split(",")
        mode = (
            "local"
            if "--local" in names
            else tuple(int(end in free) for end in ENDS)
            if "--semiglobal" in names
            else "global"
        )
        return exact.Problem(table, *gaps, mode)

    def check(self, case, folder):
        files = (
            *case.files,
            ("q.fa", "".join(q.text() for q in case.queries)),
            ("t.fa", "".join(t.text() for t in case.targets)),
        )
        for name, text in files:
            with open(os.path.join(folder, name), "w", encoding="latin-1") as file:
                file.write(text)
        done = run(self.commands(case)[1], folder)
        if done.status != 0:
            return Outcome(DIFFERENT, "search fails", f"search ended with {done.status}: {done.err[-500:]}")
        rows = {}
        for line in done.out.splitlines():
            row = dict(zip(COLUMNS, line.split("\t")))
            if (row["qseqid"], row["sseqid"]) in rows:
                return Outcome(DIFFERENT, "a pair twice", line)
            rows[row["qseqid"], row["sseqid"]] = row
        problem, strand = self.problem(case, folder), option(case, "--strand", "plus")
        dna = ("--dna",) in case.options
        compared = 0
        for query in case.queries:
            for target in case.targets:
                row = rows.get((query.header, target.header))
                wrong, scored = self.pair_differs(
                    problem, strand, *(self.letters(each, dna) for each in (query, target)), row
                )
                compared += scored
                if wrong:
                    return Outcome(DIFFERENT, wrong[0], f"{query.header} {target.header}: {wrong[1]}")
        return Outcome(SAME, text=str(compared))

    @staticmethod
    def letters(record, dna):
        return record.residues.upper().replace("U", "T") if dna else record.residues.upper()

    @staticmethod
    def pair_differs(problem, strand, query, target, row):
        """Compares a pair. Returns (difference, scores): the difference is (kind, text) or None,
        and `scores` is the number of compared scores."""
        reverse = query[::-1].translate(COMPLEMENT)
        plus = problem.score(query, target) if strand != "minus" else None
        minus = problem.score(reverse, target) if strand != "plus" else None
        small = len(query) * len(target) <= SMALL_CELLS
        if small:
            exact_plus = problem.alignment(query, target)[0] if strand != "minus" else None
            exact_minus = problem.alignment(reverse, target)[0] if strand != "plus" else None
            for theirs, mine in ((plus, exact_plus), (minus, exact_minus)):
                if theirs is not None and theirs != mine:
                    return ("the references disagree", f"parasail {theirs}, recurrence {mine}"), 0
            plus, minus = exact_plus, exact_minus
        known = [score for score in (plus, minus) if score is not None]
        if not known:
            return None, 0
        expected = max(known)
        if row is None:
            # An empty alignment has no line.
            return (None if expected == 0 else ("score", f"no row, expected {expected}")), 1
        if int(row["score"]) != expected:
            return ("score", f"score {row['score']}, expected {expected}"), 1
        if minus is not None and (plus is None or minus > plus):
            m_query = len(query)
            row = dict(
                row,
                qstart=str(m_query + 1 - int(row["qend"])),
                qend=str(m_query + 1 - int(row["qstart"])),
                sstart=row["send"],
                send=row["sstart"],
            )
            import exact

            operations = exact.re.findall(r"\d+[=XID]", row["cigar"])
            row["cigar"] = "".join(reversed(operations))
            row["qseq"], row["sseq"] = (row[name][::-1].translate(COMPLEMENT) for name in ("qseq", "sseq"))
            query = reverse
        wrong = alignment_differs(problem, query, target, row, [])
        return (("alignment", wrong) if wrong else None), 1
