#!/usr/bin/python3
"""Compares the drop-ins hmmconvert and hmmstat with HMMER's, for generated profiles in all formats
and random options.

    hmmconvert.py PROGRAMS [--cases N] [--seed N]

There are N cases of each program. Output, messages and exit statuses have to be the same, except
the lines with which hmmstat introduces itself. The same seed gives the same cases. Profiles of
cases that differ are left in the current folder. The exit status is 0 if nothing differs.
"""
import argparse
import gzip
import math
import os
import random
import subprocess
import sys

VERSIONS = "abcdef"
RESIDUES = 20
WORDS = ["x", "hmmbuild --amino out.hmm in.sto", "two  blanks", "[HMM created from a query sequence]", "<tag> & more"]
OWN_LINES = (b"# HMMER ", b"# Copyright", b"# Freely")


def cost(r, p):
    if p <= 0 or r.random() < 0.01:
        return "*"
    return "0.00000" if r.random() < 0.01 else f"{-math.log(p) + 0.0:.5f}"


def probabilities(r, count):
    """Returns the costs of `count` probabilities, most of which add up to 1."""
    sharpness = r.choice([0.3, 1, 3, 8])
    weights = [r.random() ** sharpness for _ in range(count)]
    total = sum(weights) or 1
    return [cost(r, weight / total) for weight in weights]


def transitions(r):
    return probabilities(r, 3) + probabilities(r, 2) + probabilities(r, 2)


def make_header(r, nodes):
    """Returns the lines of a header, and the annotation that the nodes have."""

    def bits():
        return f"{r.choice([-3.1, 0, 0.05, 22.25, 22.35, 25, 123.456])}{r.choice(['', ';'])}"

    lines = ["HMMER3/f [3.3.2 | Nov 2020]"]
    lines.append("NAME  " + r.choice(["a", "family", "x|y|z", "a_name_of_more_than_twenty_letters"]))
    optional = [
        "ACC   " + r.choice(["x", "PF00001.7", "averylongaccession"]),
        "DESC  " + r.choice(["x", "A family;  with blanks", "\u00e9mile"]),
    ]
    lines += [line for line in optional if r.random() < 0.6]
    lines.append(f"LENG  {nodes}")
    if r.random() < 0.4:
        lines.append(f"MAXL  {r.choice([1, 40, 100000])}")
    lines.append("ALPH  amino")
    annotation = {tag: tag == "CONS" or r.random() < 0.5 for tag in ("RF", "MM", "CONS", "CS", "MAP")}
    lines += [f"{tag:<5} {'yes' if there else 'no'}" for tag, there in annotation.items()]
    if r.random() < 0.6:
        lines.append("DATE  " + r.choice(["today", "Thu Jan  1 00:00:00 1970"]))
    if r.random() < 0.5:
        lines += [f"COM   [{i + 1}] {r.choice(WORDS)}" for i in range(r.choice([1, 2, 12]))]
    if r.random() < 0.7:
        lines.append(f"NSEQ  {r.choice([1, 5, 12345678])}")
    if r.random() < 0.7:
        lines.append(f"EFFN  {r.choice(['1', '0.000001', '11.415833', '98765.432', '3e2'])}")
    if r.random() < 0.7:
        lines.append(f"CKSUM {r.choice([0, 1, 426789525, 4294967295])}")
    lines += [f"{tag}    {bits()} {bits()}" for tag in ("GA", "TC", "NC") if r.random() < 0.4]
    if r.random() < 0.7:
        for what in ("MSV", "VITERBI", "FORWARD"):
            lines.append(f"STATS LOCAL {what:<8} {r.uniform(-12, 0):8.4f} {r.uniform(0.1, 1):8.5f}")
    return lines, annotation


def make_profile(r):
    """Returns a profile in the format HMMER3/f."""
    nodes = r.choice([1, 1, 2, 3, 5, 17, 40])
    lines, annotation = make_header(r, nodes)
    lines.append("HMM          " + "        ".join("ACDEFGHIKLMNPQRSTVWY"))
    lines.append("            m->m     m->i     m->d     i->m     i->i     d->m     d->d")
    if r.random() < 0.7:
        lines.append("  COMPO   " + " ".join(probabilities(r, RESIDUES)))
    lines.append("          " + " ".join(probabilities(r, RESIDUES)))
    lines.append("          " + " ".join(transitions(r)))
    column = 0
    for node in range(1, nodes + 1):
        column += r.choice([1, 1, 1, 2, 1000])
        values = {
            "MAP": str(column),
            "CONS": r.choice("acdefgXYx"),
            "RF": r.choice("xx.x"),
            "MM": r.choice("....m"),
            "CS": r.choice("HHEECC_-"),
        }
        columns = [values[tag] if annotation[tag] else "-" for tag in ("MAP", "CONS", "RF", "MM", "CS")]
        lines.append(f" {node:6}   " + " ".join(probabilities(r, RESIDUES) + columns))
        lines.append("          " + " ".join(probabilities(r, RESIDUES)))
        lines.append("          " + " ".join(transitions(r)))
    return "\n".join(lines + ["//\n"])


def damaged(r, text):
    """Returns the text of profiles with one fault that HMMER finds, too."""
    lines = text.split("\n")
    profiles = [i for i, line in enumerate(lines) if line.startswith("HMMER3/f")]
    first = r.choice(profiles)

    def line_of(tag):
        return next(i for i in range(first, len(lines)) if lines[i].startswith(tag))

    kind = r.randrange(6)
    if kind == 0:
        lines[-1:] = ["junk", ""]
    elif kind == 1:
        at = line_of("LENG")
        lines[at] = f"LENG  {int(lines[at].split()[1]) + r.choice([-1, 1])}"
    elif kind == 2:
        del lines[line_of(r.choice(["NAME", "LENG", "ALPH"]))]
    elif kind == 3:
        lines[line_of("HMMER3/f")] = r.choice(["HMMER3/g", "HMMER9.9", "hello you", ">a b"])
    elif kind == 4:
        del lines[line_of("HMM ") + r.choice([3, 4, 5])]
    else:
        at = line_of("CS")
        lines[at] = "CS    perhaps"
    return "\n".join(lines)


def make_input(r, name):
    """Writes profiles in a random format. Returns the program's argument, its standard input, and
    whether the profiles are cut off."""
    text = "".join(make_profile(r) for _ in range(r.choice([1, 1, 2, 5])))
    is_damaged = r.random() < 0.15
    content = (damaged(r, text) if is_damaged else text).encode()
    if not is_damaged and r.random() < 0.6:
        options = ["--outfmt", f"3/{r.choice(VERSIONS)}"] + r.choice([[], ["-b"]])
        made = subprocess.run(["hmmconvert", *options, "-"], input=content, capture_output=True, check=True)
        content = made.stdout
    is_cut = not is_damaged and r.random() < 0.1
    if is_cut:
        content = content[: r.randrange(20, len(content) - 1)]
    elif r.random() < 0.1:
        content = b""
    kind = r.random()
    if kind < 0.15:
        name += ".gz"
        content = gzip.compress(content, mtime=0)
    with open(name, "wb") as file:
        file.write(content)
    return (name, b"", is_cut) if kind < 0.75 else ("-", content, is_cut)


def convert_options(r):
    options = [r.choice(["-a", "-b", "-2"])] if r.random() < 0.6 else []
    if r.random() < 0.5:
        options += ["--outfmt", r.choice([f"3/{version}" for version in VERSIONS] * 3 + ["3/g", "f", ""])]
    if r.random() < 0.05:
        options.append(r.choice(["-a", "-b", "-2", "-h", "--out", "--none", "-x"]))
    return options


def outcome(program, words, given):
    """Returns the exit status, the output and the messages of a run. The program's folder is left
    out of usage errors."""
    done = subprocess.run([program, *words], input=given, capture_output=True, check=False)
    lines = [line for line in done.stdout.split(b"\n") if not line.startswith(OWN_LINES)]
    folder = os.path.dirname(program).encode()
    return done.returncode, b"\n".join(lines).replace(folder + b"/", b"" if folder else b"/"), done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    faults, refused, crashed, unnoticed = 0, 0, 0, 0
    for number in range(args.cases):
        r = random.Random(f"{args.seed} {number}")
        name = f"case-{number}.hmm"
        argument, given, is_cut = make_input(r, name)
        same = True
        for program, options in (("hmmconvert", convert_options(r)), ("hmmstat", [])):
            words = [*options, argument]
            theirs = outcome(program, words, given)
            ours = outcome(os.path.join(os.path.abspath(args.programs), "dropin", program), words, given)
            refused += theirs[0] != 0
            # The original crashed, so there is nothing to compare with.
            if theirs[0] < 0:
                crashed += 1
                continue
            # HMMER takes some ends within a profile for the end of the file.
            if is_cut and theirs[0] == 0 and ours[0] == 1:
                unnoticed += 1
                continue
            for what, their, our in zip(("exit status", "output", "messages"), theirs, ours):
                if their != our:
                    same = False
                    print(f"case {number}: {program} {' '.join(words)}: different {what}\n  {their!r:.300}\n  {our!r:.300}")
        faults += not same
        for file in (name, name + ".gz"):
            if same and os.path.exists(file):
                os.remove(file)
    print(
        f"{args.cases} cases of hmmconvert and hmmstat, {refused} refused, {unnoticed} cut off and not refused by "
        f"theirs, {crashed} crashes of theirs, {faults} differ"
    )
    return 1 if faults or crashed * 10 > args.cases else 0


if __name__ == "__main__":
    sys.exit(main())
