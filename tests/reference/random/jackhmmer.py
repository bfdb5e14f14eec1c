"""Compares `search jackhmmer` with HMMER's jackhmmer, byte for byte except the lines that name the
program: the report with all rounds, both tables, the alignment, and the profile and the alignment
of every round."""
import os
import re
import shutil

import hmm
import material as m
from case import Case, run

ROUNDS = 5
CHECKPOINTS = tuple(f"chk-{number}{ending}" for number in range(1, ROUNDS + 1) for ending in (".hmm", ".sto"))
FILES = ("-o", "out", "-A", "ali", "--tblout", "tbl", "--domtblout", "dom", "--chkhmm", "chk", "--chkali", "chk")
# Lines that are not compared: those of reports, and lines of profiles.
OTHER_LINES = re.compile(hmm.OTHER_LINES.pattern + "|# jackhmmer ::|# search jackhmmer ::|HMMER3/f |DATE ")


def part(rng):
    return rng.choice(("0", "0.3", "0.5", "0.62", "0.8", "1"))


NOT_HERE = ("--acc",)  # sequences have no accessions
BUILD_OPTIONS = {
    "-N": (lambda rng: str(rng.choice((1, 2, 3, 5))), ("0", "-1", "x")),
    "--fragthresh": (part, ("-0.1", "1.1", "x")),
    "--wpb": (None, ()),
    "--wgsc": (None, ()),
    "--wblosum": (None, ()),
    "--wnone": (None, ()),
    "--eent": (None, ()),
    "--eentexp": (None, ()),
    "--eclust": (None, ()),
    "--enone": (None, ()),
    "--eset": (lambda rng: rng.choice(("1", "0.5", "10", "3.25", "100")), ("x",)),
    "--ere": (lambda rng: rng.choice(("0.59", "0.3", "1", "1.5", "0.01")), ("0", "-1", "x")),
    "--esigma": (lambda rng: rng.choice(("45", "10", "100", "1")), ("0", "x")),
    "--pnone": (None, ()),
    "--plaplace": (None, ()),
    "--EmL": (lambda rng: rng.choice(("50", "100", "300")), ("0", "x")),
    "--EmN": (lambda rng: rng.choice(("50", "100", "300")), ("0", "x")),
    "--EvL": (lambda rng: rng.choice(("50", "100", "300")), ("0", "x")),
    "--EvN": (lambda rng: rng.choice(("50", "100", "300")), ("0", "x")),
    "--EfL": (lambda rng: rng.choice(("50", "100", "150")), ("0", "x")),
    "--EfN": (lambda rng: rng.choice(("50", "100", "300")), ("0", "x")),
    "--Eft": (lambda rng: rng.choice(("0.04", "0.1", "0.01")), ("0", "1", "x")),
}
EXCLUSIVE = hmm.EXCLUSIVE + (
    ("--wpb", "--wgsc", "--wblosum", "--wnone"),
    ("--eent", "--eentexp", "--eclust", "--enone", "--eset"),
    ("--pnone", "--plaplace"),
)


def drawn_options(rng):
    table = {**hmm.COMMON_OPTIONS, **hmm.SEQUENCE_OPTIONS, **BUILD_OPTIONS}
    names = [name for name in rng.sample(sorted(table), int(rng.expovariate(0.4)) % 12) if name not in NOT_HERE]
    names = [
        name
        for at, name in enumerate(names)
        if not any(name in each and set(each) & set(names[:at]) for each in EXCLUSIVE)
    ]
    out = []
    for name in names:
        draw, refused = table[name]
        if draw is None:
            out.append((name,))
        else:
            out.append((name, rng.choice(refused) if refused and rng.random() < 0.01 else draw(rng)))
        if name == "--wblosum" and rng.random() < 0.5:
            out.append(("--wid", part(rng)))
        if name == "--eclust" and rng.random() < 0.5:
            out.append(("--eid", part(rng)))
    # If few targets are searched, there would be little to include.
    if rng.random() < 0.4 and not {"--incE", "--incT"} & set(names):
        out.append(("--incE", rng.choice(("0.1", "1", "10"))))
    if rng.random() < 0.3 and not {"--incdomE", "--incdomT"} & set(names):
        out.append(("--incdomE", rng.choice(("0.1", "1", "10"))))
    if rng.random() < 0.3 and not {"--max", "--F1", "--F2", "--F3"} & set(names):
        out += [("--F1", "0.5"), ("--F2", "0.3"), ("--F3", "0.1")]
    return tuple(out)


class Engine(hmm.Engine):
    name = "jackhmmer"
    OUTPUTS = ("out", "ali", "tbl", "dom") + CHECKPOINTS

    def missing(self):
        if not shutil.which("jackhmmer"):
            return "no jackhmmer here"
        version = re.search(r"# HMMER (\S+)", run(["jackhmmer", "-h"], ".").out)
        if not version or version[1] != hmm.VERSION:
            return f"jackhmmer is {version[1] if version else 'of an unknown version'}, not {hmm.VERSION}"
        return None

    def round(self, rng):
        seeds = [self.profile(rng).sampled(rng) for _ in range(4)] if self.material.profiles else []
        seeds += [self.material.residues(rng, 200) or "M" for _ in range(4)]
        relatives = [m.mutated(rng, seed, rate=rng.choice((0.2, 0.4, 0.6))) or "M" for seed in seeds for _ in range(4)]
        targets = tuple(m.records(rng, self.material, rng.choice((5, 20, 40, 70, 150)), "t", seeds + relatives))
        cases = []
        for _ in range(6):
            usable = [s for s in seeds if 0 < len(s) < 250] or ["MKVLAW"]
            queries = tuple(
                m.Record(
                    m.header(rng, number, "q"), self.informative(self.material.spoiled(rng, self.query(rng, usable)))
                )
                for number in range(rng.choice((1, 1, 2, 3)))
            )
            files = ((hmm.MATRIX_FILE, hmm.matrix_text(rng)),)
            cases.append(Case("jackhmmer", drawn_options(rng), queries, targets, files))
        return cases

    def commands(self, case):
        ours = [self.programs["search"], "jackhmmer", "--quiet", "--device", "cpu", "--threads", "1"]
        return (
            ["jackhmmer", "--cpu", "0", *FILES, *case.words(), "q", "db"],
            [*ours, *FILES, *case.words(), "-q", "q", "-d", "db"],
        )

    @staticmethod
    def compared(text):
        return "\n".join(line for line in text.split("\n") if not OTHER_LINES.match(line))
