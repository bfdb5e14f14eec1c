"""Conversion of sequences to databases."""
from __future__ import annotations

import dataclasses
import os
from typing import Callable, Iterable

from . import _core
from ._queries import path_of


@dataclasses.dataclass(frozen=True)
class Conversion:
    """What a conversion has made. The counts of a set that was updated are those of the whole set."""

    files: tuple[str, ...]
    """The databases that were written, or the set that was updated."""
    sequences: int
    residues: int
    converted_sequences: int
    """Sequences that this call has written: all of a new database, or what was appended to a set."""
    longest_residues: int
    """Length of the longest sequence that was written."""
    file_bytes: int
    """Size of the databases that were written."""
    content_digests: tuple[str, ...]
    """The digest of the content of each database, as in `inspect info`. Empty after an update of a set."""
    merged_sequences: int
    """Sequences that were identical to an earlier one (option `unique`)."""
    skipped_invalid: int
    """Records with invalid characters that were left out (option `skip_invalid`)."""
    removed_sequences: int
    """Sequences that the update has removed from the set."""


def convert(files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
            output: str | os.PathLike[str] | None = None, threads: int | None = None,
            progress: Callable[[str, int, int], object] | None = None, **options: object) -> Conversion:
    """Makes a database of protein sequences, with the bytes of dbconv, and returns its counts.

    `files` are FASTA (plain, gzip, zstd), databases, or one BLAST database by its name. The options are those of dbconv
    with "_" for "-": force=True replaces an output, taxid_map=[...] may name several files. Updates of a set have no
    output: convert("new.fasta", append="all.wsdbs").

    `progress` is called as progress(label, done, total) in the calling thread, at most ten times a second and once at
    the end; total is 0 if it is not known. An exception that it raises ends the conversion, and so does Ctrl-C. The
    output then does not appear. Warnings of dbconv are issued as WarpseqWarning.
    """
    inputs = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    return Conversion(**_core.convert([path_of(file) for file in inputs], None if output is None else path_of(output),
                                      threads, options, progress))
