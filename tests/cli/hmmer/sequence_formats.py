#!/usr/bin/python3
"""Runs HMMER's programs and the drop-ins on sequence files of all formats and compares both.

    sequence_formats.py PROGRAMS WORK [--cases N] [--seed N] [--first N]

PROGRAMS is the folder of `dropin`, WORK a folder for files, which keeps the first file that
differs. A case is a record of the table below, as it is or with random changes, one program, and
the format asserted or not. Output, tables, exit statuses and messages are compared as by
hmmer_fasta.py. Case N of a seed is always the same. The first cases go through the whole table
once. Before all cases, a few command lines about other options are compared.

The exit status is 0 if nothing differs, and 1 otherwise.
"""
import argparse
import gzip
import os
import random
import re
import subprocess
import sys

from hmmer_fasta import KNOWN, TUTORIAL, difference, globins, run

# Records of each format. {a} and {b} are residues of globins, {x} and {y} are rows of an alignment
# of them. {a2} is {a} in blocks of ten with digits behind each line, as in flat files.
EMBL = [
    "ID   ABC_X              Reviewed;         60 AA.\nAC   P1; P2;\nDT   01-JAN-2020\nDE   RecName: Full=It;\n"
    "DE            Short=I;\nSQ   SEQUENCE   60 AA;\n{a2}//\nID   D_Y;\nSQ   x\n{b2}//\n",
    "ID   X06347; SV 1; linear; mRNA; STD; HUM; 60 BP.\nXX\nAC   X06347;\nXX\nDE   one\nXX\nSQ   Sequence 60 BP;\n{a2}//\n",
    "ID   ABC\nAC   P1\nSQ   x\n{a2}//\n",
    "ID   \nSQ   x\n{a2}//\n",
    "ID   ;\nSQ   x\n{a2}//\n",
    "ID   a\tb c;\nAC   P1 P2;\nAC   P3;\nDE   x  \nDE   \nDE   y\nDE  z\nSQ   x\n{a2}//\n",
    "\n \n\nID   a;\nSQ   x\n{a2}//\n\n\t\nID   b;\nSQ   x\n{b2}//\n\n",
    "ID   a;\nSQ   x\n//\nID   b;\nSQ   x\n{a2}//\n",
    "ID   a;\nSQ   x\n{a2}\n",
    "ID   a;\n{a2}//\n",
    "ID   a;\nSQ x\n{a2}//\n",
    "ID   a;\nSQ   x\n",
    "ID   a;\nSQ   x\n{a2}//",
    "ID   a;\nSQ   x\n{a2}// rest\nID   b;\nSQ   x\n{b}//\n",
    "ID   a;\nSQ   x\n{a2}//\njunk\nID   b;\nSQ   x\n{b2}//\n",
    "ID   a;\nSQ   x\n  {a}..._~*\n//\n",
    "ID   a;\nSQ   x\n  {a}-\n//\n",
    "ID   a;\nAC   ;",
    "ID   a;\nSQ   x\nacgtacgtacgtacgtacgtacgtacgt 28\n//\n",
    "AC   P1;\nID   a;\nSQ   x\n{a2}//\n",
    "",
    "\n \n",
]
GENBANK = [
    "LOCUS       NP_1                  60 aa            linear   PRI 01-JAN-2020\nDEFINITION  a title\n"
    "            that goes on.\nACCESSION   NP_1\nVERSION     NP_1.1  GI:5\nFEATURES             x\nORIGIN      \n{a2}//\n"
    "LOCUS       NP_2                  60 aa\nORIGIN\n{b2}//\n",
    "GBPRI1.SEQ          Genetic Sequence Data Bank\n                 1 loci\n\nLOCUS       A 1\nORIGIN\n{a2}//\n",
    "LOCUS       ABC\nVERSION     X\r\nORIGIN\n{a2}//\n",
    "LOCUS       \nORIGIN\n{a2}//\n",
    "LOCUS       A 1\nVERSION     X.1\nVERSION     X.2\nDEFINITION  b  \nDEFINITION   c\nORIGINAL\n{a2}//\njunk\nLOCUS       B 1\nORIGIN\n{b2}//\n",
    "LOCUS       A 1\nVERSION     \nORIGIN\n{a2}//\n",
    "LOCUS       A 1\n{a2}//\n",
    "LOCUS       A 1\nORIGIN\n{a2}",
    "LOCUS       A 1\nORIGIN\n",
    "LOCUS       A 1\nORIGIN\n//\nLOCUS       B 1\nORIGIN\n{a2}//",
    "LOCUS       A 1\nORIGIN\n{a}-\n//\n",
    "LOCUS       A 1\nORIGIN\n{a}._~*\n//\n",
    "nothing of it\n",
    "",
]
HMMPGMD = [
    "#2 120 2 2 0\n>1 100\n{a}\n>2 a title\n{b}\n",
    " \n#x\r>1\n{a}*\n",
    "#x\n>1\n{a}.\n",
    "#x\n>1\n{a}-\n",
    ">1\n{a}\n",
    "#x\njunk\n>1\n{a}\n",
    "#x",
    "#x\n",
    "\n",
    "",
]
DAEMON = [
    ">a title\n{a}\n//\n",
    ">a title\n{a}//",
    " >a\n{a}._~*\n//\n \n\n",
    ">a\n{a}\n//\n \n>b\n{b}\n//\n",
    ">a\n{a}\n//\n>b\n{b}\n//\n",
    ">a\n{a}\n//\n>>b\n{b}\n//\n",
    ">a\n{a}\n",
    ">a\n{a}\n>b\n{b}\n//\n",
    ">a\n{a}\n/\n",
    ">a\n{a}1\n//\n",
    ">a\n//\n",
    ">a",
    "a\n",
    "",
    " \n",
]
FASTA = [">a title\n{a}\n>b\n{b}\n", " >a\n{a}\n", "\n", "ID   a;\n", ""]
STOCKHOLM = [
    "# STOCKHOLM 1.0\n#=GF ID it\n#=GS a AC P1\n#=GS a DE a title\na  {x}\nbb {y}\n#=GC RF {rf}\n//\n",
    "# STOCKHOLM 1.0\na {x}\n//\n# STOCKHOLM 1.0\n\nb {y}\nc {x}\n//\n",
    "\n\n# STOCKHOLM 1.0\r\na {x}\r\nb {y}\r\n//\r\n",
    "# STOCKHOLM 1.0\na {x}A\nb {y}\n//\n",
    "# STOCKHOLM 1.0\na {x}\n",
    "# STOCKHOLM 1.0\na {x}1\n//\n",
    "# STOCKHOLM 1.0\na ------\nb ACDEFG\n//\n",
    "# STOCKHOLM 1.0\na {x}~*._-\n//\n",
    "# STOCKHOLM 1.0\n//\n",
    "a {x}\n//\n",
    "",
]
A2M = [
    ">a title\n{x}\n>b\n{y}\n",
    ">a\n{x}ac.d\n>b\n{y}.\n",
    ">a\n{x}\n>b\n{y}AC\n",
    ">\n{x}\n",
    "{x}\n",
    "\n",
]
AFA = [
    ">a title\n{x}\n>b\n{y}\n",
    ">a\n{x}..~_*\n>b\n{y}-----\n",
    ">a\n{x}A\n>b\n{y}\n",
    ">a\n{x}\n\n>b\n{y}\n\n",
    ">a\n{x}1\n",
    ">\n{x}\n",
    "",
    "\n \n",
]
PSIBLAST = ["a  {x}\nbb {y}\n", "a {X}\nb {Y}\n\na AC-\nb -DE\n", "a {x}\nb {y}A\n", "a {x}.\n", "a\n", ""]
CLUSTAL = [
    "CLUSTAL W (1.83) multiple sequence alignment\n\na  {x}\nbb {y}\n\n\na  ACD 3\nbb A-D 3\n   * *\n",
    "CLUSTAL 2.1 multiple sequence alignment\r\n\r\na {x}\r\nb {y}\r\n  *\r\n",
    "CLUSTAL 2.1 multiple sequence alignment\n\na {x}\nb {y}A\n\n",
    "CLUSTAL 2.1 multiple sequence alignment\n\na {x}\n",
    "CLUSTAL 2.1 multiple sequence alignment\n",
    "CLUSTAL W\n\na {x}\nb {y}\n\n",
    "",
]
CLUSTALLIKE = [
    "MUSCLE (3.7) multiple sequence alignment\n\n\na  {x}\nbb {y}\n\n",
    "MUSCLE (3.7)\n\na {x}\n\n",
    "PROBCONS version 1.12 multiple sequence alignment\n\na {x}\nb {y}\n  *\n\na AC\nb AC\n\n",
]
SELEX = [
    "# a comment\n#=RF {rf}\na   {x}\nbb  {y}\n",
    "a {x}\nb {y}\n\na AC-D\nb ACCD\n",
    "a {x}\nb {y}1\n",
    "a {x}\nb {y}\n\nb AC\na AC\n",
    "a\n",
    "",
]
PHYLIP = [
    " 2 {n}\na         {x}\nbb        {y}\n",
    "2 {n}\na         {x10}\nbb        {y10}\n\n{xrest}\n{yrest}\n",
    "3 {n}\na         {x}\nbb        {y}\n",
    "2 7\na         {x}\nbb        {y}\n",
    "x 7\na         {x}\n",
    "2\na         {x}\n",
    "",
]
PHYLIPS = [
    "2 {n}\na         {x}\nbb        {y}\n",
    "2 {n}\na         {x10}\n{xrest}\nbb        {y10}\n{yrest}\n",
    "2 {n}\na         {x10}\nbb        {y10}\n",
    "",
]
TABLE = {
    "embl": EMBL,
    "uniprot": EMBL,
    "genbank": GENBANK,
    "ddbj": GENBANK,
    "hmmpgmd": HMMPGMD,
    "daemon": DAEMON,
    "fasta": FASTA,
    "stockholm": STOCKHOLM,
    "pfam": STOCKHOLM,
    "a2m": A2M,
    "afa": AFA,
    "psiblast": PSIBLAST,
    "clustal": CLUSTAL,
    "clustallike": CLUSTALLIKE,
    "selex": SELEX,
    "phylip": PHYLIP,
    "phylips": PHYLIPS,
    "ncbi": FASTA,
    "fmindex": FASTA,
    "nonsense": FASTA,
}
NOT_ALIGNED = {"embl", "uniprot", "genbank", "ddbj", "hmmpgmd", "daemon", "fasta"}
# Suffixes by which files are named. Those of alignments change what HMMER takes a file for.
SUFFIXES = ["", "", "", ".dat", ".fa", ".gb", ".sto", ".pfam", ".slx", ".pb", ".phy", ".phys", ".a2m", ".afa", ".aln", ".gz", ".fa.gz"]
# {t}, {q} and {i} are places for --tformat, --qformat and --informat. In every command the file
# {file} has the format.
COMMANDS = [
    ["hmmsearch", "--cpu", "0", "{t}", "--tblout", "T", "--domtblout", "D", "-A", "S", "{hmm}", "{file}"],
    ["hmmsearch", "--cpu", "0", "{t}", "--acc", "{hmm}", "{file}"],
    ["hmmsearch", "--cpu", "0", "{t}", "{hmm}", "-"],
    ["phmmer", "--cpu", "0", "{q}", "--tblout", "T", "--domtblout", "D", "-A", "S", "{file}", "{other}"],
    ["phmmer", "--cpu", "0", "{t}", "--tblout", "T", "-A", "S", "{one}", "{file}"],
    ["phmmer", "--cpu", "0", "{q}", "--acc", "-", "{other}"],
    ["jackhmmer", "--cpu", "0", "-N", "2", "{q}", "--tblout", "T", "-A", "S", "{file}", "{other}"],
    ["jackhmmer", "--cpu", "0", "-N", "1", "{t}", "--tblout", "T", "-A", "S", "{one}", "{file}"],
    ["hmmscan", "--cpu", "0", "{q}", "--tblout", "T", "--domtblout", "D", "{pressed}", "{file}"],
    ["hmmscan", "--cpu", "0", "{q}", "--acc", "{pressed}", "-"],
    ["hmmalign", "{i}", "{hmm}", "{file}"],
    ["hmmalign", "{i}", "--outformat", "afa", "{hmm}", "-"],
]
# Command lines that are compared besides. {many} has 45 sequences, {two} two profiles.
FIXED = [
    "hmmsearch --restrictdb_n 3 --tblout T {hmm} {many}",
    "hmmsearch --restrictdb_n 3 --domtblout D {two} {many}",
    "hmmsearch --restrictdb_n 100 {hmm} {many}",
    "hmmsearch --restrictdb_n -1 {hmm} {many}",
    "hmmsearch --restrictdb_n 0 {hmm} {many}",
    "hmmsearch --restrictdb_n -2 {hmm} {many}",
    "hmmsearch --restrictdb_n 5x {hmm} {many}",
    "hmmsearch --restrictdb_n 2 --ssifile none --nonull2 -Z 20 --domZ 3 --seed 5 --tformat fasta --tblout T {hmm} {many}",
    "hmmsearch --ssifile none --restrictdb_stkey 0 {hmm} {many}",
    "hmmsearch --rest 3 {hmm} {many}",
    "phmmer --restrictdb_n 3 --tblout T {other} {many}",
    "phmmer --restrictdb_n 0 {one} {many}",
    "phmmer --restrictdb_n 2 --ssifile none --F1 0.1 --EmL 100 --domZ 3 --qformat fasta --tblout T {one} {many}",
    "phmmer --restrictdb_n 2 --nonull2 --EvN 100 {one} {many}",
    "hmmsearch --tformat embl {hmm} missing",
    "hmmsearch --tformat stockholm {hmm} missing",
    "hmmsearch --tformat ncbi {hmm} {many}",
    "hmmsearch --tformat afa {hmm} /dev/null",
    "hmmsearch --tformat selex --tblout T -A S {two} /dev/null",
    "phmmer --tformat pfam {one} missing",
    "phmmer --tformat clustal --tblout T {one} /dev/null",
    "phmmer --qformat clustal {one} {many}",
    "phmmer --qformat stockholm --tblout T /dev/null {one}",
    "jackhmmer --tformat stockholm --tblout T {one} /dev/null",
    "jackhmmer --qformat a2m missing {one}",
    "hmmscan --qformat afa {pressed} missing",
    "hmmscan --qformat embl {pressed} /dev/null",
    "hmmscan --qformat phylip {pressed} /dev/null",
    "hmmalign --informat stockholm {hmm} missing",
    "hmmalign --informat uniprot {hmm} missing",
]
OPTIONS = {"{t}": "--tformat", "{q}": "--qformat", "{i}": "--informat"}


def flat(residues):
    """Returns residues as flat files have them."""
    lines = ""
    for i in range(0, len(residues), 60):
        line = residues[i : i + 60]
        lines += "     " + " ".join(line[j : j + 10] for j in range(0, len(line), 10)) + f" {i + len(line)}\n"
    return lines


def fields(sequences):
    """Returns what the names in braces in the table stand for."""
    a, b = sequences[0][:60], sequences[9][:70]
    # Rows of equal length, with gaps in both.
    x, y = a[:20] + "--" + a[20:50], b[:15] + "-" + b[15:50] + "-"
    return {
        "{a}": a, "{b}": b, "{a2}": flat(a), "{b2}": flat(b), "{x}": x, "{y}": y, "{X}": x.lower(), "{Y}": y.lower(),
        "{rf}": "x" * len(x), "{n}": str(len(x)), "{x10}": x[:10], "{y10}": y[:10], "{xrest}": x[10:], "{yrest}": y[10:],
    }


def changed(draw, data):
    """Returns a record with a few random changes."""
    for _ in range(draw.randint(1, 3)):
        lines = data.split(b"\n")
        line = draw.randrange(len(lines))
        change = draw.randrange(7)
        if change == 0:
            del lines[line]
        elif change == 1:
            lines.insert(line, draw.choice([b"", b" ", b"\t", b"//", b"ID   z;", b"#x", b">z", lines[line]]))
        elif change == 2:
            at = draw.randint(0, len(lines[line]))
            odd = draw.choice([b"-", b".", b"~", b"*", b"_", b"1", b"/", b">", b" ", b"\t", b"\r", b"\x00", b"\xe9", b"x", b"?", b";"])
            lines[line] = lines[line][:at] + odd + lines[line][at:]
        elif change == 3:
            lines = [each + b"\r" for each in lines]
        elif change == 4:
            lines[line] = lines[line].lower()
        elif change == 5:
            lines = lines + lines
        else:
            lines = lines[: line + 1]
        data = b"\n".join(lines)
    return data


def reads_memory(data):
    """Whether HMMER reads memory behind a line, so that what it prints is not determined."""
    starts = (b"LOCUS   ", b"VERSION   ", b"DEFINITION ")
    return any(line.startswith(starts) and len(line.split(b"\0")[0]) < 12 for line in data.split(b"\n"))


class Cases:
    """The cases of a seed."""

    def __init__(self, seed):
        self.seed = seed
        self.table = [(name, record) for name in TABLE for record in range(len(TABLE[name]))]
        random.Random(seed).shuffle(self.table)  # so that any number of cases has all formats
        self.fields = fields(globins())

    def text(self, name, record):
        text = TABLE[name][record]
        return re.sub(r"\{\w+\}", lambda found: self.fields[found.group()], text).encode("latin-1")

    def make(self, number):
        """Returns the command, the name of the asserted format or None, the content and the suffix."""
        draw = random.Random(f"{self.seed} {number}")
        is_plain = number < len(self.table)
        name, record = self.table[number] if is_plain else draw.choice(self.table)
        data = self.text(name, record)
        if not is_plain and draw.random() < 0.8:
            data = changed(draw, data)
        asserted = draw.choice([name, name.upper(), name.capitalize(), None])
        if draw.random() < 0.1:
            asserted = draw.choice(list(TABLE))
        suffix = draw.choice(SUFFIXES)
        return draw.choice(COMMANDS), asserted, data, suffix


def is_left_out(command, asserted, data, suffix):
    """Whether the programs differ on purpose, or HMMER does what cannot be compared."""
    is_target = command[-1] == "{file}" and "{t}" in command
    # jackhmmer does not read .gz, even if once is enough.
    if command[0] == "jackhmmer" and is_target and suffix.endswith(".gz"):
        return True
    # HMMER takes NUL for other things in every place of an alignment.
    if b"\0" in data and (asserted is None or asserted.lower() not in NOT_ALIGNED):
        return True
    return reads_memory(data)


def known_difference(theirs, ours, words, data):
    """Returns the name of a difference that is on purpose, or what difference() returns."""
    what = difference(theirs, ours)
    if not what or ours[0] not in (0, 1):
        return what  # a crash of ours is never a known difference
    if "-" in words and "selex" in [word.lower() for word in words] and re.match(rb"[ \t]*\r?\n|#", data):
        return "SELEX on standard input that begins with no row"
    if what == "message" and re.search(rb"unexpected char $", theirs[2], re.M) and b"unexpected char ?" in ours[2]:
        return "zero byte in a message"  # HMMER's message ends there
    if theirs[0] == 0 and ours[0] == 1 and b"aligned length of sequence disagrees with header" in ours[2]:
        return "ragged PHYLIP"  # HMMER does not notice that the last row has another length
    if theirs[0] == 1 and b"missing CLUSTAL header" in theirs[2] and b"alignment" in data:
        return "Clustal of HMMER 3.4"
    if theirs[0] == 1 and b"alignment block did not end with consensus line" in theirs[2]:
        return "Clustal that ends behind its last row"
    return what


OWN_KNOWN = {
    "ragged PHYLIP",
    "Clustal of HMMER 3.4",
    "Clustal that ends behind its last row",
    "SELEX on standard input that begins with no row",
    "zero byte in a message",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("work")
    parser.add_argument("--cases", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--most", type=int, default=1, help="end after so many differences")
    given = parser.parse_args()
    work = os.path.abspath(given.work)
    for who in ("theirs", "ours"):
        os.makedirs(os.path.join(work, who), exist_ok=True)
    profile = TUTORIAL + "globins4.hmm"
    pressed = os.path.join(work, "pressed.hmm")
    with open(pressed, "wb") as out:
        for each in ("globins4.hmm", "fn3.hmm"):
            with open(TUTORIAL + each, "rb") as file:
                out.write(file.read())
    subprocess.run(["hmmpress", "-f", pressed], check=True, stdout=subprocess.DEVNULL)
    other = os.path.join(work, "other.fasta")
    sequences = globins()
    with open(other, "w", encoding="ascii") as file:
        for i in range(0, 45, 9):
            file.write(f">g{i} a globin\n{sequences[i]}\n")
    one, many = os.path.join(work, "one.fasta"), TUTORIAL + "globins45.fa"
    with open(one, "w", encoding="ascii") as file:
        file.write(f">g a globin\n{sequences[0]}\n")
    paths = os.environ["PATH"], os.path.join(os.path.abspath(given.programs), "dropin") + ":" + os.environ["PATH"]
    names = {"{hmm}": profile, "{pressed}": pressed, "{two}": pressed, "{other}": other, "{one}": one, "{many}": many}
    cases = Cases(given.seed)
    found, compared, known, successes = 0, 0, {}, 0

    def compare(title, words, stdin, data):
        """Returns whether both programs do the same."""
        nonlocal compared, successes
        both = [run(path, words, os.path.join(work, who), stdin) for who, path in zip(("theirs", "ours"), paths)]
        compared += 1
        successes += both[0][0] == 0
        what = known_difference(*both, words, data)
        if what in KNOWN | OWN_KNOWN:
            known[what] = known.get(what, 0) + 1
            return True
        if what:
            print(f"{title}: {what}: {' '.join(words)} <{stdin}")
            for who, (status, output, errors, tables) in zip(("theirs", "ours"), both):
                print(f"  {who}: status {status}, {errors!r}")
                for name, text in [("out", output)] + sorted(tables.items()):
                    with open(os.path.join(work, who, "shown." + name), "wb") as out:
                        out.write(text)
        return not what

    for line in FIXED:
        words = [names.get(word, word) for word in line.split()]
        if words[0] != "hmmalign":
            words[1:1] = ["--cpu", "0"]
        found += not compare("fixed", words, os.devnull, b"")
    for number in range(given.first, given.first + given.cases):
        command, asserted, data, suffix = cases.make(number)
        if is_left_out(command, asserted, data, suffix):
            continue
        file = os.path.join(work, "file" + suffix)
        with open(file, "wb") as out:
            out.write(gzip.compress(data, mtime=0) if suffix.endswith(".gz") else data)
        plain = os.path.join(work, "stream")
        with open(plain, "wb") as out:
            out.write(data)
        words = []
        for word in command:
            if word not in OPTIONS:
                words.append(file if word == "{file}" else names.get(word, word))
            elif asserted is not None:
                words += [OPTIONS[word], asserted]
        found += not compare(f"case {number} of seed {given.seed}", words, plain, data)
        if found >= given.most:
            break
    print(f"{compared} cases, {successes} without an error; known differences: {known or 'none'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
