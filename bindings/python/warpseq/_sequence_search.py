"""What searches with sequences need besides the core."""
from __future__ import annotations

from typing import Callable, Iterable

from . import _core
from ._queries import Chunk


def numbered(session: _core.Session, engine: str,
             options: dict[str, object]) -> Callable[[Chunk], _core.SequenceSearch]:
    """Returns a function that starts the search of each chunk in turn. Queries are numbered on from chunk to chunk."""
    last: _core.SequenceSearch | None = None

    def start(chunk: Chunk) -> _core.SequenceSearch:
        nonlocal last
        before = 0 if last is None else last.queries
        queries = _core.Queries(chunk.file, chunk.text, chunk.name)
        last = _core.start_sequence_search(session, engine, queries, options, before)
        return last
    return start


def writer_of(hits: _core.Hits | None, format: str | None, header: bool, file: str) -> _core.SequenceWriter | None:
    """Returns the writer of a report on these hits and those of further queries. Without hits there is no report."""
    return None if hits is None else _core.SequenceWriter(hits, format, header, file)


def joined_taxids(taxids: int | str | Iterable[int] | None) -> str | None:
    """Returns taxonomy IDs as the text of an option."""
    if taxids is None or isinstance(taxids, str):
        return taxids
    return ",".join(map(str, taxids if isinstance(taxids, Iterable) else [taxids]))
