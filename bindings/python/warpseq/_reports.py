"""Reports on the hits of several queries."""
from __future__ import annotations

import os
from typing import Any, BinaryIO, Iterable

from . import _core
from ._session import format_of


def write_report(results: Iterable[_core.HmmHits | _core.Hits], file: str | os.PathLike[str] | BinaryIO,
                 format: str | int | None = None, header: bool = False) -> None:
    """Writes the hits of several queries as one report, as write() of a search does. They may have been pickled.

    The hits are of one search, or of searches that differ in their queries alone: the report describes the search of the
    first. `file`, `format` and `header` are those of write().
    """
    out = _core.Output(file)
    try:
        write_to(out, results, format_of(format), header)
    finally:
        out.close()


def write_to(out: _core.Output, results: Iterable[_core.HmmHits | _core.Hits], format: str | None,
             header: bool) -> None:
    """Writes the report to an output that has been opened."""
    writer: Any = None
    engine = ""
    for hits in results:
        if not isinstance(hits, (_core.HmmHits, _core.Hits)):
            raise TypeError(f"a report is on the hits of queries, not on a {type(hits).__name__}")
        if writer is None:
            engine = hits.engine
            if isinstance(hits, _core.Hits):
                writer = _core.SequenceWriter(hits, format, header, out.path)
            else:
                writer = _core.HmmWriter(hits, "0" if format is None else format, header, out.path)
            out.write(writer.begin())
        elif hits.engine != engine:
            raise _core.OptionError(f"a report has hits of one engine only, not of {engine} and {hits.engine}")
        out.write(writer.add(hits))
    if writer is None:
        raise _core.OptionError("a report needs the hits of at least one query")
    out.write(writer.end())
    out.finish()
