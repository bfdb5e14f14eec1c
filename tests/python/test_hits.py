"""Objects of results: what they hold, how long they live, and how they leave Python."""
import gc
import io
import pickle
import threading
import warnings

import pytest
import warpseq


@pytest.fixture(scope="module")
def session(database):
    with warpseq.Session(database, device="cpu", threads=2) as session:
        yield session


@pytest.fixture(scope="module")
def results(session, profiles):
    return list(session.hmmsearch(profiles))


def domains_of(results):
    return [domain for hits in results for hit in hits for domain in hit.reported_domains]


def test_hits_have_what_the_table_of_domains_has(results, session, profiles):
    out = io.BytesIO()
    session.hmmsearch(profiles).write(out, format="domtblout")
    rows = [line.split(None, 22) for line in out.getvalue().decode().splitlines() if not line.startswith("#")]
    domains = domains_of(results)
    assert len(rows) == len(domains) > 100
    for row, domain in zip(rows, domains):
        hit, alignment = domain.hit, domain.alignment
        assert row[0] == hit.name and row[1] == (hit.accession or "-")
        assert [int(row[2]), int(row[5])] == [hit.length, alignment.hmm_length] == [alignment.target_length, hit.hits.query_length]
        assert row[3] == hit.hits.query_name == alignment.hmm_name
        assert row[6:9] == [f"{hit.evalue:.2g}", f"{hit.score:.1f}", f"{hit.bias:.1f}"]
        assert row[11:15] == [f"{domain.c_evalue:.2g}", f"{domain.i_evalue:.2g}", f"{domain.score:.1f}", f"{domain.bias:.1f}"]
        assert list(map(int, row[15:21])) == [alignment.hmm_from, alignment.hmm_to, alignment.target_from, alignment.target_to,
                                              domain.env_from, domain.env_to]
        assert row[22] == (hit.description or "-")
        length = len(alignment.hmm_sequence)
        assert {len(alignment.target_sequence), len(alignment.identity_sequence), len(alignment.posterior_probabilities)} == {length}
        assert len(alignment.target_sequence.replace("-", "")) == alignment.target_to - alignment.target_from + 1


def test_hits_are_a_sequence(results):
    hits = max(results, key=len)
    names = [hit.name for hit in hits]
    assert [hit.name for hit in hits[1:5:2]] == names[1:5:2] and [hit.name for hit in hits[::-1]] == names[::-1]
    assert hits[-1].name == names[-1] and hits.query_name in repr(hits)
    with pytest.raises(IndexError):
        hits[len(hits)]
    assert [hit.name for hit in hits.included] == [hit.name for hit in hits if hit.included]
    assert 0 < len(hits.included) == hits.included_count
    assert (hits.engine, hits.round, hits.converged) == ("hmmsearch", 0, False)


def test_hits_have_a_profile_and_an_alignment(results, session, profiles):
    for hits, profile in zip(results, warpseq.read_profiles(profiles)):
        assert hits.profile == profile
        out = io.BytesIO()
        hits.write(out, format="stockholm")
        msa = hits.to_msa()
        assert out.getvalue().decode() == ("" if msa is None else str(msa))
        if msa is not None:
            assert len(msa) == sum(len(hit.included_domains) for hit in hits.included)
            assert warpseq.hmmbuild(msa).length > 0
            assert hits[0].best_domain.alignment.domain.hit.name == hits[0].name
    back = pickle.loads(pickle.dumps(hits))
    assert back.profile is None and str(back.to_msa()) == str(hits.to_msa())
    scanned = next(session.hmmscan([("a", profile.consensus)], profiles))
    assert scanned.engine == "hmmscan" and scanned.profile is None and scanned.to_msa() is None


def test_columns_arrow_and_pandas_agree(results):
    hits = max(results, key=len)
    columns = hits.columns()
    assert len(columns["target_name"]) == len(domains_of([hits]))
    assert columns["description"][0] is None or columns["description"][0]
    arrow = pytest.importorskip("pyarrow", reason="skipped: pyarrow is not installed").table(hits)
    assert arrow.to_pydict() == columns
    arrow.validate(full=True)
    pytest.importorskip("pandas", reason="skipped: pandas is not installed")
    frame = hits.to_pandas()
    assert list(frame.columns) == list(columns) and len(frame) == len(columns["evalue"])
    assert frame["i_evalue"].tolist() == columns["i_evalue"]


def test_hits_can_be_pickled(session, results, profiles, tmp_path):
    for hits in results:
        back = pickle.loads(pickle.dumps(hits))
        assert back.columns() == hits.columns()
        assert [str(domain.alignment) for domain in domains_of([back])] == [str(domain.alignment) for domain in domains_of([hits])]
        for format in ("0", "6", "7 std staxids", "10", "json", "tblout", "domtblout", "pfamtblout", "stockholm"):
            written = [io.BytesIO(), io.BytesIO()]
            for each, out in zip((hits, back), written):
                each.write(out, format=format)
            assert written[0].getvalue() == written[1].getvalue()
    with pytest.raises(warpseq.InvalidInputError):
        damaged = bytearray(results[0].__getstate__())
        damaged[-1] ^= 1
        warpseq.HmmHits.__new__(warpseq.HmmHits).__setstate__(bytes(damaged))


def test_hits_of_rounds_can_be_pickled(session, proteins):
    record = proteins.read_text().split(">")[1]
    hits = next(session.jackhmmer([(record.split()[0], "".join(record.split("\n")[1:]))], N=2))
    back = pickle.loads(pickle.dumps(hits))
    written = [io.BytesIO(), io.BytesIO()]
    hits.write(written[0])
    back.write(written[1])
    assert written[0].getvalue() == written[1].getvalue()
    assert [len(each) for each in back.rounds] == [len(each) for each in hits.rounds]
    for each in (hits, back):  # a round's profile has a name of its own, and the query keeps its name
        assert [found.query_name for found in each.rounds] == [record.split()[0]] * 2
        assert set(each.columns()["query_name"]) == {record.split()[0]}


def test_objects_outlive_their_search_and_session(database, profiles):
    session = warpseq.Session(database, device="cpu", threads=1)
    search = session.hmmsearch(profiles)
    alignment = next(search)[0].best_domain.alignment
    session.close()
    del session, search
    gc.collect()
    assert len(alignment.hmm_sequence) == len(alignment.target_sequence)
    assert str(alignment).count("PP") > 0


def test_a_closed_session_says_so(database, profiles):
    session = warpseq.Session(database, device="cpu")
    session.close()
    with pytest.raises(warpseq.OptionError, match="closed"):
        next(session.hmmsearch(profiles))


def test_one_session_serves_several_threads(session, profiles, results):
    expected = [hits.columns() for hits in results]
    got = {}

    def search(number):
        got[number] = [hits.columns() for hits in session.hmmsearch(profiles)]

    threads = [threading.Thread(target=search, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [got[number] for number in range(3)] == [expected] * 3


def test_queries_of_every_kind_give_the_same_hits(session, proteins):
    record = proteins.read_text().split(">")[1]
    name, sequence = record.split()[0], "".join(record.split("\n")[1:])
    description = record.split("\n")[0].partition(" ")[2]
    file = proteins.parent / "one.fasta"
    file.write_text(">" + record)

    def found(query):
        return [hits.columns() for hits in session.phmmer(query)]

    expected = found(file)
    assert found(str(file)) == found([file]) == found([(name, sequence)]) == expected
    assert found((name, sequence)) == found(iter([(name, sequence.encode())])) == expected
    without_name = [{**each, "query_name": [name] * len(each["query_name"])} for each in found([sequence])]
    assert without_name == expected
    seqio = pytest.importorskip("Bio.SeqRecord", reason="skipped: Biopython is not installed")
    from Bio.Seq import Seq
    assert found(seqio.SeqRecord(Seq(sequence), id=name, description=f"{name} {description}")) == expected


def test_an_output_never_replaces_an_input(database, profiles, session):
    before = profiles.read_bytes()
    with pytest.raises(warpseq.WarpseqError):
        session.hmmsearch(profiles).write(profiles)
    assert profiles.read_bytes() == before


def test_a_failed_search_leaves_no_file(session, tmp_path, profiles):
    broken = tmp_path / "broken.hmm"
    broken.write_bytes(profiles.read_bytes() + b"HMMER3/f nonsense\n")
    with pytest.raises(warpseq.InvalidInputError):
        session.hmmsearch(broken).write(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_forked_process_opens_its_own_session(database, profiles, results):
    """A session's threads are not forked, so a child is told to open a session of its own."""
    import os
    with warpseq.Session(database, device="cpu", threads=2) as session:
        expected = [len(hits) for hits in results]
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            answer = b"no error"
            try:
                next(session.hmmsearch(profiles))
            except warpseq.OptionError as error:
                answer = str(error).encode()
            with warpseq.Session(database, device="cpu", threads=2) as own:
                found = [len(hits) for hits in own.hmmsearch(profiles)]
            os.write(writing, answer + (b", same" if found == expected else b", other"))
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            answer = pipe.read().decode()
        os.waitpid(child, 0)
        assert answer == "the session was opened before this process was forked; open one in each process, same"


FORKED = """
import os, sys, threading, warpseq
database, queries = sys.argv[1:]
refused = []
for engine in ["phmmer", "jackhmmer", "sw", "blastp"]:
    session = warpseq.Session(database, device="cpu", threads=2)
    search = getattr(session, engine)(queries)
    hits = next(search)
    held = threading.Event(), threading.Event()
    def hold(other=getattr(session, engine)([hits.query_name * 50]), held=held):
        with other._lock:
            held[0].set()
            held[1].wait()
    thread = threading.Thread(target=hold)
    thread.start()
    held[0].wait()
    locked = hold.__defaults__[0]
    child = os.fork()
    if child == 0:
        for each in [search, locked]:
            try:
                next(each)
            except warpseq.OptionError as error:
                refused.append(str(error))
        assert len(hits) == len(list(hits))
        del search, session, each, hits, hold, locked, thread
        os._exit(0 if refused == ["the session was opened before this process was forked; open one in each process"] * 2 else 1)
    assert os.waitpid(child, 0)[1] == 0, engine
    held[1].set()
    thread.join()
    names = [hits.query_name] + [each.query_name for each in search]
    assert len(names) == 10, names
    if os.fork() == 0:
        sys.exit(0)  # a child that ends as programs do
    assert os.wait()[1] == 0
print("done")
"""


def test_a_forked_process_cannot_go_on_with_a_search(database, queries):
    """A child is told so at once, whatever its parent's threads did, and it can drop everything and end."""
    import subprocess
    import sys
    done = subprocess.run([sys.executable, "-c", FORKED, database, queries], capture_output=True, text=True, timeout=50)
    assert (done.stdout, done.stderr) == ("done\n", "")


@pytest.mark.parametrize("wrong", [None, 5, [None], [("a", None)], {"a": "MKTA"}, [3.5], [object()]])
def test_what_is_no_sequence_is_refused(session, wrong):
    for search in (session.phmmer, session.sw):
        with pytest.raises(TypeError):
            list(search(wrong))


def test_arrays_of_letters_are_sequences(session, proteins):
    numpy = pytest.importorskip("numpy", reason="skipped: numpy is not installed")
    sequence = "".join(proteins.read_text().split(">")[1].split("\n")[1:])
    letters = numpy.frombuffer(sequence.encode(), numpy.uint8)
    expected = next(session.phmmer([sequence])).columns()
    assert next(session.phmmer([letters])).columns() == next(session.phmmer(letters)).columns() == expected
    assert warpseq.scores(letters, [letters, sequence]).tolist() == warpseq.scores(sequence, [sequence] * 2).tolist()


def test_queries_without_residues(programs, database, session, proteins, profiles, tmp_path):
    """There are results for the queries that the program's report has. Warnings say which have none."""
    record = proteins.read_text().split(">")[1]
    (tmp_path / "queries.fasta").write_text(f">first\n{record.partition(chr(10))[2]}>nothing\n>last\n"
                                            f"{record.partition(chr(10))[2]}")
    for engine, command, line, names in [("phmmer", "hmm", "Query:", ["first", "last"]),
                                         ("jackhmmer", "jackhmmer", "Query:", ["first", "last"]),
                                         ("hmmscan", "hmmscan", "Query:", ["first", "nothing", "last"]),
                                         ("sw", "sw", "Query=", ["first", "nothing", "last"]),
                                         ("blastp", "blastp", "Query=", ["first", "nothing", "last"])]:
        targets = profiles if engine == "hmmscan" else database
        report = programs.run("search", command, "-q", tmp_path / "queries.fasta", "-d", targets).decode()
        assert [row.split()[1] for row in report.splitlines() if row.startswith(line)] == names
        more = [profiles] if engine == "hmmscan" else []
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            results = list(getattr(session, engine)(tmp_path / "queries.fasta", *more))
        assert len(told) == (engine != "hmmscan") and all("1 queries without residues" in str(each) for each in told)
        found = [hits.query_name.removesuffix("-i1") for hits in results]
        assert [name.partition("-i")[0] for name in found] == names
        assert all(len(hits) == 0 for hits in results if hits.query_name == "nothing")
    with pytest.warns(warpseq.WarpseqWarning):
        assert list(session.phmmer([("nothing", "")])) == []


@pytest.mark.parametrize("engine", ["hmm", "jackhmmer"])
@pytest.mark.parametrize("format", ["0", "7", "json"])
def test_a_report_on_no_queries_is_the_programs(programs, session, database, tmp_path, engine, format):
    queries = tmp_path / "queries.fasta"
    queries.write_text(">nothing\nXXXXXXXXXX\n")
    expected = programs.run("search", engine, "-q", queries, "-d", database, "--outfmt", format)
    search = session.phmmer if engine == "hmm" else session.jackhmmer
    with pytest.warns(warpseq.WarpseqWarning):
        search(queries).write(tmp_path / "report", format=format)
    assert (tmp_path / "report").read_bytes() == expected != b""


class Sips(io.BytesIO):
    """A file that takes at most seven bytes at a time."""

    def write(self, data):
        return super().write(bytes(data)[:7])


def test_outputs_may_take_a_part_at_a_time(session, profiles):
    whole, sips = io.BytesIO(), Sips()
    hits = next(session.hmmsearch(profiles))
    hits.write(whole, format="domtblout")
    hits.write(sips, format="domtblout")
    assert sips.getvalue() == whole.getvalue()

    class Stuck(io.BytesIO):
        def write(self, data):
            return 0

    with pytest.raises(warpseq.FileError, match="took 0 of"):
        hits.write(Stuck())

