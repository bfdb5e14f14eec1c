"""Smith-Waterman scores of queries against many targets."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable

from . import _core
from ._queries import is_single, path_of, refuse_dict, refuse_file_name, refuse_open_file, sequence_of
from ._session import Session

if TYPE_CHECKING:
    import numpy
    import numpy.typing


def scores(query: object, targets: object, matrix: str = "BLOSUM62", *, gap_open: int | None = None,
           gap_extend: int | None = None, threads: int | None = None,
           device: str = "auto") -> numpy.typing.NDArray[numpy.int32]:
    """Returns the Smith-Waterman score of a query against each target, in the order of the targets.

    `query` is a sequence: str, bytes, a (name, sequence) pair, Biopython's Seq or SeqRecord, or pyhmmer's sequences. Its
    scores are an array of shape (targets,). With any other iterable of sequences the shape is (queries, targets). The
    type is int32, and scores are exact, in the units of the matrix.

    `targets` is an iterable of sequences, or a Session, whose databases are scored on its devices. A str or os.PathLike
    alone is a path: of a FASTA file, of a database made by dbconv, or of a BLAST database. Targets that a database has
    lost to an update are left out.

    `matrix`, `gap_open` and `gap_extend` are those of `warpseq search sw`: a gap of k residues costs gap_open +
    k * gap_extend, by default BLAST's costs for the matrix (11 and 1 for BLOSUM62). `threads` is the number of threads
    (by default that of the cores), and `device` "auto", "cpu" or "cuda", as in Session. Both are a Session's own if
    targets is one. An empty sequence scores 0 with any other.

    Raises InvalidInputError for letters that are no residues, OptionError for wrong options, UnavailableError if there
    is no such device, and ImportError without numpy.
    """
    import numpy

    one = isinstance(query, (str, bytes, bytearray, memoryview, tuple)) or is_single(query) or \
        not isinstance(query, Iterable)
    queries = _letters([query] if one else query)  # type: ignore[arg-type]
    options = {"matrix": matrix, "gap_open": gap_open, "gap_extend": gap_extend}
    machine = {"device": device, "threads": threads}
    if isinstance(targets, (str, os.PathLike)):
        session = _core.Session([path_of(targets)], [], machine)
    elif isinstance(targets, Session):
        session = targets._core
    else:
        letters = _letters(targets)  # type: ignore[arg-type]
        found = numpy.empty((len(queries), len(letters)), numpy.int32)
        _core.score_targets(queries, letters, options, machine, found)
        return found[0] if one else found
    found = numpy.empty((len(queries), session.sequences), numpy.int32)
    _core.score_session(queries, session, options, found)
    return found[0] if one else found


def _letters(sequences: Iterable[object]) -> tuple[str | bytes, ...]:
    refuse_dict(sequences)
    refuse_open_file(sequences)
    if isinstance(sequences, (bytes, bytearray, memoryview)) or is_single(sequences):
        raise TypeError("targets are an iterable of sequences, not one sequence; give [sequence]")
    for each in sequences if isinstance(sequences, (list, tuple)) else ():
        refuse_file_name(each)
    return tuple(sequence if type(sequence) is bytes else letters_of(sequence) for sequence in sequences)


def letters_of(sequence: object) -> str | bytes:
    """Returns the letters of a sequence. Characters without an encoding become others that are no residues."""
    letters = sequence if type(sequence) is str else sequence_of(sequence, "")[2]
    return letters if isinstance(letters, bytes) or letters.isascii() else letters.encode("utf-8", "backslashreplace")
