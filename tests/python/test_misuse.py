"""Uses that nobody intends: none may crash, hang, lose a file, or take something else for a sequence."""
import os
import shutil
import signal
import subprocess
import sys
import threading

import numpy
import pytest

import warpseq
from conftest import script

SEQUENCE = "MKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEK"


@pytest.fixture
def session(database):
    with warpseq.Session(database, device="cpu", threads=1) as opened:
        yield opened


def test_a_session_that_another_thread_closes_stays_open_for_running_scores(database):
    queries = [SEQUENCE * 10] * 4
    with warpseq.Session(database, device="cpu", threads=1) as session:
        expected = warpseq.scores(queries, session)
    session = warpseq.Session(database, device="cpu", threads=1)
    closer = threading.Timer(0.02, session.close)
    closer.start()
    found = warpseq.scores(queries, session)
    closer.join()
    assert numpy.array_equal(found, expected)


@pytest.mark.parametrize("work", ["list(session.phmmer(file))", "list(session.blastp(file))", "warpseq.align(a, a)",
                                  "warpseq.scores([a] * 50, session)", "list(warpseq.Database(file))"])
def test_python_ends_while_daemon_threads_work(work, database, queries):
    script(f"""
import sys, threading, time, warpseq
session = warpseq.Session(sys.argv[1], device="cpu", threads=1)
file = sys.argv[2]
a = {SEQUENCE * 5!r}
def work():
    while True:
        {work}
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.3)
""", database, queries)


def test_exit_functions_can_use_the_package(database, queries):
    found = script("""
import atexit, sys, warpseq
atexit.register(lambda: print(len(list(search))))
session = warpseq.Session(sys.argv[1], device="cpu", threads=1)
search = session.sw(sys.argv[2])
""", database, queries)
    assert found == "10\n"


def test_results_that_outlive_python_are_silent(database):
    script("""
import sys, warpseq
session = warpseq.Session(sys.argv[1], device="cpu", threads=1)
class Output:
    error = OSError("full")
    def write(self, text):
        raise self.error
try:
    session.sw([sys.argv[2]]).write(Output())
except OSError as error:
    sys.kept = error
""", database, SEQUENCE)


def test_a_system_without_threads_left_is_named(database):
    found = script("""
import os, resource, sys, warpseq
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
if os.getuid() == 0:
    os.setuid(65534)  # the system sets root no limit
try:
    warpseq.Session(sys.argv[1], device="cpu")
except warpseq.UnavailableError as error:
    print(error)
""", database)
    assert found.startswith("cannot start a thread: ")


def test_queries_cannot_use_their_own_search(session):
    def sequences():
        yield SEQUENCE
        next(search)

    search = session.sw(sequences())
    assert len(next(search)) >= 0  # of the query before
    with pytest.raises(warpseq.OptionError, match="own queries"):
        next(search)


def test_a_signal_handler_cannot_use_the_search_that_it_interrupts(session, proteins):
    search = session.sw(proteins)
    errors = []

    def handler(*_):
        try:
            next(search)
        except warpseq.OptionError as error:
            errors.append(error)

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        next(search)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(errors) == 1


@pytest.mark.parametrize("engine", ["phmmer", "sw", "blastp"])
def test_reports_never_replace_an_input(engine, database, queries, tmp_path):
    database, queries = (shutil.copy(file, tmp_path / file.name) for file in (database, queries))
    search = getattr(warpseq.Session(database, device="cpu", threads=1), engine)
    link = tmp_path / "link"
    link.symlink_to(database)
    before = database.read_bytes(), queries.read_bytes()
    for given, output in [(queries, database), (queries, link), (queries, queries),
                          ([SEQUENCE, queries], queries), ([SEQUENCE, queries], database)]:
        with pytest.raises(warpseq.OptionError, match="name the same file"):
            search(given).write(output)
    assert (database.read_bytes(), queries.read_bytes()) == before


@pytest.mark.parametrize("nothing", [[], iter([]), (query for query in [])], ids=["list", "iterator", "generator"])
@pytest.mark.parametrize("engine", ["hmmsearch", "phmmer", "jackhmmer", "hmmscan", "sw", "blastp"])
def test_no_queries_are_refused_as_the_programs_refuse_an_empty_file(programs, session, database, profiles, tmp_path, engine, nothing):
    (tmp_path / "queries").write_text("")
    inputs = shutil.copy(profiles, tmp_path / "profiles.hmm")
    before = inputs.read_bytes()
    more = (inputs,) if engine == "hmmscan" else ()
    command = {"hmmsearch": "hmm", "phmmer": "hmm"}.get(engine, engine)
    message = programs.refused("search", command, "-q", tmp_path / "queries", "-d", more[0] if more else database)
    if engine == "hmmsearch":  # which takes profiles alone
        message = message.replace("no sequence in it; FASTA with '>' headers",
                                  "no profile in it; a profile in HMMER 3's text format")
    with pytest.raises(warpseq.InvalidInputError) as refused:
        getattr(session, engine)(nothing, *more).write(inputs)
    assert message == f"search {command}: {tmp_path}/{refused.value}\n"
    assert inputs.read_bytes() == before
    for given in ([], [tmp_path / "queries"]):
        with pytest.raises(warpseq.InvalidInputError, match="queries: is empty"):
            getattr(session, engine)(given, *more).write(tmp_path / "report")
        with pytest.raises(warpseq.InvalidInputError, match="queries: is empty"):
            list(getattr(session, engine)(given, *more))
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("letters", ["ACDEF\n>second\nGHIKL", b"ACDEF\r>second\rGHIKL", ">second\nGHIKL"])
def test_a_text_is_one_sequence(letters, session):
    for use in (lambda: next(session.phmmer([letters])), lambda: next(session.blastp([("mine", letters)])),
                lambda: warpseq.Database([letters]), lambda: warpseq.hmmbuild([("a", letters)], name="a")):
        with pytest.raises(warpseq.InvalidInputError, match="more than one sequence"):
            use()


def test_keys_of_a_dict_are_no_sequences(session):
    given = {"A": SEQUENCE}
    for use in (lambda: next(session.phmmer(given)), lambda: warpseq.Database(given),
                lambda: warpseq.scores(SEQUENCE, given), lambda: warpseq.hmmbuild(given, name="a")):
        with pytest.raises(TypeError, match="not a dict"):
            use()


@pytest.mark.parametrize("row", ["AC", ("a", None), ("a", 5), ("a",), 5])
def test_rows_of_an_alignment_are_pairs(row):
    with pytest.raises(TypeError, match="a row of an alignment is|a sequence is"):
        warpseq.hmmbuild([row, row], name="a")


def test_a_name_is_a_text(session):
    with pytest.raises(TypeError, match="name of a sequence is str or bytes, not int"):
        next(session.sw([(5, SEQUENCE)]))


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "many", 10**30])
def test_numbers_of_threads(threads, queries, tmp_path):
    alignment = [("a", SEQUENCE), ("b", SEQUENCE)]
    for use in (lambda: warpseq.convert(queries, tmp_path / "a.wsdb", threads=threads),
                lambda: warpseq.hmmbuild(alignment, name="a", threads=threads),
                lambda: warpseq.hmmalign(warpseq.hmmbuild(alignment, name="a"), queries, threads=threads),
                lambda: warpseq.validate(queries, threads=threads), lambda: warpseq.Session(queries, threads=threads)):
        with pytest.raises(warpseq.OptionError, match="threads .*expected a whole number"):
            use()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("engine, options", [("phmmer", {"max": True, "E": 1000}), ("sw", {"evalue": 1000})])
@pytest.mark.parametrize("part", [slice(None), slice(1, 3), slice(None, None, -1), slice(-(10**30), 10**30), slice(5, 2)])
def test_slices_of_hits_are_those_of_lists(engine, options, part, session):
    hits = next(getattr(session, engine)([SEQUENCE], **options))
    assert len(hits) > 3
    assert [hit.name for hit in hits[part]] == [hit.name for hit in list(hits)[part]]
    with pytest.raises(ValueError, match="step"):
        hits[::0]


def test_an_empty_text_is_a_value_as_the_programs_take_it(queries, tmp_path):
    """It does not stand for True, as which a title or a name would be "true"."""
    warpseq.convert(queries, tmp_path / "a.wsdb", title="")
    assert warpseq.inspect(tmp_path / "a.wsdb").title is None
    with pytest.raises(warpseq.InvalidInputError, match="no -n"):
        warpseq.hmmbuild([("a", SEQUENCE)], name="")
    for use in (lambda: warpseq.align("ACDW", "ACDW", matrix=""), lambda: warpseq.Session(queries, device="")):
        with pytest.raises(warpseq.OptionError, match="neither a file nor|expected auto"):
            use()


@pytest.mark.parametrize("letters", [numpy.uint8(0), numpy.array(0, numpy.uint8),
                                     numpy.array([[65, 67], [68, 69]], numpy.uint8),
                                     memoryview(numpy.array([65, 67], numpy.int32)), numpy.array([65, 67])])
def test_arrays_that_are_no_line_of_letters(letters, session):
    for use in (lambda: warpseq.align(letters, SEQUENCE), lambda: warpseq.scores(SEQUENCE, [letters]),
                lambda: next(session.sw([letters])), lambda: warpseq.Database([letters])):
        with pytest.raises(TypeError, match="a sequence is"):
            use()


def test_a_sub_interpreter_is_refused():
    """The module's exceptions belong to one interpreter: the main one would no longer catch them."""
    script = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
inner = "try: import warpseq\\nexcept ImportError as error: print(error, flush=True)"
for warpseq_first in (False, True):
    if warpseq_first:
        import warpseq
    interpreters.run_string(interpreters.create(), inner)
print(warpseq.__version__)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *refusals, version = done.stdout.splitlines()
    assert version == warpseq.__version__
    assert len(refusals) == 2
    for refusal in refusals:
        assert "sub-interpreter" in refusal
