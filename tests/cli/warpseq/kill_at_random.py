#!/usr/bin/env python3
"""Kills each program at random moments and checks the files that are left.

    kill_at_random.py BIN [--kills 300] [--seed 1] [--signal KILL|TERM|INT]

BIN has dbconv, search and inspect. Each run is one of: dbconv in memory, dbconv that spills to
disk, search sw, hmm, blastp, pair, and pair with a checkpoint. In half of the runs without a
checkpoint, an earlier output is there already. After the kill, the output is the earlier one, the
complete new one, or missing if there was none. The inputs are unchanged. No other file is there,
except that SIGKILL may leave the unfinished output under its temporary name. A run with a
checkpoint is started again with the same command, and its report has to be that of a run that was
not killed.
"""
import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

LETTERS = "ACDEFGHIKLMNPQRSTVWY"


def proteins(rng, lengths, prefix):
    return "".join(f">{prefix}{i}\n{''.join(rng.choices(LETTERS, k=n))}\n" for i, n in enumerate(lengths))


def digest(path):
    with open(path, "rb") as handle:
        return hashlib.sha256(handle.read()).hexdigest()


class Scenario:
    """A command whose output is `output`; `checkpoint` is a file that the command goes on from."""

    def __init__(self, name, command, output, checkpoint=None):
        self.name, self.command, self.output, self.checkpoint = name, command, output, checkpoint


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--signal", default="KILL", choices=["KILL", "TERM", "INT"])
    args = parser.parse_args()
    rng = random.Random(args.seed)
    number = getattr(signal, "SIG" + args.signal)
    programs = {name: os.path.join(os.path.abspath(args.bin), name) for name in ("dbconv", "search", "inspect")}
    problems, killed, ended, unheard = [], {}, 0, 0

    with tempfile.TemporaryDirectory(prefix="warpseq-kill-") as work:
        os.chdir(work)
        with open("many.fa", "w") as handle:
            handle.write(proteins(rng, [rng.randint(50, 900) for _ in range(12000)], "t"))
        # The input is larger than the least memory that dbconv takes, so that it spills.
        with open("many.fa") as one, open("big.fa", "w") as handle:
            handle.write(one.read() * 14)
        with open("queries.fa", "w") as handle:
            handle.write(proteins(rng, [300, 120, 500, 80], "q"))
        dna = "".join(rng.choices("ACGT", k=24000))
        for name in ("a.fa", "b.fa"):
            with open(name, "w") as handle:
                handle.write(f">{name}\n{''.join(c if rng.random() > 0.05 else rng.choice('ACGT') for c in dna)}\n")
        subprocess.run([programs["dbconv"], "many.fa", "-o", "many.wsdb", "--quiet"], check=True)
        search, database = programs["search"], ["-d", "many.wsdb", "--device", "cpu", "--quiet"]
        scenarios = [
            Scenario("dbconv", [programs["dbconv"], "many.fa", "-o", "out/new.wsdb", "--force", "--quiet"], "new.wsdb"),
            Scenario("dbconv, spilling", [programs["dbconv"], "big.fa", "-o", "out/new.wsdb", "--force", "--quiet", "--memory", "64M", "--threads", "2"], "new.wsdb"),
            Scenario("search sw", [search, "sw", "-q", "queries.fa", *database, "-o", "out/report"], "report"),
            Scenario("search hmm", [search, "hmm", "-q", "queries.fa", *database, "-o", "out/report", "--tblout", "/dev/null"], "report"),
            Scenario("search blastp", [search, "blastp", "-q", "queries.fa", *database, "-o", "out/report"], "report"),
            Scenario("search pair", [search, "pair", "a.fa", "b.fa", "--device", "cpu", "--quiet", "-o", "out/report"], "report"),
            Scenario("search pair --checkpoint", [search, "pair", "a.fa", "b.fa", "--device", "cpu", "--quiet", "--memory", "1M", "-o", "out/report",
                                                  "--checkpoint", "out/state"], "report", "state"),
        ]
        inputs = ["many.fa", "big.fa", "queries.fa", "a.fa", "b.fa", "many.wsdb"]
        before = {path: digest(path) for path in inputs}

        def leftovers(scenario):
            """Yields the names of files that should not be there."""
            for name in sorted(os.listdir("out")):
                if name in (scenario.output, scenario.checkpoint):
                    continue
                # SIGKILL leaves no time to clean up. A file that was just given a temporary name
                # may stay.
                if number == signal.SIGKILL and ".part-" in name:
                    continue
                yield name

        def clear():
            for name in os.listdir("out"):
                os.unlink(os.path.join("out", name))

        os.mkdir("out")
        prepared = []
        for scenario in scenarios:
            start = time.monotonic()
            subprocess.run(scenario.command, check=True)
            seconds = time.monotonic() - start
            with open(os.path.join("out", scenario.output), "rb") as handle:
                prepared.append((scenario, seconds, handle.read()))
            clear()

        for round_number in range(args.kills):
            scenario, seconds, expected = prepared[round_number % len(prepared)]
            output = os.path.join("out", scenario.output)
            earlier = None
            if scenario.checkpoint is None and rng.random() < 0.5:
                earlier = b"an earlier file\n"
                with open(output, "wb") as handle:
                    handle.write(earlier)
            delay = rng.uniform(0, seconds * 1.05)
            process = subprocess.Popen(scenario.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                process.wait(delay)
                ended += 1
            except subprocess.TimeoutExpired:
                process.send_signal(number)
                killed[scenario.name] = killed.get(scenario.name, 0) + 1
            said = process.communicate()[1].decode(errors="replace")
            label = f"{scenario.name}, {args.signal} after {delay:.4f} s of {seconds:.4f}"
            # Before main() has begun, there is nothing to clean up, and no handler that prints a
            # message.
            if number != signal.SIGKILL and process.returncode == -number and not said:
                unheard += 1
            elif number != signal.SIGKILL and process.returncode not in (0, 128 + number):
                problems.append(f"{label}: exit status {process.returncode}: {said[-200:]}")
            content = None
            if os.path.exists(output):
                with open(output, "rb") as handle:
                    content = handle.read()
            if content not in (earlier, expected):
                problems.append(f"{label}: the output is neither the earlier one nor whole")
            problems += [f"{label}: {name} was left behind" for name in leftovers(scenario)]
            if scenario.checkpoint is not None and content is None:
                again = subprocess.run(scenario.command, stdin=subprocess.DEVNULL, capture_output=True)
                with open(output, "rb") as handle:
                    if again.returncode != 0 or handle.read() != expected:
                        problems.append(f"{label}: the same command afterwards: exit status {again.returncode}, or another report")
            clear()
        if unheard > args.kills / 5:
            problems.append(f"{unheard} runs ended by the signal itself: nobody handles it")
        problems += [f"{path} was changed" for path in inputs if digest(path) != before[path]]
    for problem in problems[:20]:
        print("  " + problem)
    print(f"{args.kills} runs, {sum(killed.values())} killed, {ended} ended before: " +
          ", ".join(f"{name} {count}" for name, count in killed.items()))
    print("FAIL" if problems else "PASS", f"({len(problems)} problems)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
