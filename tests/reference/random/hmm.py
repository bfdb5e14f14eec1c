"""Compares `search hmm` with HMMER's hmmsearch and phmmer: the report and all other outputs, byte
for byte except the lines that name the program."""
import os
import re
import shutil

import material as m
from case import DIFFERENT, EXCEPTED, SAME, Case, Outcome, by_status, first_difference, make_database, run

VERSION = "3.3.2"
OUTPUTS = ("out", "ali", "tbl", "dom", "pfam")
FILES = ("-o", "out", "-A", "ali", "--tblout", "tbl", "--domtblout", "dom", "--pfamtblout", "pfam")
# Lines that are not compared. They name the program, its version, the command, the folder, the date
# and times. One line has different words in hmmsearch and phmmer. Another names the report itself.
# `search hmm` leaves it out, and the drop-ins write it (tests/cli/hmmer/dropin_hmmer_test.sh).
OTHER_LINES = re.compile(
    r"# (hmmsearch|phmmer|search hmm) ::|# HMMER |# warpseq |# Copyright|# Freely|# number of worker threads:|"
    r"# CPU time:|# Mc/sec:|# Program: |# Version: |# Option settings: |# Current dir: |# Date: |#=GF AU |"
    r"# MSA of (all )?hits saved to file:|# output directed to file:"
)

RARE_LETTERS = re.compile("[BJOUXZ]")


def evalue(rng):
    return rng.choice(("10", "1", "0.001", "1e-5", "1E-20", "100", "1000", "1e6", "0.5", "1e-300"))


def bits(rng):
    return rng.choice(("0", "5", "10.5", "20", "25.", "50", "100", "1e2", "300"))


def pvalue(rng):
    return rng.choice(("0.02", "1e-3", "1e-5", "0", "1", "0.5", "0.1", "2", "1e-10"))


def space(rng):
    return rng.choice(("1", "45000000", "1e6", "10.5", "0.5", "100"))


# For each option, a function that draws a value (None for a switch), and values that are refused.
COMMON_OPTIONS = {
    "-E": (evalue, ("0", "-1", "x", "")),
    "-T": (bits, ("x",)),
    "--domE": (evalue, ("0", "x")),
    "--domT": (bits, ("x",)),
    "--incE": (evalue, ("0", "x")),
    "--incT": (bits, ("x",)),
    "--incdomE": (evalue, ("0", "1x")),
    "--incdomT": (bits, ("x",)),
    "--acc": (None, ()),
    "--noali": (None, ()),
    "--notextw": (None, ()),
    "--textw": (lambda rng: str(rng.choice((120, 121, 130, 150, 200, 1000))), ("119", "0", "-1", "x", "120.5")),
    "--max": (None, ()),
    "--F1": (pvalue, ("x",)),
    "--F2": (pvalue, ("x",)),
    "--F3": (pvalue, ("x",)),
    "--nobias": (None, ()),
    "--nonull2": (None, ()),
    "-Z": (space, ("0", "-1", "x")),
    "--domZ": (space, ("0", "-5", "x")),
    "--seed": (
        lambda rng: str(rng.choice((1, 7, 42, 12345, 2147483647, rng.randrange(1, 1 << 31)))),
        ("-1", "x", "1.5"),
    ),
}
# At most one option of each set may be given. Sometimes two are given.
EXCLUSIVE = (
    ("-E", "-T", "--cut_ga", "--cut_nc", "--cut_tc"),
    ("--domE", "--domT", "--cut_ga", "--cut_nc", "--cut_tc"),
    ("--incE", "--incT", "--cut_ga", "--cut_nc", "--cut_tc"),
    ("--incdomE", "--incdomT", "--cut_ga", "--cut_nc", "--cut_tc"),
    ("--mx", "--mxfile"),
    ("--textw", "--notextw"),
    ("--max", "--F1"),
    ("--max", "--F2"),
    ("--max", "--F3"),
    ("--max", "--nobias"),
)
PROFILE_OPTIONS = {"--cut_ga": (None, ()), "--cut_nc": (None, ()), "--cut_tc": (None, ())}
MATRIX_FILE = "scores.txt"
MATRICES = ("PAM30", "PAM70", "PAM120", "PAM240", "BLOSUM45", "BLOSUM50", "BLOSUM62", "BLOSUM80", "BLOSUM90")
SEQUENCE_OPTIONS = {
    "--popen": (lambda rng: rng.choice(("0.02", "0", "0.1", "0.4999", "0.001")), ("0.5", "-0.1", "1", "x")),
    "--pextend": (lambda rng: rng.choice(("0.4", "0", "0.9", "0.01", "0.999")), ("1", "-0.1", "x")),
    "--mx": (lambda rng: rng.choice(MATRICES), ("BLOSUM99", "")),
    "--mxfile": (lambda rng: MATRIX_FILE, ("no-such-file",)),
}


def drawn_options(rng, program):
    table = {**COMMON_OPTIONS, **(PROFILE_OPTIONS if program == "hmmsearch" else SEQUENCE_OPTIONS)}
    names = [rng.choice(("--mx", "--mx", "--mxfile"))] if program == "phmmer" and rng.random() < 0.4 else []
    names += rng.sample(sorted(table), min(len(table), int(rng.expovariate(0.5))))
    out = []
    names = list(dict.fromkeys(names))
    if rng.random() < 0.95:
        names = [
            name
            for at, name in enumerate(names)
            if not any(name in each and set(each) & set(names[:at]) for each in EXCLUSIVE)
        ]
    for name in names:
        draw, refused = table[name]
        if draw is None:
            out.append((name,))
        elif name not in ("--mx", "--mxfile", "--seed") and rng.random() < 0.04:
            out.append((name, rng.choice(m.ODD_NUMBERS)))
        elif refused and rng.random() < 0.02:
            out.append((name, rng.choice(refused)))
        else:
            out.append((name, draw(rng)))
    # If few targets are searched, the filters would leave little to compare.
    if rng.random() < 0.3 and not {"--max", "--F1", "--F2", "--F3"} & set(names):
        out += [("--F1", "0.5"), ("--F2", "0.3"), ("--F3", "0.1")] if rng.random() < 0.7 else [("--max",)]
    return tuple(out)


def matrix_text(rng):
    """Returns the text of a matrix that can be converted to probabilities: equal letters have
    positive scores, and others have negative scores on average. Rows are the query's letters."""
    letters = "ARNDCQEGHILKMFPSTWYV" + rng.choice(("", "BZX*", "BZX"))
    symmetric, scores = rng.random() < 0.7, {}
    for i, a in enumerate(letters):
        for j, b in enumerate(letters):
            swapped = scores.get((b, a)) if symmetric and j < i else None
            scores[a, b] = swapped if swapped is not None else rng.randint(3, 9) if a == b else rng.randint(-6, 2)
    lines = ["   " + "  ".join(letters)] + [f"{a} " + " ".join(f"{scores[a, b]:2d}" for b in letters) for a in letters]
    return "\n".join(lines) + "\n"


class Engine:
    name = "hmm"
    ESSENTIAL = ()
    OUTPUTS = OUTPUTS

    def __init__(self, programs, material):
        self.programs, self.material = programs, material

    def missing(self):
        for program in ("hmmsearch", "phmmer"):
            if not shutil.which(program):
                return f"no {program} here"
            version = re.search(r"# HMMER (\S+)", run([program, "-h"], ".").out)
            if not version or version[1] != VERSION:
                return f"{program} is {version[1] if version else 'of an unknown version'}, not {VERSION}"
        if not self.material.profiles:
            return "no profiles here (Debian's hmmer-examples has some)"
        return None

    def round(self, rng):
        profiles = [self.profile(rng) for _ in range(6)]
        seeds = [profile.sampled(rng) for profile in profiles for _ in range(2)]
        seeds += [self.material.residues(rng, 200) or "M" for _ in range(6)]
        targets = tuple(m.records(rng, self.material, rng.choice((1, 5, 20, 40, 70)), "t", seeds))
        cases = []
        for _ in range(8):
            if rng.random() < 0.6:
                queries = tuple(rng.choice(profiles) for _ in range(rng.choice((1, 1, 2, 3))))
                cases.append(Case("hmmsearch", drawn_options(rng, "hmmsearch"), queries, targets))
            else:
                seed = [s for s in seeds if 0 < len(s) < 250] or ["MKVLAW"]
                queries = tuple(
                    m.Record(
                        m.header(rng, number, "q"), self.informative(self.material.spoiled(rng, self.query(rng, seed)))
                    )
                    for number in range(rng.choice((1, 1, 2)))
                )
                cases.append(
                    Case("phmmer", drawn_options(rng, "phmmer"), queries, targets, ((MATRIX_FILE, matrix_text(rng)),))
                )
        return cases

    def profile(self, rng):
        profile = rng.choice(self.material.profiles)
        size = len(profile.nodes)
        if size > 300 or rng.random() < 0.4:
            length = min(size, rng.choice(m.EDGE_LENGTHS[1:]) if rng.random() < 0.5 else rng.randint(1, 250))
            first = rng.randint(0, size - length)
            profile = profile.part(first, first + length)
        if rng.random() < 0.2:
            profile = profile.perturbed(rng)
        if rng.random() < 0.1:
            head = [
                line
                for line in profile.head
                if line.split()[0] not in ("ACC", "DESC", "GA", "TC", "NC", "DATE", "NSEQ", "CKSUM")
            ]
            profile = m.Profile(tuple(head), profile.begin, profile.nodes)
        return profile

    def query(self, rng, seeds):
        if rng.random() < 0.3:
            return self.material.residues(rng, 150) or "MKV"
        return m.mutated(rng, rng.choice(seeds), rate=0.1) or "MKV"

    @staticmethod
    def informative(residues):
        """Returns `residues`, or others if there are only X, because warpseq leaves such queries
        out (docs/hmm.md, What differs)."""
        return residues if set(residues.upper()) - {"X"} else "MKV"

    @staticmethod
    def count(case):
        return len(case.queries)

    def prepare(self, targets, folder):
        with open(os.path.join(folder, "db.fa"), "w", encoding="latin-1") as file:
            file.writelines(record.text() for record in targets)
        make_database(self.programs, folder, "db.wsdb")
        for name, file in (("theirs", "db.fa"), ("ours", "db.wsdb")):
            os.makedirs(os.path.join(folder, name), exist_ok=True)
            os.symlink(os.path.join("..", file), os.path.join(folder, name, "db"))

    def commands(self, case):
        return (
            [case.program, "--cpu", "0", *FILES, *case.words(), "q", "db"],
            [
                self.programs["search"],
                "hmm",
                "--quiet",
                "--device",
                "cpu",
                "--threads",
                "1",
                *FILES,
                *case.words(),
                "-q",
                "q",
                "-d",
                "db",
            ],
        )

    def check(self, case, folder):
        runs, outputs = [], []
        for name, command in zip(("theirs", "ours"), self.commands(case)):
            place = os.path.join(folder, name)
            for file in self.OUTPUTS:
                if os.path.exists(os.path.join(place, file)):
                    os.remove(os.path.join(place, file))
            for file, text in (*case.files, ("q", "".join(query.text() for query in case.queries))):
                with open(os.path.join(place, file), "w", encoding="latin-1") as out:
                    out.write(text)
            runs.append(run(command, place))
            outputs.append({file: self.read(os.path.join(place, file)) for file in self.OUTPUTS})
        settled = by_status(*runs, case.program)
        if settled:
            return settled
        for file in self.OUTPUTS:
            difference = first_difference(*(self.compared(each[file]) for each in outputs))
            if (
                difference
                and case.program in ("phmmer", "jackhmmer")
                and file in ("out", "chk-1.hmm")
                and any(RARE_LETTERS.search(query.residues.upper()[-1:]) for query in case.queries)
            ):
                # The case of a rare letter at a query's end depends on the bytes behind a table in
                # HMMER's memory.
                if not first_difference(
                    *(RARE_LETTERS.sub(lambda letter: letter[0].lower(), self.compared(each[file])) for each in outputs)
                ):
                    return Outcome(
                        EXCEPTED, f"{case.program} shows a rare letter at the query's end in upper case (docs/hmm.md, What differs)"
                    )
            if difference:
                mark = self.mark(case, file, *(self.compared(each[file]) for each in outputs))
                return Outcome(DIFFERENT, mark, f"{file}: {difference}")
        rows = len([line for line in outputs[0]["dom"].split("\n") if line and line[0] != "#"])
        return Outcome(SAME, text=str(rows))

    @staticmethod
    def read(path):
        if not os.path.exists(path):
            return ""
        with open(path, encoding="latin-1", newline="") as file:
            return file.read()

    @staticmethod
    def compared(text):
        return "\n".join(line for line in text.split("\n") if not OTHER_LINES.match(line))

    @staticmethod
    def mark(case, file, theirs, ours):
        """Returns the kind of a difference. For tables it tells whether the same rows are there.
        For other outputs it only names the output."""
        rows = [[line.split()[:4] for line in text.split("\n") if line and line[0] != "#"] for text in (theirs, ours)]
        if file in ("tbl", "dom"):
            return f"{case.program} {file} " + ("fields" if rows[0] == rows[1] else "rows")
        return f"{case.program} {file}"
