#!/usr/bin/python3
"""Runs HMMER's programs and the drop-ins on random odd FASTA and compares their output and status.

    hmmer_fasta.py PROGRAMS WORK [--cases N] [--seed N] [--first N]

PROGRAMS is the folder of `dropin`, WORK a folder for files, which keeps the first file that
differs. If both succeed, standard output and tables have to be equal, except for lines about
version, place and time. If both fail, the exit status and the message have to be equal, and the
drop-in must not have printed anything. Case N of a seed is always the same.

The exit status is 0 if nothing differs, and 1 otherwise.
"""
import argparse
import os
import random
import re
import subprocess
import sys

TUTORIAL = "/usr/share/doc/hmmer/examples/tutorial/"
SECONDS = 60
LINE_BYTES = 100
# Lines that may differ.
OWN_LINES = re.compile(rb"^# (HMMER |Copyright |Freely |Version|Current dir|Date|CPU time|Mc/sec)|^DATE |^HMMER3/f |^To see more help ")
COMMANDS = [
    ["hmmsearch", "--cpu", "0", "--tblout", "T", "--domtblout", "D", "-A", "S", "{hmm}", "{file}"],
    ["hmmsearch", "--cpu", "0", "{hmm}", "-"],
    ["hmmscan", "--cpu", "0", "--tblout", "T", "--domtblout", "D", "{pressed}", "{file}"],
    ["phmmer", "--cpu", "0", "--tblout", "T", "-A", "S", "{file}", "{other}"],
    ["phmmer", "--cpu", "0", "--tblout", "T", "--domtblout", "D", "{other}", "{file}"],
    ["jackhmmer", "--cpu", "0", "-N", "2", "--tblout", "T", "{file}", "{other}"],
    ["jackhmmer", "--cpu", "0", "-N", "2", "-A", "S", "{other}", "{file}"],
    ["hmmalign", "{hmm}", "{file}"],
    ["hmmalign", "{hmm}", "-"],
    ["hmmalign", "--mapali", "{file}", "{hmm}", "{other}"],
    ["hmmbuild", "--cpu", "0", "--amino", "--informat", "afa", "S", "{file}"],
    ["hmmbuild", "--cpu", "0", "S", "{file}"],
]


def globins():
    """Returns sequences of one family, so that there are hits."""
    sequences = []
    with open(TUTORIAL + "globins45.fa", encoding="ascii") as file:
        for line in file:
            if line.startswith(">"):
                sequences.append("")
            else:
                sequences[-1] += line.strip()
    return sequences


class Maker:
    """A maker of the files of one case.

    Most files have a few oddities that HMMER reads, and some have one that it refuses.
    """

    def __init__(self, draw, sequences):
        self.draw = draw
        self.sequences = sequences
        self.line_end = draw.choices([b"\n", b"\r\n", b"\r"], [8, 3, 1])[0]
        self.oddity = draw.choice([0, 0.3, 1])
        self.refused = draw.random() < 0.3
        self.hidden = b"\x00hidden"

    def odd(self, probability=0.3):
        return self.draw.random() < probability * self.oddity

    def name(self):
        name = bytes(self.draw.choices(b"abcXYZ019|_.:-#;", k=self.draw.randint(1, 8)))
        if self.odd(0.2):
            name += self.draw.choice([b"\x01gi|5", self.hidden, b"\xe9", b">", b"=", b"x" * 40])
        return name

    def description(self):
        if self.draw.random() < 0.3:
            return b""
        words = [b"a title", b"OS=Homo  sapiens", b"[subseq from] x", b"\xc3\xa9", b"tail  "]
        text = b" ".join(self.draw.choices(words, k=self.draw.randint(1, 3)))
        if self.odd():
            text += self.draw.choice([b"\x01gi|5|x second title", b"\x01", b" \x01third", b"\x00hidden", b"\tlast", b"\x0bv", b"> y"])
        return text

    def header(self):
        before = self.draw.choice([b" ", b"\t", b"  \t"]) if self.odd() else b""
        between = self.draw.choice([b"\t", b"  ", b" \t ", b"\x0b", b"\x0c"]) if self.odd() else b" "
        description = self.description()
        return b">" + before + self.name() + (between + description if description or self.odd() else b"")

    def residues(self):
        residues = self.draw.choice(self.sequences)
        begin = self.draw.randint(0, 20) if self.draw.random() < 0.5 else 0
        residues = list(residues[begin : begin + self.draw.randint(30, 200)].encode())
        for _ in range(self.draw.randint(0, 6) if self.odd(0.8) else 0):
            odd = self.draw.choice([b"*", b"**", b".", b"...", b"~", b"_", b"x", b"U", b"O", b"b", b" ", b"\t", b"\r"])
            place = self.draw.randint(0, len(residues))
            residues[place:place] = list(odd)
        if self.odd(0.3):
            residues = list(bytes(residues).lower())
        if self.odd(0.1):
            residues = []
        return bytes(residues)

    def record(self):
        residues = self.residues()
        width = self.draw.choice([60, 60, 17, 1000])
        lines = [self.header()] + [residues[i : i + width] for i in range(0, len(residues), width)]
        if self.odd(0.2):
            lines.insert(self.draw.randint(1, len(lines)), self.draw.choice([b"", b" ", b"\t "]))
        return lines

    def refuse(self, lines):
        """Puts something into the lines that HMMER refuses in most cases."""
        fault = self.draw.randrange(9)
        place = self.draw.randrange(len(lines))
        if fault == 0:
            lines[place] += self.draw.choice([b"-", b"---", b"1", b"?", b"\x00", b"\x0b", b"\xe9", b";", b"#", b"/"])
        elif fault == 1:
            lines.insert(place, self.draw.choice([b">", b"> ", b">\t\t", b";comment"]))
        elif fault == 2:
            lines[place] += b">" + self.draw.choice([b"", b" ", b"mid dle"])
        elif fault == 3:
            lines.insert(0, self.draw.choice([b"MKV", b"junk", b";first", b"\xef\xbb\xbf", b"@", b"-", b"12"]))
        elif fault == 4:
            lines[0] = self.draw.choice([b" ", b"\t", b"\xef\xbb\xbf", b"\x0b"]) + lines[0]
        elif fault == 5:
            lines[:] = [line for line in lines if not line.startswith(b">")]
        elif fault == 6:
            lines[place] = self.draw.choice([b"LOCUS  x", b"ID   x", b"# STOCKHOLM 1.0", b"//", b"CLUSTAL W"])
        elif fault == 7:
            at = self.draw.randint(0, len(lines[place]))
            lines[place] = lines[place][:at] + self.draw.choice([b"-", b"0", b"\x7f", b"\x01", b"\xff"]) + lines[place][at:]
        else:
            del lines[place]

    def aligned(self):
        """Returns the rows of an alignment. If the file is to be refused, some may be shorter."""
        length = self.draw.randint(20, 60)
        lines = []
        for _ in range(self.draw.randint(1, 6)):
            row = list(self.draw.choice(self.sequences)[:length].ljust(length, "-").encode())
            for _ in range(self.draw.randint(0, 8)):
                row[self.draw.randrange(length)] = self.draw.choice(b"--..~_*xX")
            if self.refused and self.draw.random() < 0.2:
                del row[self.draw.randrange(length) :]
            width = self.draw.choice([length, 25])
            lines += [self.header()] + [bytes(row[i : i + width]) for i in range(0, len(row), width)]
        if self.refused and self.draw.random() < 0.3:
            self.refuse(lines)
        return lines

    def file(self, is_aligned):
        lines = self.aligned() if is_aligned else sum((self.record() for _ in range(self.draw.randint(1, 5))), [])
        if self.refused and not is_aligned:
            self.refuse(lines)
        if self.odd(0.2):
            lines.insert(0, b"")
        text = self.line_end.join(lines)
        return text if self.odd(0.3) else text + self.line_end

    def suffix(self):
        return self.draw.choice([".fa", ".fasta", ".gb", ""])


def plain(text):
    return b"\n".join(line for line in text.split(b"\n") if not OWN_LINES.match(line))


def run(path, command, folder, stdin):
    """Runs a program. One that does not end has a negative exit status, as one that crashes."""
    for name in "TDS":
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    with open(stdin, "rb") as file:
        try:
            done = subprocess.run(
                command, cwd=folder, stdin=file, capture_output=True, timeout=SECONDS, check=False, env=dict(os.environ, PATH=path)
            )
        except subprocess.TimeoutExpired:
            return -1, b"", b"no end within %d seconds" % SECONDS, {}
    tables = {}
    for name in "TDS":
        file = os.path.join(folder, name)
        if os.path.exists(file):
            with open(file, "rb") as opened:
                tables[name] = plain(opened.read())
    return done.returncode, plain(done.stdout), done.stderr, tables


def shown(text):
    """Returns a text as drop-ins write it to a terminal, with '?' for unprintable characters."""
    text = re.sub(rb"\r|[\x00-\x08\x0b-\x1f\x7f]", b"?", text)
    # Easel cuts long messages.
    text = b"\n".join(line[:LINE_BYTES] for line in text.split(b"\n"))
    return re.sub(rb"[\x80-\xff]+", b"?", text).replace(b"illegal character ?", b"illegal character ")


def difference(theirs, ours):
    """Returns what differs, the name of a known difference, or an empty string."""
    status, output, errors, tables = theirs
    our_status, our_output, our_errors, our_tables = ours
    if status < 0 or status >= 128:
        # HMMER crashed, or ended by an exception of its own, so there is nothing to compare with.
        # The drop-in must not crash.
        return "crash of the original" if 0 <= our_status < 128 else "a crash"
    if status != our_status:
        return f"exit status {our_status}, not {status}"
    # The help below a usage error names the program as it was called.
    called = re.compile(rb"do \S*/(\w+) -h")
    output, our_output = called.sub(rb"do \1 -h", output), called.sub(rb"do \1 -h", our_output)
    if output != our_output and not (status != 0 and b"hmmbuild ::" in output + our_output):
        return "standard output"
    # After an error HMMER leaves tables that are empty where the drop-in leaves none. hmmbuild's
    # profiles (S) are the drop-in's only if all were made.
    written = [name for name in sorted(set(tables) | set(our_tables)) if status == 0 or name != "S"]
    empty = None if status == 0 else b""
    changed = [name for name in written if tables.get(name, empty) != our_tables.get(name, empty)]
    if changed:
        return "table " + " ".join(changed)
    return "" if status == 0 or shown(errors) == shown(our_errors) else "message"


KNOWN = {"crash of the original"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("work")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--most", type=int, default=1, help="end after so many differences")
    given = parser.parse_args()
    work = os.path.abspath(given.work)
    for name in ("theirs", "ours"):
        os.makedirs(os.path.join(work, name), exist_ok=True)
    profile = TUTORIAL + "globins4.hmm"
    pressed = os.path.join(work, "pressed.hmm")
    with open(pressed, "wb") as out:
        for name in ("globins4.hmm", "fn3.hmm"):
            with open(TUTORIAL + name, "rb") as file:
                out.write(file.read())
    subprocess.run(["hmmpress", "-f", pressed], check=True, stdout=subprocess.DEVNULL)
    sequences = globins()
    other = os.path.join(work, "other.fasta")
    with open(other, "w", encoding="ascii") as file:
        for i in range(0, 45, 9):
            file.write(f">g{i} a globin\n{sequences[i]}\n")
    paths = os.environ["PATH"], os.path.join(os.path.abspath(given.programs), "dropin") + ":" + os.environ["PATH"]
    found, known, successes = 0, {}, 0
    for case in range(given.first, given.first + given.cases):
        draw = random.Random(f"{given.seed} {case}")
        command = draw.choice(COMMANDS)
        maker = Maker(draw, sequences)
        is_aligned = "hmmbuild" in command or "--mapali" in command
        if is_aligned:
            maker.hidden = b"shown"  # alignments are lines of text
        file = os.path.join(work, "odd" + maker.suffix())
        with open(file, "wb") as out:
            out.write(maker.file(is_aligned))
        names = {"{hmm}": profile, "{file}": file, "{pressed}": pressed, "{other}": other}
        words = [names.get(word, word) for word in command]
        stdin = file if "-" in command else os.devnull
        both = []
        for who, path in zip(("theirs", "ours"), paths):
            both.append(run(path, words, os.path.join(work, who), stdin))
        successes += both[0][0] == 0
        what = difference(*both)
        if what in KNOWN:
            known[what] = known.get(what, 0) + 1
        elif what:
            found += 1
            print(f"case {case} of seed {given.seed}: {what}: {' '.join(words)}{' <' + file if stdin == file else ''}")
            for who, (status, output, errors, tables) in zip(("theirs", "ours"), both):
                print(f"  {who}: status {status}, {errors!r}")
                for name, text in [("out", output)] + sorted(tables.items()):
                    with open(os.path.join(work, who, "shown." + name), "wb") as out:
                        out.write(text)
            if found == given.most:
                return 1
    print(f"{given.cases} cases, {successes} without an error; known differences: {known or 'none'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
