#!/usr/bin/env python3
"""Checks that the version and the cited papers are the same wherever they are written:
CMakeLists.txt, CITATION.cff, the recipe for conda and the output of the program.

    recipes_test.py SOURCE_FOLDER WARPSEQ
"""
import pathlib
import re
import subprocess
import sys

source, warpseq = pathlib.Path(sys.argv[1]), sys.argv[2]


def printed(option):
    return subprocess.run([warpseq, option], check=True, capture_output=True, text=True).stdout


def one(pattern, file):
    found = re.findall(pattern, (source / file).read_text(), re.MULTILINE)
    assert len(found) == 1, f"{file}: {len(found)} matches of {pattern}"
    return found[0]


version = printed("--version").split()[1]
for file, pattern in (
    ("CMakeLists.txt", r"^project\(warpseq VERSION (\S+)"),
    ("CITATION.cff", r"^version: (\S+)$"),
    ("packaging/conda/meta.yaml", r'^\{% set version = "(\S+)" %\}$'),
):
    assert one(pattern, file) == version, f"{file} says {one(pattern, file)}, the program {version}"

said = printed("--cite")
assert said.startswith(f"warpseq {version}: ")
cited = sorted(re.findall(r"doi:(\S+)", said))
listed = sorted(re.findall(r"^ +doi: (\S+)$", (source / "CITATION.cff").read_text(), re.MULTILINE))
assert len(cited) > 1 and cited == listed, f"--cite: {cited}\nCITATION.cff: {listed}"
print(f"version {version} and {len(cited)} papers everywhere")
