"""pyhmmer agrees on every hit, score, E-value, domain and alignment."""
import gzip
import os

import pytest
import warpseq

pyhmmer = pytest.importorskip("pyhmmer", reason="skipped: pyhmmer is not installed")

# The last file takes minutes, and is for the full length of the tests.
FILES = ["pfam-families", "small-and-odd", "more"] + ["pfam-lengths-100-2405"] * bool(os.environ.get("WARPSEQ_THOROUGH"))
ALIGNMENT = ("hmm_from", "hmm_to", "hmm_sequence", "target_from", "target_to", "target_sequence", "identity_sequence",
             "posterior_probabilities")


@pytest.fixture(scope="module")
def targets(many_proteins):
    with pyhmmer.easel.SequenceFile(many_proteins, digital=True) as file:
        return file.read_block()


@pytest.fixture(scope="module")
def queries(targets):
    """Twenty of the targets."""
    return [sequence for sequence in targets if 80 <= len(sequence) <= 500][::60][:20]


@pytest.fixture(scope="module")
def session(large_database):
    with warpseq.Session(large_database, device="cpu") as session:
        yield session


def text(value):
    """pyhmmer's names are bytes in old versions and text in new ones."""
    return value.decode() if isinstance(value, bytes) else value


def check_domain(expected, got):
    assert (got.env_from, got.env_to, got.included) == (expected.env_from, expected.env_to, expected.included)
    for name in ("score", "bias", "correction", "envelope_score", "c_evalue", "i_evalue", "pvalue"):
        assert getattr(got, name) == pytest.approx(getattr(expected, name), rel=1e-6), name
    for name in ALIGNMENT:
        assert getattr(got.alignment, name) == getattr(expected.alignment, name), name


def check_hits(expected, got):
    """Returns the number of hits."""
    expected = [hit for hit in expected if hit.reported]
    assert [hit.name for hit in got] == [text(hit.name) for hit in expected]
    for hit, ours in zip(expected, got):
        for name in ("score", "pre_score", "bias", "evalue", "pvalue"):
            assert getattr(ours, name) == pytest.approx(getattr(hit, name), rel=1e-6), name
        assert (ours.included, ours.length) == (hit.included, hit.length)
        assert len(ours.reported_domains) == len(hit.domains.reported)
        for domain, our_domain in zip(hit.domains.reported, ours.reported_domains):
            check_domain(domain, our_domain)
    return len(expected)


@pytest.mark.parametrize("file", FILES)
def test_hmmsearch(shared, tmp_path, session, targets, file, say):
    profiles = tmp_path / "profiles.hmm"
    with gzip.open(shared / f"data/hmm/{file}.hmm.gz") as source:
        profiles.write_bytes(source.read())
    with pyhmmer.plan7.HMMFile(profiles) as read:
        hmms = [hmm for hmm in read]
    ours = list(session.hmmsearch(profiles))
    assert [hits.query_name for hits in ours] == [text(hmm.name) for hmm in hmms]
    found = sum(check_hits(*pair) for pair in zip(pyhmmer.hmmer.hmmsearch(hmms, targets, cpus=2), ours))
    say(f"{file}: {len(hmms)} profiles, {len(targets)} targets, {found} hits")
    assert found > 0
    # The profiles of pyhmmer are queries, too.
    again = [hits.columns() for hits in session.hmmsearch(hmms)]
    assert [len(columns["evalue"]) for columns in again] == [len(hits.columns()["evalue"]) for hits in ours]


def test_phmmer(session, targets, queries, say):
    ours = list(session.phmmer(queries))
    assert len(ours) == len(queries) == 20
    found = sum(check_hits(*pair) for pair in zip(pyhmmer.hmmer.phmmer(queries, targets, cpus=2), ours))
    say(f"phmmer: {len(queries)} queries, {len(targets)} targets, {found} hits")
    assert found > 20


def test_jackhmmer(session, targets, queries, thorough, say):
    """All rounds agree. pyhmmer includes by the limits of hmmsearch unless it is told HMMER's for jackhmmer."""
    queries, rounds = (queries, 5) if thorough else (queries[:6], 2)
    ours = list(session.jackhmmer(queries, N=rounds))
    expected = pyhmmer.hmmer.jackhmmer(queries, targets, max_iterations=rounds, checkpoints=True, cpus=2, incE=0.001,
                                       incdomE=0.001)
    found = later = 0
    for hits, their_rounds in zip(ours, expected, strict=True):
        assert len(hits.rounds) == len(their_rounds)
        for round, theirs in zip(hits.rounds, their_rounds):
            assert round.converged == theirs.converged
            found += check_hits(theirs.hits, round)
        later += len(hits.rounds) - 1
    say(f"jackhmmer: {len(queries)} queries, {len(targets)} targets, {later} later rounds, {found} hits")
    assert found > len(queries) and later > 0
