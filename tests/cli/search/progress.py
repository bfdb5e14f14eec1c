#!/usr/bin/env python3
"""Checks that searches show their progress on a terminal, and that a pipe does not get it.

    progress.py BIN

Each program runs with standard error on a pseudo-terminal. Its output there is read as it comes.
"""
import os
import pty
import random
import re
import subprocess
import sys
import tempfile
import time

BIN = os.path.abspath(sys.argv[1])
LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def fail(text):
    sys.exit("FAILED: " + text)


def run_on_terminal(arguments, output=subprocess.DEVNULL):
    """Returns the texts drawn, as (seconds since the start, text), and the time of the run."""
    terminal, side = pty.openpty()
    start = time.monotonic()
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=side if output == "terminal" else output, stderr=side)
    os.close(side)
    drawn = []
    while True:
        try:
            text = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not text:
            break
        drawn.append((time.monotonic() - start, text.decode()))
    os.close(terminal)
    if process.wait() != 0:
        fail(f"{arguments}: exit status {process.returncode}: {drawn}")
    return drawn, time.monotonic() - start


def check_search(arguments):
    """Fails unless the bar appears early, moves forward in each piece of work, and disappears."""
    drawn, seconds = run_on_terminal(arguments)
    text = "".join(each for _, each in drawn)
    last = {}
    shown = []
    for label, percent in re.findall(r"\r\x1b\[K([A-Za-z ]+) \[[#.]+\]\s+(\d+) %", text):
        if int(percent) < last.get(label, 0):
            fail(f"{arguments}: {label} goes from {last[label]} % back to {percent} %")
        last[label] = int(percent)
        shown.append(int(percent))
    # The first text comes after half a second on an idle machine. This one may be busy.
    if not shown or drawn[0][0] > max(1.5, seconds / 3):
        fail(f"{arguments}: of {seconds:.1f} s nothing is drawn for {drawn[0][0] if drawn else seconds:.1f} s")
    if len({percent for percent in shown if 0 < percent < 100}) < 3:
        fail(f"{arguments}: the bar does not move: {shown}")
    if not text.endswith("\r\x1b[K"):
        fail(f"{arguments}: something is left on the terminal: {text[-80:]!r}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    rng = random.Random(5)

    def protein(residues):
        return "".join(rng.choice(LETTERS) for _ in range(residues))

    queries = [protein(350) for _ in range(12)]
    with open("q.fa", "w") as file:
        file.write("".join(f">q{i}\n{query}\n" for i, query in enumerate(queries)))
    with open("db.fa", "w") as file:
        for i in range(2200):
            relative = "".join(letter if rng.random() < 0.6 else rng.choice(LETTERS) for letter in queries[i % 12]) if i % 10 == 0 else ""
            file.write(f">t{i}\n{relative}{protein(300)}\n")
    subprocess.run([f"{BIN}/dbconv", "db.fa", "-o", "db.wsdb", "--quiet"], check=True)
    # The searches are slow, and the database is smaller than a chunk.
    with open("q.fa") as queries, open("more.fa", "w") as file:
        file.write(queries.read() * 3)
    slowly = ["--device", "cpu", "--cpu-backend", "portable", "--threads", "1", "-d", "db.wsdb", "-q", "q.fa", "-o", "out.txt"]
    # On a quick machine, these two searches finish q.fa before a bar has moved.
    with open("q.fa") as queries, open("more.fa", "w") as file:
        file.write(queries.read() * 3)
    longer = [word.replace("q.fa", "more.fa") for word in slowly]
    check_search([f"{BIN}/search", "sw", *longer])
    check_search([f"{BIN}/search", "blastp", *longer])
    check_search([f"{BIN}/search", "hmm", *slowly, *["-d", "db.wsdb"] * 6])
    if run_on_terminal([f"{BIN}/search", "sw", *slowly, "--quiet"])[0]:
        fail("--quiet draws")
    piped = subprocess.run([f"{BIN}/search", "sw", *slowly], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if piped.returncode != 0 or piped.stderr:
        fail(f"standard error, a pipe, gets {piped.stderr!r}")
    # The bar is not drawn into a report on the same terminal. Without the bars, the terminal shows
    # what a pipe gets.
    everything = ["sw", *slowly[:-2], "--outfmt", "6", "--evalue", "1000"]
    report = subprocess.run([f"{BIN}/search", *everything], stdout=subprocess.PIPE, check=True).stdout.decode()
    drawn, _ = run_on_terminal([f"{BIN}/search", *everything], "terminal")
    text = "".join(each for _, each in drawn).replace("\r\n", "\n")
    if text[text.rindex("\x1b[K") + 3:] != report:
        fail("the report on a terminal has a bar in it")
print("progress is drawn where a person looks, and nowhere else")
