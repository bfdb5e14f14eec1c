#!/usr/bin/env python3
"""Compares the taxonomy in reports of blastp 2.12.0+ and of the drop-in, on random databases.

    taxonomy.py BIN FOLDER [--runs N] [--seed N]

Files are made in FOLDER. The script prints the first difference and ends with status 1.
"""
import argparse
import os
import random
import re
import struct
import subprocess
import sys

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
# The taxa of blastp's taxdb. Each taxonomy ID has its parent, scientific name, GenBank's common
# name, BLAST name and kingdom.
TAXA = {
    9606: (9443, "Homo sapiens", "human", "primates", "Eukaryota"),
    63221: (9606, "Homo sapiens neanderthalensis", "Neandertal", "primates", "Eukaryota"),
    10090: (9989, "Mus musculus", "house mouse", "rodents", "Eukaryota"),
    562: (543, "Escherichia coli", None, "enterobacteria", "Bacteria"),
    83333: (562, "Escherichia coli K-12", None, "enterobacteria", "Bacteria"),
    11320: (10239, "Influenza A virus", None, "viruses", "Viruses"),
    32630: (28384, "synthetic construct", None, "other sequences", "-"),
    12908: (1, "unclassified sequences", None, "-", "-"),
}
ABOVE = {1: (1, None), 2759: (1, None), 2: (1, None), 10239: (1, "viruses"), 9443: (2759, "primates"),
         9989: (2759, "rodents"), 543: (2, "enterobacteria"), 28384: (1, "other sequences")}
NUMBERS = [*TAXA, 777, 4711]
NAMES = "ssciname sscinames scomname scomnames sblastname sblastnames sskingdom sskingdoms"
FIELDS = "qaccver saccver sallseqid salltitles staxid staxids evalue bitscore score"


def run(*command, folder, env=None):
    return subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          encoding="utf-8")


def must(*command, folder):
    done = run(*command, folder=folder)
    if done.returncode != 0:
        sys.exit(f"{command}: {done.stderr}")


def write_taxdb(folder):
    data, index = b"", []
    for taxid, (_parent, scientific, common, blast, kingdom) in sorted(TAXA.items()):
        index.append((taxid, len(data)))
        data += "\t".join((scientific, common or scientific, blast, kingdom)).encode()
    with open(os.path.join(folder, "taxdb.btd"), "wb") as out:
        out.write(data)
    with open(os.path.join(folder, "taxdb.bti"), "wb") as out:
        out.write(struct.pack(">6I", 0x8739, len(index), 0, 0, 0, 0))
        out.write(b"".join(struct.pack(">2I", *entry) for entry in index))


def write_dump(folder):
    def row(*columns):
        return "\t|\t".join(map(str, columns)) + "\t|\n"

    with open(os.path.join(folder, "nodes.dmp"), "w", encoding="utf-8") as out:
        out.writelines(row(taxid, about[0], "no rank") for taxid, about in [*TAXA.items(), *ABOVE.items()])
    with open(os.path.join(folder, "names.dmp"), "w", encoding="utf-8") as out:
        for taxid, (_parent, scientific, common, _blast, _kingdom) in TAXA.items():
            out.write(row(taxid, scientific, "", "scientific name"))
            if common:
                out.write(row(taxid, common, "", "genbank common name"))
        out.writelines(row(taxid, blast, "", "blast name") for taxid, (_parent, blast) in ABOVE.items() if blast)


def write_input(folder, rng, taxids_of, ending=""):
    """Writes families of relatives, and a map of accessions to taxonomy IDs. Some sequences have
    several definition lines. Most lines are in the map."""
    def protein(residues):
        return "".join(rng.choice(LETTERS) for _ in range(residues))

    def mutant(text, share):
        return "".join(rng.choice(LETTERS) if rng.random() < share else letter for letter in text)

    families = [protein(rng.randint(60, 200)) for _ in range(3)]
    number = 0
    with open(os.path.join(folder, f"db{ending}.fa"), "w", encoding="utf-8") as fasta, \
            open(os.path.join(folder, f"map{ending}"), "w", encoding="utf-8") as taxids:
        for _ in range(150):
            lines = []
            for _ in range(rng.choice([1, 1, 1, 2, 3, 4])):
                number += 1
                accession = f"NP_{number:06d}.1"
                lines.append(f"ref|{accession}| protein {number}")
                taxid = rng.choice([*taxids_of, 0])
                if taxid:
                    taxids.write(f"{accession}\t{taxid}\n")
            residues = mutant(rng.choice(families), rng.choice([0.1, 0.3, 0.5, 0.7]))
            fasta.write(">" + "\x01".join(lines) + "\n" + (residues if rng.random() < 0.6 else protein(80)) + "\n")
    with open(os.path.join(folder, "q.fa"), "w", encoding="utf-8") as out:
        out.writelines(f">q{i}\n{mutant(family, 0.2)}\n" for i, family in enumerate(families))


def comparable(text, outfmt):
    text = re.sub(r"BLASTP 2\.12\.0\+( \(warpseq [^)]*\))?", "BLASTP", text)
    text = re.sub(r"theirs/db(_known)?|ours(\.wsdb)?|named(_known)?(\.wsdb)?", "DB", text)
    text = re.sub(r"Posted date.*", "", text)
    # The wording of citations differs.
    text = re.sub(r'"reference": .*|<reference>.*|<BlastOutput_reference>.*', "", text)
    return re.sub(r"(?s)^BLASTP.*?\n(Database: )", r"\1", text) if outfmt == "0" else text


def compare(theirs, ours, arguments, outfmt):
    for theirs_part, ours_part in ((theirs.stdout, ours.stdout), (theirs.stderr, ours.stderr)):
        if comparable(theirs_part, outfmt) != comparable(ours_part, outfmt):
            print("DIFFERS:", *arguments)
            for a, b in zip(comparable(theirs_part, outfmt).split("\n"), comparable(ours_part, outfmt).split("\n")):
                if a != b:
                    sys.exit(f"theirs: {a}\nours:   {b}")
            sys.exit("one is longer")
    if theirs.returncode != ours.returncode:
        sys.exit(f"{arguments}: exit status {ours.returncode}, expected {theirs.returncode}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("folder")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    folder, programs = given.folder, os.path.abspath(given.programs)
    os.makedirs(os.path.join(folder, "theirs"), exist_ok=True)
    os.makedirs(os.path.join(folder, "taxdb"), exist_ok=True)
    write_input(folder, rng, TAXA, "_known")
    write_input(folder, rng, NUMBERS)
    write_taxdb(os.path.join(folder, "taxdb"))
    write_dump(folder)
    make = ["makeblastdb", "-in", "db.fa", "-dbtype", "prot", "-parse_seqids", "-title", "T"]
    must(*make, "-taxid_map", "map", "-out", "theirs/db", folder=folder)
    must(*make, "-out", "theirs/plain", folder=folder)
    dbconv = os.path.join(programs, "dbconv")
    must(dbconv, "theirs/plain", "--taxid-map", "map", "-o", "ours.wsdb", "--force", "--quiet", folder=folder)
    # This database takes its taxonomy IDs from the definition lines of the BLAST database.
    must(dbconv, "theirs/db", "--taxonomy", ".", "-o", "named.wsdb", "--force", "--quiet", folder=folder)
    blastp = os.path.join(programs, "dropin", "blastp")
    env = dict(os.environ, BLASTDB=os.path.join(os.path.abspath(folder), "taxdb"))
    # JSON and XML2 are compared on a database whose taxa are all in the taxdb. For others, NCBI's
    # JSON and XML2 break off within the description.
    must(*make[:2], "db_known.fa", *make[3:], "-taxid_map", "map_known", "-out", "theirs/db_known", folder=folder)
    must(dbconv, "theirs/db_known", "--taxonomy", ".", "-o", "named_known.wsdb", "--force", "--quiet", folder=folder)
    rows = 0
    for outfmt in (f"6 {FIELDS} {NAMES}", f"7 {NAMES}", f"10 saccver {NAMES}", "15", "16", "5"):
        known = "_known" if outfmt in ("15", "16") else ""
        arguments = ["-query", "q.fa", "-outfmt", outfmt, "-evalue", "1000"]
        theirs = run("blastp", "-db", "theirs/db" + known, *arguments, folder=folder, env=env)
        ours = run(blastp, "-db", "named" + known, *arguments, folder=folder)
        compare(theirs, ours, arguments, outfmt)
        rows += ours.stdout.count("Homo sapiens")
    if rows < 100:
        sys.exit("too few names to say anything")
    found = 0
    for _ in range(given.runs):
        chosen = rng.sample([*NUMBERS, 1, 5], rng.randint(1, 3))
        option = rng.choice(["taxids", "negative_taxids", "taxidlist", "negative_taxidlist"])
        value = ",".join(map(str, chosen))
        if option.endswith("list"):
            with open(os.path.join(folder, "list"), "w", encoding="utf-8") as out:
                out.writelines(f"{taxid}\n" for taxid in chosen)
            value = "list"
        outfmt = rng.choice([f"6 {FIELDS}", f"6 {FIELDS}", f"7 {FIELDS}", "0", "5", "15", "10"])
        more = rng.choice([[], [], ["-comp_based_stats", "0"], ["-evalue", "1000"], ["-dbsize", "1000000"],
                           ["-max_target_seqs", "5"]])
        arguments = ["-query", "q.fa", "-" + option, value, "-outfmt", outfmt, *more]
        theirs = run("blastp", "-db", "theirs/db", *arguments, folder=folder)
        ours = run(blastp, "-db", "ours", *arguments, folder=folder)
        compare(theirs, ours, arguments + chosen, outfmt)
        found += len(ours.stdout.split("\n"))
    print(f"{given.runs} lists of taxonomy IDs, {found} lines, and names: the same")


if __name__ == "__main__":
    main()
