#!/usr/bin/env python3
"""Checks that docs/cluster.md shows what warpseq-cluster-sim prints.

    cluster_tables.py PROGRAM DOCUMENT tables|plot [--update]

Runs each command of the document. A command is a line of four spaces and "warpseq-cluster-sim ...",
and its table follows it. A plot is a file beside the document. With --update the tables or the
plots are written anew.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

program, document, what = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
update = "--update" in sys.argv
text = document.read_text()
compared = 0


def check(name, shown, made, write):
    global compared
    compared += 1
    if shown == made:
        return
    if not update:
        sys.exit(f"FAILED: {document.name} does not show what is made by\n    {name}\n{made}")
    write()


for command, table in re.findall(r"^    warpseq-cluster-sim (.*)\n\n((?:\|.*\n)*)", text, re.MULTILINE):
    arguments = command.split()
    if ("--svg" in arguments) != (what == "plot"):
        continue
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout
        if what == "plot":
            name = arguments[arguments.index("--svg") + 1]
            plot, made = document.parent / name, (pathlib.Path(folder) / name).read_text()
            check(command, plot.read_text() if plot.exists() else "", made, lambda: plot.write_text(made))
        else:
            def write():
                global text
                text = text.replace(f"{command}\n\n{table}", f"{command}\n\n{made}")
            check(command, table, made, write)
if update:
    document.write_text(text)
if compared < (1 if what == "plot" else 3):
    sys.exit(f"FAILED: {compared} commands found in {document.name}")
print(f"{compared} commands give what is shown")
