#!/usr/bin/env python3
"""Compares the drop-in blastdbcmd with NCBI's blastdbcmd 2.12.0, for random valid and invalid
command lines.

    blastdbcmd.py BIN [--cases N] [--seed S] [--keep FOLDER]

BIN/dropin/blastdbcmd and the original in PATH read the same databases, which the original
makeblastdb makes. Databases have versions 4 and 5, are made with and without identifiers, and have
merged definition lines, taxa, and odd identifiers and titles. Several databases and aliases are
read at once. Standard output, exit status and messages have to be the same. The usage after a
refused command line is not compared, because its wording differs.
"""

import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
WORDS = "alpha beta kinase > [x] a=b 50% >gi|7 >sp|P00001|X >lcl|me gi|3 -like (EC 1.2.3.4) >z >gnl|a|b w| 'q' , ;".split()


def residues(rng):
    length = rng.choice([1, 2, 5, 9, 10, 11, 60, 79, 80, 81, 160, 161, 200])
    letters = LETTERS + rng.choice(["", "", "BXZUOJ*", "-", "bxz"])
    return "".join(rng.choice(letters) for _ in range(length))


def local_name(rng):
    return rng.choice(
        [
            lambda: f"AT{rng.randint(1, 5)}G{rng.randint(1, 99999):05d}.{rng.randint(1, 3)}",
            lambda: f"ENSP{rng.randint(0, 999999):011d}.{rng.randint(1, 9)}",
            lambda: f"my_{rng.randint(1, 99)}",
            lambda: f"My_Seq.{rng.randint(1, 99)}.{rng.randint(0, 9)}",
            lambda: f"s{rng.randint(1, 999)}",
            lambda: f"Prot{rng.randint(1, 999)}",
            lambda: str(rng.randint(1, 99999)),
            lambda: f"0{rng.randint(1, 99)}",
            lambda: rng.choice(["a:b", "a=b", "x+y", "q;r", "k,l", "m'n", "p%q", "(r)", "{s}", "t/u", "v~w", "a#b", "c&d", "e@f", "-g", "_h", "i.", ".j"])
            + str(rng.randint(0, 9)),
            lambda: "L" * rng.randint(40, 48) + str(rng.randint(10, 99)),
        ]
    )()


def tagged_name(rng):
    n = rng.randint(10000, 99999)
    return rng.choice(
        [
            lambda: f"sp|P{n}|NAME{n}_HUMAN",
            lambda: f"sp|P{n}.{rng.randint(1, 3)}|NAME_{rng.choice('ABC')}",
            lambda: f"sp|p{n}|low_case",
            lambda: f"tr|Q{n}|Q{n}_MOUSE",
            lambda: f"gb|AAA{n}.{rng.randint(1, 3)}|",
            lambda: f"gb|AAA{n}|",
            lambda: f"gb||LOCUS{n}",
            lambda: f"emb|CAA{n}.1|loc{n}",
            lambda: f"dbj|BAA{n}.2|",
            lambda: f"ref|NP_{n}0.{rng.randint(1, 3)}|",
            lambda: f"ref|wp_0000{n}.1|",
            lambda: f"pir||S{n}",
            lambda: f"pir|A{n}|A{n}",
            lambda: f"prf||{n}12A",
            lambda: f"pdb|{rng.randint(1, 9)}ABC|{rng.choice('ABa')}",
            lambda: f"pdb|{rng.randint(1, 9)}xyz|{rng.choice(['A', 'AA', 'b1'])}",
            lambda: f"pat|US|{n}|{rng.randint(1, 9)}",
            lambda: f"tpg|DAA{n}.1|",
            lambda: f"tpe|CAJ{n}|",
            lambda: f"tpd|FAA{n}.1|",
            lambda: f"gnl|mydb|tag{n}",
            lambda: f"gnl|MyDB|Tag.{n % 9}",
            lambda: f"gnl|db|{n}",
            lambda: f"lcl|loc{n}",
            lambda: f"lcl|{n}",
            lambda: f"gi|{n}|gb|AAB{n}.1|",
            lambda: f"gi|{n}|ref|XP_{n}1.1|",
            lambda: f"gi|{n}|sp|O{n}|N_{n}",
            lambda: f"gi|{n}",
            lambda: f"bbs|{n}",
        ]
    )()


def bare_accession(rng):
    n = rng.randint(10000, 99999)
    return rng.choice(
        [f"P{n}", f"P{n}.2", f"NP_{n}1.1", f"WP_0000{n}.1", f"AAA{n}.1", f"CAA{n}", f"BAA{n}.3", f"{n % 9 + 1}ABC_A", f"np_{n}2.1"]
    )


def name(rng):
    return rng.choice([local_name, local_name, tagged_name, tagged_name, tagged_name, bare_accession])(rng)


def title(rng):
    kind = rng.random()
    if kind < 0.15:
        return ""
    words = [rng.choice(WORDS) for _ in range(rng.randint(1, 5))]
    return rng.choice([" ", " ", " ", "  ", "\t"]).join(words)


def header(rng, merged):
    lines = []
    for _ in range(rng.choice([1, 1, 1, 2, 3]) if merged else 1):
        text = title(rng)
        lines.append(name(rng) + (" " + text if text else ""))
    return "\x01".join(lines)


def run(command, folder, environment=None, stdin=None):
    done = subprocess.run(
        command, cwd=folder, env=environment, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120
    )
    return done.returncode, done.stdout, done.stderr


def write_taxdb(folder, rng):
    """Writes names of some taxa as NCBI's taxdb has them."""
    index, names = b"", b""
    taxa = {7: "Seven\tseven\t-\tBacteria", 562: "Escherichia coli\tE. coli\tenterobacteria\tBacteria", 9606: "Homo sapiens\thuman\tprimates\tEukaryota"}
    for taxid, text in taxa.items():
        if rng.random() < 0.8:
            index += struct.pack(">II", taxid, len(names))
            names += text.encode()
    with open(folder + "/taxdb.bti", "wb") as out:
        out.write(struct.pack(">II", 0x8739, len(index) // 8) + bytes(16) + index)
    with open(folder + "/taxdb.btd", "wb") as out:
        out.write(names)


def quoted(base):
    """Returns the name as -db takes it."""
    return f'"{base}"' if " " in base else base


class Database:
    """A database in `folder`, which can draw identifiers to ask for."""

    def __init__(self, rng, folder, base, version):
        self.base = base
        self.version = version  # databases that are read together have the same version
        for _ in range(100):
            merged = rng.random() < 0.4
            self.headers = [header(rng, merged) for _ in range(rng.choice([1, 2, 3, 6, 12]))]
            with open(f"{folder}/{base}.fa", "wb") as out:
                for text in self.headers:
                    out.write(b">" + text.encode() + b"\n" + residues(rng).encode() + b"\n")
            self.is_parsed = rng.random() < 0.75
            command = ["makeblastdb", "-in", f"{base}.fa", "-dbtype", "prot", "-out", base, "-blastdb_version", str(self.version)]
            if rng.random() < 0.5:
                command += ["-title", rng.choice(["A title", "t", "x > y", "My; db"])]
            if self.is_parsed:
                command.append("-parse_seqids")
                kind = rng.random()
                if kind < 0.3:
                    with open(f"{folder}/{base}.map", "w") as out:
                        for text in self.headers:
                            for line in text.split("\x01"):
                                if rng.random() < 0.8:
                                    out.write(f"{line.split()[0]} {rng.choice([9606, 10090, 562, 4932])}\n")
                    command += ["-taxid_map", f"{base}.map"]
                elif kind < 0.5:
                    command += ["-taxid", str(rng.choice([9606, 7, 0]))]
            status, _, _ = run(command, folder)
            if status == 0 and os.path.exists(f"{folder}/{base}.pin"):
                self.kind = f"version {self.version}" + (", parsed" if self.is_parsed else "")
                return
        sys.exit("no database could be made")

    def entry(self, rng):
        """Returns an identifier to ask for. In a database without identifiers it is never a
        sequence's name, because the drop-in finds such names and NCBI's program does not."""
        if not self.is_parsed:
            numbered = [f"gnl|BL_ORD_ID|{rng.randint(0, len(self.headers))}"] if self.version == 4 else []
            return rng.choice(numbered + ["nothing", "x_y", "gnl|ANY|1", "gnl|bl_ord_id|1", "P00000", "-1", "99999999999"])
        line = rng.choice(rng.choice(self.headers).split("\x01"))
        whole = line.split()[0]
        fields = whole.split("|")
        kind = rng.random()
        if kind < 0.35:
            asked = whole
        elif kind < 0.6:
            asked = rng.choice(fields)
        elif kind < 0.7:
            asked = rng.choice(fields).split(".")[0]
        elif kind < 0.8:
            asked = f"gnl|BL_ORD_ID|{rng.randint(0, len(self.headers))}"
        elif kind < 0.9:
            asked = rng.choice(
                [
                    f"{rng.choice(['sp', 'gb', 'ref', 'lcl', 'gi', 'pdb', 'gnl|ANY', 'gnl|mydb', 'pir|', 'xx'])}|{rng.choice(fields)}",
                    whole + "|",
                    whole + ".1",
                    "|".join(fields[:2]),
                    "_".join(fields[1:]),
                    ":".join(fields[1:]),
                    name(rng),
                    "nothing",
                    "0",
                    str(rng.randint(1, 13)),
                ]
            )
        else:
            asked = rng.choice(["nothing", "x_y", "sp|P00000|", "1", "123456789", "gnl|a|b", "", " ", "-1", "99999999999", "P12345"])
        case = rng.random()
        if case < 0.1:
            asked = asked.upper()
        elif case < 0.2:
            asked = asked.lower()
        return asked


def range_text(rng):
    a, b = rng.randint(1, 90), rng.randint(1, 200)
    return rng.choice(
        [f"{min(a, b)}-{max(a, b)}", f"{min(a, b)}-{max(a, b)}", f"{a}-", f"{a}", "5", f"{a}-{a}", "1-1", f"{max(a, b)}-{min(a, b)}", "0-5", "-5", "-", "a-b", "5-x",
         "1-2-3", "+3-9", " 3-9", "3-9 ", "3 -9", "500-600", "1-99999999999", "0x3-9", "3.5-9", "1-0", "-3--1", "1,5", "2-2147483647", "201-", "1e1-20"]
    )


def format_text(rng):
    kind = rng.random()
    letters = "fsagoitlhTXeLCSNBKPmn"  # without %d and %b (ASN.1), which the drop-in refuses
    if kind < 0.75:
        chosen = [rng.choice("sagoitlhTXeLCSNBKP") for _ in range(rng.randint(1, 5))]
        return rng.choice([" ", "\t", ",", "|", ""]).join("%" + letter for letter in chosen)
    if kind < 0.85:
        return "%f"
    return rng.choice(
        ["", "%", "x", "%%", "%a%", "%%a", "%%%a", "%z", "%a %z", "%q", "%f %a", "%a %f", "%m", "%m0", "%m1 %a", "%n", "%A", "%F", "\\t%a", "%a\\n",
         "6", "% a", "%-a", "%1", "%a\n%l", "%f%f", "%f %d"]
        + ["%" + rng.choice(letters) for _ in range(8)]
    )


def case(rng, databases, folder):
    """Returns the arguments of a run."""
    chosen = rng.choice(databases)
    arguments = []
    both = rng.random() < 0.12 and len(databases) > 1
    db = quoted(chosen.base) if rng.random() < 0.9 else f'"{chosen.base}"'
    if both:
        db += " " + quoted(rng.choice(databases).base)
    arguments += ["-db", db if rng.random() > 0.02 else rng.choice(["absent", "", " ", "absent " + db])]
    if rng.random() < 0.3:
        arguments += ["-dbtype", rng.choice(["prot", "prot", "prot", "guess", "protein", "Prot", ""])]
    kind = rng.random()
    if kind < 0.5:
        count = rng.choice([1, 1, 1, 2, 3])
        arguments += ["-entry", "all" if rng.random() < 0.2 else ",".join(chosen.entry(rng) for _ in range(count))]
    elif kind < 0.7:
        lines = []
        for _ in range(rng.randint(0, 5)):
            line = chosen.entry(rng)
            if rng.random() < 0.4:
                line += rng.choice([" ", "\t", "  "]) + range_text(rng)
            if rng.random() < 0.1:
                line += " " + rng.choice(["plus", "minus", "0", "1", "junk", "-1"])
            lines.append(rng.choice(["", "", "", " "]) + line)
        with open(f"{folder}/batch", "w") as out:
            out.write(rng.choice(["\n", "\n", "\r\n", "\n\n"]).join(lines) + rng.choice(["", "\n"]))
        arguments += ["-entry_batch", rng.choice(["batch", "batch", "batch", "batch", "-", "absent"])]
    elif kind < 0.78:
        arguments += ["-info"] + rng.choice([[], [], ["-exact_length"]])
    elif kind < 0.83:
        arguments += ["-tax_info"]
    elif kind < 0.9:
        arguments += ["-taxids", rng.choice(["9606", "562,10090", "7", "1", "x", "", "9606,", " 9606", "9606 , 562", "0", "-9606", "9606.5"])]
    elif kind < 0.93:
        with open(f"{folder}/taxa", "w") as out:
            out.write(rng.choice(["9606\n", "562\n10090\n", "\n", "", "x\n", "9606,562\n", " 9606 \n", "# a\n9606\n"]))
        arguments += ["-taxidlist", "taxa"]
    elif kind < 0.95:
        arguments += ["-ipg", rng.choice(["0", "1", "5", "-1", "x"])]
    elif kind < 0.96:
        arguments += ["-ipg_batch", "batch"]
        with open(f"{folder}/batch", "w") as out:
            out.write(rng.choice(["1\n2\n", "", "x\n"]))
    # For an IPG that does not exist, NCBI's blastdbcmd prints bytes that happen to be in memory.
    if rng.random() < 0.55 and "-ipg" not in arguments and "-ipg_batch" not in arguments:
        arguments += ["-outfmt", format_text(rng)]
    if rng.random() < 0.25 and "-entry_batch" not in arguments or rng.random() < 0.03:
        arguments += ["-range", range_text(rng)]
    for flag, chance in [("-target_only", 0.15), ("-get_dups", 0.1), ("-ctrl_a", 0.15), ("-long_seqids", 0.15), ("-exact_length", 0.01)]:
        if rng.random() < chance and flag not in arguments:
            arguments.append(flag)
    if rng.random() < 0.15:
        arguments += ["-line_length", rng.choice(["60", "10", "1", "1000", "0", "-1", "x", "", "7.5", "80 ", " 80", "+9", "0x10", "1e2", "2147483648", "010"])]
    if rng.random() < 0.06:
        arguments += ["-strand", rng.choice(["plus", "minus", "both", "Plus", ""])]
    if rng.random() < 0.03:
        arguments += ["-mask_sequence_with", rng.choice(["1", "seg", "", "-1", "99"])]
    if rng.random() < 0.05:
        arguments += ["-logfile", rng.choice(["log", "absent/log", "-"])]
    if rng.random() < 0.02:
        arguments += rng.choice([["-show_blastdb_search_path"], ["-recursive"], ["-bogus"], ["stray"], ["-entry"], ["-out", "absent/x"], ["-list", "."]])
    return arguments


def discovery_case(rng):
    kind = rng.random()
    arguments = []
    if kind < 0.2:
        return ["-show_blastdb_search_path"]
    arguments += ["-list", rng.choice([".", "sub", "absent", "./", ""])]
    if rng.random() < 0.5:
        arguments += ["-list_outfmt", rng.choice(["%f", "%p", "%t", "%l", "%n", "%v", "%f %t %n", "%n\t%l", "%z", "", "x", "%%", "%f%%", "%d", "%p:%v", "%", "%U", "%f|%U|%v|%d|%t|%l|%n"])]
    if rng.random() < 0.4:
        arguments.append("-recursive")
    if rng.random() < 0.3:
        arguments.append("-remove_redundant_dbs")
    if rng.random() < 0.3:
        arguments += ["-dbtype", rng.choice(["prot", "nucl", "guess"])]
    return arguments


def messages(text, has_log):
    """Returns the messages on standard error, without the usage after a refused command line. With a
    log, NCBI's blastdbcmd writes there why it refuses a command line."""
    marker = b"=" * 72
    if marker in text:
        text = marker if has_log else text[text.index(marker) :]
    # Only NCBI's toolkit puts these words around its exceptions.
    text = re.sub(rb"Error: NCBI C\+\+ Exception:\n.*?\(\) - ([^\n]*)\n\n?", rb"Error: \1\n", text, flags=re.S)
    # The drop-in replaces control characters of names.
    return re.sub(rb"[\0-\x09\x0b-\x1f]", b"?", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    ours = os.path.abspath(options.programs) + "/dropin/blastdbcmd"
    original = shutil.which("blastdbcmd", path=os.environ["PATH"])
    rng = random.Random(options.seed)
    work = options.keep or tempfile.mkdtemp(prefix="warpseq-blastdbcmd-")
    os.makedirs(work, exist_ok=True)
    environment = {**os.environ, "HOME": work}
    environment.pop("BLASTDB", None)
    environment.pop("NCBI", None)
    differences = 0
    databases = []
    for number in range(options.cases):
        if number % 25 == 0:
            folder = f"{work}/{number // 25}"
            os.makedirs(folder + "/sub")
            version = rng.choice([4, 5])
            databases = [Database(rng, folder, base, version) for base in rng.choice([["a"], ["a", "b"], ["a", "b", "sub/c"]])]
            if rng.random() < 0.5:
                write_taxdb(folder, rng)
            if rng.random() < 0.5:
                with open(folder + "/n.fa", "wb") as out:
                    out.write(b">a sequence of a gene\n" + b"ACGTTGCAAC" * 9 + b"\n")
                run(["makeblastdb", "-in", "n.fa", "-dbtype", "nucl", "-out", "sub/n"], folder)
            if len(databases) > 1 and rng.random() < 0.5:
                names = " ".join(each.base for each in databases)
                run(["blastdb_aliastool", "-dblist", names, "-dbtype", "prot", "-title", "both", "-out", "al"], folder)
                if os.path.exists(folder + "/al.pal"):
                    alias = Database.__new__(Database)
                    alias.base = rng.choice(["al", "a l"])
                    os.rename(folder + "/al.pal", f"{folder}/{alias.base}.pal")
                    alias.version = version
                    alias.is_parsed = all(each.is_parsed for each in databases)
                    alias.headers = [text for each in databases for text in each.headers]
                    alias.kind = "alias of " + ", ".join(each.kind for each in databases)
                    databases.append(alias)
        arguments = case(rng, databases, folder) if rng.random() > 0.1 else discovery_case(rng)
        stdin = b""
        if "-" in arguments and os.path.exists(f"{folder}/batch"):
            with open(f"{folder}/batch", "rb") as batch:
                stdin = batch.read()
        results = [run([program, *arguments], folder, environment, stdin) for program in (original, ours)]
        shown = [(status, out, messages(error, "-logfile" in arguments)) for status, out, error in results]
        # NCBI's program may end by a signal, after some titles of version 4 for example.
        if shown[0] == shown[1] or results[0][0] < 0:
            continue
        differences += 1
        print(f"DIFFERENT, case {number} of seed {options.seed}, in {folder}: blastdbcmd {arguments}")
        print("  databases: " + "; ".join(f"{each.base}: {each.kind}" for each in databases))
        for who, (status, out, error) in zip(("original", "here"), shown):
            print(f"  {who}: status {status}\n    out   {out[:600]!r}\n    error {error[:400]!r}")
    print(f"{options.cases} cases, {differences} differ")
    if not options.keep and differences == 0:
        shutil.rmtree(work)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
