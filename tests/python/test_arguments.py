"""Odd options, names and paths: each is refused with a clear error, and no byte of a text is lost."""
import io
import os
import warnings

import pytest
import warpseq

SEQUENCE = "MKVLAAGIVGLLLAAPAFAEDKTLRMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAP"
ENGINES = ["phmmer", "jackhmmer", "sw", "blastp"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a name that is not UTF-8, and with a FASTA file whose names are not."""
    made = tmp_path_factory.mktemp("data") / os.fsdecode(b"r\xe9sum\xe9")
    made.mkdir()
    (made / "a.fasta").write_bytes(b">n\xffame d\xfesc\n" + SEQUENCE.encode() + b"\n>other\n" + SEQUENCE.encode() + b"\n")
    warpseq.convert(made / "a.fasta", made / "a.wsdb")
    return made


@pytest.fixture(scope="module")
def session(folder):
    with warpseq.Session(folder / "a.wsdb", device="cpu", threads=1) as opened:
        yield opened


def calls_with_options(folder, session):
    """Returns functions that take options, and one option that each of them has."""
    profile = warpseq.hmmbuild([("a", SEQUENCE), ("b", SEQUENCE)], name="x")
    profiles = folder / "x.hmm"
    profile.write(profiles)
    calls = {engine: lambda engine=engine, **given: next(getattr(session, engine)([SEQUENCE], **given))
             for engine in ENGINES}
    return calls | {
        "hmmsearch": lambda **given: next(session.hmmsearch(profile, **given)),
        "hmmscan": lambda **given: next(session.hmmscan([SEQUENCE], profiles, **given)),
        "Session": lambda **given: warpseq.Session(folder / "a.wsdb", **given).close(),
        "convert": lambda **given: warpseq.convert(folder / "a.fasta", folder / "b.wsdb", **({"force": True} | given)),
        "inspect": lambda **given: warpseq.inspect(folder / "a.wsdb", **given),
        "validate": lambda **given: warpseq.validate(folder / "a.wsdb", **given),
        "align": lambda **given: warpseq.align(SEQUENCE, SEQUENCE, **given),
        "hmmbuild": lambda **given: warpseq.hmmbuild([("a", SEQUENCE)], name="x", **given),
        "hmmalign": lambda **given: warpseq.hmmalign(profile, [SEQUENCE], **given)}


@pytest.mark.parametrize("value", [None, False, True, [], 1, "x"])
def test_names_of_options_are_checked_whatever_their_values_are(folder, session, value):
    for name, call in calls_with_options(folder, session).items():
        call()
        with pytest.raises(warpseq.OptionError, match="no option 'no_such_option'"):
            call(no_such_option=value)


def test_options_that_are_not_given(folder, session):
    assert next(session.sw([SEQUENCE], evalue=None, header=False)).evalue_limit == 10
    with pytest.raises(warpseq.OptionError, match="belong to the session"):
        next(session.sw([SEQUENCE], threads=None))
    with pytest.raises(warpseq.FileError, match="exists"):
        warpseq.convert(folder / "a.fasta", folder / "a.wsdb", force=None)
    with pytest.raises(TypeError, match="None is no value of a list"):
        next(session.sw([SEQUENCE], evalue=[None]))


@pytest.mark.parametrize("engine", ENGINES)
def test_values_of_options(folder, session, engine):
    name = "E" if engine in ("phmmer", "jackhmmer") else "evalue"

    def search(value):
        return next(getattr(session, engine)([SEQUENCE], **{name: value}))

    assert len(search(b"1")) == len(search("1")) == len(search(1)) == 2
    with pytest.raises(warpseq.OptionError, match=f"option '{name}': a value cannot have a NUL"):
        search("1\x00000")
    with pytest.raises(warpseq.OptionError, match="1\udcff: expected"):
        search("1\udcff")
    with pytest.raises(ValueError, match="surrogates not allowed"):
        search("1\ud800")
    with pytest.raises(warpseq.OptionError, match="no option '\udcffx'"):
        next(getattr(session, engine)([SEQUENCE], **{"\udcffx": 1}))


@pytest.mark.parametrize("engine", ENGINES)
def test_paths_that_are_not_utf8(folder, session, engine):
    search = getattr(session, engine)
    for file in [folder / "out", os.fsencode(folder / "out")]:
        search(folder / "a.fasta").write(file)
        assert (folder / "out").stat().st_size > 0
        (folder / "out").unlink()
    next(search(folder / "a.fasta")).write(str(folder / "out"))
    with pytest.raises(warpseq.FileError, match="r\udce9sum\udce9/nothing"):
        next(search(folder / "nothing"))
    assert {hit.name for hit in next(search(folder / "a.fasta"))} >= {"other"}
    assert "other" in next(search(folder / "a.fasta")).columns()["target_name"]
    assert "description" in str(next(search(folder / "a.fasta")).to_arrow().schema)


def test_functions_take_paths_that_are_not_utf8(folder):
    db = warpseq.Database(folder / "a.fasta")
    assert db.names == [str(folder / "a.fasta")] and db["n\udcffame"].description == "d\udcfesc"
    with warpseq.Session(db, device="cpu") as session:
        assert len(next(session.sw([SEQUENCE]))) == 2
    labels = []
    done = warpseq.convert([os.fsencode(folder / "a.fasta")], folder / "c.wsdb", force=True,
                           progress=lambda label, *_: labels.append(label))
    assert done.files == (str(folder / "c.wsdb"),)
    assert warpseq.inspect(folder / "c.wsdb").sequences == 2
    profile = warpseq.hmmbuild([("a", SEQUENCE), ("b", SEQUENCE)], name="x\udcff")
    profile.write(folder / "y.hmm")
    assert next(warpseq.read_profiles(folder / "y.hmm")).name == "x\udcff"
    assert warpseq.hmmpress(folder / "y.hmm") == 1
    assert warpseq.hmmalign(folder / "y.hmm", folder / "a.fasta").rows[0][0] == "n\udcffame"
    for call in [warpseq.Database, warpseq.Session, warpseq.inspect, warpseq.validate, warpseq.hmmbuild,
                 lambda file: next(warpseq.read_profiles(file)), warpseq.hmmpress,
                 lambda file: warpseq.convert(file, folder / "d.wsdb")]:
        with pytest.raises(warpseq.FileError, match="r\udce9sum\udce9/nothing"):
            call(folder / "nothing")


@pytest.mark.parametrize("query, error, message", [
    ([("a", SEQUENCE, "x")], TypeError, "this one has 3 items"),
    (("a", SEQUENCE, "x"), TypeError, "this one has 3 items"),
    ([("a",)], TypeError, "this one has 1 items"),
    ([(5, SEQUENCE)], TypeError, "str or bytes, not int"),
    ([("a\0b", SEQUENCE)], ValueError, "cannot have a NUL"),
    ([("a", SEQUENCE + "\0")], warpseq.InvalidInputError, "found a NUL byte"),
    ([("a", SEQUENCE + "\udcff")], warpseq.InvalidInputError, "found '"),
    ([(b"a\xff", SEQUENCE + "1")], warpseq.InvalidInputError, "found '1' .* of \"a\udcff\""),
    ("a\0b", ValueError, "cannot have a NUL")])
@pytest.mark.parametrize("engine", ENGINES)
def test_odd_queries(session, engine, query, error, message):
    with pytest.raises(error, match=message):
        next(getattr(session, engine)(query))


def test_odd_outputs(session):
    hits = next(session.sw([SEQUENCE]))
    for write in [hits.write, session.sw([SEQUENCE]).write, session.phmmer([SEQUENCE]).write]:
        with pytest.raises(ValueError, match="null byte"):
            write("a\0b")
        with pytest.raises(TypeError, match="not int"):
            write(5)
    with pytest.raises(warpseq.OptionError, match="unknown format '6\0'"):
        hits.write(io.BytesIO(), format="6\0")


def test_notes_are_issued_before_an_error(session, tmp_path):
    """The notes about earlier queries and inputs come also when a later one is wrong."""
    bad = [("gaps", SEQUENCE + "--" + SEQUENCE), ("wrong", SEQUENCE + "1")]
    for engine in ENGINES:
        with pytest.warns(warpseq.WarpseqWarning, match="2 gap characters"), pytest.raises(warpseq.InvalidInputError):
            list(getattr(session, engine)(bad))
    with pytest.warns(warpseq.WarpseqWarning, match="query: 2 gap characters"), pytest.raises(warpseq.InvalidInputError):
        warpseq.align(SEQUENCE + "--", "1")
    (tmp_path / "a.fasta").write_text(f">a\n{SEQUENCE}1\n>b\n{SEQUENCE}\n")
    (tmp_path / "broken.gz").write_bytes(b"\x1f\x8b\x08 nonsense")
    with pytest.warns(warpseq.WarpseqWarning, match="left out"), pytest.raises(warpseq.InvalidInputError):
        warpseq.convert([tmp_path / "a.fasta", tmp_path / "broken.gz"], tmp_path / "a.wsdb", skip_invalid=True, threads=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(warpseq.WarpseqWarning, match="gap characters"):
            list(session.sw(bad))


def test_the_size_of_chunks_is_the_sessions(database, queries):
    for wrong in ("0", "x", "-1", -1):
        with pytest.raises(warpseq.OptionError, match="--chunk-size"):
            warpseq.Session(database, chunk_size=wrong)
    whole, small = [warpseq.Session(database, device="cpu", chunk_size=size) for size in ("auto", "20K")]
    for engine in ("sw", "phmmer"):
        assert [hits.columns() for hits in getattr(small, engine)(queries)] == [hits.columns() for hits in getattr(whole, engine)(queries)]


def test_hits_of_all_engines_have_a_format_of_their_own(database, queries):
    session = warpseq.Session(database, device="cpu")
    for engine in ("sw", "blastp", "phmmer"):
        texts = []
        for format in ({}, {"format": None}, {"format": "0"}):
            out = io.BytesIO()
            next(getattr(session, engine)(queries)).write(out, **format)
            texts.append(out.getvalue())
        assert texts[0] == texts[1] == texts[2]
