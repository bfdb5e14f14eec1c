"""The package and a user's script are typed throughout, as mypy --strict reads them."""
import pathlib
import subprocess
import sys

import pytest
import warpseq

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(warpseq.__path__[0])


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def checked(cache, *files):
    """Runs mypy and returns its exit status and output. Modules are found as they are imported here."""
    command = [sys.executable, "-m", "mypy", "--config-file", HERE / "mypy.ini", "--cache-dir", cache, *files]
    done = subprocess.run(command, cwd=PACKAGE.parent, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_package_and_a_script_are_typed(cache):
    files = [*sorted(PACKAGE.glob("*.py")), PACKAGE / "_core.pyi", HERE / "typed_user.py"]
    status, output = checked(cache, *(file.relative_to(PACKAGE.parent) if file.is_relative_to(PACKAGE) else file for file in files))
    assert status == 0, output
    assert f"no issues found in {len(files)} source files" in output


def test_mistakes_of_a_script_are_found(cache, tmp_path):
    script = tmp_path / "mistaken.py"
    script.write_text("import warpseq\n"
                      "for hits in warpseq.Session('a.wsdb').hmmsearch('a.hmm'):\n"
                      "    print(hits[0].evalue + 'x')\n"
                      "warpseq.Session(1)\n")
    status, output = checked(cache, script)
    assert status == 1, output
    for line in (3, 4):
        assert f"mistaken.py:{line}: error" in output
