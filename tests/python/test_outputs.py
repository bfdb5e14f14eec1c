"""No output replaces a file that its results came from, and a search that was stopped never goes on as if nothing was lost."""
import io
import os
import pickle
import shutil
import signal
import threading
import time

import pytest
import warpseq

SEQUENCE = "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEK"
PROFILE_ENGINES = ["hmmsearch", "phmmer", "jackhmmer", "hmmscan"]
ENGINES = [*PROFILE_ENGINES, "sw", "blastp"]
TABLES = {"sw": "6", "blastp": "6"}  # and that of other engines is "tblout"


class Files:
    """A database, queries and profiles of a folder of their own."""

    def __init__(self, folder, database, queries):
        folder.mkdir()
        self.folder = folder
        self.database = shutil.copy(database, folder / "database.wsdb")
        self.queries = shutil.copy(queries, folder / "queries.fasta")
        self.profiles = folder / "profiles.hmm"
        warpseq.hmmbuild([("a", SEQUENCE), ("b", SEQUENCE)], name="first").write(self.profiles)

    def queries_of(self, engine):
        return self.profiles if engine == "hmmsearch" else self.queries

    def inputs_of(self, engine):
        return [self.queries_of(engine), self.profiles if engine == "hmmscan" else self.database]

    def search(self, session, engine, queries=None):
        """Starts a search of the engine."""
        given = self.queries_of(engine) if queries is None else queries
        return getattr(session, engine)(given, *([self.profiles] if engine == "hmmscan" else []))

    def results(self, engine):
        with warpseq.Session(self.database, device="cpu", threads=1) as session:
            return list(self.search(session, engine))

    def content(self):
        return {file.name: file.read_bytes() for file in sorted(self.folder.iterdir())}


@pytest.fixture
def files(database, queries, tmp_path):
    return Files(tmp_path / "own", database, queries)


@pytest.fixture
def session(database):
    with warpseq.Session(database, device="cpu", threads=1) as opened:
        yield opened


def pickled(results):
    """Returns results that come from pickles of their own, as from other processes."""
    return [pickle.loads(pickle.dumps(hits)) for hits in results]


def refused(write, *arguments, **named):
    with pytest.raises(warpseq.OptionError, match="name the same file"):
        write(*arguments, **named)


@pytest.mark.parametrize("way", [list, pickled], ids=["fresh", "pickled"])
@pytest.mark.parametrize("engine", ENGINES)
def test_results_never_replace_the_files_that_they_came_from(engine, way, files):
    results = way(files.results(engine))
    link = files.folder / "link"
    link.symlink_to(files.inputs_of(engine)[1])
    before = files.content()
    for output in [*files.inputs_of(engine), link]:
        for format in [None, TABLES.get(engine, "tblout")]:
            refused(results[0].write, output, format=format)
            refused(warpseq.write_report, results, output, format=format)
    assert files.content() == before
    warpseq.write_report(results, files.folder / "report")
    results[0].write(files.folder / "report")


@pytest.mark.parametrize("way", [list, pickled], ids=["fresh", "pickled"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_report_on_several_runs_replaces_none_of_their_files(engine, way, files, database, queries, tmp_path):
    others = Files(tmp_path / "others", database, queries)
    results = way(files.results(engine) + others.results(engine))
    for output in files.inputs_of(engine) + others.inputs_of(engine):
        before = output.read_bytes()
        refused(warpseq.write_report, results, output)
        assert output.read_bytes() == before


@pytest.mark.parametrize("engine", ENGINES)
def test_names_of_inputs_hold_in_another_folder(engine, files, tmp_path, monkeypatch):
    monkeypatch.chdir(files.folder)
    near = {"hmmsearch": "profiles.hmm"}.get(engine, "queries.fasta")
    with warpseq.Session("database.wsdb", device="cpu", threads=1) as session:
        search = getattr(session, engine)
        results = list(search(near, "profiles.hmm") if engine == "hmmscan" else search(near))
        late = search(near, "profiles.hmm") if engine == "hmmscan" else search(near)
        monkeypatch.chdir(tmp_path)
        before = files.content()
        for hits in [results[0], pickled(results)[0]]:
            for output in files.inputs_of(engine):
                refused(hits.write, output)
        monkeypatch.chdir(files.folder)
        first = next(late)  # starts the search
        assert first.query_name == results[0].query_name
        monkeypatch.chdir(tmp_path)
        refused(late.write, files.inputs_of(engine)[1])
    assert files.content() == before


def test_the_files_of_single_queries_replace_no_input(files):
    """Formats 13 and 14 of blastp write files of their own beside the report."""
    database = files.database.rename(files.folder / "report_1.json")
    with warpseq.Session(database, device="cpu", threads=1) as session:
        results = list(session.blastp(files.queries))
        before = files.content()
        refused(session.blastp(files.queries).write, files.folder / "report", format="13")
    for way in [list, pickled]:
        refused(way(results)[0].write, files.folder / "report", format="13")
        refused(warpseq.write_report, way(results), files.folder / "report", format="13")
    assert files.content() == before


def test_sequences_in_memory_have_no_file_to_replace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warpseq.Session(warpseq.Database([("a", SEQUENCE)]), device="cpu", threads=1) as session:
        for engine in ["phmmer", "sw"]:
            for _ in range(2):
                for name in ["sequences", "queries"]:  # their names in reports
                    getattr(session, engine)([SEQUENCE]).write(name)
                    hits = next(getattr(session, engine)([SEQUENCE]))
                    for each in [hits, *pickled([hits])]:
                        each.write(name)


@pytest.fixture
def interrupt_soon():
    """A function that sends Ctrl-C to this process a moment later."""
    threads = []

    def interrupt():
        def send():
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGINT)
        threads.append(threading.Thread(target=send))
        threads[-1].start()
    yield interrupt
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("is_first", [True, False], ids=["first", "second"])
def test_an_interrupted_search_raises_again(engine, is_first, files, session, interrupt_soon):
    """The wait for a pipe's writer is a part of starting some searches, and of the first result of others."""
    pipe = files.folder / "pipe"
    os.mkfifo(pipe)
    given = files.queries_of(engine)
    for write in [False, True]:
        search = files.search(session, engine, [pipe, given] if is_first else [given, pipe, given])
        interrupt_soon()
        with pytest.raises(KeyboardInterrupt):
            search.write(files.folder / "report") if write else list(search)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                next(search)
            with pytest.raises(KeyboardInterrupt):
                search.write(files.folder / "report")
    assert not (files.folder / "report").exists()


def failing(given):
    yield given
    raise RuntimeError("no more queries")


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_between_queries_is_raised_again(engine, files, session):
    given = files.queries_of(engine)
    cases = [(lambda: [given, files.folder / "missing", given], warpseq.FileError), (lambda: failing(given), RuntimeError),
             (lambda: [given, 5, given], TypeError)]
    expected = [hits.query_name for hits in files.search(session, engine)]
    for queries, error in cases:
        search = files.search(session, engine, queries())
        assert [next(search).query_name for _ in expected] == expected
        messages = set()
        for use in [lambda: next(search), lambda: list(search), lambda: search.write(files.folder / "report")] * 2:
            with pytest.raises(error) as raised:
                use()
            messages.add(str(raised.value))
        assert len(messages) == 1
        with pytest.raises(error):
            files.search(session, engine, queries()).write(files.folder / "report")
    assert not (files.folder / "report").exists()


@pytest.mark.parametrize("engine", ["phmmer", "sw"])
def test_an_error_of_a_callback_ends_the_search(engine, session, queries, tmp_path):
    taken = []

    def callback(hits):
        taken.append(hits.query_name)
        if len(taken) == 2:
            raise ValueError("enough")

    search = getattr(session, engine)(queries, callback=callback)
    for use in [lambda: search.write(tmp_path / "report"), lambda: search.write(tmp_path / "report"), lambda: next(search)]:
        with pytest.raises(ValueError, match="enough"):
            use()
    assert len(taken) == 2 and not (tmp_path / "report").exists()


class Full(io.BytesIO):
    """A file that takes some bytes only."""

    def write(self, data):
        if self.tell() + len(data) > 3000:
            raise OSError("the disk is full")
        return super().write(data)


@pytest.mark.parametrize("engine", ["phmmer", "blastp"])
def test_a_report_that_cannot_be_finished_is_not_begun_anew(engine, session, queries, tmp_path):
    search = getattr(session, engine)(queries)
    for use in [lambda: search.write(Full()), lambda: search.write(tmp_path / "report"), lambda: next(search)]:
        with pytest.raises(OSError, match="the disk is full"):
            use()
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("engine", ["hmmsearch", "phmmer", "sw", "blastp"])
def test_a_wrong_format_or_output_loses_no_result(engine, files):
    with warpseq.Session(files.database, device="cpu", threads=1) as session:
        whole = io.BytesIO()
        files.search(session, engine).write(whole)
        search = files.search(session, engine)
        for _ in range(2):
            with pytest.raises(warpseq.OptionError, match="nonsense"):
                search.write(files.folder / "report", format="nonsense")
            refused(search.write, files.database)
        search.write(files.folder / "report")
        assert not list(search)
    assert (files.folder / "report").read_bytes() == whole.getvalue()
