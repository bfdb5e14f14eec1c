#!/usr/bin/python3
"""Compares the engines of `search` with other programs, on random inputs and options: `hmm` with
hmmsearch and phmmer, `jackhmmer` with jackhmmer, `blastp` with blastp, and `pair` and `sw` with
parasail.

    compare.py PROGRAMS [--engine NAME]... [--cases N | --seconds S] [--seed N] [--jobs N]
               [--found FOLDER]

PROGRAMS is the folder of dbconv and search. A case is one query under one set of options (for
`pair`, one pair). The same seed gives the same cases if the same proteins and profiles are
installed. Cases that differ are made as small as possible. They are left in a folder below FOLDER
with their input, both commands and both outputs. Known and documented differences are counted by
name, apart from the others (EXCEPTED in each engine's file).

The exit status is 0 if nothing differs and 1 if something differs. It is 77 if an engine's
reference is not installed, which the script then reports.
"""
import argparse
import collections
import functools
import importlib
import multiprocessing
import os
import random
import shlex
import shutil
import signal
import sys
import tempfile
import time

sys.dont_write_bytecode = True  # the source tree must stay without bytecode

import case as c
from material import Material

ENGINES = ("hmm", "jackhmmer", "blastp", "pair", "sw")
SKIPPED_STATUS = 77
RUNS_TO_MINIMISE = 400
CASES_A_LINE = 1000  # cases after which a long run prints its progress


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", help="folder of dbconv and search")
    parser.add_argument("--engine", action="append", choices=ENGINES, help="of these only; may be given several times")
    parser.add_argument("--cases", type=int, help="about as many cases an engine (default: 100)")
    parser.add_argument("--seconds", type=float, help="go on this long an engine instead; inf: until interrupted")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="processes, which take rounds in turn (default: 1)")
    parser.add_argument("--first-round", type=int, default=0, help="go on from this round of the seed's")
    parser.add_argument("--found", default="differences-found", help="folder for what differs (default: differences-found)")
    parser.add_argument(
        "--most-found", type=int, default=50, help="stop an engine after as many differences (default: 50)"
    )
    parser.add_argument(
        "--minimise", type=int, default=2, metavar="N", help="make the first N of each kind small (default: 2)"
    )
    return parser.parse_args()


class Comparison:
    """The cases, counts and findings of one engine."""

    def __init__(self, engine, args):
        self.engine, self.args = engine, args
        self.cases = (args.cases or 100) / args.jobs
        self.counts = collections.Counter()
        self.kinds = collections.Counter()
        self.runs = self.compared = self.found = 0

    def summary(self):
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(self.counts.items())) or "none"
        lines = [
            f"{self.engine.name}: {sum(self.counts.values())} cases in {self.runs} runs of both programs: {counts}; "
            f"{self.compared} rows compared"
        ]
        lines += [f"  {count} x {kind}" for kind, count in self.kinds.most_common()]
        return "\n".join(lines)

    def add(self, other):
        self.counts += other.counts
        self.kinds += other.kinds
        self.runs += other.runs
        self.compared += other.compared
        self.found += other.found

    def go(self, job=0):
        start, number = time.monotonic(), self.args.first_round + job
        with tempfile.TemporaryDirectory(prefix="differences-") as work:
            while self.found < self.args.most_found:
                if self.args.seconds is not None:
                    if time.monotonic() - start >= self.args.seconds:
                        break
                elif sum(self.counts.values()) >= self.cases:
                    break
                before = sum(self.counts.values()) // CASES_A_LINE
                self.round(number, work)
                number += self.args.jobs
                if sum(self.counts.values()) // CASES_A_LINE > before:
                    print(f"{time.monotonic() - start:.0f} s, job {job}: {self.summary()}", flush=True)

    def round(self, number, work):
        rng = random.Random(f"{self.engine.name} {self.args.seed} {number}")
        cases = self.engine.round(rng)
        folder = os.path.join(work, "round")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        try:
            self.engine.prepare(cases[0].targets, folder)
        except c.Unprepared as refusal:
            self.kinds[f"rounds left out: {refusal}"] += 1
            return
        for place, case in enumerate(cases):
            outcome = self.engine.check(case, folder)
            self.runs += 1
            self.counts[outcome.kind] += self.engine.count(case)
            if outcome.kind == c.SAME:
                self.compared += int(outcome.text or 0)
            elif outcome.kind in (c.EXCEPTED, c.ORIGINAL_FAILED):
                self.kinds[f"{outcome.kind}: {outcome.mark}"] += 1
                if outcome.kind == c.ORIGINAL_FAILED:
                    print(
                        f"{outcome.text.strip()} ({case.program} {shlex.join(case.words())}, round {number})",
                        flush=True,
                    )
            elif outcome.kind == c.DIFFERENT:
                self.kinds[f"{outcome.kind}: {outcome.mark}"] += 1
                self.report(case, outcome, f"{self.engine.name}-{self.args.seed}-{number}-{place}")

    def report(self, case, outcome, name):
        self.found += 1
        print(
            f"DIFFERENT {name} ({case.program} {shlex.join(case.words())}): {outcome.mark}\n{outcome.text}", flush=True
        )
        smaller, runs = case, 0
        if self.kinds[f"{outcome.kind}: {outcome.mark}"] <= self.args.minimise:
            smaller, runs = c.minimised(self.engine, case, outcome.mark, RUNS_TO_MINIMISE)
        folder = os.path.join(self.args.found, name)
        outcome = c.checked_alone(self.engine, smaller, folder)
        with open(os.path.join(folder, "README"), "w", encoding="latin-1") as file:
            their_command, our_command = self.engine.commands(smaller)
            file.write(
                f"{outcome.mark}\n{outcome.text}\n\nin theirs: {shlex.join(map(str, their_command))}\n"
                f"in ours:   {shlex.join(map(str, our_command))}\n"
            )
        print(
            f"  smaller ({runs} runs): {len(smaller.queries)} queries, {len(smaller.targets)} targets, options "
            f"{shlex.join(smaller.words()) or 'none'}, in {folder}\n  {outcome.text}",
            flush=True,
        )


def compared(engine, args, job):
    """Returns the comparison of one job. An interrupt ends the job, and its findings so far are
    returned."""
    comparison = Comparison(engine, args)
    try:
        comparison.go(job)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return comparison


def main():
    args = arguments()
    programs = {name: os.path.abspath(os.path.join(args.programs, name)) for name in ("dbconv", "search", "inspect")}
    here = os.path.dirname(os.path.abspath(__file__))
    shared = os.environ.get("WARPSEQ_SHARED") or os.path.join(here, "../../../../shared")
    material = Material(shared if os.path.isdir(shared) else "")
    print("proteins from " + ", ".join(os.path.basename(source) for source in material.sources))
    found, skipped, interrupted = 0, 0, False
    for name in args.engine or ENGINES:
        engine = importlib.import_module(name).Engine(programs, material)
        reason = engine.missing()
        if reason:
            print(f"SKIPPED: {name} is compared with nothing: {reason}")
            skipped += 1
            continue
        comparison = Comparison(engine, args)
        with multiprocessing.Pool(args.jobs) as pool:
            jobs = pool.map_async(functools.partial(compared, engine, args), range(args.jobs), chunksize=1)
            try:
                jobs.wait()
            except KeyboardInterrupt:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                interrupted = True
                for child in multiprocessing.active_children():
                    os.kill(child.pid, signal.SIGINT)
            for each in jobs.get():
                comparison.add(each)
        print(comparison.summary(), flush=True)
        if interrupted:
            return 130
        found += comparison.found
    if found:
        print(f"FAILED: {found} differences, in {args.found}")
        return 1
    return SKIPPED_STATUS if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
