"""Compares the score of every pair of `search sw` with parasail. Each alignment is rescored, and
small ones have to be exactly those that docs/smith-waterman.md specifies."""
import os

import material as m
import case as c
from case import DIFFERENT, SAME, Case, Outcome, make_database, run
from columns import SW_COLUMNS as COLUMNS

SMALL_CELLS = 900  # largest matrix for which the recurrence computes the alignment


def missing_parasail():
    try:
        import parasail
    except ImportError:
        return "no python3-parasail here"
    return (
        None
        if hasattr(parasail, "sg_qb_de")
        else f"python3-parasail {parasail.__version__} lacks semi-global functions"
    )


def machine_options(rng):
    out = [("--threads", rng.choice("112"))]
    if rng.random() < 0.5:
        out.append(("--cpu-backend", rng.choice(("portable", "sse41", "avx2", "reference"))))
    return out


def unnamed_alike(records):
    """Returns the records with unique names."""
    return tuple(
        m.Record(f"{record.header.split()[0]}_{number}", record.residues) for number, record in enumerate(records)
    )


def option(case, name, otherwise=None):
    return next((words[1] for words in case.options if words[0] == name), otherwise)


class Engine:
    name = "sw"
    ESSENTIAL = ("--matrix", "--gap-open")

    def __init__(self, programs, material):
        self.programs, self.material = programs, material

    def missing(self):
        return missing_parasail()

    def round(self, rng):
        import scores as s

        cases = []
        rare = rng.random() < 0.5
        letters = "XBZJUO*" if rare else m.AMINO
        longest = rng.choice((40, 40, 120, 300, 1500))
        seeds = [self.material.residues(rng, longest) or "M" for _ in range(4)]
        targets = unnamed_alike(
            m.records(rng, self.material, rng.choice((1, 5, 31, 32, 33, 70)), "t", seeds, longest, letters)
        )
        for _ in range(4):
            options, files = machine_options(rng), ()
            if rng.random() < 0.3:
                options.append(("--chunk-size", rng.choice(("1K", "4K", "64K"))))
            if rare or rng.random() < 0.3:
                options.append(("--matrix", "scores.txt"))
                files = (
                    (
                        "scores.txt",
                        s.matrix_text(s.drawn_matrix(rng, s.ALL_LETTERS, rng.choice((3, 12, 12, 60))), s.ALL_LETTERS),
                    ),
                )
            else:
                options.append(("--matrix", rng.choice([*s.BUILT_IN, "IDENTITY", "BLOSUM62"])))
            if files or rng.random() < 0.6:
                gap_open, gap_extend = s.gap_costs(rng)
                options.append(("--gap-open", str(gap_open), "--gap-extend", str(gap_extend)))
            elif rng.random() < 0.6:
                options.append(("--evalue", rng.choice(("10", "1", "1e-3", "1e-10", "1000"))))
            if rng.random() < 0.4:
                options.append(("--max-hits", rng.choice(("1", "2", "5", "32"))))
            queries = unnamed_alike(
                m.records(rng, self.material, rng.choice((1, 3, 8, 17)), "q", seeds, longest, letters)
            )
            cases.append(Case("parasail", tuple(options), queries, targets, files))
        return cases

    @staticmethod
    def count(case):
        return len(case.queries)

    def prepare(self, targets, folder):
        with open(os.path.join(folder, "db.fa"), "w", encoding="latin-1") as file:
            file.writelines(record.text() for record in targets)
        make_database(self.programs, folder, "db.wsdb")

    def command(self, case, limits):
        words = [word for words in case.options if words[0] not in ("--evalue", "--max-hits") for word in words]
        return [
            self.programs["search"],
            "sw",
            "-q",
            "q.fa",
            "-d",
            "db.wsdb",
            "--quiet",
            "--device",
            "cpu",
            *words,
            *limits,
            "--outfmt",
            "6 " + " ".join(COLUMNS),
        ]

    def commands(self, case):
        limits = ["--evalue", option(case, "--evalue", "inf"), "--max-hits", option(case, "--max-hits", "0")]
        return (["parasail"], self.command(case, limits))

    @staticmethod
    def problem(case, folder):
        import exact
        import scores as s

        name = option(case, "--matrix", "BLOSUM62")
        if name == "scores.txt":
            with open(os.path.join(folder, name)) as file:
                letters, *rows = file.read().rstrip("\n").split("\n")
            table = {
                (row.split()[0], b): int(score) for row in rows for b, score in zip(letters.split(), row.split()[1:])
            }
        else:
            table = s.built_in(name)
        defaults = {
            "BLOSUM45": (14, 2),
            "BLOSUM50": (13, 2),
            "BLOSUM62": (11, 1),
            "BLOSUM90": (10, 1),
            "PAM30": (9, 1),
            "PAM70": (10, 1),
            "PAM250": (14, 2),
            "IDENTITY": (15, 2),
        }
        gaps = next(
            ((int(words[1]), int(words[3])) for words in case.options if words[0] == "--gap-open"),
            defaults.get(name, (11, 1)),
        )
        return exact.Problem(table, *gaps, "local")

    def check(self, case, folder):
        for name, text in (*case.files, ("q.fa", "".join(query.text() for query in case.queries))):
            with open(os.path.join(folder, name), "w", encoding="latin-1") as file:
                file.write(text)
        everything = run(self.command(case, ["--evalue", "inf", "--max-hits", "0"]), folder)
        if everything.status != 0:
            return Outcome(DIFFERENT, "search fails", f"search ended with {everything.status}: {everything.err[-500:]}")
        rows = [dict(zip(COLUMNS, line.split("\t"))) for line in everything.out.splitlines()]
        difference = self.scores_differ(case, self.problem(case, folder), rows)
        if difference:
            return difference
        command = self.commands(case)[1]
        limited = run(command, folder)
        expected = self.limited(case, everything.out.splitlines(), set(limited.out.splitlines()))
        if limited.status != 0 or limited.out.splitlines() != expected:
            first = c.first_difference("\n".join(expected), "\n".join(limited.out.splitlines()))
            return Outcome(DIFFERENT, "limits", f"with limits, status {limited.status}: {first}")
        return Outcome(SAME, text=str(len(case.queries) * len(case.targets)))

    @staticmethod
    def limited(case, lines, printed):
        """Returns the rows that are within --evalue and --max-hits. Rows are best first. E-values
        have two digits, so for a row next to the limit the program's decision is accepted."""
        evalue, most = option(case, "--evalue"), int(option(case, "--max-hits", "0"))
        kept, counts = [], {}
        for line in lines:
            row = dict(zip(COLUMNS, line.split("\t")))
            if evalue is not None:
                excess = float(row["evalue"]) / float(evalue) - 1
                if excess > 0.06 or excess > -0.06 and line not in printed:
                    continue
            counts[row["qseqid"]] = counts.get(row["qseqid"], 0) + 1
            if most == 0 or counts[row["qseqid"]] <= most:
                kept.append(line)
        return kept

    def scores_differ(self, case, problem, rows):
        found = {}
        for row in rows:
            if (row["qseqid"], row["sseqid"]) in found:
                return Outcome(DIFFERENT, "a pair twice", str(row))
            found[row["qseqid"], row["sseqid"]] = row
        for query in case.queries:
            last = None
            for row in (row for row in rows if row["qseqid"] == query.header):
                if last is not None and row["evalue"] == "N/A" and int(row["score"]) > last:
                    return Outcome(DIFFERENT, "order", f"{row} stands behind a score of {last}")
                last = int(row["score"])
            for target in case.targets:
                a, b = query.residues.upper(), target.residues.upper()
                expected = problem.score(a, b)
                row = found.get((query.header, target.header))
                score = int(row["score"]) if row else 0
                label = f"{query.header} {target.header}"
                if score != expected:
                    return Outcome(DIFFERENT, "score", f"{label}: score {score}, parasail {expected}")
                if row:
                    wrong = alignment_differs(problem, a, b, row, [])
                    if wrong:
                        return Outcome(DIFFERENT, "alignment", f"{label}: {wrong}")
        return None


def alignment_differs(problem, query, target, row, seen):
    """Returns what is wrong with the printed row of these sequences, or None."""
    import exact

    operations = exact.operations_of(row["cigar"])
    begin, end, target_begin, target_end = (int(row[name]) for name in ("qstart", "qend", "sstart", "send"))
    place = (begin - 1, end, target_begin - 1, target_end)
    total = problem.rescored(query, target, *place, operations)
    if total != int(row["score"]):
        return f"{row}: the alignment adds up to {total}"
    i, j = place[0], place[2]
    lines = ["", ""]
    for operation in operations:
        lines[0] += query[i] if operation in "MI" else "-"
        lines[1] += target[j] if operation in "MD" else "-"
        i, j = i + (operation in "MI"), j + (operation in "MD")
    runs = len(
        [1 for k, operation in enumerate(operations) if operation != "M" and (k == 0 or operations[k - 1] != operation)]
    )
    identical = sum(a == b for a, b in zip(*lines))
    gaps = operations.count("I") + operations.count("D")
    expected = {
        "qseq": lines[0],
        "sseq": lines[1],
        "length": str(len(operations)),
        "nident": str(identical),
        "mismatch": str(len(operations) - gaps - identical),
        "gapopen": str(runs),
        "gaps": str(gaps),
    }
    for name, value in expected.items():
        if row[name].upper() != value:
            return f"{row}: {name} should be {value}"
    if len(query) * len(target) <= SMALL_CELLS:
        mine = problem.alignment(query, target)
        if mine != (int(row["score"]), *place, operations):
            return f"{row}: of equal alignments it should be {mine}"
    return None
