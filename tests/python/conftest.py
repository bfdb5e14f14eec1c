"""What the tests of the Python package share: programs to compare with, and data.

The environment names them: WARPSEQ_BIN the folder of the programs, WARPSEQ_SHARED a folder of real data or nothing.
"""
import gzip
import os
import pathlib
import subprocess

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


@pytest.fixture(scope="session")
def proteins(tmp_path_factory):
    """A FASTA file of 2,000 real proteins."""
    file = tmp_path_factory.mktemp("data") / "proteins.fasta"
    with gzip.open(EXAMPLES / "DB.fasta.gz", "rt") as source, open(file, "w") as out:
        records = 0
        for line in source:
            records += line.startswith(">")
            if records > 2000:
                break
            out.write(line)
    return file


@pytest.fixture(scope="session")
def database(programs, proteins):
    """The database that dbconv makes of `proteins`."""
    file = proteins.with_suffix(".wsdb")
    programs.run("dbconv", proteins, "-o", file)
    return file


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
