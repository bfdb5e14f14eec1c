"""Columns of the tables that `search sw` and `search pair` print for the comparisons."""

PAIR_COLUMNS = (
    "qseqid",
    "sseqid",
    "score",
    "qstart",
    "qend",
    "sstart",
    "send",
    "cigar",
    "qseq",
    "sseq",
    "length",
    "nident",
    "mismatch",
    "gapopen",
    "gaps",
)
SW_COLUMNS = (*PAIR_COLUMNS, "evalue")
