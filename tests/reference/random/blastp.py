"""Compares `search blastp` with NCBI's blastp: reports of every format, with rows in order, and all
fields of tables."""
import json
import os
import re
import shutil

import material as m
from case import DIFFERENT, EXCEPTED, SAME, Case, Outcome, Unprepared, by_status, first_difference, make_database, run

VERSION = "2.12.0"
# Gap costs of each matrix. `blastp -matrix NAME -gapopen 99 -gapextend 9` prints these pairs, and
# one more that means no gaps. The first pair of a matrix is nearest to the default.
GAPS = {
    "BLOSUM45": "14,2 13,3 12,3 11,3 10,3 16,2 15,2 13,2 12,2 19,1 18,1 17,1 16,1",
    "BLOSUM50": "13,2 13,3 12,3 11,3 10,3 9,3 16,2 15,2 14,2 12,2 19,1 18,1 17,1 16,1 15,1",
    "BLOSUM62": "11,1 11,2 10,2 9,2 8,2 7,2 6,2 13,1 12,1 10,1 9,1",
    "BLOSUM80": "10,1 25,2 13,2 9,2 8,2 7,2 6,2 11,1 9,1",
    "BLOSUM90": "10,1 9,2 8,2 7,2 6,2 11,1 9,1",
    "PAM30": "9,1 7,2 6,2 5,2 10,1 8,1 15,3 14,2 14,1 13,3",
    "PAM70": "10,1 8,2 7,2 6,2 11,1 9,1 11,2 12,3",
    "PAM250": "14,2 15,3 14,3 13,3 12,3 11,3 17,2 16,2 15,2 13,2 21,1 20,1 19,1 18,1 17,1",
    "IDENTITY": "15,2",
}
FIELDS = (
    "qseqid qgi qacc qaccver qlen sseqid sallseqid sgi sallgi sacc saccver sallacc slen qstart qend sstart send "
    "qseq sseq evalue bitscore score length pident nident mismatch positive gapopen gaps ppos frames qframe sframe "
    "btop staxid ssciname scomname sblastname sskingdom staxids sscinames scomnames sblastnames sskingdoms stitle "
    "salltitles sstrand "
    "qcovs qcovhsp qcovus"
).split()


def chosen(*values):
    return lambda rng: rng.choice(values)


def outfmt(rng):
    chance = rng.random()
    if chance < 0.35:
        return "6 std score btop nident positive qcovs qcovhsp stitle"
    if chance < 0.5:
        return rng.choice(("6", "7", "10")) + " " + " ".join(rng.sample(FIELDS, rng.randint(1, 12)))
    if chance < 0.65:
        return "0"
    return rng.choice(("5", "6", "7", "10", "15", "16"))


# For each option, a function that draws a value, and values that are refused.
OPTIONS = {
    "evalue": (chosen("10", "1", "1e-3", "1e-10", "100", "1000", "1e5", "0.5", "20000"), ("0", "-1", "x")),
    "word_size": (chosen("2", "3", "3", "4", "4", "5", "6"), ("1", "8", "0", "x")),
    "threshold": (chosen("9", "10", "11", "12", "13.5", "16", "21"), ("-1", "x")),
    "window_size": (chosen("0", "10", "15", "40", "60", "100"), ("-1", "x")),
    "xdrop_ungap": (chosen("3", "5", "7", "10", "20"), ("x",)),
    "xdrop_gap": (chosen("5", "10", "15", "30"), ("x",)),
    "xdrop_gap_final": (chosen("10", "20", "25", "50", "100"), ("x",)),
    "seg": (chosen("yes", "no", "10 1.8 2.1", "12 2.2 2.5", "20 2.0 3.0", "3 0.5 0.9"), ("maybe", "12")),
    "soft_masking": (chosen("true", "false", "T", "no"), ("x",)),
    "comp_based_stats": (chosen("0", "1", "2", "3", "F", "T", "D"), ()),
    "dbsize": (chosen("1", "1000", "100000", "521211", "100000000", "4000000000"), ("x",)),
    "searchsp": (chosen("100", "10000", "1000000", "12345678", "1000000000000"), ("-1", "x")),
    "max_target_seqs": (chosen("1", "2", "5", "6", "10", "50", "1000"), ("0", "-1", "x")),
    "max_hsps": (chosen("1", "2", "3", "10"), ("0", "x")),
    "culling_limit": (chosen("0", "1", "2", "3", "5", "10", "40"), ("-1", "x")),
    "best_hit_overhang": (chosen("0.05", "0.1", "0.25", "0.4", "0.49"), ("0", "0.5", "x")),
    "best_hit_score_edge": (chosen("0.05", "0.1", "0.25", "0.4", "0.49"), ("0", "0.5", "x")),
    "qcov_hsp_perc": (chosen("0", "10", "50", "90", "100", "33.3"), ("101", "-1", "x")),
    "num_descriptions": (chosen("0", "1", "5", "500"), ("-1", "x")),
    "num_alignments": (chosen("1", "5", "250"), ("-1", "x")),
    "line_length": (chosen("1", "10", "60", "100", "1000"), ("0", "x")),
}
# Options that get no odd numbers, because their values are words or because only blastp accepts
# some odd numbers.
OF_WORDS = ("seg", "soft_masking", "comp_based_stats", "best_hit_overhang", "best_hit_score_edge")
# Lines that name the program, the database and its date, which differ.
OTHER_LINES = re.compile(r"# BLASTP |# Database: | *Database: |    Posted date: |BLASTP ")
OTHER_MEMBERS = {"version", "db"}


# Columns for which blastp looks at the alignment. If a table has none of them, blastp prints
# uninitialised memory as `frames`, `qframe` and `sframe`.
OF_ALIGNMENTS = set(
    "std qstart qend sstart send qseq sseq length pident nident mismatch positive gapopen gaps ppos btop "
    "sstrand".split()
)


def without_frames(form, case, report):
    columns = case.options[0][1].split()[1:] if form in ("6", "7", "10") and case.options[0][0] == "-outfmt" else []
    if not columns or OF_ALIGNMENTS & set(columns):
        return report
    comma = "," if form == "10" else "\t"
    rows = [
        line
        if line.startswith("#")
        else comma.join(
            "" if name.endswith(("frame", "frames")) else word for name, word in zip(columns, line.split(comma))
        )
        for line in report.split("\n")
    ]
    return "\n".join(rows)


# The intended differences. The key is the name under which a difference is counted. The function
# changes both reports, which are then compared again.
EXCEPTIONS = {
    "frames of blastp without a column of the alignment are not set (docs/blastp.md)": without_frames,
}


def drawn_options(rng):
    out = []
    task = rng.choice(("blastp",) * 6 + ("blastp-short", "blastp-fast"))
    if task != "blastp":
        out.append(("-task", task))
    if rng.random() < 0.35:
        matrix = rng.choice(sorted(GAPS))
        if rng.random() < 0.7:
            gap_open, gap_extend = rng.choice(GAPS[matrix].split()).split(",")
            out.append(("-matrix", matrix, "-gapopen", gap_open, "-gapextend", gap_extend))
        else:
            out.append(("-matrix", matrix))
    elif rng.random() < 0.03:
        out.append(("-gapopen", str(rng.randint(0, 30)), "-gapextend", str(rng.randint(0, 4))))
    if rng.random() < 0.5:
        out.append(("-comp_based_stats", rng.choice("0123")))
    names = rng.sample(sorted(OPTIONS), int(rng.expovariate(0.55)))
    for name in names:
        if any(option[0] == "-" + name for option in out):
            continue
        draw, refused = OPTIONS[name]
        chance = rng.random()
        if refused and chance < 0.015:
            value = rng.choice(refused)
        elif name not in OF_WORDS and chance < 0.05:
            # warpseq refuses thresholds and X-drops above a million.
            odd = m.ODD_NUMBERS if not name.startswith(("xdrop", "threshold")) else set(m.ODD_NUMBERS) - {"1e400"}
            value = rng.choice(sorted(odd))
        else:
            value = draw(rng)
        out.append(("-" + name, value))
    if rng.random() < 0.15:
        out.append(("-lcase_masking",))
    if rng.random() < 0.1:
        out.append(("-subject_besthit",))
    if rng.random() < 0.1:
        out = [option for option in out if option[0] != "-comp_based_stats"]
        out += [("-ungapped",), ("-comp_based_stats", "0")]
    return (("-outfmt", outfmt(rng)), *out)


class Engine:
    name = "blastp"
    ESSENTIAL = ()

    def __init__(self, programs, material):
        self.programs, self.material = programs, material

    def missing(self):
        for program in ("blastp", "makeblastdb"):
            if not shutil.which(program):
                return f"no {program} here"
            version = re.search(program + r": (\d[\d.]*)\+", run([program, "-version"], ".").out)
            if not version or version[1] != VERSION:
                return f"{program} is {version[1] if version else 'of an unknown version'}, not {VERSION}"
        return None

    def round(self, rng):
        seeds = [self.material.residues(rng, 400) or "MKVLAW" for _ in range(8)]
        targets = m.records(rng, self.material, rng.choice((3, 20, 60, 120)), "t", seeds)
        # The first target is a usual protein, because makeblastdb guesses the kind of a file from
        # its beginning. Every target gets at least one of the 20 amino acids: makeblastdb leaves
        # out sequences without residues, and blastp adjusts sequences without amino acids by what
        # the pair before has left (docs/blastp.md, Differences that are known).
        targets = (
            m.Record("first", m.drawn(rng, 30)),
            *(t if set(t.residues.upper()) & set(m.AMINO) else m.Record(t.header, t.residues + "M") for t in targets),
        )
        cases = []
        for _ in range(10):
            queries = tuple(
                m.Record(m.header(rng, number, "q"), self.material.spoiled(rng, self.query(rng, seeds)))
                for number in range(rng.choice((1, 2, 3, 5)))
            )
            cases.append(Case("blastp", drawn_options(rng), queries, targets))
        return cases

    def query(self, rng, seeds):
        if rng.random() < 0.3:
            return self.material.residues(rng)
        return m.mutated(rng, rng.choice(seeds))

    @staticmethod
    def count(case):
        return len(case.queries)

    def prepare(self, targets, folder):
        with open(os.path.join(folder, "db.fa"), "w", encoding="latin-1") as file:
            file.writelines(record.text() for record in targets)
        os.makedirs(os.path.join(folder, "theirs"), exist_ok=True)
        os.makedirs(os.path.join(folder, "ours"), exist_ok=True)
        make_database(self.programs, folder, "ours/db.wsdb")
        made = run(["makeblastdb", "-in", "db.fa", "-dbtype", "prot", "-title", "db", "-out", "theirs/db"], folder)
        if made.status != 0:
            raise Unprepared(f"makeblastdb: {made.err.strip()}")

    def commands(self, case):
        ours = ["-" + word if re.match(r"-[a-z]", word) else word for word in case.words()]
        return (
            ["blastp", "-query", "q", "-db", "db", "-out", "out", *case.words()],
            [
                self.programs["search"],
                "blastp",
                "--quiet",
                "--device",
                "cpu",
                "--threads",
                "1",
                "--query",
                "q",
                "--db",
                "db.wsdb",
                "--out",
                "out",
                *ours,
            ],
        )

    def check(self, case, folder):
        runs, reports = [], []
        for name, command in zip(("theirs", "ours"), self.commands(case)):
            place = os.path.join(folder, name)
            if os.path.exists(os.path.join(place, "out")):
                os.remove(os.path.join(place, "out"))
            with open(os.path.join(place, "q"), "w", encoding="latin-1") as file:
                file.writelines(query.text() for query in case.queries)
            runs.append(run(command, place))
            reports.append(self.read(os.path.join(place, "out")))
        settled = by_status(*runs, "blastp")
        if settled:
            no_data = runs[0].status == 3 and runs[1].status == 0 and "Sequence contains no data" in runs[0].err
            if no_data and not case.queries[-1].residues:
                return Outcome(
                    EXCEPTED, "last queries without residues: blastp ends with 3 (docs/blastp.md, Differences)"
                )
            return settled
        form = case.options[0][1].split()[0] if case.options and case.options[0][0] == "-outfmt" else "0"
        difference = self.difference(form, *reports)
        if difference:
            for name, changed in EXCEPTIONS.items():
                if not self.difference(form, *(changed(form, case, report) for report in reports)):
                    return Outcome(EXCEPTED, name)
            return Outcome(DIFFERENT, self.mark(form, *reports), f"format {form}: {difference}")
        return Outcome(SAME, text=str(self.rows(form, reports[0])))

    @staticmethod
    def read(path):
        if not os.path.exists(path):
            return ""
        with open(path, encoding="latin-1", newline="") as file:
            return file.read()

    @classmethod
    def difference(cls, form, theirs, ours):
        if form == "15":
            return cls.json_difference("", json.loads(theirs), json.loads(ours))
        return first_difference(cls.compared(form, theirs), cls.compared(form, ours))

    @staticmethod
    def compared(form, text):
        if form == "0":
            # The text from the first line to the database's name is about the program.
            text = re.sub(r"\ABLASTP [^\n]*\n.*?\nDatabase: [^\n]*\n", "", text, count=1, flags=re.S)
        if form in ("5", "16"):
            text = re.sub(r"<(BlastOutput_version|BlastOutput_db|version|db)>[^<]*<", r"<\1><", text)
        return "\n".join(line for line in text.split("\n") if not OTHER_LINES.match(line))

    @classmethod
    def json_difference(cls, place, theirs, ours):
        if isinstance(theirs, dict) and isinstance(ours, dict):
            if list(theirs) != list(ours):
                return f"members of {place}:\n  theirs: {list(theirs)}\n  ours:   {list(ours)}"
            pairs = [
                (name, theirs[name], ours[name])
                for name in theirs
                if name not in OTHER_MEMBERS or isinstance(theirs[name], dict)
            ]
        elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
            pairs = list(zip(range(len(theirs)), theirs, ours))
        else:
            return (
                None
                if theirs == ours and type(theirs) is type(ours)
                else f"{place}:\n  theirs: {theirs!r:.400}\n  ours:   {ours!r:.400}"
            )
        for name, a, b in pairs:
            difference = cls.json_difference(f"{place}/{name}", a, b)
            if difference:
                return difference
        return None

    @staticmethod
    def rows(form, text):
        if form in ("6", "7", "10"):
            return len([line for line in text.split("\n") if line and line[0] != "#"])
        return (
            text.count("<Hsp_num>") + text.count('"bit_score"') + text.count("<bit-score>") + text.count("\n Score = ")
        )

    @classmethod
    def mark(cls, form, theirs, ours):
        rows = [cls.rows(form, text) for text in (theirs, ours)]
        return f"format {form}, " + (
            "rows missing" if rows[0] > rows[1] else "rows too many" if rows[0] < rows[1] else "other rows"
        )
