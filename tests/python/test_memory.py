"""The memory of a process stays flat, however many calls it makes: pairs, scores, searches, sessions, pickles."""
import gc
import io
import itertools
import pickle
import statistics

import pytest
import warpseq

pytest.importorskip("numpy", reason="skipped: scores() needs numpy, which this Python does not have")

ENGINES = ("phmmer", "sw", "blastp", "hmmsearch", "jackhmmer", "hmmscan")


def resident_kilobytes():
    gc.collect()
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1])


@pytest.fixture(scope="module")
def sequences(proteins):
    """Names and beginnings of real proteins."""
    records = [record.partition("\n") for record in proteins.read_text().split(">")[1:101]]
    return [(header.split()[0], sequence.replace("\n", "")[:60]) for header, _, sequence in records]


@pytest.fixture(scope="module")
def profile(sequences):
    """One short profile."""
    return warpseq.hmmbuild([("a", sequences[0][1]), ("b", sequences[0][1])], name="first")


def test_memory_stays_flat(programs, sequences, profile, thorough, tmp_path, say):
    """Half of the calls are of align(), three in ten of scores(), and the others search. Every fiftieth opens a session."""
    fasta, database, profiles = tmp_path / "few.fasta", tmp_path / "few.wsdb", tmp_path / "first.hmm"
    fasta.write_text("".join(f">{name}\n{letters}\n" for name, letters in sequences[:20]))
    programs.run("dbconv", fasta, "-o", database)
    profile.write(profiles)
    session = warpseq.Session(database, device="cpu", threads=1)

    def search(number):
        nonlocal session
        if number % 50 == 0:
            session = warpseq.Session(database, device="cpu", threads=1)
        engine = ENGINES[number % len(ENGINES)]
        queries = profiles if engine == "hmmsearch" else [sequences[number % 20]]
        for hits in getattr(session, engine)(queries, *([profiles] if engine == "hmmscan" else [])):
            hits.columns()
            hits.write(io.BytesIO())
            pickle.loads(pickle.dumps(hits))

    def work(calls):
        for number in range(calls):
            (name, a), (_, b) = sequences[number % 100], sequences[(number * 7 + 1) % 100]
            kind = number % 10
            if kind < 5:
                found = warpseq.align(a, b, "local" if number % 2 else "global", protein=True)
                found.cigar, found.middle_line, pickle.loads(pickle.dumps(found))
            elif kind < 8:
                warpseq.scores(a, [b, a], threads=1)
            else:
                search(number // 10 * 2 + kind - 8)

    calls, grown = (100_000 if thorough else 5_000), []
    work(1000)
    before = resident_kilobytes()
    for _ in range(5):
        work(calls // 5)
        grown.append(resident_kilobytes() - before)
    say(f"{calls} calls: {before} kB, and then more by {grown} kB")
    # A leak shows in each fifth of the calls. But the allocator takes a megabyte more in one of
    # them, now and then. So the median of the four counts, four times: a leak of 13 bytes a call
    # would show at full length.
    steps = [later - earlier for earlier, later in itertools.pairwise(grown)]
    assert 4 * statistics.median(steps) < 1024
