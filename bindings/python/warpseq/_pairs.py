"""Alignments of pairs of sequences."""
from __future__ import annotations

import atexit
import functools
from typing import Any, Iterable, Literal, overload

from . import _core
from ._core import Alignment
from ._queries import encoded, sequence_of

Mode = Literal["global", "local", "semiglobal"]
MODES = ("global", "local", "semiglobal", "all-local")


@overload
def align(a: object, b: object, mode: Mode = ..., matrix: str | None = ..., *, device: str = ...,
          threads: int | None = ..., **options: object) -> Alignment: ...


@overload
def align(a: object, b: object, mode: Literal["all-local"], matrix: str | None = ..., *, device: str = ...,
          threads: int | None = ..., **options: object) -> list[Alignment]: ...


def align(a: object, b: object, mode: str = "global", matrix: str | None = None, *, device: str = "auto",
          threads: int | None = None, **options: object) -> Alignment | list[Alignment]:
    """Aligns the query `a` with the target `b`, as `warpseq search pair` does.

    `a` and `b` are sequences: str, bytes, (name, sequence) pairs, Biopython's Seq and SeqRecord, or pyhmmer's
    sequences. Letters may have either case. White space is skipped, and gaps are removed with a warning.

    `mode` is "global" (from end to end), "local" (the best piece of one with the best piece of the other), "semiglobal"
    (residues left over at the ends cost nothing) or "all-local" (a list of the local alignments that share no pair of
    residues, best first, without any that score less than `min_score`).

    `matrix` names a matrix or its file. By default it is BLOSUM62 for proteins, with gap costs 11/1, and match 2,
    mismatch -3 with 5/2 for nucleotides. A gap of k residues costs gap_open + k * gap_extend. Further `options` are
    those of the program, with '_' for '-': gap_open, gap_extend, match, mismatch, free_ends, strand, max_alignments,
    min_score, dna, protein, score_only, memory, checkpoint. Without `dna=True` or `protein=True` the letters decide
    what the sequences are, and a warning says so if they are taken for nucleotides.

    Small pairs are aligned by the thread that calls. For others `threads` and `device` are as in Session; "auto" takes
    GPUs if they are quicker, with their start. A local or semi-global alignment may be empty, with score 0. With
    score_only there is a score and no alignment.

    Raises InvalidInputError for sequences that the program refuses, such as an empty one, OptionError for wrong
    options, and UnavailableError if there is no such device.
    """
    aligner = _aligner(mode, matrix, device, threads, options)
    query_name, query = _named(a, "query")
    target_name, target = _named(b, "target")
    alignments = aligner.align(query_name, query, target_name, target)
    if mode == "all-local":
        return [alignment for alignment in alignments if len(alignment)]
    return alignments[0]  # type: ignore[no-any-return]


def pair_report(alignments: Alignment | Iterable[Alignment], format: str = "0", header: bool = False) -> str:
    """Returns the report of `warpseq search pair` about alignments of one pair, with the same text.

    `alignments` is an alignment, or the list of a call of align(). `format` is that of the program's --outfmt: "0",
    "6", "7" or "10" with or without names of fields, "paf", "sam" or "json". `header` puts the names of the columns
    into the first row of formats 6 and 10. Raises OptionError for another format or for alignments of several pairs.
    """
    return _core.pair_report(_listed(alignments), format, header)


def dot_plot(alignments: Alignment | Iterable[Alignment]) -> str:
    """Returns the drawing of alignments of one pair, as the text of an SVG file.

    The target runs from left to right and the query from top to bottom. `alignments` is as in pair_report().
    """
    return _core.pair_dot_plot(_listed(alignments))


def _listed(alignments: Alignment | Iterable[Alignment]) -> list[Alignment]:
    return [alignments] if isinstance(alignments, Alignment) else list(alignments)


def _named(sequence: object, name: str) -> tuple[str, str | bytes]:
    """Returns a sequence's header and letters."""
    if type(sequence) is str or type(sequence) is bytes:
        return name, sequence
    named, description, letters = sequence_of(sequence, name)
    header = b" ".join(part for part in (encoded(named), encoded(description)) if part)
    return header.decode(errors="replace"), letters


def _aligner(mode: str, matrix: str | None, device: str, threads: int | None, options: dict[str, object]) -> Any:
    try:
        # Values that are equal and of different types, such as 1 and True, are different options.
        return _kept_aligner(mode, matrix, device, threads,
                             *((name, type(value), value) for name, value in options.items()))
    except TypeError:  # a value that is not hashable
        return _made_aligner(mode, matrix, device, threads, options)


@functools.lru_cache(maxsize=32)
def _kept_aligner(mode: str, matrix: str | None, device: str, threads: int | None,
                  *options: tuple[str, type, object]) -> Any:
    return _made_aligner(mode, matrix, device, threads, {name: value for name, _, value in options})


# Objects of the extension module have to be gone before it is.
atexit.register(_kept_aligner.cache_clear)


def _made_aligner(mode: str, matrix: str | None, device: str, threads: int | None,
                  options: dict[str, object]) -> Any:
    if mode not in MODES:
        raise _core.OptionError(f"mode {mode!r}: expected one of {', '.join(MODES)}")
    return _core.make_pair_aligner({mode: True, "matrix": matrix, **options}, {"device": device, "threads": threads})
