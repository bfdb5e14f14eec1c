#!/usr/bin/env python3
"""Compares how the drop-in blastp and NCBI blastp 2.12.0 show odd titles and identifiers.

    blast_titles.py BIN [--rounds N] [--seed S]

A round makes random definition lines: prefixes, punctuation, references of HTML, control characters,
text in UTF-8 and Latin-1, identifiers of all kinds. They are those of queries, of subjects, and of a
database, with identifiers parsed or not. BIN/dropin and the originals get the same command lines in
formats 0, 2, 5, 6, 7, 15 and 16. Standard output and exit status have to be the same, except for the
program's name. Where both end with an error, NCBI's has printed the beginning of a report. Lines for
which the original ends by a signal are left out.
"""

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

RESIDUES = "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSG"
PIECES = ["a", "b1", " ", " ", " ", "  ", ",", ";", ",,", "(", ")", "()", "[", "]", ".", "~", "-", "MAG:", "MAG ", "TPA:", "TPA_exp:", "tsa:", "UNVERIFIED:", "&lt;", "&amp;", "&#44;",
          "&#59;", "&nbsp;", "&comma;", "&xlt;", "&xi;", "&eacute;", "[a=b]", "[xy=", "<", ">", "'", '"', "\t", "\x01", "\x02", "x\x7f"]
# A letter that is not ASCII must not end a title, even a cleaned one: NCBI's programs lose the last
# byte of one.
FOREIGN = ["\xe9z", "\xfcy", "\u2026x", "\xdfw"]
IDENTIFIERS = ["s", "lcl|x", "sp|P1234{}|NAME", "gi|1{}|gb|AAA0000{}.1|", "gnl|db|t{}", "Q9999{}", "tpg|DAA0000{}.1|", "tpe|CAC0000{}.1|", "NP_00000{}.1", "pir||S1234{}", "prf||12345{}A",
               "pdb|1AB{}|A", "1AC{}_A", "x(1", "tr|Q1234{}.2|N_X", "ref|NP_00001{}.2|", "lcl|5{}", "pat|US|1234|{}", "s|t", "sp|", "sp||NAM{}", "a{},b", "P12345,", "a|b,{}", "gi|5{}"]
PLAIN = ["s", "MAG:", "TPA:x", "a&lt;b", "x,", "foo;", "UNVERIFIED:", "s7"]


def title(rng, foreign):
    pieces = PIECES + (FOREIGN if foreign else [])
    return "".join(rng.choice(pieces) for _ in range(rng.randint(1, 8)))


def lines(rng, parses, count, foreign):
    """Returns definition lines. Identifiers that are parsed differ."""
    made, seen = [], set()
    while len(made) < count:
        if parses:
            name = rng.choice(IDENTIFIERS).format(*[rng.randint(0, 9)] * 2)
            if name in seen:
                count -= 1
                continue
            seen.add(name)
            # A name may go on with the title. A chain's name then is a title, too, which NCBI's
            # programs clean otherwise. Identifiers that are not ASCII differ on purpose.
            goes_on = not foreign and name[:3] not in ("pdb", "1AC")
            between = rng.choice([" ", "  ", "\t", " \t ", "\x02"] + [""] * goes_on)
            line = name + between + (title(rng, foreign) if rng.random() < 0.8 else "")
        else:
            line = (rng.choice(PLAIN) if rng.random() < 0.3 else "") + title(rng, foreign)
        # A line without a title gets a name that both programs do not share.
        if line.strip(" \t\v\f"):
            made.append(line)
    return made


def write(path, made, rng):
    encoding = rng.choice(["latin-1", "utf-8"])
    with open(path, "wb") as out:
        for line in made:
            out.write(b">" + line.encode(encoding, "ignore") + b"\n" + RESIDUES.encode() + b"\n")


def run(program, arguments, folder):
    return subprocess.run([program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)


def compared(text, outfmt, is_original):
    if outfmt in ("5", "16") and is_original:
        text = text.decode("latin-1").encode()  # NCBI's XML has Latin-1
    text = re.sub(rb"BLASTP 2\.12\.0\+ \(warpseq [^)]*\)", b"BLASTP 2.12.0+", text)
    text = re.sub(rb"\n(<b><a\nhref=[^>]*>)?Reference.*?\n(<b>)?Database", b"\nDatabase", text, flags=re.S)
    text = re.sub(rb"\n    Posted date:.*", b"", text)
    return re.sub(rb"<(BlastOutput_)?reference>.*|\"reference\": .*", b"", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    ours = os.path.abspath(options.programs) + "/dropin/"
    rng = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="warpseq-blast-titles-")
    count = differences = 0
    for _ in range(options.rounds):
        with open(folder + "/q", "w") as out:
            out.write(">q\n" + RESIDUES + "\n")
        for use in ("subject", "query", "database"):
            parses = rng.random() < 0.5
            outfmt = rng.choice(["0", "2", "5", "6 sseqid sallseqid sacc saccver sallacc stitle salltitles qseqid qacc qaccver", "7 qseqid sseqid", "15", "16", "0 -html"])
            # NCBI's XML of letters that are not ASCII cannot be parsed. makeblastdb has none.
            made = lines(rng, parses, 25, outfmt not in ("5", "16") and use != "database")
            if use == "database":
                # Identifiers of databases have tests of their own.
                parses, made = False, [line.lstrip(" \t\v\f\x01\x02") or "x" for line in lines(rng, False, 25, False)]
            write(folder + "/titles", made, rng)
            arguments = {"subject": ["-query", "q", "-subject", "titles"], "query": ["-query", "titles", "-subject", "q"], "database": ["-query", "q", "-db", "db"]}[use]
            arguments += (["-parse_deflines"] if parses else []) + ["-outfmt", outfmt.split(" -html")[0]] + (["-html"] if outfmt.endswith("-html") else [])
            results = []
            for program in ("", ours):
                if use == "database":
                    run(program + "makeblastdb", ["-in", "titles", "-dbtype", "prot", "-title", "db", "-out", "db"], folder)
                results.append(run(program + "blastp", arguments, folder))
            if results[0].returncode < 0:
                continue
            count += 1
            reports = [compared(each.stdout, outfmt, each is results[0]) if each.returncode == 0 else b"" for each in results]
            if results[0].returncode != results[1].returncode or reports[0] != reports[1]:
                differences += 1
                theirs, mine = (report.split(b"\n") for report in reports)
                pairs = [(a, b) for a, b in zip(theirs, mine) if a != b][:3] or [(len(theirs), len(mine))]
                print(f"DIFFERENT: blastp {' '.join(arguments)}, status {results[0].returncode} and {results[1].returncode}")
                print("  lines:", *(repr(line) for line in made), sep="\n    ")
                for a, b in pairs:
                    print(f"  original: {a!r}\n  here:     {b!r}")
    print(f"{count} runs, {differences} differ")
    shutil.rmtree(folder)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
