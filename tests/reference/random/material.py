"""Random inputs for the comparisons: sequences, profiles and option values. They depend only on the
random generator that is passed."""
import functools
import gzip
import itertools
import math
import os
import random
from dataclasses import dataclass, replace

AMINO = "ACDEFGHIKLMNPQRSTVWY"
BASES = "ACGT"
# Unusual spellings of numbers, valid and invalid ones. Programs differ in those that they accept.
ODD_NUMBERS = ("+5", "007", "5.", ".5", "5.0", "1e2", "1E+1", "1e-400", "0.5e1", "0x10", "1e400", "5x", "1,000", "--5")
BACKGROUND = dict(zip(AMINO, (78, 19, 54, 63, 40, 68, 22, 57, 60, 93, 25, 45, 49, 40, 52, 73, 58, 65, 13, 32)))
# Lengths 0 and 1, and lengths around the widths of vectors, tiles and words.
EDGE_LENGTHS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129)


@dataclass(frozen=True)
class Record:
    """A FASTA record."""

    header: str
    residues: str

    def text(self):
        return f">{self.header}\n{self.residues}\n"

    def smaller(self):
        """Yields copies with less in them, the smallest ones first."""
        half = len(self.residues) // 2
        if half:
            yield replace(self, residues=self.residues[:half])
            yield replace(self, residues=self.residues[half:])
        quarter = half // 2
        if quarter:
            yield replace(self, residues=self.residues[quarter:])
            yield replace(self, residues=self.residues[:-quarter])
            yield replace(self, residues=self.residues[:quarter] + self.residues[2 * quarter :])
        if len(self.header.split()) > 1:
            yield replace(self, header=self.header.split()[0])


@dataclass(frozen=True)
class Profile:
    """A profile in HMMER's format: the lines before the model, the lines between the model's header
    and node 1, and three lines for each node."""

    head: tuple
    begin: tuple
    nodes: tuple

    def text(self):
        return "\n".join([*self.head, *self.begin, *itertools.chain(*self.nodes), "//", ""])

    def part(self, first, last):
        """Returns a model of the nodes `first` to `last` - 1. Its last node has the transitions of
        the whole model's last node."""
        nodes = [
            (f"{number:7d}" + match[7:], insert, moves)
            for number, (match, insert, moves) in enumerate(self.nodes[first:last], 1)
        ]
        nodes[-1] = (*nodes[-1][:2], self.nodes[-1][2])
        head = [
            f"LENG  {len(nodes)}" if line.startswith("LENG") else line
            for line in self.head
            if not line.startswith("MAXL")
        ]
        begin = [line for line in self.begin if not line.lstrip().startswith("COMPO")]
        return Profile(tuple(head), tuple(begin), tuple(nodes))

    def smaller(self):
        half = len(self.nodes) // 2
        if half:
            yield self.part(0, half)
            yield self.part(half, len(self.nodes))
        quarter = half // 2
        if quarter:
            yield self.part(quarter, len(self.nodes))
            yield self.part(0, len(self.nodes) - quarter)

    def emissions(self):
        """Yields the probabilities of the 20 amino acids at each node."""
        for match, _, _ in self.nodes:
            yield [0.0 if word == "*" else math.exp(-float(word)) for word in match.split()[1:21]]

    def perturbed(self, rng):
        """Returns the same model with other emissions."""
        nodes = []
        for (match, insert, moves), row in zip(self.nodes, self.emissions()):
            row = [p * rng.uniform(0.2, 5) for p in row]
            words = match.split()
            total = sum(row)
            words[1:21] = [f"{-math.log(p / total):.5f}" if p > 0 else "*" for p in row]
            nodes.append((f"{words[0]:>7}   " + "  ".join(words[1:]), insert, moves))
        return replace(self, nodes=tuple(nodes))

    def sampled(self, rng):
        """Returns a sequence that the model might have emitted."""
        out = []
        for row in self.emissions():
            chance = rng.random()
            if chance < 0.03:
                continue
            if chance < 0.05:
                out += rng.choices(AMINO, BACKGROUND.values(), k=rng.randint(1, 8))
            out += rng.choices(AMINO, row) if sum(row) > 0 else "X"
        return "".join(out)


def read_profiles(path):
    """Returns the profiles of a plain or gzip file in format 3/f. Profiles of other alphabets and
    profiles without statistics are left out."""
    lines = (gzip.open if path.endswith(".gz") else open)(path, "rt").read().split("\n")
    profiles, start = [], 0
    for end in (i for i, line in enumerate(lines) if line == "//"):
        record = lines[start:end]
        start = end + 1
        if not record[0].startswith("HMMER3/f") or not any(line.startswith("STATS") for line in record):
            continue
        if not any(line.split() == ["ALPH", "amino"] for line in record):
            continue
        model = next(i for i, line in enumerate(record) if line.startswith("HMM "))
        first = next(i for i in range(model, len(record)) if record[i].split()[:1] == ["1"])
        nodes = [tuple(record[i : i + 3]) for i in range(first, len(record), 3)]
        profiles.append(Profile(tuple(record[:model]), tuple(record[model:first]), tuple(nodes)))
    return profiles


def read_fasta(path, most):
    records = []
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", errors="replace") as lines:
        for line in lines:
            if line.startswith(">"):
                if len(records) == most:
                    break
                records.append([])
            elif records:
                records[-1].append(line.strip().upper())
    return ["".join(parts) for parts in records]


def drawn(rng, length, letters=AMINO):
    weights = BACKGROUND.values() if letters == AMINO else None
    return "".join(rng.choices(letters, weights, k=length))


def mutated(rng, residues, letters=AMINO, rate=None):
    """Returns a relative, with substitutions, deletions and insertions."""
    rate = rng.choice((0.01, 0.1, 0.3, 0.5)) if rate is None else rate
    out = []
    for letter in residues:
        chance = rng.random()
        if chance < rate * 0.06:
            continue
        if chance < rate * 0.12:
            out += rng.choices(letters, k=rng.randint(1, 12))
        out.append(rng.choice(letters) if chance > 1 - rate else letter)
    return "".join(out)


class Material:
    """Real proteins and profiles. If no proteins are installed, they are generated."""

    def __init__(self, shared):
        rng = random.Random(1)
        self.sources = []
        self.proteins = []
        places = ["/usr/share/doc/mmseqs2/example-data/DB.fasta.gz"]
        places += (
            [os.path.join(shared, name) for name in ("data/families-dev.fasta.gz", "data/proteins-tiny.fasta")]
            if shared
            else []
        )
        for path in places:
            if os.path.exists(path):
                self.proteins += [each for each in read_fasta(path, 3000) if each]
                self.sources.append(path)
        if not self.proteins:
            self.proteins = [drawn(rng, rng.randint(20, 900)) for _ in range(1000)]
            self.sources.append("generated proteins")
        self.shared = shared

    @functools.cached_property
    def profiles(self):
        folders = [
            "/usr/share/doc/hmmer/examples/tutorial",
            os.path.join(self.shared, "data/hmm") if self.shared else "",
        ]
        paths = [
            os.path.join(folder, name)
            for folder in folders
            if os.path.isdir(folder)
            for name in sorted(os.listdir(folder))
            if name.endswith((".hmm", ".hmm.gz"))
        ]
        return [profile for path in paths for profile in read_profiles(path)]

    def length(self, rng, longest):
        if rng.random() < 0.12:
            return rng.choice([n for n in EDGE_LENGTHS if n <= longest])
        return min(longest, int(rng.lognormvariate(4.6, 0.8)) + 1)

    def residues(self, rng, longest=600):
        """Returns a protein of one of many kinds."""
        length, kind = self.length(rng, longest), rng.random()
        real = rng.choice(self.proteins)
        start = rng.randrange(max(1, len(real) - length))
        real = real[start : start + length]
        if kind < 0.5:
            return real
        if kind < 0.6:
            return "".join(rng.sample(real, len(real)))
        if kind < 0.7:
            few = drawn(rng, rng.randint(1, 3))
            stretch = "".join(rng.choices(few, k=length // 2))
            at = rng.randint(0, len(real))
            return (real[:at] + stretch + real[at:])[: max(length, len(stretch))]
        if kind < 0.8:
            unit = real[: rng.randint(1, max(1, min(60, length)))] or "A"
            return mutated(rng, unit * (length // len(unit) + 1), rate=rng.choice((0, 0.05, 0.2)))[:length]
        return drawn(rng, length)

    def spoiled(self, rng, residues, letters="XBZJUO*"):
        """Returns `residues`, sometimes with rare letters or letters in lower case."""
        chance = rng.random()
        if not residues or chance > 0.25:
            return residues
        out = list(residues)
        if chance < 0.15:
            for _ in range(rng.choice((1, 1, 2, 5, len(out) // 4 + 1))):
                at = rng.randrange(len(out))
                letter = rng.choice(letters)
                for i in range(at, min(len(out), at + rng.choice((1, 1, 1, 2, 10)))):
                    out[i] = letter
        if chance > 0.1:
            for _ in range(rng.choice((1, 1, 2, 3))):
                at = rng.randrange(len(out))
                for i in range(at, min(len(out), at + rng.choice((1, 2, 8, 30, 200)))):
                    out[i] = out[i].lower()
        return "".join(out)

    def related(self, rng, residues):
        """Returns a sequence that a search with these residues would find: pieces, relatives or
        several copies among other residues."""
        start = rng.randrange(max(1, len(residues))) if rng.random() < 0.4 else 0
        piece = residues[start : start + rng.randint(1, max(1, len(residues)))] if rng.random() < 0.4 else residues
        parts = []
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            if rng.random() < 0.5:
                parts.append(self.residues(rng, 150))
            parts.append(mutated(rng, piece))
        if rng.random() < 0.5:
            parts.append(self.residues(rng, 150))
        return "".join(parts)


def amino_acids_alone(residues):
    return "".join(letter if letter.upper() in AMINO else "A" for letter in residues)


def header(rng, number, prefix):
    """Returns a header: a name, which is nearly always unique, and words."""
    name = f"{prefix}{number}"
    chance = rng.random()
    if chance < 0.05:
        name = f"{prefix}same"
    elif chance < 0.1:
        name += "_" + "long" * rng.randint(1, 20)
    elif chance < 0.15:
        name = f"sp|P{number:05d}|{name.upper()}_HUMAN"
    words = (
        "protein",
        "of",
        "unknown",
        "function,",
        "putative",
        "(EC 1.2.3.4)",
        "[Homo sapiens]",
        "OS=Mus",
        "~",
        "a-b",
        "1.5%",
    )
    return " ".join([name, *rng.choices(words, k=rng.choice((0, 0, 1, 3, 8, 30)))])


def records(rng, material, count, prefix, seeds=(), longest=600, letters="XBZJUO*"):
    """Returns records. About half of them are relatives of `seeds`."""
    out = []
    for number in range(count):
        if seeds and rng.random() < 0.6:
            residues = material.related(rng, rng.choice(seeds))[: 4 * longest]
        else:
            residues = material.residues(rng, longest)
        residues = material.spoiled(rng, residues, letters)
        out.append(Record(header(rng, number, prefix), amino_acids_alone(residues) if letters == AMINO else residues))
    return out
