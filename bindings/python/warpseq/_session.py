"""Sessions and searches."""
from __future__ import annotations

import os
from _thread import allocate_lock, get_ident
from copy import copy
from typing import Any, BinaryIO, Callable, Generic, Iterable, Iterator, TypeVar

from . import _core
from ._database import Database
from ._queries import Chunk, chunks_of, file_or_profiles, path_of
from ._sequence_search import joined_taxids, numbered, writer_of

Hits = TypeVar("Hits")


class Search(Generic[Hits]):
    """A search that is running: an iterator over the hits of each query, in the order of the queries.

    Results are computed as they are taken. Threads that share a search take its results in turn.
    """

    def __init__(self, session: _core.Session, chunks: Iterator[Chunk], start: Callable[[Chunk], Any],
                 writer: Callable[..., Any], callback: Callable[[Hits], object] | None, inputs: list[str]) -> None:
        self._session = session
        self._chunks = chunks
        self._start = start
        self._writer = writer
        self._callback = callback
        self._running: Any = None
        self._inputs = list(inputs)  # files that write() must not replace
        self._untaken: list[Hits] = []  # a result that write() has given back
        self._taken = 0  # the number of results so far
        self._failure: BaseException | None = None  # that ended the search
        self._lock = allocate_lock()  # threads that share a search take its results in turn
        self._taker = 0  # the thread that has the lock
        self._writing: object = None  # of the write() that is under way

    def __iter__(self) -> Search[Hits]:
        return self

    def __next__(self) -> Hits:
        hits = self._take()
        if hits is None:
            raise StopIteration
        return hits

    def _take(self, writing: object = None) -> Hits | None:
        """Returns the next result, or None after the last one. `writing` is that of a write(), which others wait for."""
        self._check_use()
        is_taking = False  # from when on an error may lose a result
        try:
            with self._lock:
                if self._writing is not writing:
                    raise _core.OptionError("the results of this search are being written already")
                is_taking = True
                self._taker = get_ident()
                try:
                    is_new = not self._untaken
                    hits = self._next() if is_new else self._untaken.pop()
                    self._taken += hits is not None
                finally:
                    self._taker = 0
            if hits is not None and is_new and self._callback is not None:
                self._callback(hits)
            return hits
        except StopIteration as error:  # it would look like the end of the results
            failure = RuntimeError("a callback or an option has raised StopIteration")
            self._fail(failure)
            raise failure from error
        except BaseException as error:
            if is_taking:
                self._fail(error)
            raise

    def _check_use(self) -> None:
        """Refuses a use that would wait for ever."""
        self._session.check_process()  # a forked process may have been left with the lock taken
        if self._taker == get_ident():
            raise _core.OptionError("a search cannot be used by its own queries, nor by a handler that interrupts it")

    def _fail(self, error: BaseException) -> None:
        """Ends the search. Every later call raises the error, because a result may have been lost."""
        if self._failure is None:
            self._failure = without_traceback(error)  # whose frames refer to the search
            self._running = None

    def _next(self) -> Hits | None:
        if self._failure is not None:
            raise self._failure.with_traceback(None)
        while True:
            if self._running is None:
                chunk = next(self._chunks, None)
                if chunk is None:
                    return None
                if chunk.file is not None:
                    self._inputs.append(os.path.abspath(chunk.file))
                self._running = self._start(chunk)
            hits: Hits | None = self._running.next()
            if hits is not None:
                return hits
            self._running = None

    def write(self, file: str | os.PathLike[str] | BinaryIO, format: str | int | None = None,
              header: bool = False) -> None:
        """Takes the results of all queries that are left and writes them as one report, with the bytes of the program.

        If all results have been taken before, it raises OptionError. If some have been, it warns that the report lacks
        them. Results that were taken are written by write_report(), in several formats if need be.

        `file` is a path, or a binary file object. `format` is that of the program's --outfmt. Without it, it is the
        search's option `outfmt`, or "0". Searches with profiles also have the names of tables ("tblout", "domtblout",
        "pfamtblout") and of alignment formats ("stockholm"). Formats 13 and 14 of blastp write a file per query beside
        `file`, which has to be a path. If the report cannot be written to its end, later calls of the search raise the
        error again.
        """
        format = format_of(format)
        out = _core.Output(file)
        first: Hits | None = None
        writer = None
        writing = object()
        taken = self._taken
        try:
            self._check_use()
            with self._lock:
                if self._writing is not None:
                    raise _core.OptionError("the results of this search are being written already")
                self._writing = writing
                taken = self._taken
            first = self._take(writing)
            if taken > 0:
                self._refuse_inputs(out)
                self._tell_of_taken(taken, first is None)
            writer = self._writer(first, format, header, out.path)  # None if there is no report on no queries
            self._write(out, writer, first, writing)
        except BaseException as error:
            is_harmless = writer is None and first is not None and isinstance(error, (_core.OptionError, TypeError, Warning))
            if is_harmless:  # another file or format may do
                self._untaken.append(first)  # type: ignore[arg-type]
                self._taken -= 1
            elif self._writing is writing and self._taken > taken:
                self._fail(error)
            raise
        finally:
            if self._writing is writing:
                self._writing = None
            out.close()

    @staticmethod
    def _tell_of_taken(taken: int, are_all: bool) -> None:
        """Says that a report will lack results, or refuses to write one without any."""
        if are_all:
            raise _core.OptionError(f"all {taken} results of this search have been taken; write them with "
                                    "warpseq.write_report()")
        _core.warn(f"the report lacks the first {taken} results of the search, which have been taken before")

    def _write(self, out: _core.Output, writer: Any, first: Hits | None, writing: object) -> None:
        out.write(b"" if writer is None else writer.begin())
        if first is not None:
            out.write(writer.add(first))
        while first is not None and (hits := self._take(writing)) is not None:
            out.write(writer.add(hits))
        if writer is not None:
            out.write(writer.end())
        self._refuse_inputs(out)  # the writer knows those of the first results only
        out.finish()

    def _refuse_inputs(self, out: Any) -> None:
        for each in self._inputs:
            if is_same_file(out.path, each):
                raise _core.OptionError(f"the output and an input name the same file, {out.path}; give each its own")


def format_of(format: str | int | None) -> str | None:
    """Returns the name of a format. Formats that have a number may be given as one."""
    return str(int(format)) if isinstance(format, int) else format


def without_traceback(error: BaseException) -> BaseException:
    """Returns a copy of an error without its traceback, or the error itself if a copy would be another one."""
    try:
        made = copy(error)
        if type(made) is type(error) and made.args == error.args and str(made) == str(error):
            made.__cause__ = error.__cause__
            return made
    except Exception:
        pass
    return error


def is_same_file(a: str, b: str) -> bool:
    return os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b)


class Session:
    """Databases, devices and threads, opened once for any number of searches.

    `databases` is a Database, or the path of a database made by dbconv, of a FASTA file or of a BLAST database, or a list
    of such paths, which are searched as one. `device` is "auto", "cpu", "cuda", or as the programs' --device. A session
    can be used from several threads. `taxids` and `seqidlist`, which is a file, restrict all of its searches to some of
    the sequences. `negative_taxids` and `negative_seqidlist` leave sequences out.
    """

    def __init__(self, databases: Database | str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (), *,
                 device: str = "auto", threads: int | None = None, taxids: int | str | Iterable[int] | None = None,
                 negative_taxids: int | str | Iterable[int] | None = None, **machine: object) -> None:
        names: list[str] = []
        opened: _core.Database | None = None
        if isinstance(databases, Database):
            files: list[Any] = list(databases.paths)
            names = databases.names
            opened = databases._core
        else:
            files = [databases] if isinstance(databases, (str, bytes, os.PathLike)) else list(databases)
            for file in files:
                if not isinstance(file, (str, bytes, os.PathLike)):
                    raise TypeError("a session takes paths or a Database, not " + type(file).__name__ +
                                    "; sequences in memory go into one: Session(Database(sequences))")
        paths = [path_of(file) for file in files]
        is_in_memory = isinstance(databases, Database) and not databases._files
        self._files = [] if is_in_memory else [os.path.abspath(path) for path in paths]
        self._core = _core.Session(paths, names,
                                   {"device": device, "threads": threads, "taxids": joined_taxids(taxids),
                                    "negative_taxids": joined_taxids(negative_taxids), **machine}, opened)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Frees the databases and devices, once the running searches have ended."""
        self._core.close()

    def _search(self, queries: object, start: Callable[[_core.Queries], _core.HmmSearch],
                callback: Callable[[_core.HmmHits], object] | None,
                inputs: list[str] | None = None) -> Search[_core.HmmHits]:
        last: _core.HmmSearch | None = None

        def start_chunk(chunk: Chunk) -> _core.HmmSearch:
            nonlocal last
            last = start(_core.Queries(chunk.file, chunk.text, chunk.name))
            return last

        def writer(_: _core.HmmHits | None, format: str | None, header: bool, file: str) -> _core.HmmWriter | None:
            return None if last is None else _core.HmmWriter(last, "0" if format is None else format, header, file)
        return Search(self._core, chunks_of(queries), start_chunk, writer, callback,
                      self._files if inputs is None else inputs)

    def hmmsearch(self, queries: object, *, callback: Callable[[_core.HmmHits], object] | None = None,
                  **options: object) -> Search[_core.HmmHits]:
        """Searches the databases with profiles: a file of them, or profiles. Options are those of `search hmm`."""
        return self._search(queries, lambda given: _core.start_hmm(self._core, given, options, True), callback)

    def phmmer(self, queries: object, *, callback: Callable[[_core.HmmHits], object] | None = None,
               **options: object) -> Search[_core.HmmHits]:
        """Searches the databases with protein sequences, from which profiles are built. Options as in hmmsearch()."""
        return self._search(queries, lambda given: _core.start_hmm(self._core, given, options, False), callback)

    def jackhmmer(self, queries: object, *, callback: Callable[[_core.HmmHits], object] | None = None,
                  **options: object) -> Search[_core.HmmHits]:
        """Searches the databases with protein sequences in rounds. Options are those of `search jackhmmer`.

        A query's hits are those of its last round; `hits.rounds` has all rounds.
        """
        return self._search(queries, lambda given: _core.start_jackhmmer(self._core, given, options), callback)

    def hmmscan(self, queries: object, profiles: object, *,
                callback: Callable[[_core.HmmHits], object] | None = None, **options: object) -> Search[_core.HmmHits]:
        """Searches sequences for profiles. Options are those of `search hmmscan`.

        `profiles` is the path of a file, pressed or not, or profiles: one or an iterable of Profile objects or pyhmmer's
        HMMs. The session gives devices and threads; its databases play no part.
        """
        file, text = file_or_profiles(profiles)
        models = _core.Queries(file, text, "profiles")
        return self._search(queries, lambda given: _core.start_hmmscan(self._core, given, models, options), callback,
                            [] if file is None else [os.path.abspath(file)])

    def sw(self, queries: object, *, callback: Callable[[_core.Hits], object] | None = None,
           **options: object) -> Search[_core.Hits]:
        """Searches the databases with protein sequences by Smith-Waterman. Options are those of `search sw`.

        Each target has one alignment.
        """
        start = numbered(self._core, "sw", options)
        return Search(self._core, chunks_of(queries), start, writer_of, callback, self._files)

    def blastp(self, queries: object, *, callback: Callable[[_core.Hits], object] | None = None,
               **options: object) -> Search[_core.Hits]:
        """Searches the databases with protein sequences as NCBI's blastp does, with the same hits, scores and E-values.

        Options are those of `search blastp`: `task`, `word_size`, `evalue` and so on. `num_descriptions` and
        `num_alignments` say how many targets are searched for as the program does, which depends on `outfmt`.
        """
        start = numbered(self._core, "blastp", options)
        return Search(self._core, chunks_of(queries, _core.blastp_group_residues), start, writer_of, callback, self._files)
