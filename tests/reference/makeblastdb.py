#!/usr/bin/env python3
"""Compares makeblastdb 2.12.0+ and the drop-in on random FASTA: exit status, output, and all files
byte for byte except dates.

    makeblastdb.py BIN FOLDER [--runs N] [--seed N]

Files are made in FOLDER. The script prints the first difference and ends with status 1. The files
then stay in FOLDER.
"""
import argparse
import os
import random
import re
import shutil
import string
import struct
import subprocess
import sys

AMINO = "ACDEFGHIKLMNPQRSTVWY"
FIRST = ">first of all, a protein\nMKVLAAGIVALLAKKVACDEFGHIKLMNPQRSTVWYMKVLAAGIVALLAKKV\n"


def word(rng, letters=string.ascii_letters + string.digits + "._-:", least=1, most=12):
    return "".join(rng.choice(letters) for _ in range(rng.randint(least, most)))


def accession(rng):
    """Returns a text that looks like an accession of a database, or nearly so."""
    upper, digits = string.ascii_uppercase, string.digits
    kinds = [
        lambda: rng.choice("OPQ") + rng.choice(digits) + word(rng, upper + digits, 3, 3) + rng.choice(digits),
        lambda: rng.choice("ABCDGHN") + rng.choice(digits) + rng.choice(upper) + word(rng, upper + digits, 2, 2) + rng.choice(digits),
        lambda: "A0A" + word(rng, digits + upper, 3, 3) + rng.choice(upper) + word(rng, digits + upper, 2, 2) + rng.choice(digits),
        lambda: word(rng, upper, 3, 3) + word(rng, digits, 5, 5),
        lambda: word(rng, upper, 3, 3) + word(rng, digits, 7, 7),
        lambda: rng.choice(["NP", "XP", "WP", "YP", "AP", "NM", "XR", "ZP", word(rng, upper, 2, 2)]) + "_" +
        word(rng, digits, *rng.choice([(6, 6), (9, 9), (5, 10)])),
        lambda: rng.choice("123456789") + word(rng, upper + digits, 3, 3) + rng.choice(["", "_A", "_b", "_AA", "-C"]),
        lambda: word(rng, upper, 1, 6) + word(rng, digits, 4, 11),
        lambda: word(rng, upper, 4, 6) + "01" + rng.choice("PSX") + word(rng, digits, 5, 9),
    ]
    text = rng.choice(kinds)()
    if rng.random() < 0.2:
        text = text.lower()
    if rng.random() < 0.3:
        text += "." + (word(rng, digits, 1, 2) if rng.random() < 0.9 else rng.choice(["0", "00", "01", "2147483647", "2147483648", "1x", ""]))
    if rng.random() < 0.02:
        first, last = rng.randint(0, 40), rng.randint(0, 40)
        text += f":{rng.choice(['', '', 'c'])}{first}-{last}"
    return text


def identifier(rng):
    kinds = [
        lambda: word(rng),
        lambda: accession(rng),
        lambda: "sp|" + accession(rng) + "|" + word(rng, string.ascii_uppercase + "_", 3, 10),
        lambda: "tr|" + accession(rng) + "|" + word(rng, string.ascii_uppercase + "_", 3, 10),
        lambda: rng.choice(["gb", "emb", "dbj", "ref", "tpg", "tpe", "tpd"]) + "|" + accession(rng) + "|" + rng.choice(["", word(rng)]),
        lambda: "gi|" + str(rng.randint(1, 10**rng.randint(1, 9))) + "|" + rng.choice(["gb", "ref", "sp"]) + "|" + accession(rng) + "|",
        lambda: rng.choice(["gnl|" + word(rng) + "|", "lcl|"]) + rng.choice([word(rng), str(rng.randint(0, 10**10)), "007"]),
        lambda: "pdb|" + rng.choice("123456789") + word(rng, string.ascii_letters + string.digits, 3, 3) + "|" +
        rng.choice(["A", "b", "AB", "7", ""]),
        lambda: rng.choice(["pir||" + word(rng), "prf||" + word(rng), "pir|" + word(rng) + "|" + word(rng)]),
        lambda: "pat|US|" + word(rng, string.digits, 3, 7) + "|" + str(rng.randint(1, 99)),
        lambda: str(rng.randint(0, 10**6)),
        lambda: rng.choice(["bbs|", "bbm|", "gim|"]) + str(rng.randint(1, 99999)),
    ]
    text = rng.choice(kinds)()
    if rng.random() < 0.004:  # names that are too long, or end like a sequence
        text = rng.choice(["", "", "lcl|", "gnl|db|", "gb||", "pir||", "pdb|1ABC|"]) + word(rng, AMINO, 48, 54)
    if rng.random() < 0.002 and not text[-1].isdigit():
        text += rng.choice([",x", "[", "[a=b]", "]", ">", '"', "é", "\x02"])
    if rng.random() < 0.02:
        text += rng.choice(["|", "x|y", "|gi|7", "|sp|P12345|N", "|gb|", "|sp", "|gi|+7"])
    if rng.random() < 0.01:
        text = word(rng, string.digits, 5, 8) + "|" + rng.choice(["", "", "a", "Z", "7", "ab"])
    if rng.random() < 0.02:
        text = text.upper() if rng.random() < 0.5 else text.swapcase()
    return text


def title(rng):
    if rng.random() < 0.15:
        return ""
    text = " ".join(rng.choice(["protein", "of", "a", "[Homo sapiens]", "OS=x", "n=3", "alpha-2,3;", "\"quoted\"", "a\\b", "x\\ty", "(z)"])
                    for _ in range(rng.randint(1, 12)))
    if rng.random() < 0.1:
        text = text.replace(" ", rng.choice(["  ", "\t", " \t "]))
    if rng.random() < 0.1:
        text += rng.choice([" ", "  ", "\t", " é", " \x02"])
    if rng.random() < 0.03:
        text *= rng.randint(10, 40)
    if rng.random() < 0.03:
        text += rng.choice([" ", " ", "", "\x02", "\t"]) + word(rng, AMINO, 45, 60) + rng.choice(["", "", " ", "."])
    return text


def header(rng, parses):
    lines = rng.choice([1] * 8 + [2, 3])
    between = "\x01" if rng.random() > 0.01 else "\x01\x01"
    text = between.join((identifier(rng) + " " + title(rng)).rstrip(" ") if rng.random() < 0.5 else identifier(rng) + " " + title(rng)
                       for _ in range(lines))
    if not parses and rng.random() < 0.05:
        text = rng.choice(["", " ", "  " + text, "\t" + text])
    return text


def residues(rng, longest):
    if rng.random() < 0.03:
        return ""
    text = "".join(rng.choice(AMINO) for _ in range(rng.randint(1, longest)))
    if rng.random() < 0.2:
        text = "".join(rng.choice("UO*-JBZX") if rng.random() < 0.1 else c for c in text)
    if rng.random() < 0.2:
        text = text.lower() if rng.random() < 0.5 else "".join(c.lower() if rng.random() < 0.5 else c for c in text)
    if rng.random() < 0.05:
        text = "".join(rng.choice("1 .!\x01") if rng.random() < 0.05 else c for c in text)
    return text


def fasta(rng, parses, records, longest):
    end = rng.choice(["\n"] * 4 + ["\r\n"])
    width = rng.choice([10, 60, 80, 10**6])
    out, seen = [FIRST.replace("\n", end) if rng.random() < 0.5 else FIRST.replace("first", word(rng)).replace("\n", end)], []
    for _ in range(records):
        text = rng.choice(seen) if seen and rng.random() < 0.002 else header(rng, parses)
        seen.append(text)
        out.append(">" + text + end)
        sequence = residues(rng, longest)
        for at in range(0, len(sequence), width):
            out.append(sequence[at:at + width] + end)
            if rng.random() < 0.01:
                out.append(rng.choice(["", ";comment ACD", "#ACD", "!ACD", "  "]) + end)
    return "".join(out)


def masked(name, data):
    """Returns a file's bytes without its date."""
    if name.endswith(".pal"):
        return re.sub(rb"created: [^\n]*", b"created:", data)
    if not name.endswith(".pin"):
        return data
    version = struct.unpack(">I", data[:4])[0]
    at = 8 if version == 4 else 12
    for _ in range(1 if version == 4 else 2):
        at += 4 + struct.unpack(">I", data[at:at + 4])[0]
    size = struct.unpack(">I", data[at:at + 4])[0]
    return data[:at + 4] + b"D" * size + data[at + 4 + size:]


# Warnings that only the original prints, about accessions of nucleotides and words with bars that
# it cannot read.
SKIPPED = re.compile(r"Warning: \(1306[^\n]*\n(    T0 [^\n]*\n\n)?")


def lines_of(text, folder):
    text = SKIPPED.sub("", text.replace(folder, "HERE"))
    # Only NCBI's toolkit puts these words around its exceptions.
    text = re.sub(r"Error: NCBI C\+\+ Exception:\n    T0 [^\n]*?\(\) - ([^\n]*)\n\n", r"Error: \1\n", text)
    # The drop-in replaces control characters of names and titles.
    text = re.sub("[\0-\x08\x0b-\x1f\x7f]", "?", text)
    kept = []
    for line in text.split("\n"):
        # An accession of nucleotides becomes a local name in the database. The drop-in's message
        # already has the local name.
        line = re.sub(r"(Ignoring sequence ')(?:lcl|gb|emb|dbj|tpg|tpe|tpd|ref)\|([^|']*)\|?'", r"\1\2'", line)
        kept.append(re.sub(r"current time: .*|in [0-9.e-]+ seconds", "", line))
    return kept


def files_in(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        if name.startswith("o.") and not name.endswith((".wsdb", ".perf")):
            with open(os.path.join(folder, name), "rb") as file:
                found[name] = masked(name, file.read())
    return found


def make(program, folder, arguments, stdin):
    done = subprocess.run([program, *arguments], cwd=folder, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")


def one_case(rng, settings, number):
    parses = rng.random() < 0.6
    size = rng.choice([1, 3, 10, 60] if number % 10 else [300])
    arguments, inputs = ["-dbtype", "prot", "-out", "o"], ["in.fa"]
    texts = [fasta(rng, parses, size, 300)]
    if rng.random() < 0.05:
        inputs.append("in2.fa")
        texts.append(fasta(rng, parses, size, 300))
    stdin = None
    if len(inputs) == 1 and rng.random() < 0.05:
        stdin = texts[0].encode("utf-8")
        arguments += ["-in", "-", "-title", "from a pipe"]
    else:
        arguments += ["-in", " ".join(inputs)]
        if rng.random() < 0.3:
            arguments += ["-title", rng.choice(["", "t", "A title of words", "x" * 300])]
    version = rng.choice(["4", "5"])
    if version == "4" or rng.random() < 0.5:
        arguments += ["-blastdb_version", version]
    if parses:
        arguments += ["-parse_seqids"]
    has_hashes = rng.random() < 0.15
    if has_hashes:
        arguments += ["-hash_index"]
    # If the original parses no identifiers, it has a wrong key for the first sequence of each later
    # volume. It may then take that key for a duplicate.
    if rng.random() < 0.3 and (parses or not has_hashes):
        arguments += ["-max_file_sz", rng.choice(["1KB", "5KB", "20KB", "50000", "1MB", "2GB"])]
    taxa = rng.random()
    if taxa < 0.15:
        arguments += ["-taxid", str(rng.choice([0, 1, 9606, 2**31 - 1, rng.randint(1, 10**6)]))]
    elif taxa < 0.4 and parses:
        arguments += ["-taxid_map", "map"]
    # NCBI's map has no use for a name that ends with a kind alone.
    names = [name for name in re.findall(r"[>\x01](\S+)", texts[0]) if not name.endswith("|sp")]
    mapped = "".join(f"{rng.choice([name, name.split('|')[1] if '|' in name else name, name.split('.')[0], name.lower()])}"
                     f"{rng.choice([' ', chr(9)])}{rng.choice([9606, 562, 10090, 4932, rng.randint(0, 10**6)])}\n"
                     for name in names if rng.random() < 0.7)
    results = []
    for who, program in (("theirs", shutil.which("makeblastdb")), ("ours", os.path.join(settings.bin, "dropin", "makeblastdb"))):
        folder = os.path.join(settings.folder, who)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name, text in zip(inputs, texts):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text.encode("utf-8"))
        with open(os.path.join(folder, "map"), "w", encoding="utf-8") as file:
            file.write(mapped)
        results.append((*make(program, folder, arguments, stdin), files_in(folder), folder))
    (status, out, err, files, folder), (our_status, our_out, our_err, our_files, our_folder) = results
    command = f"makeblastdb {' '.join(map(repr, arguments))}"
    if "does not match input format type" in err:
        return "not FASTA for the original", command
    if status < 0:
        return "the original ends by a signal", command  # in version 5, if a sequence has only a GI
    if status == 255 and "Warning: (1306" in err:
        return "words with bars that the original reads in two ways", command
    if status != 0:
        if our_status == 0:
            # NCBI's reader stops, after a warning, at input that ours accepts.
            return ("an error of the original alone: " + err.strip().splitlines()[-1] if err.strip() else "?"), command
        if [name for name in our_files]:
            sys.exit(f"case {number}: {command}: files are left behind after an error: {list(our_files)}")
        for what, theirs, ours in (("standard output", out, our_out), ("standard error", err, our_err)):
            if lines_of(theirs, folder) != lines_of(ours, our_folder):
                sys.exit(f"case {number}: {command}: {what} differs:\n{theirs}\n{ours}")
        if our_status != status:
            sys.exit(f"case {number}: {command}: status {our_status}, expected {status}")
        return "errors", command
    if our_status != 0:
        sys.exit(f"case {number}: {command}: status {our_status}: {our_err}")
    for what, theirs, ours in (("standard output", out, our_out), ("standard error", err, our_err)):
        if lines_of(theirs, folder) != lines_of(ours, our_folder):
            sys.exit(f"case {number}: {command}: {what} differs:\n{theirs}\n{ours}")
    if sum(name.endswith(".pin") for name in files) > 100:
        return "more than 100 volumes", command  # ours have names with three digits
    if list(files) != list(our_files):
        sys.exit(f"case {number}: {command}: files {sorted(set(files) ^ set(our_files))} are not in both")
    for name in files:
        if files[name] != our_files[name]:
            at = next((i for i, (a, b) in enumerate(zip(files[name], our_files[name])) if a != b), "end")
            sys.exit(f"case {number}: {command}: {name} differs at byte {at}; sizes {len(files[name])} and {len(our_files[name])}")
    return "databases", command


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("folder")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    settings = parser.parse_args()
    settings.bin, settings.folder = os.path.abspath(settings.bin), os.path.abspath(settings.folder)
    counts, alone = {}, []
    for number in range(settings.first, settings.first + settings.runs):
        outcome, command = one_case(random.Random(f"{settings.seed} {number}"), settings, number)
        if outcome.startswith("an error of the original alone"):
            alone.append(f"case {number}: {outcome}: {command}")
            outcome = "an error of the original alone"
        counts[outcome] = counts.get(outcome, 0) + 1
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    if alone:
        print("\n".join(alone[:20]))
        sys.exit(1)
    if counts.get("databases", 0) < settings.runs // 4:
        sys.exit("too few databases were compared")


if __name__ == "__main__":
    main()
