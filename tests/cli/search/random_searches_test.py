#!/usr/bin/env python3
"""Runs random searches on two devices. The outputs of both have to be the same, byte for byte.

    random_searches_test.py PROGRAMS [--count N] [--seed S] [--devices A,B] [--jobs N]
                            [--time-limit SECONDS] [--real FILE...] [--profiles FILE...]

PROGRAMS is the folder of dbconv and search. A device is one that `search --device` takes, or
cpu:NAME with the name of a back end of the CPU, as in `--devices cpu,cpu:portable`. All engines take
turns: sw, hmm with profiles, hmm with sequences (phmmer), jackhmmer, hmmscan, blastp and pair. Each
search has options, queries and databases of its own (random_searches.py). Both devices get the same
command line, except for options that must not change a result: the device, its memory, threads and
the size of chunks. No output names these or the time, so every byte of every file is compared, and the exit
status as well. A search that both devices refuse with the same message is counted apart.

The same seed gives the same searches if --real and --profiles name the same files. If a search
differs, its command lines, the first line that differs and the folder of its files are printed, and
the folder stays. `--first NUMBER --count 1` with the same other options repeats search NUMBER.

Without a GPU, a comparison with `cuda` is skipped. With --self-test, the program instead shows that
it finds outputs that were changed.

The exit status is 0 if all searches were the same, 1 if something differs, and 77 if the test was
skipped.
"""
import argparse
import collections
import functools
import itertools
import multiprocessing
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

sys.dont_write_bytecode = True  # the source tree must stay without bytecode

import random_searches as r
from random_databases import GIANT_RESIDUES, Sources

SAME, REFUSED, DIFFERENT, NOT_RUN = "same", "refused", "different", "not run"
SKIPPED_STATUS = 77
SECONDS_OF_A_RUN = 120
PLACES = ("first", "second")  # folders of the devices' outputs
# The messages of a machine without a GPU, and of programs that were built without kernels for GPUs.
NO_GPU = ("no usable GPU", "built without kernels for GPUs")
# Reports that are not tables have one of these for each alignment.
SIGNS_OF_HITS = (b"\n Score = ", b"<Hsp_num>", b"<bit-score>", b'"bit_score"', b'"cigar"', b'"score"', b"# Score: ")
TABLES = ("6", "7", "10", "paf", "sam")
SLOW_BACKENDS = ("portable", "reference")
MOST_REFUSED = 0.05  # share of searches that may be refused
LEAST_WITH_HITS = 0.5  # share of searches that have to have hits


@dataclass(frozen=True)
class Outcome:
    """The result of a search on one device. `files` holds the bytes of each file that it wrote."""

    command: list
    status: int
    message: bytes
    files: dict


@dataclass(frozen=True)
class Verdict:
    """The result of comparing a search. `text` describes a difference, or a refusal."""

    kind: str
    engine: str
    number: int
    text: str = ""
    with_hits: bool = False
    with_giant: bool = False


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", help="folder of dbconv and search")
    parser.add_argument("--count", type=int, default=100, help="searches (default: 100)")
    parser.add_argument("--first", type=int, default=0, help="number of the first search (default: 0)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the searches (default: 1)")
    parser.add_argument("--devices", default="cpu,cuda", metavar="A,B", help="what to compare (default: cpu,cuda)")
    parser.add_argument("--jobs", type=int, default=1, help="searches at a time (default: 1)")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="begin no search after this time")
    parser.add_argument("--real", nargs="+", default=[], metavar="FILE", help="FASTA files to take pieces of")
    parser.add_argument("--profiles", nargs="+", default=[], metavar="FILE", help="profiles in HMMER3's format")
    parser.add_argument("--most-residues", type=int, default=r.Sizes.target_residues, metavar="N",
                        help="residues of the largest database (default: %(default)s)")
    parser.add_argument("--found", metavar="FOLDER", help="folder for searches that differ (default: a temporary one)")
    parser.add_argument("--verbose", action="store_true", help="print a line for each search, with its seconds")
    parser.add_argument("--self-test", action="store_true", help="show that changed outputs are found")
    args = parser.parse_args()
    args.programs = os.path.abspath(args.programs)
    args.devices = args.devices.split(",", 1)
    if len(args.devices) != 2:
        parser.error("--devices takes two devices, separated by a comma")
    return args


def run(command, folder):
    """Returns the exit status and the messages of a command. A command that takes too long has the
    status of a killed one."""
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, timeout=SECONDS_OF_A_RUN)
    except subprocess.TimeoutExpired:
        return -signal.SIGKILL, f"no end after {SECONDS_OF_A_RUN} s".encode()
    return done.returncode, done.stderr


def read_files(folder):
    files = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    return files


def first_difference(first, second):
    """Returns a description of the first line in which two files differ. Of long lines it shows the
    part around the first difference."""
    lines = first.split(b"\n"), second.split(b"\n")
    at = next((at for at, (a, b) in enumerate(zip(*lines)) if a != b), min(map(len, lines)))
    pair = [each[at] if at < len(each) else b"(no such line)" for each in lines]
    column = next((column for column, (a, b) in enumerate(zip(*pair)) if a != b), min(map(len, pair)))
    start = max(0, column - 100)
    shown = [repr(line[start : start + 300])[1:] for line in pair]
    return f"line {at + 1}\n    column {column + 1}, shown from {start + 1}:\n    {shown[0]}\n    {shown[1]}"


def difference(first, second):
    """Returns a description of what differs in two outcomes, or None."""
    for outcome in (first, second):
        if outcome.status not in (0, 1, 2):
            return f"exit status {outcome.status} of {shlex.join(outcome.command)}: {outcome.message[-500:]!r}"
    if first.status != second.status:
        return f"exit status {first.status} and {second.status}: {first.message[-300:]!r} and {second.message[-300:]!r}"
    if first.status != 0 and first.message != second.message:
        return f"messages: {first.message[-300:]!r} and {second.message[-300:]!r}"
    if set(first.files) != set(second.files):
        return f"files {', '.join(first.files)} and {', '.join(second.files)}"
    for name, content in first.files.items():
        if content != second.files[name]:
            return f"{name}: {first_difference(content, second.files[name])}"
    return None


def has_hits(outcome):
    """Returns whether a search has found something."""
    words = outcome.command
    domains = outcome.files.get("dom")
    if domains is None and words[words.index("--outfmt") + 1].split()[0] not in TABLES:
        return any(sign in content for content in outcome.files.values() for sign in SIGNS_OF_HITS)
    table = outcome.files.get("out", b"") if domains is None else domains
    rows = [line for line in table.split(b"\n") if line and line[:1] not in b"#@"]
    return len(rows) > (domains is None and "--header" in words)


def missing_gpu(args):
    """Returns the reason that there is no GPU, or None if there is one or none is needed."""
    devices = [device for device in args.devices if not device.startswith("cpu")]
    with tempfile.TemporaryDirectory(prefix="warpseq-random-") as folder:
        with open(os.path.join(folder, "one.fa"), "w") as file:
            file.write(">one\nMKVLAWTTRSEELKQQ\n")
        for device in devices:
            words = ["sw", "--quiet", "-q", "one.fa", "-d", "one.fa", "--device", device]
            command = [os.path.join(args.programs, "search"), *words]
            status, message = run(command, folder)
            text = message.decode(errors="replace").strip()
            if status != 0 and any(each in text for each in NO_GPU):
                return text
            if status != 0:
                sys.exit(f"FAILED: exit status {status} of {shlex.join(command)}\n{text}")
    return None


class Comparison:
    """Draws, runs and compares searches."""

    def __init__(self, args, work):
        self.args, self.work = args, work
        self.begin = time.monotonic()
        self.programs = {name: os.path.join(args.programs, name) for name in ("dbconv", "search")}
        self.sources = Sources(args.real, args.profiles, args.seed)
        self.sources.build_profiles(self.programs["search"], work, args.seed)
        self.sizes = r.Sizes(target_residues=args.most_residues)
        if any(device.partition(":")[2] in SLOW_BACKENDS for device in args.devices):
            self.sizes.cells //= 10

    def prepare(self, search, folder):
        """Writes the files of a search and makes its databases."""
        for name, text in search.texts.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        for name, codec in search.databases:
            words = [name + ".fa", "-o", name + ".wsdb", "--codec", codec, "--quiet", "--threads", "2"]
            command = [self.programs["dbconv"], *words]
            status, message = run(command, folder)
            if status != 0:
                raise RuntimeError(f"exit status {status} of {shlex.join(command)} in {folder}: {message.decode()}")

    def outcomes(self, search, rng, folder, spoil):
        """Returns what both devices made of a search. `spoil` is for the self-test."""
        made = []
        for place, device in zip(PLACES, self.args.devices):
            words = [*search.words, *r.machine_words(rng, device, search.engine), "--quiet", "-o", "out"]
            command = [self.programs["search"], *words]
            there = os.path.join(folder, place)
            os.makedirs(there)
            status, message = run(command, there)
            if spoil and place == PLACES[1]:
                spoil(there)
            made.append(Outcome(command, status, message, read_files(there)))
        return made

    def play(self, number, spoil=None):
        """Runs search `number` on both devices and compares it. Its files stay only if it
        differs."""
        if self.args.time_limit is not None and time.monotonic() - self.begin >= self.args.time_limit:
            return Verdict(NOT_RUN, "", number)
        start = time.monotonic()
        search, rng = r.draw_search(self.args.seed, number, self.sources, self.sizes)
        folder = os.path.join(self.work, f"search-{self.args.seed}-{number}")
        os.makedirs(folder)
        drawn = time.monotonic()
        try:
            self.prepare(search, folder)
        except RuntimeError as error:
            text = f"FAILED: search {number}, {search.engine}: {error}"
            return Verdict(DIFFERENT, search.engine, number, self.keep(folder, lambda kept: f"{text}\nin {kept}"))
        first, second = self.outcomes(search, rng, folder, spoil)
        differs = difference(first, second)
        if differs:
            text = self.report(search, number, folder, differs, first, second)
            return Verdict(DIFFERENT, search.engine, number, text)
        shutil.rmtree(folder)
        if self.args.verbose:
            seconds = f"{drawn - start:.2f} + {time.monotonic() - drawn:.2f} s"
            print(f"search {number}, {seconds}, status {first.status}: {shlex.join(second.command[1:])}", flush=True)
        if first.status != 0:
            message = first.message.decode(errors="replace").strip()
            return Verdict(REFUSED, search.engine, number, f"search {number}: {shlex.join(first.command)}: {message}")
        return Verdict(SAME, search.engine, number, "", has_hits(first), search.has_giant())

    def report(self, search, number, folder, differs, first, second):
        """Keeps the folder of a search that differs. Returns a description, which is also in the
        folder's README."""
        def describe(kept):
            commands = [f"  cd {shlex.quote(os.path.join(kept, place))} && {shlex.join(outcome.command)}"
                        for place, outcome in zip(PLACES, (first, second))]
            return "\n".join([f"DIFFERENT: search {number}, {search.engine}: {differs}", *commands])
        return self.keep(folder, describe)

    def keep(self, folder, describe):
        """Keeps a folder, where --found says or where it is. Returns its description, which
        describe(folder) makes, and which is also in the folder's README."""
        if self.args.found:
            kept = os.path.join(os.path.abspath(self.args.found), os.path.basename(folder))
            shutil.rmtree(kept, ignore_errors=True)
            os.makedirs(self.args.found, exist_ok=True)
            folder = shutil.move(folder, kept)
        text = describe(folder)
        with open(os.path.join(folder, "README"), "w") as file:
            file.write(text + "\n")
        return text


class Worker:
    """A process that plays searches. It gets the comparison once, and then numbers of searches."""

    comparison = None

    @classmethod
    def start(cls, comparison):
        cls.comparison = comparison

    @classmethod
    def play(cls, number):
        return cls.comparison.play(number)


def compare_all(comparison, args):
    """Plays all searches and returns their verdicts. Differences are printed when they are found."""
    verdicts = []
    with multiprocessing.Pool(args.jobs, Worker.start, (comparison,)) as pool:
        for verdict in pool.imap_unordered(Worker.play, range(args.first, args.first + args.count)):
            verdicts.append(verdict)
            if verdict.kind == DIFFERENT:
                print(verdict.text, flush=True)
    return verdicts


def summary(verdicts, args, seconds):
    kinds = collections.Counter(verdict.kind for verdict in verdicts)
    engines = collections.Counter(verdict.engine for verdict in verdicts if verdict.kind == SAME)
    by_engine = ", ".join(f"{engine} {engines[engine]}" for engine in r.ENGINES)
    hits = sum(verdict.with_hits for verdict in verdicts)
    giants = sum(verdict.with_giant for verdict in verdicts)
    return (f"{' and '.join(args.devices)}, seed {args.seed}, {seconds:.0f} s: {kinds[SAME]} of {args.count} searches "
            f"the same ({by_engine}), {hits} of them with hits, {giants} with sequences of {GIANT_RESIDUES} residues "
            f"or more; refused {kinds[REFUSED]}; not run {kinds[NOT_RUN]}; differences {kinds[DIFFERENT]}")


def engine_of(verdict):
    return verdict.engine


def judge(verdicts):
    """Returns what is wrong with a run as a whole, besides the differences that were printed, or
    None."""
    played = [verdict for verdict in verdicts if verdict.kind != NOT_RUN]
    refused = [verdict for verdict in played if verdict.kind == REFUSED]
    if len(played) == len(refused):
        return "no search was compared"
    if len(played) >= 20 and len(refused) > MOST_REFUSED * len(played):
        return "too many searches are refused:\n" + "\n".join(verdict.text for verdict in refused[:10])
    if len(played) >= 20 and sum(verdict.with_hits for verdict in played) < LEAST_WITH_HITS * len(played):
        return "too few searches have hits"
    for engine, its_verdicts in itertools.groupby(sorted(played, key=engine_of), engine_of):
        hits = [verdict.with_hits for verdict in its_verdicts]
        if len(hits) >= 8 and not any(hits):
            return f"no search of {engine} has hits"
    return None


def spoiled_outputs(folder):
    """Yields functions that spoil the outputs in a folder, and the beginning of the difference that
    each has to give. `folder` has the outputs of a search that nobody spoiled."""
    contents = {name: content for name, content in read_files(folder).items() if content}
    for name, content in contents.items():
        for at in sorted({0, len(content) // 2, len(content) - 1} if name == "out" else {len(content) // 2}):
            other = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
            yield functools.partial(overwrite, name, other), f"{name}: line {content[:at].count(10) + 1}\n"
        yield functools.partial(overwrite, name, content + b"x"), f"{name}: line {content.count(10) + 1}\n"
    yield functools.partial(overwrite, "another", b""), "files "
    yield functools.partial(remove, next(iter(read_files(folder)))), "files "


def overwrite(name, content, folder):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


def remove(name, folder):
    os.remove(os.path.join(folder, name))


def self_test(comparison, args):
    """Shows for a search of each engine that spoiled outputs are found: a changed byte in any file,
    a file that is longer, and files that only one device wrote. Also shows that other exit statuses
    and crashes are found. Returns an exit status."""
    wrong = 0
    same = Outcome(["search"], 0, b"", {})
    for status, expected in (1, "exit status 0 and 1:"), (-11, "exit status -11 of search"):
        found = difference(same, Outcome(["search"], status, b"", {})) or "nothing"
        wrong += not found.startswith(expected)
    both_crashed = Outcome(["search"], 139, b"", {})
    wrong += not difference(both_crashed, both_crashed)
    wrong += not difference(Outcome(["search"], 1, b"one", {}), Outcome(["search"], 1, b"other", {}))
    for number in range(args.first, args.first + len(r.ENGINES)):
        spoils = []
        verdict = comparison.play(number, lambda folder: spoils.extend(spoiled_outputs(folder)))
        if verdict.kind != SAME:
            print(f"search {number} is {verdict.kind}: {verdict.text}")
            wrong += 1
        for spoil, expected in spoils:
            verdict = comparison.play(number, spoil)
            folder = os.path.join(args.found or comparison.work, f"search-{args.seed}-{number}")
            found = verdict.kind == DIFFERENT and f": {expected}" in verdict.text
            if not found or not os.path.exists(os.path.join(folder, "README")):
                print(f"search {number}: expected {expected!r}, not {verdict.kind}: {verdict.text}")
                wrong += 1
            shutil.rmtree(folder, ignore_errors=True)
        print(f"{verdict.engine}: {len(spoils)} spoiled outputs")
    print(f"FAILED: {wrong} are not found" if wrong else "all are found")
    return 1 if wrong else 0


def compare(comparison, args):
    """Plays all searches, and prints differences and a summary. Returns an exit status."""
    verdicts = compare_all(comparison, args)
    print(summary(verdicts, args, time.monotonic() - comparison.begin))
    different = sum(verdict.kind == DIFFERENT for verdict in verdicts)
    wrong = f"{different} differences, in {args.found or comparison.work}" if different else judge(verdicts)
    if wrong:
        print(f"FAILED: {wrong}")
    return 1 if wrong else 0


def main():
    args = arguments()
    reason = missing_gpu(args)
    if reason:
        print(f"skipped: no GPU, so {' and '.join(args.devices)} are not compared ({reason})")
        return SKIPPED_STATUS
    work = tempfile.mkdtemp(prefix="warpseq-random-")
    try:
        comparison = Comparison(args, work)
        return self_test(comparison, args) if args.self_test else compare(comparison, args)
    finally:
        for name in os.listdir(work):
            if not os.path.exists(os.path.join(work, name, "README")):
                path = os.path.join(work, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        if not os.listdir(work):
            os.rmdir(work)


if __name__ == "__main__":
    sys.exit(main())
