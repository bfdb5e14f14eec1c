"""Databases as collections of sequences."""
from __future__ import annotations

import os
from typing import Any, Iterable, Iterator, TypeVar

from . import _core
from ._queries import is_single, path_of, refuse_dict, refuse_open_file, text_of

T = TypeVar("T")
NAME = "sequences"


class Record:
    """A sequence of a database: its name, the rest of its header line, and its residues in upper case."""

    __slots__ = ("name", "description", "sequence")

    def __init__(self, name: str, description: str, sequence: str) -> None:
        self.name = name
        self.description = description
        self.sequence = sequence

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._all() == other._all()

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return f"Record({self.name!r}, {self.description!r}, {self.sequence!r})"

    def _all(self) -> tuple[str, str, str]:
        return self.name, self.description, self.sequence

    def __len__(self) -> int:
        return len(self.sequence)

    def __str__(self) -> str:
        return self.sequence

    def __getitem__(self, residues: int | slice) -> Record | str:
        """Returns a residue, or a part of the sequence as a record. Residues are counted from 0.

        A part is named as `inspect fetch` names it: NAME:FIRST-LAST, counted from 1. Parts with a step keep the name.
        """
        if not isinstance(residues, slice):
            return self.sequence[residues]
        first, end, step = residues.indices(len(self.sequence))
        name = f"{self.name}:{first + 1}-{end}" if step == 1 and first < end else self.name
        return Record(name, self.description, self.sequence[residues])


class Database:
    """Protein sequences in files or in memory, which sessions search.

    `source` is a path: a database (.wsdb) or a set (.wsdbs) made by dbconv, a FASTA file, or a BLAST database by its
    name. It can be several paths as os.PathLike objects, which are one database, or an iterable of sequences: str,
    bytes, (name, sequence) pairs, Biopython's Seq and SeqRecord, pyhmmer's sequences. Databases of dbconv are mapped and
    not read, so opening takes no time. Other sources are converted in memory or in a temporary file.

    A database can be used from several threads. If a database of dbconv is written to while it is open, functions raise
    FileError or InvalidInputError instead of returning wrong sequences. Files that were converted are not read again:
    this object, and sessions that are opened with it, keep the sequences that the files had.
    """

    def __init__(self, source: str | os.PathLike[str] | Iterable[object]) -> None:
        self._files: list[str] = []
        text: bytes | None = None
        if isinstance(source, (str, os.PathLike)):
            self._files = [path_of(source)]
        else:
            self._files, text = files_or_text(source)
        self._core = _core.Database(self._files, text, NAME)

    @property
    def paths(self) -> list[str]:
        """The files, for functions that read them again. Sequences in memory have one, too."""
        return [os.fspath(file) for file in self._core.files]

    @property
    def names(self) -> list[str]:
        """The names of the files in reports: their paths, or "sequences" for those in memory."""
        return list(self._core.names)

    @property
    def residues(self) -> int:
        """The number of residues of all sequences."""
        return int(self._core.residues)

    def __len__(self) -> int:
        return int(self._core.sequences)

    def __iter__(self) -> Iterator[Record]:
        """Returns an iterator over the sequences, in the order of the input."""
        cursor = _core.SequenceCursor(self._core)
        while (fields := cursor.next()) is not None:
            yield Record(*fields)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and bool(self._core.has(encoded(name)))

    def __getitem__(self, name: str) -> Record:
        """Returns the first sequence with this name: a whole identifier, or an accession or name within one."""
        found = self._found(name, 1)
        if not found:
            raise KeyError(self._core.missing(encoded(name)))
        return found[0]

    def get(self, name: str, default: T | None = None) -> Record | T | None:
        """Returns the first sequence with this name, or `default`."""
        found = self._found(name, 1)
        return found[0] if found else default

    def find(self, name: str) -> list[Record]:
        """Returns all sequences with this name, in the order of the input."""
        return self._found(name, 1 << 62)

    def _found(self, name: str, most: int) -> list[Record]:
        if not isinstance(name, str):
            raise TypeError(f"a name of a sequence is a str, not {type(name).__name__}")
        return [Record(*fields) for fields in self._core.find(encoded(name), most)]

    def __repr__(self) -> str:
        return f"<Database {'; '.join(self.names)}: {len(self):,} sequences, {self.residues:,} residues>"

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._files:
            raise TypeError("a database of sequences in memory cannot be pickled")
        return reopened, (type(self), self._files)


def reopened(kind: type[Database], files: list[str]) -> Database:
    """Opens a database that was pickled."""
    return kind(files[0] if len(files) == 1 else [PathOf(file) for file in files])


class PathOf(os.PathLike[str]):
    """A path that is told apart from text."""

    def __init__(self, file: str) -> None:
        self._file = file

    def __fspath__(self) -> str:
        return self._file


def files_or_text(source: Iterable[object]) -> tuple[list[str], bytes | None]:
    """Returns the files of a collection of paths, or the FASTA text of a collection of sequences."""
    refuse_dict(source)
    refuse_open_file(source)
    if isinstance(source, (bytes, tuple)) or not isinstance(source, Iterable) or is_single(source):
        source = [source]
    files: list[str] = []
    parts: list[bytes] = []
    for number, each in enumerate(source, 1):
        if isinstance(each, os.PathLike):
            files.append(path_of(each))
        else:
            parts.append(text_of(each, number)[0])
    if not files and not parts:
        raise _core.InvalidInputError("there are no sequences to make a database of")
    if files and parts:
        raise TypeError("a database is of files or of sequences, not of both")
    return (files, None) if files else ([], b"".join(parts))


def encoded(name: str) -> bytes:
    """Returns the bytes of a name, which may be those of a file that is not in UTF-8."""
    return name.encode("utf-8", "surrogateescape")
