#!/usr/bin/python3
"""Compares the drop-in hmmemit with HMMER's, for generated profiles and random options.

    hmmemit.py PROGRAMS [--cases N] [--seed N]

Output, messages and exit statuses have to be the same. Some profiles are not sound, so that HMMER
refuses to sample from them: the probabilities of a state do not add up, or no alignment can be
drawn. The same seed gives the same cases. Profiles of cases that differ are left in the current
folder. The exit status is 0 if nothing differs.
"""
import argparse
import math
import os
import random
import subprocess
import sys

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
END_WITH_DELETE = (0, 0, 1)


def costs(probabilities):
    return " ".join("*" if p <= 0 else f"{-math.log(p) + 0.0:.5f}" for p in probabilities)


def shares(weights):
    total = sum(weights)
    return [weight / total for weight in weights]


def residues(r):
    kind = r.random()
    if kind < 0.2:
        only = r.randrange(20)
        return [float(a == only) for a in range(20)]
    if kind < 0.4:
        return shares([0 if r.random() < 0.5 else r.random() for _ in range(19)] + [0.1])
    return shares([r.random() ** 4 + 1e-6 for _ in range(20)])


def transitions(r, regular):
    """Returns the transitions of a node: from its match, insert and delete state."""
    if regular and r.random() < 0.6:
        match = shares([30, 1, 1])
    else:
        match = shares([r.random() + 0.01] + [r.random() if r.random() < 0.8 else 0 for _ in range(2)])
    stay, skip = r.random() * 0.8, r.random() if r.random() < 0.8 else 0
    return match + [1 - stay, stay, 1 - skip, skip]


def make_unsound(r, rows):
    """Gives a state of `rows`, the transitions of all nodes, probabilities that HMMER may refuse."""
    row = r.choice(rows)
    kind = r.randrange(6)
    if kind == 0:
        row[0:3] = [p * r.choice([0.5, 0.9999, 0.99985, 1.0001, 1.0002]) for p in row[0:3]]
    elif kind == 1:
        row[3:5] = [0, 0]
    elif kind == 2:
        row[5:7] = [r.choice([0.5, 0.99995, 1]), 0]
    elif kind == 3:
        rows[-1][5:7] = [0.5, 0.5]
    elif kind == 4:
        rows[0][0:3] = END_WITH_DELETE  # and no delete state leads to a match state
        for other in rows[:-1]:
            other[5:7] = [0, 1]
    else:  # only the first node can be entered
        rows[0][0:3] = [1, 0, 0]
        for other in rows[1:-1]:
            other[0:3], other[5:7] = END_WITH_DELETE, [0, 1]


def make_profile(r):
    nodes = r.choice([1, 1, 2, 2, 3, 4, 5, 7, 13, 20, 40, 70, 130, 250])
    annotated, regular = r.random() < 0.4, r.random() < 0.5
    rows = [transitions(r, regular) for _ in range(nodes + 1)]
    rows[0][5:7] = rows[nodes][5:7] = [1, 0]
    rows[nodes][0:3] = shares(rows[nodes][0:2]) + [0]
    if r.random() < 0.5:  # deletes alone do not lead to the end
        rows[nodes - 1][5:7] = [1, 0]
        if nodes == 1:
            rows[0][0:3] = shares(rows[0][0:2]) + [0]
    if r.random() < 0.2:
        make_unsound(r, rows)
    lines = ["HMMER3/f [3.3.2 | Nov 2020]", "NAME  " + r.choice(["m", "a.family", "a_long-name|x;y#z" * r.choice([1, 2])])]
    if r.random() < 0.3:
        lines += ["ACC   PF00001.2", "DESC  some words"]
    lines += [f"LENG  {nodes}", "ALPH  amino"]
    lines += [f"{tag:<5} {'yes' if annotated else 'no'}" for tag in ("RF", "MM")]
    lines += ["CONS  yes", f"CS    {'yes' if annotated else 'no'}", "MAP   no"]
    lines += ["HMM   " + " ".join(AMINO_ACIDS), "      m->m m->i m->d i->m i->i d->m d->d"]
    for node in range(nodes + 1):
        if node > 0:
            marks = [r.choice("x."), r.choice(".m"), r.choice("HEC")] if annotated else ["-"] * 3
            lines.append(f"  {node} {costs(residues(r))} - {r.choice(AMINO_ACIDS).lower()} {' '.join(marks)}")
        lines += ["  " + costs(residues(r)), "  " + costs(rows[node])]
    return "\n".join(lines + ["//\n"])


def make_input(r, name):
    """Writes profiles in a random format. Returns the program's argument and its standard input."""
    content = "".join(make_profile(r) for _ in range(r.choice([1, 1, 1, 2, 4]))).encode()
    if r.random() < 0.3:
        options = r.choice([["-b"], ["--outfmt", "3/b"], ["-b", "--outfmt", "3/d"]])
        content = subprocess.run(["hmmconvert", *options, "-"], input=content, capture_output=True, check=True).stdout
    with open(name, "wb") as file:
        file.write(content)
    return (name, b"") if r.random() < 0.8 else ("-", content)


def fraction(r):
    return r.choice(["0", "1", "0.5", f"{r.random():.2f}", f"{r.random() ** 2:.4f}"])


def make_options(r):
    kind = r.randrange(8)
    if kind == 0:
        return ["-c"]
    if kind == 1:
        return ["-C"] + (["--minl", fraction(r)] * (r.random() < 0.8)) + (["--minu", fraction(r)] * (r.random() < 0.8))
    options = ["--seed", str(r.randrange(1, 2**31))]
    if r.random() < 0.9:
        options += ["-N", str(r.choice([1, 2, 5, 30, 120]))]
    if kind in (2, 3):
        return options + ["-a"]
    if kind in (4, 5):
        return options
    options.append("-p")
    if r.random() < 0.8:
        options += ["-L", str(r.choice([0, 1, 10, 100, 400, 3000, -1, r.randrange(1000)]))]
    return options + [r.choice(["--local", "--unilocal", "--glocal", "--uniglocal"])] * (r.random() < 0.9)


def outcome(program, words, given):
    done = subprocess.run([program, *words], input=given, capture_output=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    faults, refused, crashed = 0, 0, 0
    for number in range(args.cases):
        r = random.Random(f"{args.seed} {number}")
        name = f"case-{number}.hmm"
        argument, given = make_input(r, name)
        words = [*make_options(r), argument]
        theirs = outcome("hmmemit", words, given)
        ours = outcome(os.path.join(os.path.abspath(args.programs), "dropin", "hmmemit"), words, given)
        refused += theirs[0] > 0
        # The original crashed, so there is nothing to compare with.
        crashed += theirs[0] < 0
        wrong = [what for what, their, our in zip(("exit status", "output", "messages"), theirs, ours) if their != our]
        if theirs[0] < 0 or not wrong:
            os.remove(name)
            continue
        faults += 1
        print(f"case {number}: hmmemit {' '.join(words)}: different {', '.join(wrong)}\n  {theirs!r:.300}\n  {ours!r:.300}")
    print(f"{args.cases} cases of hmmemit, {refused} refused, {crashed} crashes of theirs, {faults} differ")
    return 1 if faults or crashed * 10 > args.cases else 0


if __name__ == "__main__":
    sys.exit(main())
