#!/usr/bin/env python3
"""Compares how HMMER's programs and the drop-ins read values of all options that take a number,
and what they say of files that cannot be opened.

    hmmer_values.py PROGRAMS WORK [--every N] [--only TEXT]

PROGRAMS is the folder of `dropin`, WORK a folder for files that has no file of these names. The
options are those that the programs know, by their helps and by the strings in HMMER's programs,
because helps do not name all. With --every, only each N-th command line is run (more of those about
files, none of those that calibrate with huge numbers), and with --only those that have the text. Exit statuses, messages,
reports and other outputs have to be the same. A command line has no answer if HMMER's program
crashes at it or reaches the limits of time, memory and files below. The exit status is 0 if nothing
differs but what known_difference() has.
"""
import argparse
import difflib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

TUTORIAL = "/usr/share/doc/hmmer/examples/tutorial/"
PROGRAMS = "hmmsearch hmmscan phmmer jackhmmer hmmbuild hmmalign hmmpress hmmfetch hmmemit hmmstat hmmconvert".split()
# Each begins with an option that the value belongs to. Outputs are T, D, S, H and C-1.hmm.
COMMANDS = {
    "hmmsearch": "--tblout T --domtblout D P F",
    "hmmscan": "--tblout T --domtblout D pressed Q",
    "phmmer": "--tblout T --domtblout D Q F",
    "jackhmmer": "--tblout T --chkhmm C Q F",
    "hmmbuild": "H alignments",
    "hmmalign": "P F",
    "hmmpress": "-f P",
    "hmmfetch": "P globins4",
    "hmmemit": "P",
    "hmmstat": "P",
    "hmmconvert": "P",
}
# Options without which a run takes longer or is random.
ALWAYS = [("--cpu", "0"), ("-N", "2"), ("--seed", "7")]
# HMMER says of most options which others they need. These have no effect without others.
NEEDED = {"--popen": ["--singlemx"], "--pextend": ["--singlemx"], "-L": ["-p"], "--minl": ["-C"], "--minu": ["-C"]}
VALUES = ["", "0", "1", "2", "-1", "0.5", "1.0", "1.0001", "0.25", "0.49999", "nan", "-nan", "inf", "-inf", "1e400", "1e-400", "1e38", "1e-38", "119", "120",
          "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967297", "99999999999", "9223372036854775808", "-1e10",
          "5x", "x", "0x10", "1e2", " 5", "5 ", "5\t", "5\n", "+5", "-0", "5.", ".5", "1e-5", "010", "--1", "1,5", "0.5 0.5"]
# Outputs of the programs. "OUT" stands for the path.
OUTPUTS = """hmmsearch -o OUT P F
hmmsearch -A OUT P F
hmmsearch --tblout OUT P F
hmmsearch --domtblout OUT P F
hmmsearch --pfamtblout OUT P F
phmmer -o OUT Q F
phmmer -A OUT Q F
phmmer --tblout OUT Q F
phmmer --domtblout OUT Q F
phmmer --pfamtblout OUT Q F
jackhmmer -o OUT Q F
jackhmmer -A OUT Q F
jackhmmer --tblout OUT Q F
jackhmmer --domtblout OUT Q F
jackhmmer -N 1 --chkhmm OUT Q F
jackhmmer -N 1 --chkali OUT Q F
hmmscan -o OUT pressed Q
hmmscan --tblout OUT pressed Q
hmmscan --domtblout OUT pressed Q
hmmscan --pfamtblout OUT pressed Q
hmmbuild -o OUT H alignments
hmmbuild -O OUT H alignments
hmmbuild OUT alignments
hmmbuild --w_beta 2 OUT alignments
hmmalign -o OUT P F
hmmalign -o OUT P nofile
hmmemit -o OUT P
hmmemit -o OUT nofile
hmmfetch -o OUT P globins4
hmmfetch -o OUT P nokey
hmmfetch -o OUT nofile globins4
hmmsearch -o OUT P nofile
phmmer -o OUT nofile F
jackhmmer -o OUT nofile F
hmmscan -o OUT pressed nofile""".split("\n")
NO_MATRIX = [f"{line} --mxfile nofile {files}".split() for line, files in (("phmmer", "Q F"), ("jackhmmer", "Q F"), ("hmmbuild --singlemx", "H alignments"))]
# Paths that cannot be opened: in a missing folder, a folder, and in a file as if it were a folder.
NO_FILES = ["absent/file", ".", "P/file"]
# Options of the drop-ins that HMMER's programs do not have (docs/hmm.md).
OWN_OPTIONS = {"jackhmmer": {"--seq_limit"}}
# Options whose thresholds are not numbers in HMMER if they are nan.
THRESHOLDS = {"-T", "--domT", "--incT", "--incdomT", "--F1", "--F2", "--F3"}
HUGE = re.compile(r"--E[mvf][LN] [ +]?(2147483647|99999999999|4294967297|-2147483649)")
TRUSTED_SECONDS = 6
MEMORY_BYTES = 4 << 30
OWN_LINES = re.compile(rb"^# (HMMER |Copyright |Freely |Version|Current dir|Date|CPU time|Mc/sec)|^DATE |^HMMER3/f |^To see more help |do \S*hmm\w+ -h$")


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (TRUSTED_SECONDS, TRUSTED_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 26, 1 << 26))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def plain(text):
    return b"\n".join(line for line in text.split(b"\n") if not OWN_LINES.search(line))


def run(path, words, folder):
    """Returns the exit status, the output, the messages and the other outputs."""
    for name in os.listdir(folder):
        if not os.path.islink(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    environment = dict(os.environ, PATH=path)
    environment.pop("HMMER_NCPU", None)
    done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          preexec_fn=limit)
    files = {}
    for name in sorted(os.listdir(folder)):
        if not os.path.islink(os.path.join(folder, name)):
            with open(os.path.join(folder, name), "rb") as file:
                files[name] = plain(file.read())
    return done.returncode, plain(done.stdout), done.stderr, files


def number_options(program, paths, folder):
    """Returns the options of a program that take a number."""
    takes = re.compile(rb"Option (--?\w+) takes \S+ arg; got x")
    with open(shutil.which(program, path=paths[0]), "rb") as file:
        words = set(re.findall(rb"(--?\w+)\0", file.read()))
    found, asked = set(), set()
    for path in paths:
        words |= set(re.findall(rb"^ +(--?\w+)", run(path, [program, "-h"], folder)[1], re.M))
        for word in words - asked:
            _, output, messages, _ = run(path, [program, word, "x", "a", "b"], folder)
            found |= set(takes.findall(output + messages))
        asked |= words
    return sorted({option.decode() for option in found} - OWN_OPTIONS.get(program, set()))


def command_lines(program, options, path, folder):
    """Returns a command line for each value of each of the options."""
    fixed = COMMANDS[program].split()
    for option in options:
        before = NEEDED.get(option, [])
        if "--cpu" in options and option != "--cpu":
            before = before + ["--cpu", "0"]
        if program == "jackhmmer" and option != "-N":
            before = before + ["-N", "2"]
        if program == "hmmemit" and option != "--seed" and "-C" not in before:
            before = before + ["--seed", "7"]
        needs = re.search(rb"requires \(or has no effect without\) option\(s\) (\S+)", run(path, [program, option, "1"], folder)[1])
        if needs:
            before = before + needs[1].decode().split(",")
        for value in VALUES:
            yield [program, *before, option, value, *fixed]


def known_difference(words, theirs, ours):
    """Whether a difference is one of those on purpose that docs/hmm.md lists."""
    no_number = any(option in THRESHOLDS and value in ("nan", "-nan") for option, value in zip(words, words[1:]))
    if no_number and ours[0] == 1 and b"nan: expected a " in ours[2]:
        return True
    # The error about checkpoints comes before the report begins.
    checkpoint = any(option in ("--chkhmm", "--chkali") and value in NO_FILES[::2] for option, value in zip(words, words[1:]))
    return checkpoint and (theirs[0], theirs[2]) == (ours[0], ours[2]) and not ours[1]


def difference(words, theirs, ours):
    status, output, messages, files = theirs
    our_status, our_output, our_messages, our_files = ours
    if status < 0:
        # The limit of time ends a calibration with huge numbers, at which the original may crash.
        is_limit = our_status in (-signal.SIGKILL, -signal.SIGXCPU)
        return "no answer of the original" if our_status >= 0 or our_status == status or is_limit else "a crash"
    if status != our_status:
        return f"exit status {our_status}, not {status}"
    if messages != our_messages:
        return "message"
    is_random = re.search(r"--seed [ +-]?0*(?!\S)", " ".join(words)) is not None
    if is_random and status == 0:
        return ""
    if "--cpu" not in words or words[words.index("--cpu") + 1] != "0":
        output, our_output = (re.sub(rb"[ -]+", b" ", text) for text in (output, our_output))
        files, our_files = ({name: re.sub(rb"[ -]+", b" ", text) for name, text in each.items()} for each in (files, our_files))
    if output != our_output:
        return "standard output"
    # After an error HMMER leaves files that are empty where the drop-in leaves none.
    empty = None if status == 0 else b""
    changed = [name for name in sorted(set(files) | set(our_files)) if files.get(name, empty) != our_files.get(name, empty)]
    return "file " + " ".join(changed) if changed else ""


def different_lines(theirs, ours):
    """Returns the lines of only one of two results, which begin with '-' if they are the original's."""
    texts = [f"{status}\n".encode() + output + messages + b"".join(files.values()) for status, output, messages, files in (theirs, ours)]
    lines = difflib.unified_diff(*(text.decode(errors="replace").splitlines() for text in texts), n=0, lineterm="")
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("work")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    work = os.path.abspath(given.work)
    folders = [os.path.join(work, name) for name in ("theirs", "ours", "inputs")]
    for folder in folders:
        os.makedirs(folder)
    inputs = folders.pop()
    make_inputs(inputs)
    for folder in folders:
        for name in os.listdir(inputs):
            os.symlink(os.path.join(inputs, name), os.path.join(folder, name))
    paths = os.environ["PATH"], os.path.join(os.path.abspath(given.programs), "dropin") + ":" + os.environ["PATH"]
    lines, count = [], 0
    for program in PROGRAMS:
        options = number_options(program, paths, folders[0])
        count += len(options)
        lines += list(command_lines(program, options, paths[0], folders[0]))
    if given.every > 1:
        lines = [words for words in lines if not HUGE.search(" ".join(words))][:: given.every]
    files = [line.replace("OUT", path).split() for line in OUTPUTS for path in NO_FILES] + NO_MATRIX
    lines += files[:: (given.every + 7) // 8]
    compared, differ, known, unanswered = 0, 0, 0, 0
    for words in [words for words in lines if given.only in " ".join(words)]:
        results = [run(path, words, folder) for path, folder in zip(paths, folders)]
        compared += 1
        what = difference(words, *results)
        if what == "no answer of the original":
            unanswered += 1
            print(f"NO ANSWER: {words} original {results[0][0]} {results[0][2][:200]!r} here {results[1][0]} {results[1][2][:200]!r}", flush=True)
        elif what and known_difference(words, *results):
            known += 1
        elif what:
            differ += 1
            print(f"DIFFERENT {what}: {words}")
            for line in different_lines(*results)[:8]:
                print(f"  {line:.150}")
    print(f"{count} options, {compared} command lines, {unanswered} without an answer of the original, {known} differ on purpose, {differ} differ")
    return 1 if differ else 0


def make_inputs(folder):
    def path(name):
        return os.path.join(folder, name)

    shutil.copy(TUTORIAL + "globins4.hmm", path("P"))
    shutil.copy(TUTORIAL + "HBB_HUMAN", path("Q"))
    with open(TUTORIAL + "globins45.fa", encoding="ascii") as file:
        records = file.read().split(">")[1:]
    with open(path("F"), "w", encoding="ascii") as out:
        out.write("".join(">" + record for record in records[::15]))
    with open(path("pressed"), "wb") as out:
        for name in ("globins4.hmm", "fn3.hmm"):
            with open(TUTORIAL + name, "rb") as file:
                out.write(file.read())
    subprocess.run(["hmmpress", path("pressed")], check=True, stdout=subprocess.DEVNULL)
    with open(path("alignments"), "w", encoding="ascii") as out:
        with open(TUTORIAL + "globins4.sto", encoding="ascii") as file:
            out.write(file.read().replace("# STOCKHOLM 1.0\n", "# STOCKHOLM 1.0\n#=GF ID four\n"))
        out.write("# STOCKHOLM 1.0\n#=GF ID one\nsingle VHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLST\n//\n")


if __name__ == "__main__":
    sys.exit(main())
