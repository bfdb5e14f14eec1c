"""Smith-Waterman searches from Python: options, and scores without statistics."""
import pytest
import warpseq


@pytest.fixture(scope="module")
def session(database):
    with warpseq.Session(database, device="cpu", threads=2) as opened:
        yield opened


@pytest.mark.parametrize("options, arguments", [
    (dict(evalue="1e-5", max_hits=3), ["--evalue", "1e-5", "--max-hits", "3"]),
    (dict(matrix="PAM70", gap_open=11, gap_extend=1, comp_stats=2),
     ["--matrix", "PAM70", "--gap-open", "11", "--gap-extend", "1", "--comp-stats", "2"]),
    (dict(evalue=float("inf"), gap_open=20, gap_extend=3, max_hits=5),
     ["--evalue", "inf", "--gap-open", "20", "--gap-extend", "3", "--max-hits", "5"]),
    (dict(dbsize=10**9, outfmt="6 qseqid sseqid score evalue staxids"),
     ["--dbsize", "1000000000", "--outfmt", "6 qseqid sseqid score evalue staxids"])])
def test_options_are_those_of_the_program(programs, database, queries, session, tmp_path, options, arguments):
    session.sw(queries, **options).write(tmp_path / "python")
    expected = programs.run("search", "sw", "-q", queries, "-d", database, *arguments)
    assert (tmp_path / "python").read_bytes() == expected


def test_scores_without_statistics(queries, session):
    hits = next(session.sw(queries, evalue="inf", gap_open=20, gap_extend=3, max_hits=5))
    assert len(hits) == 5 and hits.lambda_ is None
    assert [hit.raw_score for hit in hits] == sorted((hit.raw_score for hit in hits), reverse=True)
    assert {(hit.evalue, hit.score, hit.hsps[0].evalue, hit.hsps[0].bits) for hit in hits} == {(None,) * 4}
    with pytest.raises(warpseq.OptionError, match="no E-value statistics for BLOSUM62 with gap costs 20/3"):
        next(session.sw(queries, gap_open=20, gap_extend=3))


def test_facts_of_a_search(queries, session, database):
    hits = next(session.sw(queries, comp_stats=2))
    assert (hits.engine, hits.databases, hits.matrix) == ("sw", database.name, "BLOSUM62")
    assert (hits.gap_open, hits.gap_extend, hits.evalue_limit, hits.composition_mode) == (11, 1, 10, 2)
    assert hits.searched_residues > 500_000 and (hits.lambda_, hits.k) == pytest.approx((0.267, 0.041))
    assert hits.search_space is None and hits.message is None
    assert {hsp.adjustment for hit in hits for hsp in hit.hsps} <= {"optimized", "scaled", None}
    assert any(hit.hsps[0].adjustment for hit in hits)
