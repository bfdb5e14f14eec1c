#!/usr/bin/env python3
"""Runs the commands that the documents for users show: each block marked `sh` of each document.

    run_commands.py BIN DOCUMENT...

The blocks of a document run one after the other in a new folder, with BIN first in PATH. The folder
has proteins.fasta, queries.fasta, families.hmm and old-families.hmm. Every command has to succeed.
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"


def make_files(folder):
    rng = random.Random(11)

    def protein(residues):
        return "".join(rng.choice(LETTERS) for _ in range(residues))

    queries = [protein(200) for _ in range(3)]
    with open(folder / "queries.fasta", "w") as file:
        for i, query in enumerate(queries):
            file.write(f">query{i} made for a test\n{query}\n")
    with open(folder / "proteins.fasta", "w") as file:
        for i in range(300):
            relative = "".join(letter if rng.random() < 0.6 else rng.choice(LETTERS) for letter in queries[i % 3])
            file.write(f">protein{i} made for a test\n{relative if i % 10 == 0 else protein(150)}\n")
    for name, profiles in ("families.hmm", "every-field-3f.hmm"), ("old-families.hmm", "every-field-2.hmm"):
        (folder / name).write_bytes((GOLDEN / "hmm" / profiles).read_bytes())


def blocks_of(document):
    return re.findall(r"^```sh\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)


ran = 0
environment = dict(os.environ, PATH=os.path.abspath(sys.argv[1]) + ":" + os.environ["PATH"], LC_ALL="C.UTF-8")
for name in sys.argv[2:]:
    document = pathlib.Path(name)
    with tempfile.TemporaryDirectory() as folder:
        make_files(pathlib.Path(folder))
        blocks = blocks_of(document)
        for block in blocks:
            shell = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", block], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, capture_output=True)
            if shell.returncode != 0:
                sys.exit(f"FAILED: {document.name}: exit status {shell.returncode} of\n{block}{shell.stderr.decode()}")
            ran += sum(1 for line in block.splitlines() if line.strip() and not line.startswith("#"))
if ran < 10:
    sys.exit(f"FAILED: {ran} commands found in {len(sys.argv) - 2} documents")
print(f"{ran} commands of {len(sys.argv) - 2} documents ran")
