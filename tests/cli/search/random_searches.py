"""Random searches for random_searches_test.py: command lines of all engines, with their input. They
depend only on the random generator, and on the sequences and profiles that are passed.

Sequences, profiles and values of options are drawn by the modules of tests/reference/random. Only
values and combinations that the programs accept are drawn here.
"""
import random
from dataclasses import dataclass, field

from random_databases import GIANT_RESIDUES, MILLION, draw_targets, fasta, fitted, giant, identifier, residues_of

import blastp  # this module and the next ones are in tests/reference/random
import hmm
import jackhmmer
import material as m

ENGINES = ("sw", "hmm", "phmmer", "jackhmmer", "hmmscan", "blastp", "pair")
FILES = ".."  # the folder of a search's files, seen from the folders in which it runs
GAP_COSTS = ((0, 1), (1, 1), (0, 4), (3, 7), (5, 2), (20, 3), (50, 10))
PAIR_ENDS = ("query-begin", "query-end", "target-begin", "target-end")
HMM_FIELDS = "qseqid sseqid evalue bitscore score length cevalue envstart envend qstart qend sstart send hmmacc".split()
SW_FIELDS = "qseqid sseqid stitle evalue bitscore score length nident mismatch gapopen gaps qseq sseq cigar".split()
ALIGNMENT_FORMATS = "stockholm pfam a2m a3m psiblast selex afa clustal clustallike phylip phylips".split()
# Options of which at most one of each set may be given.
EXCLUSIVE = jackhmmer.EXCLUSIVE + (
    ("max_target_seqs", "num_descriptions"),
    ("max_target_seqs", "num_alignments"),
    ("culling_limit", "best_hit_overhang"),
    ("culling_limit", "best_hit_score_edge"),
    ("dbsize", "searchsp"),
)


@dataclass
class Search:
    """A search. `words` follow the program's name on every device. `texts` are the files that it
    reads, by name. `databases` are pairs of a FASTA file and the codec of the database that dbconv
    makes of it."""

    engine: str
    words: list
    texts: dict
    databases: list = field(default_factory=list)

    def has_giant(self):
        return any(len(line) >= GIANT_RESIDUES for text in self.texts.values() for line in text.split("\n"))


@dataclass
class Sizes:
    """Limits of a search's size. `cells` is the most residues of queries times residues of targets
    for Smith-Waterman; other engines may have a share of it."""

    target_residues: int = MILLION + 100000
    cells: int = 2000000000


def draw_options(rng, table, mean, dashes=""):
    """Returns about `mean` options of a table of tests/reference/random, as words. Its values that
    are refused are left out."""
    names = rng.sample(sorted(table), min(len(table), int(rng.expovariate(1 / mean))))
    words = []
    for at, name in enumerate(names):
        if any(name in each and set(each) & set(names[:at]) for each in EXCLUSIVE):
            continue
        draw = table[name][0]
        words += [dashes + name] if draw is None else [dashes + name, draw(rng)]
    return words


def gap_words(gap_open, gap_extend):
    return ["--gap-open", str(gap_open), "--gap-extend", str(gap_extend)]


def table_format(rng, numbers, fields):
    """Returns --outfmt with one of the formats, and sometimes with names of fields and a header."""
    number = rng.choice(numbers)
    chosen = number
    if number in ("6", "7", "10") and rng.random() < 0.5:
        chosen += " " + " ".join(rng.sample(fields, rng.randint(2, len(fields))))
    header = ["--header"] if number in ("6", "10") and rng.random() < 0.2 else []
    return ["--outfmt", chosen, *header]


def machine_words(rng, device, engine):
    """Returns options that must not change a result. `device` is that of --device, or cpu:NAME with
    the name of a back end."""
    name, _, backend = device.partition(":")
    words = ["--threads", str(rng.choice((1, 2, 3, 4, 7, 16)))]
    if engine not in ("pair", "hmmscan") and rng.random() < 0.3:
        words += ["--chunk-size", rng.choice(("4K", "64K", "1M", "64M"))]
    if name == "cpu":
        return ["--device", name, *(["--cpu-backend", backend] if backend else []), *words]
    if rng.random() < 0.35:
        # Profile searches work in smaller pieces with any limit.
        less = ("16M", "64M") if engine in ("hmm", "phmmer", "jackhmmer") else ()
        words += ["--device-memory", rng.choice(("256M", "400M", "800M", "1200M", "4G", *less))]
    return ["--device", device + ("+cpu" if rng.random() < 0.2 and "+" not in device else ""), *words]


class Drawing:
    """One search that is being drawn."""

    def __init__(self, rng, sources, engine, with_giant, sizes):
        self.rng, self.sources, self.engine, self.with_giant, self.sizes = rng, sources, engine, with_giant, sizes

    def search(self):
        return getattr(self, self.engine)()

    def against_databases(self, query_name, query_texts, queries, words, seeds, share, files=None):
        """Returns the search of `queries` in one to three databases. `query_texts` gives the query
        file's text, and `share` is the engine's share of the cells."""
        rng = self.rng
        most_giant = MILLION if self.engine in ("sw", "blastp") else 100000
        targets = draw_targets(rng, self.sources, seeds, self.with_giant, min(most_giant, self.sizes.target_residues))
        queries, targets = fitted(queries, targets, self.sizes.target_residues, int(self.sizes.cells * share))
        texts = {query_name: query_texts(queries), **(files or {})}
        databases = []
        pieces = min(len(targets), rng.choice((1, 1, 1, 1, 2, 3)))
        command = ["-q", f"{FILES}/{query_name}"]
        for piece in range(pieces):
            name = f"d{piece}"
            texts[name + ".fa"] = fasta(targets[piece::pieces])
            if rng.random() < 0.1:
                command += ["-d", f"{FILES}/{name}.fa"]
                continue
            databases.append((name, rng.choice(("packed", "packed", "zstd"))))
            command += ["-d", f"{FILES}/{name}.wsdb"]
        names = sorted({identifier(target) for target in targets})
        if rng.random() < 0.15 and len(names) > 1:  # some sequences remain in any case
            texts["list.txt"] = "".join(name + "\n" for name in rng.sample(names, rng.randint(1, len(names) - 1)))
            command += [rng.choice(("--seqidlist", "--seqidlist", "--negative-seqidlist")), f"{FILES}/list.txt"]
        return Search(self.engine, [words[0], *command, *words[1:]], texts, databases)

    def protein_seeds(self, count, longest=400):
        return [self.sources.residues(self.rng, longest) or "MKVLAW" for _ in range(count)]

    def sequences(self, seeds, count, long_lengths=(), long_share=0.15):
        """Returns queries, which are relatives of seeds or unrelated. Sometimes the first one is
        long. It may then have relatives in databases, because it becomes a seed."""
        rng, out = self.rng, []
        for number in range(count):
            residues = m.mutated(rng, rng.choice(seeds)) if rng.random() < 0.8 else self.sources.residues(rng)
            residues = self.sources.spoiled(rng, residues or "MKV")
            out.append(m.Record(m.header(rng, number, "q"), hmm.Engine.informative(residues)))
        if long_lengths and rng.random() < long_share:
            length = min(rng.choice(long_lengths), self.sizes.target_residues)
            out[0] = giant(rng, self.sources, seeds, "long", length)
            if length <= 3000:
                seeds.append(out[0].residues.upper())
        return out

    def scoring(self, chance):
        """Returns a matrix and gap costs, and the files that they need."""
        rng = self.rng
        if rng.random() > chance:
            return [], {}
        if rng.random() < 0.1:
            files = {hmm.MATRIX_FILE: hmm.matrix_text(rng)}
            return ["--matrix", f"{FILES}/{hmm.MATRIX_FILE}", *gap_words(*rng.choice(GAP_COSTS))], files
        matrix = rng.choice(sorted(blastp.GAPS))
        return ["--matrix", matrix, *gap_words(*rng.choice(blastp.GAPS[matrix].split()).split(","))], {}

    def sw(self):
        rng = self.rng
        seeds = self.protein_seeds(6, rng.choice((100, 400, 1500)))
        words, files = self.scoring(0.6)
        words += table_format(rng, ("0", "6", "7", "10", "json"), SW_FIELDS)
        if files:  # there are no E-values for other matrices
            words += ["--evalue", "inf"]
        elif rng.random() < 0.6:
            words += ["--evalue", rng.choice(("1e-10", "1e-3", "1", "1000", "1e6", "inf"))]
        if rng.random() < 0.4:
            words += ["--max-hits", rng.choice(("0", "1", "2", "10", "1000"))]
        if rng.random() < 0.4 and not files and "IDENTITY" not in words:
            words += ["--comp-stats", rng.choice("0123")]
        if rng.random() < 0.1 and not files:
            words += ["--dbsize", rng.choice(("1", "100000", "4000000000"))]
        queries = self.sequences(seeds, rng.choice((1, 1, 2, 3, 8, 20)), (700, 1100, 2500, 6000, 15000))
        return self.against_databases("q.fa", fasta, queries, ["sw", *words], seeds, 1, files)

    def blastp(self):
        rng = self.rng
        seeds = self.protein_seeds(8)
        task = rng.choice(("blastp",) * 6 + ("blastp-short", "blastp-fast"))
        words = ["--task", task] if task != "blastp" else []
        if rng.random() < 0.35:
            matrix = rng.choice(sorted(blastp.GAPS))
            words += ["--matrix", matrix, *gap_words(*rng.choice(blastp.GAPS[matrix].split()).split(","))]
        table = {name: value for name, value in blastp.OPTIONS.items() if name not in ("comp_based_stats", "evalue")}
        words += draw_options(rng, table, 2, "--")
        words += [switch for switch in ("--lcase_masking", "--subject_besthit") if rng.random() < 0.1]
        long_lengths = (1100, 2500, 6000, 17000, 40000)
        if rng.random() < 0.08 and not self.with_giant and not {"--dbsize", "--searchsp"} & set(words):
            # Smith-Waterman of long sequences, or of every pair, would take minutes.
            words += ["--use_sw_tback", "--evalue", rng.choice(("1e-3", "1"))]
            long_lengths = ()
        elif rng.random() < 0.6:
            words += ["--evalue", rng.choice(("1e-10", "1e-3", "1", "10", "10", "1000", "1e6"))]
        if rng.random() < 0.06 and "--use_sw_tback" not in words:
            words += ["--ungapped", "--comp-stats", "0"]
        elif rng.random() < 0.5:
            words += ["--comp-stats", rng.choice("0123")]
        words += table_format(rng, "0 1 2 3 4 5 6 6 7 10 13 14 15 16".split(), blastp.FIELDS)
        queries = self.sequences(seeds, rng.choice((1, 2, 5, 15, 30)), long_lengths)
        return self.against_databases("q.fa", fasta, queries, ["blastp", *words], seeds, 1)

    def hmm_outputs(self, formats=("0", "0", "0", "6", "7", "10", "json")):
        """Returns options for the outputs of profile engines. They always write a table of domains."""
        rng = self.rng
        words = ["--domtblout", "dom", *table_format(rng, formats, HMM_FIELDS)]
        if rng.random() < 0.4:
            words += ["--tblout", "tbl"]
        if self.engine != "hmmscan" and rng.random() < 0.4:
            words += ["-A", "ali", *(["--aformat", rng.choice(ALIGNMENT_FORMATS)] if rng.random() < 0.4 else [])]
        if self.engine != "jackhmmer" and rng.random() < 0.2:
            words += ["--pfamtblout", "pfam"]
        return words

    def filters(self, words):
        """Returns options that let more pass the filters. Small databases have few hits without."""
        chance = self.rng.random()
        if chance > 0.4 or {"--max", "--F1", "--F2", "--F3"} & set(words):
            return []
        if chance > 0.1 or self.with_giant or "--nobias" in words:
            return ["--F1", "0.5", "--F2", "0.3", "--F3", "0.1"]
        return ["--max"]

    def profile(self):
        if self.rng.random() < 0.1:
            return self.rng.choice(self.sources.profiles)
        return hmm.Engine(None, self.sources).profile(self.rng)

    def usable_cutoffs(self, profiles):
        """Returns the options of cutoffs that all these profiles have."""
        return [name for name in sorted(hmm.PROFILE_OPTIONS)
                if all(any(line.startswith(name[-2:].upper()) for line in each.head) for each in profiles)]

    def profile_words(self, profiles):
        rng = self.rng
        table = dict(hmm.COMMON_OPTIONS)
        if self.with_giant:
            del table["--max"]
        words = draw_options(rng, table, 2)
        cutoffs = self.usable_cutoffs(profiles)
        if cutoffs and rng.random() < 0.25:
            thresholds = {name for each in EXCLUSIVE if "--cut_ga" in each for name in each}
            if not thresholds & set(words):
                words.append(rng.choice(cutoffs))
        return [*words, *self.filters(words), *self.hmm_outputs()]

    def profile_seeds(self, profiles):
        return [profile.sampled(self.rng) or "MKV" for profile in profiles for _ in range(2)]

    @staticmethod
    def nodes_as_records(profiles):
        return [m.Record("", "M" * len(profile.nodes)) for profile in profiles]

    def hmm(self):
        profiles = [self.profile() for _ in range(self.rng.choice((1, 1, 2, 3, 6)))]
        words = self.profile_words(profiles)

        def text(queries):  # as many profiles as queries are left
            return "".join(profile.text() for profile in profiles[: len(queries)])

        seeds = self.profile_seeds(profiles)
        share = 0.02 if "--max" in words else 0.15
        return self.against_databases("q.hmm", text, self.nodes_as_records(profiles), ["hmm", *words], seeds, share)

    def hmmscan(self):
        rng = self.rng
        drawn = [self.profile() for _ in range(rng.choice((1, 3, 10, 25)))]
        profiles = list({profile.head[1]: profile for profile in drawn}.values())  # each name once
        words = self.profile_words(profiles)
        seeds = self.profile_seeds(profiles[:6])
        sequences = self.sequences(seeds, rng.choice((1, 2, 5, 20, 40)))
        if self.with_giant:
            length = min(self.sizes.target_residues, rng.choice((10000, 20000, 40000)))
            sequences.append(giant(rng, self.sources, seeds, "giant", length))
        share = 0.02 if "--max" in words else 0.1
        nodes = self.nodes_as_records(profiles)
        nodes, sequences = fitted(nodes, sequences, self.sizes.target_residues, int(self.sizes.cells * share))
        texts = {"q.fa": fasta(sequences), "p.hmm": "".join(each.text() for each in profiles[: len(nodes)])}
        return Search("hmmscan", ["hmmscan", "-q", f"{FILES}/q.fa", "-d", f"{FILES}/p.hmm", *words], texts)

    def sequence_words(self, table, mean):
        """Returns options for sequences as profiles, and the files that they need."""
        words = draw_options(self.rng, table, mean)
        if "--mxfile" in words:
            words[words.index("--mxfile") + 1] = f"{FILES}/{hmm.MATRIX_FILE}"
        return [*words, *self.filters(words), *self.hmm_outputs()], {hmm.MATRIX_FILE: hmm.matrix_text(self.rng)}

    def phmmer(self):
        table = {**hmm.COMMON_OPTIONS, **hmm.SEQUENCE_OPTIONS}
        if self.with_giant:
            del table["--max"]
        words, files = self.sequence_words(table, 2)
        seeds = self.protein_seeds(6, 250)
        queries = self.sequences(seeds, self.rng.choice((1, 1, 2, 4)), (500, 1100, 2500))
        share = 0.02 if "--max" in words else 0.15
        return self.against_databases("q.fa", fasta, queries, ["hmm", *words], seeds, share, files)

    def jackhmmer(self):
        rng = self.rng
        table = {**hmm.COMMON_OPTIONS, **hmm.SEQUENCE_OPTIONS, **jackhmmer.BUILD_OPTIONS}
        for name in ("--max", "-N", *jackhmmer.NOT_HERE):
            del table[name]
        words, files = self.sequence_words(table, 2.5)
        words += ["-N", rng.choice("12235")]
        for option, part in (("--wblosum", "--wid"), ("--eclust", "--eid")):
            if option in words and rng.random() < 0.5:
                words += [part, jackhmmer.part(rng)]
        if rng.random() < 0.3:
            words += ["--chkhmm", "chk", "--chkali", "chk"]
        seeds = self.protein_seeds(4, 200)
        queries = self.sequences(seeds, rng.choice((1, 1, 2)))
        return self.against_databases("q.fa", fasta, queries, ["jackhmmer", *words], seeds, 0.05, files)

    def pair(self):
        rng = self.rng
        dna = rng.random() < 0.4
        longest = rng.choice((30, 120, 400, 3000, 3000))
        many = rng.random() < 0.8
        seeds = [self.pair_residues(dna, longest) for _ in range(3)]
        queries, targets = (self.pair_records(prefix, dna, longest, rng.choice((1, 3, 8, 30)) if many else 1, seeds)
                            for prefix in "qt")
        most_cells = int(self.sizes.cells * 0.15)
        if self.with_giant:
            both = rng.random() < 0.5
            length = int(most_cells**0.5 * rng.uniform(0.3, 1) if both else GIANT_RESIDUES * 10 ** rng.random())
            record = giant(rng, self.sources, seeds, "giant", min(length, self.sizes.target_residues))
            targets[0] = m.Record("giant", m.drawn(rng, length, m.BASES)) if dna else record
            if both:
                relative = m.mutated(rng, targets[0].residues, m.BASES if dna else m.AMINO, rng.choice((0.1, 0.4)))
                queries = [m.Record("q0", relative)]
        queries, targets = fitted(queries, targets, self.sizes.target_residues, most_cells)
        words, files = self.pair_words(dna)
        texts = {"q.fa": fasta(queries), "t.fa": fasta(targets), **files}
        if many and rng.random() < 0.3:
            pairs = [f"{identifier(query)} {identifier(target)}\n" for query in queries for target in targets]
            texts["pairs.txt"] = "".join(rng.sample(pairs, rng.randint(1, len(pairs))))
            words += ["--pairs", f"{FILES}/pairs.txt"]
        elif many:
            words.append("--all-pairs")
        return Search("pair", ["pair", f"{FILES}/q.fa", f"{FILES}/t.fa", *words], texts)

    def pair_residues(self, dna, longest):
        if dna:
            length = max(1, self.sources.length(self.rng, longest))
            return m.drawn(self.rng, length, self.rng.choice((m.BASES, m.BASES, "AT")))
        return self.sources.residues(self.rng, longest) or "M"

    def pair_records(self, prefix, dna, longest, count, seeds):
        rng, out = self.rng, []
        for number in range(count):
            residues = rng.choice(seeds)
            if rng.random() < 0.7:
                residues = m.mutated(rng, residues, m.BASES if dna else m.AMINO)
            if rng.random() < 0.5:
                residues = self.pair_residues(dna, longest) + residues + self.pair_residues(dna, longest)
            residues = self.sources.spoiled(rng, residues or "A", "RYSWKMBDHVN" if dna else "XBZJUO*")
            out.append(m.Record(f"{prefix}{number}", residues))
        return out

    def pair_words(self, dna):
        rng = self.rng
        mode = rng.choice(("--global", "--local", "--semiglobal", "--all-local"))
        words, files = [mode, "--dna" if dna else "--protein"], {}
        if dna:
            match, mismatch = rng.choice(((2, -3), (1, -1), (5, -4), (1, -3), (10, 1)))
            words += ["--match", str(match), "--mismatch", str(mismatch), *gap_words(*rng.choice(GAP_COSTS))]
            words += ["--strand", rng.choice(("plus", "minus", "both"))]
        else:
            scoring, files = self.scoring(0.6)
            words += scoring
        if mode == "--semiglobal" and rng.random() < 0.7:
            words += ["--free-ends", ",".join(rng.sample(PAIR_ENDS, rng.randint(1, 4)))]
        if mode == "--all-local":
            words += ["--max-alignments", rng.choice(("1", "3", "10")), "--min-score", rng.choice(("1", "20", "50"))]
        formats, fields = ("0", "6", "7", "10", "paf", "sam", "json"), "qseqid sseqid score length cigar".split()
        if mode != "--all-local" and rng.random() < 0.15:
            words.append("--score-only")
            formats, fields = ("6", "10", "json"), ("qseqid", "sseqid", "score")
        words += table_format(rng, formats, fields)
        if rng.random() < 0.3:
            words += ["--memory", rng.choice(("64K", "1M", "100M"))]
        return words, files


def draw_search(seed, number, sources, sizes):
    """Returns search `number` of a seed, and the generator for its options of machines. Engines take
    turns, and so every fourth search of each has a giant."""
    rng = random.Random(f"{seed} {number}")
    engine = ENGINES[number % len(ENGINES)]
    return Drawing(rng, sources, engine, number % 4 == 3, sizes).search(), rng
