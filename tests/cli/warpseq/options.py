#!/usr/bin/env python3
"""Compares the options that each program accepts with its help.

Every option in the help is accepted, and every option that is accepted is in the help.

    options.py PROGRAMS [--every N]

The names tried are those of the helps of all programs. --every N takes every Nth name that is not
in a program's own help.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

# Programs of each dialect. Those of warpseq's own have commands, which their help lists.
WITH_COMMANDS = {"inspect": ("Commands", []), "search": ("Engines", ["merge"])}
HMMER = "hmmsearch phmmer hmmscan jackhmmer hmmbuild hmmalign hmmemit hmmfetch hmmpress hmmstat hmmconvert".split()
BLAST = "blastp blastdbcmd makeblastdb".split()
UNKNOWN = re.compile(r"does not exist|No such option|Unknown argument|: write --")
# Options that the originals know but do not show in their help. jackhmmer knows these to refuse
# them.
HIDDEN = {"jackhmmer": {"--cut_ga", "--cut_nc", "--cut_tc", "--fast", "--hand", "--symfrac", "--wgiven"},
          "hmmbuild": {"--eentexp"},
          "hmmsearch": {"--restrictdb_stkey", "--restrictdb_n", "--ssifile"},
          "phmmer": {"--restrictdb_stkey", "--restrictdb_n", "--ssifile"}}


class Program:
    def __init__(self, dialect, name, command):
        self.dialect, self.name, self.command = dialect, name, command

    def run(self, *words):
        done = subprocess.run([*self.command, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        return (done.stdout + done.stderr).decode(errors="replace")

    def options(self):
        text = self.run({"warpseq": "--help", "hmmer": "-h", "blast": "-help"}[self.dialect])
        if self.dialect == "warpseq":
            names = set(re.findall(r"(?m)^ +(?:-[A-Za-z], )?(--[A-Za-z][\w-]*)", text))
            names |= set(re.findall(r"(?m)^ +(-[A-Za-z])\b", text))
            # The text of the help names synonyms, also across line ends.
            names |= set(re.findall(r"also\s+(--[a-z][\w-]*)", text))
        elif self.dialect == "hmmer":
            names = set(re.findall(r"(?m)^ +(--?[A-Za-z]\w*)", text))
        else:
            names = set(re.findall(r"(?m)^ (-[a-z]\w*)", text))
        return names

    def accepts(self, name):
        return UNKNOWN.search(self.run(name)) is None


def commands(warpseq, program):
    """Returns the commands of a program: those that its help lists under a title, and others."""
    title, others = WITH_COMMANDS[program]
    text = subprocess.run([warpseq, program, "--help"], capture_output=True, text=True, check=True).stdout
    section = text.split(f"\n{title}:\n")[1].split("\n\n")[0]
    return [f"{program} {name}" for name in re.findall(r"(?m)^  (\w+)", section) + others]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    folder = os.path.abspath(args.programs)
    warpseq = os.path.join(folder, "warpseq")
    own_names = ["dbconv", *(name for program in WITH_COMMANDS for name in commands(warpseq, program))]
    programs = [Program("warpseq", each, [warpseq, *each.split()]) for each in own_names]
    programs += [Program("hmmer", each, [os.path.join(folder, "dropin", each)]) for each in HMMER]
    programs += [Program("blast", each, [os.path.join(folder, "dropin", each)]) for each in BLAST]
    faults, tried = [], 0
    with tempfile.TemporaryDirectory(prefix="warpseq-options-") as work:
        os.chdir(work)
        helped = {each: each.options() for each in programs}
        for each in programs:
            own = helped[each]
            if not own:
                faults.append(f"{each.name}: its help has no options")
            for name in sorted(own):
                tried += 1
                if not each.accepts(name):
                    faults.append(f"{each.name} {name}: in its help, and not accepted")
            others = set().union(*(helped[other] for other in programs if other.dialect == each.dialect))
            others -= own | HIDDEN.get(each.name if each.dialect == "hmmer" else "", set())
            # HMMER's programs take any beginning of a long name.
            others = {name for name in others if each.dialect != "hmmer" or not any(o.startswith(name) for o in own)}
            for name in sorted(others)[::args.every]:
                tried += 1
                if each.accepts(name):
                    faults.append(f"{each.name} {name}: accepted, and not in its help")
    for fault in faults:
        print(fault)
    print(f"{len(programs)} programs, {tried} options tried, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
