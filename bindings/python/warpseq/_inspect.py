"""Descriptions of databases, and checks whether they are sound."""
from __future__ import annotations

import dataclasses
import json
import os
from typing import Any

from . import _core
from ._database import Database
from ._queries import path_of


@dataclasses.dataclass(frozen=True)
class DatabaseStatistics:
    """The figures of `inspect stats`, by the names of its JSON. Lengths are in residues, sizes in bytes."""

    sequences: int
    residues: int
    shortest_residues: int
    median_residues: int
    mean_residues: float
    n50_residues: int
    """Sequences of at least this length hold half of all residues."""
    longest_residues: int
    length_histogram: list[dict[str, int]]
    """For each range of lengths that occurs: "from_residues", and the number of "sequences"."""
    composition: dict[str, int]
    """The number of residues with each letter."""
    tiles: int
    linear_tiles: int
    residue_words: int
    padding_words: int
    full_tiles: int
    worst_full_tile: dict[str, Any] | None
    interleaved_tiles_by_tenth_filled: list[int]
    file_bytes: int
    residue_section_bytes: int
    packed_tile_bytes: int
    header_bytes: int
    header_bytes_stored: int
    empty_sequences: int
    duplicate_identifiers: int
    unnamed_sequences: int
    gaps_removed: int
    skipped_invalid: int
    letters: dict[str, dict[str, int]] | None
    """With the option `letters`: the number of residues and of sequences with each letter."""
    low_complexity: dict[str, Any] | None
    """With the option `low_complexity`: what SEG masks."""
    duplicates: dict[str, Any] | None
    """With the option `duplicates`: identical sequences, and the largest groups of them."""


@dataclasses.dataclass(frozen=True)
class DatabaseInfo:
    """What `inspect info` says about a database or a set, by the names of its JSON. What only the other has is None."""

    file: str
    sequences: int
    residues: int
    title: str | None
    release: str | None
    file_bytes: int | None
    format_version: str | None
    codec: str | None
    longest_residues: int | None
    tiles: int | None
    linear_tiles: int | None
    content_digest: str | None
    """The digest of the content: the same for equal sequences in any codec."""
    sections: list[dict[str, Any]] | None
    """The sections of the file: "name", "offset_bytes", "size_bytes", "items"."""
    provenance: dict[str, Any] | None
    """Where the database comes from, as dbconv wrote it."""
    set: str | None
    """The identity of a set."""
    volumes: list[dict[str, Any]] | None
    """The volumes of a set: "file", "sequences", "residues", "removed_sequences", "content_digest"."""
    forgotten_updates: int | None
    history: list[dict[str, Any]] | None
    """The updates of a set."""
    statistics: DatabaseStatistics


def inspect(db: Database | str | os.PathLike[str], *, threads: int | None = None, **options: object) -> DatabaseInfo:
    """Returns what `inspect info` and `inspect stats` report about a database (.wsdb) or a set (.wsdbs).

    The options are those of `inspect stats`: letters, low_complexity and duplicates read all of the database. A set of
    several volumes is converted to one database in a temporary file, as the program does it.
    """
    info, stats = (json.loads(text) for text in _core.inspect(file_of(db), threads, options))
    statistics = DatabaseStatistics(**values_of(DatabaseStatistics, stats))
    return DatabaseInfo(**values_of(DatabaseInfo, info) | {"statistics": statistics})


def validate(db: Database | str | os.PathLike[str], *, threads: int | None = None, **options: object) -> None:
    """Checks every bit of a database or a set, as `inspect validate` does.

    Raises InvalidInputError with the first fault if it is not sound, or with all faults if all=True.
    """
    _core.validate(file_of(db), threads, options)


def values_of(kind: type, values: dict[str, Any]) -> dict[str, Any]:
    """Returns a value for each member of a dataclass: None for those that are not there."""
    return {field.name: values.get(field.name) for field in dataclasses.fields(kind)}


def file_of(db: Database | str | os.PathLike[str]) -> str:
    """Returns the only file of a database."""
    if not isinstance(db, Database):
        return path_of(db)
    if db.names != db.paths:
        raise TypeError("sequences in memory are not inspected, only databases that dbconv or convert() made")
    if len(db.paths) != 1:
        raise TypeError("a database of several files is inspected file by file")
    return db.paths[0]
