#!/usr/bin/env python3
"""Makes allocations of a program fail, one after the other, in small runs.

    out_of_memory.py BIN LIBRARY [--every N] [--start K] [--sampled N] [--case NAME]

BIN is the folder of the programs, LIBRARY the one of tests/support/failing_allocations.cpp. Each
case runs once for each chosen allocation, which fails alone. For some allocations it runs once
more, and all later ones fail, too. A run has to end with exit status 0 and the output of an
undisturbed run, or with 1, a message about memory and no incomplete file. It must not end by a
signal, and must not hang. The same follows with two threads, for some allocations.

--every N: makes every N-th allocation fail alone. The default, 20, takes half a minute. --every 1
takes all allocations, which takes ten minutes (make check-all).
--start K: begins with the K-th allocation, where K is from 1 to N. The default is 1.
--sampled N: takes only N allocations of each round, chosen at random but always the same ones. This
is for builds with the address sanitizer, where a run takes 50 times as long and a leak is an error.
"""
import argparse
import gzip
import mmap
import os
import random
import re
import shutil
import signal
import struct
import sys
import tempfile

SECONDS = 60  # no run takes a tenth of a second, but machines may be busy
ALL = 1 << 40
EVERY = 20
SANITIZER_STATUS = 77

PROTEINS = (">P1 first protein\nMKVLACDEFGHIKLMNPQRSTVWYMKVLAAGIVGLPNAGKSTLFNAITGAKAEAANYPFCTIEPNVG\n"
            ">P2 second\nMKVLACDEFGHIKLWNPQRSTVWYMKVLAGIVGLPNAGKSTLFNALTGAKAEAANYPFATIEPNVGIVE\n"
            ">P3 third\nBZXUACDEFGHIKL\n>P4 short\nMK\n>P5 empty\n"
            + "".join(f">N{i} more of them\n{'ACDEFGHIKLMNPQRSTVWY'[i:] * 3}MKVLACDEFGHIKL\n" for i in range(9)))
QUERIES = ">Q1 a query\nMKVLACDEFGHIKLMNPQRSTVWYMKVLAAGIVGLPNAGKSTLFNAITGAKAEAANYPFC\n"
ALIGNMENT = ">a\nMKV--LATwxGH\n>b\nMKVA-LAT--GH\n>c\nMRVAB-VTK-GY\n"
DNA = [">a\n" + "ACGTTGCAAC" * 9 + "\n", ">b\n" + "ACGTTGCTAC" * 9 + "\n"]


class Case:
    def __init__(self, name, arguments, outputs=()):
        self.name, self.arguments, self.outputs = name, arguments, list(outputs)


def cases(golden):
    search = ["--device", "cpu"]
    hmm = os.path.join(golden, "hmm", "every-field-3f.hmm")
    yield Case("dbconv", ["dbconv", "in.fa", "-o", "out"], ["out"])
    yield Case("dbconv_zstd", ["dbconv", "in.fa.gz", "-o", "out", "--codec", "zstd", "--memory", "100M"], ["out"])
    yield Case("dbconv_titled", ["dbconv", "zstd.wsdb", "-o", "out", "--title", "what it is called"], ["out"])
    for codec in ["packed", "zstd"]:
        yield Case(f"inspect_validate_{codec}", ["inspect", "validate", f"{codec}.wsdb"])
    yield Case("inspect_validate_json", ["inspect", "validate", "packed.wsdb", "--json"])
    for command in ["info", "stats"]:
        yield Case(f"inspect_{command}", ["inspect", command, "packed.wsdb"])
        yield Case(f"inspect_{command}_json", ["inspect", command, "zstd.wsdb", "--json"])
    yield Case("inspect_fasta", ["inspect", "fasta", "zstd.wsdb", "-o", "out"], ["out"])
    yield Case("inspect_fetch", ["inspect", "fetch", "packed.wsdb", "P1", "N3", "N3:2-"])
    yield Case("sw", ["search", "sw", "-q", "q.fa", "-d", "zstd.wsdb", "-o", "out", *search], ["out"])
    yield Case("sw_fasta", ["search", "sw", "-q", "q.fa", "-d", "in.fa", "-d", "in.fa.gz", "-o", "out", *search], ["out"])
    yield Case("sw_adjusted", ["search", "sw", "-q", "q.fa", "-d", "packed.wsdb", "--comp-stats", "2", *search])
    yield Case("sw_json", ["search", "sw", "-q", "q.fa", "-d", "packed.wsdb", "--outfmt", "json", "-o", "out", *search], ["out"])
    yield Case("hmm", ["search", "hmm", "-q", hmm, "-d", "packed.wsdb", "-o", "out", "--tblout", "table", "--max", *search],
               ["out", "table"])
    yield Case("phmmer", ["search", "hmm", "-q", "q.fa", "-d", "zstd.wsdb", *search])
    yield Case("jackhmmer", ["search", "jackhmmer", "-q", "q.fa", "-d", "packed.wsdb", "-N", "2", "--incE", "1000", "--incdomE", "1000", "-A", "table",
                             "-o", "out", *search], ["out", "table"])
    # The profile is not compared, because it contains the time.
    yield Case("hmmbuild", ["search", "hmmbuild", "-q", "in.afa", "--amino", "--wgsc", "-O", "out", "--summary", "table", "-o", "/dev/null"],
               ["out", "table"])
    yield Case("blastp", ["search", "blastp", "--query", "q.fa", "--db", "packed.wsdb", "--out", "out", *search], ["out"])
    yield Case("blastp_xml", ["search", "blastp", "--query", "q.fa", "--db", "zstd.wsdb", "--outfmt", "5", *search])
    for outfmt in ["15", "16"]:
        yield Case(f"blastp_{outfmt}", ["search", "blastp", "--query", "q.fa", "--db", "packed.wsdb", "--outfmt", outfmt, *search])
    yield Case("blastp_13", ["search", "blastp", "--query", "q.fa", "--db", "packed.wsdb", "--outfmt", "13", "--out", "out", *search],
               ["out", "out_1.json"])
    yield Case("pair", ["search", "pair", "a.fa", "b.fa", "-o", "out", *search], ["out"])
    yield Case("pair_list", ["search", "pair", "two.fa", "two.fa", "--pairs", "list", "-o", "out", *search], ["out"])
    yield Case("pair_json", ["search", "pair", "two.fa", "two.fa", "--all-pairs", "--outfmt", "json", "-o", "out", *search], ["out"])
    yield Case("pair_checkpoint", ["search", "pair", "a.fa", "b.fa", "--checkpoint", "check", *search])


class Timeout(Exception):
    pass


def on_alarm(_signal, _frame):
    raise Timeout()


class Runner:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.scratch = tempfile.mkdtemp(prefix="warpseq-plan-")
        self.plan_file = os.path.join(self.scratch, "plan")
        self.stdout, self.stderr = os.path.join(self.scratch, "out"), os.path.join(self.scratch, "err")
        with open(self.plan_file, "wb") as file:
            file.write(bytes(24))
        with open(self.plan_file, "r+b") as file:
            self.plan = mmap.mmap(file.fileno(), 24)
        self.environment = dict(os.environ, LC_ALL="C", LD_PRELOAD=options.library,
                                WARPSEQ_FAILING_ALLOCATIONS=self.plan_file,
                                ASAN_OPTIONS=f"verify_asan_link_order=0:exitcode={SANITIZER_STATUS}")
        self.environment.pop("TMPDIR", None)
        self.inputs = set(os.listdir(folder))
        signal.signal(signal.SIGALRM, on_alarm)

    def close(self):
        self.plan.close()
        shutil.rmtree(self.scratch)

    def run(self, case, threads, first, count):
        """Runs a case, in which allocation `first` and the `count` - 1 after it fail.

        Returns the exit status (negative for a signal), standard output, standard error, the new
        files as {name: content}, and the number of allocations.
        """
        self.plan[:] = struct.pack("<QQQ", first, count, 0)
        arguments = list(case.arguments)
        if arguments[:2] not in (["inspect", "info"], ["inspect", "stats"], ["inspect", "fasta"], ["inspect", "fetch"]):
            arguments += ["--threads", str(threads)]
        program = os.path.join(self.options.bin, arguments[0])
        write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
                   (os.POSIX_SPAWN_OPEN, 1, self.stdout, write, 0o600), (os.POSIX_SPAWN_OPEN, 2, self.stderr, write, 0o600)]
        child = os.posix_spawn(program, arguments, self.environment, file_actions=actions)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            _, status = os.waitpid(child, 0)
        except Timeout:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        files = {}
        for name in set(os.listdir(self.folder)) - self.inputs:
            with open(os.path.join(self.folder, name), "rb") as file:
                files[name] = file.read()
            os.unlink(os.path.join(self.folder, name))
        with open(self.stdout, "rb") as out, open(self.stderr, "rb") as err:
            return os.waitstatus_to_exitcode(status), out.read(), err.read(), files, struct.unpack("<QQQ", self.plan[:])[2]


def complaint(case, expected, found):
    """Returns what is wrong with a run, or None."""
    status, out, err, files, _ = found
    text = err.decode(errors="replace")
    if status < 0:
        return f"ended by signal {-status}"
    if b"Sanitizer" in err:
        return "the sanitizer complains"
    if status == 0:
        if out != expected[1]:
            return "standard output differs from an undisturbed run's"
        if files != expected[3]:
            return "files differ from an undisturbed run's"
        return None
    if status != 1:
        return f"exit status {status}"
    program = " ".join(case.arguments[:1 if case.arguments[0] == "dbconv" else 2])
    last = text.strip().split("\n")[-1]
    if not last.startswith(program + ": "):
        return "no message of the program"
    if not re.search(r"memory|thread", last):
        return "the message does not say that memory ran out"
    # A complete output may stay if something after it fails, such as another output.
    for name in sorted(files):
        if files[name] != expected[3].get(name):
            return "left a file: " + name
    return None


def check_case(runner, case, options):
    expected = runner.run(case, 1, 0, 0)
    if expected[0] != 0 or set(expected[3]) != set(case.outputs):
        raise SystemExit(f"{case.name}: an undisturbed run: exit status {expected[0]}, files {sorted(expected[3])}\n"
                         + expected[2].decode(errors="replace"))
    runs, faults = 0, []
    chance = random.Random(case.name)

    def one(threads, first, count):
        nonlocal runs
        runs += 1
        try:
            found = runner.run(case, threads, first, count)
        except Timeout:
            faults.append((threads, first, count, f"hangs for {SECONDS} s", ""))
            return ALL
        wrong = complaint(case, expected, found)
        if wrong:
            faults.append((threads, first, count, wrong, found[2].decode(errors="replace")[-1500:]))
        return found[4]

    for threads in (1, 2):
        for count in (1, ALL):
            if threads == 2 or count == ALL or options.sampled:
                samples = options.sampled or max(60 // options.every, 10)
                numbers = chance.sample(range(1, expected[4] + 1), min(samples, expected[4]))
                for first in sorted(numbers):
                    one(threads, first, count)
                continue
            # A thread that reads ahead makes the number of allocations vary a little. So the end is
            # where several runs in a row do not reach the number.
            first, beyond = options.start, 0
            while beyond < 3 and len(faults) < 20:
                beyond = beyond + 1 if one(threads, first, count) < first else 0
                first += options.every
    which = "" if options.every == 1 or options.sampled else f" (every {options.every}th from {options.start} on)"
    print(f"{case.name}: {expected[4]} allocations{which}, {runs} runs, {len(faults)} faults", flush=True)
    for threads, first, count, wrong, err in faults[:10]:
        print(f"  --threads {threads}, allocation {first}{'' if count == 1 else ' and all after it'}: {wrong}\n{err}")
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("library")
    parser.add_argument("--every", type=int, default=EVERY)
    parser.add_argument("--start", type=int, default=1)
    parser.add_argument("--sampled", type=int, default=0)
    parser.add_argument("--case")
    options = parser.parse_args()
    options.bin, options.library = os.path.abspath(options.bin), os.path.abspath(options.library)
    golden = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "golden"))
    chosen = [case for case in cases(golden) if options.case in (None, case.name)]
    if not chosen:
        raise SystemExit(f"no case is called {options.case}")
    folder = tempfile.mkdtemp(prefix="warpseq-memory-")
    try:
        for name, text in [("in.fa", PROTEINS), ("q.fa", QUERIES), ("a.fa", DNA[0]), ("b.fa", DNA[1]),
                           ("two.fa", "".join(DNA)), ("list", "a b\nb a\na a\n"), ("in.afa", ALIGNMENT)]:
            with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                file.write(text)
        with gzip.open(os.path.join(folder, "in.fa.gz"), "wt") as file:
            file.write(PROTEINS)
        os.chdir(folder)
        for codec in ["packed", "zstd"]:
            child = os.spawnv(os.P_WAIT, os.path.join(options.bin, "dbconv"),
                              ["dbconv", "in.fa", "-o", f"{codec}.wsdb", "--codec", codec, "--quiet"])
            if child != 0:
                raise SystemExit("dbconv fails without being disturbed")
        runner = Runner(options, folder)
        good = [check_case(runner, case, options) for case in chosen]
        runner.close()
    finally:
        os.chdir("/")
        shutil.rmtree(folder)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
