#!/usr/bin/env python3
"""Compares the structured reports of `search blastp` with those of NCBI's blastp, value by value.

    blastp_formats.py PROGRAMS QUERIES [-db "NAME..."] OPTIONS...

PROGRAMS is the folder of `search`. OPTIONS are blastp's, with one dash. The databases are in the
current folder. makeblastdb (NAME) and dbconv (NAME.wsdb) have made them from the same FASTA. The
default name is "db".

Formats 13 and 15 are read as JSON. They must have the same members in the same order, with the same
values of the same types. Formats 5, 14 and 16 are read as XML. They must have the same elements
with the same attributes and text. Biopython's NCBIXML reads format 5 too, and every attribute of
every object is compared. Only the program's version and the names of databases may differ. The
script ends with an error at the first report that differs.
"""
import io
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from Bio.Blast import NCBIXML

OTHER_MEMBERS = {"version", "db"}
OTHER_ELEMENTS = {"BlastOutput_version", "BlastOutput_db"} | {"{http://www.ncbi.nlm.nih.gov}" + name for name in OTHER_MEMBERS}
OTHER_ATTRIBUTES = {"version", "date", "database"}  # NCBIXML's records have these from OTHER_ELEMENTS


class Comparison:
    """A count of compared values, and a list of differences."""

    def __init__(self):
        self.values = 0
        self.differences = []

    def same(self, place, theirs, ours):
        self.values += 1
        if type(theirs) is not type(ours) or theirs != ours:
            self.differences.append(f"{place}: blastp has {theirs!r:.200}, here it is {ours!r:.200}")

    def json(self, place, theirs, ours):
        if isinstance(theirs, dict) and isinstance(ours, dict):
            self.same(f"members of {place}", list(theirs), list(ours))
            for name in theirs.keys() & ours.keys():
                if name not in OTHER_MEMBERS or isinstance(theirs[name], dict):
                    self.json(f"{place}/{name}", theirs[name], ours[name])
        elif isinstance(theirs, list) and isinstance(ours, list):
            self.same(f"length of {place}", len(theirs), len(ours))
            for i, pair in enumerate(zip(theirs, ours)):
                self.json(f"{place}[{i}]", *pair)
        else:
            self.same(place, theirs, ours)

    def xml(self, place, theirs, ours):
        self.same(f"tag at {place}", theirs.tag, ours.tag)
        self.same(f"attributes of {place}", theirs.attrib, ours.attrib)
        self.same(f"children of {place}", len(theirs), len(ours))
        if not len(theirs) and theirs.tag not in OTHER_ELEMENTS:
            self.same(place, theirs.text or "", ours.text or "")
        for i, pair in enumerate(zip(theirs, ours)):
            self.xml(f"{place}[{i}]/{pair[0].tag}", *pair)

    def objects(self, place, theirs, ours):
        if isinstance(theirs, (list, tuple)) and isinstance(ours, (list, tuple)):
            self.same(f"length of {place}", len(theirs), len(ours))
            for i, pair in enumerate(zip(theirs, ours)):
                self.objects(f"{place}[{i}]", *pair)
        elif hasattr(theirs, "__dict__") and hasattr(ours, "__dict__"):
            self.same(f"attributes of {place}", sorted(vars(theirs)), sorted(vars(ours)))
            for name in vars(theirs).keys() & vars(ours).keys():
                if name not in OTHER_ATTRIBUTES:
                    self.objects(f"{place}.{name}", getattr(theirs, name), getattr(ours, name))
        else:
            self.same(place, theirs, ours)


def their_xml(text):
    """Decodes Latin-1, because blastp writes characters beyond ASCII so without declaring it."""
    return text.decode("latin-1")


def our_xml(text):
    ElementTree.fromstring(text)  # the bytes themselves must be valid for any reader
    return text.decode()


def main():
    programs, queries, *options = sys.argv[1:]
    databases = ["db"]
    if "-db" in options:
        at = options.index("-db")
        databases = options[at + 1].split()
        del options[at : at + 2]
    ours_options = ["-" + word if word.startswith("-") and word[1:2].isalpha() else word for word in options]

    def texts(format_number):
        """Returns the name and both programs' bytes of each file in this format: the report, and
        the files that it lists."""
        results = []
        for folder, command in [
            ("theirs", ["blastp", "-query", queries, "-db", " ".join(f"../{name}" for name in databases), *options]),
            ("ours", [f"{programs}/search", "blastp", "--quiet", "--query", queries, *ours_options]
             + [word for name in databases for word in ("--db", f"../{name}.wsdb")]),
        ]:
            dash = "-" if folder == "theirs" else "--"
            folder = pathlib.Path(folder)
            folder.mkdir()
            command += [f"{dash}outfmt", str(format_number), f"{dash}out", "report"]
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)} ends with {done.returncode}\n{done.stderr}")
            results.append({path.name: path.read_bytes() for path in folder.iterdir()})
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()
        theirs, ours = results
        if sorted(theirs) != sorted(ours):
            sys.exit(f"files of format {format_number}: blastp's are {sorted(theirs)}, here {sorted(ours)}")
        return [(name, theirs[name], ours[name]) for name in sorted(theirs)]

    queries = str(pathlib.Path(queries).resolve())
    said = []
    hits = 0
    for format_number in (5, 13, 14, 15, 16):
        comparison = Comparison()
        for name, theirs, ours in texts(format_number):
            place = f"format {format_number}, {name}: "
            if format_number in (13, 15):
                read = json.loads(theirs), json.loads(ours)
                comparison.json(place, *read)
                if format_number == 15:
                    hits = sum(len(part["report"]["results"]["search"].get("hits", [])) for part in read[0]["BlastOutput2"])
            else:
                theirs, ours = their_xml(theirs), our_xml(ours)
                comparison.xml(place, ElementTree.fromstring(theirs), ElementTree.fromstring(ours))
                if format_number == 5:
                    comparison.objects(place + "NCBIXML", *(list(NCBIXML.parse(io.StringIO(text))) for text in (theirs, ours)))
        if comparison.differences:
            sys.exit("\n".join([f"{len(comparison.differences)} differences", *comparison.differences[:20]]))
        said.append(f"{format_number}: {comparison.values:,}")
    print(f"{hits} hits; values compared in format {', '.join(said)}")


if __name__ == "__main__":
    main()
