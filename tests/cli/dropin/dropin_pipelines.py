"""Shows that readers like those of pipelines read the drop-ins' output as they read HMMER's.

The readers were written anew from what the pipelines demand of a report. Each is as strict as the
pipeline that it stands for: an unknown line or a missing field ends it.
"""
import re
import sys


class Strange(Exception):
    pass


def gtdbtk_pfam(lines):
    """Reads a report as GTDB-Tk does.

    It takes a header of known lines, hits of nine fields, domains of 16 fields, and alignments with
    their RF, CS and PP lines.
    """
    rows, section, query = [], "header", None
    known = re.compile(r"^# (hmmsearch ::|phmmer ::|HMMER |Copyright|Freely|- - -|query |target |output |number of worker|sequence |per-|domain|model-|"
                       r"max ASCII|show |MSV|Vit|Fwd|random|Z|.*:)|^#?\s*$")
    for line in lines:
        if line.startswith("//"):
            section, query = "header", None
        elif section == "header":
            if match := re.match(r"^Query:\s+(\S+)\s+\[[ML]=(\d+)\]\s*$", line):
                query, section = match.group(1), "before hits"
                rows.append(("query", query, int(match.group(2))))
            elif not known.match(line) and line.strip() != "[ok]":
                raise Strange(line)
        elif section == "before hits":
            if line.startswith("    ------- ------ -----"):
                section = "hits"
        elif section == "hits":
            if not line.strip():
                section = "domains"
            elif "inclusion threshold" not in line and "[No hits" not in line:
                fields = line.split(None, 9)
                if len(fields) < 9:
                    raise Strange(line)
                rows.append(("hit", query, fields[8], float(fields[0]), float(fields[1])))
        elif section == "domains":
            if re.match(r"^\s+\d+ [!?]", line):
                fields = line.split()
                if len(fields) != 16:
                    raise Strange(line)
                rows.append(("domain", query, *map(int, (fields[6], fields[7], fields[9], fields[10], fields[12], fields[13])), float(fields[5])))
            elif match := re.match(r"^\s*(\S*)\s+(RF|PP|CS)\s*$", line):
                rows.append((match.group(2), len(match.group(1))))
    return rows


def macsyfinder(lines):
    """Reads a report as MacSyFinder does.

    It takes the exact heading below `>>`, then fields 2, 5, 6, 7, 9 and 10 of each domain.
    """
    rows, hit, at = [], None, 0
    for line in lines:
        if line.startswith(">>"):
            hit, at = line.split()[1], 1
        elif at == 1:
            at = 2 if line.startswith("   #    score") else 0
        elif at == 2:
            if not line.startswith(" ---   ------ ----- --------"):
                raise Strange(line)
            at = 3
        elif at == 3:
            fields = line.split()
            if len(fields) < 16:
                at = 0
                continue
            rows.append((hit, float(fields[2]), float(fields[5]), int(fields[6]), int(fields[7]), int(fields[9]), int(fields[10])))
    return rows


def interproscan(lines):
    """Reads a report as InterProScan does.

    Regular expressions take names, accessions, scores of domains and the rows of their alignments.
    """
    text = "".join(lines)
    rows = []
    for record in re.split(r"^//\n", text, flags=re.MULTILINE)[:-1]:
        name = re.search(r"^Query:\s+(\S+)\s+\[[ML]=(\d+)\]$", record, re.MULTILINE)
        accession = re.search(r"^Accession:\s+(\S+)\s*$", record, re.MULTILINE)
        rows.append((name.group(1), int(name.group(2)), accession and accession.group(1)))
        for hit in re.split(r"^>> ", record, flags=re.MULTILINE)[1:]:
            rows += re.findall(r"^  == domain (\d+) +score: ([-\d.]+) bits; +conditional E-value: (\S+)$", hit, re.MULTILINE)
            rows += re.findall(r"^\s+\S+\s+(\d+|-) (\S+) (\d+|-)\s*$", hit, re.MULTILINE)
    if not text.rstrip().endswith("[ok]"):
        raise Strange("no [ok] at the end")
    return rows


def bakta_table(lines):
    """Reads a table as Bakta does: columns 0, 3 and 5 below three lines, without comments."""
    return [tuple(line.split()[i] for i in (0, 3, 5)) for line in lines[3:] if not line.startswith("#")]


def padloc_domains(lines):
    """Reads a table as PADLOC does: 23 columns between blanks, with numbers where they belong."""
    rows = []
    for line in lines:
        if line.startswith("#"):
            continue
        fields = line.rstrip("\n").split(None, 22)
        if len(fields) != 23:
            raise Strange(line)
        rows.append((*fields[:2], int(fields[2]), *fields[3:5], int(fields[5]), *map(float, fields[6:9]), *map(int, fields[9:11]), *map(float, fields[11:15]),
                     *map(int, fields[15:21]), float(fields[21]), fields[22]))
    return rows


def main():
    for name, readers in (("hmmsearch.txt", (gtdbtk_pfam, macsyfinder, interproscan)), ("phmmer.txt", (macsyfinder, interproscan)),
                          ("hmmsearch.tbl", (bakta_table,)), ("hmmsearch.dom", (padloc_domains,))):
        for reader in readers:
            theirs, ours = (reader(open(f"{who}.{name}").readlines()) for who in ("theirs", "ours"))
            if len(theirs) < 3:
                sys.exit(f"{name}: {reader.__name__} finds {len(theirs)} rows in HMMER's: that proves nothing")
            if ours != theirs:
                different = next((pair for pair in zip(ours, theirs) if pair[0] != pair[1]), "one ends early")
                sys.exit(f"{name}: {reader.__name__} reads {len(ours)} rows, not {len(theirs)}: {different}")
            print(f"{name}, {reader.__name__}: {len(ours)} rows, all the same")


main()
