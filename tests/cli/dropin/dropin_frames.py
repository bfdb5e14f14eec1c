"""Shows that pandas reads the tables of the drop-ins as it reads those of the originals.

The frames have to be the same, including the types of columns.
"""
import sys

import pandas

BLAST = "qaccver saccver pident length mismatch gapopen qstart qend sstart send evalue bitscore".split()


def frame(file):
    if file.endswith((".tbl", ".dom")):
        # Descriptions have blanks, so only the columns before them are read. Pipelines do the same.
        return pandas.read_csv(file, sep=r"\s+", comment="#", header=None, usecols=range(22 if file.endswith(".dom") else 18))
    return pandas.read_csv(file, sep="," if file.endswith(".10") else "\t", comment="#", header=None, names=BLAST)


def main():
    for name in sys.argv[1:]:
        theirs, ours = (frame(f"{who}.{name}") for who in ("theirs", "ours"))
        if len(theirs) < 3:
            sys.exit(f"{name}: {len(theirs)} rows of the original: that proves nothing")
        pandas.testing.assert_frame_equal(ours, theirs)
        print(f"{name}, pandas: {ours.shape[0]} rows of {ours.shape[1]} columns, all the same")


main()
