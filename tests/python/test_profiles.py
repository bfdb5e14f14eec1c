"""Profiles and alignments from Python are the programs', byte for byte."""
import gzip
import io
import pickle
import re
import threading

import pytest
import warpseq


@pytest.fixture(scope="module")
def hmm_file(shared):
    """A compressed file of 30 real profiles."""
    return shared / "data/hmm/pfam-families.hmm.gz"


@pytest.fixture(scope="module")
def family(shared, hmm_file, programs, tmp_path_factory):
    """The first profile as a file, and a file of 40 real members of its family."""
    folder = tmp_path_factory.mktemp("family")
    profile = next(warpseq.read_profiles(hmm_file))
    profile.write(folder / "one.hmm")
    with gzip.open(shared / "data/families-dev.fasta.gz", "rt") as source:
        entries = source.read().split(">")[1:]
    with warpseq.Session(warpseq.Database([tuple(e.split("\n", 1)) for e in entries[:3000]]), device="cpu") as session:
        hits = next(session.hmmsearch(profile))
        names = {hit.name for hit in hits}
    members = [">" + entry for entry in entries if entry.split()[0] in names][:40]
    assert len(members) == 40
    (folder / "members.fasta").write_text("".join(members))
    return folder


@pytest.fixture(scope="module")
def alignment(family, programs):
    """An alignment of these members in Stockholm format."""
    file = family / "family.sto"
    file.write_bytes(programs.run("search", "hmmalign", "-q", family / "one.hmm", "-d", family / "members.fasta"))
    return file


def without_date(profile):
    return re.sub(rb"(?m)^DATE .*$", b"DATE", profile)


def test_profiles_are_read_and_written(hmm_file, programs):
    profiles = list(warpseq.read_profiles(hmm_file))
    assert len(profiles) == 30
    assert b"".join(map(bytes, profiles)) == programs.run("search", "hmmconvert", "-d", hmm_file)
    for profile in profiles[:3]:
        assert f"\nNAME  {profile.name}\n" in str(profile)
        assert f"\nLENG  {profile.length}\n" in str(profile)
        assert len(profile) == len(profile.consensus)
        assert pickle.loads(pickle.dumps(profile)) == profile


def test_profiles_of_file_objects(hmm_file):
    expected = list(warpseq.read_profiles(hmm_file))
    assert list(warpseq.read_profiles(hmm_file.read_bytes())) == expected
    with gzip.open(hmm_file) as file:
        assert list(warpseq.read_profiles(file)) == expected
    assert list(warpseq.read_profiles(io.BytesIO(bytes(expected[0])))) == expected[:1]
    with pytest.raises(warpseq.InvalidInputError):
        list(warpseq.read_profiles(b"no profile"))
    with pytest.raises(TypeError):
        list(warpseq.read_profiles(5))


def test_copies_of_profiles_have_other_names_and_cutoffs(hmm_file, tmp_path):
    profile = next(warpseq.read_profiles(hmm_file))
    assert (profile.gathering, profile.trusted, profile.noise) == (None, None, None)
    other = profile.replace(name="other name", accession="X1.2", description="of\nanother", trusted=(25, 20.126), noise=(7, 8))
    assert (other.name, other.accession, other.description) == ("other name", "X1.2", "of another")
    assert (other.gathering, other.trusted, other.noise) == (None, (25, pytest.approx(20.13)), (7, 8))
    other.write(tmp_path / "other.hmm")
    assert next(warpseq.read_profiles(tmp_path / "other.hmm")).trusted == other.trusted
    assert b"\nTC    25.00 20.13\nNC    7.00 8.00\n" in bytes(other).replace(b";", b"")
    assert other.replace(description="").description is None and other.replace(name=profile.name).name == profile.name
    assert profile.replace() == profile
    for wrong in ({"name": ""}, {"gathering": (float("nan"), 1)}, {"noise": (1, float("inf"))}):
        with pytest.raises(warpseq.OptionError):
            profile.replace(**wrong)


def test_profiles_are_queries(hmm_file, database):
    profiles = list(warpseq.read_profiles(hmm_file))[:4]
    with warpseq.Session(database, device="cpu") as session:
        by_file = [[(h.name, h.score) for h in hits] for hits, _ in zip(session.hmmsearch(hmm_file), profiles)]
        by_object = [[(h.name, h.score) for h in hits] for hits in session.hmmsearch(profiles)]
    assert by_object == by_file and any(by_file)


@pytest.mark.parametrize("options, arguments", [
    ({}, []), ({"symfrac": 0.9, "eset": 3, "wblosum": True}, ["--symfrac", 0.9, "--eset", 3, "--wblosum"])])
def test_builds_are_the_programs(alignment, programs, tmp_path, options, arguments):
    programs.run("search", "hmmbuild", "-q", alignment, "-o", tmp_path / "program.hmm", *arguments)
    expected = without_date((tmp_path / "program.hmm").read_bytes())
    profile = warpseq.hmmbuild(alignment, threads=1, **options)
    assert profile.name == "family" and profile.sequences == 40
    assert without_date(bytes(profile)) == expected
    out = io.BytesIO()
    profile.write(out)
    assert out.getvalue() == bytes(profile)


def test_alignments_of_all_kinds(alignment, programs, family, tmp_path):
    programs.run("search", "hmmalign", "-q", family / "one.hmm", "-d", family / "members.fasta", "--outformat", "afa",
                 "-o", tmp_path / "x.afa")
    programs.run("search", "hmmbuild", "-q", tmp_path / "x.afa", "-o", tmp_path / "x.hmm", "-n", "x y")
    expected = without_date((tmp_path / "x.hmm").read_bytes())
    rows = warpseq.hmmalign(family / "one.hmm", family / "members.fasta").rows
    assert without_date(bytes(warpseq.hmmbuild(rows, "x y"))) == expected
    assert without_date(bytes(warpseq.hmmbuild((tmp_path / "x.afa").read_text(), name="x y"))) == expected

    class Row:
        def __init__(self, name, row):
            self.id, self.seq = name, row

    assert without_date(bytes(warpseq.hmmbuild([Row(*row) for row in rows], "x y"))) == expected
    text = alignment.read_bytes()

    class Annotated(list):
        column_annotations = {"reference_annotation": "x"}

        def __format__(self, format):
            assert format == "stockholm"
            return text.decode()

    assert without_date(bytes(warpseq.hmmbuild(Annotated(), "family", hand=True))) == \
        without_date(bytes(warpseq.hmmbuild(alignment, hand=True)))
    several = warpseq.hmmbuild(b"".join(text.replace(b"# STOCKHOLM 1.0", b"# STOCKHOLM 1.0\n#=GF ID " + name, 1)
                                        for name in (b"first", b"second")))
    assert [profile.name for profile in several] == ["first", "second"]


@pytest.mark.parametrize("format", ["stockholm", "afa", "a2m", "clustal", "phylip"])
def test_aligned_sequences_are_the_programs(family, programs, format):
    expected = programs.run("search", "hmmalign", "-q", family / "one.hmm", "-d", family / "members.fasta", "--trim",
                            "--outformat", format)
    out = io.BytesIO()
    alignment = warpseq.hmmalign(family / "one.hmm", family / "members.fasta", format, trim=True)
    alignment.write(out)
    assert out.getvalue() == expected
    assert len(alignment) == 40 and {len(text) for _, text in alignment.rows} == {alignment.columns}
    assert {"RF", "PP_cons"} <= alignment.annotation.keys()


def test_aligning_sequences_in_memory(family):
    profile = next(warpseq.read_profiles(family / "one.hmm"))
    members = list(warpseq.Database(family / "members.fasta"))
    of_file = warpseq.hmmalign(profile, family / "members.fasta")
    assert warpseq.hmmalign(profile, members).rows == of_file.rows
    assert of_file.posteriors[0].replace(".", "") != ""
    one = warpseq.hmmalign(profile, [(members[0].name, members[0].sequence)])
    assert [name for name, _ in one.rows] == [members[0].name]
    assert re.sub("[-.]", "", one.rows[0][1]).upper() == members[0].sequence


def test_errors_are_the_programs(hmm_file, family, shared, tmp_path):
    with pytest.raises(warpseq.InvalidInputError, match="does not contain just one HMM"):
        warpseq.hmmalign(hmm_file, family / "members.fasta")
    with pytest.raises(warpseq.InvalidInputError, match="no msa filename, and no -n"):
        warpseq.hmmbuild([("a", "ACDEFGHIKLMNPQRSTVWY")])
    with pytest.raises(warpseq.InvalidInputError, match="only protein profiles"):
        list(warpseq.read_profiles(shared / "data/edge/dna-profiles.hmm"))
    with pytest.raises(warpseq.OptionError, match="symfrac"):
        warpseq.hmmbuild(family / "family.sto", symfrac=2)
    with pytest.raises(warpseq.OptionError, match="'O'"):
        warpseq.hmmbuild(family / "family.sto", O=str(tmp_path / "o"))
    with pytest.raises(warpseq.OptionError, match="nonsense"):
        warpseq.hmmalign(family / "one.hmm", family / "members.fasta", "nonsense")
    with pytest.raises(warpseq.InvalidInputError, match="^alignment"):
        warpseq.hmmbuild("# STOCKHOLM 1.0\na ACDEF\nb ACD\n//\n", "x")
    with pytest.raises(TypeError):
        warpseq.hmmalign(("a", "ACDEF"), family / "members.fasta")


def test_threads_share_profiles(alignment, family):
    profile = warpseq.hmmbuild(alignment)
    expected = warpseq.hmmalign(profile, family / "members.fasta").rows
    results = [None] * 4

    def work(number):
        built = warpseq.hmmbuild(alignment, threads=1)
        assert without_date(bytes(built)) == without_date(bytes(profile))
        results[number] = warpseq.hmmalign(profile, family / "members.fasta", threads=1).rows

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4


def test_pressed_files_are_the_programs(hmm_file, programs, tmp_path):
    file = tmp_path / "a.hmm"
    with open(file, "wb") as out:
        for profile in warpseq.read_profiles(hmm_file):
            profile.write(out)
    pressed = [tmp_path / f"a.hmm.{ending}" for ending in ("h3f", "h3i", "h3m", "h3p")]
    programs.run("search", "hmmpress", "-d", file)
    expected = [each.read_bytes() for each in pressed]
    with pytest.raises(warpseq.InvalidInputError, match="already exists"):
        warpseq.hmmpress(file)
    for each in pressed:
        each.unlink()
    assert warpseq.hmmpress(file) == 30
    assert [each.read_bytes() for each in pressed] == expected
    assert warpseq.hmmpress(file, force=True) == 30
