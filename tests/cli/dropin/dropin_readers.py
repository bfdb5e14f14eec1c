"""Shows that Biopython reads the drop-ins' output as it reads HMMER's.

Queries, hits and domains have to be the same, and none may lack coordinates.
"""
import sys

from Bio import SearchIO


def rows(file, form):
    found = []
    for query in SearchIO.parse(file, form):
        for hit in query:
            for domain in hit:
                found.append((query.id, query.accession if hasattr(query, "accession") else None, hit.id, hit.description, hit.evalue, hit.bitscore,
                              getattr(domain, "hit_start", None), getattr(domain, "hit_end", None), getattr(domain, "query_start", None),
                              getattr(domain, "query_end", None), getattr(domain, "bitscore", None), getattr(domain, "evalue", None)))
    return found


def about(file):
    with open(file) as lines:
        query = next(iter(SearchIO.parse(lines, "hmmer3-text")))
    return query.program, query.version


def main():
    for name, form in (argument.split("=") for argument in sys.argv[1:]):
        theirs, ours = (rows(f"{who}.{name}", form) for who in ("theirs", "ours"))
        if not theirs:
            sys.exit(f"{name}: HMMER found nothing: that proves nothing")
        if ours != theirs:
            sys.exit(f"{name}, {form}: {len(ours)} rows, not {len(theirs)}; the first: {ours[:1]}, not {theirs[:1]}")
        # The table of targets has no coordinates.
        if form != "hmmer3-tab" and any(None in row[6:] for row in ours):
            sys.exit(f"{name}, {form}: rows without coordinates")
        if form == "hmmer3-text" and about(f"ours.{name}") != about(f"theirs.{name}"):
            sys.exit(f"{name}: of {about(f'ours.{name}')}, not {about(f'theirs.{name}')}")
        print(f"{name}, {form}: {len(ours)} rows, all the same")


main()
