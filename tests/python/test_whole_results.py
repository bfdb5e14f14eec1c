"""Nothing that a program does with a search loses a result without a word: neither its callbacks, its queries, its outputs, its
tables, nor the end of its process."""
import _thread
import faulthandler
import os
import shutil
import subprocess
import sys
import threading
import time
import warnings

import numpy
import pytest

import warpseq
from conftest import script

SEQUENCE = "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEK"
ENGINES = ["sw", "blastp", "phmmer", "jackhmmer"]


@pytest.fixture
def session(database):
    with warpseq.Session(database, device="cpu", threads=1) as opened:
        yield opened


@pytest.mark.parametrize("engine", ENGINES)
def test_a_callback_that_raises_stopiteration_ends_no_loop(engine, session, queries, tmp_path):
    labels = iter(["first", "second"])
    search = getattr(session, engine)(queries, callback=lambda _: next(labels))
    with pytest.raises(RuntimeError, match="StopIteration"):
        list(search)
    labels = iter(["first"])
    with pytest.raises(RuntimeError, match="StopIteration"):
        getattr(session, engine)(queries, callback=lambda _: next(labels)).write(tmp_path / "report")
    assert not (tmp_path / "report").exists()


def test_an_option_that_raises_stopiteration_ends_no_loop(session):
    class Path:
        def __fspath__(self):
            raise StopIteration

    with pytest.raises(RuntimeError, match="StopIteration"):
        list(session.sw([SEQUENCE], matrix=Path()))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_second_report_does_not_replace_the_first_with_nothing(engine, session, queries, tmp_path):
    file = tmp_path / "report"
    search = getattr(session, engine)(queries)
    search.write(file)
    whole = file.read_bytes()
    with pytest.raises(warpseq.OptionError, match="all 10 results of this search have been taken"):
        search.write(file)
    assert file.read_bytes() == whole
    search = getattr(session, engine)(queries)
    results = list(search)
    with pytest.raises(warpseq.OptionError, match="write_report"):
        search.write(file)
    warpseq.write_report(results, file)
    assert file.read_bytes() == whole


def test_a_report_that_lacks_results_says_so(session, queries, tmp_path):
    search = session.sw(queries)
    next(search)
    next(search)
    with pytest.warns(warpseq.WarpseqWarning, match="lacks the first 2 results"):
        search.write(tmp_path / "report", format="6")


def test_two_threads_do_not_share_a_report(session, queries, tmp_path):
    begun, go_on = threading.Event(), threading.Event()

    def callback(_):
        begun.set()
        assert go_on.wait(30)

    search = session.sw(queries, callback=callback)
    writer = threading.Thread(target=search.write, args=[tmp_path / "report"], kwargs={"format": "6"})
    writer.start()
    assert begun.wait(30)
    with pytest.raises(warpseq.OptionError, match="being written already"):
        next(search)
    with pytest.raises(warpseq.OptionError, match="being written already"):
        search.write(tmp_path / "other")
    go_on.set()
    writer.join()
    session.sw(queries).write(tmp_path / "whole", format="6")
    assert (tmp_path / "report").read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_callback_cannot_write_its_own_search(session, queries, tmp_path):
    search = session.sw(queries, callback=lambda _: search.write(tmp_path / "inner"))
    with pytest.raises(warpseq.OptionError, match="being written already"):
        search.write(tmp_path / "outer")
    assert not (tmp_path / "inner").exists() and not (tmp_path / "outer").exists()


@pytest.mark.parametrize("place", ["callback", "output"])
def test_nothing_takes_results_out_of_a_report(place, session, queries, tmp_path):
    def take(*_):
        next(search)

    class Output:
        write = take

    search = session.sw(queries, callback=take if place == "callback" else None)
    with pytest.raises(warpseq.OptionError, match="being written already"):
        search.write(tmp_path / "report" if place == "callback" else Output())


def test_a_warning_that_is_an_error_loses_no_result(session, queries, tmp_path):
    search = session.sw(queries)
    next(search)
    with pytest.raises(warpseq.WarpseqWarning), warnings.catch_warnings():
        warnings.simplefilter("error")
        search.write(tmp_path / "report")
    assert len(list(search)) == 9


def test_a_corrected_report_calls_no_callback_twice(session, queries, tmp_path):
    seen = []
    search = session.sw(queries, callback=lambda hits: seen.append(hits.query_name))
    with pytest.raises(warpseq.OptionError):
        search.write(tmp_path / "report", format="nonsense")
    search.write(tmp_path / "report", format="6")
    assert len(seen) == len(set(seen)) == 10


def test_ctrl_c_while_waiting_ends_no_search_of_another_thread(session):
    def sequences():
        for number in range(3):
            yield f"q{number}", SEQUENCE
            time.sleep(0.7)

    found = []
    search = session.sw(sequences())
    thread = threading.Thread(target=lambda: found.extend(hits.query_name for hits in search))
    thread.start()
    time.sleep(0.2)
    threading.Timer(0.3, _thread.interrupt_main).start()
    with pytest.raises(KeyboardInterrupt):
        search.write("never")
    thread.join()
    assert found == ["q0", "q1", "q2"]


def test_the_error_that_ends_a_search_stays_what_it_was(session):
    class Bad(Exception):
        __slots__ = ("code",)

        def __init__(self, code):
            self.code = code

        def __str__(self):
            return f"code {self.code}"

    for error in [SystemExit(3), Bad(5), ImportError("x", name="y")]:
        def callback(_):
            raise error
        search = session.sw([SEQUENCE] * 3, callback=callback)
        for _ in range(2):
            with pytest.raises(type(error), match=str(error)) as caught:
                next(search)
            assert getattr(caught.value, "code", None) == getattr(error, "code", None)


def test_a_format_may_be_a_number_and_a_wrong_one_may_be_corrected(session, queries, tmp_path):
    search = session.sw(queries)
    for wrong in ["nonsense", 6.5]:
        with pytest.raises((warpseq.OptionError, TypeError)):
            search.write(tmp_path / "report", format=wrong)
    search.write(tmp_path / "report", format=6)
    session.sw(queries).write(tmp_path / "whole", format="6")
    assert (tmp_path / "report").read_bytes() == (tmp_path / "whole").read_bytes()
    for engine in ["sw", "phmmer"]:
        hits = next(getattr(session, engine)(queries))
        hits.write(tmp_path / "number", format=6)
        hits.write(tmp_path / "text", format="6")
        assert (tmp_path / "number").read_bytes() == (tmp_path / "text").read_bytes()
    warpseq.write_report(session.sw(queries), tmp_path / "joined", format=6)
    assert (tmp_path / "joined").read_bytes() == (tmp_path / "whole").read_bytes()


def test_an_error_keeps_its_text(session):
    class Bad(Exception):
        def __init__(self, code):
            super().__init__(f"code {code}")

    def sequences():
        yield SEQUENCE
        raise Bad(5)

    search = session.sw(sequences())
    next(search)
    for _ in range(3):
        with pytest.raises(Bad, match="^code 5$"):
            next(search)


def test_an_error_of_the_queries_comes_after_the_results_before_it(session):
    def sequences():
        for number in range(5):
            yield f"q{number}", SEQUENCE
        raise ConnectionError("lost")

    for engine in ENGINES:
        names = []
        with pytest.raises(ConnectionError, match="lost"):
            for hits in getattr(session, engine)(sequences()):
                names.append(hits.query_name)
        assert names == [f"q{number}" for number in range(5)]


def test_slow_queries_are_searched_as_they_come(session):
    def sequences():
        for number in range(4):
            time.sleep(0.6)
            yield f"q{number}", SEQUENCE

    begun = time.monotonic()
    search = session.sw(sequences())
    assert next(search).query_name == "q0"
    assert time.monotonic() - begun < 1.5
    assert [hits.query_name for hits in search] == ["q1", "q2", "q3"]


@pytest.mark.parametrize("count", [-1, -4096, -100_000_000, 2**70, 1])
def test_outputs_that_count_wrongly(session, count):
    class Output:
        def __init__(self):
            self.text = b""

        def write(self, text):
            self.text += text
            return None if text else count

    output = Output()
    # Neither query has a hit, so the writer has nothing to write for them.
    session.sw([("a", "WWWWHHHHCCCC"), ("b", "MKTAYIAKQ")], evalue=1e-30).write(output, format="6")
    assert output.text == b""

    class Wrong(Output):
        def write(self, text):
            return count if count != 1 else len(text) + 1

    with pytest.raises(warpseq.FileError, match="the output took"):
        session.sw([SEQUENCE]).write(Wrong())


def test_an_error_that_is_kept_keeps_no_file_open(session, tmp_path):
    def sequences():
        yield SEQUENCE
        raise ValueError("bad record")

    errors = []
    before = len(os.listdir("/proc/self/fd"))
    for number in range(20):
        try:
            session.sw(sequences()).write(tmp_path / f"report{number}")
        except ValueError as error:
            errors.append(error)
    assert len(errors) == 20 and len(os.listdir("/proc/self/fd")) <= before + 1


def test_hits_are_equal_to_themselves(session, queries, profiles):
    for hits in [next(session.phmmer(queries)), next(session.hmmscan(queries, profiles))]:
        assert all(hit.hits == hits for hit in hits)
        assert [hit in hits.included for hit in hits] == [hit.included for hit in hits]
        for number, hit in enumerate(hits):
            assert hit == hits[number] and hash(hit) == hash(hits[number]) and list(hits).index(hit) == number
            assert hit != hits and all(domain.hit == hit and domain.alignment.domain == domain for domain in hit.domains)
            assert len(set(hit.domains) | set(hit.domains)) == len(hit.domains)
    for engine in ["sw", "blastp"]:
        hits = next(getattr(session, engine)(queries))
        assert len(hits) > 0 and len({*hits, *hits}) == len(hits) and hits[0] == hits[0] != hits
        assert hits[0].hsps[0] == hits[0].hsps[0] and hits[0] != next(getattr(session, engine)(queries))[0]


def test_tables_without_rows_have_the_types_of_others(session, queries, profiles):
    pandas = pytest.importorskip("pandas", reason="skipped: no pandas")
    for engine in ["sw", "blastp", "phmmer"]:
        full, empty = [next(getattr(session, engine)(asked, **limits)).to_pandas()
                       for asked, limits in [(queries, {}), (["WWWWHHHHCCCC"], {"E" if engine == "phmmer" else "evalue": 1e-30})]]
        assert len(full) > 0 and len(empty) == 0 and list(full) == list(empty)
        for name in full:
            assert full[name].dtype == empty[name].dtype, name
        assert list(pandas.concat([empty, full]).dtypes) == list(full.dtypes)


def test_hmmscan_names_the_sequence_that_is_aligned(session, profiles):
    found = 0
    members = [("like_" + profile.name, profile.consensus) for profile in warpseq.read_profiles(profiles)]
    for hits in session.hmmscan(members, profiles):
        for hit in hits:
            for domain in hit.domains:
                found += 1
                alignment = domain.alignment
                assert (alignment.hmm_name, alignment.target_name) == (hit.name, hits.query_name)
                assert alignment.target_length == hits.query_length
                assert hits.query_name in str(alignment) and hit.name in str(alignment)
    assert found >= 30


def test_hmmscan_takes_profiles(session, queries, profiles, tmp_path):
    session.hmmscan(queries, profiles).write(tmp_path / "file", format="6")
    read = list(warpseq.read_profiles(profiles))
    session.hmmscan(queries, read).write(tmp_path / "objects", format="6")
    session.hmmscan(queries, iter(read)).write(tmp_path / "iterator", format="6")
    assert (tmp_path / "file").read_bytes() == (tmp_path / "objects").read_bytes() == (tmp_path / "iterator").read_bytes()
    hits = next(session.hmmscan(queries, read[0]))
    assert hits.databases == "profiles"
    for wrong, error in [([], warpseq.InvalidInputError), ([SEQUENCE], TypeError), (open(profiles, "rb"), TypeError),
                         ([profiles], TypeError), (None, TypeError), (5, TypeError)]:
        with pytest.raises(error):
            session.hmmscan(queries, wrong)


def test_what_is_no_collection_of_sequences(session, queries, tmp_path, monkeypatch):
    pandas = pytest.importorskip("pandas", reason="skipped: no pandas")
    table = pandas.DataFrame({"name": ["a"], "sequence": [SEQUENCE]})
    monkeypatch.chdir(queries.parent)
    uses = [lambda given: list(session.sw(given)), warpseq.Database, lambda given: warpseq.scores(SEQUENCE, given)]
    for use in uses:
        for wrong in [table, [queries.name], open(queries, "rb")]:
            with pytest.raises(TypeError):
                use(wrong)
    with pytest.raises(TypeError, match="Database"):
        warpseq.Session([("a", SEQUENCE)])
    with pytest.raises(TypeError):
        warpseq.scores(SEQUENCE, b"MKT")
    letters = [bytearray(SEQUENCE.encode()), numpy.array(list(SEQUENCE)), numpy.array(list(SEQUENCE), dtype="S1")]
    assert [[hits.query_length for hits in session.sw(each)] for each in letters] == [[len(SEQUENCE)]] * 3


def test_biopythons_alignments():
    align = pytest.importorskip("Bio.Align", reason="skipped: no Biopython")
    from Bio.Seq import Seq
    from Bio.SeqRecord import SeqRecord
    rows = [("a", SEQUENCE), ("b", "-" * 5 + SEQUENCE[5:]), ("c", SEQUENCE[:20] + "--" + SEQUENCE[22:])]
    old = align.MultipleSeqAlignment([SeqRecord(Seq(text), id=name) for name, text in rows])
    new = old.alignment

    def of(msa):
        return [line for line in bytes(warpseq.hmmbuild(msa, "x")).splitlines() if not line.startswith(b"DATE")]

    assert of(old) == of(new) == of(rows)
    for wrong, text in [([], "no rows"), ([("a", "MKT"), ("b", "MK")], "equally long")]:
        with pytest.raises(warpseq.InvalidInputError, match=text):
            warpseq.hmmbuild(wrong, "x")


def test_a_session_of_a_database_that_was_replaced(database, queries, programs, tmp_path):
    shutil.copy(database, tmp_path / "d.wsdb")
    opened = warpseq.Database(tmp_path / "d.wsdb")
    warpseq.Session(opened, device="cpu", threads=1).close()
    programs.run("dbconv", queries, "-o", tmp_path / "new.wsdb")
    os.replace(tmp_path / "new.wsdb", tmp_path / "d.wsdb")
    with pytest.raises(warpseq.FileError, match="open the Database again"):
        warpseq.Session(opened, device="cpu", threads=1)


def test_exit_functions_that_wait_for_threads(database, queries):
    """They were registered before the package was imported, so they are the last ones."""
    script("""
import atexit, sys, threading, time
stop = threading.Event()
def finish():
    stop.set()
    worker.join()
    if sys.version_info < (3, 12):  # later versions start no thread then
        late = threading.Thread(target=lambda: warpseq.align("MKT", "MKT", protein=True))
        late.start()
        late.join()
atexit.register(finish)
import warpseq
session = warpseq.Session(sys.argv[1], device="cpu", threads=1)
def work():
    try:
        while not stop.is_set():
            list(session.sw(sys.argv[2]))
    except KeyboardInterrupt:
        pass  # the search was stopped, since Python ends
worker = threading.Thread(target=work, daemon=True)
worker.start()
time.sleep(0.3)
""", database, queries)


@pytest.mark.parametrize("kind", ["out", "progress", "warning", "path", "profile"])
def test_python_ends_while_a_daemon_thread_is_in_python(kind, database, queries, profiles, tmp_path):
    """The thread sleeps in a function of Python that C++ has called, and wakes when the interpreter is taken apart."""
    script("""
import sys, threading, time, warnings, warpseq
kind, database, queries, profiles, folder = sys.argv[1:]
session = warpseq.Session(database, device="cpu", threads=1)
begun = threading.Event()
def wait(*_, **__):
    begun.set()
    time.sleep(0.2)
class Out:
    write = wait
class Path:
    def __fspath__(self):
        wait()
        return "BLOSUM62"
def warn():
    warnings.showwarning = wait
    warnings.simplefilter("always")
    search = session.sw(queries)
    next(search)
    search.write(folder + "/report")
work = {
    "out": lambda: session.sw(queries).write(Out()),
    "progress": lambda: warpseq.convert([queries], folder + "/d.wsdb", threads=1, progress=wait),
    "warning": warn,
    "path": lambda: list(session.sw(queries, matrix=Path())),
    "profile": lambda: next(warpseq.read_profiles(profiles)).write(Out()),
}[kind]
threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.05)
class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.4)
sys.slow = Slow()
""", kind, database, queries, profiles, tmp_path)


@pytest.mark.parametrize("use", ["del profiles", "sys.exit()", "next(profiles)"])
def test_a_forked_process_leaves_a_reader_of_profiles(use, profiles):
    found = script(f"""
import os, signal, sys, warpseq
profiles = warpseq.read_profiles(sys.argv[1])
next(profiles)
if os.fork() == 0:
    signal.alarm(20)
    try:
        {use}
    except warpseq.OptionError as error:
        assert "forked" in str(error)
    os._exit(0)
print(os.wait()[1], len(list(profiles)))
""", profiles)
    assert found == "0 29\n"


@pytest.mark.parametrize("is_late", [False, True])
def test_a_cut_database_is_an_error_beside_a_fault_handler(is_late, database, queries, tmp_path):
    if is_late and not hasattr(faulthandler, "enable"):
        pytest.skip("skipped: no faulthandler")
    shutil.copy(database, tmp_path / "d.wsdb")
    found = script("""
import faulthandler, sys, warpseq
early, late = sys.argv[3] == "0", sys.argv[3] == "1"
if early:
    faulthandler.enable()
session = warpseq.Session(sys.argv[1], device="cpu", threads=1)
if late:
    faulthandler.enable()
open(sys.argv[1], "r+b").truncate(0)
try:
    list(session.sw(sys.argv[2]))
except warpseq.FileError:
    print("error")
""", tmp_path / "d.wsdb", queries, int(is_late))
    assert found == "error\n"


FOREIGN_FAULT = """
import mmap
open(sys.argv[2], "wb").write(b"x" * 8192)
f = open(sys.argv[2], "r+b")
m = mmap.mmap(f.fileno(), 8192)
f.truncate(0)
m[0]
"""


@pytest.mark.parametrize("fault", ["os.kill(os.getpid(), signal.SIGBUS)", FOREIGN_FAULT])
@pytest.mark.parametrize("disabled", [False, True])
def test_other_bus_errors_end_the_process(fault, disabled, database, tmp_path):
    if disabled and fault != FOREIGN_FAULT:
        pytest.skip("skipped: a fault handler that is disabled later takes a signal that is sent")
    done = subprocess.run([sys.executable, "-c", f"""
import faulthandler, os, signal, sys, warpseq
session = warpseq.Session(sys.argv[1], device="cpu", threads=1)
faulthandler.enable()
list(session.sw(["MKTAYIAKQR"]))
if {disabled}:
    faulthandler.disable()
{fault}
""", database, tmp_path / "cut"], capture_output=True, timeout=60)
    assert done.returncode == -7
    assert done.stderr.count(b"Fatal Python error: Bus error") == (0 if disabled else 1)


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_users_handler_of_bus_errors_stays(when, database):
    found = script("""
import os, signal, sys, time, warpseq
set_handler = lambda: signal.signal(signal.SIGBUS, lambda *_: print("handled"))
if sys.argv[2] == "before":
    set_handler()
session = warpseq.Session(sys.argv[1], device="cpu", threads=1)
if sys.argv[2] == "after":
    set_handler()
    list(session.sw(["MKTAYIAKQR"]))
for _ in range(3):
    os.kill(os.getpid(), signal.SIGBUS)
    time.sleep(0.05)
""", database, when)
    assert found == "handled\n" * 3
