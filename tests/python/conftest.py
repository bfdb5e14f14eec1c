"""What the tests of the Python package share: programs to compare with, and data.

The environment names them: WARPSEQ_BIN the folder of the programs, WARPSEQ_SHARED a folder of real data or nothing.
WARPSEQ_THOROUGH is empty if tests are shorter.
"""
import gzip
import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path("/usr/share/doc/mmseqs2/example-data")  # Debian's mmseqs2-examples


class Programs:
    """The programs of the same build."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def run(self, *command, cwd=None):
        """Runs `warpseq COMMAND` and returns its standard output."""
        done = subprocess.run([self.folder / "warpseq", *map(str, command)], cwd=cwd, capture_output=True)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def refused(self, *command):
        """Runs `warpseq COMMAND`, which must fail, and returns its message."""
        done = subprocess.run([self.folder / "warpseq", *map(str, command)], capture_output=True)
        assert done.returncode == 1, done.stderr.decode()
        return done.stderr.decode()


@pytest.fixture(scope="session")
def programs():
    return Programs(os.environ["WARPSEQ_BIN"])


@pytest.fixture
def say(capsys):
    """A function that prints a line of the test's findings, which pytest would show after a failure only."""
    def print_line(line):
        with capsys.disabled():
            print("\n" + line)
    return print_line


@pytest.fixture(scope="session")
def thorough():
    """Whether tests run at their full length, as in `make check-all`."""
    return bool(os.environ.get("WARPSEQ_THOROUGH"))


def write_proteins(file, most):
    """Writes real proteins as FASTA, `most` of them if there are more."""
    with gzip.open(EXAMPLES / "DB.fasta.gz", "rt") as source, open(file, "w") as out:
        records = 0
        for line in source:
            records += line.startswith(">")
            if records > most:
                break
            out.write(line)
    return file


@pytest.fixture(scope="session")
def proteins(tmp_path_factory):
    """A FASTA file of 2,000 real proteins."""
    return write_proteins(tmp_path_factory.mktemp("data") / "proteins.fasta", 2000)


@pytest.fixture(scope="session")
def many_proteins(thorough, proteins, tmp_path_factory):
    """A FASTA file of 20,000 real proteins at the full length of the tests, else `proteins`."""
    return write_proteins(tmp_path_factory.mktemp("many") / "proteins.fasta", 20_000) if thorough else proteins


def converted(programs, file):
    """Returns the database that dbconv makes of a FASTA file."""
    programs.run("dbconv", file, "-o", file.with_suffix(".wsdb"))
    return file.with_suffix(".wsdb")


@pytest.fixture(scope="session")
def database(programs, proteins):
    """The database of `proteins`."""
    return converted(programs, proteins)


@pytest.fixture(scope="session")
def large_database(programs, database, proteins, many_proteins):
    """The database of `many_proteins`."""
    return database if many_proteins == proteins else converted(programs, many_proteins)


@pytest.fixture(scope="session")
def queries(proteins):
    """A FASTA file of ten of `proteins`, of up to 200 residues."""
    file = proteins.with_name("queries.fasta")
    records = proteins.read_text().split(">")[1:]
    chosen = [record for record in records if len(record) < 280][::20][:10]
    file.write_text("".join(">" + record for record in chosen))
    return file


@pytest.fixture(scope="session")
def shared():
    """The folder of real data."""
    folder = os.environ.get("WARPSEQ_SHARED")
    if not folder:
        pytest.skip("skipped: no folder of real data (WARPSEQ_SHARED)")
    return pathlib.Path(folder)


@pytest.fixture(scope="session")
def profiles(shared, tmp_path_factory):
    """A file of 30 real families' profiles."""
    file = tmp_path_factory.mktemp("profiles") / "pfam.hmm"
    with gzip.open(shared / "data/hmm/pfam-families.hmm.gz") as source:
        file.write_bytes(source.read())
    return file


def write_taxonomy(folder):
    """Writes a taxonomy of two species, as NCBI's dump files have it."""
    (folder / "names.dmp").write_text("".join(
        f"{taxid}\t|\t{name}\t|\t\t|\t{kind}\t|\n" for taxid, name, kind in [
            (1, "root", "scientific name"), (2759, "Eukaryota", "scientific name"), (9606, "Homo sapiens", "scientific name"),
            (9606, "human", "genbank common name"), (10090, "Mus musculus", "scientific name")]))
    (folder / "nodes.dmp").write_text("".join(
        f"{taxid}\t|\t{parent}\t|\t{rank}\t|\t\t|\t0\t|\n" for taxid, parent, rank in [
            (1, 1, "no rank"), (2759, 1, "superkingdom"), (9606, 2759, "species"), (10090, 2759, "species")]))


def script(text, *arguments):
    """Runs a script in a process of its own and returns what it prints. It may print no error."""
    done = subprocess.run([sys.executable, "-c", text, *map(str, arguments)], capture_output=True, timeout=120)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode()
