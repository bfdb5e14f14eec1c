#!/usr/bin/python3
"""Compares the drop-in hmmbuild with HMMER's, for generated alignments of all kinds and random
options.

    hmmbuild.py PROGRAMS [--cases N] [--seed N]

Profiles, processed alignments (-O) and tables have to have the same bytes, except dates and the
lines that name the program. The same seed gives the same cases. Alignments of cases that differ are
left in the current folder. The exit status is 0 if nothing differs.
"""
import argparse
import os
import random
import subprocess
import sys

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
OTHERS = "BJZOUX*"
OWN_LINES = ("DATE", "HMMER3/f", "# HMMER", "# Copyright", "# Freely", "# CPU time")


def make_row(r, consensus, gap_rates, identity, others, lower):
    row = []
    for residue, gaps in zip(consensus, gap_rates):
        if r.random() < gaps:
            row.append(r.choice("--.._"))
            continue
        letter = residue if r.random() < identity else r.choice(AMINO_ACIDS)
        if r.random() < others:
            letter = r.choice(OTHERS)
        row.append(letter.lower() if lower and r.random() < 0.5 else letter)
    kind = r.random()
    columns = len(row)
    if kind < 0.15:  # a fragment
        begin = r.randrange(columns + 1)
        end = r.randrange(begin, columns + 1)
        filler = r.choice("-.~")
        row = [filler] * begin + row[begin:end] + [filler] * (columns - end)
    elif kind < 0.2:
        begin = r.randrange(columns + 1)
        row = ["~"] * begin + row[begin:]
    return "".join(row)


def make_alignment(r):
    """Returns an alignment in Stockholm format, and whether it has a reference line and weights."""
    rows = r.choice([1, 1, 2, 3, 5, 8, 20, 60])
    columns = r.choice([1, 2, 3, 5, 10, 30, 60, 120])
    consensus = [r.choice(AMINO_ACIDS) for _ in range(columns)]
    gaps = r.choice([0, 0.05, 0.3, 0.7])
    inserts = r.choice([0, 0.2, 0.6])
    rates = [1 if r.random() < 0.03 and columns > 1 else 0.8 if r.random() < inserts else gaps for _ in consensus]
    identity, others, lower = r.choice([0.3, 0.6, 0.95, 1]), r.choice([0, 0, 0.02, 0.2]), r.random() < 0.3
    made = [make_row(r, consensus, rates, identity, others, lower) for _ in range(rows)]
    if not any(letter.isalpha() for row in made for letter in row):
        made[0] = "A" + made[0][1:]
    with_reference, with_weights = r.random() < 0.5, r.random() < 0.3
    lines = ["# STOCKHOLM 1.0"]
    if r.random() < 0.5:
        lines += ["#=GF ID family", "#=GF AC PF00001.7", "#=GF DE made of nothing", "#=GF GA 25.0 24.5;"]
    if with_weights:
        lines += ["#=GS s%d WT %.2f" % (i, r.choice([1, r.random() * 3, 0.01, 0])) for i in range(rows)]
    lines += ["s%-7d %s" % (i, row) for i, row in enumerate(made)]

    def annotation(name, letters):
        lines.append("#=GC %-8s %s" % (name, "".join(r.choice(letters) for _ in range(columns))))

    if with_reference:
        annotation("RF", "xxxx.-X~")
    if r.random() < 0.2:
        annotation("MM", "m...")
    if r.random() < 0.2:
        annotation("SS_cons", "<>.HE-")
    return "\n".join(lines + ["//"]) + "\n", with_reference, with_weights


def make_options(r, with_reference, with_weights):
    options = []
    if with_reference and r.random() < 0.5:
        options.append("--hand")
    elif r.random() < 0.3:
        options += ["--symfrac", "%.2f" % r.random()]
    if r.random() < 0.3:
        options += ["--fragthresh", r.choice(["0", "1", "%.2f" % r.random()])]
    weighting = r.choice(["", "", "--wpb", "--wgsc", "--wblosum", "--wnone"] + ["--wgiven"] * with_weights)
    options += [weighting] * (weighting != "")
    if weighting == "--wblosum" and r.random() < 0.5:
        options += ["--wid", "%.2f" % r.random()]
    number = r.choice(["", "", "", "--eent", "--eclust", "--enone", "--eset", "--eentexp"])
    options += [number] * (number != "")
    if number == "--eset":
        options.append("%.2f" % (r.random() * 20))
    if number == "--eclust" and r.random() < 0.5:
        options += ["--eid", "%.2f" % r.random()]
    if r.random() < 0.2:
        options += ["--ere", "%.2f" % (0.3 + r.random()), "--esigma", "%.1f" % (1 + 90 * r.random())]
    prior = r.choice(["", "", "", "--plaplace", "--pnone"])
    options += [prior] * (prior != "")
    if r.random() < 0.2:
        options += ["--singlemx"] + r.choice([[], ["--mx", "PAM30"], ["--mx", "BLOSUM80"]])
    if r.random() < 0.1:
        options += ["--popen", "%.3f" % (0.49 * r.random())]
    if r.random() < 0.1:
        options += ["--pextend", "%.3f" % (0.99 * r.random())]
    if r.random() < 0.1:
        options += ["--maxinsertlen", str(r.randrange(5, 30))]
    if r.random() < 0.1:
        options += ["--EmN", str(r.randrange(1, 300)), "--EvL", str(r.randrange(1, 300)), "--EfN",
                    str(r.randrange(20, 300)), "--Eft", "%.3f" % r.uniform(0.01, 0.5), "--seed", str(r.randrange(1, 9999))]
    return options


def run(program, options):
    """Returns the exit status, and the outputs without the lines that name the program."""
    for file in ("out.hmm", "out.sto"):
        if os.path.exists(file):
            os.remove(file)
    done = subprocess.run([program, "--amino", "-O", "out.sto"] + options + ["out.hmm", "in.sto"], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=60)
    outputs = [done.stdout]
    for file in ("out.hmm", "out.sto"):
        outputs.append(open(file).read() if done.returncode == 0 and os.path.exists(file) else "")
    return done.returncode, ["\n".join(line for line in text.split("\n") if not line.startswith(OWN_LINES)) for text in outputs]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    same = refused = different = 0
    for number in range(given.cases):
        r = random.Random(given.seed * 1000003 + number)
        text, with_reference, with_weights = make_alignment(r)
        options = make_options(r, with_reference, with_weights)
        with open("in.sto", "w") as file:
            file.write(text)
        their_status, theirs = run("hmmbuild", options)
        our_status, ours = run(os.path.join(given.programs, "dropin", "hmmbuild"), options)
        if their_status < 0:  # hmmbuild aborts if random sequences cannot be scored
            refused += 1
        elif their_status != 0 and our_status == their_status:
            refused += 1
        elif their_status == our_status and theirs == ours:
            same += 1
        else:
            different += 1
            kept = "differs-%d.sto" % number
            with open(kept, "w") as file:
                file.write(text)
            print("case %d differs: hmmbuild %s; its alignment is %s" % (number, " ".join(options), kept))
            for their_text, our_text in zip(theirs, ours):
                for their_line, our_line in zip(their_text.split("\n"), our_text.split("\n")):
                    if their_line != our_line:
                        print("  %s\n  %s" % (their_line, our_line))
                        break
    print("%d alignments: %d the same, %d refused by both or by hmmbuild, %d different" % (given.cases, same, refused, different))
    return 1 if different or same < given.cases / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
