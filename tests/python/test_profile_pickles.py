"""Hits of profile searches outlive their session and process in pickles, with the bytes of every report."""
import ctypes
import ctypes.util
import io
import pickle
import re
import struct
import subprocess
import sys

import pytest
import warpseq
from conftest import write_taxonomy

FORMATS = ["0", "6", "7", "10", "json", "tblout", "domtblout", "pfamtblout", "stockholm", "afa",
           "6 std qcovs qcovhsp qseq sseq cigar staxid staxids ssciname sscinames scomnames sskingdoms"]
ENGINES = ["hmmsearch", "phmmer", "jackhmmer", "hmmscan"]

# Writes all that the hits in a pickle have, one by one and together, into a folder.
SCRIPT = """
import pathlib, pickle, sys
from importlib.util import find_spec
import warpseq
folder, formats = pathlib.Path(sys.argv[1]), sys.argv[2:]
results = pickle.loads((folder / "hits").read_bytes())
for f, format in enumerate(formats):
    for h, hits in enumerate(results):
        hits.write(folder / f"one.{f}.{h}", format=format)
    warpseq.write_report(results, folder / f"all.{f}", format=format)
alignments = [str(domain.alignment) for hits in results for hit in hits for domain in hit.domains]
columns = [hits.columns() for hits in results]
tables = [sum(len(hits.to_arrow()) for hits in results)] if find_spec("pyarrow") else []
frames = [sum(len(hits.to_pandas()) for hits in results)] if find_spec("pandas") else []
(folder / "seen").write_bytes(pickle.dumps((alignments, columns, tables, frames)))
"""


def report(write, **arguments):
    out = io.BytesIO()
    write(out, **arguments)
    return out.getvalue()


@pytest.fixture(scope="module")
def session(programs, proteins, tmp_path_factory):
    """A session of two databases, one of which has taxonomy."""
    folder = tmp_path_factory.mktemp("taxa")
    records = proteins.read_text().split(">")[1:]
    (folder / "first.fasta").write_text("".join(f">P{n:05} " + record for n, record in enumerate(records[:1200])))
    (folder / "others.fasta").write_text("".join(">" + record for record in records[1200:]))
    (folder / "taxids").write_text("".join(f"P{n:05} {9606 if n % 2 else 10090}\n" for n in range(1200)))
    write_taxonomy(folder)
    programs.run("dbconv", folder / "first.fasta", "-o", folder / "first.wsdb", "--taxid-map", folder / "taxids",
                 "--taxonomy", folder)
    with warpseq.Session([folder / "first.wsdb", folder / "others.fasta"], device="cpu", threads=2) as opened:
        yield opened


@pytest.fixture(scope="module")
def search(session, queries, profiles):
    """A function that starts the search of an engine."""
    def start(engine):
        if engine == "hmmsearch":
            return session.hmmsearch(profiles, E=1e3)
        if engine == "hmmscan":
            return session.hmmscan([(each.name, each.consensus) for each in warpseq.read_profiles(profiles)][:15], profiles)
        return getattr(session, engine)(queries, **({"N": 3} if engine == "jackhmmer" else {}))
    return start


@pytest.mark.parametrize("engine", ENGINES)
def test_another_process_has_every_report(search, tmp_path, engine):
    results = list(search(engine))
    assert len(results) > 5 and sum(map(len, results)) > 10
    (tmp_path / "hits").write_bytes(pickle.dumps(results))
    subprocess.run([sys.executable, "-c", SCRIPT, tmp_path, *FORMATS], check=True)
    def without_paths(text):  # tables name their file
        return re.sub(rb" --\w*tblout \S+", b"", text)

    for f, format in enumerate(FORMATS):
        expected = report(search(engine).write, format=format)
        assert without_paths((tmp_path / f"all.{f}").read_bytes()) == expected
        for h, hits in enumerate(results):
            assert without_paths((tmp_path / f"one.{f}.{h}").read_bytes()) == report(hits.write, format=format)
    alignments, columns, tables, frames = pickle.loads((tmp_path / "seen").read_bytes())
    assert columns == [hits.columns() for hits in results]
    assert alignments == [str(domain.alignment) for hits in results for hit in hits for domain in hit.domains]
    rows = sum(len(each["evalue"]) for each in columns)
    assert rows > 10 and set(tables + frames) <= {rows}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("format", FORMATS)
def test_a_report_on_several_queries_is_that_of_the_search(search, engine, format):
    back = [pickle.loads(pickle.dumps(hits)) for hits in search(engine)]
    written = report(lambda out, **given: warpseq.write_report(back, out, **given), format=format)
    assert written == report(search(engine).write, format=format)
    if "staxid" in format and engine != "hmmscan":
        assert b"Homo sapiens" in written and b"Mus musculus" in written
    for hits, again in zip(search(engine), back):
        assert report(again.write, format=format) == report(hits.write, format=format)


@pytest.mark.parametrize("engine, format", [
    *(("sw", format) for format in ("0", "7", "json", "6 std staxids sscinames")),
    *(("blastp", format) for format in ("0", "4", "5", "7", "15", "16", "6 std staxids sscinames"))])
def test_sequences_as_well(session, queries, engine, format):
    start = getattr(session, engine)
    back = [pickle.loads(pickle.dumps(hits)) for hits in start(queries)]
    assert report(lambda out, **given: warpseq.write_report(back, out, **given), format=format) == \
        report(start(queries).write, format=format)


def test_pickles_are_the_same_again(search):
    for engine in ENGINES:
        for hits in search(engine):
            pickled = pickle.dumps(hits)
            assert pickle.dumps(pickle.loads(pickled)) == pickled


def test_reports_on_what_cannot_be_one(search, session, queries, tmp_path):
    phmmer, scan, sw = next(search("phmmer")), next(search("hmmscan")), next(session.sw(queries))
    for mixed, message in [((phmmer, scan), "not of phmmer and hmmscan"), ((sw, phmmer), "not of sw and phmmer"), ((), "at least one")]:
        with pytest.raises(warpseq.OptionError, match=message):
            warpseq.write_report(mixed, tmp_path / "report")
    with pytest.raises(TypeError, match="not on a HmmHit"):
        warpseq.write_report(phmmer, tmp_path / "report")
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("engine", ENGINES)
def test_damaged_bytes_are_refused(search, engine):
    hits = next(search(engine))
    state = hits.__getstate__()
    for place in [*range(40), *range(40, len(state), max(1, len(state) // 500))]:
        damaged = bytearray(state)
        damaged[place] ^= 1
        for each in (bytes(damaged), state[:place]):
            with pytest.raises(warpseq.InvalidInputError):
                warpseq.HmmHits.__new__(warpseq.HmmHits).__setstate__(each)


def resealed(packet):
    """Returns the packet with its checksum made right (formats/io/packet.h)."""
    library = ctypes.util.find_library("xxhash")
    if library is None:
        pytest.skip("skipped: no xxhash library for false packets")
    checksum = ctypes.CDLL(library).XXH3_64bits
    checksum.restype, checksum.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]

    def of(data):
        return struct.pack("<Q", checksum(data, len(data)))
    return packet[:24] + of(packet[:24] + of(packet[32:])) + packet[32:]


def test_hits_of_a_query_without_residues_are_refused(session, queries, tmp_path):
    """A target may be reported although none of its domains is. Tables give its share of the query all the same."""
    record = next(iter(warpseq.Database(queries)))
    warpseq.hmmbuild([("a", record.sequence)] * 2, name="first").write(tmp_path / "profiles.hmm")
    text = f">query its description\n{record.sequence}\n".encode()
    (tmp_path / "query.fasta").write_bytes(text)
    hits = next(session.hmmscan(tmp_path / "query.fasta", tmp_path / "profiles.hmm", domE=1e-300))
    assert len(hits) == 1 and not hits[0].reported_domains
    state = hits.__getstate__()
    assert resealed(state) == state
    length = b"its description" + struct.pack("<Q", len(record.sequence))
    assert state.count(length) == 1
    with pytest.raises(warpseq.InvalidInputError, match="impossible value"):
        type(hits).__new__(type(hits)).__setstate__(resealed(state.replace(length, b"its description" + bytes(8))))
