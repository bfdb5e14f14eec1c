"""Profile searches from Python give the programs' reports, byte for byte."""
import gzip
import io

import pytest
import warpseq


@pytest.fixture(scope="module")
def profiles(shared, tmp_path_factory):
    file = tmp_path_factory.mktemp("profiles") / "pfam.hmm"
    with gzip.open(shared / "data/hmm/pfam-families.hmm.gz") as source:
        file.write_bytes(source.read())
    return file


@pytest.mark.parametrize("format", ["0", "6", "7", "10", "json", "6 std cevalue envstart"])
def test_reports_are_the_programs(programs, database, profiles, tmp_path, format):
    programs.run("search", "hmm", "-q", profiles, "-d", database, "--outfmt", format, "-o", tmp_path / "program")
    with warpseq.Session(database, device="cpu") as session:
        session.hmmsearch(profiles).write(tmp_path / "python", format=format)
    assert (tmp_path / "python").read_bytes() == (tmp_path / "program").read_bytes()


def test_options_are_those_of_the_program(programs, database, profiles, tmp_path):
    programs.run("search", "hmm", "-q", profiles, "-d", database, "-E", "1e-20", "--noali", "--domE", "1e-5", "-o", tmp_path / "program")
    with warpseq.Session(database, device="cpu") as session:
        out = io.BytesIO()
        session.hmmsearch(profiles, E="1e-20", noali=True, domE="1e-5").write(out)
        assert out.getvalue() == (tmp_path / "program").read_bytes()
        with pytest.raises(warpseq.OptionError, match="no option 'nonsense'"):
            next(session.hmmsearch(profiles, nonsense=1))
