"""Proteins, profiles and databases for the random searches of random_searches.py. They depend only on
the random generator, and on the files that are named.

Sequences and profiles are drawn by tests/reference/random/material.py.
"""
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../reference/random"))

import material as m

GIANT_RESIDUES = 10000  # a sequence of this many residues or more is called a giant
MILLION = 1000000


class Sources(m.Material):
    """The proteins and the profiles that searches are made of."""

    profiles = ()

    def __init__(self, real, profile_files, seed):
        rng = random.Random(f"sources {seed}")
        self.proteins = [protein for path in real for protein in m.read_fasta(path, 20000) if protein]
        if not self.proteins:
            self.proteins = [m.drawn(rng, 20 + int(rng.lognormvariate(5.4, 0.8))) for _ in range(1000)]
        self.profiles = [profile for path in profile_files for profile in m.read_profiles(path)]

    def build_profiles(self, search, folder, seed):
        """Builds profiles from alignments that are made from the proteins, if no files of profiles
        were given. Every other profile has cutoffs."""
        if self.profiles:
            return
        rng = random.Random(f"profiles {seed}")
        path = os.path.join(folder, "made.hmm")
        with open(os.path.join(folder, "made.sto"), "w") as file:
            for number in range(12):
                length = rng.choice((1, 7, 33, 64, 100, 129, 200, 350))
                file.write(made_alignment(rng, f"made{number}", m.drawn(rng, length), number % 2 == 0))
        subprocess.run([search, "hmmbuild", "--quiet", "--amino", "-q", os.path.join(folder, "made.sto"), "-o", path],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.profiles = m.read_profiles(path)


def made_alignment(rng, name, consensus, with_cutoffs):
    """Returns a family of relatives of `consensus` in Stockholm format."""
    lines = ["# STOCKHOLM 1.0", f"#=GF ID {name}"]
    if with_cutoffs:
        lines += [f"#=GF {cutoff} {bits:.2f} {bits - 2:.2f};" for cutoff, bits in (("GA", 20), ("NC", 19), ("TC", 22))]
    for row in range(rng.randint(3, 12)):
        letters = (rng.choice(m.AMINO) if rng.random() < 0.3 else letter for letter in consensus)
        lines.append(f"row{row} " + "".join("-" if rng.random() < 0.05 else letter for letter in letters))
    return "\n".join([*lines, "//", ""])


def fasta(records):
    return "".join(record.text() for record in records)


def residues_of(records):
    return sum(len(record.residues) for record in records)


def identifier(record):
    return record.header.split()[0]


def giant(rng, sources, seeds, name, length):
    """Returns a sequence of this length: unrelated stretches, low complexity, repeats, and a few
    relatives of the seeds between them."""
    parts, size, relatives = [], 0, 0
    while size < length:
        chance = rng.random()
        if chance < 0.3 and relatives < 8:
            part = m.mutated(rng, rng.choice(seeds))
            relatives += 1
        elif chance < 0.4:
            part = "".join(rng.choices(m.drawn(rng, rng.randint(1, 3)), k=rng.randint(20, 300)))
        elif chance < 0.5:
            part = sources.residues(rng, 60) * rng.randint(2, 20)
        else:
            part = m.drawn(rng, rng.choice((100, 1000, length // 3)))
        parts.append(part)
        size += len(part)
    return m.Record(name, sources.spoiled(rng, "".join(parts)[:length]))


def number_of_targets(rng):
    chance = rng.random()
    for share, least, most in ((0.1, 1, 4), (0.35, 5, 60), (0.65, 60, 400), (0.9, 400, 1200)):
        if chance < share:
            return rng.randint(least, most)
    return rng.randint(1200, 3000)


def draw_targets(rng, sources, seeds, with_giant, most_giant):
    """Returns a database's records: relatives of the seeds, copies of them, fragments and unrelated
    sequences."""
    count = number_of_targets(rng)
    related = min(count, rng.choice((10, 30, 60)))
    targets = m.records(rng, sources, related, "t", seeds, rng.choice((200, 600, 2000)))
    targets += m.records(rng, sources, count - related, "u", (), rng.choice((200, 600, 600, 5000)))
    targets += [m.Record(f"copy{i}", seed) for i, seed in enumerate(seeds) if rng.random() < 0.1]
    if with_giant:
        for number in range(rng.choice((1, 1, 1, 2, 3))):
            length = int(GIANT_RESIDUES * 10 ** rng.random())
            if most_giant >= MILLION and number == 0 and rng.random() < 0.2:
                length = MILLION
            targets.append(giant(rng, sources, seeds, f"giant{number}", min(length, most_giant)))
    rng.shuffle(targets)
    return targets


def fitted(queries, targets, most_residues, most_cells):
    """Returns fewer queries and fewer targets if the search would be too large. Giants stay if they
    can."""
    giants = sum(len(t.residues) for t in targets if len(t.residues) >= GIANT_RESIDUES)
    least = max(giants, min(residues_of(targets), most_residues) // 4)
    queries = list(queries)
    while len(queries) > 1 and residues_of(queries) * least > most_cells:
        queries.pop()
    room = min(most_residues, most_cells // max(1, residues_of(queries)))
    kept = set()
    for at in sorted(range(len(targets)), key=lambda at: len(targets[at].residues) < GIANT_RESIDUES):
        size = len(targets[at].residues)
        if size <= room:
            kept.add(at)
            room -= size
    return queries, [target for at, target in enumerate(targets) if at in kept] or targets[:1]
