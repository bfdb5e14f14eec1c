"""The lines of docs/python.md run."""
import gzip
import pathlib
import re
import shutil

import pytest

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


def test_the_tutorial_runs(proteins, shared, tmp_path, monkeypatch):
    pytest.importorskip("Bio", reason="skipped: Biopython is not installed")
    monkeypatch.chdir(tmp_path)
    shutil.copy(proteins, "proteins.fasta")
    records = proteins.read_text().split(">")[1:]
    short = [record for record in records if 100 <= len("".join(record.split("\n")[1:])) <= 300]
    pathlib.Path("queries.fasta").write_text("".join(">" + record for record in short[:2]))
    with gzip.open(shared / "data/hmm/pfam-families.hmm.gz", "rt") as source:
        pathlib.Path("families.hmm").write_text("".join(f"{hmm}//\n" for hmm in source.read().split("//\n")[:5]))
    blocks = re.findall(r"^```python\n(.*?)^```", DOCUMENT.read_text(), re.S | re.M)
    assert len(blocks) >= 6
    names = {}
    for block in blocks:
        exec(compile(block, str(DOCUMENT), "exec"), names)
