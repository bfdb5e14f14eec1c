"""Searches with sequences, by both engines: reports, objects, queries of all kinds, and how searches end."""
import concurrent.futures
import gc
import io

import pytest
import warpseq
from warpseq import _queries

ENGINES = ["sw", "blastp"]
FORMATS = [("sw", format) for format in ["0", "6", "7", "10", "json"]] + \
    [("blastp", format) for format in ["0", "1", "2", "3", "4", "5", "6", "7", "10", "15", "16"]]
COLUMNS = "qseqid sseqid qlen slen evalue bitscore score length pident nident mismatch positive gapopen gaps ppos " \
    "qstart qend sstart send qseq sseq btop cigar qcovs qcovhsp"


@pytest.fixture(scope="module")
def session(database):
    with warpseq.Session(database, device="cpu") as opened:
        yield opened


def report_of(search, **arguments):
    out = io.BytesIO()
    search.write(out, **arguments)
    return out.getvalue()


@pytest.fixture(scope="module")
def results(queries, session):
    """The hits of all queries, by engine."""
    return {engine: list(getattr(session, engine)(queries)) for engine in ENGINES}


def records_of(file):
    """Returns the records of a FASTA file, each split at its first line end."""
    return [record.partition("\n") for record in file.read_text().split(">")[1:]]


@pytest.mark.parametrize("engine, format", [*FORMATS, ("sw", "6 " + COLUMNS), ("blastp", "6 " + COLUMNS)])
def test_reports_are_the_programs(programs, database, queries, results, engine, format):
    expected = programs.run("search", engine, "-q", queries, "-d", database, "--outfmt", format)
    assert expected.count(b"\n") > 10
    writer = warpseq._core.SequenceWriter(results[engine][0], format, False, "")
    assert writer.begin() + b"".join(map(writer.add, results[engine])) + writer.end() == expected


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_can_begin_with_a_header(programs, database, queries, session, engine):
    expected = programs.run("search", engine, "-q", queries, "-d", database, "--outfmt", "10", "--header")
    search = getattr(session, engine)
    assert report_of(search(queries), format="10", header=True) == expected
    assert report_of(search(queries, outfmt="10", header=True)) == expected


def evalue_text(evalue):
    """Returns an E-value as tables have it."""
    if evalue < 1e-180:
        return "0.0"
    if evalue < 0.0009:
        return f"{evalue:.2e}"
    return f"{evalue:.{3 if evalue < 0.1 else 2 if evalue < 1 else 1 if evalue < 10 else 0}f}"


def as_table_has(coverage):
    """Returns the whole percentage that tables have."""
    return int(coverage + 0.5) if coverage < 99 else int(coverage)


@pytest.mark.parametrize("engine", ENGINES)
def test_fields_are_those_of_tables(programs, database, queries, results, engine):
    table = programs.run("search", engine, "-q", queries, "-d", database, "--outfmt", "6 " + COLUMNS).decode()
    rows = [dict(zip(COLUMNS.split(), line.split("\t"))) for line in table.splitlines()]
    alignments = [(hits, hit, hsp) for hits in results[engine] for hit in hits for hsp in hit.hsps]
    assert len(rows) == len(alignments) > 50
    for row, (hits, hit, hsp) in zip(rows, alignments):
        assert row["qseqid"] == hits.query_name
        assert row["sseqid"] == hit.name
        assert int(row["qlen"]) == hits.query_length
        assert int(row["slen"]) == hit.length
        assert row["evalue"] == evalue_text(hsp.evalue)
        assert float(row["bitscore"]) == pytest.approx(hsp.bits, abs=1)
        assert int(row["score"]) == hsp.raw_score
        assert int(row["length"]) == hsp.length == len(hsp) == len(hsp.aligned_query) == len(hsp.middle)
        assert row["pident"] == f"{hsp.identity_percent:.3f}"
        assert row["ppos"] == f"{hsp.positive_percent:.2f}"
        for column, value in [("nident", hsp.identities), ("mismatch", hsp.mismatches), ("positive", hsp.positives),
                              ("gapopen", hsp.gap_openings), ("gaps", hsp.gaps), ("qstart", hsp.query_from),
                              ("qend", hsp.query_to), ("sstart", hsp.target_from), ("send", hsp.target_to)]:
            assert int(row[column]) == value, column
        assert (row["qseq"], row["sseq"], row["btop"]) == (hsp.aligned_query, hsp.aligned_target, hsp.btop)
        assert row["cigar"] == hsp.cigar
        if engine == "blastp":
            assert int(row["qcovs"]) == as_table_has(hit.query_coverage)
            assert int(row["qcovhsp"]) == as_table_has(hsp.query_coverage)
        assert hit.evalue == min(each.evalue for each in hit.hsps)
        assert hit.raw_score == max(each.raw_score for each in hit.hsps)


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_have_the_values_of_objects(results, engine):
    hits = max(results[engine], key=len)
    columns = hits.columns()
    alignments = [(hit, number, hsp) for hit in hits for number, hsp in enumerate(hit.hsps, 1)]
    assert {len(column) for column in columns.values()} == {len(alignments)}
    for row, (hit, number, hsp) in enumerate(alignments):
        values = {name: column[row] for name, column in columns.items()}
        assert (values.pop("query_name"), values.pop("query_length")) == (hits.query_name, hits.query_length)
        assert (values.pop("query_accession"), values.pop("target_accession")) == (hits.query_accession, hit.accession)
        assert (values.pop("target_name"), values.pop("target_length")) == (hit.name, hit.length)
        assert (values.pop("description"), values.pop("hsp"), values.pop("hsps")) == (hit.description, number, len(hit))
        assert values == {name: getattr(hsp, name) for name in values}
    assert hit.name in hits._repr_html_() and "<td>" in hits._repr_html_()


@pytest.mark.parametrize("engine", ENGINES)
def test_hits_are_a_sequence(results, engine):
    hits = max(results[engine], key=len)
    names = [hit.name for hit in hits]
    assert len(names) == len(hits) > 5
    assert [hits[i].name for i in range(len(hits))] == names
    assert hits[-1].name == names[-1]
    assert [hit.name for hit in hits[1:5:2]] == names[1:5:2]
    assert [hit.name for hit in hits[::-1]] == names[::-1]
    with pytest.raises(IndexError):
        hits[len(hits)]
    assert hits.query_number == results[engine].index(hits) + 1 and hits.engine == engine and hits.searched_sequences == 2000
    assert hits.query_name in repr(hits) and names[0] in repr(hits[0])


@pytest.mark.parametrize("engine", ENGINES)
def test_hits_know_their_place(proteins, queries, tmp_path, engine):
    records = proteins.read_text().split(">")[1:401]
    for number, part in enumerate([records[:150], records[150:]]):
        (tmp_path / f"{number}.fasta").write_text("".join(">" + record for record in part))
    with warpseq.Session([tmp_path / "0.fasta", tmp_path / "1.fasta"], device="cpu") as session:
        found = [hit for hits in getattr(session, engine)(queries, evalue=10) for hit in hits]
    assert {hit.position < 150 for hit in found} == {True, False}
    assert all(records[hit.position].split()[0] == hit.name for hit in found)


@pytest.mark.parametrize("engine", ENGINES)
def test_objects_outlive_what_they_come_from(database, results, queries, engine):
    """Alignments stay whole when hits, search and session are gone, in whatever order these go."""
    few = [(header.split()[0], sequence.replace("\n", "")) for header, _, sequence in records_of(queries)[:2]]

    def values(hsp):
        return hsp.evalue, hsp.cigar, hsp.aligned_target, hsp.hit.name, hsp.hit.hits.query_name

    expected = [values(hit.hsps[0]) for hits in results[engine][:2] for hit in hits[:2]]
    for order in range(6):
        session = warpseq.Session(database, device="cpu")
        search = getattr(session, engine)(few)
        found = list(search) if order % 2 else [next(search)]
        hits = [hit for each in found for hit in each[:2]]
        hsps = [hit.hsps[0] for hit in hits]
        kept = {"session": session, "search": search, "found": found, "hits": hits}
        names = list(kept)
        session = search = found = hits = each = hit = None
        for name in names[order % 4:] + names[:order % 4]:
            if name == "session" and order < 3:
                kept[name].close()
            del kept[name]
            gc.collect()
            assert [values(hsp) for hsp in hsps] == expected[:len(hsps)]


@pytest.mark.parametrize("engine", ENGINES)
def test_queries_of_all_kinds(monkeypatch, queries, session, engine):
    """Queries in memory give the report of the file that holds them, with numbers that go on from chunk to chunk."""
    sequences = [(header, sequence.replace("\n", "")) for header, _, sequence in records_of(queries)]
    search, format = getattr(session, engine), {"sw": "json", "blastp": "5"}[engine]
    expected = report_of(search(queries), format=format)
    assert report_of(search(iter(sequences)), format=format) == expected
    monkeypatch.setattr(_queries, "MOST_SEQUENCES", 3)
    assert report_of(search(sequences), format=format) == expected
    assert [hits.query_number for hits in search(sequences)] == list(range(1, 11))
    assert [hits.query_name for hits in search([sequences[0][1], sequences[1][1].encode()])] == ["query1", "query2"]
    assert next(search(sequences[4])).query_name == sequences[4][0].split()[0]
    assert [hits.query_number for hits in search([queries, sequences[0]])] == list(range(1, 12))


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_and_warnings(tmp_path, queries, session, engine):
    search = getattr(session, engine)
    with pytest.raises(warpseq.OptionError, match="no option 'nonsense'"):
        next(search(queries, nonsense=1))
    with pytest.raises(warpseq.OptionError, match="takes no value"):
        next(search(queries, header="yes"))
    with pytest.raises(warpseq.OptionError, match="belong to the session"):
        next(search(queries, threads=2))
    with pytest.raises(warpseq.OptionError, match="give it to the session"):
        next(search(queries, taxids="9606"))
    with pytest.raises(warpseq.OptionError, match="unknown format '77'"):
        search(queries).write(tmp_path / "report", format="77")
    with pytest.raises(warpseq.FileError, match="nothing.fasta"):
        next(search(tmp_path / "nothing.fasta"))
    good = "MKVLAAGIVGLLLAAPAFAEDKTLR" * 3
    running = search([("good", good), ("bad", "MKV1LAAGIV")])
    with pytest.raises(warpseq.InvalidInputError, match="^queries.*bad"):
        list(running)
    with pytest.warns(warpseq.WarpseqWarning, match="^queries: 2 gap characters"):
        list(search([("gaps", good + "--" + good)]))
    with pytest.warns(warpseq.WarpseqWarning, match="nucleotide"):
        list(search([("dna", "ACGT" * 200)]))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_report_on_one_query(programs, database, queries, results, tmp_path, engine):
    hits = results[engine][2]
    header, _, sequence = records_of(queries)[2]
    (tmp_path / "third.fasta").write_text(f">{header}\n{sequence}")
    for format in ["0", "6"]:
        expected = programs.run("search", engine, "-q", tmp_path / "third.fasta", "-d", database, "--outfmt", format)
        hits.write(tmp_path / "third", format=format)
        out = io.BytesIO()
        hits.write(out, format=format)
        assert (tmp_path / "third").read_bytes() == out.getvalue() == expected
    other = results[{"sw": "blastp", "blastp": "sw"}[engine]][2]
    writer = warpseq._core.SequenceWriter(hits, "6", False, "")
    with pytest.raises(warpseq.OptionError, match="one search"):
        writer.add(other)


@pytest.mark.parametrize("engine", ENGINES)
def test_threads_share_a_session(queries, session, engine):
    def report(format):
        return report_of(getattr(session, engine)(queries), format=format)

    expected = report("6")
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        assert list(threads.map(report, ["6"] * 4)) == [expected] * 4


@pytest.mark.parametrize("engine", ENGINES)
def test_a_session_may_be_closed_during_a_search(database, queries, session, engine):
    expected = report_of(getattr(session, engine)(queries), format="6")
    closed = warpseq.Session(database, device="cpu")
    search = getattr(closed, engine)(queries)
    out = io.BytesIO()
    first = next(search)
    closed.close()
    first.write(out, format="6")
    assert out.getvalue() + report_of(search, format="6") == expected
    with pytest.raises(warpseq.OptionError, match="closed"):
        next(getattr(closed, engine)(queries))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_session_searches_some_of_the_targets(programs, database, proteins, queries, tmp_path, engine):
    names = [line.split()[0][1:] for line in proteins.read_text().splitlines() if line.startswith(">")]
    chosen = tmp_path / "names"
    chosen.write_text("\n".join(names[::3]) + "\n")
    for option in ["seqidlist", "negative_seqidlist"]:
        expected = programs.run("search", engine, "-q", queries, "-d", database, "--outfmt", "0",
                                "--" + option.replace("_", "-"), chosen)
        with warpseq.Session(database, device="cpu", **{option: chosen}) as session:
            assert report_of(getattr(session, engine)(queries), format="0") == expected
    chosen.write_text("nobody\n")
    with pytest.raises(warpseq.InvalidInputError, match="names no sequence"):
        warpseq.Session(database, device="cpu", seqidlist=chosen)


@pytest.mark.parametrize("engine", ["sw", "blastp", "phmmer"])
def test_threads_share_a_search_and_outputs_replace_no_queries(database, proteins, tmp_path, engine):
    import threading
    records = [record for record in proteins.read_text().split(">")[1:] if len(record) < 400][:10]
    queries = tmp_path / "queries.fasta"
    queries.write_text("".join(">" + record for record in records))
    with warpseq.Session(database, device="cpu", threads=1) as session:
        search = getattr(session, engine)(queries)
        taken = []
        threads = [threading.Thread(target=lambda: taken.extend(hits.query_name for hits in search)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(taken)) == len(taken) == 10
        with pytest.raises(warpseq.WarpseqError, match="same file"):
            getattr(session, engine)(queries).write(queries)
    assert queries.read_text().count(">") == 10
