"""Results of a GPU are those of the CPU, byte for byte, and a forked process cannot use the GPU."""
import io
import subprocess
import sys

import pytest
import warpseq

numpy = pytest.importorskip("numpy", reason="skipped: scores() needs numpy, which this Python does not have")


@pytest.fixture(scope="module")
def sessions(database):
    """A session of the CPU and one of the GPU."""
    try:
        gpu = warpseq.Session(database, device="cuda")
    except warpseq.UnavailableError as error:
        pytest.skip(f"skipped: {error}")
    with gpu, warpseq.Session(database, device="cpu") as cpu:
        yield cpu, gpu


def report_of(search, **arguments):
    out = io.BytesIO()
    search.write(out, **arguments)
    return out.getvalue()


@pytest.mark.parametrize("engine, format", [("sw", "6"), ("sw", "json"), ("blastp", "6"), ("blastp", "15"), ("phmmer", "0"),
                                            ("phmmer", "domtblout"), ("jackhmmer", "0"), ("jackhmmer", "tblout")])
def test_searches_with_sequences(sessions, queries, engine, format):
    of_cpu, of_gpu = [report_of(getattr(session, engine)(queries), format=format) for session in sessions]
    assert of_gpu.count(b"\n") > 10
    assert of_gpu == of_cpu


@pytest.mark.parametrize("format", ["0", "tblout", "domtblout"])
def test_profiles(sessions, profiles, format):
    of_cpu, of_gpu = [report_of(session.hmmsearch(profiles), format=format) for session in sessions]
    assert of_gpu.count(b"\n") > 30
    assert of_gpu == of_cpu


def test_scores(sessions, proteins, queries):
    of_cpu, of_gpu = [warpseq.scores([text.partition("\n")[2].replace("\n", "") for text in
                                      queries.read_text().split(">")[1:]], session) for session in sessions]
    assert of_gpu.shape == (10, 2000)
    assert (of_gpu == of_cpu).all()
    assert (warpseq.scores("MKVLAAGIVGLLWRQERTY", proteins, device="cuda") ==
            warpseq.scores("MKVLAAGIVGLLWRQERTY", proteins, device="cpu")).all()
    targets = [text.partition("\n")[2].replace("\n", "") for text in proteins.read_text().split(">")[1:]]
    assert (warpseq.scores(targets[7], targets, device="cuda") == warpseq.scores(targets[7], targets, device="cpu")).all()


@pytest.mark.parametrize("mode", ["global", "local", "semiglobal", "all-local"])
def test_pairs(sessions, proteins, mode):
    texts = [text.partition("\n")[2].replace("\n", "") for text in proteins.read_text().split(">")[1:]]
    for a, b in zip(texts[:20], texts[20:40]):
        of_gpu, of_cpu = [warpseq.align(a, b, mode=mode, device=device) for device in ("cuda", "cpu")]
        assert warpseq.pair_report(of_gpu) == warpseq.pair_report(of_cpu)


def test_a_session_can_be_used_by_threads(sessions, queries):
    from concurrent.futures import ThreadPoolExecutor
    cpu, gpu = sessions
    expected = report_of(cpu.phmmer(queries), format="tblout")
    with ThreadPoolExecutor(4) as pool:
        for report in pool.map(lambda _: report_of(gpu.phmmer(queries), format="tblout"), range(8)):
            assert report == expected


FORKED = """
import multiprocessing, sys, warpseq
session = warpseq.Session(sys.argv[1], device="cuda")
list(session.sw(("query", "MKVLAAGIVGLLWRQERTY")))
def child(pipe):
    for use in (lambda: list(session.sw(("query", "MKVLAAGIVGLLWRQERTY"))), lambda: warpseq.Session(sys.argv[1], device="cuda")):
        try:
            use()
            pipe.send("used")
        except warpseq.WarpseqError as error:
            pipe.send(str(error))
here, there = multiprocessing.Pipe()
process = multiprocessing.get_context("fork").Process(target=child, args=(there,))
process.start()
print(here.recv())
print(here.recv())
process.join()
"""


def test_a_forked_process_is_refused(sessions, database):
    done = subprocess.run([sys.executable, "-c", FORKED, str(database)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    own, new = done.stdout.splitlines()
    assert own.startswith("the session was opened before this process was forked")
    assert new.startswith("the process that this one was forked from has used a GPU")
