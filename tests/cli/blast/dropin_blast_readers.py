"""Shows that Biopython reads the drop-in's formats 5, 6 and 7 as it reads those of NCBI's blastp.

Queries, hits and HSPs have to be the same.
"""
import sys

from Bio import SearchIO
from Bio.Blast import NCBIXML


def rows(file, form, **options):
    return [(query.id, hit.id, hsp.hit_start, hsp.hit_end, hsp.query_start, hsp.query_end, hsp.bitscore, hsp.evalue)
            for query in SearchIO.parse(file, form, **options) for hit in query for hsp in hit]


def records(file):
    with open(file) as text:
        return [(record.query, record.query_length, record.application, alignment.title, alignment.length, hsp.score, hsp.bits, hsp.expect, hsp.identities,
                 hsp.query, hsp.match, hsp.sbjct, hsp.query_start, hsp.sbjct_end)
                for record in NCBIXML.parse(text) for alignment in record.alignments for hsp in alignment.hsps]


def main():
    for name, read in (("NCBIXML", lambda who: records(f"{who}.5")), ("blast-xml", lambda who: rows(f"{who}.5", "blast-xml")),
                       ("blast-tab", lambda who: rows(f"{who}.6", "blast-tab")),
                       ("blast-tab with comments", lambda who: rows(f"{who}.7", "blast-tab", comments=True))):
        theirs, ours = read("theirs"), read("ours")
        if not theirs:
            sys.exit(f"{name}: blastp found nothing: that proves nothing")
        if ours != theirs:
            sys.exit(f"{name}: {len(ours)} rows, not {len(theirs)}; the first: {ours[:1]}, not {theirs[:1]}")
        print(f"{name}: {len(ours)} rows, all the same")


main()
