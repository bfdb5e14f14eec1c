"""Hits of sw and blastp outlive their process in pickles, with the bytes of every report."""
import io
import pickle
import struct
import subprocess
import sys

import pytest
import warpseq
from conftest import write_taxonomy

FORMATS = {"sw": ["0", "6", "7", "10", "json", "6 std qseq sseq cigar staxid staxids ssciname sscinames scomnames sskingdoms"],
           "blastp": ["0", "1", "2", "3", "4", "5", "6", "7", "10", "15", "16",
                      "6 std qseq btop sallseqid sallacc salltitles staxid staxids sscinames scomnames sblastnames sskingdoms"]}
OPTIONS = {"sw": [{}, dict(comp_stats=2), dict(evalue="inf", gap_open=20, gap_extend=3, max_hits=5), dict(outfmt="10", header=True)],
           "blastp": [{}, dict(ungapped=True, comp_stats=0), dict(seg="yes", soft_masking=True, comp_stats=0, max_hsps=2),
                      dict(searchsp=10**9, line_length=40, window_size=0), dict(outfmt="7 qaccver saccver"),
                      dict(num_descriptions=3, num_alignments=2)]}
CASES = [(engine, options) for engine in FORMATS for options in OPTIONS[engine]]


def report(hits, **arguments):
    out = io.BytesIO()
    hits.write(out, **arguments)
    return out.getvalue()


def attributes(value):
    """Returns what an object's properties have, without the objects that they lead to."""
    names = [name for name in dir(type(value)) if isinstance(getattr(type(value), name), property)]
    return {name: got for name in names if isinstance(got := getattr(value, name), (str, int, float, list, type(None)))
            and name != "hsps"}


@pytest.fixture(scope="module")
def session(programs, proteins, tmp_path_factory):
    """A session of two databases: one with merged definition lines and taxonomy, and one without."""
    folder = tmp_path_factory.mktemp("merged")
    records = proteins.read_text().split(">")[1:]
    merged = [f">sp|P{n:05}|ONE_HUMAN one\x01sp|Q{n:05}|TWO_MOUSE two\n" + record.partition("\n")[2]
              for n, record in enumerate(records[:1000])]
    (folder / "merged.fasta").write_text("".join(merged))
    (folder / "others.fasta").write_text("".join(">" + record for record in records[1000:]))
    (folder / "taxids").write_text("".join(f"P{n:05} 9606\nQ{n:05} 10090\n" for n in range(1000)))
    write_taxonomy(folder)
    programs.run("dbconv", folder / "merged.fasta", "-o", folder / "merged.wsdb", "--taxid-map", folder / "taxids",
                 "--taxonomy", folder)
    with warpseq.Session([folder / "merged.wsdb", folder / "others.fasta"], device="cpu", threads=2) as opened:
        yield opened


@pytest.mark.parametrize("engine, options", CASES)
def test_hits_that_were_pickled_give_the_same_reports(session, queries, engine, options):
    results = list(getattr(session, engine)(queries, **options))
    assert sum(map(len, results)) > 10
    for hits in results:
        pickled = pickle.dumps(hits)
        back = pickle.loads(pickled)
        assert pickle.dumps(back) == pickled
        assert repr(back.columns()) == repr(hits.columns()) and repr(back) == repr(hits)  # NaN is not equal to itself
        assert attributes(back) == attributes(hits) and len(attributes(hits)) > 15
        assert report(back) == report(hits)
        headers = [dict(header=True)] if options.get("header") else [{}, dict(header=True)]
        for arguments in headers:
            for format in ["6", "10"] if arguments or options.get("header") else FORMATS[engine]:
                assert report(back, format=format, **arguments) == report(hits, format=format, **arguments), format
        for hit, hit_back in zip(hits, back):
            assert attributes(hit_back) == attributes(hit)
            assert list(map(attributes, hit_back.hsps)) == list(map(attributes, hit.hsps))


def test_hits_with_taxa_were_compared(session, queries):
    hits = [hit for hits in session.blastp(queries) for hit in hits]
    assert ["Homo sapiens", "Mus musculus"] in [hit.scientific_names for hit in hits]
    assert ["Homo sapiens", "Mus musculus"] in [hit.scientific_names for hits in session.sw(queries) for hit in hits]
    assert any(len(hit.all_names) == 1 for hit in hits)


@pytest.mark.parametrize("format, ending", [("13", "json"), ("14", "xml")])
def test_a_file_per_query(session, queries, tmp_path, format, ending):
    hits = next(session.blastp(queries))
    for name, each in [("before", hits), ("after", pickle.loads(pickle.dumps(hits)))]:
        (tmp_path / name).mkdir()
        each.write(tmp_path / name / f"list.{ending}", format=format)
    files = [{file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ["before", "after"]]
    assert files[0] == files[1] and len(files[0]) == 2


@pytest.mark.parametrize("engine", FORMATS)
def test_a_query_without_residues_and_one_without_hits(session, engine):
    for hits in getattr(session, engine)([("nothing", ""), ("few", "WWWHHHCCC")], evalue=1e-9):
        back = pickle.loads(pickle.dumps(hits))
        assert len(back) == 0 and back.message == hits.message
        for format in FORMATS[engine]:
            assert report(back, format=format) == report(hits, format=format)


@pytest.mark.parametrize("engine", FORMATS)
def test_another_process_reads_a_pickle(session, queries, tmp_path, engine):
    hits = next(getattr(session, engine)(queries))
    (tmp_path / "hits").write_bytes(pickle.dumps(hits))
    script = "import pickle, sys; pickle.load(open(sys.argv[1], 'rb')).write(sys.argv[2])"
    subprocess.run([sys.executable, "-c", script, tmp_path / "hits", tmp_path / "report"], check=True)
    assert (tmp_path / "report").read_bytes() == report(hits)


@pytest.fixture(params=["sw", "blastp", "hmmsearch", "align"])
def stored(request, session, queries):
    """An object's class and its state."""
    if request.param == "align":
        result = warpseq.align("MKTAYIAKQRQISFVKSHFSRQ", "MKTAYIKQRQISFVKSHFSRQ")
    elif request.param == "hmmsearch":
        result = next(session.phmmer(queries))
    else:
        result = min((hits for hits in getattr(session, request.param)(queries) if len(hits) > 1), key=len)
    return type(result), result.__getstate__()


def load(kind, state):
    kind.__new__(kind).__setstate__(state)


def test_damaged_bytes_are_refused(stored):
    kind, state = stored
    load(kind, state)
    for length in [0, 1, 31, 32, *range(33, len(state), max(1, len(state) // 200))]:
        with pytest.raises(warpseq.InvalidInputError):
            load(kind, state[:length])
    for place in [*range(40), *range(40, len(state), max(1, len(state) // 500))]:
        for bit in [1, 0x80]:
            damaged = bytearray(state)
            damaged[place] ^= bit
            with pytest.raises(warpseq.InvalidInputError):
                load(kind, bytes(damaged))
    with pytest.raises(warpseq.InvalidInputError):
        load(kind, state + b"\0")


def test_another_version_is_refused(stored):
    kind, state = stored
    version = struct.unpack_from("<I", state, 4)[0]
    with pytest.raises(warpseq.InvalidInputError, match=f"another version of warpseq: format {version + 1}"):
        load(kind, state[:4] + struct.pack("<I", version + 1) + state[8:])


def test_the_state_of_another_class_is_refused(session, queries):
    with pytest.raises(warpseq.InvalidInputError, match='holds "hmmhits", not seqhits'):
        load(warpseq.Hits, next(session.phmmer(queries)).__getstate__())
    with pytest.raises(warpseq.InvalidInputError, match='holds "seqhits", not hmmhits'):
        load(warpseq.HmmHits, next(session.sw(queries)).__getstate__())
