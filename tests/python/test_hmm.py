"""Profile searches from Python give the programs' reports, byte for byte."""
import io

import pytest
import warpseq


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


@pytest.fixture(scope="module")
def sequences(proteins, tmp_path_factory):
    """Five proteins of 100 to 400 residues."""
    file = tmp_path_factory.mktemp("queries") / "queries.fasta"
    records = proteins.read_text().split(">")[1:]
    chosen = [record for record in records if 100 <= len("".join(record.split("\n")[1:])) <= 400][::80][:5]
    file.write_text("".join(">" + record for record in chosen))
    return file


@pytest.mark.parametrize("format", ["0", "7", "json"])
def test_phmmer_reports_are_the_programs(programs, database, sequences, tmp_path, format):
    programs.run("search", "hmm", "-q", sequences, "-d", database, "--outfmt", format, "-o", tmp_path / "program")
    with warpseq.Session(database, device="cpu") as session:
        session.phmmer(sequences).write(tmp_path / "python", format=format)
    assert (tmp_path / "python").read_bytes() == (tmp_path / "program").read_bytes()


@pytest.mark.parametrize("format", ["0", "6", "json"])
def test_jackhmmer_reports_are_the_programs(programs, database, sequences, tmp_path, format):
    programs.run("search", "jackhmmer", "-q", sequences, "-d", database, "-N", 2, "--outfmt", format, "-o", tmp_path / "program")
    with warpseq.Session(database, device="cpu") as session:
        session.jackhmmer(sequences, N=2).write(tmp_path / "python", format=format)
    assert (tmp_path / "python").read_bytes() == (tmp_path / "program").read_bytes()


@pytest.mark.parametrize("format", ["0", "6", "10", "json"])
def test_hmmscan_reports_are_the_programs(programs, profiles, sequences, tmp_path, format):
    programs.run("search", "hmmscan", "-q", sequences, "-d", profiles, "--outfmt", format, "-o", tmp_path / "program")
    with warpseq.Session(device="cpu") as session:
        session.hmmscan(sequences, profiles).write(tmp_path / "python", format=format)
    assert (tmp_path / "python").read_bytes() == (tmp_path / "program").read_bytes()


@pytest.mark.parametrize("engine, table", [("hmm", "tblout"), ("hmm", "domtblout"), ("hmm", "pfamtblout"), ("jackhmmer", "tblout"),
                                           ("jackhmmer", "domtblout"), ("hmmscan", "domtblout"), ("hmmscan", "pfamtblout")])
def test_tables_are_the_programs(programs, database, profiles, sequences, tmp_path, engine, table):
    file = tmp_path / "table"
    queries, targets = {"hmm": (profiles, database), "jackhmmer": (sequences, database), "hmmscan": (sequences, profiles)}[engine]
    programs.run("search", engine, "-q", queries, "-d", targets, f"--{table}", file)
    expected = file.read_bytes()
    with warpseq.Session(database, device="cpu") as session:
        search = {"hmm": lambda: session.hmmsearch(queries), "jackhmmer": lambda: session.jackhmmer(queries),
                  "hmmscan": lambda: session.hmmscan(queries, targets)}[engine]()
        search.write(file, format=table)
    assert file.read_bytes() == expected


@pytest.mark.parametrize("engine", ["hmm", "jackhmmer"])
def test_alignments_are_the_programs(programs, database, profiles, sequences, tmp_path, engine):
    queries = {"hmm": profiles, "jackhmmer": sequences}[engine]
    programs.run("search", engine, "-q", queries, "-d", database, "-A", tmp_path / "program")
    with warpseq.Session(database, device="cpu") as session:
        search = session.hmmsearch(queries) if engine == "hmm" else session.jackhmmer(queries)
        search.write(tmp_path / "python", format="stockholm")
    assert (tmp_path / "python").read_bytes() == (tmp_path / "program").read_bytes()


def test_options_before_and_behind_outputs(programs, database, sequences, tmp_path):
    """A table names its file where the program's option rows have it: behind -N, before --mx."""
    file = tmp_path / "table"
    programs.run("search", "jackhmmer", "-q", sequences, "-d", database, "-N", 2, "--mx", "BLOSUM45", "--domtblout", file)
    expected = file.read_bytes()
    with warpseq.Session(database, device="cpu") as session:
        session.jackhmmer(sequences, N=2, mx="BLOSUM45").write(file, format="domtblout")
    assert file.read_bytes() == expected and b"-N 2 --domtblout" in expected


def test_messages_are_the_programs(database, profiles):
    with warpseq.Session(database, device="cpu") as session:
        with pytest.raises(warpseq.OptionError, match="^--mx : expected one of"):
            next(session.phmmer(["MKVLAW"], mx=""))
        with pytest.raises(warpseq.OptionError, match="'max' takes no value"):
            next(session.phmmer(["MKVLAW"], max=""))
        without = warpseq.hmmbuild([("a", "MKVLAWSRMKVLAWSR"), ("b", "MKVLAWSRMKVLAWSR")], name="without")
        with pytest.raises(warpseq.InvalidInputError, match="^queries: profile without has no GA cutoffs, which --cut_ga"):
            next(session.hmmsearch([without], cut_ga=True))
        for format, message in (("77", "json, or tblout"), ("6 nonsense", "accuracy$")):
            with pytest.raises(warpseq.OptionError, match=message):
                session.hmmsearch(profiles).write("/dev/null", format=format)
